//! The server: connections, rooms, storage, and the page. It is the only crate of the program that does I/O.
//!
//! [`http::routes::router`] is the whole service for a given store, clock and source of entropy.
//! [`http::listener::serve`] accepts connections for it. The program log never contains secrets,
//! texts of clients or hidden cards; it contains ids, codes and numbers.
//!
//! # Folders and files
//!
//! They have no circular dependencies with each other; a test checks this. Each uses only those below it:
//!
//! | folder or file | content |
//! | --- | --- |
//! | `main.rs`, [`program`] | the command line |
//! | [`check_config`], [`room_commands`], [`backup_commands`], [`copy_command`], [`control_commands`], [`record_commands`] | the check of the settings; the commands that list, show and remove rooms; backup and restore; the copy to PostgreSQL; the commands to a running server, those about records apart |
//! | [`run`], [`settings`] | the start and the end of a server; its settings |
//! | [`control`] | the control socket, and its client |
//! | [`games`] | the list of games, from `crates/bots/src/games.rs` |
//! | [`http`] | accept loop, shutdown, routes and WebSocket upgrade, page and files, origin and proxies, admin listener |
//! | [`socket`] | the task of one socket, its frames, flow control, throttled reading |
//! | [`cluster`] | several servers as one: the bus, leases, links to the rooms of other servers |
//! | [`rooms`] | the registry of rooms, the task of a room, the outbox of a connection, the timer of the sweep |
//! | [`limits`] | token buckets and permits by address, the cost of requests, the attempts with passwords |
//! | [`storage`] | the database in SQLite or PostgreSQL: its only writer, readers, backup and restore (`docs/storage.md`) |
//! | [`workers`] | threads for password hashes and for the searches of bots |
//! | [`ops`] | metrics, planned restarts, the panic hook, the command `sticheln health` |
//! | [`room_code`], [`clock`], [`connection_security`] | the code of a room; the clocks of timers and of retention; TLS and passwords of connections to other programs |

/// The name of the program, and the prefix of its metrics and of the names of its crates.
pub const PROGRAM: &str = "sticheln";

pub mod backup_commands;
pub mod check_config;
pub mod clock;
pub mod cluster;
pub mod connection_security;
pub mod control;
pub mod control_commands;
pub mod copy_command;
pub mod games;
pub mod http;
pub mod limits;
pub mod ops;
pub mod program;
mod progress;
pub mod record_commands;
pub mod room_code;
pub mod room_commands;
pub mod rooms;
pub mod run;
pub mod settings;
pub mod socket;
pub mod storage;
pub mod verify_command;
pub mod workers;
