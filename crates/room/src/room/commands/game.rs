//! The commands about a game: `start`, `rematch`, `pause`, `resume`, `end`, `stand_in`, `back` and `act`.

use serde_json::Value;
use sticheln_bots::Player;
use sticheln_protocol::{ActionError, Phase};
use sticheln_rules::Seat;

use super::{Decision, Outcome};
use crate::room::Room;
use crate::{By, Change, Owner, Refusal};

impl<G: Player> Room<G> {
    pub(super) fn start(&mut self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        self.check_lobby()?;
        self.begin()
    }

    pub(super) fn rematch(&mut self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        if self.state.phase() != Phase::Over {
            return Err(Refusal::GameNotOver);
        }
        self.begin()
    }

    fn begin(&mut self) -> Decision<G> {
        if !self.begins_with_enough() {
            return Err(Refusal::WrongSeats);
        }
        Ok(Outcome::Change(self.start_with_all()))
    }

    pub(super) fn pause(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        match self.state.phase() {
            Phase::Playing => Ok(Outcome::Change(Change::Paused)),
            Phase::Paused => Err(Refusal::Paused),
            Phase::Lobby | Phase::Over => Err(Refusal::NoGame),
        }
    }

    pub(super) fn resume(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        match self.state.phase() {
            Phase::Paused => Ok(Outcome::Change(Change::Resumed)),
            Phase::Lobby | Phase::Playing | Phase::Over => Err(Refusal::NotPaused),
        }
    }

    pub(super) fn end(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        if self.state.play.is_none() {
            return Err(Refusal::NoGame);
        }
        Ok(Outcome::Change(Change::Ended))
    }

    pub(super) fn stand_in(&self, owner: Owner, seat: Seat) -> Decision<G> {
        // If no seated person is here, a spectator may keep the game going.
        if !self.present().is_empty() {
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
        Ok(Outcome::Change(Change::StoodIn { seat }))
    }

    pub(super) fn back(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        if self.state.waits_for_deal(seat) {
            return Err(Refusal::WaitsForDeal);
        }
        let person = self.chair(seat)?.person();
        if !person.is_some_and(|person| person.has_stand_in) {
            return Err(Refusal::NotStoodIn);
        }
        Ok(Outcome::Change(Change::Returned { seat }))
    }

    pub(super) fn act(&self, owner: Owner, action: Value) -> Decision<G> {
        let seat = self.seat(owner)?;
        let action = read_action::<G>(&action)?;
        let play = self.unpaused_game()?;
        if self.state.waits_for_deal(seat) {
            return Err(Refusal::WaitsForDeal);
        }
        play.state.view(Some(seat)).check(&action)?;
        let by = By::Owner;
        Ok(Outcome::Change(Change::Acted { seat, by, action }))
    }
}

/// Reads an action of the game.
fn read_action<G: Player>(action: &Value) -> Result<G::Action, Refusal> {
    sticheln_protocol::read_action::<G>(action).map_err(|error| match error {
        ActionError::Malformed => Refusal::Malformed,
        ActionError::Illegal(illegal) => Refusal::Illegal(illegal),
    })
}
