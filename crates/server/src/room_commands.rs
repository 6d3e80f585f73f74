//! The commands `rooms`, `rooms show` and `rooms remove`: the operator inspects rooms and removes damaged ones.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::path::Path;

use crate::room_code::RoomCode;
use crate::rooms::game_list::GameList;
use crate::rooms::read_back::ReadBackError;
use crate::run::{print_line, printable};
use crate::storage::DatabaseError;
use crate::storage::inspection::{EntryOutline, Inspection, RoomsError, StoredRoom, UNREADABLE};
use crate::storage::postgres::DatabaseSettings;
use crate::storage::removal::{self, Leftovers};

/// The rooms that are read back between two lines about the progress.
const PROGRESS_STEP: usize = 1_000;
/// The connections to a room that is asleep.
const ASLEEP: &str = "-";

/// The rooms of a list, and the data that a running server has about them.
#[derive(Debug)]
pub struct RoomListOptions {
    /// Each room is read back, and only those are listed for which this fails, with the reason.
    pub only_damaged: bool,
    /// The number of connections to each room that is awake; `None` if no server answers.
    pub connections: Option<BTreeMap<String, usize>>,
    /// Only rooms are listed that are awake.
    pub only_awake: bool,
}

impl RoomListOptions {
    /// The connections to a room, as they are printed.
    fn connections_to(&self, code: &RoomCode) -> String {
        let Some(connections) = &self.connections else {
            return UNREADABLE.to_owned();
        };
        let connections = connections.get(code.as_str());
        connections.map_or(ASLEEP.to_owned(), usize::to_string)
    }

    fn is_wanted(&self, code: &RoomCode) -> bool {
        let connections = self.connections.as_ref();
        let is_awake = connections.is_some_and(|awake| awake.contains_key(code.as_str()));
        is_awake || !self.only_awake
    }
}

/// Prints a line for each of these rooms.
///
/// # Errors
/// [`RoomsError`] if the database cannot be read.
pub async fn list(
    folder: &Path,
    database: &DatabaseSettings,
    games: &GameList,
    options: &RoomListOptions,
) -> Result<(), RoomsError> {
    let only_damaged = options.only_damaged;
    let inspection = Inspection::open(folder, database).await?;
    let codes = inspection.codes().await?;
    let reason = if only_damaged { "  REASON" } else { "" };
    print_line(format!("{COLUMNS}{reason}").trim_end());
    silence_panics();
    let mut printed = 0;
    for (number, code) in codes.iter().enumerate() {
        if !options.is_wanted(code) {
            continue;
        }
        let listed = list_room(&inspection, games, code, options).await?;
        if let Some(listed) = listed {
            printed += 1;
            print_line(listed.trim_end());
        }
        if (number + 1) % PROGRESS_STEP == 0 {
            print_progress(&format!("{} of {} rooms", number + 1, codes.len()));
        }
    }
    if only_damaged {
        let rooms = codes.len();
        print_progress(&format!("{printed} of {rooms} rooms cannot be read back"));
    }
    Ok(())
}

/// The line of a room; `None` if it is not to be listed.
///
/// # Errors
/// If the connection to the database fails, so that no other room can be read either.
async fn list_room(
    inspection: &Inspection,
    games: &GameList,
    code: &RoomCode,
    options: &RoomListOptions,
) -> Result<Option<String>, DatabaseError> {
    let room = match inspection.room(code).await {
        Ok(Some(room)) => room,
        // All are read in one transaction, so the room is there.
        Ok(None) => return Ok(None),
        Err(error) if error.is_of_connection() => return Err(error),
        Err(error) => return Ok(Some(format!("{code}  {UNREADABLE}  {error}"))),
    };
    let error = match options.only_damaged {
        false => String::new(),
        true => match read_back(inspection, games, &room).await {
            Ok(()) => return Ok(None),
            Err(ReadBackError::Rows(error)) if error.is_of_connection() => return Err(error),
            Err(error) => format!("  {error}"),
        },
    };
    let line = line(inspection, &room, &options.connections_to(code)).await;
    Ok(Some(line + &error))
}

const COLUMNS: &str = "CODE      GAME        PHASE      SEATS  ENTRIES     BYTES  ROUNDS  ROUND_BYTES  \
                       LAST_ACTIVITY      HERE";

/// The line of a room in the list, below [`COLUMNS`].
async fn line(inspection: &Inspection, room: &StoredRoom, connections: &str) -> String {
    let (phase, seats) = phase_and_seats(room);
    let size = inspection.segment_size(room).await.ok();
    let number = |number: Option<u64>| number.map_or(UNREADABLE.to_owned(), |n| n.to_string());
    format!(
        "{:<8}  {:<10}  {phase:<9}  {seats:>5}  {:>7}  {:>8}  {:>6}  {:>11}  {:<17}  {connections:>4}",
        room.code.as_str(),
        printable(room.game.as_str()),
        number(size.map(|size| size.entries)),
        number(size.map(|size| size.bytes)),
        room.rounds,
        room.round_bytes,
        room.active,
    )
}

