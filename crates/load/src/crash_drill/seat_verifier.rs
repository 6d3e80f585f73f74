//! Verifies what the server shows to one seat against what it has acknowledged.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Failure;
use crate::game::{GameTable, Own, RoundPhase, card_of};
use crate::wire::{ClientMessage, GameMessage, Phase, RoomMessage, SheetMessage, You};

/// A command without an answer.
#[derive(Clone, Debug)]
pub(super) struct PendingCommand {
    pub(super) id: String,
    pub(super) command: ClientMessage,
    /// The round in which it was sent.
    round: u16,
}

impl PendingCommand {
    fn card(&self) -> Option<&str> {
        match &self.command {
            ClientMessage::Act { action } => card_of(action),
            ClientMessage::Hello { .. }
            | ClientMessage::Sit { .. }
            | ClientMessage::AddBot { .. }
            | ClientMessage::Stand
            | ClientMessage::Start
            | ClientMessage::End
            | ClientMessage::Rematch
            | ClientMessage::Ready { .. }
            | ClientMessage::Ping => None,
        }
    }
}

/// Remembers what was acknowledged and shown to one seat, and compares each message with it.
///
/// Only the owner acts for a seat: rooms of a drill have no bots and no time limits.
#[derive(Debug)]
pub(super) struct SeatVerifier {
    room: String,
    seat: usize,
    /// The command without an answer.
    pending: Option<PendingCommand>,
    /// The id of the last command that was refused as outdated. Its copies are refused too.
    outdated: Option<String>,
    acknowledged: Acknowledged,
    round: Round,
    connection: ConnectionRecord,
}

/// The commands that the server has acknowledged over the whole game.
#[derive(Debug, Default)]
struct Acknowledged {
    seat: bool,
    start: bool,
    /// The newest round after which `ready` was acknowledged.
    ready: u16,
    /// The number of actions.
    actions: usize,
}

/// The known data of the current round.
#[derive(Debug, Default)]
struct Round {
    /// The number of the round, from 1.
    number: u16,
    /// The hand at the deal.
    dealt: Vec<String>,
    /// The cards dealt to the seat in all rounds.
    cards_of_all_rounds: usize,
    /// The cards of the acknowledged actions: the picked one, then the played ones.
    actions: Vec<String>,
    /// The number of actions that each view must contain: they were shown, or acknowledged before this connection.
    required: usize,
}

/// The data that was received on the current connection.
#[derive(Debug, Default)]
struct ConnectionRecord {
    /// The newest revision of the game.
    game_rev: u64,
    /// The newest revision of the room.
    room_rev: u64,
    /// The number of rounds in the newest `sheet` message.
    sheet_rounds: usize,
    /// Whether the newest view contains all acknowledged actions.
    is_current: bool,
    /// The value of [`Acknowledged::ready`] when the connection began.
    ready_before: u16,
    /// Whether the newest `room` message says that the seat is ready.
    is_ready: bool,
    /// The number of unanswered messages with each id.
    unanswered: BTreeMap<String, u32>,
}

impl SeatVerifier {
    /// For a seat that is not taken yet.
    pub(super) fn new(room: String, seat: usize) -> Self {
        Self {
            room,
            seat,
            pending: None,
            outdated: None,
            acknowledged: Acknowledged::default(),
            round: Round::default(),
            connection: ConnectionRecord::default(),
        }
    }

    /// The number of acknowledged actions.
    pub(super) fn acknowledged(&self) -> usize {
        self.acknowledged.actions
    }

    /// Whether `sit` was acknowledged.
    pub(super) fn is_seated(&self) -> bool {
        self.acknowledged.seat
    }

    /// Whether `start` was acknowledged.
    pub(super) fn has_started(&self) -> bool {
        self.acknowledged.start
    }

    /// Whether `ready` was acknowledged after this round.
    pub(super) fn is_ready_after(&self, round: u16) -> bool {
        self.acknowledged.ready >= round
    }

    /// Whether the newest view contains all acknowledged actions, so that its list of legal actions is current.
    pub(super) fn is_current(&self) -> bool {
        self.connection.is_current
    }

    /// The command without an answer.
    pub(super) fn pending(&self) -> Option<&PendingCommand> {
        self.pending.as_ref()
    }

    /// Notes a new connection. `newest` is the newest revision that any player has received before.
    pub(super) fn note_connection(&mut self, newest: u64) {
        self.round.required = self.round.required.max(self.round.actions.len());
        self.connection = ConnectionRecord {
            game_rev: newest,
            room_rev: newest,
            ready_before: self.acknowledged.ready,
            ..ConnectionRecord::default()
        };
    }

    /// Notes a new command, before it is sent for the first time.
    pub(super) fn note_command(&mut self, id: String, command: ClientMessage) {
        let round = self.round.number;
        self.pending = Some(PendingCommand { id, command, round });
    }

    /// Notes that a message with this id is sent on the current connection.
    pub(super) fn note_sent(&mut self, id: &str) {
        let unanswered = &mut self.connection.unanswered;
        *unanswered.entry(id.to_owned()).or_default() += 1;
    }

