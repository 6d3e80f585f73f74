//! The server without its room log, for `load compare`: what a move costs without storage.
//!
//! It is the same program with the same settings, but it answers that entries are saved without saving them. It only serves,
//! and has no other commands. Rooms are opened in the database; everything after that is lost when they fall asleep.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use sticheln_server::games;
use sticheln_server::run::run_with_store;
use sticheln_server::settings::ServerSettings;
use sticheln_server::storage::Store;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Serves without saving moves. Only for measurements.
#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: ServerSettings,
}

#[tokio::main]
async fn main() -> ExitCode {
    eprintln!("Only for measurements: moves are not saved.");
    let settings = Cli::parse().settings;
    match run_with_store(settings, games::all(), Store::without_entries).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}
