//! The archive of finished rounds: one row for each, up to a bound for each room. The server of the database builds the text, so
//! no entry is sent.

use tokio_postgres::types::ToSql;

use super::pg_connection::PgConnection;
use crate::storage::fault::DatabaseError;
use crate::storage::person::MAX_FORMER;
use crate::storage::round::{MAX_BYTES_PER_ROUND, MAX_ROUND_BYTES_PER_ROOM};
use crate::storage::step_budget::StepBudget;

/// The first complete segment of a room: its first `rev`, and that of the next segment.
const NEXT_SEGMENT: &str = "SELECT first_rev, \
     (SELECT rev FROM entry WHERE room_id = $1 AND rev > first_rev AND snapshot IS NOT NULL ORDER BY rev LIMIT 1) \
     FROM room WHERE id = $1 AND segment_rev > first_rev";

/// Deletes a segment, and archives it if it begins with a deal. A text that is not JSON fails. The room must begin with the segment
/// still: another node may have archived it. Returns the number and the bytes
/// of its entries, and the bytes of the archived rounds of the room.
const ARCHIVE: &str = "WITH gone AS ( \
     DELETE FROM entry WHERE room_id = $1 AND rev >= $2 AND rev < $3 RETURNING rev, body, snapshot, begins_round \
     ), built AS ( \
     SELECT MIN(rev) AS rev, MAX(rev) AS last_rev, '{\"snapshot\":' || MAX(snapshot) || ',\"entries\":[' \
     || string_agg(body, ',' ORDER BY rev) || ']}' AS body FROM gone HAVING bool_or(begins_round) \
     ), archived AS ( \
     INSERT INTO finished_round (room_id, rev, last_rev, body) \
     SELECT $1, rev, last_rev, body::json::text FROM built WHERE octet_length(body) <= $4 \
     ON CONFLICT (room_id, rev) DO NOTHING RETURNING octet_length(body) AS bytes \
     ) UPDATE room SET first_rev = $3, round_bytes = round_bytes + COALESCE((SELECT bytes FROM archived), 0) \
     WHERE id = $1 AND first_rev = $2 RETURNING round_bytes, (SELECT COUNT(*) FROM gone), \
     (SELECT COALESCE(SUM(octet_length(body) + COALESCE(octet_length(snapshot), 0)), 0)::bigint FROM gone)";

/// Deletes the oldest archived rounds of a room, until the others have at most this many bytes.
const DELETE_OLDEST: &str = "WITH old AS ( \
     SELECT rev FROM (SELECT rev, SUM(octet_length(body)) OVER (ORDER BY rev DESC) AS total \
     FROM finished_round WHERE room_id = $1) AS newest WHERE total > $2 \
     ), deleted AS ( \
     DELETE FROM finished_round USING old WHERE room_id = $1 AND finished_round.rev = old.rev \
     RETURNING octet_length(body) AS bytes \
     ) UPDATE room SET round_bytes = round_bytes - (SELECT COALESCE(SUM(bytes), 0) FROM deleted) WHERE id = $1";

/// Deletes people who have left before this `rev`, and whom no entry or snapshot names any more. A person is named by entries
/// from the one with which they sat down to the one with which they left. Finished rounds do not overlap, so the newest one
/// that had begun when the person left decides.
const DELETE_UNREFERENCED: &str = "DELETE FROM person WHERE room_id = $1 AND left_rev < $2 AND person > COALESCE( \
     (SELECT last_rev FROM finished_round WHERE room_id = $1 AND rev <= person.left_rev \
     ORDER BY rev DESC LIMIT 1), -1)";

/// Of the others who have left before this `rev`, deletes those who left first.
const DELETE_FORMER: &str = "DELETE FROM person WHERE room_id = $1 AND left_rev <= \
     (SELECT left_rev FROM person WHERE room_id = $1 AND left_rev < $2 \
     ORDER BY left_rev DESC LIMIT 1 OFFSET $3)";

/// Archives or deletes the first complete segment of a room. Returns whether there is no further one.
///
/// # Errors
/// If the database fails.
pub(super) async fn archive_room(
    connection: &mut PgConnection,
    room: i64,
    budget: &mut StepBudget,
) -> Result<bool, DatabaseError> {
    let next_segment = connection.prepare(NEXT_SEGMENT).await?;
    let archive = connection.prepare(ARCHIVE).await?;
    let delete_oldest = connection.prepare(DELETE_OLDEST).await?;
    let delete_unreferenced = connection.prepare(DELETE_UNREFERENCED).await?;
    let delete_former = connection.prepare(DELETE_FORMER).await?;
    let Some(segment) = connection.client.query_opt(&next_segment, &[&room]).await? else {
        return Ok(true);
    };
    let (first, next): (i64, Option<i64>) = (segment.try_get(0)?, segment.try_get(1)?);
    let next = next.ok_or(DatabaseError::Corrupt("a segment of a room is missing"))?;
    let transaction = connection.client.transaction().await?;
    let most = MAX_BYTES_PER_ROUND as i32;
    let archived = transaction
        .query_opt(&archive, &[&room, &first, &next, &most])
        .await?;
    let Some(archived) = archived else {
        transaction.rollback().await?;
        budget.spend_row(0);
        return Ok(false);
    };
    let (round_bytes, rows, bytes): (i64, i64, i64) = (
        archived.try_get(0)?,
        archived.try_get(1)?,
        archived.try_get(2)?,
    );
    if round_bytes > MAX_ROUND_BYTES_PER_ROOM {
        transaction
            .execute(&delete_oldest, &[&room, &MAX_ROUND_BYTES_PER_ROOM])
            .await?;
    }
    let unreferenced: [&(dyn ToSql + Sync); 2] = [&room, &next];
    let unreferenced = transaction.execute(&delete_unreferenced, &unreferenced);
    let former: [&(dyn ToSql + Sync); 3] = [&room, &next, &MAX_FORMER];
    let former = transaction.execute(&delete_former, &former);
    // Both are sent at once, and executed in this order.
    tokio::try_join!(unreferenced, former)?;
    transaction.commit().await?;
    budget.spend_rows(
        usize::try_from(rows).unwrap_or(usize::MAX),
        usize::try_from(bytes).unwrap_or(usize::MAX),
    );
    Ok(false)
}
