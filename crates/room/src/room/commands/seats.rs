//! The commands of people about their chairs: `sit`, `stand`, `rename`, `ready`, `choose_character`
//! and `handover`.

use sticheln_bots::Player;
use sticheln_protocol::ServerMessage;
use sticheln_rules::Seat;

use super::{CommandOutcome, Decision};
use crate::chair::{Chair, Sitter, bot_names};
use crate::room::Room;
use crate::room::timers::Timeout;
use crate::{Change, ConnId, Name, Owner, Refusal};

impl<G: Player> Room<G> {
    pub(super) fn sit(&self, owner: Owner, name: &str, seat: Option<Seat>) -> Decision<G> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        self.check_offers(owner)?;
        let seat = match seat {
            Some(seat) => self.check_chair_for_person(seat)?,
            None => self.chair_for_person(owner).ok_or(Refusal::NoFreeChair)?,
        };
        let name = self.name_of_person(name, seat)?;
        let person = self.state.next_person();
        Ok(CommandOutcome::NamedChange(
            Change::Sat { seat, person },
            name,
        ))
    }

    pub(super) fn stand(&self, owner: Owner) -> Decision<G> {
        let seat = self.seat(owner)?;
        Ok(CommandOutcome::Change(self.leaving_change(seat)))
    }

    pub(super) fn rename(&mut self, owner: Owner, name: &str) -> Decision<G> {
        let Some(seat) = self.state.seat_of(owner) else {
            return self.rename_spectator(owner, name);
        };
        let name = self.name_of_person(name, seat)?;
        Ok(match self.chair(seat)?.name() == Some(&name) {
            true => CommandOutcome::Nothing,
            false => CommandOutcome::NamedChange(Change::Renamed { seat }, name),
        })
    }

    pub(super) fn ready(&self, owner: Owner, ready: bool) -> Decision<G> {
        let seat = self.seat(owner)?;
        let is_new = self.chair(seat)?.ready != ready;
        Ok(CommandOutcome::if_new(
            is_new,
            Change::Ready { seat, ready },
        ))
    }

    pub(super) fn choose_character(&self, owner: Owner, name: Option<&str>) -> Decision<G> {
        let seat = self.seat(owner)?;
        self.check_lobby()?;
        self.check_no_continuation()?;
        let index_of = |name: &str| {
            let found = G::CHARACTERS
                .iter()
                .position(|character| *character == name);
            let index = found.and_then(|at| u8::try_from(at).ok());
            index.ok_or(Refusal::UnknownCharacter)
        };
        let character = name.map(index_of).transpose()?;
        if self.state.is_character_taken(character, seat) {
            return Err(Refusal::CharacterTaken);
        }
        let is_new = self.chair(seat)?.character != character;
        let change = Change::CharacterChosen { seat, character };
        Ok(CommandOutcome::if_new(is_new, change))
    }

    pub(super) fn offer_handover(&mut self, conn: ConnId, owner: Owner) -> Decision<G> {
        self.seat(owner)?;
        let bits = (self.entropy.bits)();
        let state = &self.state;
        let is_seated = |owner| state.seat_of(owner).is_some();
        let (code, expires_at) =
            self.transfers
                .handovers
                .offer(owner, bits, self.timers.now(), is_seated);
        let offer = ServerMessage::Handover {
            code: &code,
            expires_at,
        };
        self.send(conn, &offer);
        Ok(CommandOutcome::Nothing)
    }

    pub(super) fn take_over(&self, owner: Owner, code: &str) -> Decision<G> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        let from = self.transfers.handovers.owner_of(code, self.timers.now());
        let seat = from.and_then(|from| self.state.seat_of(from));
        let seat = seat.ok_or(Refusal::BadHandover)?;
        Ok(CommandOutcome::Change(Change::HandedOver { seat }))
    }
}

