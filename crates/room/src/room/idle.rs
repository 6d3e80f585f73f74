//! Idle people: connected, while the others wait for their move or for them to be ready. They may ask for more time (`more_time`).
//!
//! Moves do not encode the table. So the time when people become idle is computed after each input ([`Room::next_idle_change`]), and the
//! table is encoded at that time.

use sticheln_bots::Player;
use sticheln_protocol::Idle;
use sticheln_rules::{Seat, Status};

use super::Room;
use super::commands::{CommandOutcome, Decision};
use super::timers::Timeout;
use crate::current_game::CurrentGame;
use crate::{Change, Owner, Refusal, Timestamp};

impl<G: Player> Room<G> {
    /// The end of a wait for a connected person who is to act. It is later if they have asked for more time.
    pub(super) fn idle_deadline(
        &self,
        timeout: Timeout,
        seat: Seat,
        since: Timestamp,
    ) -> Timestamp {
        let at = self.timers.end_of(timeout, since);
        let Some(game) = &self.state.game else {
            return at;
        };
        let at = match game.requests_of(seat).has_more_time {
            true => self.timers.end_of(Timeout::MoreTime, at),
            false => at,
        };
        self.after_resumption(game, at)
    }

    /// The idleness of a connected person, once the others have waited for a while: for a move, or for them to be ready.
    pub(super) fn idle(&self, seat: Seat, owner: Owner) -> Option<Idle> {
        let game = self.state.unpaused_game()?;
        let since = self.waiting_since(game);
        let has_bot = self.state.acting_bot_level(seat).is_some();
        if has_bot
            || !self.presence.is_here(owner)
            || !self.timers.has_expired(Timeout::IdleShown, since)
        {
            return None;
        }
        let is_awaited = match game.state.status() {
            Status::Playing => self.may_become_idle(game, seat),
            Status::ToDeal | Status::Over(_) => self.is_awaited_to_be_ready(game, seat),
        };
        let warn_at = self.idle_deadline(Timeout::IdleWarning, seat, since);
        let is_playing = game.state.status() == Status::Playing;
        is_awaited.then_some(Idle {
            since,
            warn_at: is_playing.then_some(warn_at),
            warned: is_playing && warn_at <= self.timers.now(),
        })
    }

    /// Whether the game waits for the person on this seat, and no time limit ends the turn before a bot may stand in.
    fn may_become_idle(&self, game: &CurrentGame<G>, seat: Seat) -> bool {
        let Some(since) = self.awaited_since(seat) else {
            return false;
        };
        let stand_in_from = self.timers.end_of(Timeout::IdleStandIn, since);
        let limit = self.turn_deadline(game);
        limit.is_none_or(|limit| limit > stand_in_from)
    }

    /// Whether the person on this seat is not ready and has not asked for time, and somebody else is connected and ready.
    /// During a planned restart nobody is waited for.
    fn is_awaited_to_be_ready(&self, game: &CurrentGame<G>, seat: Seat) -> bool {
        if game.requests_of(seat).holds || self.timers.restart_at().is_some() {
            return false;
        }
        let others = self.connected_people();
        let mut others = others.iter().filter(|(other, _)| *other != seat);
        !self.state.is_ready(seat) && others.any(|(other, _)| self.state.is_ready(*other))
    }

    /// Gives the sender more time before a bot may stand in, once in a turn.
    pub(super) fn more_time(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        let game = self.unpaused_game()?;
        if self.awaited_since(seat).is_none() {
            return Err(Refusal::NotAwaited);
        }
        if self.state.acting_bot_level(seat).is_some() {
            return Err(Refusal::StoodIn);
        }
        if game.requests_of(seat).has_more_time {
            return Err(Refusal::NoMoreTime);
        }
        let usual = self
            .timers
            .end_of(Timeout::IdleStandIn, self.waiting_since(game));
        let with_more_time = self.timers.end_of(Timeout::MoreTime, usual);
        let limit = self.turn_deadline(game);
        if limit.is_some_and(|limit| limit <= with_more_time) {
            return Err(Refusal::TurnLimited);
        }
        Ok(CommandOutcome::Change(Change::MoreTime { seat }))
    }

    /// The time when the people for whom the room waits become idle, or else when the next of them is warned; `None` if the room
    /// waits for nobody. Clients of hidden pages run their timers late, so the warning is a message too.
    pub(super) fn next_idle_change(&self) -> Option<Timestamp> {
        let game = self.state.unpaused_game()?;
        if !self.presence.is_occupied() {
            return None;
        }
        let now = self.timers.now();
        let waiting_since = self.waiting_since(game);
        let idle_at = self.timers.end_of(Timeout::IdleShown, waiting_since);
        if idle_at > now {
            return Some(idle_at);
        }
        let people = self.state.people();
        let idle = people.filter_map(|(seat, person)| self.idle(seat, person.owner));
        let warnings = idle.filter_map(|idle| idle.warn_at);
        warnings.filter(|at| *at > now).min()
    }

    /// Whether the table may show idle people.
    pub(super) fn may_show_idle(&self) -> bool {
        let game = self.state.unpaused_game();
        game.is_some_and(|game| {
            self.timers
                .has_expired(Timeout::IdleShown, self.waiting_since(game))
        })
    }
}
