//! The rooms of a drill.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::player::{DrillContext, DrillPlayer};
use super::room_verifier::RoomVerifier;
use crate::driven_room::ROOMS_PATH;
use crate::wire::OpenRoom;
use crate::{Failure, http};

/// The pause between two attempts to open a room.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// The result of a task.
pub(crate) fn joined<T>(
    result: Result<Result<T, Failure>, tokio::task::JoinError>,
) -> Result<T, Failure> {
    let panicked = |error| Failure::Aborted(format!("A player panicked: {error}."));
    result.map_err(panicked)?
}

/// Opens rooms one after another, and plays each to its end, until the drill stops.
pub(crate) struct RoomLoop {
    pub(crate) context: Arc<DrillContext>,
    pub(crate) seats: u8,
    pub(crate) rounds: u8,
    pub(crate) rng: ChaCha8Rng,
    pub(crate) stop: Arc<AtomicBool>,
}

impl RoomLoop {
    /// Plays until the drill stops. Returns the rooms.
    pub(crate) async fn run(mut self) -> Result<Vec<DrillRoom>, Failure> {
        let mut finished = Vec::new();
        while !self.stop.load(Ordering::Relaxed) {
            let room = self.open().await?;
            finished.push(room.play().await?);
            self.context.counters().rooms += 1;
        }
        Ok(finished)
    }

    /// Opens a room and creates its players.
    async fn open(&mut self) -> Result<DrillRoom, Failure> {
        let first = self
            .rng
            .random_range(0..self.context.gateways.addresses.len());
        let code = open_room(&self.context, first, self.seats, self.rounds).await?;
        let room_verifier = Arc::new(Mutex::new(RoomVerifier::new(code)));
        let players = (0..self.seats).map(|seat| {
            let (context, seed) = (self.context.clone(), self.rng.random());
            DrillPlayer::new(context, room_verifier.clone(), seat.into(), seed)
        });
        Ok(DrillRoom {
            players: players.collect(),
        })
    }
}

/// A room with its players.
pub(crate) struct DrillRoom {
    pub(super) players: Vec<DrillPlayer>,
}

impl DrillRoom {
    /// The number of acknowledged actions.
    pub(crate) fn acknowledged(&self) -> usize {
        self.players.iter().map(DrillPlayer::acknowledged).sum()
    }

    /// Lets all players play until the game is over. If it is over already, they only verify what they see.
    pub(crate) async fn play(self) -> Result<Self, Failure> {
        let mut playing = JoinSet::new();
        for mut player in self.players {
            player.restart_stall_timer();
            playing.spawn(async move {
                player.play().await?;
                Ok(player)
            });
        }
        let mut players = Vec::new();
        while let Some(player) = playing.join_next().await {
            players.push(joined(player)?);
        }
        Ok(Self { players })
    }
}

/// Lets all players come back to their rooms, some rooms at a time, and verify that all is as it was.
pub(crate) async fn verify_again(
    finished: &mut Vec<DrillRoom>,
    at_once: usize,
) -> Result<(), Failure> {
    let mut remaining = std::mem::take(finished);
    while !remaining.is_empty() {
        let mut verified = JoinSet::new();
        for room in remaining.split_off(remaining.len().saturating_sub(at_once)) {
            verified.spawn(room.play());
        }
        while let Some(room) = verified.join_next().await {
            finished.push(joined(room)?);
        }
    }
    Ok(())
}

/// Opens a room and returns its code. The server with the index `first` is asked first. While no server can be reached, this is
/// tried again up to the stall limit.
pub(crate) async fn open_room(
    context: &DrillContext,
    first: usize,
    seats: u8,
    rounds: u8,
) -> Result<String, Failure> {
    let room = OpenRoom::with_history(seats.into(), rounds);
    let begun = Instant::now();
    let mut last_error = String::from("no answer came");
    for (index, address) in context
        .gateways
        .addresses
        .iter()
        .enumerate()
        .cycle()
        .skip(first)
    {
        if begun.elapsed() >= context.stall_limit {
            break;
        }
        let reserved = context.stalls.as_ref().and_then(|stalls| stalls.reserved());
        if reserved == Some(index) {
            continue;
        }
        match http::post(*address, ROOMS_PATH, &room).await {
            Ok(response) => match (response.status, response.field("room")) {
                (201, Some(code)) => return Ok(code),
                // The server is starting or shutting down.
                (500.., _) => last_error = format!("the status was {}", response.status),
                (status, _) => {
                    let body = response.body.trim();
                    let words = format!("A room cannot be opened: {status} {body}.");
                    return Err(Failure::Aborted(words));
                }
            },
            Err(error) => last_error = error.to_string(),
        }
        sleep(RETRY_PAUSE).await;
    }
    Err(Failure::Aborted(format!(
        "A room cannot be opened: {last_error}."
    )))
}
