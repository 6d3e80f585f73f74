//! Rooms that make moves at fixed times (open loop).

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use crate::crash_drill::KillableServer;
use crate::scripted_room::{Move, ScriptedRoom, fork_rng};
use crate::server::Server;
use crate::socket::ConnectionError;
use crate::{Failure, process};

/// The number of rooms that are opened at the same time.
const CONCURRENT_OPENINGS: usize = 8;

/// Rooms in which a game has begun and nobody moves.
pub(super) struct OpenLoopRooms(Vec<ScriptedRoom>);

/// Rooms in which moves are made at fixed times.
pub(super) struct OpenLoopPlay {
    rooms: JoinSet<Result<(ScriptedRoom, Vec<Move>), ConnectionError>>,
    stop: Arc<AtomicBool>,
}

/// The times at which a measurement began and ended.
pub(super) struct MeasurementInterval {
    pub(super) begin: Instant,
    pub(super) end: Instant,
    /// The CPU time of this program between them.
    pub(super) generator_cpu: Duration,
}

impl OpenLoopRooms {
    /// Opens rooms with this number of seats and starts their games.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a room cannot be opened.
    pub(super) async fn open(
        server: &Server,
        count: u32,
        seats: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let permits = Arc::new(Semaphore::new(CONCURRENT_OPENINGS));
        let (opened, mut openings) = mpsc::channel::<Infallible>(1);
        let (all_opened, is_waiting) = watch::channel(());
        let mut rooms = JoinSet::new();
        for _ in 0..count {
            let (address, rng, permits) = (server.address(), fork_rng(rng), permits.clone());
            let (opened, mut is_waiting) = (opened.clone(), is_waiting.clone());
            rooms.spawn(async move {
                let room = {
                    let _permit = permits.acquire().await;
                    ScriptedRoom::open(address, seats, rng).await
                };
                drop(opened);
                let mut room = room?;
                // The sender is dropped when all rooms are open.
                let all_opened = async { _ = is_waiting.changed().await };
                room.idle_until(all_opened).await?;
                Ok::<_, ConnectionError>(room)
            });
        }
        drop(opened);
        // All senders are dropped when all rooms are open, or could not be opened.
        let _ = openings.recv().await;
        drop(all_opened);
        let mut all = Vec::new();
        while let Some(room) = rooms.join_next().await {
            let room = room.map_err(panicked)?;
            all.push(room.map_err(ConnectionError::failed_room)?);
        }
        Ok(Self(all))
    }

    /// Lets each room make a move in each interval. The moves of all rooms are spread evenly.
    pub(super) fn play(self, interval: Duration) -> OpenLoopPlay {
        let stop = Arc::new(AtomicBool::new(false));
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        let mut rooms = JoinSet::new();
        for (number, mut room) in (0..).zip(self.0) {
            let stop = stop.clone();
            let offset = interval * number / count;
            rooms.spawn(async move {
                let moves = room.play_on(interval, offset, &stop).await?;
                Ok((room, moves))
            });
        }
        OpenLoopPlay { rooms, stop }
    }
}

impl OpenLoopPlay {
    /// Lets each room complete its current move, and waits for that. Returns the rooms, and all moves in no order.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a room has failed.
    pub(super) async fn stop(mut self) -> Result<(OpenLoopRooms, Vec<Move>), Failure> {
        self.stop.store(true, Ordering::Relaxed);
        let (mut rooms, mut moves) = (Vec::new(), Vec::new());
        while let Some(played) = self.rooms.join_next().await {
            let played = played.map_err(panicked)?;
            let (room, mut made) = played.map_err(ConnectionError::failed_room)?;
            rooms.push(room);
            moves.append(&mut made);
        }
        Ok((OpenLoopRooms(rooms), moves))
    }
}

impl MeasurementInterval {
    /// Waits for this time, and measures the CPU time of this program meanwhile.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if the CPU time cannot be read.
    pub(super) async fn watch(time: Duration) -> Result<Self, Failure> {
        let cpu_time = || process::cpu_time(std::process::id());
        let before = cpu_time()?;
        let begin = Instant::now();
        sleep(time).await;
        let end = Instant::now();
        Ok(Self {
            begin,
            end,
            generator_cpu: cpu_time()?.saturating_sub(before),
        })
    }

    /// The length of the interval in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.end.duration_since(self.begin).as_secs_f64()
    }

    /// Whether it contains this time.
    pub(super) fn contains(&self, at: Instant) -> bool {
        self.begin <= at && at < self.end
    }
}

fn panicked(error: JoinError) -> Failure {
    Failure::Aborted(format!("A room panicked: {error}."))
}
