//! Rooms on a virtual clock, with pretended clients.
#![allow(clippy::unwrap_used)]

mod absence;
mod deals;
mod doors;
mod experts;
mod guests;
mod hands;
mod letters;
mod logs;
mod names;
mod never_frozen;
mod play;
mod random_rooms;
mod regressions;
mod secrecy;
mod summaries;
