//! The server over real sockets: its clock is set by hand, and no test sleeps.
#![allow(clippy::unwrap_used)]

/// A limit, which is never 0.
macro_rules! nonzero {
    ($value:expr) => {
        std::num::NonZero::new($value).unwrap()
    };
}

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
mod pages;
mod passwords;
mod rates;
mod raw;
mod refusals;
mod restarts;
mod search_pool;
mod secrecy;
mod sleep;
mod store;
