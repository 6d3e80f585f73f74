//! The rooms of any server of the comparison.

use rand_chacha::ChaCha8Rng;

use super::rivals::RivalRooms;
use super::{SEATS, ServerKind};
use crate::Failure;
use crate::closed_loop_rooms::{PlayingRooms, WaitingRooms};
use crate::server::Server;

/// Rooms in which a game has begun and nobody has moved.
pub(super) enum OpenedRooms {
    /// Of a server with the protocol of this project.
    Own(WaitingRooms),
    /// Of a server of another project.
    Rival(RivalRooms),
}

impl OpenedRooms {
    /// Opens rooms of four at a server of this kind.
    pub(super) async fn open(
        kind: ServerKind,
        server: &Server,
        count: u32,
        rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        Ok(match kind.rival() {
            None => {
                Self::Own(WaitingRooms::open(|_| server.address().into(), count, SEATS, rng).await?)
            }
            Some(rival) => Self::Rival(RivalRooms::open(rival, server, count, rng).await?),
        })
    }

    /// The number of connections.
    pub(super) fn connections(&self) -> usize {
        match self {
            Self::Own(rooms) => rooms.connections(),
            Self::Rival(rooms) => rooms.connections(),
        }
    }

    /// Lets all players play.
    pub(super) fn play(self) -> PlayingRooms {
        match self {
            Self::Own(rooms) => rooms.play(),
            Self::Rival(rooms) => rooms.play(),
        }
    }
}
