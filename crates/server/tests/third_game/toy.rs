//! A toy game: the highest card takes a trick, or with an option the lowest one.

use serde::{Deserialize, Serialize};
use sticheln_bots::{NoSearch, Player};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, FinishedTrick, Game, GameId, Hand, Illegal, Played, Round,
    Scored, Seat, SeatKnowledge, Seats, Trick,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Toy;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    pub end: Option<End>,
    pub lowest_takes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    Play { card: Card },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    Played(Played),
    TrickTaken(FinishedTrick),
}

/// The public part of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    round: u8,
    hand_counts: BySeat<u8>,
    tricks_won: BySeat<i32>,
    #[serde(flatten)]
    phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    Trick { trick: Trick<Colour> },
    RoundEnd { scores: BySeat<Score> },
}

/// The part of a round that one seat knows besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Own {
    hand: Hand,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    points: i32,
}

impl Scored for Score {
    fn points(&self) -> i32 {
        self.points
    }
}

const ABOVE_SIX: Illegal = Illegal::new("above_six", "The game has no card above 6.");

impl Game for Toy {
    const ID: GameId = GameId::new("toy");
    const SEATS: std::ops::RangeInclusive<usize> = 2..=4;
    const ILLEGAL: &'static [Illegal] = &[ABOVE_SIX];
    type Options = Options;
    type Action = Action;
    type Fact = Fact;
    type Table = Table;
    type Own = Own;
    type Hidden = ();
    type Score = Score;

    fn end(options: &Options, _: Seats) -> End {
        options.end.or(End::rounds(3)).expect("3 is from 1 to 30")
    }

    fn pack(_: &Options, _: Seats) -> Vec<Card> {
        let colours = [Colour::Red, Colour::Yellow, Colour::Green, Colour::Blue];
        let of = |colour| (1..=6).map(move |value| Card::new(colour, value));
        colours.into_iter().flat_map(of).collect()
    }

    fn hand_size(_: Seats) -> usize {
        5
    }

    fn deal(_: &Options, round: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self> {
        let trick = Trick::led_by(opening, hands.seats());
        let table = Table {
            round,
            hand_counts: hands.map(|hand| hand.len() as u8),
            tricks_won: hands.map(|_| 0),
            phase: Phase::Trick { trick },
        };
        let (own, hidden) = (hands.map(|hand| Own { hand: *hand }), ());
        Round { table, own, hidden }
    }

    fn to_act(table: &Table) -> Vec<Seat> {
        match &table.phase {
            Phase::Trick { trick } => vec![trick.turn(table.hand_counts.seats())],
            Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn scores(table: &Table) -> Option<&BySeat<Score>> {
        match &table.phase {
            Phase::Trick { .. } => None,
            Phase::RoundEnd { scores } => Some(scores),
        }
    }

    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<Action> {
        Vec::from_iter(knowledge.own.hand.iter().map(|card| Action::Play { card }))
    }

    fn check(
        knowledge: SeatKnowledge<'_, Self>,
        Action::Play { card }: &Action,
    ) -> Result<(), Illegal> {
        let is_on_turn = Self::to_act(knowledge.table).contains(&knowledge.seat);
        is_on_turn.then_some(()).ok_or(Illegal::NOT_YOUR_TURN)?;
        (card.value <= 6).then_some(()).ok_or(ABOVE_SIX)?;
        let is_held = knowledge.own.hand.contains(*card);
        is_held.then_some(()).ok_or(Illegal::CARD_NOT_IN_HAND)
    }

    fn play_unchecked(
        options: &Options,
        Round { table, own, .. }: &mut Round<Self>,
        seat: Seat,
        Action::Play { card }: Action,
        events: &mut Vec<Event<Self>>,
    ) {
        let seats = own.seats();
        let Phase::Trick { trick } = &mut table.phase else {
            unreachable!("the action was checked");
        };
        assert!(own[seat].hand.remove(card), "the action was checked");
        table.hand_counts[seat] -= 1;
        let sign = if options.lowest_takes { 1 } else { -1 };
        let played = trick.lay(card, seats, card.colour, |cards| {
            (0..cards.len()).min_by_key(|at| sign * i32::from(cards[*at].value))
        });
        events.push(Event::Fact(Fact::Played(played)));
        if let Some(taker) = trick.winning.filter(|_| trick.is_full(seats)) {
            let finished = std::mem::replace(trick, Trick::led_by(taker, seats)).into();
            events.push(Event::Fact(Fact::TrickTaken(finished)));
            table.tricks_won[taker] += 1;
        }
        if own.iter().all(|own| own.hand.is_empty()) {
            let scores = table.tricks_won.map(|&points| Score { points });
            table.phase = Phase::RoundEnd { scores };
        }
    }
}

impl Player for Toy {
    type Memory = ();
    type Position = NoSearch;
}
