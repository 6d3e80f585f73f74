//! Rooms that play at the same time, each at a fixed rate.
//!
//! The due times of the moves do not depend on the server. A room has at most one move in flight, so a late move delays the
//! next one. Before the rooms play at their rate, they make different numbers of moves. So they are staggered over a round,
//! and the rounds end at different times.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use tokio::sync::{Barrier, Semaphore};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};

use crate::Failure;
use crate::driven_room::{DrivenRoom, EXPERT, Move};
use crate::latencies::Latencies;
use crate::placement::Placement;
use crate::process::{CpuStopwatch, CpuUsage};
use crate::rng::fork_rng;
use crate::server::Server;
use crate::socket::{ConnectionError, Socket};
use crate::token::Token;

/// The number of rooms that are opened at the same time.
pub(crate) const CONCURRENT_OPENINGS: usize = 8;

/// The number of moves in a round of four seats: each seat picks a card and plays fourteen.
pub(crate) const ROUND_MOVES: u64 = 60;
/// The time limit for the first moves of a room, which it makes while others are opened and do the same.
const FIRST_MOVES_TIMEOUT: Duration = Duration::from_secs(120);

/// The rooms that are opened.
#[derive(Clone, Debug)]
pub(crate) struct RoomSetup {
    pub(crate) rooms: u32,
    /// The number of seats in each room.
    pub(crate) seats: usize,
    /// The number of spectators in each room.
    pub(crate) spectators: u32,
    /// The number of rooms with a bot of level `expert`. The moves in these rooms are not measured.
    pub(crate) experts: u32,
}

/// Rooms in which a game has begun and nobody moves. They are staggered over a round.
pub(crate) struct FixedRateRooms {
    rooms: Vec<FixedRateRoom>,
    /// The number of messages that players and spectators have received.
    messages: Arc<AtomicU64>,
}

/// Rooms in which moves are made at a fixed rate.
pub(crate) struct FixedRatePlay {
    rooms: JoinSet<Result<(FixedRateRoom, Vec<Move>), ConnectionError>>,
    stop: Arc<AtomicBool>,
    messages: Arc<AtomicU64>,
}

/// Rooms that have stopped.
pub(crate) struct Stopped {
    /// The rooms that have not failed.
    pub(crate) rooms: FixedRateRooms,
    /// Their moves, in no order.
    pub(crate) moves: Vec<Move>,
    /// The failures of the other rooms.
    pub(crate) errors: Vec<ConnectionError>,
}

/// The results of a measurement.
#[derive(Debug)]
pub(crate) struct FixedRateMeasurement {
    /// The latencies of the moves that were sent in the measured time, each until all players have received it.
    pub(crate) latencies: Latencies,
    /// The number of messages that players and spectators received.
    pub(crate) messages: u64,
    /// The failures of rooms.
    pub(crate) errors: Vec<ConnectionError>,
    pub(crate) cpu: CpuUsage,
}

impl FixedRateRooms {
    /// Opens all rooms and starts their games. Room `n` then makes `n % ROUND_MOVES` moves as fast as it can. Rooms with an
    /// expert make none. The players in the other rooms answer pings until all rooms have made their moves. `servers` has the
    /// servers of each room.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a room cannot be opened, or its moves take longer than [`FIRST_MOVES_TIMEOUT`].
    pub(crate) async fn open(
        servers: impl Fn(u32) -> Placement,
        settings: &RoomSetup,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let messages = Arc::new(AtomicU64::new(0));
        let permits = Arc::new(Semaphore::new(CONCURRENT_OPENINGS));
        let all_prepared = Arc::new(Barrier::new(settings.rooms as usize));
        let mut openings = JoinSet::new();
        for number in 0..settings.rooms {
            let opening = Opening {
                servers: servers(number),
                settings: settings.clone(),
                has_expert: number < settings.experts,
                rng: fork_rng(&mut rng),
                messages: messages.clone(),
            };
            let (permits, all_prepared) = (permits.clone(), all_prepared.clone());
            openings.spawn(async move {
                let mut opened = {
                    let _permit = permits.acquire().await;
                    opening.open().await?
                };
                opened
                    .make_first_moves(u64::from(number) % ROUND_MOVES)
                    .await?;
                opened.wait(&all_prepared).await?;
                Ok::<_, ConnectionError>(opened)
            });
        }
        let mut rooms = Vec::new();
        // After the failure of a room the others wait without end. They are aborted when the set is dropped.
        while let Some(room) = openings.join_next().await {
            let room = room.map_err(panicked)?;
            rooms.push(room.map_err(ConnectionError::failed_room)?);
        }
        Ok(Self { rooms, messages })
    }

    /// Lets each room make a move in each interval. The moves of all rooms are spread evenly.
    pub(crate) fn play(self, interval: Duration) -> FixedRatePlay {
        let stop = Arc::new(AtomicBool::new(false));
        let count = u32::try_from(self.rooms.len()).unwrap_or(u32::MAX);
        let mut rooms = JoinSet::new();
        for (number, mut room) in (0..).zip(self.rooms) {
            let stop = stop.clone();
            let offset = interval * number / count;
            rooms.spawn(async move {
                let moves = room.play(interval, offset, &stop).await?;
                Ok((room, moves))
            });
        }
        FixedRatePlay {
            rooms,
            stop,
            messages: self.messages,
        }
    }
}

