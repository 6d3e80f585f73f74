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

/// Tries the selected mutants one after another. The folder `mutants.out` in `target/generated-mutants` has the results.
///
/// # Errors
/// If a mutant survives, a test hangs, or the tests fail without a mutant.
pub fn try_mutants(folders: &Folders, options: &Options) -> Result<(), Error> {
    let program = install_cargo_mutants(&folders.root, &folders.target.join("tools"))?;
    let mut command = command(&program, &folders.root, options);
    if !options.list {
        // The tests pass without mutants: `cargo xtask test` shows that.
        command
            .args(["--baseline", "skip", "--timeout", TEST_TIMEOUT])
            .arg("--output")
            .arg(folders.target.join("generated-mutants"));
    }
    let failed = |error| Error::io("cargo-mutants cannot be started", error);
    let status = command.status().map_err(failed)?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::Problem(format!(
            "cargo-mutants ended with {status}."
        ))),
    }
}

/// The command for these options, without the folder of the results.
fn command(program: &Path, root: &Path, options: &Options) -> Command {
    let mut command = Command::new(program);
    command.args(["mutants", "--workspace"]).current_dir(root);
    if let Some(shard) = &options.shard {
        command.args(["--shard", shard]);
    }
    if options.list {
        command.arg("--list");
    }
    command
}
