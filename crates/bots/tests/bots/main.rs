//! All tests of the bots, at their public boundary.
#![allow(clippy::unwrap_used)]

mod arena;
mod engine;
mod legality;
mod match_play;
mod nyet;
mod search;
mod sense;
mod strength;
