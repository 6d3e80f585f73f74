//! The commands about a game: `start`, `rematch`, `pause`, `resume`, `hold`, `agree_to_end`, `end`,
//! `return_to_lobby` and `act`.

use serde_json::Value;
use sticheln_bots::Player;
use sticheln_protocol::{ActionError, ClientMessage, Phase};
use sticheln_rules::{Seat, Status, View};

use super::{CommandOutcome, Decision};
use crate::current_game::CurrentGame;
use crate::room::Room;
use crate::room::write_budget::MAX_CHOICE_REPLACEMENTS;
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
        let seat = self.seat(owner)?;
        if !self.is_game_on() {
            return Err(Refusal::NoGame);
        }
        let game = self.unpaused_game()?;
        match game.requests_of(seat).pauses_left() {
            0 => Err(Refusal::NoPauseLeft),
            _ => Ok(CommandOutcome::Change(Change::Paused { seat })),
        }
    }

    pub(super) fn resume(&self, owner: Owner) -> Decision<G> {
        self.seat(owner)?;
        match self.state.phase() {
            Phase::Paused => Ok(CommandOutcome::Change(Change::Resumed)),
            Phase::Lobby | Phase::Playing | Phase::Over => Err(Refusal::NotPaused),
        }
    }

    /// Delays the deal of the next round.
    pub(super) fn hold(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        let game = self.unpaused_game()?;
        if game.state.status() != Status::ToDeal {
            return Err(Refusal::NotBetweenRounds);
        }
        if game.requests_of(seat).holds {
            return Err(Refusal::NoHoldLeft);
        }
        Ok(CommandOutcome::Change(Change::Held { seat }))
    }

    pub(super) fn agree_to_end(&self, owner: Owner, agrees: bool) -> Decision<G> {
        let seat = self.seat(owner)?;
        let game = self.state.game.as_ref().filter(|_| self.is_game_on());
        let game = game.ok_or(Refusal::NoGame)?;
        let is_new = game.requests_of(seat).agrees_to_end != agrees;
        let change = Change::EndAgreed { seat, agrees };
        Ok(CommandOutcome::if_new(is_new, change))
    }

    pub(super) fn end(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        // A game that has just ended in another way must not be cleared: its standings are shown.
        if !self.is_game_on() {
            return Err(Refusal::NoGame);
        }
        Ok(CommandOutcome::Change(self.early_end()))
    }

    pub(super) fn return_to_lobby(&self, owner: Owner) -> Decision<G> {
        self.check_host(owner)?;
        match self.state.phase() {
            Phase::Over => Ok(CommandOutcome::Change(Change::Ended)),
            Phase::Lobby | Phase::Playing | Phase::Paused => Err(Refusal::GameNotOver),
        }
    }

    pub(super) fn act(&self, owner: Owner, action: Value) -> Decision<G> {
        let seat = self.seat(owner)?;
        let action = read_action::<G>(&action)?;
        let game = self.unpaused_game()?;
        if self.state.waits_for_deal(seat) {
            return Err(Refusal::WaitsForDeal);
        }
        if game.continuation.is_some() {
            return Err(Refusal::PositionGiven);
        }
        let view = game.state.view(Some(seat));
        view.check(&action)?;
        Ok(CommandOutcome::Change(if view.chosen().contains(&seat) {
            self.check_replacements(game, seat)?;
            Change::ChoiceReplaced { seat, action }
        } else {
            let by = Actor::Owner;
            Change::Acted { seat, by, action }
        }))
    }
}

// Choices that are replaced. Only their seats notice it.
impl<G: Player> Room<G> {
    /// The actions with which the observer of this view may replace their choice.
    pub(in crate::room) fn choice_replacements(&self, view: &View<'_, G>) -> Vec<G::Action> {
        let game = self.state.game.as_ref();
        let is_allowed = |seat| Some(self.check_replacements(game?, seat).is_ok());
        match view.seat().and_then(is_allowed) {
            Some(true) => view.changes(),
            Some(false) | None => Vec::new(),
        }
    }

    /// Checks that a seat has replaced its choice less often than a round allows.
    fn check_replacements(&self, game: &CurrentGame<G>, seat: Seat) -> Result<(), Refusal> {
        let count = game.replacement_counts.get(&seat).copied();
        let is_allowed = count.is_none_or(|count| count < MAX_CHOICE_REPLACEMENTS);
        is_allowed.then_some(()).ok_or(Refusal::ReplacedTooOften)
    }

    /// Whether this is a command to replace a choice, be it allowed or not. It is no sign of presence: others are shown how
    /// long people have been absent.
    pub(super) fn replaces_choice(&self, owner: Owner, command: &ClientMessage) -> bool {
        let ClientMessage::Act { .. } = command else {
            return false;
        };
        let game = self.state.game.as_ref();
        let chosen = game.map(|game| game.state.view(None).chosen());
        let seat = self.state.seat_of(owner);
        seat.is_some_and(|seat| chosen.is_some_and(|chosen| chosen.contains(&seat)))
    }
}

/// Reads an action of the game.
fn read_action<G: Player>(action: &Value) -> Result<G::Action, Refusal> {
    sticheln_protocol::read_action::<G>(action).map_err(|error| match error {
        ActionError::Malformed => Refusal::Malformed,
        ActionError::Illegal(illegal) => Refusal::Illegal(illegal),
    })
}
