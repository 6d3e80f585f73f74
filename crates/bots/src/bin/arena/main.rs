//! Plays matches between bots and prints their results.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin arena -- match --seats 4 --deals 1000 expert normal normal normal
//! ```
//!
//! A match has duplicate deals: each deal is played once for each rotation of the players, so every
//! player gets every hand. The same arguments give the same games, unless a player has a time
//! limit.

mod deals;
mod error;
mod games;
mod player;
mod program;
mod tally;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use self::games::ArenaGame;
use self::player::PlayerKind;

/// Plays matches between bots.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays rounds of one game, each deal once with every player in every seat.
    Match(Match),
}

/// The settings of a match.
#[derive(Clone, Debug, Args)]
struct Match {
    /// Id of the game.
    #[arg(long, default_value_t, value_parser = ArenaGame::find)]
    game: ArenaGame,
    /// Number of seats.
    #[arg(long, default_value_t = 4)]
    seats: usize,
    /// Number of deals.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..))]
    deals: u64,
    /// Options of the game as JSON, as in the wire protocol, without `end`: each game has one
    /// round.
    #[arg(long, default_value = "{}")]
    options: String,
    /// Seed of the random numbers for the deals.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads, each of which plays a part of the deals.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
    /// Players in the order of their seats. If there are fewer players than seats, the last player
    /// takes all remaining seats.
    ///
    /// - `random`, `heuristic`, `beginner` and `normal` do not search.
    /// - `expert` has 10 ms for a decision.
    /// - `expert:3ms` and `expert:500us` have that time for a decision.
    /// - `expert:2000` has that number of playouts for a decision.
    /// - `run:COMMAND` is a program that reads and writes JSON lines (docs/bots.md).
    #[arg(required = true, verbatim_doc_comment)]
    players: Vec<PlayerKind>,
}

fn main() -> ExitCode {
    let Command::Match(settings) = Cli::parse().command;
    match (settings.game.play)(&settings) {
        Ok(tally) => {
            print!("{tally}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
