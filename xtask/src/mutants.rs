//! `cargo xtask mutants`: mutation tests with known faults, each with the test that finds it.
//!
//! A file `mutants/NAME.patch` has the line `Fault: DESCRIPTION`, the line `Killed by: PACKAGE BINARY TEST`, and the
//! patch. A mutant is killed if that test passes without the patch and fails with it. It is skipped if that test cannot
//! run on this machine.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use crate::checks;
use crate::error::Error;
use crate::lock;
use crate::runner::{Folders, skip_reason};

/// The prefix of the line that describes the fault.
const FAULT: &str = "Fault: ";
/// The prefix of the line with the test that kills a mutant.
const KILLED_BY: &str = "Killed by: ";
/// The time limit for building a test, and for running it, in seconds.
const TIME_LIMIT: &str = "1800";
/// The binary with the unit tests of a package.
const LIB: &str = "lib";

/// The selection of mutants, and the kind of the trial.
#[derive(Args, Debug)]
pub struct Options {
    /// Tries only these mutants. A name is that of a patch in `mutants`, without `.patch`.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Only checks that each patch applies to the working tree, and that the test it names exists there.
    #[arg(long)]
    apply_only: bool,
}

/// A patch that breaks a promise, and the test that finds it.
#[derive(Debug)]
struct Mutant {
    name: String,
    patch: PathBuf,
    killed_by: TestId,
}

/// A test of the workspace.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct TestId {
    package: String,
    /// The name of the test binary, or [`LIB`].
    binary: String,
    /// The path of the test in the binary.
    test: String,
}

impl fmt::Display for TestId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.package, self.binary, self.test)
    }
}

/// The result of a mutant.
#[derive(Debug)]
enum MutantResult {
    /// The test fails with the patch and passes without it.
    Killed,
    /// The test does not fail with the patch.
    Survives,
    /// The test fails without the patch, so the result is unknown.
    FailsWithout,
    /// The test cannot run on this machine, for this reason.
    Skipped(String),
    /// It cannot be tried, because of this error.
    Broken(Error),
}

impl fmt::Display for MutantResult {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Killed => write!(out, "killed"),
            Self::Survives => write!(out, "SURVIVES: the test does not fail with the patch"),
            Self::FailsWithout => write!(out, "UNKNOWN: the test fails without the patch"),
            Self::Skipped(reason) => write!(out, "skipped: {reason}"),
            Self::Broken(error) => write!(out, "BROKEN: {error}"),
        }
    }
}

/// The outcome of a test.
#[derive(Debug, Eq, PartialEq)]
enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// No test has this name.
    NotRun,
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
            None if has_succeeded => Self::NotRun,
            Some(_) | None => Self::Failed,
        }
    }
}

/// Tries each mutant in a worktree of the last commit, which is kept for the next run.
///
/// # Errors
/// The mutants that do not apply or are not killed.
pub fn try_mutants(folders: &Folders, options: &Options) -> Result<(), Error> {
    let mutants = read_mutants(&folders.root)?;
    let unknown = |name: &&String| !mutants.iter().any(|mutant| mutant.name == **name);
    if let Some(name) = options.names.iter().find(unknown) {
        return Err(Error::Problem(format!("There is no mutants/{name}.patch.")));
    }
    let is_wanted =
        |mutant: &&Mutant| options.names.is_empty() || options.names.contains(&mutant.name);
    let mutants: Vec<&Mutant> = mutants.iter().filter(is_wanted).collect();
    if options.apply_only {
        check_apply(&mutants, &folders.root)?;
        return check_tests_exist(&mutants, &existing_tests(folders)?);
    }
    let _lock = lock::exclusive(&folders.target.join("mutants"))?;
    let tree = MutantTree::check_out(folders)?;
    check_apply(&mutants, &tree.folder)?;
    let (mut killed, mut skipped) = (0, 0);
    let mut not_killed: Vec<String> = Vec::new();
    for (number, mutant) in (1..).zip(&mutants) {
        let start = Instant::now();
        let verdict = tree.try_mutant(mutant).unwrap_or_else(MutantResult::Broken);
        println!(
            "{number}/{} {:<32} {:>6.1} s  {verdict} (`{}`)",
            mutants.len(),
            mutant.name,
            start.elapsed().as_secs_f64(),
            mutant.killed_by.test
        );
        let name = &mutant.name;
        match verdict {
            MutantResult::Killed => killed += 1,
            MutantResult::Skipped(_) => skipped += 1,
            MutantResult::Broken(_) => not_killed.push(format!("{name} (cannot be tried)")),
            MutantResult::Survives => not_killed.push(format!("{name} (survives)")),
            MutantResult::FailsWithout => {
                not_killed.push(format!("{name} (its test fails without the patch)"));
            }
        }
    }
    println!(
        "{killed} killed, {} not killed, {skipped} skipped",
        not_killed.len()
    );
    match not_killed.is_empty() {
        true => Ok(()),
        false => Err(Error::Problem(format!(
            "Not killed: {}.",
            not_killed.join(", ")
        ))),
    }
}

