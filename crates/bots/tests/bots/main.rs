//! All tests of the bots, at their public boundary.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod arena;
mod engine;
#[path = "../../../rules/tests/rules/env_number.rs"]
mod env_number;
mod heuristics;
mod legality;
mod nyet;
mod search;
mod strength;
mod support;
