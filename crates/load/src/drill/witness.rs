//! What one seat was promised, and whether it is kept.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::Failure;
use crate::wire::{Command, Game, Phase, Room, Stage, Table, You, card_of};

/// A command that was not answered yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) id: String,
    pub(super) command: Command,
    /// The round it was said in.
    round: u16,
}

impl Pending {
    fn card(&self) -> Option<&str> {
        match &self.command {
            Command::Act { action } => card_of(action),
            Command::Hello { .. }
            | Command::Sit { .. }
            | Command::AddBot { .. }
            | Command::Start
            | Command::Ready { .. } => None,
        }
    }
}

/// One seat's memory: it knows what was acknowledged and what was shown, and compares with that
/// whatever comes. Nobody acts for a seat but its owner, as no table of a drill has bots, time
/// limits or people who let a bot stand in.
#[derive(Debug)]
pub(super) struct Witness {
    room: String,
    seat: usize,

    pending: Option<Pending>,
    seated: bool,
    started: bool,
    /// The newest round after which the seat has acknowledgedly been ready for the next one.
    readied: u16,
    /// How many actions were acknowledged, and how many cards were dealt, in the whole game.
    acknowledged: usize,
    cards: usize,

    /// The round that is played, from 1, and the hand it began with.
    round: u16,
    dealt: Vec<String>,
    /// The cards of the acknowledged actions of this round: the picked one, then the played ones.
    acts: Vec<String>,
    /// So many of the actions have been shown, or were acknowledged before this connection began:
    /// no view may be without them.
    certain: usize,
    /// Whether the newest view shows all that was acknowledged.
    current: bool,

    /// The newest revision on this connection, of the game and of the room.
    rev: u64,
    room_rev: u64,
    /// What [`Self::readied`] was when this connection began, and whether the room has said on it
    /// that the seat is ready.
    readied_before: u16,
    ready: bool,
    /// How often each id was said on this connection and not answered yet.
    unanswered: BTreeMap<String, u32>,
}

impl Witness {
    /// That of a seat at a table to which it is yet to come.
    pub(super) fn new(room: String, seat: usize) -> Self {
        Self {
            room,
            seat,
            pending: None,
            seated: false,
            started: false,
            readied: 0,
            acknowledged: 0,
            cards: 0,
            round: 0,
            dealt: Vec::new(),
            acts: Vec::new(),
            certain: 0,
            current: false,
            rev: 0,
            room_rev: 0,
            readied_before: 0,
            ready: false,
            unanswered: BTreeMap::new(),
        }
    }

    /// How many actions were acknowledged.
    pub(super) fn acknowledged(&self) -> usize {
        self.acknowledged
    }

    /// Whether the seat was acknowledged as its own.
    pub(super) fn is_seated(&self) -> bool {
        self.seated
    }

    /// Whether the start of the game was acknowledged.
    pub(super) fn has_started(&self) -> bool {
        self.started
    }

    /// Whether it was acknowledged that the seat is ready after this round.
    pub(super) fn is_ready_after(&self, round: u16) -> bool {
        self.readied >= round
    }

    /// Whether the newest view shows all that was acknowledged, so that its list of legal actions
    /// is not one of the past.
    pub(super) fn is_current(&self) -> bool {
        self.current
    }

    /// What was said and not answered.
    pub(super) fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// A new connection, begun when the table had shown this revision.
    pub(super) fn arrive(&mut self, newest: u64) {
        self.rev = newest;
        self.room_rev = newest;
        self.certain = self.certain.max(self.acts.len());
        self.current = false;
        self.readied_before = self.readied;
        self.ready = false;
        self.unanswered.clear();
    }

    /// A command is about to be said for the first time.
    pub(super) fn ask(&mut self, id: String, command: Command) {
        let round = self.round;
        self.pending = Some(Pending { id, command, round });
    }

    /// Something is said on this connection.
    pub(super) fn say(&mut self, id: &str) {
        *self.unanswered.entry(id.to_owned()).or_default() += 1;
    }

    /// Says who it is.
    pub(super) fn welcome(&self, you: You) -> Result<(), Failure> {
        if self.seated && you.seat != Some(self.seat) {
            return Err(self.broken("the seat was acknowledged and does not belong to it any more"));
        }
        Ok(())
    }

