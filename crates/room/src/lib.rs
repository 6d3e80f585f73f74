//! A room where people play: chairs, host, spectators, options, timers, and one game after another.
//!
//! A [`Room`] is a state machine. [`Room::handle`] takes an input and the time, and returns what has to be saved, sent
//! and closed, in this order. [`Room::deadline`] says when it has to be called again. The room reads no clock, draws no
//! random number, hashes no password, searches no move and does no I/O. [`Room::wake`] makes the same room of the
//! entries that were saved.

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
