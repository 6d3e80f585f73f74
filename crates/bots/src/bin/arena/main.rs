//! Lets bots play against each other and tells how well each did.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin arena -- match --seats 4 --deals 1000 expert normal normal normal
//! ```
//!
//! Every deal is played as many times as there are seats, so that each player has each hand once
//! and luck with cards counts for nobody. The same words give the same games, as long as nobody's
//! time to think is measured by the clock.

mod deals;
mod games;
mod player;
mod program;
mod tally;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use self::games::ArenaGame;
use self::player::PlayerKind;

/// Lets bots play against each other.
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

/// What is played by whom.
#[derive(Clone, Debug, Args)]
struct Match {
    /// The id of the game.
    #[arg(long, default_value_t = games::ALL[0].clone(), value_parser = ArenaGame::find)]
    game: ArenaGame,
    /// How many seats there are.
    #[arg(long, default_value_t = 4)]
    seats: usize,
    /// How many deals are played.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(2..))]
    deals: u64,
    /// Options of the game as JSON, as in the wire protocol.
    #[arg(long, default_value = "{}")]
    options: String,
    /// What the deals are shuffled by.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many deals are played at the same time.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
    /// Who plays: `random`, `heuristic`, `beginner`, `normal`, `expert` with 10 ms for a decision,
    /// `expert:3ms` or `expert:500us` with so much time, `expert:2000` with so many playouts, or
    /// `run:COMMAND` for a program that speaks the line protocol. Of fewer players than seats the
    /// last one takes all that are left.
    #[arg(required = true)]
    players: Vec<PlayerKind>,
}

fn main() -> ExitCode {
    let Command::Match(terms) = Cli::parse().command;
    match (terms.game.play)(&terms) {
        Ok(tally) => {
            print!("{tally}");
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            eprintln!("{trouble}");
            ExitCode::FAILURE
        }
    }
}