    /// Something is answered with `ok`; tells whether it is an action that was pending.
    pub(super) fn ok(&mut self, id: &str) -> Result<bool, Failure> {
        self.answer(id)?;
        let Some(pending) = self.pending.take_if(|pending| pending.id == id) else {
            return Ok(false);
        };
        match &pending.command {
            Command::Hello { .. } | Command::AddBot { .. } => {}
            Command::Sit { .. } => self.seated = true,
            Command::Start => self.started = true,
            Command::Ready { .. } => self.readied = pending.round,
            Command::Act { .. } => {
                self.acknowledged += 1;
                // The actions of earlier rounds have been counted when the round was over.
                if pending.round == self.round {
                    self.acts.extend(pending.card().map(str::to_owned));
                    self.current = self.certain >= self.acts.len();
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Something is refused: whatever a scripted player asks for is allowed, and if it was done
    /// before, it has to be answered as before.
    pub(super) fn refused(&mut self, id: Option<&str>, code: &str) -> Result<(), Failure> {
        self.answer(id.unwrap_or_default())?;
        let said = match self
            .pending
            .as_ref()
            .filter(|pending| Some(&*pending.id) == id)
        {
            Some(pending) => pending.command.text(&pending.id),
            None => "what was acknowledged before".into(),
        };
        Err(self.broken(&format!("`{said}` was refused as {code}")))
    }

    /// The room is told.
    pub(super) fn room(&mut self, room: &Room) -> Result<(), Failure> {
        if room.rev < self.room_rev {
            let (new, old) = (room.rev, self.room_rev);
            return Err(self.broken(&format!("revision {new} of the room came after {old}")));
        }
        self.room_rev = room.rev;
        self.welcome(room.you)?;
        self.ready = room
            .table
            .chairs
            .get(self.seat)
            .is_some_and(|chair| chair.ready);
        if self.started && room.table.phase == Phase::Lobby {
            return Err(self.broken("the start was acknowledged and the table has not begun"));
        }
        Ok(())
    }

    /// The game is shown.
    pub(super) fn game(&mut self, game: &Game) -> Result<(), Failure> {
        let rev = game.rev;
        if rev < self.rev {
            let old = self.rev;
            return Err(self.broken(&format!("revision {rev} of the game came after {old}")));
        }
        self.rev = rev;
        let unreadable = |error| self.broken(&format!("revision {rev} cannot be read: {error}"));
        let table = Table::deserialize(&game.view.table).map_err(unreadable)?;
        let own = match &game.view.own {
            Some(own) if game.view.seat == Some(self.seat) => own,
            Some(_) | None => return Err(self.broken("the view is not that of the seat")),
        };

        self.turn_to(table.round, &own.hand)?;
        let seats = table.hand_counts.len();
        let (pick, last, is_over) = match &table.stage {
            Stage::Pick { picked } => {
                if picked.get(self.seat) != Some(&own.pick.is_some()) {
                    return Err(self.broken("what it has picked and what others see differ"));
                }
                (own.pick.as_ref(), None, false)
            }
            Stage::Trick { picks, trick } => (picks.get(self.seat), Some(trick), false),
            Stage::RoundEnd { picks } => (picks.get(self.seat), None, true),
        };
        let tricks = table.history.iter().chain(last);
        let plays = tricks.filter_map(|trick| trick.card_of(self.seat, seats));
        let shown: Vec<&String> = pick.into_iter().chain(plays).collect();
        self.compare(rev, &shown)?;

        let mut expected = self.dealt.clone();
        for card in &shown {
            if let Some(place) = expected.iter().position(|held| held == *card) {
                expected.swap_remove(place);
            }
        }
        let mut hand = own.hand.clone();
        expected.sort_unstable();
        hand.sort_unstable();
        if hand != expected || table.hand_counts.get(self.seat) != Some(&hand.len()) {
            let words = format!(
                "its hand at revision {rev} is [{}] and should be [{}]",
                hand.join(" "),
                expected.join(" "),
            );
            return Err(self.broken(&words));
        }
        if is_over && self.readied_before == table.round && !self.ready {
            return Err(self.broken("that it is ready was acknowledged and is forgotten"));
        }
        Ok(())
    }

    /// The game is over: everything has come to its end.
    pub(super) fn finish(&self) -> Result<(), Failure> {
        if self.pending.is_some() {
            return Err(self.broken("the game is over and a command was never answered"));
        }
        if self.acts.len() != self.dealt.len() || self.acknowledged != self.cards {
            let (acts, cards) = (self.acknowledged, self.cards);
            let words = format!("{acts} actions were acknowledged, and {cards} were made");
            return Err(self.broken(&words));
        }
        Ok(())
    }

    /// A view is of this round, in which the seat is dealt this hand if it is new.
    fn turn_to(&mut self, round: u16, hand: &[String]) -> Result<(), Failure> {
        if round == self.round {
            return Ok(());
        }
        let old = self.round;
        let pending = self.pending_card().is_some();
        if round != old + 1 || self.acts.len() + usize::from(pending) != self.dealt.len() {
            let acts = self.acts.len();
            let words = format!(
                "round {round} is shown after round {old}, in which it has made {acts} actions"
            );
            return Err(self.broken(&words));
        }
        self.round = round;
        self.dealt = hand.to_vec();
        self.cards += hand.len();
        self.acts.clear();
        self.certain = 0;
        Ok(())
    }

    /// Compares the actions that a view shows with those that were made.
    fn compare(&mut self, rev: u64, shown: &[&String]) -> Result<(), Failure> {
        let acts = self.acts.iter().map(String::as_str);
        let made: Vec<&str> = acts.chain(self.pending_card()).collect();
        let is_part = shown.len() <= made.len();
        if !is_part || shown.iter().zip(&made).any(|(shown, made)| shown != made) {
            let shown: Vec<&str> = shown.iter().map(|card| card.as_str()).collect();
            let words = format!(
                "its actions are [{}] at revision {rev}, and it has made [{}]",
                shown.join(" "),
                made.join(" "),
            );
            return Err(self.broken(&words));
        }
        if shown.len() < self.certain {
            let card = made[shown.len()];
            return Err(self.broken(&format!(
                "{card} was acknowledged or shown as played and is lost at revision {rev}"
            )));
        }
        self.certain = shown.len();
        self.current = self.certain >= self.acts.len();
        Ok(())
    }

    /// The card of an action of this round that was not answered.
    fn pending_card(&self) -> Option<&str> {
        let pending = self.pending.as_ref()?;
        let card = pending.card()?;
        (pending.round == self.round).then_some(card)
    }

    /// Each message is answered once on the connection it was said on.
    fn answer(&mut self, id: &str) -> Result<(), Failure> {
        match self.unanswered.get_mut(id) {
            Some(times) if *times > 0 => {
                *times -= 1;
                Ok(())
            }
            Some(_) | None => {
                let words = format!("an answer to `{id}` came, which was not asked for");
                Err(self.broken(&words))
            }
        }
    }

    fn broken(&self, what: &str) -> Failure {
        let (room, seat) = (&self.room, self.seat);
        Failure::Broken(format!("Table {room}, seat {seat}: {what}."))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ROOM: &str = "k7qm2x4p";

    /// A view of seat 0 of three in a round with a hand of three cards, in which it has shown
    /// these actions; the others act as it does.
    fn game(rev: u64, hand: &str, shown: &[&str]) -> Game {
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

    fn act(card: &str) -> Command {
        Command::Act {
            action: json!({"type": "play", "card": card}),
        }
    }

    /// A seat that was dealt three cards, shown at revision 10.
    fn dealt() -> Witness {
        let mut witness = Witness::new(ROOM.into(), 0);
        witness.arrive(0);
        witness
            .game(&game(10, "red-1 red-2 red-3", &[]))
            .expect("it is a first view");
        witness
    }

    /// The same, having picked red-1, acknowledged.
    fn picked() -> Witness {
        let mut witness = dealt();
        asked(&mut witness, "1", "red-1");
        assert_eq!(witness.ok("1"), Ok(true));
        witness
    }

    fn asked(witness: &mut Witness, id: &str, card: &str) {
        witness.ask(id.into(), act(card));
        witness.say(id);
    }

    /// What is said if this view breaks a promise.
    fn broken(witness: &mut Witness, game: &Game) -> String {
        match witness.game(game) {
            Err(Failure::Broken(what)) => what,
            other => panic!("this must be a broken promise and is {other:?}"),
        }
    }

    #[test]
    fn a_true_history_is_accepted() {
        let mut witness = picked();
        assert!(!witness.is_current());
        assert_eq!(witness.game(&game(11, "red-2 red-3", &["red-1"])), Ok(()));
        assert!(witness.is_current());
        asked(&mut witness, "2", "red-2");
        witness.arrive(11);
        // What was not acknowledged may be lost or kept; said again, it is answered.
        assert_eq!(witness.game(&game(11, "red-2 red-3", &["red-1"])), Ok(()));
        witness.say("2");
        assert_eq!(witness.ok("2"), Ok(true));
        asked(&mut witness, "3", "red-3");
        let end = game(14, "", &["red-1", "red-2", "red-3"]);
        assert_eq!(witness.game(&end), Ok(()));
        assert!(
            witness.finish().is_err(),
            "the last one was not acknowledged"
        );
        witness.arrive(14);
        assert_eq!(witness.game(&end), Ok(()));
        witness.say("3");
        assert_eq!(witness.ok("3"), Ok(true));
        assert_eq!(witness.finish(), Ok(()));
        assert_eq!(witness.acknowledged(), 3);
    }

    #[test]
    fn an_acknowledged_action_that_is_lost_in_a_restart_is_seen() {
        let mut witness = picked();
        witness.arrive(10);
        let what = broken(&mut witness, &game(10, "red-1 red-2 red-3", &[]));
        assert!(
            what.contains("red-1 was acknowledged or shown as played and is lost"),
            "{what}"
        );
    }

    #[test]
    fn a_shown_action_that_is_lost_is_seen_though_it_was_never_acknowledged() {
        let mut witness = picked();
        asked(&mut witness, "2", "red-2");
        let shown = game(12, "red-3", &["red-1", "red-2"]);
        assert_eq!(witness.game(&shown), Ok(()));
        witness.arrive(12);
        let what = broken(&mut witness, &game(12, "red-2 red-3", &["red-1"]));
        assert!(
            what.contains("red-2 was acknowledged or shown as played and is lost"),
            "{what}"
        );
    }

    #[test]
    fn a_lost_entry_of_somebody_else_is_seen() {
        let mut witness = picked();
        witness.arrive(30);
        let what = broken(&mut witness, &game(29, "red-2 red-3", &["red-1"]));
        assert!(
            what.contains("revision 29 of the game came after 30"),
            "{what}"
        );
    }

    #[test]
    fn another_card_than_the_acknowledged_one_is_seen() {
        let mut witness = picked();
        let what = broken(&mut witness, &game(11, "red-1 red-3", &["red-2"]));
        assert!(
            what.contains("its actions are [red-2] at revision 11"),
            "{what}"
        );
    }

    #[test]
    fn an_action_that_is_applied_twice_is_seen() {
        let mut witness = picked();
        let what = broken(&mut witness, &game(12, "red-2", &["red-1", "red-1"]));
        assert!(what.contains("its actions are [red-1 red-1]"), "{what}");

        let mut witness = picked();
        witness.say("1");
        let refused = witness.refused(Some("1"), "already_picked");
        assert!(
            matches!(refused, Err(Failure::Broken(_))),
            "it was done before"
        );
    }

    #[test]
    fn an_action_that_nobody_made_is_seen() {
        let mut witness = dealt();
        let what = broken(&mut witness, &game(11, "red-2 red-3", &["red-1"]));
        assert!(what.contains("and it has made []"), "{what}");
    }

    #[test]
    fn a_hand_that_is_not_given_back_is_seen() {
        let mut witness = picked();
        witness.arrive(11);
        let what = broken(&mut witness, &game(11, "red-3 blue-7", &["red-1"]));
        assert!(
            what.contains("is [blue-7 red-3] and should be [red-2 red-3]"),
            "{what}"
        );
    }

    #[test]
    fn a_lost_seat_a_lost_start_and_a_lost_readiness_are_seen() {
        let mut witness = Witness::new(ROOM.into(), 0);
        for (id, command) in [
            (
                "1",
                Command::Sit {
                    name: "Ann".into(),
                    seat: 0,
                },
            ),
            ("2", Command::Start),
        ] {
            witness.ask(id.into(), command);
            witness.say(id);
            assert_eq!(witness.ok(id), Ok(false));
        }
        let nobody = You {
            seat: None,
            host: false,
        };
        assert!(witness.welcome(nobody).is_err());
        let room = json!({
            "rev": 3,
            "you": {"seat": 0, "host": true},
            "table": {
                "phase": "lobby",
                "chairs": [{"kind": "person", "ready": false}],
                "sheet": null,
            },
        });
        let mut room: Room = serde_json::from_value(room).expect("this is a room");
        assert!(witness.room(&room).is_err());

        room.table.phase = Phase::Playing;
        assert_eq!(witness.room(&room), Ok(()));
        assert_eq!(witness.game(&game(4, "red-1", &[])), Ok(()));
        asked(&mut witness, "3", "red-1");
        assert_eq!(witness.ok("3"), Ok(true));
        let end = game(5, "", &["red-1"]);
        assert_eq!(witness.game(&end), Ok(()));
        witness.ask("4".into(), Command::Ready { ready: true });
        witness.say("4");
        assert_eq!(witness.ok("4"), Ok(false));
        assert_eq!(witness.game(&end), Ok(()), "the room comes later");
        witness.arrive(5);
        room.rev = 6;
        assert_eq!(witness.room(&room), Ok(()));
        let what = broken(&mut witness, &end);
        assert!(what.contains("ready was acknowledged"), "{what}");
    }

    #[test]
    fn a_second_answer_is_seen() {
        let mut witness = picked();
        assert!(witness.ok("1").is_err());
        // Said twice, it is answered twice.
        witness.say("1");
        assert_eq!(witness.ok("1"), Ok(false));
    }
}
