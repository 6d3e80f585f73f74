//! `cargo xtask`: all checks of the project behind one command, and tools for its developers.

mod check;
mod checks;
mod container;
mod error;
mod fingerprint;
mod generated_mutants;
mod install;
mod junit;
mod lock;
mod mutants;
mod process;
mod report;
mod runner;
mod soak;
mod variables;
mod wire;

use std::env;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::check::{Check, Kind, Suite};
use crate::checks::BUILD;
use crate::container::Extent;
use crate::error::Error;
use crate::fingerprint::{Fingerprint, Toolchain};
use crate::install::Installation;
use crate::report::Report;
use crate::runner::{Folders, Overrides, Run};

/// The programs that checks start from `target/debug`.
const PROGRAMS: [&str; 2] = ["sticheln", "load"];

/// The checks of the project, and tools for its developers.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Installs the missing programs and packages for the tests, and runs all checks.
    Test(Selection),
    /// Runs the quick checks whose inputs have changed since they last passed. For use before each commit.
    Check,
    /// Runs all checks repeatedly, to find tests that fail by chance. Appends each result to `target/soak.jsonl`.
    Soak(soak::Options),
    /// Applies each patch in `mutants` to a copy of the last commit, and checks that the test it names fails.
    Mutants(mutants::Options),
    /// Tries faults that cargo-mutants generates, and lists those that no test finds.
    GeneratedMutants(generated_mutants::Options),
    /// Builds the container image, runs it and plays against it. Needs Debian and root.
    Container {
        /// Builds only the last stage of the Dockerfile, with the program that the checks have built. On machines
        /// that cannot run containers the test is skipped, and the command succeeds.
        #[arg(long)]
        last_stage: bool,
        /// Writes the results of single tests to this JUnit file, unless the test is skipped.
        #[arg(long, value_name = "FILE")]
        results: Option<PathBuf>,
    },
    /// Generates the JSON schema, documents and TypeScript types of the messages from their Rust types.
    Wire {
        /// Only checks that the generated files are current.
        #[arg(long)]
        check: bool,
    },
    /// Installs one part of the programs and packages for the tests.
    #[command(hide = true)]
    Install { part: Installation },
}

/// The selected checks, and their numbers.
#[derive(Args, Debug, Default)]
struct Selection {
    /// Runs only this check and its dependencies. Can be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    only: Vec<String>,
    /// Runs this check and those after it in the list of `cargo xtask test`.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Lists all checks and preparations, and runs none. For each of them, the list has the commands that include it
    /// (`test` or `check`), its purpose, and the command that it runs.
    #[arg(long)]
    list: bool,
    /// The number of games in each test that plays random games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// The number of cases in each randomised test.
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The duration of the check `fuzzing` in seconds.
    #[arg(long, value_name = "N")]
    fuzz_seconds: Option<u64>,
    /// The number of times that the server is killed in the check `crash-recovery`.
    #[arg(long, value_name = "N")]
    kills: Option<u64>,
}

impl Selection {
    /// The selected checks with all their dependencies.
    ///
    /// # Errors
    /// If a name is unknown, or if no selected check uses one of the options with a number.
    fn select(&self, all: &[Check]) -> Result<Vec<Check>, Error> {
        let unknown = |name: &str| {
            Error::Problem(format!(
                "There is no check `{name}`; `cargo xtask test --list` lists them."
            ))
        };
        let selected = match (&self.from, self.only.as_slice()) {
            (Some(from), _) => {
                let start = all.iter().position(|check| check.name == *from);
                let start = start.ok_or_else(|| unknown(from))?;
                let is_wanted = |check: &&Check| check.name == *from || check.suite != Suite::Quick;
                let names = all[start..].iter().filter(is_wanted);
                with_dependencies(all, names.map(|check| check.name.as_str()))
            }
            (None, []) => checks::full(all),
            (None, only) => {
                let is_unknown = |name: &&String| !all.iter().any(|check| check.name == **name);
                if let Some(name) = only.iter().find(is_unknown) {
                    return Err(unknown(name));
                }
                with_dependencies(all, only.iter().map(String::as_str))
            }
        };
        let is_read = |name: &str| {
            let mut read = selected
                .iter()
                .flat_map(|check| check.overridable_variables);
            read.any(|read| *read == name)
        };
        let overrides = self.overrides();
        let is_set = |variable: &str| overrides.iter().any(|(name, _)| *name == variable);
        let mut options = variables::OPTIONS.iter();
        match options.find(|(_, variable)| is_set(variable) && !is_read(variable)) {
            Some((option, _)) => Err(Error::Problem(format!(
                "No selected check uses `{option}`."
            ))),
            None => Ok(selected),
        }
    }

