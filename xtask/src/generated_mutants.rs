//! `cargo xtask generated-mutants`: mutation tests with faults that the program cargo-mutants generates.
//!
//! `.cargo/mutants.toml` has the files in which it makes faults, and the profile `mutants` of `.config/nextest.toml` the tests that
//! it runs. It works on a copy of the sources, so the working tree stays as it is.

use std::path::Path;
use std::process::Command;

use clap::Args;

use crate::error::Error;
use crate::install::install_cargo_mutants;
use crate::runner::Folders;

/// The time limit for the tests of a mutant, in seconds.
const TEST_TIMEOUT: &str = "240";

/// The packages whose mutants are tried together, and the test targets that are built for them.
struct MutantRun {
    /// Also the name of the folder of the results.
    name: &'static str,
    packages: &'static [&'static str],
    /// Arguments of cargo; none for all targets.
    targets: &'static [&'static str],
}

/// The mutants of a package are tried with the tests of that package. The server has test programs that find no faults in its
/// examined files, and take long to build.
const RUNS: [MutantRun; 2] = [
    MutantRun {
        name: "rules-and-room",
        packages: &["sticheln-rules", "sticheln-room"],
        targets: &[],
    },
    MutantRun {
        name: "server",
        packages: &["sticheln-server"],
        targets: &["--lib", "--test=server", "--test=program"],
    },
];

/// The selection of mutants, and the kind of the trial.
#[derive(Args, Debug)]
pub struct Options {
    /// Tries only this part of the mutants, such as `0/20` for the first of 20 parts.
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// Lists the mutants, and tries none.
    #[arg(long)]
    list: bool,
}

/// Tries the selected mutants one after another. The folders `rules-and-room` and `server` in `target/generated-mutants` have the
/// results.
///
/// # Errors
/// If a mutant survives, or a test hangs.
pub fn try_mutants(folders: &Folders, options: &Options) -> Result<(), Error> {
    let program = install_cargo_mutants(&folders.root, &folders.target.join("tools"))?;
    let mut failures = Vec::new();
    for run in &RUNS {
        let mut command = command(&program, &folders.root, options, run);
        if !options.list {
            // The tests pass without mutants: `cargo xtask test` shows that.
            command
                .args(["--baseline", "skip", "--timeout", TEST_TIMEOUT])
                .arg("--output")
                .arg(folders.target.join("generated-mutants").join(run.name));
        }
        let failed = |error| Error::io("cargo-mutants cannot be started", error);
        let status = command.status().map_err(failed)?;
        if !status.success() {
            failures.push(format!("{}: {status}", run.name));
        }
    }
    match failures.as_slice() {
        [] => Ok(()),
        failures => Err(Error::Problem(format!(
            "cargo-mutants ended with {}.",
            failures.join(", ")
        ))),
    }
}

/// The command for these options, without the folder of the results.
fn command(program: &Path, root: &Path, options: &Options, run: &MutantRun) -> Command {
    let mut command = Command::new(program);
    command.arg("mutants").current_dir(root);
    for package in run.packages {
        command.args(["--package", package]);
    }
    for target in run.targets {
        command.arg(format!("--cargo-arg={target}"));
    }
    if let Some(shard) = &options.shard {
        // Each part has mutants of all files.
        command.args(["--sharding", "round-robin", "--shard", shard]);
    }
    if options.list {
        command.arg("--list");
    }
    command
}
