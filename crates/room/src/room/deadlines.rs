//! The deadlines of a room: of a turn, of a pause, of a break between rounds, and of an absent or idle host. `stand_in.rs`
//! and `idle.rs` have those of an absent or idle person in a game, and `early_end.rs` has that of an agreement.
//! `commands/seats.rs` has that of an absent person outside of a game.
//!
//! They are functions of the state and the presence of people, and change nothing. `timers.rs` has the durations and the
//! clock, and `schedule.rs` decides what happens at a deadline.

use sticheln_bots::Player;
use sticheln_rules::{Seat, Status};

use super::Room;
use super::presence::AWAY_AFTER;
use super::timers::Timeout;
use crate::current_game::{CurrentGame, Pause};
use crate::{Owner, Phase, Timestamp};

impl<G: Player> Room<G> {
    /// The time when all connected people are ready; `None` if nobody is connected or one of them is not ready. It is not
    /// before each lost person who is not ready becomes away.
    pub(super) fn all_ready_at(&self) -> Option<Timestamp> {
        let mut at = None;
        for (seat, person) in self.state.people() {
            let is_ready = self.state.is_ready(seat);
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

    /// The time when all connected people are ready, or this one if it is earlier.
    pub(super) fn all_ready_or(&self, latest: Timestamp) -> Timestamp {
        self.all_ready_at().map_or(latest, |at| at.min(latest))
    }

    /// The time when a pause ends although not all are ready. Time without any connection does not count.
    pub(super) fn pause_ends_at(&self, pause: Pause) -> Timestamp {
        let since = pause.at.max(self.presence.occupied_since());
        self.timers.end_of(Timeout::Pause, since)
    }

    /// The time when the game goes on by itself: the time limit ends, or the next round is dealt. It goes on earlier when
    /// all have acted, or all are ready.
    pub(super) fn game_deadline(&self) -> Option<Timestamp> {
        let game = self.state.unpaused_game()?;
        match game.state.status() {
            Status::Playing => self.turn_deadline(game),
            Status::ToDeal if self.timers.restart_at().is_some() => None,
            Status::ToDeal => Some(self.next_round_at(game)),
            Status::Over(_) => None,
        }
    }

    /// The time when the next round is dealt although not all are ready. Each seat can delay it once.
    pub(super) fn next_round_at(&self, game: &CurrentGame<G>) -> Timestamp {
        let since = self.waiting_since(game);
        let usual = self.timers.end_of(Timeout::NextRound, since);
        let holds = game.requests.iter().filter(|requests| requests.holds);
        let at = holds.fold(usual, |at, _| self.timers.end_of(Timeout::Hold, at));
        self.after_resumption(game, at)
    }

    /// This time, or a later one if the game was resumed a moment before.
    pub(super) fn after_resumption(&self, game: &CurrentGame<G>, at: Timestamp) -> Timestamp {
        let resumed = game.resumed_at;
        let earliest = resumed.map(|resumed| self.timers.end_of(Timeout::Resumed, resumed));
        earliest.map_or(at, |earliest| at.max(earliest))
    }

    /// The deadline of a turn: when the time of the seats on turn is over. `None` if it is not limited.
    pub(super) fn turn_deadline(&self, game: &CurrentGame<G>) -> Option<Timestamp> {
        let timeout = Timeout::Turn(self.state.settings.turn_seconds?);
        let since = self.waiting_since(game);
        let since = game.limit_set_at.map_or(since, |set_at| since.max(set_at));
        let at = self.timers.end_of(timeout, since);
        Some(self.after_resumption(game, at))
    }

    /// The time since which the room has waited for the next move. Time without any connection does not count.
    pub(super) fn waiting_since(&self, game: &CurrentGame<G>) -> Timestamp {
        game.since.max(self.presence.occupied_since())
    }

    /// The seat whose person becomes the host, and when: at once if there is no host. Active people come first; among equals,
    /// the one who has sat longest.
    pub(super) fn next_host(&self) -> Option<(Timestamp, Seat)> {
        let host = self.state.host_owner();
        let at = match host {
            Some(host) => self.host_passes_at(host)?,
            None => self.timers.now(),
        };
        let mut others = self.connected_people();
        others.retain(|(_, person)| Some(person.owner) != host);
        // The ticks of a room come a little late: the time of the plan counts, and not the time now.
        let is_active = |owner| {
            let last = self.presence.activity.last_command_at(owner);
            last.is_some_and(|last| self.timers.end_of(Timeout::IdleHost, last) >= at)
        };
        let active = others.iter().find(|(_, person)| is_active(person.owner));
        let (seat, _) = *active.or(others.first())?;
        Some((at, seat))
    }

    /// The time when another person becomes the host, because this one is absent, or idle while others wait for them.
    fn host_passes_at(&self, host: Owner) -> Option<Timestamp> {
        match self.presence.disconnected_since(host) {
            Some(lost) => {
                let since = lost.max(self.presence.occupied_since());
                Some(self.timers.end_of(Timeout::AbsentHost, since))
            }
            None => {
                let since = self.presence.activity.host_awaited_since(host)?;
                Some(self.timers.end_of(Timeout::IdleHost, since))
            }
        }
    }

    /// Records whether all others wait for the host: in a lobby with enough people and bots, or after a game, they are ready.
    /// During a planned restart nobody can begin a game.
    pub(super) fn record_wait_for_host(&mut self) {
        let host = self.state.host_owner();
        let others_ready = match self.state.phase() {
            _ if self.timers.restart_at().is_some() => false,
            Phase::Lobby => self.has_enough_for_a_game() && self.are_others_ready(host),
            Phase::Over => self.are_others_ready(host),
            Phase::Playing | Phase::Paused => false,
        };
        let now = self.timers.now();
        let activity = &mut self.presence.activity;
        if activity.set_others_ready(host, others_ready, now) {
            self.broadcast.invalidate_table();
        }
    }

    /// Whether there are other connected people than the host, and all of them are ready.
    fn are_others_ready(&self, host: Option<Owner>) -> bool {
        let mut others = self.connected_people();
        others.retain(|(_, person)| Some(person.owner) != host);
        let is_ready = |seat| self.state.is_ready(seat);
        !others.is_empty() && others.iter().all(|(seat, _)| is_ready(*seat))
    }
}
