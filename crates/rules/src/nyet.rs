//! Nyet!, by Stefan Dorra: 2 to 5 seats (`docs/rules/nyet.md`).
//!
//! # Code that does not compile
//!
//! A state, a record, and the data that is hidden from all seats cannot be serialised:
//!
//! ```compile_fail,E0277
//! # use sticheln_rules::{State, Nyet};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<State<Nyet>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Nyet, Record};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<Record<Nyet>>();
//! ```
//! ```compile_fail,E0277
//! # use sticheln_rules::{Game, Nyet};
//! fn needs_text<T: serde::Serialize>() {}
//! needs_text::<<Nyet as Game>::Hidden>();
//! ```

mod board;
mod fact;
pub mod illegal;
mod options;
#[cfg(feature = "schema")]
mod schema;
mod score;
mod suits;
mod table;
mod teams;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

pub use self::board::{Board, Character, Conditions, DiscardRule, Points, Row, Space};
pub use self::fact::Fact;
pub use self::options::{Characters, CharactersError, Options};
pub use self::score::Score;
pub use self::suits::{COLOURS, Suit, Suits, TrumpSpace};
pub use self::table::{Hidden, Own, Phase, RevealedCards, Table};
pub use self::teams::Teams;
use crate::{
    BySeat, Card, End, Event, FinishedTrick, Game, GameId, Hand, Hints, Illegal, Round, Seat,
    SeatKnowledge, Seats, Trick, TrickPart,
};

/// The game of Nyet!.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// The names of its schemas contain this name.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nyet;

/// An action of a seat (section 9).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "NyetAction")
)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Covers a space: it does not apply in this round (section 3).
    Cover(Space),
    /// Forms the teams (section 4).
    Team {
        /// The partners of the start player.
        #[cfg_attr(feature = "schema", schemars(length(max = 2)))]
        partners: Vec<Seat>,
        /// The holder of the x2 card, where the start player chooses one.
        bonus: Option<Seat>,
    },
    /// Lays cards aside, or passes one to the left (section 5).
    Discard {
        /// Cards of the hand, in any order.
        #[cfg_attr(feature = "schema", schemars(length(max = 2)))]
        cards: Vec<Card>,
    },
    /// Plays a card to the trick (section 6).
    Play {
        /// A card of the hand.
        card: Card,
    },
}

