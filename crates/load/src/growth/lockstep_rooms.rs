//! Rooms that play as fast as they can, and wait for each other at chosen places.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

use super::SEATS;
use crate::Failure;
use crate::rng::fork_rng;
use crate::scripted_room::ScriptedRoom;
use crate::server::Server;
use crate::socket::ConnectionError;

/// How far each room plays.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distance {
    /// To the end of the round. The next one begins.
    Round,
    /// This number of moves.
    Moves(u64),
    /// Until the log has this number of entries.
    LogEntries(u64),
}

impl Distance {
    /// Plays, and returns the number of moves.
    async fn play(self, room: &mut ScriptedRoom) -> Result<u64, ConnectionError> {
        match self {
            Self::Round => room.play_round().await,
            Self::Moves(moves) => {
                for _ in 0..moves {
                    room.make_move().await?;
                }
                Ok(moves)
            }
            Self::LogEntries(entries) => {
                let mut moves = 0;
                // The revision is the number of the newest entry, and the first one has 0.
                while room.rev() + 1 < entries {
                    room.make_move().await?;
                    moves += 1;
                }
                Ok(moves)
            }
        }
    }
}

/// Rooms that are at the same place of their games.
pub(super) struct LockstepRooms {
    rooms: Vec<ScriptedRoom>,
    /// The number of messages that the players have received.
    messages: Arc<AtomicU64>,
}

/// The moves of all rooms, and the messages that their players received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Played {
    pub(super) moves: u64,
    pub(super) messages: u64,
}

impl LockstepRooms {
    /// Opens rooms, and starts their games.
    pub(super) async fn open(
        server: &Server,
        count: u32,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let messages = Arc::new(AtomicU64::new(0));
        let mut rooms = Vec::new();
        for _ in 0..count {
            let room = ScriptedRoom::open(server.address(), SEATS, fork_rng(&mut rng)).await;
            let mut room = room.map_err(ConnectionError::failed_room)?;
            room.count_messages(&messages);
            rooms.push(room);
        }
        Ok(Self { rooms, messages })
    }

    /// Lets each room play so far. Returns when all have stopped.
    pub(super) async fn play(&mut self, distance: Distance) -> Result<Played, Failure> {
        let messages = self.messages.load(Ordering::Relaxed);
        let mut playing = JoinSet::new();
        for mut room in self.rooms.drain(..) {
            playing.spawn(async move {
                let moves = distance.play(&mut room).await?;
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
            messages: self.messages.load(Ordering::Relaxed) - messages,
        })
    }

    /// Ends all games, and starts others.
    pub(super) async fn restart_games(&mut self) -> Result<(), Failure> {
        for room in &mut self.rooms {
            let restarted = room.restart_game().await;
            restarted.map_err(ConnectionError::failed_room)?;
        }
        Ok(())
    }
}
