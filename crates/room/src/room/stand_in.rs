//! Idle people, who may ask for more time (`more_time`), and a bot that stands in for an absent or idle person: when it may
//! begin (`stand_in`), and when it ends (`back`).
//!
//! `Person::has_stand_in` has the state. `schedule.rs` plays the moves of the bot, as those of any other bot.

use sticheln_bots::Player;
use sticheln_protocol::Idle;
use sticheln_rules::{Seat, Status};

use super::Room;
use super::commands::{CommandOutcome, Decision};
use super::timers::Wait;
use crate::state::CurrentGame;
use crate::{Change, Owner, Refusal, Timestamp};

impl<G: Player> Room<G> {
    /// Lets a bot stand in for the person on this seat, who is absent or idle.
    pub(super) fn stand_in(&self, owner: Owner, seat: Seat) -> Decision<G> {
        // If no seated person is here, a spectator may keep the game going.
        if !self.connected_people().is_empty() {
            self.seat(owner)?;
        }
        if !self.is_game_on() {
            return Err(Refusal::NoGame);
        }
        let person = self.chair(seat)?.person().ok_or(Refusal::NotAPerson)?;
        if self.state.acting_bot_level(seat).is_some() {
            return Err(Refusal::StoodIn);
        }
        if !self.may_be_stood_in_for(seat, person.owner) {
            return Err(Refusal::NotAway);
        }
        // Otherwise `back` and a new stand-in could alternate without end. During the turn of the seat a move of the bot follows.
        if self.is_log_full() && self.awaited_since(seat).is_none() {
            return Err(Refusal::LogFull);
        }
        Ok(CommandOutcome::Change(Change::StoodIn { seat }))
    }

    /// Ends the stand-in of the sender, who has returned.
    pub(super) fn back(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        if self.state.waits_for_deal(seat) {
            return Err(Refusal::WaitsForDeal);
        }
        let person = self.chair(seat)?.person();
        if !person.is_some_and(|person| person.has_stand_in) {
            return Err(Refusal::NotStoodIn);
        }
        Ok(CommandOutcome::Change(Change::Returned { seat }))
    }

    /// The time from which a bot may stand in for the person on this seat, who has been away or silent for too long then.
    /// `None` if they are connected and the room does not wait for them.
    ///
    /// An absence counts from the last loss of the connection. During their turn it counts from the first loss since their
    /// last message, but not from before the turn: a client that reconnects repeatedly must not stop the game.
    pub(super) fn stand_in_from(&self, seat: Seat, owner: Owner) -> Option<Timestamp> {
        let waiting_since = self.awaited_since(seat);
        let Some(disconnected) = self.presence.disconnected_since(owner) else {
            return Some(self.idle_deadline(Wait::SilentPerson, seat, waiting_since?));
        };
        let absent_since = match (waiting_since, self.presence.first_disconnected_at(owner)) {
            (Some(waiting_since), Some(first)) => first.max(waiting_since).min(disconnected),
            _ => disconnected,
        };
        Some(self.timers.end_of(Wait::AbsentPerson, absent_since))
    }

    /// Since when the game has waited for this seat; `None` if it does not.
    pub(super) fn awaited_since(&self, seat: Seat) -> Option<Timestamp> {
        let game = self.state.game.as_ref().filter(|game| !game.is_paused())?;
        let is_to_act = game.state.view(None).to_act().contains(&seat);
        is_to_act.then(|| self.waiting_since(game))
    }

    /// The end of a wait for a connected person who is to act. It is later if they have asked for more time.
    fn idle_deadline(&self, wait: Wait, seat: Seat, since: Timestamp) -> Timestamp {
        let at = self.timers.end_of(wait, since);
        let Some(game) = &self.state.game else {
            return at;
        };
        let at = match game.requests_of(seat).has_more_time {
            true => self.timers.end_of(Wait::MoreTime, at),
            false => at,
        };
        self.after_resumption(game, at)
    }

