//! A toy game: the highest card takes a trick, or with an option the lowest one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sticheln_bots::{NoSearch, Player};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, FinishedTrick, Game, GameId, Hand, Illegal, Played, Round,
    Scored, Seat, SeatKnowledge, Seats, Trick, TrickPart,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
pub struct Toy;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToyOptions {
    pub end: Option<End>,
    pub lowest_takes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToyAction {
    Play { card: Card },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToyFact {
    Played(Played),
    TrickTaken(FinishedTrick),
}

/// The public part of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToyTable {
    round: u8,
    hand_counts: BySeat<u8>,
    tricks_won: BySeat<i32>,
    #[serde(flatten)]
    phase: ToyPhase,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum ToyPhase {
    Trick { trick: Trick<Colour> },
    RoundEnd { scores: BySeat<ToyScore> },
}

/// The part of a round that one seat knows besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToyOwn {
    hand: Hand,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToyScore {
    points: i32,
}

impl Scored for ToyScore {
    fn points(&self) -> i32 {
        self.points
    }
}

const ABOVE_SIX: Illegal = Illegal::new("above_six", "The game has no card above 6.");

impl Game for Toy {
    const ID: GameId = GameId::new("toy");
    const SEATS: std::ops::RangeInclusive<usize> = 2..=4;
    const ILLEGAL: &'static [Illegal] = &[ABOVE_SIX];
    type Options = ToyOptions;
    type Action = ToyAction;
    type Fact = ToyFact;
    type Table = ToyTable;
    type Own = ToyOwn;
    type Hidden = ();
    type Score = ToyScore;

    fn end(options: &ToyOptions, _: Seats) -> End {
        options.end.or(End::rounds(3)).expect("3 is from 1 to 30")
    }

    fn pack(_: &ToyOptions, _: Seats) -> Vec<Card> {
        let colours = [Colour::Red, Colour::Yellow, Colour::Green, Colour::Blue];
        let of = |colour| (1..=6).map(move |value| Card::new(colour, value));
        colours.into_iter().flat_map(of).collect()
    }

    fn hand_size(_: Seats) -> usize {
        5
    }

    fn deal(_: &ToyOptions, round: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self> {
        let trick = Trick::led_by(opening, hands.seats());
        let table = ToyTable {
            round,
            hand_counts: hands.map(|hand| hand.len() as u8),
            tricks_won: hands.map(|_| 0),
            phase: ToyPhase::Trick { trick },
        };
        let (own, hidden) = (hands.map(|hand| ToyOwn { hand: *hand }), ());
        Round { table, own, hidden }
    }

    fn to_act(table: &ToyTable) -> Vec<Seat> {
        match &table.phase {
            ToyPhase::Trick { trick } => vec![trick.turn(table.hand_counts.seats())],
            ToyPhase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn scores(table: &ToyTable) -> Option<&BySeat<ToyScore>> {
        match &table.phase {
            ToyPhase::Trick { .. } => None,
            ToyPhase::RoundEnd { scores } => Some(scores),
        }
    }

    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<ToyAction> {
        let hand = knowledge.own.hand.iter();
        hand.map(|card| ToyAction::Play { card }).collect()
    }

    fn check(
        knowledge: SeatKnowledge<'_, Self>,
        ToyAction::Play { card }: &ToyAction,
    ) -> Result<(), Illegal> {
        let is_on_turn = Self::to_act(knowledge.table).contains(&knowledge.seat);
        is_on_turn.then_some(()).ok_or(Illegal::NOT_YOUR_TURN)?;
        (card.value <= 6).then_some(()).ok_or(ABOVE_SIX)?;
        let is_held = knowledge.own.hand.contains(*card);
        is_held.then_some(()).ok_or(Illegal::CARD_NOT_IN_HAND)
    }

    fn act_unchecked(
        options: &ToyOptions,
        Round { table, own, .. }: &mut Round<Self>,
        seat: Seat,
        ToyAction::Play { card }: ToyAction,
        events: &mut Vec<Event<Self>>,
    ) {
        let seats = own.seats();
        let ToyPhase::Trick { trick } = &mut table.phase else {
            unreachable!("the action was checked");
        };
        assert!(own[seat].hand.remove(card), "the action was checked");
        table.hand_counts[seat] -= 1;
        let sign = if options.lowest_takes { 1 } else { -1 };
        let played = trick.lay(card, seats, card.colour, |cards| {
            (0..cards.len()).min_by_key(|at| sign * i32::from(cards[*at].value))
        });
        events.push(Event::Fact(ToyFact::Played(played)));
        if let Some(taker) = trick.winning.filter(|_| trick.is_full(seats)) {
            let finished = std::mem::replace(trick, Trick::led_by(taker, seats)).into();
            events.push(Event::Fact(ToyFact::TrickTaken(finished)));
            table.tricks_won[taker] += 1;
        }
        if own.iter().all(|own| own.hand.is_empty()) {
            let scores = table.tricks_won.map(|&points| ToyScore { points });
            table.phase = ToyPhase::RoundEnd { scores };
        }
    }

    fn trick_part(fact: &ToyFact) -> Option<TrickPart<'_>> {
        Some(match fact {
            ToyFact::Played(_) => TrickPart::Card,
            ToyFact::TrickTaken(trick) => trick.end(),
        })
    }

    fn shown_tricks(_: &ToyOptions) -> usize {
        0
    }
}

impl Player for Toy {
    type Memory = ();
    type Position = NoSearch;
}
