//! The server over real sockets: its clock is set by hand, and no test sleeps.
#![allow(clippy::unwrap_used)]

mod accepted;
mod again;
mod cancelled_calls;
mod dialogues;
mod figures;
mod frames;
mod gates;
mod handshakes;
mod harness;
mod held_writer;
mod http;
mod pages;
mod passwords;
mod rates;
mod raw;
mod refusals;
mod restarts;
mod secrecy;
mod selfcheck;
mod sleep;
mod slow;
mod store;
mod thinking;
mod windows;
