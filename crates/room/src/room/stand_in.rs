//! A bot that stands in for an absent or idle person: when it may begin (`stand_in`), and when it ends (`back`).
//!
//! `Person::has_stand_in` has the state, and `idle.rs` the waits for idle people. `schedule.rs` plays the moves of the bot, as those of any other bot.

use sticheln_bots::Player;
use sticheln_rules::Seat;

use super::Room;
use super::commands::{CommandOutcome, Decision};
use super::timers::Timeout;
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

    /// The time from which a bot may stand in for the person on this seat, who has been away or idle for too long then.
    /// `None` if they are connected and the room does not wait for them.
    ///
    /// An absence counts from the last loss of the connection. During their turn it counts from the first loss since their
    /// last message, but not from before the turn: a client that reconnects repeatedly must not stop the game.
    pub(super) fn stand_in_from(&self, seat: Seat, owner: Owner) -> Option<Timestamp> {
        let waiting_since = self.awaited_since(seat);
        let Some(disconnected) = self.presence.disconnected_since(owner) else {
            return Some(self.idle_deadline(Timeout::IdleStandIn, seat, waiting_since?));
        };
        let absent_since = match (waiting_since, self.presence.first_disconnected_at(owner)) {
            (Some(waiting_since), Some(first)) => first.max(waiting_since).min(disconnected),
            _ => disconnected,
        };
        Some(self.timers.end_of(Timeout::AbsentPerson, absent_since))
    }

    /// Since when the game has waited for this seat; `None` if it does not.
    pub(super) fn awaited_since(&self, seat: Seat) -> Option<Timestamp> {
        let game = self.state.unpaused_game()?;
        let is_to_act = game.state.view(None).to_act().contains(&seat);
        is_to_act.then(|| self.waiting_since(game))
    }

    /// Whether a bot may stand in for the person on this seat now.
    pub(super) fn may_be_stood_in_for(&self, seat: Seat, owner: Owner) -> bool {
        let from = self.stand_in_from(seat, owner);
        from.is_some_and(|from| from <= self.timers.now())
    }
}
