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
    /// Installs one part of what the tests need.
    #[command(hide = true)]
    Install { part: Installation },
}

/// Which checks are run, and for how long.
#[derive(Args, Debug)]
struct Selection {
    /// Only this check, with what it needs; can be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "from")]
    only: Vec<String>,
    /// This check and those that follow it in the list.
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Lists the checks and their commands, and runs none.
    #[arg(long)]
    list: bool,
    /// Random games in each test that plays them.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Random cases in each property test.
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
    /// The environment variables from which the tests read these numbers.
    fn longer_run(&self) -> LongerRun {
        let variables = [
            ("GAMES", self.games),
            ("SEEDS", self.seeds),
            ("PROPTEST_CASES", self.seeds),
            (checks::FUZZ_SECONDS, self.fuzz_seconds),
            ("KILLS", self.kills),
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
    let names = selection.only.iter().chain(&selection.from);
    for name in names {
        if !all.iter().any(|check| check.name == *name) {
            return Err(format!(
                "There is no check `{name}`; `cargo xtask test --list` lists them."
            ));
        }
    }
    let selected = match (&selection.from, selection.only.as_slice()) {
        (Some(from), _) => {
            let full = checks::full(&all);
            let rest = full.iter().skip_while(|check| check.name != *from);
            with_needs(&full, rest.map(|check| check.name.as_str()))
        }
        (None, []) => checks::full(&all),
        (None, only) => {
            let mut selected = with_needs(&all, only.iter().map(String::as_str));
            // A change of the page alone needs no build: the tests read the page from its folder.
            if build_is_current(folders, &selected) {
                selected.retain(|check| check.name != BUILD);
            }
            selected
        }
    };
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
