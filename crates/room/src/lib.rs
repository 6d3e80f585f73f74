//! A table of people who play: chairs, host, spectators, options, timers, and one game after another.
//!
//! A [`Room`] is a state machine: [`Room::handle`] takes what has come and the time, and gives what
//! is to be saved, sent and closed, in this order; [`Room::deadline`] says when it wants to be
//! called again. It reads no clock, draws no random number, computes no hash of a password, ponders
//! no move and does no input or output. What it wants saved is its truth: [`Room::wake`] reads the
//! same room back from it.

mod chair;
mod entry;
mod id;
mod name;
mod outgoing;
mod password;
mod refusal;
mod room;
mod shuffle;
mod state;
mod summary;

pub use crate::entry::{Change, Entry, Settings};
pub use crate::id::{ConnId, Owner};
pub use crate::name::{Label, Name, Title};
pub use crate::outgoing::{Eviction, Outgoing, OutgoingGame, OutgoingRoom};
pub use crate::password::{Password, PasswordHash};
pub use crate::refusal::Refusal;
pub use crate::room::{Entropy, Input, Output, Room, RoomLimits, SearchRequest, Verdict};
pub use crate::shuffle::{Seed, Shuffle, shuffled};
pub use crate::state::CorruptLog;
pub use crate::summary::Summary;
pub use sticheln_protocol::{By, Phase, Timestamp, TurnSeconds};
