//! A room where people play: chairs, host, spectators, options, timers, and one game after another.
//!
//! A [`Room`] is a state machine. [`Room::handle`] takes an input and the time, and returns [`Outputs`]: entries to
//! save, and effects, such as messages to send. Its task saves the entries first; then it performs the effects. Those
//! for one connection keep their order. [`Room::next_tick_at`] is the time of the next [`Input::Tick`]. The room reads
//! no clock, hashes no password, searches no move and does no I/O. Its random numbers come only from the [`Entropy`] that
//! it is given. [`Room::wake`] makes the same room from the saved names and entries: it replays the entries (event sourcing).
//!
//! # How a command changes a room
//!
//! | step | verb | function |
//! | --- | --- | --- |
//! | 1 | A message is *handled*: it gets one answer with its id. If a client repeats it while the room checks its password, the room sends one answer for both. | `Room::handle_message` |
//! | 2 | A command is *executed*, once for each id. | `Room::execute` |
//! | 3 | The command is *decided*: it gives a [`Change`] or a [`Refusal`]. | `Room::decide`, `room/commands/` |
//! | 4 | The decision is *finished*: a change that the limits allow goes to step 5. Otherwise the answer is kept. | `Room::finish_decision` |
//! | 5 | The change is *added* to the room log: it becomes an [`Entry`], which is applied and given out. | `Room::add_entry` |
//! | 6 | The entry is *applied* to the state. A waking room does only this. | `RoomState::apply` |
//!
//! # Files
//!
//! | file | content |
//! | --- | --- |
//! | `state.rs` | the saved state of a room: the fold of its entries, with the names of people |
//! | `current_game.rs` | the game in a room: the state of the rules, and what the room knows besides |
//! | `snapshot.rs` | snapshots: the state of a room before a deal or in the lobby, as it is saved |
//! | `entry.rs` | entries, changes, settings, and the properties of each change |
//! | `format.rs` | the format of the texts that servers share |
//! | `continuation.rs` | games that are played on from a position of another one |
//! | `imported_game.rs` | games that come from a file |
//! | `game_header.rs` | the header of a game: its replay, its beginning, and the people who have played it |
//! | `game_outline.rs` | the outline of a game: the data of its replay besides the rounds |
//! | `chair.rs` | chairs, and the people and bots on them |
//! | `generations.rs` | the generations of a room log: which entries a failover of the database has lost |
//! | `seat_requests.rs` | the requests of the seats in a game: pauses, more time, later deals, and an early end |
//! | `person.rs` | the ids of people with a chair, by which entries name them |
//! | `hand_seat.rs` | the decision which hand an owner is sent, and who is sent all hands |
//! | `client_request.rs` | the messages of clients, without tokens |
//! | `conn_id.rs` | ids of connections |
//! | `owner.rs` | owners: the hashes of tokens |
//! | `name.rs` | names of people, and titles of rooms |
//! | `password.rs` | passwords and their hashes |
//! | `refusal.rs` | the refusals of messages, with their codes |
//! | `game_record.rs` | the record of a game, a file, from the entries of its rounds |
//! | `replay_id.rs` | the ids of games, by which people read finished rounds |
//! | `outgoing.rs` | messages to clients, and the reasons for which a room closes a connection |
//! | `round_log.rs` | the log of a round for its readers, from entries |
//! | `round_playback.rs` | the entries of a finished round, applied one by one |
//! | `round_replay.rs` | the replay of a finished round, from entries |
//! | `summary.rs` | the summary of a room for people outside of it |
//! | `room.rs` | inputs, outputs, and the handling of an input |
//! | `room/commands.rs`, `room/commands/` | the commands of clients |
//! | `room/hello.rs` | the admission of a connection |
//! | `room/schedule.rs` | the plans of the room, and their execution: deals, moves of bots, ends of pauses and games, a new host |
//! | `room/idle.rs` | idle people, and more time |
//! | `room/stand_in.rs` | bots that stand in for absent or idle people |
//! | `room/deadlines.rs` | the deadlines of turns, pauses and breaks, and of absent or idle hosts |
//! | `room/early_end.rs` | the early end of a game by agreement |
//! | `room/messages.rs` | the messages of a room |
//! | `room/limits.rs` | the limits of a room |
//! | `room/write_budget.rs` | the bytes that may be added to the room log |
//! | `room/presence.rs` | component: connections and absences |
//! | `room/spectators.rs` | part of `presence.rs`: the numbers, names and mutes of spectators |
//! | `room/queue.rs` | part of `spectators.rs`: the queue for the next free seat |
//! | `room/watching.rs` | part of `spectators.rs`: who asks to see the hands of the next round, and who allows it |
//! | `room/activity.rs` | part of `presence.rs`: the activity of seated people, and since when others wait for the host |
//! | `room/admission.rs` | component: admitted people, and messages that wait for work on a password |
//! | `room/admission_order.rs` | part of `presence.rs`: the order in which connections were admitted |
//! | `room/guests.rs` | part of `admission.rs`: the waiting room |
//! | `room/read_requests.rs` | component: the requests for logs of rounds and for the list of games |
//! | `room/rate_limit.rs` | a rate limit in the time of a room |
//! | `room/unlogged_answers.rs` | component: the answers to commands that changed nothing, by their ids |
//! | `room/talk.rs` | component: chat, reactions and nudges |
//! | `room/handovers.rs` | component: codes that move a seat to another device |
//! | `room/claims.rs` | component: claims to the seats of people who have lost their tokens |
//! | `room/broadcast.rs` | component: the updates that have to be sent |
//! | `room/recent_events.rs` | part of `broadcast.rs`: the newest events, for clients that have missed some |
//! | `room/searches.rs` | component: the open searches of bots |
//! | `room/timers.rs` | component: the clock, durations and the next plan |
//!
//! A component has its own invariants and tests. No component uses another one, apart from its parts.

