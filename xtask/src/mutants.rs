//! `cargo xtask mutants`: mutation tests with known faults, each with the test that finds it.
//!
//! A file `mutants/NAME.patch` has a description, the line `Killed by: PACKAGE BINARY TEST`, and the patch. A mutant is
//! killed if that test passes without the patch and fails with it. It is skipped if that test cannot run on this
//! machine.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use clap::Args;

use crate::runner::{Folders, skip_reason};

/// The prefix of the line with the test that kills a mutant.
const KILLED_BY: &str = "Killed by: ";

/// Which mutants are tried, and how.
#[derive(Args, Debug)]
pub struct Options {
    /// The names of mutants. The default is all of them.
    names: Vec<String>,
    /// Only checks that each patch applies to the working tree.
    #[arg(long)]
    apply_only: bool,
}

/// A patch that breaks a promise, and the test that finds it.
#[derive(Debug)]
struct Mutant {
    name: String,
    patch: PathBuf,
    package: String,
    binary: String,
    test: String,
}

/// The result of a mutant.
#[derive(Debug, Eq, PartialEq)]
enum Verdict {
    /// The test fails with the patch and passes without it.
    Killed,
    /// The test does not fail with the patch.
    Survives,
    /// The test fails without the patch, so the result is unknown.
    FailsWithout,
    /// The test cannot run on this machine, for this reason.
    Skipped(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Killed => write!(out, "killed"),
            Self::Survives => write!(out, "SURVIVES: the test does not fail with the patch"),
            Self::FailsWithout => write!(out, "UNKNOWN: the test fails without the patch"),
            Self::Skipped(reason) => write!(out, "skipped: {reason}"),
        }
    }
}

/// The outcome of a test.
#[derive(Debug, Eq, PartialEq)]
enum TestOutcome {
    Passed,
    /// It failed, or no test has this name.
    Failed,
    /// It cannot run on this machine, for this reason.
    Skipped(String),
}

impl TestOutcome {
    /// Parses the output of a test binary that ran this one test.
    fn parse(test: &str, has_succeeded: bool, output: &str) -> Self {
        match skip_reason(output) {
            Some(reason) if has_succeeded => Self::Skipped(reason),
            None if has_succeeded && output.contains(&format!("test {test} ... ok")) => {
                Self::Passed
            }
            Some(_) | None => Self::Failed,
        }
    }
}

/// Tries each mutant in a worktree of the last commit, which is kept for the next run.
///
/// # Errors
/// A sentence about the mutants that do not apply or that no test kills.
pub fn run(folders: &Folders, options: &Options) -> Result<(), String> {
    let mutants = mutants(&folders.root)?;
    let unknown = |name: &&String| !mutants.iter().any(|mutant| mutant.name == **name);
    if let Some(name) = options.names.iter().find(unknown) {
        return Err(format!("There is no mutants/{name}.patch."));
    }
    let is_wanted =
        |mutant: &&Mutant| options.names.is_empty() || options.names.contains(&mutant.name);
    let mutants: Vec<&Mutant> = mutants.iter().filter(is_wanted).collect();
    if options.apply_only {
        return check_apply(&mutants, &folders.root);
    }
    let tree = MutantTree::of(folders)?;
    check_apply(&mutants, &tree.folder)?;
    let mut not_killed = Vec::new();
    for (number, mutant) in (1..).zip(&mutants) {
        let start = Instant::now();
        let verdict = tree.try_mutant(mutant);
        let verdict = verdict.map_err(|error| format!("{}: {error}", mutant.name))?;
        println!(
            "{number}/{} {:<32} {:>6.1} s  {verdict} (`{}`)",
            mutants.len(),
            mutant.name,
            start.elapsed().as_secs_f64(),
            mutant.test
        );
        if matches!(verdict, Verdict::Survives | Verdict::FailsWithout) {
            not_killed.push(mutant.name.as_str());
        }
    }
    match not_killed.as_slice() {
        [] => Ok(()),
        names => Err(format!("No test kills: {}.", names.join(", "))),
    }
}

