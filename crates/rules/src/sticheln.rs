//! Sticheln, by Klaus Palesch: 3 to 6 seats, two editions (`docs/rules/sticheln.md`).
//!
//! # A round
//!
//! ```
//! use sticheln_rules::sticheln::{Action, Options};
//! use sticheln_rules::{Illegal, Seat, State, Status, Sticheln};
//!
//! let first_leader = Seat::new(2);
//! let mut game = State::<Sticheln>::new(Options::default(), 4, first_leader)
//!     .expect("Sticheln is played with 3 to 6 seats");
//!
//! // The caller shuffles; here the deck stays in order, so each seat holds long colours.
//! let deck = game.pack();
//! game.deal(&deck).expect("a game begins with a deal");
//!
//! // All seats pick a card, in any order. The others see only that they did. A seat may replace its pick until the last one
//! // is in.
//! for seat in game.seats().iter() {
//!     let pick = game.view(Some(seat)).legal().remove(0);
//!     game.act(seat, pick).expect("what is listed is legal");
//! }
//! let table = game.view(None).table().expect("a round is played").clone();
//! assert_eq!(table.picks().expect("all have picked")[Seat::new(0)].to_string(), "red-0");
//!
//! // A refusal has a code and changes nothing.
//! let blue_0 = Action::Play { card: "blue-0".parse().expect("a card") };
//! assert_eq!(game.act(Seat::new(0), blue_0).map_err(Illegal::code), Err("not_your_turn"));
//!
//! // The seat on turn plays the first legal card, until the round is over.
//! while let Some(seat) = game.view(None).to_act().first().copied() {
//!     let action = game.view(Some(seat)).legal().remove(0);
//!     game.act(seat, action).expect("what is listed is legal");
//! }
//! assert_eq!(game.status(), Status::ToDeal);
//! assert_eq!(game.view(None).sheet().rounds().len(), 1);
//! ```
//!
//! # Code that does not compile
//!
//! A state, a record and hidden data cannot be serialised:
//!
//! ```compile_fail,E0277
//! # use sticheln_rules::{State, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<State<Sticheln>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Record, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<Record<Sticheln>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Game, Sticheln};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<<Sticheln as Game>::Hidden>();
//! ```

mod edition;
mod fact;
pub mod illegal;
mod options;
mod score;
mod table;

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub use self::edition::Edition;
pub use self::fact::Fact;
pub use self::options::{AllZeroTrick, History, Options};
pub use self::score::{Score, worth};
pub use self::table::{Own, Phase, Table};
use crate::{
    BySeat, Card, End, Event, FinishedTrick, Game, GameId, Hand, Hints, Illegal, Round, Seat,
    SeatKnowledge, Seats, Trick, TrickPart,
};

/// The game of Sticheln.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The names of its schemas contain this name.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sticheln;

/// An action of a seat (section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnAction")
)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Lays a card face down: its colour becomes the unwanted colour of the seat (section 3).
    Pick {
        /// A card of the hand.
        card: Card,
    },
    /// Plays a card to the trick (section 4).
    Play {
        /// A card of the hand.
        card: Card,
    },
}

/// The part of a round that no seat is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden {
    /// The captured cards of each seat, face down, in the order they were taken (section 9).
    piles: BySeat<Vec<Card>>,
}

impl fmt::Debug for Hidden {
    /// Prints no card.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

impl Game for Sticheln {
    const ID: GameId = GameId::new("sticheln");
    const SEATS: RangeInclusive<usize> = 3..=6;
    const ILLEGAL: &'static [Illegal] = illegal::ALL;

    type Options = Options;
    type Action = Action;
    type Fact = Fact;
    type Table = Table;
    type Own = Own;
    type Hidden = Hidden;
    type Score = Score;

    fn end(options: &Options, seats: Seats) -> End {
        options.end.unwrap_or_else(|| options.edition.end(seats))
    }

    fn pack(options: &Options, seats: Seats) -> Vec<Card> {
        options.edition.pack(seats)
    }

    fn hand_size(_seats: Seats) -> usize {
        15
    }

