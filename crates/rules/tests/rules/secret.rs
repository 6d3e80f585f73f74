//! The cards of a record that an observer cannot know, and twins with other such cards.
//!
//! The twin tests of the rules and of the server share this file.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sticheln_rules::{
    BySeat, Card, Game, Nyet, Record, Seat, Seats, Step, Sticheln, nyet, sticheln,
};

/// The properties of a game that twin tests need.
pub trait Secret: Game {
    /// The cards that an action names.
    fn cards(action: &Self::Action) -> Vec<Card>;

    /// The same action with other cards.
    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action;

    /// Whether an action is public at once: a card on the table.
    fn is_open(action: &Self::Action) -> bool;

    /// After these moves of a round, the moves whose cards have been turned up.
    fn turned_up(_round: &Traced<Self>) -> Vec<usize> {
        vec![]
    }

    /// Whether all cards are public after these moves of a round, also those that were not dealt.
    fn is_all_public(_round: &Traced<Self>) -> bool {
        false
    }

    /// After these moves of a round, the cards that have just been passed, by their places in the
    /// deck, with the seats that get them.
    fn handed_on(_round: &Traced<Self>) -> Vec<(usize, Seat)> {
        vec![]
    }
}

/// One round of a record, with the place in the deck of each card that was moved.
pub struct Traced<G: Game> {
    seats: Seats,
    deck: Vec<Card>,
    /// The places in the deck of the cards that each seat was dealt.
    dealt: BySeat<Vec<usize>>,
    /// The places of the cards that each seat got from its neighbour.
    received: BySeat<Vec<usize>>,
    /// The moves: the seat, the action, and the places of its cards.
    pub moves: Vec<(Seat, G::Action, Vec<usize>)>,
    /// The moves that are choices which were replaced.
    replaced: BTreeSet<usize>,
}

impl<G: Secret> Traced<G> {
    fn new(seats: Seats, deck: &[Card]) -> Self {
        let size = G::hand_size(seats);
        Self {
            seats,
            deck: deck.to_vec(),
            dealt: BySeat::from_fn(seats, |seat| {
                (seat.index() * size..(seat.index() + 1) * size).collect()
            }),
            received: BySeat::all(seats, vec![]),
            moves: vec![],
            replaced: BTreeSet::new(),
        }
    }

    /// The hidden choices of cards that were not replaced: at most one of each seat.
    fn choices(&self) -> Vec<usize> {
        let is_choice = |at: &usize| {
            let (_, action, places) = &self.moves[*at];
            !G::is_open(action) && !places.is_empty() && !self.replaced.contains(at)
        };
        (0..self.moves.len()).filter(is_choice).collect()
    }

    /// The places of the cards that a seat holds now. A received copy of a card counts as played
    /// before a dealt one, because the neighbour knows it.
    fn held(&self, seat: Seat) -> Vec<usize> {
        let gone = |place: &usize| {
            let mut moves = self.moves.iter().enumerate();
            moves.any(|(at, (mover, _, places))| {
                *mover == seat && places.contains(place) && !self.replaced.contains(&at)
            })
        };
        let places = self.received[seat].iter().chain(&self.dealt[seat]);
        places.copied().filter(|place| !gone(place)).collect()
    }

    fn add(&mut self, seat: Seat, action: &G::Action) {
        if !G::is_open(action) && !G::cards(action).is_empty() {
            let choices = self.choices();
            let earlier = choices.iter().find(|at| self.moves[**at].0 == seat);
            self.replaced.extend(earlier);
        }
        let mut held = self.held(seat);
        let mut place = |card: Card| {
            let at = held.iter().position(|place| self.deck[*place] == card);
            held.remove(at.expect("only held cards are moved"))
        };
        let places = G::cards(action).into_iter().map(&mut place).collect();
        self.moves.push((seat, action.clone(), places));
        for (place, receiver) in G::handed_on(self) {
            self.received[receiver].push(place);
        }
    }

    /// The places of the cards that the observer cannot know.
    pub fn unknown(&self, observer: Option<Seat>) -> Vec<usize> {
        let mut known = vec![G::is_all_public(self); self.deck.len()];
        if let Some(seat) = observer {
            for place in self.dealt[seat].iter().chain(&self.received[seat]) {
                known[*place] = true;
            }
        }
        let turned_up = G::turned_up(self);
        for (at, (_, action, places)) in self.moves.iter().enumerate() {
            if G::is_open(action) || turned_up.contains(&at) {
                places.iter().for_each(|place| known[*place] = true);
            }
        }
        (0..known.len()).filter(|place| !known[*place]).collect()
    }
}

