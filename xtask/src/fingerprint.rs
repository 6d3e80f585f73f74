//! Fingerprints of the inputs of a check. They are equal if no input file was written in between.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use crate::check::Check;

/// Folders without sources.
const OUTPUTS: [&str; 2] = ["node_modules", "target"];

/// The versions of the programs that compile and run the project. A pass with another version does not count.
#[derive(Clone, Debug, Hash)]
pub struct Toolchain(String);

impl Toolchain {
    /// The programs that this machine finds.
    pub fn installed() -> Self {
        let commands: [(&str, &[&str]); 2] = [
            ("rustc", &["--version", "--verbose"]),
            ("node", &["--version"]),
        ];
        let versions = commands.map(|(program, args)| {
            let output = Command::new(program).args(args).output();
            let output = output.map(|output| output.stdout).unwrap_or_default();
            String::from_utf8_lossy(&output).into_owned()
        });
        Self(versions.concat())
    }
}

/// A hash of the paths, lengths and times of files, and of the toolchain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of the command of a check and of its inputs. `None` if it has no inputs or one cannot be read:
    /// then they count as changed.
    pub fn of(root: &Path, check: &Check, toolchain: &Toolchain) -> Option<Self> {
        if check.inputs.is_empty() {
            return None;
        }
        let mut stamps = Vec::new();
        for input in check.inputs {
            collect_stamps(&root.join(input), &mut stamps).ok()?;
        }
        stamps.sort();
        let mut hasher = DefaultHasher::new();
        stamps.hash(&mut hasher);
        (&check.command, &check.variables).hash(&mut hasher);
        toolchain.hash(&mut hasher);
        Some(Self(hasher.finish()))
    }

    /// Whether the check with this name has passed with this fingerprint.
    pub fn has_passed(&self, state_folder: &Path, name: &str) -> bool {
        let kept = fs::read_to_string(pass_file(state_folder, name));
        kept.is_ok_and(|kept| kept == self.0.to_string())
    }

    /// Stores that the check with this name has passed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn record_pass(&self, state_folder: &Path, name: &str) -> io::Result<()> {
        let file = pass_file(state_folder, name);
        fs::create_dir_all(file.parent().expect("the file is in a folder"))?;
        fs::write(file, self.0.to_string())
    }

    /// Removes the stored fingerprint of the check with this name.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn clear_pass(state_folder: &Path, name: &str) -> io::Result<()> {
        match fs::remove_file(pass_file(state_folder, name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// The file with the fingerprint with which the check of this name last passed.
fn pass_file(state_folder: &Path, name: &str) -> PathBuf {
    state_folder.join("passed").join(name)
}

/// The path, the length and the modification time of a file.
type Stamp = (PathBuf, u64, u128);

/// Appends the stamp of a file, or those of all files in a folder.
fn collect_stamps(path: &Path, stamps: &mut Vec<Stamp>) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_dir() {
        let written = metadata.modified()?.duration_since(UNIX_EPOCH);
        let written = written.map_or(0, |time| time.as_nanos());
        stamps.push((path.to_owned(), metadata.len(), written));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let is_output = OUTPUTS.iter().any(|name| entry.file_name() == *name);
        if !is_output {
            collect_stamps(&entry.path(), stamps)?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::check::plain_check;

    #[test]
    fn fingerprint_depends_on_the_toolchain_and_the_command() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let of = |command: &str, toolchain: &str| {
            let check = Check {
                inputs: &["Cargo.toml"],
                ..plain_check("check", "", command)
            };
            Fingerprint::of(root, &check, &Toolchain(toolchain.to_owned())).unwrap()
        };
        assert_eq!(of("true", "rustc 1"), of("true", "rustc 1"));
        assert_ne!(of("true", "rustc 1"), of("true", "rustc 2"));
        assert_ne!(of("true", "rustc 1"), of("false", "rustc 1"));
        assert!(Toolchain::installed().0.contains("rustc"));
    }
}
