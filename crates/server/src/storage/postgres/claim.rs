//! The claims of a group: one statement and one commit for the rooms of all of them. Each has its own answer.

use std::collections::{HashMap, HashSet};

use sticheln_cluster::NodeId;
use sticheln_room::Formats;

use super::pg_connection::PgConnection;
use super::room::{leader, random_claim_id};
use crate::storage::fault::DatabaseError;
use crate::storage::write::{AnswerSender, AppendPosition, Claim, FoundRoom, WriteError};

/// The most times that claims of a group are sent again after a failure of the connection.
const MAX_REPEATS: usize = 2;

/// Claims the rooms that have these codes and epochs. A room that is being deleted has another code. A claim that is already in
/// the database is confirmed, because it was sent before: nobody else has its random id. The rows are locked in the order of
/// their ids, so two nodes that claim the same rooms do not wait for each other.
const CLAIM: &str = "WITH valid AS ( \
     SELECT request.room_id, request.epoch, request.claim_id \
     FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS request (room_id, code, epoch, claim_id) \
     JOIN room ON room.id = request.room_id AND room.code = request.code AND (room.epoch = request.epoch \
     OR request.claim_id <> 0 AND room.claim_id = request.claim_id AND room.epoch = request.epoch + 1) \
     WHERE EXISTS (SELECT 1 FROM database_state WHERE format BETWEEN $6 AND $7) \
     ORDER BY room.id FOR UPDATE OF room \
     ) UPDATE room SET epoch = valid.epoch + 1, claim_id = valid.claim_id, leader = $5 \
     FROM valid WHERE room.id = valid.room_id RETURNING room.id, room.epoch, room.claim_id, room.head";

/// A claim that waits for its answer.
pub(super) struct RequestedClaim {
    found: FoundRoom,
    claim_id: i64,
    sender: AnswerSender<Claim>,
}

impl RequestedClaim {
    pub(super) fn new(found: FoundRoom, sender: AnswerSender<Claim>) -> Self {
        Self {
            found,
            claim_id: random_claim_id(),
            sender,
        }
    }

    /// The number of the room in the database.
    pub(super) fn room(&self) -> i64 {
        self.found.room
    }

    /// Sends the answer.
    pub(super) fn answer(self, claim: Result<Claim, WriteError>) {
        let _ = self.sender.send(claim);
    }
}

/// The claims of a group that are not answered yet, in parts. A part is one statement, and has no room twice.
pub(super) struct WaitingClaims {
    /// The next part is the last one.
    parts: Vec<Vec<RequestedClaim>>,
    repeats: usize,
}

impl WaitingClaims {
    /// The claims of a group, in their order. Of two claims of a room the later one is in a later part.
    pub(super) fn new(mut claims: Vec<RequestedClaim>) -> Self {
        let mut parts = Vec::new();
        while !claims.is_empty() {
            let mut rooms = HashSet::new();
            let (first, later) = claims
                .into_iter()
                .partition(|claim| rooms.insert(claim.room()));
            parts.push(first);
            claims = later;
        }
        parts.reverse();
        Self { parts, repeats: 0 }
    }

    pub(super) fn next_part(&mut self) -> Option<Vec<RequestedClaim>> {
        self.parts.pop()
    }

    /// Makes two parts of one, because one of its claims may have failed it.
    pub(super) fn split(&mut self, mut part: Vec<RequestedClaim>) {
        let second = part.split_off(part.len() / 2);
        self.parts.extend([second, part]);
    }

    /// Whether claims may be sent again after a failure of the connection.
    pub(super) fn may_repeat(&self) -> bool {
        self.repeats < MAX_REPEATS
    }

    /// Sends these claims again.
    pub(super) fn repeat(&mut self, part: Vec<RequestedClaim>) {
        self.repeats += 1;
        self.parts.push(part);
    }
}

/// Claims rooms in one transaction. No room is among them twice. Returns the ends of the logs of the rooms that were claimed. The
/// others have another epoch or another code, or the database has none of these formats.
///
/// # Errors
/// If the database fails. Then the claims can be on disk nevertheless. They may be made again.
pub(super) async fn claim(
    connection: &mut PgConnection,
    node: Option<NodeId>,
    claims: &[RequestedClaim],
    formats: Formats,
) -> Result<HashMap<i64, AppendPosition>, DatabaseError> {
    let rooms: Vec<_> = claims.iter().map(RequestedClaim::room).collect();
    let codes: Vec<_> = claims
        .iter()
        .map(|claim| claim.found.code.as_str())
        .collect();
    let epochs: Vec<_> = claims.iter().map(|claim| claim.found.epoch).collect();
    let claim_ids: Vec<_> = claims.iter().map(|claim| claim.claim_id).collect();
    let claim = connection.prepare(CLAIM).await?;
    let claimed = connection
        .client
        .query(
            &claim,
            &[
                &rooms,
                &codes,
                &epochs,
                &claim_ids,
                &node.map(leader),
                &formats.oldest.0,
                &formats.newest.0,
            ],
        )
        .await?;
    let timeline = connection.timeline;
    let ends = claimed.iter().map(|row| {
        let position = AppendPosition {
            room: row.try_get(0)?,
            epoch: row.try_get(1)?,
            claim_id: row.try_get(2)?,
            rev: row.try_get(3)?,
            newest_recent_id: 0,
            timeline,
        };
        Ok((position.room, position))
    });
    ends.collect()
}
