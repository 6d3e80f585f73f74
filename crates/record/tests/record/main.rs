//! Records of random games: both verifiers accept them, and find each change of them.
#![allow(clippy::unwrap_used)]

#[path = "../../../rules/tests/rules/env_number.rs"]
mod env_number;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../../../server/tests/common/folder.rs"]
mod folder;
mod games;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../../../rules/tests/rules/playout.rs"]
mod playout;
mod python;
mod reading;
mod recorder;
mod tampered;

use sticheln_record::{ReadError, Report, Verifier};
use sticheln_rules::{Nyet, Sticheln};

/// The example of `docs/record.md`: a game that continues another one.
fn example() -> &'static str {
    let page = include_str!("../../../../docs/record.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    example
}

/// The verification of a file by the rules of all games.
fn verify(text: &str) -> Result<Report, ReadError> {
    let games = [Verifier::of::<Sticheln>(), Verifier::of::<Nyet>()];
    sticheln_record::verify(text.as_bytes(), &games)
}
