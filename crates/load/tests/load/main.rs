//! The crash drill against fake servers.
#![allow(clippy::unwrap_used)]

mod crash_drill;
mod fake_server;
