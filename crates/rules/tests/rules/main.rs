//! All tests of the rules, at their public boundary.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod conformance;
mod decisions;
mod fuzz;
mod playout;
mod properties;
mod secrecy;
mod transcripts;
mod vectors;
