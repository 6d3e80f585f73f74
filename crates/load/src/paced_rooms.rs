//! Rooms that play at the same time, each at a fixed rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Failure;
use crate::crash_drill::KillableServer;
use crate::latencies::Latencies;
use crate::process::{CpuStopwatch, CpuUsage};
use crate::scripted_room::{Move, ScriptedRoom, fork_rng};
use crate::server::Server;
use crate::socket::{ConnectionError, Socket};
use crate::token::Token;

/// The number of rooms that are opened at the same time.
pub(crate) const CONCURRENT_OPENINGS: usize = 8;

/// The rooms and their load.
#[derive(Clone, Debug)]
pub(crate) struct PacedRoomsSettings {
    pub(crate) rooms: u32,
    /// The number of seats in each room.
    pub(crate) seats: usize,
    /// The number of spectators in each room.
    pub(crate) spectators: u32,
    /// The time between two moves of a room.
    pub(crate) interval: Duration,
    /// In how many of these rooms a bot of level `expert` has a seat. Their moves are not counted.
    pub(crate) experts: u32,
}

/// Rooms that play from the time when all are open until they are measured.
pub(crate) struct PacedRooms {
    rooms: JoinSet<Result<Vec<Move>, ConnectionError>>,
    stop: Arc<AtomicBool>,
    /// The number of texts that players and spectators have received.
    texts: Arc<AtomicU64>,
}

/// What happened in a period of time.
#[derive(Debug)]
pub(crate) struct PacedMeasurement {
    /// The time of a move until all players have received it, for the moves that were sent in the period.
    pub(crate) moves: Latencies,
    /// The number of texts that players and spectators received.
    pub(crate) texts: u64,
    /// The failures of rooms.
    pub(crate) errors: Vec<ConnectionError>,
    pub(crate) cpu: CpuUsage,
}

impl PacedRooms {
    /// Opens all rooms, each in a task. Then they play.
    pub(crate) async fn start(
        server: &Server,
        settings: &PacedRoomsSettings,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let texts = Arc::new(AtomicU64::new(0));
        let permits = Arc::new(Semaphore::new(CONCURRENT_OPENINGS));
        let (opened, mut openings) = mpsc::channel(settings.rooms as usize);
        let (start, started) = watch::channel(false);
        let mut rooms = JoinSet::new();
        for number in 0..settings.rooms {
            let task = RoomTask {
                has_expert: number < settings.experts,
                settings: settings.clone(),
                rng: fork_rng(&mut rng),
                stop: stop.clone(),
                texts: texts.clone(),
            };
            let (address, permits, opened) = (server.address(), permits.clone(), opened.clone());
            let mut started = started.clone();
            let offset = settings.interval * number / settings.rooms;
            rooms.spawn(async move {
                let room = {
                    let _permit = permits.acquire().await;
                    task.open(address).await
                };
                // The receiver is gone if another room could not be opened.
                let _ = opened.send(room.as_ref().err().cloned()).await;
                let (room, spectators) = room?;
                // The sender is gone if another room could not be opened. Then this task is aborted.
                let _ = started.wait_for(|started| *started).await;
                task.play(room, spectators, offset).await
            });
        }
        for _ in 0..settings.rooms {
            if let Some(Some(error)) = openings.recv().await {
                return Err(error.failed_room());
            }
        }
        // The rooms play on without the sender.
        start.send_replace(true);
        Ok(Self { rooms, stop, texts })
    }

    /// Measures this time after the time of the warm-up, and stops all rooms.
    pub(crate) async fn measure(
        mut self,
        server: &Server,
        warm_up: Duration,
        time: Duration,
    ) -> Result<PacedMeasurement, Failure> {
        sleep(warm_up).await;
        let stopwatch = CpuStopwatch::start(server.pid()?)?;
        let (begin, texts) = (Instant::now(), self.texts.load(Ordering::Relaxed));
        sleep(time).await;
        let cpu = stopwatch.read()?;
        let (end, texts_after) = (Instant::now(), self.texts.load(Ordering::Relaxed));
        self.stop.store(true, Ordering::Relaxed);
        let (moves, errors) = self.collect(begin, end).await?;
        Ok(PacedMeasurement {
            moves,
            texts: texts_after - texts,
            errors,
            cpu,
        })
    }

    /// The latencies of the moves that were sent between two times, and why rooms failed.
    async fn collect(
        &mut self,
        begin: Instant,
        end: Instant,
    ) -> Result<(Latencies, Vec<ConnectionError>), Failure> {
        let mut moves = Latencies::default();
        let mut errors = Vec::new();
        while let Some(room) = self.rooms.join_next().await {
            let panicked = |error| Failure::Aborted(format!("A room panicked: {error}."));
            match room.map_err(panicked)? {
                Ok(all) => {
                    let all = all.into_iter();
                    let measured = all.filter(|one| begin <= one.sent_at && one.sent_at < end);
                    measured.for_each(|one| moves.push(one.latency));
                }
                Err(error) => errors.push(error),
            }
        }
        Ok((moves, errors))
    }
}

/// The spectators of a room. A task ends when its connection is lost.
type Spectators = JoinSet<ConnectionError>;

/// What the task of a room needs.
struct RoomTask {
    settings: PacedRoomsSettings,
    has_expert: bool,
    rng: ChaCha8Rng,
    stop: Arc<AtomicBool>,
    texts: Arc<AtomicU64>,
}

impl RoomTask {
    /// Opens the room, starts its game, and admits its spectators.
    async fn open(
        &self,
        address: std::net::SocketAddr,
    ) -> Result<(ScriptedRoom, Spectators), ConnectionError> {
        let mut rng = self.rng.clone();
        let experts = usize::from(self.has_expert);
        let seats = self.settings.seats;
        let room = ScriptedRoom::with_experts(address, seats, experts, fork_rng(&mut rng)).await;
        let mut room = room?;
        room.count_texts(&self.texts);
        let mut spectators = JoinSet::new();
        for _ in 0..self.settings.spectators {
            let token = Token::new(&mut rng);
            let mut socket = Socket::open_with_hello(address, &room.code, &token).await?;
            socket.receive_in_time().await?;
            socket.count_texts(self.texts.clone());
            spectators.spawn(async move {
                loop {
                    if let Err(error) = socket.receive_text().await {
                        return error;
                    }
                }
            });
        }
        Ok((room, spectators))
    }

    /// Plays until `stop` is set. Returns all moves, or none from a room with an expert.
    async fn play(
        self,
        room: ScriptedRoom,
        mut spectators: Spectators,
        offset: Duration,
    ) -> Result<Vec<Move>, ConnectionError> {
        let interval = self.settings.interval;
        let moves = match self.has_expert {
            false => room.play(interval, offset, &self.stop).await?,
            true => play_with_expert(room, interval, offset, &self.stop).await?,
        };
        match spectators.try_join_next() {
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
    mut room: ScriptedRoom,
    interval: Duration,
    offset: Duration,
    stop: &AtomicBool,
) -> Result<Vec<Move>, ConnectionError> {
    sleep(offset).await;
    while !stop.load(Ordering::Relaxed) {
        sleep(interval).await;
        room.make_move_among_bots().await?;
    }
    Ok(Vec::new())
}
