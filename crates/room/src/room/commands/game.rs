//! The commands about a game: `start`, `rematch`, `pause`, `resume`, `end` and `act`.

use serde_json::Value;
use sticheln_bots::Player;
use sticheln_protocol::{ActionError, Phase};

use super::{CommandOutcome, Decision};
use crate::room::Room;
use crate::{Actor, Change, Owner, Refusal};

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
        if !self.has_enough_for_a_game() {
            return Err(Refusal::WrongSeats);
        }
        if self.timers.restart_at().is_some() {
            return Err(Refusal::RestartPlanned);
        }
        Ok(CommandOutcome::Change(self.start_with_all()))
    }

    pub(super) fn pause(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        match self.state.phase() {
            Phase::Playing => Ok(CommandOutcome::Change(Change::Paused)),
            Phase::Paused => Err(Refusal::Paused),
            Phase::Lobby | Phase::Over => Err(Refusal::NoGame),
        }
    }

    pub(super) fn resume(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        match self.state.phase() {
            Phase::Paused => Ok(CommandOutcome::Change(Change::Resumed)),
            Phase::Lobby | Phase::Playing | Phase::Over => Err(Refusal::NotPaused),
        }
    }

    pub(super) fn end(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        if self.state.game.is_none() {
            return Err(Refusal::NoGame);
        }
        Ok(CommandOutcome::Change(Change::Ended))
    }

    pub(super) fn act(&self, owner: Owner, action: Value) -> Decision<G> {
        let seat = self.seat(owner)?;
        let action = read_action::<G>(&action)?;
        let game = self.unpaused_game()?;
        if self.state.waits_for_deal(seat) {
            return Err(Refusal::WaitsForDeal);
        }
        game.state.view(Some(seat)).check(&action)?;
        let by = Actor::Owner;
        Ok(CommandOutcome::Change(Change::Acted { seat, by, action }))
    }
}

/// Reads an action of the game.
fn read_action<G: Player>(action: &Value) -> Result<G::Action, Refusal> {
    sticheln_protocol::read_action::<G>(action).map_err(|error| match error {
        ActionError::Malformed => Refusal::Malformed,
        ActionError::Illegal(illegal) => Refusal::Illegal(illegal),
    })
}
