//! Hosts tables: connections, storage, and the page. The only crate that waits for anything.
//!
//! [`http::routes::router`] is the whole service for a given log, clock and source of entropy;
//! [`http::listener::serve`] accepts connections for it. Secrets, texts of clients and hidden cards are never written to
//! the log of the program: it carries ids, kinds and numbers.
//!
//! Each folder uses only those below it: `http`, `socket`, `rooms`, then `storage`, `limits` and `workers`, then `ops`.

/// The name of the program, and the prefix of its metrics and of the names of its crates.
pub const PROGRAM: &str = "sticheln";

pub mod check_config;
pub mod clock;
pub mod games;
pub mod http;
pub mod limits;
pub mod ops;
pub mod room_code;
pub mod rooms;
pub mod run;
pub mod settings;
pub mod socket;
pub mod storage;
pub mod workers;
