//! Reading rooms for the operator, also while servers run. Apart from [`Inspection::last_segment`], nothing here is secret:
//! no seed, card, password or owner.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sticheln_protocol::RoomSummary;
use sticheln_room::{Format, Timestamp};
use sticheln_rules::GameId;
use thiserror::Error;

use super::Segment;
use super::fault::DatabaseError;
use super::folder::OpenError;
use super::postgres::inspection::PostgresInspection;
use super::postgres::{DatabaseSettings, PostgresOpenError};
use super::sqlite::inspection::SqliteInspection;
use crate::room_code::RoomCode;

/// The text for a value that cannot be read.
pub(crate) const UNREADABLE: &str = "?";
const MINUTE_SECONDS: i64 = 60;
const DAY_SECONDS: i64 = 24 * 60 * 60;
/// The first second after the year 9999.
const END_OF_TIME: i64 = 253_402_300_800;

/// The reason why rooms cannot be listed, shown or removed, as one sentence.
#[derive(Debug, Error)]
pub enum RoomsError {
    /// The data folder has no database.
    #[error("There is no database in {}.", .0.display())]
    NoDatabase(PathBuf),
    /// The database in PostgreSQL has no tables.
    #[error("The database in PostgreSQL has no tables yet, so there are no rooms.")]
    NoTables,
    /// The data folder cannot be used.
    #[error(transparent)]
    Folder(#[from] OpenError),
    /// The database in PostgreSQL cannot be used.
    #[error(transparent)]
    Postgres(#[from] PostgresOpenError),
    /// The database cannot be read.
    #[error("The database cannot be read: {0}.")]
    Unreadable(#[from] DatabaseError),
    /// The database cannot be written.
    #[error("The room cannot be removed: {0}.")]
    Unwritable(&'static str),
    /// No room has this code.
    #[error("There is no room {0}.")]
    NoSuchRoom(RoomCode),
    /// A server uses the room, or may use it.
    #[error(
        "A server that runs uses room {0}, and nothing was changed. `sticheln close {0}` ends the room there."
    )]
    InUse(RoomCode),
    /// The rows of the room cannot be deleted.
    #[error(
        "Room {0} cannot be removed, because its part of the database is corrupt. Restore a backup."
    )]
    Corrupt(RoomCode),
}

/// The rooms of a database at one moment. It is one read transaction. As long as it lives, the write-ahead log of SQLite grows,
/// and a vacuum of PostgreSQL keeps deleted rows.
#[derive(Debug)]
pub enum Inspection {
    /// The database in a data folder.
    Sqlite(SqliteInspection),
    /// The database in PostgreSQL.
    Postgres(PostgresInspection),
}

/// A room as the database has it.
#[derive(Debug)]
pub struct StoredRoom {
    pub(super) id: i64,
    /// The code.
    pub code: RoomCode,
    /// The game.
    pub game: GameId,
    /// The public summary; `None` if it is corrupt.
    pub summary: Option<RoomSummary>,
    /// The time of the last activity, such as `2026-02-28T12:34Z`; `?` if it is corrupt.
    pub active: String,
    /// The number of finished rounds.
    pub rounds: i64,
    /// The bytes of the finished rounds.
    pub round_bytes: i64,
    /// The number of games with a finished round.
    pub games: i64,
}

/// The size of the last segment of a room log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentSize {
    /// The number of entries.
    pub entries: u64,
    /// The bytes of the entries and the snapshot.
    pub bytes: u64,
}

/// The public part of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryOutline {
    /// The `rev`.
    pub rev: i64,
    /// The time and the type of the change; `None` if the entry cannot be read.
    pub content: Option<(String, String)>,
}

/// The fields of an entry that are not secret.
#[derive(Deserialize)]
struct PublicFields {
    at: Timestamp,
    change: ChangeType,
}

#[derive(Deserialize)]
struct ChangeType {
    r#type: String,
}

impl Inspection {
    /// Opens the database of these settings for reading: that in PostgreSQL, if they name one, otherwise that in the folder.
    ///
    /// # Errors
    /// [`RoomsError`] if there is none that this version can read.
    pub async fn open(folder: &Path, database: &DatabaseSettings) -> Result<Self, RoomsError> {
        Ok(match database.is_set() {
            true => Self::Postgres(PostgresInspection::open(database).await?),
            false => Self::Sqlite(SqliteInspection::open(folder)?),
        })
    }

