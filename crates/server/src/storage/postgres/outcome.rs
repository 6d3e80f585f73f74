//! The outcome of appends whose connection failed before the server has answered: the rows of their rooms tell it.

use std::collections::HashMap;

use super::append::Append;
use super::pg_connection::PgConnection;
use crate::storage::fault::DatabaseError;

/// Selects the rooms whose claims are those of the appends, with the ends of their logs. Each row says whether the entry at the new end
/// is that of the append. The locks make the commit of this statement wait for the disk, and for a synchronous standby. So the entries
/// that it sees are safe too.
const LOOK_UP: &str = "SELECT room.id, room.head, COALESCE(entry.body = request.body, FALSE) \
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) \
     AS request (room_id, epoch, claim_id, new_head, body) \
     JOIN room ON room.id = request.room_id AND room.epoch = request.epoch AND room.claim_id = request.claim_id \
     LEFT JOIN entry ON entry.room_id = room.id AND entry.rev = request.new_head \
     FOR UPDATE OF room";

/// The outcome of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its entries are in the room log.
    Committed,
    /// The room log is as it was before.
    NotCommitted,
    /// Another claim is valid, or the room log has other entries.
    ClaimLost,
}

/// Looks up the outcomes of appends. No room is in the group twice. No earlier connection of this server may execute statements still.
///
/// # Errors
/// If the database fails.
pub(super) async fn look_up(
    connection: &mut PgConnection,
    appends: &[Append],
) -> Result<Vec<Outcome>, DatabaseError> {
    let rooms: Vec<_> = appends.iter().map(|append| append.position.room).collect();
    let epochs: Vec<_> = appends.iter().map(|append| append.position.epoch).collect();
    let claim_ids: Vec<_> = appends
        .iter()
        .map(|append| append.position.claim_id)
        .collect();
    let new_heads: Vec<_> = appends
        .iter()
        .map(|append| append.new_position().rev)
        .collect();
    let last_body = |append: &Append| append.entries.last().map(|entry| entry.body.clone());
    let bodies: Vec<_> = appends.iter().map(last_body).collect();
    let look_up = connection.prepare(LOOK_UP).await?;
    let rows = connection
        .client
        .query(
            &look_up,
            &[&rooms, &epochs, &claim_ids, &new_heads, &bodies],
        )
        .await?;
    let mut found = HashMap::new();
    for row in rows {
        let (room, head, is_own): (i64, i64, bool) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        found.insert(room, (head, is_own));
    }
    let outcome = |append: &Append| match found.get(&append.position.room) {
        // An append without entries may be repeated.
        Some((head, _)) if *head == append.position.rev => Outcome::NotCommitted,
        Some((head, true)) if *head == append.new_position().rev => Outcome::Committed,
        _ => Outcome::ClaimLost,
    };
    Ok(appends.iter().map(outcome).collect())
}
