//! The drill against pretended servers: one that keeps its promises, and some that do not.
#![allow(clippy::unwrap_used)]

mod drill;
mod pretended;
