//! Rooms that play as fast as they can to a common stop, and wait there for each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

use super::SEATS;
use crate::Failure;
use crate::driven_room::DrivenRoom;
use crate::rng::fork_rng;
use crate::server::Server;
use crate::socket::ConnectionError;

/// The condition at which each room stops.
#[derive(Clone, Copy, Debug)]
pub(super) enum StopCondition {
    /// The end of the round, after which the next one begins.
    EndOfRound,
    /// After this number of moves.
    AfterMoves(u64),
    /// The room log has this number of entries.
    AtLogEntries(u64),
}

impl StopCondition {
    /// Plays, and returns the number of moves.
    async fn play(self, room: &mut DrivenRoom) -> Result<u64, ConnectionError> {
        match self {
            Self::EndOfRound => room.play_round().await,
            Self::AfterMoves(moves) => {
                room.make_moves(moves).await?;
                Ok(moves)
            }
            Self::AtLogEntries(entries) => {
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

/// Rooms of which none plays: they were just opened, or have all stopped at the same condition.
pub(super) struct LockstepRooms {
    rooms: Vec<DrivenRoom>,
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
            let room = DrivenRoom::open(server.address(), SEATS, fork_rng(&mut rng)).await;
            let mut room = room.map_err(ConnectionError::failed_room)?;
            room.count_messages(&messages);
            rooms.push(room);
        }
        Ok(Self { rooms, messages })
    }

    /// Lets each room play until the condition holds. Returns when all have stopped.
    pub(super) async fn play(&mut self, condition: StopCondition) -> Result<Played, Failure> {
        let messages = self.messages.load(Ordering::Relaxed);
        let mut playing = JoinSet::new();
        for mut room in self.rooms.drain(..) {
            playing.spawn(async move {
                let moves = condition.play(&mut room).await?;
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