// Chairs, and the names of the people and bots on them.
impl<G: Player> Room<G> {
    /// A chair that a person may take. First comes the chair whose hand they have in this round, then a free one. A chair of
    /// a bot is next, and last that of a person who has been absent for long.
    fn chair_for_person(&self, owner: Owner) -> Option<Seat> {
        let first = |is_good: &dyn Fn(&Chair) -> bool| {
            let found = self.state.seats().find(|(_, chair)| is_good(chair));
            found.map(|(seat, _)| seat)
        };
        self.chair_left_by(owner)
            .or_else(|| first(&|chair| chair.sitter == Sitter::Free))
            .or_else(|| first(&|chair| matches!(chair.sitter, Sitter::Bot(_))))
            .or_else(|| first(&|chair| self.may_be_replaced(chair)))
    }

    /// The chair that an owner left in this round, if no other person has taken it.
    fn chair_left_by(&self, owner: Owner) -> Option<Seat> {
        let seat = self.state.game.as_ref()?.hand_seats.get(owner)?;
        let chair = self.state.chair(seat)?;
        chair.person().is_none().then_some(seat)
    }

    /// Checks that a person may take this chair. An absent person loses their chair only if no other one is free.
    fn check_chair_for_person(&self, seat: Seat) -> Result<Seat, Refusal> {
        let chair = self.chair(seat)?;
        let is_free = |chair: &Chair| chair.sitter == Sitter::Free;
        let may_be_displaced =
            || !self.state.chairs.iter().any(is_free) && self.may_be_replaced(chair);
        if chair.person().is_some() && !may_be_displaced() {
            return Err(Refusal::ChairTaken);
        }
        Ok(seat)
    }

    /// Whether another person may take the chair of an absent one: after a while, unless a game is on.
    fn may_be_replaced(&self, chair: &Chair) -> bool {
        let disconnected_since = chair
            .person()
            .and_then(|person| self.presence.disconnected_since(person.owner));
        !self.is_game_on()
            && disconnected_since
                .is_some_and(|since| self.timers.has_expired(Timeout::AbsentOutsideGame, since))
    }

    /// The person or bot leaves this seat for good; during a game a bot takes it.
    pub(super) fn leaving_change(&self, seat: Seat) -> Change<G> {
        let replacement = self.is_game_on().then(|| self.bot_name());
        Change::Left { seat, replacement }
    }

    /// Checks a name for the person on this chair: nobody else with a chair may have a confusable one, and no bot can have it.
    /// A spectator with such a name loses it, unless they see all hands: the name shows who does.
    fn name_of_person(&self, name: &str, seat: Seat) -> Result<Name, Refusal> {
        let name = self.check_name(name, Some(seat))?;
        let watchers = self.state.watchers();
        let mut names = watchers
            .iter()
            .filter_map(|owner| self.spectator_name(*owner));
        let is_taken = names.any(|watcher| watcher.resembles(&name));
        (!is_taken).then_some(name).ok_or(Refusal::NameTaken)
    }

    /// Checks a name for an owner as a spectator: nobody else may have a confusable one, and no bot can have it.
    pub(super) fn name_of_spectator(&self, owner: Owner, name: &str) -> Result<Name, Refusal> {
        let name = self.check_name(name, None)?;
        let is_free = self.spectators_called(&name, owner).is_empty();
        is_free.then_some(name).ok_or(Refusal::NameTaken)
    }

    fn check_name(&self, name: &str, seat: Option<Seat>) -> Result<Name, Refusal> {
        let name = Name::new(name)?;
        let is_free =
            self.is_name_free(&name, seat) && !bot_names().any(|bot| bot.resembles(&name));
        is_free.then_some(name).ok_or(Refusal::NameTaken)
    }

    /// Whether nobody has a name that is confusable with this one, apart from the person on this chair.
    fn is_name_free(&self, name: &Name, except: Option<Seat>) -> bool {
        let mut others = self.state.seats().filter(|(seat, _)| Some(*seat) != except);
        !others.any(|(_, chair)| chair.name().is_some_and(|other| other.resembles(name)))
    }

    /// A free name for a bot.
    pub(super) fn bot_name(&self) -> Name {
        let mut names = bot_names().filter(|name| self.is_name_free(name, None));
        names.next().expect("there are more names than chairs")
    }
}
