//! The last segment of a room log, from which a room wakes.

use std::collections::BTreeMap;

use sticheln_room::{Name, PersonId};
use tokio_postgres::types::ToSql;
use tokio_postgres::{GenericClient, Row, Statement};

use super::pg_connection::PgConnection;
use crate::storage::Segment;
use crate::storage::fault::DatabaseError;
use crate::storage::person::NOT_LEFT;

/// Selects the entries of the last segment of a room up to a `rev`.
const LAST_SEGMENT: &str = "SELECT rev, body, snapshot FROM entry WHERE room_id = $1 AND rev <= $2 AND rev >= COALESCE( \
     (SELECT rev FROM entry WHERE room_id = $1 AND rev <= $2 AND snapshot IS NOT NULL ORDER BY rev DESC LIMIT 1), 0) \
     ORDER BY rev";
/// Selects the names of the people of a room who have a chair.
const NAMES: &str = "SELECT person, name FROM person WHERE room_id = $1 AND left_rev = $2";

/// Selects the names of these people of a room, who may have left.
const NAMES_OF: &str =
    "SELECT person, name FROM person WHERE room_id = $1 AND person = ANY($2) ORDER BY left_rev";

/// The statements that read a segment.
pub(super) struct SegmentStatements {
    entries: Statement,
    names: Statement,
}

/// The rows of a segment, which may be incomplete.
pub(super) struct SegmentRows {
    entries: Vec<Row>,
    names: Vec<Row>,
    last_rev: i64,
}

impl SegmentStatements {
    /// Prepares the statements.
    ///
    /// # Errors
    /// If the server cannot prepare them.
    pub(super) async fn prepare(connection: &mut PgConnection) -> Result<Self, DatabaseError> {
        Ok(Self {
            entries: connection.prepare(LAST_SEGMENT).await?,
            names: connection.prepare(NAMES).await?,
        })
    }

    /// Reads the rows of the last segment of a room up to a `rev`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub(super) async fn read(
        &self,
        client: &impl GenericClient,
        room: i64,
        last_rev: i64,
    ) -> Result<SegmentRows, DatabaseError> {
        Ok(SegmentRows {
            entries: client.query(&self.entries, &[&room, &last_rev]).await?,
            names: client.query(&self.names, &[&room, &NOT_LEFT]).await?,
            last_rev,
        })
    }
}

impl SegmentRows {
    /// The segment of these rows.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing.
    pub(super) fn segment(&self) -> Result<Segment, DatabaseError> {
        let missing = || DatabaseError::Corrupt("entries of a room are missing");
        let first = self.entries.first().ok_or_else(missing)?;
        let first_rev: i64 = first.try_get(0)?;
        let snapshot: Option<String> = first.try_get(2)?;
        if first_rev > 0 && snapshot.is_none() {
            return Err(missing());
        }
        let mut entries = Vec::with_capacity(self.entries.len());
        for (row, rev) in self.entries.iter().zip(first_rev..) {
            if row.try_get::<_, i64>(0)? != rev {
                return Err(missing());
            }
            entries.push(row.try_get(1)?);
        }
        if first_rev + entries.len() as i64 != self.last_rev + 1 {
            return Err(missing());
        }
        let names = self.names.iter().map(name);
        Ok(Segment {
            first_rev: u64::try_from(first_rev).map_err(|_| missing())?,
            snapshot,
            entries,
            names: names.collect::<Result<_, DatabaseError>>()?,
        })
    }
}

/// The person in a row with their name.
fn name(row: &Row) -> Result<(PersonId, Name), DatabaseError> {
    let person = PersonId(row.try_get::<_, i64>(0)?.cast_unsigned());
    Ok((person, Name::from_saved(row.try_get(1)?)))
}

/// Reads the names of these people of a room, in the order of their ids. They may have left.
///
/// # Errors
/// If the database cannot be read.
pub(super) async fn read_names_of(
    connection: &mut PgConnection,
    room: i64,
    persons: &[PersonId],
) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
    let names = connection.prepare(NAMES_OF).await?;
    let persons: Vec<_> = persons
        .iter()
        .map(|person| person.0.cast_signed())
        .collect();
    let values: [&(dyn ToSql + Sync); 2] = [&room, &persons];
    let rows = connection.client.query(&names, &values).await?;
    let names: Result<BTreeMap<_, _>, _> = rows.iter().map(name).collect();
    Ok(names?.into_iter().collect())
}
