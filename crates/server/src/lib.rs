//! Hosts tables: sockets, storage, and the page. The only crate that waits for anything.
//!
//! [`app::app`] is the whole service for a given log, clock and chance; [`serve::serve`] accepts
//! connections for it. Secrets, texts of clients and hidden cards are never written to the log of
//! the program: it carries ids, kinds and numbers.

pub mod admin;
pub mod api_error;
pub mod app;
pub mod check;
pub mod clock;
pub mod code;
pub mod copy;
pub mod costs;
pub mod door;
pub mod figures;
pub mod files;
mod flow;
pub mod front;
pub mod hashing;
pub mod health;
pub mod house;
mod metered;
pub mod options;
pub mod origin;
pub mod outbox;
pub mod pages;
mod priority;

pub mod room;
pub mod run;
pub mod selfcheck;
pub mod serve;
pub mod socket;
pub mod store;
pub mod thinking;
