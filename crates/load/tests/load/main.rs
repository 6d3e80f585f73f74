//! The crash drill against fake servers, and other commands with real ones.
#![allow(clippy::unwrap_used)]

mod capacity;
mod cluster_drill;
mod compare;
mod crash_drill;
mod fake_server;
mod growth;
mod progress;
mod scaling;
