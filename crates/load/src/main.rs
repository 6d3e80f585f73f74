//! `load`: measures a server, and kills it.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sticheln_load::{Failure, Program, answers, drill, hostile, play};
use tokio::runtime;

/// Load generator and crash drill for a server of tables.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measures how long it takes to be told of a table, and that there is none.
    Answers {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: answers::Settings,
    },
    /// Kills the server again and again while tables are played, and looks whether every promise
    /// is kept.
    Drill {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: drill::Settings,
    },
    /// Lets people play while all kinds of attackers are at work, and measures what they feel.
    Hostile {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: hostile::Settings,
    },
    /// Measures how long moves take, how much memory connections need, and how long messages are.
    Play {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: play::Settings,
    },
}

fn main() -> ExitCode {
    match run(Options::parse().command) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<String, Failure> {
    // One thread plays thousands of clients, so that the server has the other core for itself.
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let failed = |error| Failure::Trouble(format!("Nothing can be started: {error}."));
    runtime.map_err(failed)?.block_on(async {
        match command {
            Command::Answers { program, settings } => {
                let report = answers::of_program(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Drill { program, settings } => {
                let summary = drill::of_program(&program, &settings).await?;
                Ok(summary.to_string())
            }
            Command::Hostile { program, settings } => {
                let report = hostile::of_program(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Play { program, settings } => {
                let report = play::of_program(&program, &settings).await?;
                Ok(report.to_string())
            }
        }
    })
}
