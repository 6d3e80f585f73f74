//! The rooms that are awake: the registry of all, the task of each, and what each sends.

pub mod close_reason;
mod connections;
pub mod game_list;
pub mod mailbox;
pub mod outbox;
mod panics;
pub mod registry;
mod retention;
pub mod room_handle;
pub mod services;
pub mod sweep;
pub mod task;