/// Checks that each patch applies to the files in this folder.
fn check_apply(mutants: &[&Mutant], folder: &Path) -> Result<(), Error> {
    let mut errors = Vec::new();
    for mutant in mutants {
        let patch = mutant.patch.display().to_string();
        if let Err(error) = git(folder, &["apply", "--check", &patch]) {
            let folder = folder.display();
            errors.push(format!(
                "{} does not apply in {folder}: {error}",
                mutant.name
            ));
        }
    }
    match errors.is_empty() {
        true => {
            println!("{} mutants apply.", mutants.len());
            Ok(())
        }
        false => Err(Error::Problem(errors.join("\n"))),
    }
}

/// Checks that each mutant names a test that exists.
fn check_tests_exist(mutants: &[&Mutant], tests: &BTreeSet<TestId>) -> Result<(), Error> {
    let stale = mutants
        .iter()
        .filter(|mutant| !tests.contains(&mutant.killed_by));
    let stale: Vec<String> = stale
        .map(|mutant| {
            let Mutant {
                name, killed_by, ..
            } = mutant;
            format!("mutants/{name}.patch names a test that does not exist: {killed_by}")
        })
        .collect();
    match stale.is_empty() {
        true => {
            println!("The tests of {} mutants exist.", mutants.len());
            Ok(())
        }
        false => Err(Error::Problem(stale.join("\n"))),
    }
}

/// All tests in the libraries and test binaries of the workspace, which are built if necessary.
fn existing_tests(folders: &Folders) -> Result<BTreeSet<TestId>, Error> {
    let mut args = checks::BUILD_COMMAND.split(' ');
    let mut build = Command::new(args.next().expect("a command has a first word"));
    build
        .args(args)
        .arg("--message-format=json-render-diagnostics");
    build.current_dir(&folders.root);
    build.env("CARGO_TARGET_DIR", &folders.target);
    let build = run_to_end(&mut build)?;
    if !build.status.success() {
        let errors = String::from_utf8_lossy(&build.stderr);
        return Err(Error::Problem(format!(
            "The tests do not compile:\n{errors}"
        )));
    }
    let mut tests = BTreeSet::new();
    for line in String::from_utf8_lossy(&build.stdout).lines() {
        let Some(binary) = TestBinary::parse(line) else {
            continue;
        };
        let mut command = Command::new(&binary.executable);
        command.args(["--list", "--format", "terse"]);
        let list = run_to_end(command.current_dir(&folders.root))?;
        let list = String::from_utf8_lossy(&list.stdout);
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        tests.extend(names.map(|test| TestId {
            package: binary.package.clone(),
            binary: binary.name.clone(),
            test: test.to_owned(),
        }));
    }
    Ok(tests)
}

/// A program with tests.
#[derive(Debug, Eq, PartialEq)]
struct TestBinary {
    package: String,
    name: String,
    executable: PathBuf,
}

