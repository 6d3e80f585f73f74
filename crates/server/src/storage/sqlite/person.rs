//! The names of people in rooms. Entries and snapshots name people by ids, so that a name can be erased.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};
use sticheln_room::{Name, PersonChange, PersonId};

use crate::storage::fault::DatabaseError;
use crate::storage::person::{MAX_FORMER, NOT_LEFT};
use crate::storage::step_budget::StepBudget;

/// Selects the names of people with a chair by the primary key. The cost does not depend on those who have left.
pub const NAMES_QUERY: &str =
    "SELECT person, name FROM person WHERE room_id = ?1 AND left_rev = ?2";

/// Saves the changes of persons that belong to an entry.
///
/// # Errors
/// If the database fails.
pub(super) fn save(
    connection: &Connection,
    room: i64,
    rev: i64,
    changes: &[PersonChange],
) -> Result<(), DatabaseError> {
    for change in changes {
        match change {
            PersonChange::Named(person, name) => {
                let mut save = connection.prepare_cached(
                    "INSERT INTO person (room_id, left_rev, person, name) VALUES (?1, ?2, ?3, ?4) \
                     ON CONFLICT (room_id, left_rev, person) DO UPDATE SET name = excluded.name",
                )?;
                let person = person.0.cast_signed();
                save.execute(params![room, NOT_LEFT, person, name.as_str()])?;
            }
            PersonChange::Left(person) => {
                let mut save = connection.prepare_cached(
                    "UPDATE person SET left_rev = ?1 \
                     WHERE room_id = ?2 AND left_rev = ?3 AND person = ?4",
                )?;
                save.execute([rev, room, NOT_LEFT, person.0.cast_signed()])?;
            }
        }
    }
    Ok(())
}

/// The names of the people of a room who have a chair.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn read_names(
    connection: &Connection,
    room: i64,
) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
    let mut names = connection.prepare_cached(NAMES_QUERY)?;
    let names = names.query_map([room, NOT_LEFT], |row| {
        let person = PersonId(row.get::<_, i64>(0)?.cast_unsigned());
        Ok((person, Name::from_saved(row.get(1)?)))
    })?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// The names of these people of a room, in the order of their ids. They may have left.
///
/// # Errors
/// If the database cannot be read.
pub(super) fn read_names_of(
    connection: &Connection,
    room: i64,
    persons: &[PersonId],
) -> Result<Vec<(PersonId, Name)>, DatabaseError> {
    let mut names = BTreeMap::new();
    let mut select = connection
        .prepare_cached("SELECT person, name FROM person WHERE room_id = ?1 ORDER BY left_rev")?;
    let mut rows = select.query([room])?;
    while let Some(row) = rows.next()? {
        let person = PersonId(row.get::<_, i64>(0)?.cast_unsigned());
        if persons.contains(&person) {
            names.insert(person, Name::from_saved(row.get(1)?));
        }
    }
    Ok(names.into_iter().collect())
}

/// Deletes people who have left and whom no entry or snapshot names any more. Of the others who have left it keeps the last
/// ones. `first_rev` begins the segment after the newest one that was archived; there may be newer ones.
///
/// A person is named by entries from the one with which they sat down to the one with which they left, and by the snapshots
/// in between. Finished rounds do not overlap, so the newest one that had begun when the person left decides.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_unreferenced(
    connection: &Connection,
    room: i64,
    first_rev: i64,
) -> Result<(), DatabaseError> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM person WHERE room_id = ?1 AND left_rev < ?2 AND person > COALESCE( \
         (SELECT last_rev FROM finished_round WHERE room_id = ?1 AND rev <= person.left_rev \
          ORDER BY rev DESC LIMIT 1), -1)",
    )?;
    delete.execute([room, first_rev])?;
    let mut delete = connection.prepare_cached(
        "DELETE FROM person WHERE room_id = ?1 AND left_rev <= \
         (SELECT left_rev FROM person WHERE room_id = ?1 AND left_rev < ?2 \
          ORDER BY left_rev DESC LIMIT 1 OFFSET ?3)",
    )?;
    delete.execute([room, first_rev, MAX_FORMER])?;
    Ok(())
}

/// Deletes the people of a room. Returns whether none is left.
///
/// # Errors
/// If the database fails.
pub(super) fn delete_people(
    connection: &Connection,
    room: i64,
    budget: &mut StepBudget,
) -> Result<bool, DatabaseError> {
    let mut oldest = connection.prepare_cached(
        "DELETE FROM person WHERE room_id = ?1 AND (left_rev, person) = \
         (SELECT left_rev, person FROM person WHERE room_id = ?1 ORDER BY left_rev, person LIMIT 1) \
         RETURNING octet_length(name)",
    )?;
    budget.delete_rows(|| Ok(oldest.query_row([room], |row| row.get(0)).optional()?))
}
