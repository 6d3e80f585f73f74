//! The memory of a seated idle connection with its part of the room, in bytes that are allocated.
//!
//! The server runs in this process, and its clients are bare TCP streams that keep no memory of their own. The count
//! includes neither SQLite, which has its own allocator and a bounded cache, nor the space that an allocator loses.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod room;

use std::alloc::System;
use std::num::NonZero;
use std::time::{Duration, Instant};

use cap::Cap;
use sticheln_room::Timestamp;
use sticheln_server::limits::operator_limits::Limits;

use crate::common::folder::Folder;
use crate::common::server;
use crate::room::{IdleRoom, SEATS};

/// Counts the bytes that are allocated.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The most bytes for a seated idle connection with its part of a room of four. Besides the read
/// buffer these are the futures of its task, and the parts of the room.
const MAX_BYTES_PER_CONNECTION: usize = 6_730;
/// The read buffer of a socket. Fewer bytes would mean that the server was not counted.
const READ_BUFFER_BYTES: usize = 1024;
/// The number of rooms that are measured.
const ROOMS: usize = 50;
/// The longest wait until the server has freed what it needs only for a moment.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);

#[test]
fn an_idle_connection_takes_little_memory() {
    let folder = Folder::create();
    let address = server::start(folder.path().to_owned(), limits(), Timestamp(0));
    // What the server allocates once is not counted.
    let mut rooms = Vec::with_capacity(1 + ROOMS);
    rooms.push(IdleRoom::open(address));
    let before = ALLOCATOR.allocated();
    for _ in 0..ROOMS {
        rooms.push(IdleRoom::open(address));
    }
    let begin = Instant::now();
    let bytes = loop {
        let added = ALLOCATOR.allocated().saturating_sub(before);
        let bytes = added / (ROOMS * SEATS);
        if bytes <= MAX_BYTES_PER_CONNECTION || begin.elapsed() > SETTLE_TIMEOUT {
            break bytes;
        }
        std::thread::yield_now();
    };
    for room in &mut rooms {
        room.assert_connected();
    }
    assert!(
        (READ_BUFFER_BYTES..=MAX_BYTES_PER_CONNECTION).contains(&bytes),
        "{bytes} bytes"
    );
}

/// The default limits, except those on what comes from one address.
fn limits() -> Limits {
    const MANY: u32 = 1_000_000;
    Limits {
        sockets_per_address: NonZero::new(10_000).unwrap(),
        rooms_per_address: NonZero::new(1_000).unwrap(),
        new_sockets_per_minute: NonZero::new(MANY).unwrap(),
        connections_per_minute: NonZero::new(MANY).unwrap(),
        requests_per_minute: NonZero::new(MANY).unwrap(),
        ..Limits::default()
    }
}
