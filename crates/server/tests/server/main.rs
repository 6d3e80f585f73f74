//! The server over real sockets: its clock is set by hand, and no test sleeps.
#![allow(clippy::unwrap_used)]

mod again;
mod dialogues;
mod frames;
mod gates;
mod handshakes;
mod harness;
mod http;
mod pages;
mod passwords;
mod raw;
mod refusals;
mod restarts;
mod secrecy;
mod slow;
mod selfcheck;
mod store;
mod thinking;
mod windows;
