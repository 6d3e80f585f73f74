//! The crash drill against fake servers.
#![allow(clippy::unwrap_used)]

mod drill;
mod fake_server;
