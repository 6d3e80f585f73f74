//! Reading the rooms of a database in PostgreSQL for the operator, also while servers run.

use std::fmt;

use sticheln_rules::GameId;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use super::DatabaseSettings;
use super::read_transaction::ReadTransaction;
use super::segment::SegmentStatements;
use crate::room_code::RoomCode;
use crate::storage::Segment;
use crate::storage::fault::DatabaseError;
use crate::storage::inspection::{
    EntryOutline, RoomsError, SegmentSize, StoredRoom, active, summary_of,
};

const CODES: &str = "SELECT code FROM room ORDER BY id";
const ROOM: &str = "SELECT id, game, summary, active_minute, \
     (SELECT COUNT(*) FROM finished_round WHERE room_id = room.id), round_bytes, \
     (SELECT COUNT(*) FROM game WHERE room_id = room.id) FROM room WHERE code = $1";
const SEGMENT_SIZE: &str = "SELECT COUNT(*), \
     COALESCE(SUM(octet_length(body) + COALESCE(octet_length(snapshot), 0)), 0)::bigint \
     FROM entry WHERE room_id = $1 AND rev >= COALESCE( \
     (SELECT rev FROM entry WHERE room_id = $1 AND snapshot IS NOT NULL ORDER BY rev DESC LIMIT 1), 0)";
const HEAD: &str = "SELECT head FROM room WHERE id = $1";
const ENTRIES: &str = "SELECT rev, body FROM entry WHERE room_id = $1 ORDER BY rev";

/// The rooms of a database at one moment, in one read transaction.
pub struct PostgresInspection {
    transaction: ReadTransaction,
    room: Statement,
    segment_size: Statement,
    segment: SegmentStatements,
    entries: Statement,
}

impl fmt::Debug for PostgresInspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresInspection")
    }
}

impl PostgresInspection {
    /// Opens the database of these settings for reading.
    ///
    /// # Errors
    /// [`RoomsError`] if there is none that this version can read.
    pub(in crate::storage) async fn open(settings: &DatabaseSettings) -> Result<Self, RoomsError> {
        let transaction = ReadTransaction::open(settings).await?;
        let mut transaction = transaction.ok_or(RoomsError::NoTables)?;
        let connection = &mut transaction.connection;
        Ok(Self {
            room: connection.prepare(ROOM).await?,
            segment_size: connection.prepare(SEGMENT_SIZE).await?,
            segment: SegmentStatements::prepare(connection).await?,
            entries: connection.prepare(ENTRIES).await?,
            transaction,
        })
    }

    /// The codes of all rooms, the oldest room first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) async fn codes(&self) -> Result<Vec<RoomCode>, DatabaseError> {
        let rows = self.transaction.client().query(CODES, &[]).await?;
        let mut codes = Vec::with_capacity(rows.len());
        for row in rows {
            // A room that is being deleted has no valid code.
            codes.extend(RoomCode::parse(row.try_get(0)?));
        }
        Ok(codes)
    }

    /// The room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(in crate::storage) async fn room(
        &self,
        code: &RoomCode,
    ) -> Result<Option<StoredRoom>, DatabaseError> {
        let read = async {
            let client = self.transaction.client();
            let row = client.query_opt(&self.room, &[&code.as_str()]).await?;
            row.map(|row| stored_room(&row, code)).transpose()
        };
        self.transaction.try_read(read).await
    }

    /// The size of the last segment of the log of a room.
    ///
    /// # Errors
    /// If the rows of the room cannot be read.
    pub(in crate::storage) async fn segment_size(
        &self,
        room: &StoredRoom,
    ) -> Result<SegmentSize, DatabaseError> {
        let read = async {
            let client = self.transaction.client();
            let size = client.query_one(&self.segment_size, &[&room.id]).await?;
            Ok(SegmentSize {
                entries: size.try_get::<_, i64>(0)?.unsigned_abs(),
                bytes: size.try_get::<_, i64>(1)?.unsigned_abs(),
            })
        };
        self.transaction.try_read(read).await
    }

    /// The last segment of the log of a room. It is secret.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the rows of the room cannot be read.
    pub(in crate::storage) async fn last_segment(
        &self,
        room: &StoredRoom,
    ) -> Result<Segment, DatabaseError> {
        let read = async {
            let client = self.transaction.client();
            let head = client.query_one(HEAD, &[&room.id]).await?.try_get(0)?;
            let rows = self.segment.read(client, room.id, head).await?;
            rows.segment()
        };
        self.transaction.try_read(read).await
    }

    /// Reads the entries of a room that are not archived, the oldest first. After an error `entries` has those before it.
    ///
    /// # Errors
    /// If not all rows can be read.
    pub(in crate::storage) async fn read_entries(
        &self,
        room: &StoredRoom,
        entries: &mut Vec<EntryOutline>,
    ) -> Result<(), DatabaseError> {
        let of_room: [&(dyn ToSql + Sync); 1] = [&room.id];
        let read = self.transaction.for_each(&self.entries, &of_room, |row| {
            entries.push(EntryOutline::new(row.try_get(0)?, row.try_get(1).ok()));
            Ok(())
        });
        self.transaction.try_read(read).await
    }
}

/// The room in a row of [`ROOM`].
fn stored_room(row: &Row, code: &RoomCode) -> Result<StoredRoom, DatabaseError> {
    Ok(StoredRoom {
        id: row.try_get(0)?,
        code: code.clone(),
        game: GameId::from(row.try_get::<_, String>(1)?),
        summary: summary_of(row.try_get(2)?),
        active: active(row.try_get(3)?),
        rounds: row.try_get(4)?,
        round_bytes: row.try_get(5)?,
        games: row.try_get(6)?,
    })
}