    fn deal(options: &Options, round: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self> {
        let seats = hands.seats();
        // Section 2: the rotating role is that of the first leader, or of the dealer to their
        // right.
        let (dealer, first_leader) = match options.edition {
            Edition::Nsv => (None, opening),
            Edition::Amigo1993 => (Some(opening), seats.left_of(opening)),
        };
        Round {
            table: Table {
                round,
                dealer,
                first_leader,
                hand_counts: hands.map(|hand| hand.len() as u8),
                captured: BySeat::all(seats, 0),
                set_aside: 0,
                tricks_played: 0,
                last_trick: None,
                history: Vec::new(),
                running: None,
                phase: Phase::Pick {
                    picked: BySeat::all(seats, false),
                },
            },
            own: hands.map(|hand| Own {
                hand: *hand,
                pick: None,
            }),
            hidden: Hidden {
                piles: BySeat::all(seats, Vec::new()),
            },
        }
    }

    fn to_act(table: &Table) -> Vec<Seat> {
        match &table.phase {
            Phase::Pick { picked } => {
                let missing = picked.entries().filter(|(_, picked)| !**picked);
                missing.map(|(seat, _)| seat).collect()
            }
            Phase::Trick { trick, .. } => vec![trick.turn(table.seats())],
            Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn chosen(table: &Table) -> Vec<Seat> {
        match &table.phase {
            Phase::Pick { picked } => {
                let made = picked.entries().filter(|(_, picked)| **picked);
                made.map(|(seat, _)| seat).collect()
            }
            Phase::Trick { .. } | Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn scores(table: &Table) -> Option<&BySeat<Score>> {
        match &table.phase {
            Phase::Pick { .. } | Phase::Trick { .. } => None,
            Phase::RoundEnd { scores, .. } => Some(scores),
        }
    }

    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<Action> {
        let hand = knowledge.own.hand.iter();
        match knowledge.table.phase {
            Phase::Pick { .. } => hand.map(|card| Action::Pick { card }).collect(),
            Phase::Trick { .. } => hand.map(|card| Action::Play { card }).collect(),
            Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    /// The codes are checked in the order of section 8. Any card of the hand is legal (section 4).
    fn check(knowledge: SeatKnowledge<'_, Self>, action: &Action) -> Result<(), Illegal> {
        let SeatKnowledge { table, seat, .. } = knowledge;
        let card = match (action, &table.phase) {
            (Action::Pick { card }, Phase::Pick { .. }) => {
                if knowledge.own.pick == Some(*card) {
                    return Err(illegal::ALREADY_PICKED);
                }
                *card
            }
            (Action::Play { card }, Phase::Trick { trick, .. }) => {
                if trick.turn(table.seats()) != seat {
                    return Err(Illegal::NOT_YOUR_TURN);
                }
                *card
            }
            (Action::Pick { .. }, Phase::Trick { .. } | Phase::RoundEnd { .. })
            | (Action::Play { .. }, Phase::Pick { .. } | Phase::RoundEnd { .. }) => {
                return Err(Illegal::WRONG_PHASE);
            }
        };
        if !knowledge.options.edition.has(card, table.seats()) {
            Err(Illegal::UNKNOWN_CARD)
        } else if !knowledge.own.hand.contains(card) {
            Err(Illegal::CARD_NOT_IN_HAND)
        } else {
            Ok(())
        }
    }

    fn act_unchecked(
        options: &Options,
        round: &mut Round<Self>,
        seat: Seat,
        action: Action,
        events: &mut Vec<Event<Self>>,
    ) {
        let (Action::Pick { card } | Action::Play { card }) = action;
        let own = &mut round.own[seat];
        if let (Action::Pick { .. }, Some(earlier)) = (action, own.pick.take()) {
            own.hand.insert(earlier);
        }
        let held = own.hand.remove(card);
        debug_assert!(held, "the check has found the card in the hand");
        round.table.hand_counts[seat] = own.hand.len() as u8;
        match action {
            Action::Pick { .. } => pick(options, round, seat, card, events),
            Action::Play { .. } => play(options, round, card, events),
        }
    }

    fn trick_part(fact: &Fact) -> Option<TrickPart<'_>> {
        let end = |leader: &Seat, cards, taker| TrickPart::End {
            leader: *leader,
            cards,
            taker,
        };
        match fact {
            Fact::Played(_) => Some(TrickPart::Card),
            Fact::TrickTaken {
                seat,
                leader,
                cards,
                ..
            } => Some(end(leader, cards, Some(*seat))),
            Fact::SetAside { leader, cards } => Some(end(leader, cards, None)),
            Fact::Picked { .. } | Fact::Revealed { .. } => None,
        }
    }

    /// Section 10.
    fn shown_tricks(options: &Options) -> usize {
        match options.show_history {
            History::All => usize::MAX,
            History::LastTrick if options.show_last_trick => 1,
            History::LastTrick | History::Off => 0,
        }
    }

    fn hints(knowledge: SeatKnowledge<'_, Self>) -> Option<Hints> {
        let Phase::Trick { picks, trick } = &knowledge.table.phase else {
            return None;
        };
        Some(trick.hints(
            &knowledge.own.hand,
            knowledge.table.seats(),
            |cards| winning_place(cards, knowledge.options.all_zero_trick()),
            |card, taker| worth(card, picks[taker].colour),
        ))
    }
}

/// The place in playing order, from 0, of the winning card of a trick, finished or not. `None` if
/// no card wins (section 5).
///
/// The result depends on these cards alone, not on the deck or on unwanted colours.
pub fn winning_place(cards: &[Card], all_zero_trick: AllZeroTrick) -> Option<usize> {
    let lead = cards.first()?.colour;
    // A trump beats all cards of the lead colour, and a higher value beats a lower one. Of equal
    // cards the first one wins. Zeros win nothing.
    let strength = |card: &Card| (card.colour != lead, card.value);
    let best = (0..cards.len())
        .filter(|place| cards[*place].value > 0)
        .reduce(|best, place| {
            if strength(&cards[place]) > strength(&cards[best]) {
                place
            } else {
                best
            }
        });
    match all_zero_trick {
        AllZeroTrick::Nobody => best,
        AllZeroTrick::Leader => best.or(Some(0)),
    }
}

/// Lays `card` face down, in the place of an earlier one if there is one. After the last one all are turned up (section 3).
fn pick(
    options: &Options,
    round: &mut Round<Sticheln>,
    seat: Seat,
    card: Card,
    events: &mut Vec<Event<Sticheln>>,
) {
    let Phase::Pick { picked } = &mut round.table.phase else {
        unreachable!("the check has found the phase of picks");
    };
    round.own[seat].pick = Some(card);
    if std::mem::replace(&mut picked[seat], true) {
        // Nobody else may notice that a pick was replaced.
        return;
    }
    events.push(Event::Fact(Fact::Picked { seat }));
    if picked.iter().any(|picked| !picked) {
        return;
    }

    let table = &mut round.table;
    let seats = table.seats();
    let own = &mut round.own;
    let picks = BySeat::from_fn(seats, |seat| {
        own[seat].pick.take().expect("every seat has picked")
    });
    if options.show_running_score {
        table.running = Some(picks.map(|pick| Score::new(*pick, &[])));
    }
    events.push(Event::Fact(Fact::Revealed {
        picks: picks.clone(),
        leader: table.first_leader,
    }));
    table.phase = Phase::Trick {
        picks,
        trick: Trick::led_by(table.first_leader, seats),
    };
}

/// Plays `card` to the trick. If it is the last one of the trick or of the round, that ends
/// (sections 4 to 6).
fn play(
    options: &Options,
    round: &mut Round<Sticheln>,
    card: Card,
    events: &mut Vec<Event<Sticheln>>,
) {
    let table = &mut round.table;
    let seats = table.seats();
    let Phase::Trick { picks, trick } = &mut table.phase else {
        unreachable!("the check has found the phase of tricks");
    };
    let played = trick.lay(card, seats, card.colour, |cards| {
        winning_place(cards, options.all_zero_trick())
    });
    events.push(Event::Fact(Fact::Played(played)));
    if !trick.is_full(seats) {
        return;
    }

    let next_leader = trick.winning.unwrap_or(trick.leader);
    let trick = FinishedTrick::from(std::mem::replace(trick, Trick::led_by(next_leader, seats)));
    match trick.taker {
        Some(taker) => {
            let pile = &mut round.hidden.piles[taker];
            pile.extend(&trick.cards);
            table.captured[taker] = pile.len() as u8;
            if let Some(running) = &mut table.running {
                running[taker] = Score::new(picks[taker], pile);
            }
            let unwanted = picks[taker].colour;
            let worths = trick.cards.iter().map(|card| worth(*card, unwanted));
            events.push(Event::Fact(Fact::TrickTaken {
                seat: taker,
                leader: trick.leader,
                cards: trick.cards.clone(),
                points: worths.sum(),
            }));
        }
        None => {
            table.set_aside += trick.cards.len() as u8;
            events.push(Event::Fact(Fact::SetAside {
                leader: trick.leader,
                cards: trick.cards.clone(),
            }));
        }
    }
    table.tricks_played += 1;
    match options.show_history {
        History::All => table.history.push(trick),
        History::LastTrick if options.show_last_trick => table.last_trick = Some(trick),
        History::LastTrick | History::Off => {}
    }

    if table.hand_counts.iter().all(|count| *count == 0) {
        let piles = &round.hidden.piles;
        table.phase = Phase::RoundEnd {
            scores: BySeat::from_fn(seats, |seat| Score::new(picks[seat], &piles[seat])),
            picks: picks.clone(),
            next_leader: seats.left_of(table.first_leader),
        };
    }
}
