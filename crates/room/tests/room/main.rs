//! Rooms on a virtual clock, with pretended clients.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod absence;
mod admission;
mod bot_delays;
mod bounds;
mod clients;
mod commands;
mod deals;
mod entropy;
mod handovers;
mod hands;
mod logs;
mod names;
mod never_frozen;
mod outgoing;
mod play;
mod random_rooms;
mod regressions;
mod round_deadline;
mod search;
mod secrecy;
mod sent;
mod snapshots;
mod summaries;
mod talk;
mod write_budget;
