//! The crash drill against fake servers, and `load compare` and `load growth` with real ones.
#![allow(clippy::unwrap_used)]

mod compare;
mod crash_drill;
mod fake_server;
mod growth;
