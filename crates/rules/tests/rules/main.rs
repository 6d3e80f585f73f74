//! The tests of the rules.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod conformance;
mod decisions;
mod early_end;
mod env_number;
mod fuzz;
mod playout;
mod progress;
mod properties;
mod revealed_cards;
mod secrecy;
mod secret;
mod shuffle;
mod transcripts;
mod vectors;