impl Secret for Sticheln {
    fn cards(action: &Self::Action) -> Vec<Card> {
        let (sticheln::Action::Pick { card } | sticheln::Action::Play { card }) = action;
        vec![*card]
    }

    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action {
        let card = cards[0];
        match action {
            sticheln::Action::Pick { .. } => sticheln::Action::Pick { card },
            sticheln::Action::Play { .. } => sticheln::Action::Play { card },
        }
    }

    fn is_open(action: &Self::Action) -> bool {
        matches!(action, sticheln::Action::Play { .. })
    }

    /// Section 3: the picks, once the last seat has picked.
    fn turned_up(round: &Traced<Self>) -> Vec<usize> {
        let picks = round.choices();
        if picks.len() < round.seats.count() {
            vec![]
        } else {
            picks
        }
    }
}

/// Whether the free space of the second row is "pass left": all others are covered.
fn is_passing(round: &Traced<Nyet>) -> bool {
    let pass_left = nyet::Space::Discard(nyet::DiscardRule::PassLeft);
    let covers_it = |action: &nyet::Action| *action == nyet::Action::Cover(pass_left);
    !round.moves.iter().any(|(_, action, _)| covers_it(action))
}

impl Secret for Nyet {
    fn cards(action: &Self::Action) -> Vec<Card> {
        match action {
            nyet::Action::Cover(_) | nyet::Action::Team { .. } => vec![],
            nyet::Action::Discard { cards } => cards.clone(),
            nyet::Action::Play { card } => vec![*card],
        }
    }

    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action {
        match action {
            nyet::Action::Cover(_) | nyet::Action::Team { .. } => action.clone(),
            nyet::Action::Discard { .. } => nyet::Action::Discard { cards },
            nyet::Action::Play { .. } => nyet::Action::Play { card: cards[0] },
        }
    }

    fn is_open(action: &Self::Action) -> bool {
        matches!(action, nyet::Action::Play { .. })
    }

    /// Section 10: once all hands are played.
    fn is_all_public(round: &Traced<Self>) -> bool {
        round.seats.iter().all(|seat| round.held(seat).is_empty())
    }

    /// Section 5: passed cards change hands when the last seat has chosen.
    fn handed_on(round: &Traced<Self>) -> Vec<(usize, Seat)> {
        let discards = round.choices();
        let last_is_now = discards.last() == Some(&(round.moves.len() - 1));
        if discards.len() < round.seats.count() || !last_is_now || !is_passing(round) {
            return vec![];
        }
        let passed = discards.into_iter().map(|at| &round.moves[at]);
        passed
            .map(|(giver, _, places)| (places[0], round.seats.left_of(*giver)))
            .collect()
    }
}

/// The rounds of a record.
pub fn rounds<G: Secret>(record: &Record<G>) -> Vec<Traced<G>> {
    let seats = Seats::new(record.seats).unwrap();
    let mut rounds: Vec<Traced<G>> = vec![];
    for step in &record.steps {
        match step {
            Step::Deal(deck) => rounds.push(Traced::new(seats, deck)),
            Step::Act(seat, action) => rounds.last_mut().unwrap().add(*seat, action),
            Step::EndEarly => unreachable!("a playout plays to the end"),
        }
    }
    rounds
}

/// A record that is the same as this one for the observer: the cards they do not know are exchanged,
/// all of them or two. `None` if nothing has changed.
pub fn twin<G: Secret>(
    record: &Record<G>,
    observer: Option<Seat>,
    all: bool,
    rng: &mut ChaCha8Rng,
) -> Option<Record<G>> {
    let mut changed = false;
    let mut steps = vec![];
    for round in rounds(record) {
        let unknown = round.unknown(observer);
        let mut deck = round.deck.clone();
        if all {
            let mut faces: Vec<Card> = unknown.iter().map(|place| deck[*place]).collect();
            faces.shuffle(rng);
            unknown
                .iter()
                .zip(faces)
                .for_each(|(place, face)| deck[*place] = face);
        } else if !unknown.is_empty() {
            let mut any = || unknown[rng.random_range(0..unknown.len())];
            deck.swap(any(), any());
        }
        changed |= deck != round.deck;

        let moves = round.moves.iter().map(|(seat, action, places)| {
            let cards = places.iter().map(|place| deck[*place]).collect();
            Step::Act(*seat, G::with_cards(action, cards))
        });
        let moves: Vec<_> = moves.collect();
        steps.push(Step::Deal(deck));
        steps.extend(moves);
    }
    changed.then(|| Record {
        steps,
        ..record.clone()
    })
}
