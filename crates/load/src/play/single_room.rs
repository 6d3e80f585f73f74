//! A single room without other load.

use std::time::Duration;

use tokio::time::sleep;

use super::{PlaySettings, SEATS};
use crate::Failure;
use crate::disk::SyncedFile;
use crate::driven_room::DrivenRoom;
use crate::latencies::Latencies;
use crate::process;
use crate::rng::fork_rng;
use crate::server::Server;
use crate::socket::ConnectionError;

/// The pause between two moves.
const PAUSE: Duration = Duration::from_millis(15);
/// The moves before the measurement. They show how much the server writes.
const WARMUP_MOVES: u32 = 60;
/// The smallest write of a file system, in bytes.
const BLOCK_BYTES: u64 = 4096;

/// The results.
#[derive(Debug)]
pub(super) struct SingleRoom {
    /// The time of a move until all have received it.
    pub(super) moves: Latencies,
    /// The bytes that the server writes to disk for a move.
    pub(super) write_bytes: u64,
    /// The time of a durable write of that size without a server.
    pub(super) writes: Latencies,
    /// The mean length of a `game` message over all seats, in bytes.
    pub(super) message_bytes: f64,
    /// The mean length of the `game` message for the seat on turn, in bytes.
    pub(super) message_bytes_on_turn: f64,
}

/// A running mean.
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

/// Alternates between a move and a durable write, so that both meet the disk in the same state.
pub(super) async fn measure(
    server: &Server,
    settings: &PlaySettings,
) -> Result<SingleRoom, Failure> {
    let rng = fork_rng(&mut settings.rng());
    let mut room = DrivenRoom::open(server.address(), SEATS, rng)
        .await
        .map_err(ConnectionError::failed_room)?;
    let pid = server.pid()?;
    let before = process::disk_bytes(pid)?;
    for _ in 0..WARMUP_MOVES {
        sleep(PAUSE).await;
        room.make_move()
            .await
            .map_err(ConnectionError::failed_room)?;
    }
    let written = process::disk_bytes(pid)?.saturating_sub(before);
    let write_bytes = (written / u64::from(WARMUP_MOVES))
        .max(1)
        .next_multiple_of(BLOCK_BYTES);

    let failed = |error| Failure::Aborted(format!("A durable write failed: {error}."));
    let block_bytes = usize::try_from(write_bytes).unwrap_or(usize::MAX);
    let mut file = SyncedFile::new(&server.data_folder(), block_bytes).map_err(failed)?;
    let (mut moves, mut writes) = (Latencies::default(), Latencies::default());
    let (mut message_bytes, mut message_bytes_on_turn) = (Mean::default(), Mean::default());
    for _ in 0..settings.moves {
        sleep(PAUSE).await;
        let one_move = room
            .make_move()
            .await
            .map_err(ConnectionError::failed_room)?;
        moves.push(one_move.latency);
        for (bytes, is_on_turn) in one_move.messages {
            message_bytes.add(bytes);
            if is_on_turn {
                message_bytes_on_turn.add(bytes);
            }
        }
        sleep(PAUSE).await;
        writes.push(file.write().map_err(failed)?);
    }
    Ok(SingleRoom {
        moves,
        write_bytes,
        writes,
        message_bytes: message_bytes.value(),
        message_bytes_on_turn: message_bytes_on_turn.value(),
    })
}
