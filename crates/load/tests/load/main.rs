//! The crash drill against fake servers, and other commands with real ones.
#![allow(clippy::unwrap_used)]

mod capacity;
mod compare;
mod crash_drill;
mod fake_server;
mod growth;
mod progress;
