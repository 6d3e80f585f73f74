//! The deadlines of a room: of a turn, of a break between rounds, of an absent person or host.
//!
//! They are functions of the state and the presence of people. `timers.rs` has the durations and the clock.

use sticheln_bots::Player;
use sticheln_rules::{Seat, Status};

use super::Room;
use super::presence::AWAY;
use super::timers::Wait;
use crate::state::Play;
use crate::{Owner, Timestamp};

impl<G: Player> Room<G> {
    /// The time when all people who are present are ready, at least one. A lost person counts as present until they are away.
    pub(super) fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.state.people() {
            let is_ready = self.state.chair(seat).is_some_and(|chair| chair.ready);
            match self.presence.lost_since(person.owner) {
                None if is_ready => at = at.max(Some(self.timers.now())),
                None => return None,
                Some(_) if is_ready => {}
                Some(since) => {
                    at = at.max(Some(since.max(self.presence.occupied_since()).after(AWAY)))
                }
            }
        }
        at.filter(|_| !self.present().is_empty())
    }

    /// The time when the game goes on by itself: the time limit ends, or the next round is dealt. It goes on earlier when all have
    /// acted, or all are ready.
    pub(super) fn game_deadline(&self) -> Option<Timestamp> {
        let play = self.state.play.as_ref().filter(|play| !play.paused)?;
        match play.state.status() {
            Status::Playing => self.turn_deadline(play),
            Status::ToDeal => Some(self.next_round_at(play)),
            Status::Over(_) => None,
        }
    }

    /// The time when the next round is dealt although not all are ready.
    pub(super) fn next_round_at(&self, play: &Play<G>) -> Timestamp {
        let since = self.waiting_since(play);
        self.timers.end_of(Wait::NextRound, since)
    }

    /// The deadline of a turn: when the time of the seats on turn is over. `None` if it is not limited.
    pub(super) fn turn_deadline(&self, play: &Play<G>) -> Option<Timestamp> {
        let wait = Wait::Turn(self.state.settings.turn_seconds?);
        Some(self.timers.end_of(wait, self.waiting_since(play)))
    }

    /// The time since which the room has waited for the next move. Time without any connection does not count.
    pub(super) fn waiting_since(&self, play: &Play<G>) -> Timestamp {
        play.since.max(self.presence.occupied_since())
    }

    /// The time from which a bot may stand in for the person on this seat, who has been away or silent for too long then.
    /// `None` if they are connected and the room does not wait for them.
    ///
    /// The time begins when the room waits for them. During their turn only their own message ends the absence, because a
    /// client that reconnects repeatedly would stop the game.
    pub(super) fn stand_in_from(&self, seat: Seat, owner: Owner) -> Option<Timestamp> {
        let play = self.state.play.as_ref().filter(|play| !play.paused);
        let play = play.filter(|play| play.state.view(None).to_act().contains(&seat));
        let waiting_since = play.map(|play| self.waiting_since(play));
        let Some(lost) = self.presence.lost_since(owner) else {
            return Some(self.timers.end_of(Wait::Idle, waiting_since?));
        };
        let first = waiting_since.zip(self.presence.first_lost(owner));
        let since = first.map_or(lost, |(waiting, first)| waiting.max(first).min(lost));
        Some(self.timers.end_of(Wait::Absent, since))
    }

    /// Whether a bot may stand in for the person on this seat now.
    pub(super) fn may_be_stood_in_for(&self, seat: Seat, owner: Owner) -> bool {
        let from = self.stand_in_from(seat, owner);
        from.is_some_and(|from| from <= self.timers.now())
    }

    /// The seat whose person becomes the host, and when: at once if there is no host.
    pub(super) fn next_host(&self) -> Option<(Timestamp, Seat)> {
        let at = match self.state.host_owner() {
            Some(host) => {
                let lost = self.presence.lost_since(host)?;
                let since = lost.max(self.presence.occupied_since());
                self.timers.end_of(Wait::Host, since)
            }
            None => self.timers.now(),
        };
        let (seat, _) = *self.present().first()?;
        Some((at, seat))
    }
}
