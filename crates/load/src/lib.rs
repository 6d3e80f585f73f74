//! Load generator, attackers and crash drill for a running server.
//!
//! This crate is an independent witness: it has message types of its own and uses no code of the server. It knows the
//! public protocol, the flags of the program, `/readyz` and some metrics by name.

pub mod capacity;
pub mod cluster_drill;
pub mod compare;
pub mod crash_drill;
pub mod growth;
pub mod hostile;
pub mod play;
pub mod scaling;
pub mod scaling_model;
pub mod timing;

mod calendar;
mod chart;
mod closed_loop_rooms;
mod connector;
mod disk;
mod driven_room;
mod failure;
mod fixed_rate_rooms;
mod game;
mod http;
mod idle_clients;
mod latencies;
mod move_tracker;
mod number_text;
mod placement;
mod process;
mod progress;
mod rng;
mod server;
mod services;
mod socket;
mod statistics;
mod sync;
mod token;
mod wal;
mod wire;

pub use self::failure::Failure;
pub use self::process::raise_file_limit;
pub use self::server::{KillableServer, Program, Server};