impl FixedRatePlay {
    /// Waits for `warm_up`, measures for `time`, and stops all rooms.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if the CPU time cannot be read.
    pub(crate) async fn measure(
        self,
        server: &Server,
        warm_up: Duration,
        time: Duration,
    ) -> Result<FixedRateMeasurement, Failure> {
        sleep(warm_up).await;
        let stopwatch = CpuStopwatch::start(server.pid()?)?;
        let before = self.messages();
        sleep(time).await;
        let cpu = stopwatch.read()?;
        let after = self.messages();
        let stopped = self.stop().await?;
        let moves = stopped.moves.iter();
        let measured = moves.filter(|one| cpu.contains(one.sent_at));
        Ok(FixedRateMeasurement {
            latencies: measured.map(|one| one.latency).collect(),
            messages: after - before,
            errors: stopped.errors,
            cpu,
        })
    }

    /// The number of messages that players and spectators have received.
    pub(crate) fn messages(&self) -> u64 {
        self.messages.load(Ordering::Relaxed)
    }

    /// Lets each room complete its current move, and waits for that.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a task has panicked.
    pub(crate) async fn stop(mut self) -> Result<Stopped, Failure> {
        self.stop.store(true, Ordering::Relaxed);
        let (mut rooms, mut moves, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(played) = self.rooms.join_next().await {
            match played.map_err(panicked)? {
                Ok((room, mut made)) => {
                    rooms.push(room);
                    moves.append(&mut made);
                }
                Err(error) => errors.push(error),
            }
        }
        let messages = self.messages;
        Ok(Stopped {
            rooms: FixedRateRooms { rooms, messages },
            moves,
            errors,
        })
    }
}

/// Fails if a room has failed.
///
/// # Errors
/// [`Failure::Aborted`] with the first of these errors.
pub(crate) fn check_all_played(errors: Vec<ConnectionError>) -> Result<(), Failure> {
    match errors.into_iter().next() {
        Some(error) => Err(error.failed_room()),
        None => Ok(()),
    }
}

/// The arguments of the task that opens a room.
struct Opening {
    servers: Placement,
    settings: RoomSetup,
    has_expert: bool,
    rng: ChaCha8Rng,
    messages: Arc<AtomicU64>,
}

impl Opening {
    /// Opens the room, starts its game, and admits its spectators.
    async fn open(mut self) -> Result<FixedRateRoom, ConnectionError> {
        let experts = usize::from(self.has_expert);
        let seats = self.settings.seats;
        let rng = fork_rng(&mut self.rng);
        let mut room =
            DrivenRoom::with_bots(self.servers.clone(), seats, experts, EXPERT, rng).await?;
        room.count_messages(&self.messages);
        let mut spectators = JoinSet::new();
        for _ in 0..self.settings.spectators {
            let token = Token::new(&mut self.rng);
            let mut socket =
                Socket::open_with_hello(self.servers.opener, &room.code, &token).await?;
            socket.receive_in_time().await?;
            socket.count_messages(self.messages.clone());
            spectators.spawn(async move {
                loop {
                    if let Err(error) = socket.receive_text().await {
                        return error;
                    }
                }
            });
        }
        Ok(FixedRateRoom {
            room,
            has_expert: self.has_expert,
            spectators,
        })
    }
}

/// A room that is open.
struct FixedRateRoom {
    room: DrivenRoom,
    has_expert: bool,
    /// A task ends when the connection of its spectator is lost.
    spectators: JoinSet<ConnectionError>,
}

impl FixedRateRoom {
    /// Makes this number of moves as fast as possible, or none in a room with an expert, which pauses before it plays.
    async fn make_first_moves(&mut self, moves: u64) -> Result<(), ConnectionError> {
        if self.has_expert {
            return Ok(());
        }
        let made = timeout(FIRST_MOVES_TIMEOUT, self.room.make_moves(moves)).await;
        made.map_err(|_| ConnectionError::Timeout)?
    }

    /// Waits until all rooms are prepared. Players read meanwhile, because the library answers pings only then. In a room
    /// with an expert nobody reads: the expert moves, and all players must be at the same revision when they begin to play.
    async fn wait(&mut self, all_prepared: &Barrier) -> Result<(), ConnectionError> {
        let all_prepared = async {
            all_prepared.wait().await;
        };
        match self.has_expert {
            false => self.room.idle_until(all_prepared).await,
            true => {
                all_prepared.await;
                Ok(())
            }
        }
    }

    /// Plays until `stop` is set. Returns all moves, or none from a room with an expert.
    async fn play(
        &mut self,
        interval: Duration,
        offset: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<Move>, ConnectionError> {
        let moves = match self.has_expert {
            false => self.room.play_at_rate(interval, offset, stop).await?,
            true => {
                play_with_expert(&mut self.room, interval, offset, stop).await?;
                Vec::new()
            }
        };
        match self.spectators.try_join_next() {
            None => Ok(moves),
            Some(Ok(error)) => Err(error),
            Some(Err(error)) => Err(ConnectionError::Lost(format!(
                "a spectator panicked: {error}"
            ))),
        }
    }
}

/// Makes moves in a room with an expert, which pauses before it plays. Nothing is measured.
async fn play_with_expert(
    room: &mut DrivenRoom,
    interval: Duration,
    offset: Duration,
    stop: &AtomicBool,
) -> Result<(), ConnectionError> {
    sleep(offset).await;
    while !stop.load(Ordering::Relaxed) {
        sleep(interval).await;
        room.make_move_among_bots().await?;
    }
    Ok(())
}

fn panicked(error: JoinError) -> Failure {
    Failure::Aborted(format!("A room panicked: {error}."))
}

#[cfg(test)]
mod tests;