    /// The environment variables with these numbers.
    fn overrides(&self) -> Overrides {
        let variables = [
            (variables::GAMES, self.games),
            (variables::SEEDS, self.seeds),
            (variables::PROPTEST_CASES, self.seeds),
            (variables::FUZZ_SECONDS, self.fuzz_seconds),
            (variables::KILLS, self.kills),
        ];
        let set = variables.into_iter();
        set.filter_map(|(name, number)| Some((name, number?.to_string())))
            .collect()
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let folders = folders();
    if let Err(error) = process::end_descendants_on_signal() {
        eprintln!(
            "Cannot handle signals, so Ctrl-C will not stop the programs of the checks: {error}."
        );
    }
    if let Err(error) = discard_copied_build(&folders) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    let outcome = match cli.command {
        Command::Test(selection) => run_or_list_checks(&folders, &selection),
        Command::Check => run_quick_checks(&folders),
        Command::Soak(options) => soak::run_tests_repeatedly(&folders, &options),
        Command::Mutants(options) => mutants::try_mutants(&folders, &options),
        Command::GeneratedMutants(options) => generated_mutants::try_mutants(&folders, &options),
        Command::Container {
            last_stage,
            results,
        } => {
            let extent = match last_stage {
                true => Extent::LastStage,
                false => Extent::AllStages,
            };
            container::build_and_test(&folders.root, &folders.target, extent, results.as_deref())
        }
        Command::Wire { check } => wire::generate_or_check(&folders.root, check),
        Command::Install { part } => part.install(&folders.root, &folders.target),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::AlreadyReported) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The environment variable that tells this program that it is a check of a run.
pub const STARTED_BY_RUN: &str = "XTASK_STARTED_BY_RUN";
/// The folder of this package when it was compiled.
const COMPILED_IN: &str = env!("CARGO_MANIFEST_DIR");

/// The folders of this workspace. `CARGO_TARGET_DIR` can name another target directory.
fn folders() -> Folders {
    // `cargo run` sets it.
    let xtask = env::var_os("CARGO_MANIFEST_DIR");
    let xtask = xtask.map_or_else(|| PathBuf::from(COMPILED_IN), PathBuf::from);
    let root = xtask.parent().expect("xtask is a folder of the workspace");
    let target = env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from);
    Folders {
        root: root.to_owned(),
        state_folder: target.join("xtask"),
        target,
    }
}

/// Deletes the programs and tests of this project in cargo's target directory if they were compiled in another folder,
/// from which the directory was copied. Cargo takes them for current, and their tests would read the files of that
/// folder.
fn discard_copied_build(folders: &Folders) -> Result<(), Error> {
    let compiled_in = fs::canonicalize(COMPILED_IN).ok();
    let is_here = compiled_in == fs::canonicalize(folders.root.join("xtask")).ok();
    // A run that was started by another one has no build to itself.
    if is_here || env::var_os(STARTED_BY_RUN).is_some() {
        return Ok(());
    }
    println!("The build in target is that of {COMPILED_IN}. It is deleted.");
    let mut clean = std::process::Command::new("cargo");
    clean.args(["clean", "--quiet", "--workspace"]);
    clean.current_dir(&folders.root);
    clean.env("CARGO_TARGET_DIR", &folders.target);
    match clean.status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(Error::Problem(
            "The build cannot be deleted: please delete the folder target.".to_owned(),
        )),
    }
}

/// Runs all checks or the selected ones, or lists all checks.
fn run_or_list_checks(folders: &Folders, selection: &Selection) -> Result<(), Error> {
    let all = checks::all(&folders.root)?;
    if selection.list {
        return write_list(&all, &mut io::stdout().lock());
    }
    let mut selected = selection.select(&all)?;
    // The tests read the page from its folder, so a change of the page alone needs no build.
    let may_skip_build =
        !selection.only.is_empty() && !selection.only.iter().any(|name| name == BUILD);
    if may_skip_build && build_is_current(folders, &selected) {
        selected.retain(|check| check.name != BUILD);
    }
    run_checks(folders, selected, &selection.overrides(), false)
}

