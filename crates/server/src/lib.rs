//! The server: connections, rooms, storage, and the page. It is the only crate of the program that does I/O.
//!
//! [`http::routes::router`] is the whole service for a given store, clock and source of entropy.
//! [`http::listener::serve`] accepts connections for it. The program log never contains secrets,
//! texts of clients or hidden cards; it contains ids, codes and numbers.
//!
//! The parts have no circular dependencies. From the top: `check_config`, `room_commands`, `run`, `settings`, `http`, `socket`, `rooms`, then
//! `storage`, `limits` and `workers`, then `ops`. The lowest ones are `games`, `clock` and `room_code`; `ARCHITECTURE.md` describes
//! all of them.

/// The name of the program, and the prefix of its metrics and of the names of its crates.
pub const PROGRAM: &str = "sticheln";

pub mod check_config;
pub mod clock;
pub mod games;
pub mod http;
pub mod limits;
pub mod ops;
pub mod room_code;
pub mod room_commands;
pub mod rooms;
pub mod run;
pub mod settings;
pub mod socket;
pub mod storage;
pub mod workers;