fn phase_and_seats(room: &StoredRoom) -> (&'static str, String) {
    match &room.summary {
        Some(summary) => (
            summary.phase.into(),
            format!("{}/{}", summary.taken, summary.seats),
        ),
        None => (UNREADABLE, UNREADABLE.to_owned()),
    }
}

/// Prints a room, and a line for each of its entries that is not archived, also if the room log is corrupt.
///
/// # Errors
/// [`RoomsError`] if the database cannot be read, or has no such room.
pub async fn show(
    folder: &Path,
    database: &DatabaseSettings,
    games: &GameList,
    code: &RoomCode,
) -> Result<(), RoomsError> {
    let inspection = Inspection::open(folder, database).await?;
    let room = inspection.room(code).await?;
    let room = room.ok_or_else(|| RoomsError::NoSuchRoom(code.clone()))?;
    let (phase, seats) = phase_and_seats(&room);
    let field = |name: &str, value: &str| print_line(&format!("{name:<16}{value}"));
    field("room", code.as_str());
    field("game", &printable(room.game.as_str()));
    if let Some(summary) = &room.summary {
        if let Some(title) = &summary.title {
            field("title", &printable(title));
        }
        field("password", if summary.locked { "yes" } else { "no" });
    }
    field("phase", phase);
    field("seats taken", &seats);
    field("last activity", &room.active);
    field(
        "finished rounds",
        &format!("{}, {} bytes", room.rounds, room.round_bytes),
    );
    field("saved games", &room.games.to_string());
    let size = inspection.segment_size(&room).await;
    let size = size.map(|size| format!("{} entries, {} bytes", size.entries, size.bytes));
    field("last segment", size.as_deref().unwrap_or(UNREADABLE));
    silence_panics();
    match read_back(&inspection, games, &room).await {
        Ok(()) => field("state", "can be read back"),
        Err(error) => field("state", &format!("damaged: {error}")),
    }
    let (entries, error) = inspection.entries(&room).await;
    print_line("");
    print_line("REV       TIME                  CHANGE");
    print_entries(&entries);
    if let Some(error) = error {
        print_line(&format!("The other entries cannot be read: {error}"));
    }
    Ok(())
}

fn print_entries(entries: &[EntryOutline]) {
    let mut next = entries.first().map_or(0, |entry| entry.rev);
    for EntryOutline { rev, content } in entries {
        if *rev > next {
            print_line(&format!("{next:<8}  {:<20}  missing", "-"));
        }
        let (time, kind) = match content {
            Some((time, kind)) => (time.as_str(), kind.as_str()),
            None => (UNREADABLE, UNREADABLE),
        };
        print_line(&format!("{rev:<8}  {time:<20}  {kind}"));
        next = rev + 1;
    }
}

/// Removes a room with all of its entries and finished rounds.
///
/// # Errors
/// [`RoomsError`] says why the room is not removed.
pub async fn remove(
    folder: &Path,
    database: &DatabaseSettings,
    code: &RoomCode,
) -> Result<(), RoomsError> {
    let leftovers = removal::remove(folder, database, code).await?;
    print_line(&format!("Room {code} is removed."));
    match leftovers {
        Leftovers::None => {}
        Leftovers::WriteAheadLog => print_line(
            "Another program reads the database, so its write-ahead log still has copies of the entries. \
             The server overwrites them when that program has ended.",
        ),
        Leftovers::Postgres => print_line(
            "PostgreSQL overwrites nothing: its files have the deleted bytes until a vacuum, \
             and its WAL and backups as long as you keep them.",
        ),
    }
    Ok(())
}

/// Reads a room back, to find out whether the server could wake it.
async fn read_back(
    inspection: &Inspection,
    games: &GameList,
    room: &StoredRoom,
) -> Result<(), ReadBackError> {
    if room.summary.is_none() {
        return Err(ReadBackError::Summary);
    }
    let game = games.find(&room.game).ok_or(ReadBackError::GameNotHosted)?;
    let segment = inspection.last_segment(room).await?;
    let read = || (game.read_back)(&room.code, &segment);
    // The server survives such a panic too.
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(ReadBackError::Panic))
}

/// The text of a panic may contain cards.
fn silence_panics() {
    set_hook(Box::new(|_| {}));
}

/// Prints a line beside the list, so that it is no part of it.
fn print_progress(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