impl TestBinary {
    /// Parses a JSON message of cargo. `None` if it is about something else.
    fn parse(message: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(message).ok()?;
        let executable = message["executable"].as_str()?;
        if !message["profile"]["test"].as_bool()? {
            return None;
        }
        let target = &message["target"];
        let name = match target["kind"][0].as_str()? {
            "lib" => LIB,
            "test" => target["name"].as_str()?,
            _ => return None,
        };
        // `path+file:///folder#name@version`, or without the name if the folder has the same one.
        let (folder, package) = message["package_id"].as_str()?.rsplit_once('#')?;
        let package = match package.split_once('@') {
            Some((package, _)) => package,
            None => folder.rsplit_once('/')?.1,
        };
        Some(Self {
            package: package.to_owned(),
            name: name.to_owned(),
            executable: executable.into(),
        })
    }
}

/// All mutants of the folder `mutants`, in the order of their names.
fn read_mutants(root: &Path) -> Result<Vec<Mutant>, Error> {
    let folder = root.join("mutants");
    let unreadable = |error| Error::io(format!("{} cannot be read", folder.display()), error);
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let patch = entry.map_err(unreadable)?.path();
        let name = patch.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(".patch")) else {
            continue;
        };
        let text = fs::read_to_string(&patch).map_err(unreadable)?;
        if !text.starts_with(FAULT) {
            return Err(Error::Problem(format!(
                "mutants/{name}.patch does not begin with `{FAULT}`."
            )));
        }
        let line = text.lines().find_map(|line| line.strip_prefix(KILLED_BY));
        let fields: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
        let [package, binary, test] = fields[..] else {
            return Err(Error::Problem(format!(
                "mutants/{name}.patch has no line `{KILLED_BY}PACKAGE BINARY TEST`."
            )));
        };
        found.push(Mutant {
            name: name.to_owned(),
            patch,
            killed_by: TestId {
                package: package.to_owned(),
                binary: binary.to_owned(),
                test: test.to_owned(),
            },
        });
    }
    if found.is_empty() {
        return Err(Error::Problem("There is no patch in mutants/.".to_owned()));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// A worktree of the project for the mutants, apart from the working tree.
struct MutantTree {
    folder: PathBuf,
    /// Cargo's target directory for the worktree.
    target: PathBuf,
}

impl MutantTree {
    /// The worktree at the last commit, which is created if it does not exist.
    fn check_out(folders: &Folders) -> Result<Self, Error> {
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
    fn try_mutant(&self, mutant: &Mutant) -> Result<MutantResult, Error> {
        match self.run_test_of(mutant)? {
            TestOutcome::Passed => {}
            TestOutcome::Failed | TestOutcome::NotRun => return Ok(MutantResult::FailsWithout),
            TestOutcome::Skipped(reason) => return Ok(MutantResult::Skipped(reason)),
        }
        let patch = mutant.patch.display().to_string();
        git(&self.folder, &["apply", &patch])?;
        let outcome = self.run_test_of(mutant);
        git(&self.folder, &["apply", "--reverse", &patch])?;
        Ok(match outcome? {
            TestOutcome::Failed => MutantResult::Killed,
            // If the patch makes the test skip, the test did not detect it.
            TestOutcome::Passed | TestOutcome::NotRun | TestOutcome::Skipped(_) => {
                MutantResult::Survives
            }
        })
    }

    /// Runs the test of a mutant on the current files.
    fn run_test_of(&self, mutant: &Mutant) -> Result<TestOutcome, Error> {
        let build = run_to_end(self.cargo_test(mutant).arg("--no-run"))?;
        if !build.status.success() {
            let errors = String::from_utf8_lossy(&build.stderr).into_owned();
            return Err(Error::Problem(format!(
                "the test does not compile:\n{errors}"
            )));
        }
        let mut command = self.cargo_test(mutant);
        let tested = run_to_end(command.args(["--", "--exact", &mutant.killed_by.test]))?;
        let stdout = String::from_utf8_lossy(&tested.stdout);
        Ok(TestOutcome::parse(
            &mutant.killed_by.test,
            tested.status.success(),
            &stdout,
        ))
    }

    /// The cargo command for the binary with the test of a mutant. A test that hangs fails.
    fn cargo_test(&self, mutant: &Mutant) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--kill-after=10", TIME_LIMIT, "cargo"]);
        command
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", &self.target);
        command.args(["test", "--locked", "--package", &mutant.killed_by.package]);
        match mutant.killed_by.binary.as_str() {
            LIB => command.arg("--lib"),
            binary => command.args(["--test", binary]),
        };
        command
    }
}

/// Runs git in a folder, and returns its output.
///
/// # Errors
/// If git cannot be started, and the errors that it prints.
fn git(folder: &Path, args: &[&str]) -> Result<String, Error> {
    let output = run_to_end(Command::new("git").current_dir(folder).args(args))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error::Problem(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ))
    }
}

