//! The control socket: a Unix socket for commands to a running server, and its client.

pub mod client;
pub mod listener;
pub mod messages;
mod records;
