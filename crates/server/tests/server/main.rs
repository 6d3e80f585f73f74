//! The server over real sockets: its clock is set by hand, and no test sleeps.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

#[macro_use]
mod nonzero;

mod accepted;
mod backpressure;
mod cancelled_calls;
mod connection_check;
mod dialogues;
mod frames;
mod handshakes;
mod harness;
mod held_writer;
mod http;
mod idempotency;
mod limits;
mod metrics;
mod multiple_connections;
mod outbox;
mod pages;
mod panics;
mod passwords;
mod rates;
mod raw;
mod refusals;
mod restarts;
mod search_pool;
mod secrecy;
mod sleep;
mod store;
