//! The deadlines of a room: of a turn, of a break between rounds, and of an absent host. `stand_in.rs` has that of an absent
//! person in a game, `commands/seats.rs` that of one outside of a game.
//!
//! They are functions of the state and the presence of people, and change nothing. `timers.rs` has the durations and the
//! clock, and `schedule.rs` decides what happens at a deadline.

use sticheln_bots::Player;
use sticheln_rules::{Seat, Status};

use super::Room;
use super::presence::AWAY_AFTER;
use super::timers::Wait;
use crate::Timestamp;
use crate::state::CurrentGame;

impl<G: Player> Room<G> {
    /// The time when all connected people are ready; `None` if nobody is connected or one of them is not ready. It is not
    /// before each lost person who is not ready becomes away.
    pub(super) fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.state.people() {
            let is_ready = self.state.chair(seat).is_some_and(|chair| chair.ready);
            match self.presence.disconnected_since(person.owner) {
                None if is_ready => at = at.max(Some(self.timers.now())),
                None => return None,
                Some(_) if is_ready => {}
                Some(since) => {
                    at = at.max(Some(
                        since.max(self.presence.occupied_since()).after(AWAY_AFTER),
                    ))
                }
            }
        }
        at.filter(|_| !self.connected_people().is_empty())
    }

    /// The time when the game goes on by itself: the time limit ends, or the next round is dealt. It goes on earlier when
    /// all have acted, or all are ready.
    pub(super) fn game_deadline(&self) -> Option<Timestamp> {
        let game = self.state.game.as_ref().filter(|game| !game.paused)?;
        match game.state.status() {
            Status::Playing => self.turn_deadline(game),
            Status::ToDeal if self.timers.restart_at().is_some() => None,
            Status::ToDeal => Some(self.next_round_at(game)),
            Status::Over(_) => None,
        }
    }

    /// The time when the next round is dealt although not all are ready.
    pub(super) fn next_round_at(&self, game: &CurrentGame<G>) -> Timestamp {
        let since = self.waiting_since(game);
        self.timers.end_of(Wait::NextRound, since)
    }

    /// The deadline of a turn: when the time of the seats on turn is over. `None` if it is not limited.
    pub(super) fn turn_deadline(&self, game: &CurrentGame<G>) -> Option<Timestamp> {
        let wait = Wait::Turn(self.state.settings.turn_seconds?);
        Some(self.timers.end_of(wait, self.waiting_since(game)))
    }

    /// The time since which the room has waited for the next move. Time without any connection does not count.
    pub(super) fn waiting_since(&self, game: &CurrentGame<G>) -> Timestamp {
        game.since.max(self.presence.occupied_since())
    }

    /// The seat whose person becomes the host, and when: at once if there is no host.
    pub(super) fn next_host(&self) -> Option<(Timestamp, Seat)> {
        let at = match self.state.host_owner() {
            Some(host) => {
                let lost = self.presence.disconnected_since(host)?;
                let since = lost.max(self.presence.occupied_since());
                self.timers.end_of(Wait::AbsentHost, since)
            }
            None => self.timers.now(),
        };
        let (seat, _) = *self.connected_people().first()?;
        Some((at, seat))
    }
}