    /// The idleness of a connected person, once the others have waited for a while: for an act, or for them to be ready.
    pub(super) fn idle(&self, seat: Seat, owner: Owner) -> Option<Idle> {
        let game = self.state.game.as_ref().filter(|game| !game.is_paused())?;
        let since = self.waiting_since(game);
        let has_bot = self.state.acting_bot_level(seat).is_some();
        if has_bot || !self.presence.is_here(owner) || !self.timers.is_over(Wait::IdlePerson, since)
        {
            return None;
        }
        let is_awaited = match game.state.status() {
            Status::Playing => self.may_become_idle(game, seat),
            Status::ToDeal | Status::Over(_) => self.is_awaited_to_be_ready(game, seat),
        };
        let warn_at = self.idle_deadline(Wait::WarnedPerson, seat, since);
        let is_playing = game.state.status() == Status::Playing;
        is_awaited.then_some(Idle {
            since,
            warn_at: is_playing.then_some(warn_at),
        })
    }

    /// Whether the game waits for the person on this seat, and no time limit ends the turn before a bot may stand in.
    fn may_become_idle(&self, game: &CurrentGame<G>, seat: Seat) -> bool {
        let Some(since) = self.awaited_since(seat) else {
            return false;
        };
        let stand_in_from = self.timers.end_of(Wait::SilentPerson, since);
        let limit = self.turn_deadline(game);
        limit.is_none_or(|limit| limit > stand_in_from)
    }

    /// Whether the person on this seat is not ready and has not asked for time, and somebody else is connected and ready.
    /// During a planned restart nobody is waited for.
    fn is_awaited_to_be_ready(&self, game: &CurrentGame<G>, seat: Seat) -> bool {
        if game.requests_of(seat).holds || self.timers.restart_at().is_some() {
            return false;
        }
        let is_ready = |seat| self.state.chair(seat).is_some_and(|chair| chair.ready);
        let others = self.connected_people();
        let mut others = others.iter().filter(|(other, _)| *other != seat);
        !is_ready(seat) && others.any(|(other, _)| is_ready(*other))
    }

    /// Gives the sender more time before a bot may stand in, once in a turn.
    pub(super) fn more_time(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        let game = self.unpaused_game()?;
        if self.awaited_since(seat).is_none() {
            return Err(Refusal::NotWaited);
        }
        if self.state.acting_bot_level(seat).is_some() {
            return Err(Refusal::StoodIn);
        }
        if game.requests_of(seat).has_more_time {
            return Err(Refusal::NoMoreTime);
        }
        let usual = self
            .timers
            .end_of(Wait::SilentPerson, self.waiting_since(game));
        let with_more_time = self.timers.end_of(Wait::MoreTime, usual);
        let limit = self.turn_deadline(game);
        if limit.is_some_and(|limit| limit <= with_more_time) {
            return Err(Refusal::TurnLimited);
        }
        Ok(CommandOutcome::Change(Change::MoreTime { seat }))
    }

    /// The time when the people for whom the room waits become idle; `None` if it is past, or the room waits for nobody.
    pub(super) fn idle_at(&self) -> Option<Timestamp> {
        let game = self.state.game.as_ref().filter(|game| !game.is_paused())?;
        let at = self
            .timers
            .end_of(Wait::IdlePerson, self.waiting_since(game));
        (at > self.timers.now() && self.presence.is_occupied()).then_some(at)
    }

    /// Whether the table may show idle people.
    pub(super) fn may_show_idle(&self) -> bool {
        let game = self.state.game.as_ref().filter(|game| !game.is_paused());
        game.is_some_and(|game| {
            self.timers
                .is_over(Wait::IdlePerson, self.waiting_since(game))
        })
    }

    /// Whether a bot may stand in for the person on this seat now.
    pub(super) fn may_be_stood_in_for(&self, seat: Seat, owner: Owner) -> bool {
        let from = self.stand_in_from(seat, owner);
        from.is_some_and(|from| from <= self.timers.now())
    }
}
