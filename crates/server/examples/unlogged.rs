//! The server with a store that discards entries, for `load compare`, to measure the cost of a move without storage.
//!
//! It is the same program with the same settings, but it answers that entries are saved without saving them. It only serves,
//! and has no other commands. Rooms are opened in the database; everything after that is lost when they fall asleep.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use sticheln_server::games;
use sticheln_server::run::run_with;
use sticheln_server::settings::ServerSettings;
use sticheln_server::storage::Store;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Serves without saving entries. Only for measurements.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: ServerSettings,
}

#[tokio::main]
async fn main() -> ExitCode {
    eprintln!("Only for measurements: entries are not saved.");
    let settings = Cli::parse().settings;
    match run_with(settings, games::all(), Store::discarding_entries).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