    /// The codes of all rooms, the oldest room first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn codes(&self) -> Result<Vec<RoomCode>, DatabaseError> {
        match self {
            Self::Sqlite(inspection) => inspection.codes(),
            Self::Postgres(inspection) => inspection.codes().await,
        }
    }

    /// The room with this code.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn room(&self, code: &RoomCode) -> Result<Option<StoredRoom>, DatabaseError> {
        match self {
            Self::Sqlite(inspection) => inspection.room(code),
            Self::Postgres(inspection) => inspection.room(code).await,
        }
    }

    /// The size of the last segment of the log of a room.
    ///
    /// # Errors
    /// If the rows of the room cannot be read.
    pub async fn segment_size(&self, room: &StoredRoom) -> Result<SegmentSize, DatabaseError> {
        match self {
            Self::Sqlite(inspection) => inspection.segment_size(room),
            Self::Postgres(inspection) => inspection.segment_size(room).await,
        }
    }

    /// The last segment of the log of a room. It is secret.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if entries are missing; otherwise if the rows of the room cannot be read.
    pub async fn last_segment(&self, room: &StoredRoom) -> Result<Segment, DatabaseError> {
        match self {
            Self::Sqlite(inspection) => inspection.last_segment(room),
            Self::Postgres(inspection) => inspection.last_segment(room).await,
        }
    }

    /// The entries of a room that are not archived, the oldest first, with an error if not all rows can be read.
    pub async fn entries(&self, room: &StoredRoom) -> (Vec<EntryOutline>, Option<DatabaseError>) {
        let mut entries = Vec::new();
        let read = match self {
            Self::Sqlite(inspection) => inspection.read_entries(room, &mut entries),
            Self::Postgres(inspection) => inspection.read_entries(room, &mut entries).await,
        };
        (entries, read.err())
    }
}

impl EntryOutline {
    /// The outline of an entry with this text; `None` is a text that cannot be read.
    pub(super) fn new(rev: i64, body: Option<&str>) -> Self {
        let fields = body.and_then(|body| Format::decode::<PublicFields>(body).ok());
        Self {
            rev,
            content: fields.and_then(PublicFields::content),
        }
    }
}

impl PublicFields {
    fn content(self) -> Option<(String, String)> {
        let kind = self.change.r#type;
        // The types of changes have only these characters. Another text may be anything.
        let is_type = kind
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let seconds = i64::try_from(self.at.0 / 1000).ok();
        let [date, minute, second] = utc(seconds.filter(|_| is_type)?)?;
        Some((format!("{date}T{minute}:{second}Z"), kind))
    }
}

/// The public summary of this text; `None` if it is corrupt.
pub(super) fn summary_of(text: &str) -> Option<RoomSummary> {
    serde_json::from_str(text).ok()
}

/// The time of the last activity, from whole minutes since the Unix epoch.
pub(super) fn active(minute: i64) -> String {
    let time = minute.checked_mul(MINUTE_SECONDS).and_then(utc);
    time.map_or(UNREADABLE.to_owned(), |[date, minute, _]| {
        format!("{date}T{minute}Z")
    })
}

/// A time in UTC, from seconds since the Unix epoch: the date, the hour with the minute, and the second. `None` if it is before
/// the epoch or after the year 9999.
fn utc(seconds: i64) -> Option<[String; 3]> {
    if !(0..END_OF_TIME).contains(&seconds) {
        return None;
    }
    // Years begin with March here, so that a leap day is the last day of one. An era has 400 years.
    let days = seconds / DAY_SECONDS + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = 400 * era + year_of_era + i64::from(month <= 2);
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    Some([
        format!("{year:04}-{month:02}-{day:02}"),
        format!("{hour:02}:{minute:02}"),
        format!("{:02}", seconds % 60),
    ])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rusqlite::Connection;

    use super::{DAY_SECONDS, END_OF_TIME, MINUTE_SECONDS, active, utc};

    /// The calendar of SQLite is another implementation of the same rule.
    #[test]
    fn times_are_those_of_the_calendar() {
        let database = Connection::open_in_memory().unwrap();
        let select = "SELECT strftime('%Y-%m-%d %H:%M %S', ?1, 'unixepoch')";
        let mut expected = database.prepare(select).unwrap();
        // The step is a prime number of days, and some seconds.
        let step = 97 * DAY_SECONDS + 12_345;
        let times = (0..END_OF_TIME).step_by(step as usize);
        for seconds in times.chain([951_782_399, 951_868_800, 4_107_542_400, END_OF_TIME - 1]) {
            let expected: String = expected.query_one([seconds], |row| row.get(0)).unwrap();
            assert_eq!(utc(seconds).unwrap().join(" "), expected, "{seconds}");
        }
    }

    #[test]
    fn a_time_outside_of_the_calendar_is_unreadable() {
        assert_eq!(active(0), "1970-01-01T00:00Z");
        for minute in [-1, END_OF_TIME / MINUTE_SECONDS, i64::MAX] {
            assert_eq!(active(minute), "?");
        }
    }
}
