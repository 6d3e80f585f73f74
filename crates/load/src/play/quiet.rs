//! A single table, and nothing else.

use std::time::Duration;

use tokio::time::sleep;

use super::{SEATS, Settings, lost};
use crate::Failure;
use crate::disk::Disk;
use crate::drill::Victim;
use crate::figures::Times;
use crate::process;
use crate::server::Server;
use crate::table::{Table, split};

/// How long the table rests between two moves.
const REST: Duration = Duration::from_millis(15);
/// So many moves come before what is measured; they tell how much the server writes.
const FIRST: u32 = 60;
/// The least that a file system writes, in bytes.
const BLOCK: u64 = 4096;

/// What was measured.
#[derive(Debug)]
pub(super) struct Quiet {
    /// How long it took until all saw a move.
    pub(super) moves: Times,
    /// How many bytes the server writes to disk for a move.
    pub(super) piece: u64,
    /// How long a bare write of that size takes until it is durable.
    pub(super) writes: Times,
    /// The mean length of a `game` message over all seats, and of the one of the seat on turn, in
    /// bytes.
    pub(super) letter: f64,
    pub(super) letter_on_turn: f64,
}

/// The mean of numbers that come one by one.
#[derive(Default)]
struct Mean {
    sum: usize,
    count: usize,
}

impl Mean {
    fn add(&mut self, number: usize) {
        self.sum += number;
        self.count += 1;
    }

    fn value(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }
}

/// Makes moves at one table, and after each a bare write, so that both find the disk alike.
pub(super) async fn measure(server: &Server, settings: &Settings) -> Result<Quiet, Failure> {
    let rng = split(&mut settings.rng());
    let mut table = Table::open(server.address(), SEATS, rng)
        .await
        .map_err(lost)?;
    let pid = server.pid()?;
    let before = process::written(pid)?;
    for _ in 0..FIRST {
        sleep(REST).await;
        table.make_a_move().await.map_err(lost)?;
    }
    let written = process::written(pid)?.saturating_sub(before);
    let piece = (written / u64::from(FIRST)).max(1).next_multiple_of(BLOCK);

    let failed = |error| Failure::Trouble(format!("A bare write failed: {error}."));
    let size = usize::try_from(piece).unwrap_or(usize::MAX);
    let mut disk = Disk::new(&server.data(), size).map_err(failed)?;
    let (mut moves, mut writes) = (Times::default(), Times::default());
    let (mut letter, mut letter_on_turn) = (Mean::default(), Mean::default());
    for _ in 0..settings.moves {
        sleep(REST).await;
        let done = table.make_a_move().await.map_err(lost)?;
        moves.push(done.took);
        for (bytes, is_on_turn) in done.letters {
            letter.add(bytes);
            if is_on_turn {
                letter_on_turn.add(bytes);
            }
        }
        sleep(REST).await;
        writes.push(disk.write().map_err(failed)?);
    }
    Ok(Quiet {
        moves,
        piece,
        writes,
        letter: letter.value(),
        letter_on_turn: letter_on_turn.value(),
    })
}
