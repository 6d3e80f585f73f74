//! The rooms of the server: the registry, tasks, outboxes, damaged rooms, and retention.

pub mod close_reason;
mod connections;
mod damaged_rooms;
pub mod game_list;
mod gateways;
pub mod imported_room;
pub(crate) mod mailbox;
pub mod mailbox_sender;
pub mod outbox;
pub mod read_back;
pub mod registry;
pub mod replays;
mod retention;
pub mod room_handle;
pub mod room_unavailable;
pub mod services;
pub mod sweep;
pub mod task;
