//! Verifies what the server shows to one seat against what it has acknowledged.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Failure;
use crate::game::{GameTable, Own, RoundPhase, card_of};
use crate::wire::{ClientMessage, GameMessage, Phase, RoomMessage, You};

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
            | ClientMessage::Start
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
    acknowledged: Acknowledged,
    round: Round,
    connection: Connection,
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

/// The known facts about the current round.
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
struct Connection {
    /// The newest revision of the game.
    game_rev: u64,
    /// The newest revision of the room.
    room_rev: u64,
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
            acknowledged: Acknowledged::default(),
            round: Round::default(),
            connection: Connection::default(),
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
        self.connection = Connection {
            game_rev: newest,
            room_rev: newest,
            ready_before: self.acknowledged.ready,
            ..Connection::default()
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
            ClientMessage::Hello { .. } | ClientMessage::AddBot { .. } | ClientMessage::Ping => {}
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
    /// of the first one. So each refusal is a violation.
    pub(super) fn verify_refused(&mut self, id: Option<&str>, code: &str) -> Result<(), Failure> {
        self.note_answer(id.unwrap_or_default())?;
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
mod tests {
    use serde_json::json;

    use super::*;

    const ROOM: &str = "k7qm2x4p";

    /// A view of seat 0 of three in the first round of three cards: its hand now, and its actions so far. The
    /// other seats have made as many actions.
    fn game(rev: u64, hand: &str, shown: &[&str]) -> GameMessage {
        let hand: Vec<&str> = hand.split_whitespace().collect();
        let picks = shown.first().map(|pick| json!([pick, "grey-1", "grey-2"]));
        let plays = shown.get(1..).unwrap_or_default();
        let history: Vec<_> = plays
            .iter()
            .map(|card| json!({"leader": 1, "cards": ["grey-3", "grey-4", card], "taker": 1}))
            .collect();
        let table = match picks {
            None => json!({"phase": "pick", "picked": [false, false, false]}),
            Some(picks) if hand.is_empty() => json!({"phase": "round_end", "picks": picks}),
            Some(picks) => {
                json!({"phase": "trick", "picks": picks, "trick": {"leader": 1, "cards": []}})
            }
        };
        let mut table = table;
        table["round"] = json!(1);
        table["hand_counts"] = json!([hand.len(), 0, 0]);
        table["history"] = json!(history);
        let game = json!({
            "rev": rev,
            "legal": [],
            "view": {"seat": 0, "to_act": [], "own": {"hand": hand}, "table": table},
        });
        serde_json::from_value(game).expect("this is a game")
    }

    fn act(card: &str) -> ClientMessage {
        ClientMessage::Act {
            action: json!({"type": "play", "card": card}),
        }
    }

    /// A seat with a hand of three cards, dealt at revision 10.
    fn dealt() -> SeatVerifier {
        let mut verifier = SeatVerifier::new(ROOM.into(), 0);
        verifier.note_connection(0);
        verifier
            .verify_game(&game(10, "red-1 red-2 red-3", &[]))
            .expect("a first view is valid");
        verifier
    }

    /// The same after `pick red-1` was acknowledged.
    fn picked() -> SeatVerifier {
        let mut verifier = dealt();
        send(&mut verifier, "1", "red-1");
        assert_eq!(verifier.verify_ok("1"), Ok(true));
        verifier
    }

    fn send(verifier: &mut SeatVerifier, id: &str, card: &str) {
        verifier.note_command(id.into(), act(card));
        verifier.note_sent(id);
    }

    /// The violation that this view causes.
    fn violation(verifier: &mut SeatVerifier, game: &GameMessage) -> String {
        match verifier.verify_game(game) {
            Err(Failure::Violation(what)) => what,
            other => panic!("expected a violation, found {other:?}"),
        }
    }

    #[test]
    fn a_consistent_history_is_accepted() {
        let mut verifier = picked();
        assert!(!verifier.is_current());
        assert_eq!(
            verifier.verify_game(&game(11, "red-2 red-3", &["red-1"])),
            Ok(())
        );
        assert!(verifier.is_current());
        send(&mut verifier, "2", "red-2");
        verifier.note_connection(11);
        // An action that was not acknowledged may be lost or kept. The server answers it when it is sent again.
        assert_eq!(
            verifier.verify_game(&game(11, "red-2 red-3", &["red-1"])),
            Ok(())
        );
        verifier.note_sent("2");
        assert_eq!(verifier.verify_ok("2"), Ok(true));
        send(&mut verifier, "3", "red-3");
        let end = game(14, "", &["red-1", "red-2", "red-3"]);
        assert_eq!(verifier.verify_game(&end), Ok(()));
        assert!(
            verifier.verify_end().is_err(),
            "the last action was not acknowledged"
        );
        verifier.note_connection(14);
        assert_eq!(verifier.verify_game(&end), Ok(()));
        verifier.note_sent("3");
        assert_eq!(verifier.verify_ok("3"), Ok(true));
        assert_eq!(verifier.verify_end(), Ok(()));
        assert_eq!(verifier.acknowledged(), 3);
    }

    #[test]
    fn an_acknowledged_action_that_is_lost_in_a_restart_is_a_violation() {
        let mut verifier = picked();
        verifier.note_connection(10);
        let what = violation(&mut verifier, &game(10, "red-1 red-2 red-3", &[]));
        assert!(
            what.contains("red-1 was acknowledged or shown as played and is lost"),
            "{what}"
        );
    }

    #[test]
    fn a_shown_action_that_is_lost_is_a_violation_even_if_it_was_not_acknowledged() {
        let mut verifier = picked();
        send(&mut verifier, "2", "red-2");
        let shown = game(12, "red-3", &["red-1", "red-2"]);
        assert_eq!(verifier.verify_game(&shown), Ok(()));
        verifier.note_connection(12);
        let what = violation(&mut verifier, &game(12, "red-2 red-3", &["red-1"]));
        assert!(
            what.contains("red-2 was acknowledged or shown as played and is lost"),
            "{what}"
        );
    }

    #[test]
    fn a_revision_older_than_one_seen_by_another_player_is_a_violation() {
        let mut verifier = picked();
        verifier.note_connection(30);
        let what = violation(&mut verifier, &game(29, "red-2 red-3", &["red-1"]));
        assert!(
            what.contains("revision 29 of the game came after 30"),
            "{what}"
        );
    }

    #[test]
    fn another_card_than_the_acknowledged_one_is_a_violation() {
        let mut verifier = picked();
        let what = violation(&mut verifier, &game(11, "red-1 red-3", &["red-2"]));
        assert!(
            what.contains("its actions are [red-2] at revision 11"),
            "{what}"
        );
    }

    #[test]
    fn an_action_that_is_applied_twice_is_a_violation() {
        let mut verifier = picked();
        let what = violation(&mut verifier, &game(12, "red-2", &["red-1", "red-1"]));
        assert!(what.contains("its actions are [red-1 red-1]"), "{what}");

        let mut verifier = picked();
        verifier.note_sent("1");
        let refused = verifier.verify_refused(Some("1"), "already_picked");
        assert!(
            matches!(refused, Err(Failure::Violation(_))),
            "the action was acknowledged before"
        );
    }

    #[test]
    fn an_action_that_the_player_did_not_make_is_a_violation() {
        let mut verifier = dealt();
        let what = violation(&mut verifier, &game(11, "red-2 red-3", &["red-1"]));
        assert!(what.contains("and it has made []"), "{what}");
    }

    #[test]
    fn a_hand_that_differs_after_a_restart_is_a_violation() {
        let mut verifier = picked();
        verifier.note_connection(11);
        let what = violation(&mut verifier, &game(11, "red-3 blue-7", &["red-1"]));
        assert!(
            what.contains("is [blue-7 red-3] and should be [red-2 red-3]"),
            "{what}"
        );
    }

    #[test]
    fn a_lost_seat_a_lost_start_and_a_lost_ready_are_violations() {
        let mut verifier = SeatVerifier::new(ROOM.into(), 0);
        for (id, command) in [
            (
                "1",
                ClientMessage::Sit {
                    name: "Ann".into(),
                    seat: 0,
                },
            ),
            ("2", ClientMessage::Start),
        ] {
            verifier.note_command(id.into(), command);
            verifier.note_sent(id);
            assert_eq!(verifier.verify_ok(id), Ok(false));
        }
        let nobody = You {
            seat: None,
            host: false,
        };
        assert!(verifier.verify_welcome(nobody).is_err());
        let room = json!({
            "rev": 3,
            "you": {"seat": 0, "host": true},
            "table": {
                "phase": "lobby",
                "chairs": [{"kind": "person", "ready": false}],
                "sheet": null,
            },
        });
        let mut room: RoomMessage = serde_json::from_value(room).expect("this is a room");
        assert!(verifier.verify_room(&room).is_err());

        room.table.phase = Phase::Playing;
        assert_eq!(verifier.verify_room(&room), Ok(()));
        assert_eq!(verifier.verify_game(&game(4, "red-1", &[])), Ok(()));
        send(&mut verifier, "3", "red-1");
        assert_eq!(verifier.verify_ok("3"), Ok(true));
        let end = game(5, "", &["red-1"]);
        assert_eq!(verifier.verify_game(&end), Ok(()));
        verifier.note_command("4".into(), ClientMessage::Ready { ready: true });
        verifier.note_sent("4");
        assert_eq!(verifier.verify_ok("4"), Ok(false));
        assert_eq!(
            verifier.verify_game(&end),
            Ok(()),
            "the `room` message comes later"
        );
        verifier.note_connection(5);
        room.rev = 6;
        assert_eq!(verifier.verify_room(&room), Ok(()));
        let what = violation(&mut verifier, &end);
        assert!(what.contains("`ready` was acknowledged"), "{what}");
    }

    #[test]
    fn a_second_answer_to_one_message_is_a_violation() {
        let mut verifier = picked();
        assert!(verifier.verify_ok("1").is_err());
        // A message that is sent twice is answered twice.
        verifier.note_sent("1");
        assert_eq!(verifier.verify_ok("1"), Ok(false));
    }
}
