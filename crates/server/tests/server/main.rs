//! The server over real sockets, with a manual clock. No test sleeps.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

#[macro_use]
mod limit;

mod api_errors;
mod backpressure;
mod bus;
mod cancelled_requests;
mod client;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod connection_check;
mod control;
mod damaged_rooms;
mod dialogues;
#[path = "../../../rules/tests/rules/env_number.rs"]
mod env_number;
mod failover;
mod frames;
mod handshakes;
mod harness;
mod held_writer;
mod http;
mod idempotency;
mod imports;
mod limits;
mod metrics;
mod missed_events;
mod multiple_connections;
mod nodes;
mod open_password;
mod outbox;
mod pages;
mod panics;
mod passwords;
mod rates;
mod raw;
mod refusals;
mod replays;
mod restarts;
mod round_logs;
mod search_pool;
mod secrecy;
#[path = "../../../rules/tests/rules/secret.rs"]
mod secret;
mod sleep;
mod sleeping_games;
mod socket_options;
mod store;
mod written_bytes;