/// Checks that each patch applies to the files in this folder.
fn check_apply(mutants: &[&Mutant], folder: &Path) -> Result<(), String> {
    for mutant in mutants {
        let patch = mutant.patch.display().to_string();
        git(folder, &["apply", "--check", &patch]).map_err(|error| {
            let folder = folder.display();
            format!("{} does not apply in {folder}: {error}", mutant.name)
        })?;
    }
    println!("{} mutants apply.", mutants.len());
    Ok(())
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

/// A worktree of the project for the mutants, apart from the working tree.
struct MutantTree {
    folder: PathBuf,
    /// The artifacts folder of cargo for the worktree.
    target: PathBuf,
}

impl MutantTree {
    /// The worktree at the last commit.
    fn of(folders: &Folders) -> Result<Self, String> {
        let parent = folders.target.join("mutants");
        let tree = Self {
            folder: parent.join("tree"),
            target: parent.join("target"),
        };
        let commit = git(&folders.root, &["rev-parse", "HEAD"])?;
        if tree.folder.join(".git").exists() {
            git(
                &tree.folder,
                &["checkout", "--quiet", "--force", "--detach", commit.trim()],
            )?;
        } else {
            let folder = tree.folder.display().to_string();
            // The folder of an earlier worktree may have been removed without git.
            git(&folders.root, &["worktree", "prune"])?;
            git(
                &folders.root,
                &[
                    "worktree",
                    "add",
                    "--quiet",
                    "--detach",
                    &folder,
                    commit.trim(),
                ],
            )?;
        }
        Ok(tree)
    }

    /// Runs the test of a mutant without and with its patch.
    fn try_mutant(&self, mutant: &Mutant) -> Result<Verdict, String> {
        match self.test(mutant)? {
            TestOutcome::Passed => {}
            TestOutcome::Failed => return Ok(Verdict::FailsWithout),
            TestOutcome::Skipped(reason) => return Ok(Verdict::Skipped(reason)),
        }
        let patch = mutant.patch.display().to_string();
        git(&self.folder, &["apply", &patch])?;
        let outcome = self.test(mutant);
        git(&self.folder, &["apply", "--reverse", &patch])?;
        Ok(match outcome? {
            TestOutcome::Failed => Verdict::Killed,
            // A patch that makes the test skip is not found.
            TestOutcome::Passed | TestOutcome::Skipped(_) => Verdict::Survives,
        })
    }

    /// Runs the test of a mutant on the current files.
    fn test(&self, mutant: &Mutant) -> Result<TestOutcome, String> {
        let build = output(self.cargo_test(mutant).arg("--no-run"))?;
        if !build.status.success() {
            let errors = String::from_utf8_lossy(&build.stderr).into_owned();
            return Err(format!("the test does not compile:\n{errors}"));
        }
        let mut command = self.cargo_test(mutant);
        let run = output(command.args(["--", "--exact", &mutant.test]))?;
        let stdout = String::from_utf8_lossy(&run.stdout);
        Ok(TestOutcome::parse(
            &mutant.test,
            run.status.success(),
            &stdout,
        ))
    }

    /// The cargo command for the binary with the test of a mutant.
    fn cargo_test(&self, mutant: &Mutant) -> Command {
        let mut command = Command::new("cargo");
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target);
        command.args(["test", "--locked", "--package", &mutant.package]);
        match mutant.binary.as_str() {
            "lib" => command.arg("--lib"),
            binary => command.args(["--test", binary]),
        };
        command
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

#[cfg(test)]
mod tests {
    use super::TestOutcome;

    #[test]
    fn test_output_is_parsed() {
        let parse = |has_succeeded, output| TestOutcome::parse("a::b", has_succeeded, output);
        assert_eq!(parse(true, "test a::b ... ok\n"), TestOutcome::Passed);
        assert_eq!(parse(false, "test a::b ... FAILED\n"), TestOutcome::Failed);
        // libtest succeeds without a test if none has this name.
        assert_eq!(parse(true, "running 0 tests\n"), TestOutcome::Failed);
        let skipped = "test a::b ... \nskipped: no strace\nok\n";
        let reason = TestOutcome::Skipped("no strace".to_owned());
        assert_eq!(parse(true, skipped), reason);
        assert_eq!(parse(false, skipped), TestOutcome::Failed);
    }
}
