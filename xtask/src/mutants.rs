//! `cargo xtask mutants`: known faults, each with the test that finds it.
//!
//! A file `mutants/NAME.patch` says in its first lines what it breaks, then `Killed by: PACKAGE BINARY TEST`, then the
//! change. A mutant is killed if that test passes without the change and fails with it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use clap::Args;

use crate::runner::Folders;

/// The word before the test that kills a mutant.
const KILLED_BY: &str = "Killed by: ";

/// Which mutants, and what is done with them.
#[derive(Args, Debug)]
pub struct Options {
    /// Names of mutants; without any, all of them.
    names: Vec<String>,
    /// Only tries whether each patch still applies.
    #[arg(long)]
    apply_only: bool,
}

/// A change that breaks a promise, and the test that finds it.
#[derive(Debug)]
struct Mutant {
    name: String,
    patch: PathBuf,
    package: String,
    binary: String,
    test: String,
}

/// Tries each mutant in a copy of the last commit, which is kept for the next time.
///
/// # Errors
/// A sentence about the mutants that no longer apply or that no test kills.
pub fn run(folders: &Folders, options: &Options) -> Result<(), String> {
    let mutants = mutants(&folders.root)?;
    let unknown = |name: &&String| !mutants.iter().any(|mutant| mutant.name == **name);
    if let Some(name) = options.names.iter().find(unknown) {
        return Err(format!("There is no mutants/{name}.patch."));
    }
    let is_wanted =
        |mutant: &&Mutant| options.names.is_empty() || options.names.contains(&mutant.name);
    let mutants: Vec<&Mutant> = mutants.iter().filter(is_wanted).collect();
    for mutant in &mutants {
        let patch = mutant.patch.display().to_string();
        git(&folders.root, &["apply", "--check", &patch])
            .map_err(|error| format!("mutants/{}.patch does not apply: {error}", mutant.name))?;
    }
    println!("{} mutants apply.", mutants.len());
    if options.apply_only {
        return Ok(());
    }
    let copy = Copy::of(folders)?;
    let mut survivors = Vec::new();
    for (number, mutant) in (1..).zip(&mutants) {
        let start = Instant::now();
        let verdict = copy.judge(mutant)?;
        if verdict.is_err() {
            survivors.push(mutant.name.as_str());
        }
        println!(
            "{number}/{} {:<32} {:>6.1} s  {}",
            mutants.len(),
            mutant.name,
            start.elapsed().as_secs_f64(),
            verdict.unwrap_or_else(|why| why)
        );
    }
    match survivors.as_slice() {
        [] => Ok(()),
        names => Err(format!("No test kills: {}.", names.join(", "))),
    }
}

/// All mutants, in the order of their names.
fn mutants(root: &Path) -> Result<Vec<Mutant>, String> {
    let folder = root.join("mutants");
    let unreadable = |error: io::Error| format!("{} cannot be read: {error}.", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let patch = entry.map_err(unreadable)?.path();
        let name = patch.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(".patch")) else {
            continue;
        };
        let text = fs::read_to_string(&patch).map_err(unreadable)?;
        let line = text.lines().find_map(|line| line.strip_prefix(KILLED_BY));
        let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        let [package, binary, test] = words[..] else {
            return Err(format!(
                "mutants/{name}.patch has no line `{KILLED_BY}PACKAGE BINARY TEST`."
            ));
        };
        found.push(Mutant {
            name: name.to_owned(),
            package: package.to_owned(),
            binary: binary.to_owned(),
            test: test.to_owned(),
            patch,
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// A copy of the project that can be broken.
struct Copy {
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// The last commit, in a work tree of its own.
    fn of(folders: &Folders) -> Result<Self, String> {
        let folder = folders.target.join("mutants");
        let copy = Self {
            tree: folder.join("tree"),
            target: folder.join("target"),
        };
        let commit = git(&folders.root, &["rev-parse", "HEAD"])?;
        if copy.tree.join(".git").exists() {
            git(
                &copy.tree,
                &["checkout", "--quiet", "--force", "--detach", commit.trim()],
            )?;
        } else {
            let tree = copy.tree.display().to_string();
            // A tree of that name may have been removed by hand.
            git(&folders.root, &["worktree", "prune"])?;
            git(
                &folders.root,
                &[
                    "worktree",
                    "add",
                    "--quiet",
                    "--detach",
                    &tree,
                    commit.trim(),
                ],
            )?;
        }
        Ok(copy)
    }

    /// Whether the named test kills this mutant, in words.
    fn judge(&self, mutant: &Mutant) -> Result<Result<String, String>, String> {
        let Mutant { test, .. } = mutant;
        if !self.passes(mutant)? {
            return Ok(Err(format!("`{test}` does not pass without the mutant")));
        }
        let patch = mutant.patch.display().to_string();
        git(&self.tree, &["apply", &patch])?;
        let passes = self.passes(mutant);
        git(&self.tree, &["apply", "--reverse", &patch])?;
        Ok(if passes? {
            Err(format!("survives: `{test}` passes with it"))
        } else {
            Ok(format!("killed by `{test}`"))
        })
    }

    /// Whether the named test was run and has passed.
    fn passes(&self, mutant: &Mutant) -> Result<bool, String> {
        let mut command = Command::new("cargo");
        command
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target);
        command.args(["test", "--locked", "--package", &mutant.package]);
        match mutant.binary.as_str() {
            "lib" => command.arg("--lib"),
            binary => command.args(["--test", binary]),
        };
        let build = output(command.arg("--no-run"))?;
        if !build.status.success() {
            let errors = String::from_utf8_lossy(&build.stderr).into_owned();
            return Err(format!("{} does not compile:\n{errors}", mutant.name));
        }
        let mut words: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        words.retain(|word| word != "--no-run");
        let mut command = Command::new("cargo");
        command
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target);
        command.args(words).args(["--", "--exact", &mutant.test]);
        let run = output(&mut command)?;
        let said = String::from_utf8_lossy(&run.stdout);
        Ok(run.status.success() && said.contains(&format!("test {} ... ok", mutant.test)))
    }
}

fn git(folder: &Path, words: &[&str]) -> Result<String, String> {
    let output = output(Command::new("git").current_dir(folder).args(words))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .output()
        .map_err(|error| format!("`{program}` cannot be started: {error}."))
}
