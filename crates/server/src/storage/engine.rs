//! The interface of the engines: the reads of a database. Writes go to the writer of the engine as [`WriterRequest`]s, which are the
//! same for all engines.
//!
//! [`WriterRequest`]: super::write::WriterRequest

use sticheln_protocol::RoomSummary;
use sticheln_room::{Name, PersonId, ReplayId, Timestamp};
use tokio::sync::watch;

use super::fault::{DatabaseError, StorageFault};
use super::postgres::{LeaseStore, Postgres};
use super::segment::Segment;
use super::sqlite::Sqlite;
use super::write::{AppendPosition, FoundRoom};
use super::{FoundGame, GameRow, ListedRooms, RoomKey, RoundReadPermit, StoredRound};
use crate::room_code::RoomCode;

/// The reads of a database. [`super::Store`] has methods of the same names, which describe them.
pub(super) trait Engine {
    async fn rooms(&self) -> Result<i64, DatabaseError>;

    async fn find(&self, code: &RoomCode) -> Result<Option<FoundRoom>, DatabaseError>;

    async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError>;

    async fn listed(&self, now: Timestamp) -> Result<ListedRooms, DatabaseError>;

    /// `end` is the append position of the claim.
    async fn last_segment(&self, position: AppendPosition) -> Result<Segment, DatabaseError>;

    /// A read that continues after its future was dropped keeps its permit.
    async fn round(
        &self,
        permit: RoundReadPermit,
        position: AppendPosition,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError>;

    async fn find_game(&self, id: ReplayId) -> Result<Option<FoundGame>, DatabaseError>;

    async fn games(&self, room: RoomKey) -> Result<Vec<GameRow>, DatabaseError>;

    async fn names(
        &self,
        room: RoomKey,
        persons: Vec<PersonId>,
    ) -> Result<Vec<(PersonId, Name)>, DatabaseError>;

    /// A read that continues after its future was dropped keeps its permit.
    async fn round_of_game(
        &self,
        permit: RoundReadPermit,
        room: RoomKey,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError>;

    /// The reason why the database, or the disk below it, cannot be used; `None` if a read succeeds. Whether a write succeeds
    /// is tried afterwards.
    async fn check(&self) -> Option<StorageFault>;

    /// The reason if a write takes too long.
    fn slow_write(&self) -> StorageFault;

    /// Waits for the reads, and closes their connections. After that nothing can be read.
    async fn close(&self);
}

/// The engine of a store. An enum costs a read less than a trait object, and a write nothing.
#[derive(Clone, Debug)]
pub(super) enum AnyEngine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl AnyEngine {
    /// The lease of this node. Only PostgreSQL has nodes, and a server that is alone has no lease.
    pub(super) fn lease(&self) -> Option<&LeaseStore> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => postgres.lease(),
        }
    }

    /// The newest timeline of the database. SQLite has one.
    pub(super) fn timeline(&self) -> Option<watch::Receiver<u32>> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(postgres) => Some(postgres.timeline()),
        }
    }
}

/// Calls a method of the engine.
macro_rules! call {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self {
            Self::Sqlite(engine) => engine.$method($($argument),*),
            Self::Postgres(engine) => engine.$method($($argument),*),
        }
    };
    ($self:ident.$method:ident($($argument:expr),*).await) => {
        match $self {
            Self::Sqlite(engine) => engine.$method($($argument),*).await,
            Self::Postgres(engine) => engine.$method($($argument),*).await,
        }
    };
}

impl Engine for AnyEngine {
    async fn rooms(&self) -> Result<i64, DatabaseError> {
        call!(self.rooms().await)
    }

    async fn find(&self, code: &RoomCode) -> Result<Option<FoundRoom>, DatabaseError> {
        call!(self.find(code).await)
    }

    async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError> {
        call!(self.summary(code).await)
    }

    async fn listed(&self, now: Timestamp) -> Result<ListedRooms, DatabaseError> {
        call!(self.listed(now).await)
    }

    async fn last_segment(&self, position: AppendPosition) -> Result<Segment, DatabaseError> {
        call!(self.last_segment(position).await)
    }

    async fn round(
        &self,
        permit: RoundReadPermit,
        position: AppendPosition,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        call!(self.round(permit, position, first_rev).await)
    }

    async fn find_game(&self, id: ReplayId) -> Result<Option<FoundGame>, DatabaseError> {
        call!(self.find_game(id).await)
    }

    async fn games(&self, room: RoomKey) -> Result<Vec<GameRow>, DatabaseError> {
        call!(self.games(room).await)
    }

    async fn names(
        &self,
        room: RoomKey,
        persons: Vec<PersonId>,
    ) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
        call!(self.names(room, persons).await)
    }

    async fn round_of_game(
        &self,
        permit: RoundReadPermit,
        room: RoomKey,
        first_rev: i64,
    ) -> Result<Option<StoredRound>, DatabaseError> {
        call!(self.round_of_game(permit, room, first_rev).await)
    }

    async fn check(&self) -> Option<StorageFault> {
        call!(self.check().await)
    }

    fn slow_write(&self) -> StorageFault {
        call!(self.slow_write())
    }

    async fn close(&self) {
        call!(self.close().await);
    }
}
