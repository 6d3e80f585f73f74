//! Rooms that play as fast as they can, and wait for each other at chosen places.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

use super::SEATS;
use crate::Failure;
use crate::crash_drill::KillableServer;
use crate::scripted_room::{ScriptedRoom, fork_rng};
use crate::server::Server;
use crate::socket::ConnectionError;

/// Whether a room stops after this number of moves.
pub(super) type StopRule = fn(&ScriptedRoom, u64) -> bool;

/// Rooms that are at the same place of their games.
pub(super) struct LockstepRooms {
    rooms: Vec<ScriptedRoom>,
    /// The number of texts that the players have received.
    texts: Arc<AtomicU64>,
}

/// The moves of all rooms, and the texts that their players received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Played {
    pub(super) moves: u64,
    pub(super) texts: u64,
}

impl LockstepRooms {
    /// Opens rooms, and starts their games.
    pub(super) async fn open(
        server: &Server,
        count: u32,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let texts = Arc::new(AtomicU64::new(0));
        let mut rooms = Vec::new();
        for _ in 0..count {
            let room = ScriptedRoom::open(server.address(), SEATS, fork_rng(&mut rng)).await;
            let mut room = room.map_err(ConnectionError::failed_room)?;
            room.count_texts(&texts);
            rooms.push(room);
        }
        Ok(Self { rooms, texts })
    }

    /// Lets each room make at least one move, and more until the rule stops it. Returns when all have stopped.
    pub(super) async fn play(
        &mut self,
        stops: impl Fn(&ScriptedRoom, u64) -> bool + Copy + Send + 'static,
    ) -> Result<Played, Failure> {
        let texts = self.texts.load(Ordering::Relaxed);
        let mut playing = JoinSet::new();
        for mut room in self.rooms.drain(..) {
            playing.spawn(async move {
                let mut moves = 0;
                while moves == 0 || !stops(&room, moves) {
                    room.make_move().await?;
                    moves += 1;
                }
                Ok((room, moves))
            });
        }
        let mut all_moves = 0;
        while let Some(room) = playing.join_next().await {
            let panicked = |error| Failure::Aborted(format!("A room panicked: {error}."));
            let played: Result<_, ConnectionError> = room.map_err(panicked)?;
            let (room, moves) = played.map_err(ConnectionError::failed_room)?;
            self.rooms.push(room);
            all_moves += moves;
        }
        Ok(Played {
            moves: all_moves,
            texts: self.texts.load(Ordering::Relaxed) - texts,
        })
    }

    /// Ends all games. The next ones begin with the next moves.
    pub(super) async fn end_games(&mut self) -> Result<(), Failure> {
        for room in &mut self.rooms {
            let ended = room.end_game().await;
            ended.map_err(ConnectionError::failed_room)?;
        }
        Ok(())
    }
}
