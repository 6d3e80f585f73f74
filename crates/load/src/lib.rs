//! Load generator, attackers and crash drill, over the public protocol alone.
//!
//! This crate is an independent witness: it has message types of its own and uses no code of the server.

pub mod crash_drill;
pub mod hostile;
pub mod play;
pub mod timing;

mod disk;
mod failure;
mod format;
mod game;
mod http;
mod latencies;
mod process;
mod route;
mod server;
mod socket;
mod table;
mod token;
mod wire;

pub use self::failure::Failure;
pub use self::server::{Program, Server};