/// Writes the list of checks. It ends without an error if the reader closes the pipe, as `head` does.
///
/// # Errors
/// If the list cannot be written.
fn write_list(checks: &[Check], out: &mut impl Write) -> Result<(), Error> {
    let mut lines = checks.iter().flat_map(|check| {
        let (name, suite) = (&check.name, suite_column(check));
        [
            format!("{name:<24} {suite:<12} {}", check.description),
            format!("{:<24} {:<12} {}", "", "", check.command),
        ]
    });
    match lines.try_for_each(|line| writeln!(out, "{line}")) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Error::io("The list cannot be written", error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The column of the list that tells preparations from checks.
fn suite_column(check: &Check) -> &'static str {
    match (check.kind, check.suite) {
        (Kind::Installation | Kind::Build, _) => "preparation",
        (Kind::Check, Suite::Full) => "test",
        (Kind::Check, Suite::Quick) => "check",
        (Kind::Check, Suite::Both) => "test, check",
    }
}

/// The checks with these names and all their dependencies, in the order of the list.
fn with_dependencies<'a>(all: &[Check], names: impl Iterator<Item = &'a str>) -> Vec<Check> {
    let mut wanted: Vec<&str> = names.collect();
    let mut at = 0;
    while let Some(name) = wanted.get(at).copied() {
        let named = all.iter().filter(|check| check.name == name);
        for dependency in named.flat_map(|check| check.depends_on) {
            if !wanted.contains(dependency) {
                wanted.push(dependency);
            }
        }
        at += 1;
    }
    let selected = all.iter();
    let selected = selected.filter(|check| wanted.contains(&check.name.as_str()));
    selected.cloned().collect()
}

/// Whether the programs exist, and their sources are unchanged since the last build.
fn build_is_current(folders: &Folders, selected: &[Check]) -> bool {
    let debug = folders.target.join("debug");
    if !PROGRAMS.iter().all(|name| debug.join(name).is_file()) {
        return false;
    }
    let build = selected.iter().find(|check| check.name == BUILD);
    let toolchain = Toolchain::installed();
    let fingerprint = build.and_then(|build| Fingerprint::of(&folders.root, build, &toolchain));
    fingerprint.is_some_and(|fingerprint| fingerprint.has_passed(&folders.state_folder, BUILD))
}

/// Runs the quick checks whose inputs have changed.
fn run_quick_checks(folders: &Folders) -> Result<(), Error> {
    let all = checks::all(&folders.root)?;
    let quick = checks::quick(&all);
    run_checks(folders, quick, &Overrides::new(), true)
}

/// Runs checks and prints the summary, after an earlier run in the same folder has ended. `skips_unchanged` skips the
/// checks that have passed with the same inputs.
///
/// # Errors
/// If the checks cannot be run, and [`Error::AlreadyReported`] if a check failed: the summary names it.
fn run_checks(
    folders: &Folders,
    checks: Vec<Check>,
    overrides: &Overrides,
    skips_unchanged: bool,
) -> Result<(), Error> {
    if checks.is_empty() {
        return Err(Error::Problem("No check is selected.".to_owned()));
    }
    let _lock = lock::exclusive(&folders.state_folder)?;
    empty(&runner::temporary_folder(&folders.state_folder))?;
    let mut report = Report::new(folders.state_folder.clone(), checks.len(), overrides);
    let done = Run::new(folders, overrides, skips_unchanged).run(checks, &mut report);
    // All checks have ended.
    process::reap_orphans();
    let counts = report.summarize(process::children_cpu_time(), &mut io::stdout());
    let counts = done.and(counts);
    let counts = counts.map_err(|error| Error::io("The checks cannot be run", error))?;
    match counts.failed {
        0 => Ok(()),
        _ => Err(Error::AlreadyReported),
    }
}

/// Removes what an earlier run has left in this folder, or creates it.
fn empty(folder: &Path) -> Result<(), Error> {
    let failed = |error| Error::io(format!("{} cannot be emptied", folder.display()), error);
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

#[cfg(test)]
mod tests;
