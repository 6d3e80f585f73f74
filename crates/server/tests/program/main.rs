//! The program at its command line: output, errors, shutdown and files.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

mod bus;
mod cli;
mod club;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod control;
mod deals;
mod disk;
mod disk_failures;
mod durability;
mod engine_copy;
mod example_bot;
mod passwords;
mod player;
mod postgres;
mod postgres_commands;
mod process;
mod proxy;
mod records;
mod rooms;
mod secrets;
mod startup;
mod verify;