mod chair;
mod client_request;
mod command_id;
mod conn_id;
mod continuation;
mod current_game;
mod entry;
mod format;
mod game_header;
mod game_outline;
mod game_record;
mod generations;
mod hand_seat;
mod host_decisions;
mod imported_game;
mod name;
mod outgoing;
mod owner;
mod password;
mod person;
mod refusal;
mod replay_id;
mod room;
mod round_log;
mod round_playback;
mod round_replay;
mod seat_requests;
mod snapshot;
mod state;
mod summary;

pub use crate::client_request::{ClientRequest, Hello, RequestContent};
pub use crate::conn_id::ConnId;
pub use crate::continuation::{Continuation, RepeatedRound};
pub use crate::entry::{Change, Entry, RoomSettings};
#[cfg(feature = "next-format")]
pub use crate::format::next;
pub use crate::format::{Format, Formats};
pub use crate::game_outline::{GameOutline, Names, SeatPlayer};
pub use crate::game_record::game_record;
pub use crate::generations::FIRST_TIMELINE;
pub use crate::imported_game::ImportedGame;
pub use crate::name::{Label, Name, Title};
pub use crate::outgoing::{Eviction, Outgoing, OutgoingGame, OutgoingRoom};
pub use crate::owner::Owner;
pub use crate::password::{Password, PasswordHash};
pub use crate::person::{PersonChange, PersonId};
pub use crate::refusal::Refusal;
pub use crate::replay_id::{InvalidReplayId, ReplayId};
pub use crate::room::{
    AdmissionRecord, Effect, Entropy, Input, MAX_GAME_BYTES, NotHashed, Notice, Outputs,
    PasswordVerdict, Room, RoomLimits, RunningGame, SearchRequest, Shuffle, UnsavedEntry,
    WriteBudget, WriteCharge,
};
pub use crate::round_log::{RoundLogRequest, round_log};
pub use crate::round_replay::{FinishedRoundReplay, round_replay};
pub use crate::snapshot::Snapshot;
pub use crate::state::{CorruptLog, MAX_IDS_PER_OWNER};
pub use crate::summary::Summary;
pub use sticheln_protocol::{Actor, Phase, ProtocolVersion, Timestamp, TurnSeconds};
