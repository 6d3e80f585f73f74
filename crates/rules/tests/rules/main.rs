//! The tests of the rules.
#![allow(clippy::unwrap_used)]

mod conformance;
mod decisions;
mod fuzz;
mod playout;
mod properties;
mod secrecy;
mod transcripts;
mod vectors;
