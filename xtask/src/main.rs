//! `cargo xtask`: every check of the project behind one command, and the tools of its developers.

mod checks;
mod container;
mod fingerprint;
mod install;
mod junit;
mod mutants;
mod process;
mod report;
mod runner;
mod soak;
mod wire;

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::checks::{BUILD, Check};
use crate::container::Extent;
use crate::install::Installation;
use crate::report::Report;
use crate::runner::{Folders, LongerRun, Run};

/// The checks of the project, and the tools of its developers.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Installs what the tests need, and runs every check.
    Test(Selection),
    /// Runs the quick checks that have not passed on the present files: for use before each commit.
    Check,
    /// Runs the test command again and again, and appends each result to a file.
    Soak(soak::Options),
    /// Applies each patch in mutants/ to a copy of the project, and expects the named test to fail.
    Mutants(mutants::Options),
    /// Builds the image as docker/Dockerfile says, runs it and plays against it. Needs Debian and root.
    Container {
        /// Takes the program that the checks have built, and skips where containers cannot run.
        #[arg(long)]
        quick: bool,
    },
    /// Writes the files that are made from the types of the wire.
    Wire {
        /// Only checks that they are current.
        #[arg(long)]
        check: bool,
    },
    /// Installs one part of what the tests need.
    #[command(hide = true)]
    Install { part: Installation },
}

/// Which checks are run, and for how long.
#[derive(Args, Debug, Default)]
struct Selection {
    /// Only this check, with what it needs; can be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    only: Vec<String>,
    /// This check and those that follow it in the list, but for those of `cargo xtask check` alone.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Lists the checks and their commands, and runs none.
    #[arg(long)]
    list: bool,
    /// Random games in each test of the crates that plays them.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Random cases in each test of the crates that draws them.
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Seconds of fuzzing.
    #[arg(long, value_name = "N")]
    fuzz_seconds: Option<u64>,
    /// How often the crash drill kills the server.
    #[arg(long, value_name = "N")]
    kills: Option<u64>,
}

impl Selection {
    /// The selected checks, with all that they need.
    ///
    /// # Errors
    /// A sentence if a name is unknown, or no selected check reads one of the numbers.
    fn select(&self, all: &[Check]) -> Result<Vec<Check>, String> {
        let full = checks::full(all);
        let selected = match (&self.from, self.only.as_slice()) {
            (Some(from), _) => {
                let named = full.iter().position(|check| check.name == *from);
                let start =
                    named.ok_or_else(|| format!("`cargo xtask test` runs no check `{from}`."))?;
                with_needs(&full, full[start..].iter().map(|check| check.name.as_str()))
            }
            (None, []) => full,
            (None, only) => {
                let is_unknown = |name: &&String| !all.iter().any(|check| check.name == **name);
                if let Some(name) = only.iter().find(is_unknown) {
                    return Err(format!(
                        "There is no check `{name}`; `cargo xtask test --list` lists them."
                    ));
                }
                with_needs(all, only.iter().map(String::as_str))
            }
        };
        let is_read = |name: &str| {
            let mut read = selected.iter().flat_map(|check| check.longer_variables);
            read.any(|read| *read == name)
        };
        match self.longer_run().iter().find(|(name, _)| !is_read(name)) {
            Some((name, _)) => Err(format!("No selected check reads the number {name}.")),
            None => Ok(selected),
        }
    }

    /// The environment variables from which the tests read these numbers.
    fn longer_run(&self) -> LongerRun {
        let variables = [
            (checks::GAMES, self.games),
            (checks::SEEDS, self.seeds),
            (checks::PROPTEST_CASES, self.seeds),
            (checks::FUZZ_SECONDS, self.fuzz_seconds),
            (checks::KILLS, self.kills),
        ];
        let set = variables.into_iter();
        set.filter_map(|(name, number)| Some((name, number?.to_string())))
            .collect()
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let folders = folders();
    let outcome = match cli.command {
        Command::Test(selection) => test(&folders, &selection),
        Command::Check => check(&folders),
        Command::Soak(options) => soak::run(&folders, &options),
        Command::Mutants(options) => mutants::run(&folders, &options),
        Command::Container { quick } => {
            let extent = if quick { Extent::Quick } else { Extent::Whole };
            container::check(&folders.root, &folders.target, extent)
        }
        Command::Wire { check } => wire::run(&folders.root, check),
        Command::Install { part } => part.install(&folders.root, &folders.target),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            if !why.is_empty() {
                eprintln!("{why}");
            }
            ExitCode::FAILURE
        }
    }
}

fn folders() -> Folders {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = xtask.parent().expect("xtask is a folder of the workspace");
    let target = env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from);
    Folders {
        root: root.to_owned(),
        notes: target.join("xtask"),
        target,
    }
}

/// Runs every check, or those that are selected.
fn test(folders: &Folders, selection: &Selection) -> Result<(), String> {
    let all = checks::all(&folders.root)?;
    if selection.list {
        for check in &all {
            println!("{:<24} {}", check.name, check.command);
        }
        return Ok(());
    }
    let mut selected = selection.select(&all)?;
    // A change of the page alone needs no build: the tests read the page from its folder.
    let is_optional =
        !selection.only.is_empty() && !selection.only.iter().any(|name| name == BUILD);
    if is_optional && build_is_current(folders, &selected) {
        selected.retain(|check| check.name != BUILD);
    }
    run(folders, selected, &selection.longer_run(), false)
}

/// The checks of these names and all that they need, in the order of the list.
fn with_needs<'a>(all: &[Check], names: impl Iterator<Item = &'a str>) -> Vec<Check> {
    let mut wanted: Vec<&str> = names.collect();
    let mut at = 0;
    while let Some(name) = wanted.get(at).copied() {
        let needs = all.iter().filter(|check| check.name == name);
        for need in needs.flat_map(|check| check.needs) {
            if !wanted.contains(need) {
                wanted.push(need);
            }
        }
        at += 1;
    }
    let selected = all.iter();
    let selected = selected.filter(|check| wanted.contains(&check.name.as_str()));
    selected.cloned().collect()
}

/// Whether no source of the programs has changed since they were built.
fn build_is_current(folders: &Folders, selected: &[Check]) -> bool {
    let build = selected.iter().find(|check| check.name == BUILD);
    let fingerprint =
        build.and_then(|build| fingerprint::Fingerprint::of(&folders.root, build.inputs));
    fingerprint.is_some_and(|fingerprint| fingerprint.is_kept(&folders.notes, BUILD))
}

/// Runs the quick checks whose inputs have changed.
fn check(folders: &Folders) -> Result<(), String> {
    let all = checks::all(&folders.root)?;
    let quick = checks::quick(&all);
    run(folders, quick, &LongerRun::new(), true)
}

fn run(
    folders: &Folders,
    checks: Vec<Check>,
    longer: &LongerRun,
    skips_unchanged: bool,
) -> Result<(), String> {
    if checks.is_empty() {
        return Err("No check is selected.".to_owned());
    }
    let mut report = Report::new(folders.notes.clone(), checks.len());
    let done = Run::new(folders, longer, skips_unchanged).run(checks, &mut report);
    let counts = report.summarize(&mut io::stdout());
    let counts = done.and(counts);
    let counts = counts.map_err(|error| format!("The checks cannot be run: {error}."))?;
    match counts.failed {
        0 => Ok(()),
        // The last line was the counts.
        _ => Err(String::new()),
    }
}

#[cfg(test)]
mod tests;
