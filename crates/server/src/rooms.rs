//! The rooms that are awake: the registry of all, the task of each, and what each sends.

pub mod close_reason;
mod connections;
mod damaged_rooms;
pub mod game_list;
pub mod mailbox;
pub mod outbox;
pub mod read_back;
pub mod registry;
mod retention;
pub mod room_handle;
pub mod services;
pub mod sweep;
pub mod task;