    /// Verifies that an acknowledged seat still belongs to the player.
    ///
    /// # Errors
    /// [`Failure::Violation`], as for all functions that verify.
    pub(super) fn verify_welcome(&self, you: You) -> Result<(), Failure> {
        if self.acknowledged.seat && you.seat != Some(self.seat) {
            return Err(
                self.violation("the seat was acknowledged and does not belong to it any more")
            );
        }
        Ok(())
    }

    /// Verifies an `ok`. Returns whether it acknowledges the pending command, if that is an action.
    pub(super) fn verify_ok(&mut self, id: &str) -> Result<bool, Failure> {
        self.note_answer(id)?;
        let Some(pending) = self.pending.take_if(|pending| pending.id == id) else {
            return Ok(false);
        };
        match &pending.command {
            ClientMessage::Hello { .. }
            | ClientMessage::AddBot { .. }
            | ClientMessage::Stand
            | ClientMessage::End
            | ClientMessage::Rematch
            | ClientMessage::Ping => {}
            ClientMessage::Sit { .. } => self.acknowledged.seat = true,
            ClientMessage::Start => self.acknowledged.start = true,
            ClientMessage::Ready { .. } => self.acknowledged.ready = pending.round,
            ClientMessage::Act { .. } => {
                self.acknowledged.actions += 1;
                // The actions of earlier rounds were counted at the end of the round.
                if pending.round == self.round.number {
                    self.round.actions.extend(pending.card().map(str::to_owned));
                    self.note_current();
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Verifies a refusal. Scripted players send allowed commands only, and a repeated command gets the answer
    /// of the first one. So each refusal is a violation, except that of a start or a `ready` that was not executed before
    /// another server took the room. The player then sends it anew.
    pub(super) fn verify_refused(&mut self, id: Option<&str>, code: &str) -> Result<(), Failure> {
        self.note_answer(id.unwrap_or_default())?;
        let is_outdated = |pending: &mut PendingCommand| {
            let may_be_outdated = matches!(
                pending.command,
                ClientMessage::Start | ClientMessage::Ready { .. }
            );
            code == "outdated" && may_be_outdated && Some(&*pending.id) == id
        };
        if let Some(pending) = self.pending.take_if(is_outdated) {
            self.outdated = Some(pending.id);
            return Ok(());
        }
        if code == "outdated" && id.is_some() && self.outdated.as_deref() == id {
            return Ok(());
        }
        let pending = self.pending.as_ref();
        let command = match pending.filter(|pending| Some(&*pending.id) == id) {
            Some(pending) => pending.command.text(&pending.id),
            None => "a command acknowledged before".into(),
        };
        Err(self.violation(&format!("`{command}` was refused as {code}")))
    }

    /// Verifies a `room` message.
    pub(super) fn verify_room(&mut self, room: &RoomMessage) -> Result<(), Failure> {
        let (new, old) = (room.rev, self.connection.room_rev);
        if new < old {
            return Err(self.violation(&format!("revision {new} of the room came after {old}")));
        }
        self.connection.room_rev = new;
        self.verify_welcome(room.you)?;
        let chair = room.table.chairs.get(self.seat);
        self.connection.is_ready = chair.is_some_and(|chair| chair.ready);
        if self.acknowledged.start && room.table.phase == Phase::Lobby {
            return Err(self.violation("the start was acknowledged and the room is in the lobby"));
        }
        Ok(())
    }

    /// Notes a `sheet` message.
    pub(super) fn note_sheet(&mut self, sheet: &SheetMessage) {
        self.connection.sheet_rounds = sheet.rounds.len();
    }

    /// Verifies a `game` message.
    pub(super) fn verify_game(&mut self, game: &GameMessage) -> Result<(), Failure> {
        let (rev, old) = (game.rev, self.connection.game_rev);
        if rev < old {
            return Err(self.violation(&format!("revision {rev} of the game came after {old}")));
        }
        self.connection.game_rev = rev;
        let malformed = |error| self.violation(&format!("revision {rev} is malformed: {error}"));
        let table = GameTable::deserialize(&game.view.table).map_err(malformed)?;
        let own = match &game.view.own {
            Some(own) if game.view.seat == Some(self.seat) => own,
            Some(_) | None => return Err(self.violation("the view is not that of the seat")),
        };
        self.verify_round(table.round, &own.hand)?;
        let shown = self.shown_actions(&table, own)?;
        self.verify_actions(rev, &shown)?;
        self.verify_hand(rev, &table, own, &shown)?;
        let is_over = matches!(table.phase, RoundPhase::RoundEnd { .. });
        let finished = usize::from(table.round) - usize::from(!is_over);
        if self.connection.sheet_rounds < finished {
            return Err(self.violation(&format!(
                "revision {rev} came before the points of {finished} rounds"
            )));
        }
        let was_ready = self.connection.ready_before == table.round;
        if is_over && was_ready && !self.connection.is_ready {
            return Err(self.violation("`ready` was acknowledged and is lost"));
        }
        Ok(())
    }

    /// Verifies at the end of the game that all actions were acknowledged.
    pub(super) fn verify_end(&self) -> Result<(), Failure> {
        if self.pending.is_some() {
            return Err(self.violation("the game is over and a command was never answered"));
        }
        let Round {
            actions,
            dealt,
            cards_of_all_rounds: cards,
            ..
        } = &self.round;
        let acknowledged = self.acknowledged.actions;
        if actions.len() != dealt.len() || acknowledged != *cards {
            let words = format!("{acknowledged} actions were acknowledged, and {cards} were made");
            return Err(self.violation(&words));
        }
        Ok(())
    }

    /// Verifies the number of the round. A new round begins with this hand, when the last one is complete.
    fn verify_round(&mut self, round: u16, hand: &[String]) -> Result<(), Failure> {
        let old = self.round.number;
        if round == old {
            return Ok(());
        }
        let actions = self.round.actions.len();
        let is_pending = self.pending_card().is_some();
        if round != old + 1 || actions + usize::from(is_pending) != self.round.dealt.len() {
            let words = format!(
                "round {round} is shown after round {old}, in which it has made {actions} actions"
            );
            return Err(self.violation(&words));
        }
        self.round = Round {
            number: round,
            dealt: hand.to_vec(),
            cards_of_all_rounds: self.round.cards_of_all_rounds + hand.len(),
            ..Round::default()
        };
        Ok(())
    }

    /// The cards that the view shows as actions of the seat in this round.
    fn shown_actions<'a>(
        &self,
        table: &'a GameTable,
        own: &'a Own,
    ) -> Result<Vec<&'a String>, Failure> {
        let (pick, last) = match &table.phase {
            RoundPhase::Pick { picked } => {
                if picked.get(self.seat) != Some(&own.pick.is_some()) {
                    return Err(self.violation("its own pick and the public one differ"));
                }
                (own.pick.as_ref(), None)
            }
            RoundPhase::Trick { picks, trick } => (picks.get(self.seat), Some(trick)),
            RoundPhase::RoundEnd { picks } => (picks.get(self.seat), None),
        };
        let seats = table.hand_counts.len();
        let tricks = table.history.iter().chain(last);
        let plays = tricks.filter_map(|trick| trick.card_of(self.seat, seats));
        Ok(pick.into_iter().chain(plays).collect())
    }

    /// Verifies that the shown actions are those that the seat has made, and that none is lost.
    fn verify_actions(&mut self, rev: u64, shown: &[&String]) -> Result<(), Failure> {
        let actions = self.round.actions.iter().map(String::as_str);
        let made: Vec<&str> = actions.chain(self.pending_card()).collect();
        let is_part = shown.len() <= made.len();
        if !is_part || shown.iter().zip(&made).any(|(shown, made)| shown != made) {
            let shown: Vec<&str> = shown.iter().map(|card| card.as_str()).collect();
            let words = format!(
                "its actions are [{}] at revision {rev}, and it has made [{}]",
                shown.join(" "),
                made.join(" "),
            );
            return Err(self.violation(&words));
        }
        if shown.len() < self.round.required {
            let card = made[shown.len()];
            return Err(self.violation(&format!(
                "{card} was acknowledged or shown as played and is lost at revision {rev}"
            )));
        }
        self.round.required = shown.len();
        self.note_current();
        Ok(())
    }

    /// Verifies that the hand is the dealt one without the cards of the shown actions.
    fn verify_hand(
        &self,
        rev: u64,
        table: &GameTable,
        own: &Own,
        shown: &[&String],
    ) -> Result<(), Failure> {
        let mut expected = self.round.dealt.clone();
        for card in shown {
            if let Some(index) = expected.iter().position(|held| held == *card) {
                expected.swap_remove(index);
            }
        }
        let mut hand = own.hand.clone();
        expected.sort_unstable();
        hand.sort_unstable();
        if hand == expected && table.hand_counts.get(self.seat) == Some(&hand.len()) {
            return Ok(());
        }
        Err(self.violation(&format!(
            "its hand at revision {rev} is [{}] and should be [{}]",
            hand.join(" "),
            expected.join(" "),
        )))
    }

    fn note_current(&mut self) {
        self.connection.is_current = self.round.required >= self.round.actions.len();
    }

    /// The card of an unanswered action of this round.
    fn pending_card(&self) -> Option<&str> {
        let pending = self.pending.as_ref()?;
        let card = pending.card()?;
        (pending.round == self.round.number).then_some(card)
    }

    /// Verifies that each message gets one answer on the connection on which it was sent.
    fn note_answer(&mut self, id: &str) -> Result<(), Failure> {
        match self.connection.unanswered.get_mut(id) {
            Some(count) if *count > 0 => {
                *count -= 1;
                Ok(())
            }
            Some(_) | None => {
                let words = format!("an answer to `{id}` came, which was not sent");
                Err(self.violation(&words))
            }
        }
    }

    fn violation(&self, what: &str) -> Failure {
        let (room, seat) = (&self.room, self.seat);
        Failure::Violation(format!("Room {room}, seat {seat}: {what}."))
    }
}

#[cfg(test)]
mod tests;