/// Runs a command until it ends, and returns its output and status.
///
/// # Errors
/// If it cannot be started.
fn run_to_end(command: &mut Command) -> Result<Output, Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .output()
        .map_err(|source| Error::Start { program, source })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::{LIB, Mutant, TestBinary, TestId, TestOutcome, check_tests_exist};

    fn test(package: &str, binary: &str, test: &str) -> TestId {
        TestId {
            package: package.to_owned(),
            binary: binary.to_owned(),
            test: test.to_owned(),
        }
    }

    #[test]
    fn a_mutant_that_names_a_missing_test_is_reported() {
        let mutant = |name: &str, killed_by| Mutant {
            name: name.to_owned(),
            patch: PathBuf::new(),
            killed_by,
        };
        let tests = BTreeSet::from([test("p", LIB, "a::b"), test("p", "b", "c")]);
        let right = mutant("right", test("p", "b", "c"));
        assert!(check_tests_exist(&[&right], &tests).is_ok());
        for (package, binary, name) in [("p", LIB, "c"), ("p", "b", "a::b"), ("q", "b", "c")] {
            let stale = mutant("stale", test(package, binary, name));
            let error = check_tests_exist(&[&right, &stale], &tests).expect_err("it is stale");
            let error = error.to_string();
            assert!(error.contains("mutants/stale.patch"), "{error}");
            assert!(!error.contains("mutants/right.patch"), "{error}");
        }
    }

    #[test]
    fn messages_of_cargo_are_parsed() {
        let message = |package: &str, kind: &str, is_test| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{package}",
                "target":{{"kind":["{kind}"],"name":"n"}},
                "profile":{{"test":{is_test}}},"executable":"/deps/n-1"}}"#
            )
        };
        let parse = |package, kind, is_test| {
            let binary = TestBinary::parse(&message(package, kind, is_test));
            binary.map(|binary| (binary.package, binary.name))
        };
        let is = |package: &str, name: &str| Some((package.to_owned(), name.to_owned()));
        let server = "path+file:///crates/server#sticheln-server@0.1.0";
        assert_eq!(parse(server, "lib", true), is("sticheln-server", LIB));
        assert_eq!(parse(server, "test", true), is("sticheln-server", "n"));
        let xtask = "path+file:///xtask#0.1.0";
        assert_eq!(parse(xtask, "test", true), is("xtask", "n"));
        assert_eq!(parse(server, "bin", false), None);
        assert_eq!(TestBinary::parse("not JSON"), None);
    }

    #[test]
    fn test_output_is_parsed() {
        let parse = |has_succeeded, output| TestOutcome::parse("a::b", has_succeeded, output);
        assert_eq!(parse(true, "test a::b ... ok\n"), TestOutcome::Passed);
        assert_eq!(parse(false, "test a::b ... FAILED\n"), TestOutcome::Failed);
        // libtest succeeds without a test if none has this name.
        assert_eq!(parse(true, "running 0 tests\n"), TestOutcome::NotRun);
        let skipped = "test a::b ... \nskipped: no strace\nok\n";
        let reason = TestOutcome::Skipped("no strace".to_owned());
        assert_eq!(parse(true, skipped), reason);
        assert_eq!(parse(false, skipped), TestOutcome::Failed);
    }
}