impl Game for Nyet {
    const ID: GameId = GameId::new("nyet");
    const SEATS: RangeInclusive<usize> = 2..=5;
    const ILLEGAL: &'static [Illegal] = illegal::ALL;
    const CHARACTERS: &'static [&'static str] = &Character::NAMES;

    type Options = Options;
    type Action = Action;
    type Fact = Fact;
    type Table = Table;
    type Own = Own;
    type Hidden = Hidden;
    type Score = Score;

    fn end(options: &Options, seats: Seats) -> End {
        let usual = || match seats.count() {
            3 => 9,
            5 => 10,
            _ => 8,
        };
        options
            .end
            .unwrap_or_else(|| End::rounds(usual()).expect("8, 9 and 10 are numbers of rounds"))
    }

    fn with_characters(options: &Options, chosen: &[Option<u8>]) -> Options {
        Options {
            characters: options.characters.with_chosen(chosen),
            ..options.clone()
        }
    }

    fn pack(_options: &Options, seats: Seats) -> Vec<Card> {
        let values = [1, 1].into_iter().chain(1..=max_value(seats));
        let colours = COLOURS.into_iter();
        colours
            .flat_map(|colour| values.clone().map(move |value| Card::new(colour, value)))
            .collect()
    }

    fn hand_size(seats: Seats) -> usize {
        match seats.count() {
            3 => 16,
            5 => 12,
            _ => 15,
        }
    }

    fn deal(options: &Options, round: u8, opening: Seat, hands: BySeat<Hand>) -> Round<Self> {
        let seats = hands.seats();
        let characters = options.characters.seated(seats);
        let board = Board::new(&characters, options.no_trump_space);
        let undealt = undealt(options, &hands);
        Round {
            table: Table {
                round,
                dealer: opening,
                phase: Phase::Cover {
                    turn: opening,
                    covers_left: board.covers_left() as u8,
                },
                characters,
                board,
                hand_counts: hands.map(|hand| hand.len() as u8),
                undealt: undealt.len() as u8,
                tricks_won: BySeat::all(seats, 0),
                loot: BySeat::all(seats, Vec::new()),
                last_trick: None,
            },
            own: hands.map(|hand| Own {
                hand: *hand,
                discard: Hand::EMPTY,
                received: None,
            }),
            hidden: Hidden { undealt },
        }
    }

    fn to_act(table: &Table) -> Vec<Seat> {
        match &table.phase {
            Phase::Cover { turn, .. } => vec![*turn],
            Phase::Team { conditions } => vec![conditions.start_seat],
            Phase::Discard { discarded, .. } => {
                let missing = discarded.entries().filter(|(_, done)| !**done);
                missing.map(|(seat, _)| seat).collect()
            }
            Phase::Trick { trick, .. } => vec![trick.turn(table.seats())],
            Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn chosen(table: &Table) -> Vec<Seat> {
        match &table.phase {
            Phase::Discard { discarded, .. } => {
                let made = discarded.entries().filter(|(_, done)| **done);
                made.map(|(seat, _)| seat).collect()
            }
            Phase::Cover { .. }
            | Phase::Team { .. }
            | Phase::Trick { .. }
            | Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    fn scores(table: &Table) -> Option<&BySeat<Score>> {
        match &table.phase {
            Phase::RoundEnd { scores, .. } => Some(scores),
            Phase::Cover { .. }
            | Phase::Team { .. }
            | Phase::Discard { .. }
            | Phase::Trick { .. } => None,
        }
    }

    fn candidates(knowledge: SeatKnowledge<'_, Self>) -> Vec<Action> {
        let hand = &knowledge.own.hand;
        match &knowledge.table.phase {
            Phase::Cover { .. } => knowledge.table.board.free().map(Action::Cover).collect(),
            Phase::Team { .. } => team_choices(knowledge.table.seats()),
            Phase::Discard { conditions, .. } => {
                let choices = card_choices(hand, conditions.discard.count());
                choices.map(|cards| Action::Discard { cards }).collect()
            }
            Phase::Trick { .. } => hand.distinct().map(|card| Action::Play { card }).collect(),
            Phase::RoundEnd { .. } => Vec::new(),
        }
    }

    /// The codes are checked in the order of section 9.
    fn check(knowledge: SeatKnowledge<'_, Self>, action: &Action) -> Result<(), Illegal> {
        let SeatKnowledge {
            table, seat, own, ..
        } = knowledge;
        let seats = table.seats();
        let on_turn = |turn| {
            if turn == seat {
                Ok(())
            } else {
                Err(Illegal::NOT_YOUR_TURN)
            }
        };
        match (action, &table.phase) {
            (Action::Cover(space), Phase::Cover { turn, .. }) => {
                on_turn(*turn)?;
                table.board.check(*space)
            }
            (Action::Team { partners, bonus }, Phase::Team { conditions }) => {
                on_turn(conditions.start_seat)?;
                Teams::formed(seat, seats, partners, *bonus).map(|_| ())
            }
            (Action::Discard { cards }, Phase::Discard { conditions, .. }) => {
                check_discard(conditions.discard, seats, own, cards)
            }
            (
                Action::Play { card },
                Phase::Trick {
                    conditions, trick, ..
                },
            ) => {
                on_turn(trick.turn(seats))?;
                if !is_known(*card, seats) {
                    Err(Illegal::UNKNOWN_CARD)
                } else if !own.hand.contains(*card) {
                    Err(Illegal::CARD_NOT_IN_HAND)
                } else if !conditions.suits().may_play(&own.hand, trick.lead, *card) {
                    Err(illegal::MUST_FOLLOW_SUIT)
                } else {
                    Ok(())
                }
            }
            (
                Action::Cover(_)
                | Action::Team { .. }
                | Action::Discard { .. }
                | Action::Play { .. },
                _,
            ) => Err(Illegal::WRONG_PHASE),
        }
    }

    fn act_unchecked(
        options: &Options,
        round: &mut Round<Self>,
        seat: Seat,
        action: Action,
        events: &mut Vec<Event<Self>>,
    ) {
        match action {
            Action::Cover(space) => cover(round, seat, space, events),
            Action::Team { partners, bonus } => form_teams(round, seat, &partners, bonus, events),
            Action::Discard { cards } => discard(round, seat, &cards, events),
            Action::Play { card } => play(options, round, seat, card, events),
        }
    }

    fn trick_part(fact: &Fact) -> Option<TrickPart<'_>> {
        match fact {
            Fact::Played(_) => Some(TrickPart::Card),
            Fact::TrickTaken {
                seat,
                leader,
                cards,
                ..
            } => Some(TrickPart::End {
                leader: *leader,
                cards,
                taker: Some(*seat),
            }),
            Fact::Covered { .. }
            | Fact::BoardSettled { .. }
            | Fact::TeamsFormed { .. }
            | Fact::Discarded { .. }
            | Fact::DiscardsDone { .. }
            | Fact::CardsRevealed { .. } => None,
        }
    }

    /// The last one (section 10).
    fn shown_tricks(_options: &Options) -> usize {
        1
    }

    fn hints(knowledge: SeatKnowledge<'_, Self>) -> Option<Hints> {
        let Phase::Trick {
            conditions,
            teams,
            trick,
        } = &knowledge.table.phase
        else {
            return None;
        };
        let SeatKnowledge {
            options, seat, own, ..
        } = knowledge;
        let suits = conditions.suits();
        let seats = knowledge.table.seats();
        let worth = |card, taker| {
            let is_loot = teams.are_opponents(taker, seat) && options.is_loot(card, suits);
            i32::from(is_loot) * conditions.points.value() * teams.factor(taker)
        };
        Some(trick.hints(&own.hand, seats, |cards| suits.winning_place(cards), worth))
    }
}

/// The highest value with this number of seats (section 1).
fn max_value(seats: Seats) -> u8 {
    if seats.count() == 3 { 10 } else { 13 }
}

/// The cards of the pack that are in no hand, sorted.
fn undealt(options: &Options, hands: &BySeat<Hand>) -> Vec<Card> {
    let mut rest = Nyet::pack(options, hands.seats());
    rest.sort_unstable();
    for card in hands.iter().flat_map(Hand::iter) {
        let at = rest.binary_search(&card);
        rest.remove(at.expect("the hands are dealt from the pack"));
    }
    rest
}

/// Whether the game has this card with this number of seats.
fn is_known(card: Card, seats: Seats) -> bool {
    (1..=max_value(seats)).contains(&card.value) && COLOURS.contains(&card.colour)
}

/// All choices of partners and of a holder of the x2 card that can be valid.
fn team_choices(seats: Seats) -> Vec<Action> {
    let mut partners = vec![Vec::new()];
    for one in seats.iter() {
        partners.push(vec![one]);
        partners.extend(
            seats
                .iter()
                .filter(|two| *two > one)
                .map(|two| vec![one, two]),
        );
    }
    // With three and four seats the start player does not choose a holder of the card.
    let bonuses: Vec<_> = match seats.count() {
        5 => seats.iter().map(Some).collect(),
        _ => vec![None],
    };
    let choices = partners.into_iter().flat_map(|partners| {
        bonuses.iter().map(move |bonus| Action::Team {
            partners: partners.clone(),
            bonus: *bonus,
        })
    });
    choices.collect()
}

/// All choices of `count` cards, one or two, from a hand. Equal choices occur once.
fn card_choices(hand: &Hand, count: usize) -> impl Iterator<Item = Vec<Card>> {
    let cards = *hand;
    hand.distinct()
        .collect::<Vec<_>>()
        .into_iter()
        .flat_map(move |card| match count {
            2 => {
                let rest = cards.without(&[card]).expect("a card of the hand");
                let pairs = rest.distinct().filter(|other| *other >= card);
                pairs.map(|other| vec![card, other]).collect()
            }
            _ => vec![vec![card]],
        })
}

/// Checks that these cards may be laid aside or passed, and that the seat has not chosen them already (section 5).
fn check_discard(
    rule: DiscardRule,
    seats: Seats,
    own: &Own,
    cards: &[Card],
) -> Result<(), Illegal> {
    let hand = &own.hand;
    let is_1 = |card: &Card| card.value == 1;
    if cards.len() != rule.count() {
        Err(illegal::WRONG_DISCARD_COUNT)
    } else if !cards.iter().all(|card| is_known(*card, seats)) {
        Err(Illegal::UNKNOWN_CARD)
    } else if hand.without(cards).is_none() {
        Err(Illegal::CARD_NOT_IN_HAND)
    } else if rule == DiscardRule::OneNot1
        && cards.iter().any(is_1)
        && !hand.as_slice().iter().all(is_1)
    {
        Err(illegal::DISCARD_MUST_NOT_BE_1)
    } else if own.discard.without(cards).is_some() {
        Err(illegal::ALREADY_DISCARDED)
    } else {
        Ok(())
    }
}

/// Covers a space. After the last cover the rules of the round are known (section 3).
fn cover(round: &mut Round<Nyet>, seat: Seat, space: Space, events: &mut Vec<Event<Nyet>>) {
    let table = &mut round.table;
    let seats = table.seats();
    table.board.cover(space, seat);
    let covers_left = table.board.covers_left() as u8;
    events.push(Event::Fact(Fact::Covered {
        seat,
        space,
        covers_left,
    }));
    let Some(conditions) = table.board.conditions(&table.characters) else {
        table.phase = Phase::Cover {
            turn: seats.left_of(seat),
            covers_left,
        };
        return;
    };
    events.push(Event::Fact(Fact::BoardSettled { conditions }));
    if seats.count() == 2 {
        begin(table, conditions, Teams::alone(seats));
    } else {
        table.phase = Phase::Team { conditions };
    }
}

/// Forms the teams (section 4).
fn form_teams(
    round: &mut Round<Nyet>,
    seat: Seat,
    partners: &[Seat],
    bonus: Option<Seat>,
    events: &mut Vec<Event<Nyet>>,
) {
    let table = &mut round.table;
    let Phase::Team { conditions } = table.phase else {
        unreachable!("the check has found the phase of teams");
    };
    let teams = Teams::formed(seat, table.seats(), partners, bonus)
        .expect("the check has found the teams to be valid");
    events.push(Event::Fact(Fact::TeamsFormed {
        seat,
        teams: teams.clone(),
    }));
    begin(table, conditions, teams);
}

/// Begins the phase after the teams: the discards, or the first trick if there are none.
fn begin(table: &mut Table, conditions: Conditions, teams: Teams) {
    let seats = table.seats();
    table.phase = match conditions.discard {
        DiscardRule::None => Phase::Trick {
            conditions,
            teams,
            trick: Trick::led_by(conditions.start_seat, seats),
        },
        DiscardRule::One | DiscardRule::Two | DiscardRule::OneNot1 | DiscardRule::PassLeft => {
            Phase::Discard {
                conditions,
                teams,
                discarded: BySeat::all(seats, false),
            }
        }
    };
}

/// Chooses cards to lay aside or to pass, in the place of an earlier choice if there is one. When all seats have chosen, the
/// cards move (section 5).
fn discard(round: &mut Round<Nyet>, seat: Seat, cards: &[Card], events: &mut Vec<Event<Nyet>>) {
    let table = &mut round.table;
    let seats = table.seats();
    let Phase::Discard {
        conditions,
        teams,
        discarded,
    } = &mut table.phase
    else {
        unreachable!("the check has found the phase of discards");
    };
    round.own[seat].discard = cards.iter().copied().collect();
    if std::mem::replace(&mut discarded[seat], true) {
        // Nobody else may notice that a choice was replaced.
        return;
    }
    events.push(Event::Fact(Fact::Discarded { seat }));
    if discarded.iter().any(|done| !done) {
        return;
    }

    for own in round.own.iter_mut() {
        own.hand = own
            .hand
            .without(own.discard.as_slice())
            .expect("the check has found the cards in the hand");
    }
    if conditions.discard == DiscardRule::PassLeft {
        for giver in seats.iter() {
            let passed = round.own[giver].discard.iter().next();
            let own = &mut round.own[seats.left_of(giver)];
            own.received = passed;
            own.hand
                .insert(passed.expect("each seat has chosen a card"));
        }
    }
    for seat in seats.iter() {
        table.hand_counts[seat] = round.own[seat].hand.len() as u8;
    }
    events.push(Event::Fact(Fact::DiscardsDone {
        discard: conditions.discard,
    }));
    table.phase = Phase::Trick {
        conditions: *conditions,
        teams: teams.clone(),
        trick: Trick::led_by(conditions.start_seat, seats),
    };
}

/// Plays `card` to the trick. If it is the last one of the trick or of the round, that ends
/// (sections 6 and 7).
fn play(
    options: &Options,
    round: &mut Round<Nyet>,
    seat: Seat,
    card: Card,
    events: &mut Vec<Event<Nyet>>,
) {
    let table = &mut round.table;
    let seats = table.seats();
    let Phase::Trick {
        conditions,
        teams,
        trick,
    } = &mut table.phase
    else {
        unreachable!("the check has found the phase of tricks");
    };
    let own = &mut round.own[seat];
    let held = own.hand.remove(card);
    debug_assert!(held, "the check has found the card in the hand");
    table.hand_counts[seat] = own.hand.len() as u8;

    let suits = conditions.suits();
    let played = trick.lay(card, seats, suits.suit(card), |cards| {
        suits.winning_place(cards)
    });
    events.push(Event::Fact(Fact::Played(played)));
    if !trick.is_full(seats) {
        return;
    }

    let taker = trick
        .winning
        .expect("some card of a full trick is the highest");
    let trick = FinishedTrick::from(std::mem::replace(trick, Trick::led_by(taker, seats)));
    let loot = loot(options, suits, teams, taker, &trick);
    table.tricks_won[taker] += 1;
    table.loot[taker].extend(&loot);
    events.push(Event::Fact(Fact::TrickTaken {
        seat: taker,
        leader: trick.leader,
        cards: trick.cards.clone(),
        loot,
    }));
    table.last_trick = Some(trick);

    if table.hand_counts.iter().all(|count| *count == 0) {
        let loot_counts = table.loot.map(|loot| loot.len() as u8);
        let undealt = std::mem::take(&mut round.hidden.undealt);
        let revealed = RevealedCards::new(round.own.map(|own| own.discard), undealt);
        if let Some(cards) = revealed.clone() {
            events.push(Event::Fact(Fact::CardsRevealed {
                discard: conditions.discard,
                cards,
            }));
        }
        table.phase = Phase::RoundEnd {
            scores: Score::of_round(teams, conditions.points, &table.tricks_won, &loot_counts),
            conditions: *conditions,
            teams: teams.clone(),
            next_dealer: seats.left_of(table.dealer),
            revealed,
        };
    }
}

/// The cards of a trick that are loot of its taker, in playing order (section 6).
pub fn loot(
    options: &Options,
    suits: Suits,
    teams: &Teams,
    taker: Seat,
    trick: &FinishedTrick,
) -> Vec<Card> {
    trick
        .plays(teams.of.seats())
        .filter(|(seat, card)| teams.are_opponents(taker, *seat) && options.is_loot(*card, suits))
        .map(|(_, card)| card)
        .collect()
}
