//! Learns the weights of Sticheln by self-play and play against heuristics. The method is a policy
//! gradient on the future margin, with a learned critic as baseline.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- --seats 4 --out weights.bin
//! ```
//!
//! With the subcommand `playout` it learns the weights of a playout policy, which approximates the
//! probabilities of the policy.
//!
//! ```text
//! cargo run --release -p sticheln-bots --bin train -- playout --seats 4 --out playout.bin
//! ```
//!
//! With `--against` the policy has opponents of one kind only, which measures the margin that
//! training can reach over them. The same options give the same weights on the same machine.

mod decision;
mod episode;
mod margin;
mod options;
mod players;
mod playout;
mod policy;
mod softmax;

use std::process::ExitCode;
use std::{env, fs};

use self::options::TrainingOptions;

/// The text for wrong arguments.
const USAGE: &str =
    "Usage: train --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X] [--discount X]
             [--against random|beginner|heuristic]
       train playout --out FILE [--seats 3..6] [--rounds N] [--seed N] [--rate X]";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let (is_playout, words) = match words.split_first() {
        Some((first, others)) if first == "playout" => (true, others),
        _ => (false, words.as_slice()),
    };
    let Some(options) = TrainingOptions::read(words, is_playout) else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let bytes = if is_playout {
        playout::learn(&options)
    } else {
        policy::learn(&options)
    };
    match fs::write(&options.out, bytes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", options.out);
            ExitCode::FAILURE
        }
    }
}
