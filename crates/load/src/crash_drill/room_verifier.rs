//! Verifies the public state of a room over all restarts: nothing that it has shown may be taken back.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use super::event_log::{EventLog, SeenEvents};
use crate::Failure;
use crate::wire::{GameMessage, Phase, RoomMessage, SheetMessage};

/// The views that one room has sent to its players, over all restarts.
#[derive(Debug)]
pub(crate) struct RoomVerifier {
    room: String,
    /// The newest revision that any player has received.
    newest: u64,
    /// The time when that revision was first received.
    newest_at: Instant,
    /// The hash of the public state of the game at each revision.
    states: BTreeMap<u64, u64>,
    /// The points of the finished rounds.
    rounds: Vec<Vec<i32>>,
    events: EventLog,
}

impl RoomVerifier {
    /// For a room of which nothing is known yet.
    pub(crate) fn new(room: String) -> Self {
        Self {
            room,
            newest: 0,
            newest_at: Instant::now(),
            states: BTreeMap::new(),
            rounds: Vec::new(),
            events: EventLog::default(),
        }
    }

    /// The code of the room.
    pub(crate) fn room(&self) -> &str {
        &self.room
    }

    /// The newest revision that any player has received. A connection that begins now must not receive an
    /// older one.
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// The time without a new revision.
    pub(crate) fn stalled_for(&self) -> Duration {
        self.newest_at.elapsed()
    }

    /// Restarts the time without a new revision.
    pub(crate) fn restart_stall_timer(&mut self) {
        self.newest_at = Instant::now();
    }

    /// Verifies a `game` message: all players see the same public state at the same revision, and all events once. `seen` are those
    /// of its receiver.
    ///
    /// # Errors
    /// [`Failure::Violation`] if this state differs from an earlier one, or shows hidden cards, or if events are missing or doubled.
    pub(crate) fn verify_game(
        &mut self,
        game: &GameMessage,
        seen: &mut SeenEvents,
    ) -> Result<(), Failure> {
        let room = &self.room;
        let violation = |what| Failure::Violation(format!("Room {room}: {what}."));
        self.events.verify(seen, game).map_err(violation)?;
        let is_picking = game
            .view
            .table
            .get("phase")
            .is_some_and(|phase| phase == "pick");
        if game.view.hands.is_some() || is_picking && game.view.table.get("picks").is_some() {
            return Err(violation(format!(
                "revision {} shows hidden cards",
                game.rev
            )));
        }
        let mut hasher = DefaultHasher::new();
        game.view.to_act.hash(&mut hasher);
        game.view.table.to_string().hash(&mut hasher);
        let hash = hasher.finish();
        self.note_revision(game.rev);
        if *self.states.entry(game.rev).or_insert(hash) == hash {
            return Ok(());
        }
        let (room, rev) = (&self.room, game.rev);
        Err(Failure::Violation(format!(
            "Room {room} has shown two different states of the game as revision {rev}."
        )))
    }

    /// Notes a `room` message. `seen` are the events that its receiver has seen.
    pub(crate) fn note_room(&mut self, room: &RoomMessage, seen: &mut SeenEvents) {
        self.note_revision(room.rev);
        if room.table.phase == Phase::Lobby {
            self.events.note_lobby(room.rev);
            seen.rev = Some(room.rev);
        }
    }

    /// Verifies a `sheet` message: the points of a finished round never change.
    ///
    /// # Errors
    /// [`Failure::Violation`] if points have changed.
    pub(crate) fn verify_sheet(&mut self, sheet: &SheetMessage) -> Result<(), Failure> {
        let mut pairs = self.rounds.iter().zip(&sheet.rounds);
        if pairs.any(|(known, shown)| known != shown) {
            let code = &self.room;
            return Err(Failure::Violation(format!(
                "Room {code} has changed the points of a finished round."
            )));
        }
        let known = self.rounds.len();
        self.rounds.extend(sheet.rounds.iter().skip(known).cloned());
        Ok(())
    }

    fn note_revision(&mut self, rev: u64) {
        if rev > self.newest {
            self.newest = rev;
            self.newest_at = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_finished_round_that_change_are_a_violation() {
        let mut verifier = RoomVerifier::new("k7qm2x4p".into());
        let mut verify = |rounds: &[[i32; 2]]| {
            let rounds = rounds.iter().map(|points| points.to_vec()).collect();
            verifier.verify_sheet(&SheetMessage { rounds })
        };
        for rounds in [&[][..], &[[1, 2]], &[[1, 2], [3, 4]], &[[1, 2]]] {
            assert_eq!(verify(rounds), Ok(()));
        }
        assert!(verify(&[[1, 2], [3, 5]]).is_err());
    }
}
