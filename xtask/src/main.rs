//! `cargo xtask test`: every check of the project behind one command.

mod container;
mod family;
mod install;
mod steps;

use std::env;
use std::process::ExitCode;

use crate::container::Extent;
use crate::steps::{Longer, root, run, target};

const USAGE: &str = "Usage: cargo xtask test [--games N] [--seeds N] [--fuzz-seconds N] [--kills N]
       cargo xtask container [--quick]";

/// Each option with the variables that the tests read it from.
const OPTIONS: [(&str, &[&str]); 4] = [
    ("--games", &["GAMES"]),
    ("--seeds", &["SEEDS", "PROPTEST_CASES"]),
    ("--fuzz-seconds", &["FUZZ_SECONDS"]),
    ("--kills", &["KILLS"]),
];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--help" | "-h" | "help"] => {
            println!("{}", help());
            ExitCode::SUCCESS
        }
        ["test", options @ ..] if options.iter().any(|word| ["--help", "-h"].contains(word)) => {
            println!("{}", help());
            ExitCode::SUCCESS
        }
        ["test", options @ ..] => test(options),
        ["container"] => tell(container::check(root(), &target(), Extent::Whole)),
        ["container", "--quick"] => tell(container::check(root(), &target(), Extent::Quick)),
        _ => refuse("The commands are `test` and `container`."),
    }
}

fn test(options: &[&str]) -> ExitCode {
    let longer = match longer(options) {
        Ok(longer) => longer,
        Err(why) => return refuse(&why),
    };
    let outcome = run(&longer);
    if outcome.is_ok() {
        println!("\nEvery check passed.");
    }
    tell(outcome)
}

/// Says what failed.
fn tell(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("\n{why}");
            ExitCode::FAILURE
        }
    }
}

/// Reads options with their numbers.
fn longer(options: &[&str]) -> Result<Longer, String> {
    let mut longer = Longer::new();
    for pair in options.chunks(2) {
        let (_, variables) = OPTIONS
            .iter()
            .find(|(option, _)| *option == pair[0])
            .ok_or_else(|| format!("There is no option `{}`.", pair[0]))?;
        let number: u64 = pair
            .get(1)
            .and_then(|number| number.parse().ok())
            .filter(|number| *number > 0)
            .ok_or_else(|| format!("`{}` needs a whole number above 0.", pair[0]))?;
        longer.extend(variables.iter().map(|name| (*name, number.to_string())));
    }
    Ok(longer)
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("{why}\n{USAGE}\n`cargo xtask test --help` tells more.");
    ExitCode::FAILURE
}

fn help() -> String {
    let mut help = format!(
        "{USAGE}

Runs every check of the project and stops at the first that fails; beside the browser tests, which take
longest, the others are run.
A check that takes longer than its time budget is ended and fails.

Longer runs are the same tests with larger numbers; they have no time budgets:
  --games N         random games in each test that plays them
  --seeds N         random cases in each property test
  --fuzz-seconds N  seconds of fuzzing
  --kills N         times that the server is killed in the crash drill

`container` builds the image as docker/Dockerfile says, runs it and plays against it; with --quick it
takes the program that the checks have built. Both need Debian, and to be run as root.

The checks:
"
    );
    for step in steps::all() {
        help += &format!(
            "  {:<24} {:>2} min  {}\n",
            step.name, step.minutes, step.command
        );
    }
    help.trim_end().to_owned()
}
