//! The requests of clients that the task of the room answers from the database, and their limits: for the log of a round, and for the
//! list of games.

use std::collections::BTreeMap;
use std::time::Duration;

use sticheln_bots::Player;
use sticheln_protocol::MessageText;

use super::rate_limit::{Rate, RateLimit};
use super::{Effect, Room};
use crate::{ConnId, Owner, Refusal, RoundLogRequest, Timestamp};

/// With so many waiting requests of a room, those of spectators are refused: the server reads one round after another.
const MAX_PENDING: usize = 4;
/// The reads of an owner.
const READS_OF_OWNER: Rate = Rate {
    burst: 6,
    interval: Duration::from_secs(2),
};
/// The reads of all spectators of a room, who may have many tokens.
const READS_OF_ROOM: Rate = Rate {
    burst: 30,
    interval: Duration::from_millis(250),
};

/// The requests that wait. Most rooms have never had one.
#[derive(Default)]
pub(super) struct ReadRequests(Option<Box<Requests>>);

#[derive(Default)]
struct Requests {
    /// The id of the message of each connection that waits: at most one.
    pending: BTreeMap<ConnId, String>,
    of_owner: RateLimit<Owner>,
    of_room: RateLimit<()>,
}

impl ReadRequests {
    /// Whether the message of this connection with this id waits.
    pub(super) fn waits_for(&self, conn: ConnId, id: &str) -> bool {
        let requests = self.0.as_ref();
        let pending = requests.and_then(|requests| requests.pending.get(&conn));
        pending.is_some_and(|pending| pending == id)
    }

    /// Lets a message wait.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if one of this connection waits, or the owner is a spectator and too many of the room wait;
    /// [`Refusal::TooSoon`] if the owner or the room has read too much.
    fn begin(
        &mut self,
        conn: ConnId,
        id: &str,
        owner: Owner,
        is_seated: bool,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let requests = self.0.get_or_insert_default();
        // Spectators never keep seated people, who are few, from reading.
        let is_full = !is_seated && requests.pending.len() >= MAX_PENDING;
        if requests.pending.contains_key(&conn) || is_full {
            return Err(Refusal::Busy);
        }
        requests.of_owner.try_charge(owner, READS_OF_OWNER, now)?;
        if !is_seated {
            requests.of_room.try_charge((), READS_OF_ROOM, now)?;
        }
        requests.pending.insert(conn, id.to_owned());
        Ok(())
    }

    /// Ends the wait of the message of this connection. Returns its id.
    fn take(&mut self, conn: ConnId) -> Option<String> {
        self.0.as_mut()?.pending.remove(&conn)
    }

    /// Drops the message that waits on a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.take(conn);
    }
}

impl<G: Player> Room<G> {
    /// Requests a read of a round of the current game. The message waits for [`Room::read_done`].
    pub(super) fn request_round_log(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
        round: u8,
    ) -> Result<(), Refusal> {
        let game = self.state.game.as_ref().ok_or(Refusal::NoGame)?;
        let deal_entry = game.header.deal_entry(round)?;
        self.begin_read(conn, owner, id)?;
        let read = RoundLogRequest {
            deal_entry,
            shuffle: self.entropy.shuffle.clone(),
        };
        self.outputs.effects.push(Effect::ReadRoundLog(conn, read));
        Ok(())
    }

    /// Requests the list of the games of this room. The message waits for [`Room::read_done`].
    pub(super) fn request_games(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
    ) -> Result<(), Refusal> {
        self.begin_read(conn, owner, id)?;
        self.outputs.effects.push(Effect::ListGames(conn, owner));
        Ok(())
    }

    fn begin_read(&mut self, conn: ConnId, owner: Owner, id: &str) -> Result<(), Refusal> {
        let now = self.timers.now();
        let is_seated = self.state.seat_of(owner).is_some();
        let reads = &mut self.slow_work.read_requests;
        reads.begin(conn, id, owner, is_seated, now)
    }

    /// Sends what was read, and answers the message that has waited for it.
    pub(super) fn read_done(&mut self, conn: ConnId, read: Result<MessageText, Refusal>) {
        let Some(id) = self.slow_work.read_requests.take(conn) else {
            return;
        };
        let answer = read.map(|text| self.send_text(conn, text));
        // The answer is not kept: a repetition is sent the text too.
        self.answer(conn, Some(&id), answer);
    }
}
