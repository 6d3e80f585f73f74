//! The crash drill against fake servers, and `load compare` with real ones.
#![allow(clippy::unwrap_used)]

mod compare;
mod crash_drill;
mod fake_server;
