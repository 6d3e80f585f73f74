//! The deletion of a room, in parts if it has many entries.

use tokio_postgres::types::ToSql;

use super::pg_connection::PgConnection;
use crate::storage::fault::DatabaseError;
use crate::storage::step_budget::StepBudget;

/// A room whose entries are partly deleted must not be found, and no claim of it can write. A room that was claimed meanwhile stays.
const HIDE: &str = "UPDATE room SET code = 'deleted ' || id, listed = FALSE, leader = NULL, epoch = epoch + 1 \
     WHERE id = $1 AND epoch = $2";

/// Deletes the oldest rows of a room, at most this many, and until this many bytes are reached. Returns their number and their
/// bytes.
const DELETE_ROWS: &str = "WITH part AS ( \
     SELECT kind, first_key, second_key, bytes, \
     row_number() OVER in_order AS number, sum(bytes) OVER in_order AS total FROM ( \
     (SELECT 0 AS kind, rev AS first_key, 0::bigint AS second_key, \
     (octet_length(body) + COALESCE(octet_length(snapshot), 0))::bigint AS bytes \
     FROM entry WHERE room_id = $1 ORDER BY rev LIMIT $2) UNION ALL \
     (SELECT 1, rev, 0, octet_length(body) FROM finished_round WHERE room_id = $1 ORDER BY rev LIMIT $2) UNION ALL \
     (SELECT 2, left_rev, person, octet_length(name) FROM person WHERE room_id = $1 \
     ORDER BY left_rev, person LIMIT $2) UNION ALL \
     (SELECT 3, rev, 0, octet_length(outline) FROM game WHERE room_id = $1 ORDER BY rev LIMIT $2)) AS oldest \
     WINDOW in_order AS (ORDER BY kind, first_key, second_key) \
     ), chosen AS ( \
     SELECT * FROM part WHERE number <= $2 AND total - bytes < $3::bigint \
     ), entries AS ( \
     DELETE FROM entry USING chosen WHERE kind = 0 AND room_id = $1 AND rev = first_key \
     ), rounds AS ( \
     DELETE FROM finished_round USING chosen WHERE kind = 1 AND room_id = $1 AND rev = first_key \
     ), people AS ( \
     DELETE FROM person USING chosen WHERE kind = 2 AND room_id = $1 AND left_rev = first_key AND person = second_key \
     ), games AS ( \
     DELETE FROM game USING chosen WHERE kind = 3 AND room_id = $1 AND rev = first_key \
     ) SELECT COUNT(*), COALESCE(SUM(bytes), 0)::bigint FROM chosen";

const DELETE_ROOM: &str = "DELETE FROM room WHERE id = $1";

/// The result of the deletion of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deletion {
    /// Nothing is left of the room.
    Whole,
    /// A part of its rows was deleted.
    Part,
    /// The room was claimed meanwhile, and nothing was deleted.
    Claimed,
}

/// Deletes a room that had this epoch, or a part of its rows if it has many.
///
/// # Errors
/// If the database fails.
pub(super) async fn delete_room(
    connection: &mut PgConnection,
    room: i64,
    epoch: i64,
    budget: &mut StepBudget,
) -> Result<Deletion, DatabaseError> {
    let hide = connection.prepare(HIDE).await?;
    let delete_rows = connection.prepare(DELETE_ROWS).await?;
    let delete_room = connection.prepare(DELETE_ROOM).await?;
    let (rows, bytes) = budget.left();
    let (rows, bytes) = (rows as i64, bytes as i64);
    let transaction = connection.client.transaction().await?;
    let of_room: [&(dyn ToSql + Sync); 2] = [&room, &epoch];
    let hidden = transaction.execute(&hide, &of_room);
    let bounds: [&(dyn ToSql + Sync); 3] = [&room, &rows, &bytes];
    let deleted = transaction.query_one(&delete_rows, &bounds);
    // Both are sent at once.
    let (hidden, deleted) = tokio::try_join!(hidden, deleted)?;
    if hidden == 0 {
        transaction.rollback().await?;
        budget.spend_row(0);
        return Ok(Deletion::Claimed);
    }
    let (deleted_rows, deleted_bytes): (i64, i64) = (deleted.try_get(0)?, deleted.try_get(1)?);
    let is_whole = deleted_rows < rows && deleted_bytes < bytes;
    if is_whole {
        transaction.execute(&delete_room, &[&room]).await?;
    }
    transaction.commit().await?;
    let deleted_rows = deleted_rows + i64::from(is_whole);
    budget.spend_rows(
        usize::try_from(deleted_rows).unwrap_or(usize::MAX),
        usize::try_from(deleted_bytes).unwrap_or(usize::MAX),
    );
    Ok(match is_whole {
        true => Deletion::Whole,
        false => Deletion::Part,
    })
}
