//! The requests for the log of a round that wait for the task of the room, and their limits.

use std::collections::BTreeMap;
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::MessageText;

use super::rate_limit::RateLimit;
use super::{Effect, Room};
use crate::{ConnId, Owner, Refusal, RoundRead, Timestamp};

/// The most reads of a room at a time: each needs a connection to the database.
const MAX_PENDING: usize = 4;
/// The reads that an owner has at once, and the time for one more.
const OF_OWNER: (u32, Duration) = (6, Duration::from_secs(2));
/// The reads that all owners in a room have at once, and the time for one more. Spectators may have many tokens.
const OF_ROOM: (u32, Duration) = (30, Duration::from_millis(250));

/// The requests for the log of a round.
pub(super) struct RoundReads {
    /// The id of the message of each connection that waits: at most one.
    pending: BTreeMap<ConnId, String>,
    of_owner: RateLimit<Owner>,
    of_room: RateLimit<()>,
}

impl RoundReads {
    /// No request waits.
    pub(super) fn new() -> Self {
        Self {
            pending: BTreeMap::new(),
            of_owner: RateLimit::new(OF_OWNER.0, OF_OWNER.1),
            of_room: RateLimit::new(OF_ROOM.0, OF_ROOM.1),
        }
    }

    /// Whether the message of this connection with this id waits.
    pub(super) fn waits_for(&self, conn: ConnId, id: &str) -> bool {
        self.pending.get(&conn).is_some_and(|pending| pending == id)
    }

    /// Lets a message wait.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if one of this connection waits, or too many of the room; [`Refusal::TooSoon`] if the owner or the
    /// room has read too much.
    fn begin(
        &mut self,
        conn: ConnId,
        id: &str,
        owner: Owner,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if self.pending.contains_key(&conn) || self.pending.len() >= MAX_PENDING {
            return Err(Refusal::Busy);
        }
        self.of_owner.try_charge(owner, now)?;
        self.of_room.try_charge((), now)?;
        self.pending.insert(conn, id.to_owned());
        Ok(())
    }

    /// Drops the message that waits on a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.pending.remove(&conn);
    }
}

impl<G: Player> Room<G> {
    /// Requests a read of a round of the current game. The message waits for [`Room::round_read`].
    pub(super) fn request_round_log(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
        round: u8,
    ) -> Result<(), Refusal> {
        let game = self.state.game.as_ref().ok_or(Refusal::NoGame)?;
        let first_rev = game.deal_rev(round)?;
        let now = self.timers.now();
        self.slow_work.round_reads.begin(conn, id, owner, now)?;
        let read = RoundRead {
            first_rev,
            shuffle: self.entropy.shuffle.clone(),
        };
        self.outputs.effects.push(Effect::ReadRound(conn, read));
        Ok(())
    }

    /// Sends the log of a round, and answers the message that has waited for it. `None`: the round cannot be read.
    pub(super) fn round_read(&mut self, conn: ConnId, log: Option<MessageText>) {
        let Some(id) = self.slow_work.round_reads.pending.remove(&conn) else {
            return;
        };
        let answer = match log {
            Some(log) => {
                self.send_text(conn, log);
                Ok(())
            }
            None => Err(Refusal::RoundUnavailable),
        };
        // The answer is not kept: a repetition is sent the log too.
        self.answer(conn, Some(&id), answer);
    }
}
