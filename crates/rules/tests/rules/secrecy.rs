//! Secrecy: no observer is told more than they may know.
//!
//! The twin test exchanges the cards that an observer cannot know, in the deck and in the moves of
//! a record. This twin is replayed from its first step, and the observer must receive the same
//! bytes. A twin is never a copy of a state, because a copy would contain a leak and hide it. The
//! test derives from the record alone which cards an observer knows.

mod leaky_game;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::to_string;
use sticheln_rules::sticheln::{self, Edition, History};
use sticheln_rules::{
    BySeat, Card, End, Game, Nyet, Record, ReplayError, Seat, Seats, Step, Sticheln, nyet,
};

use crate::playout::{Playout, env_number};

/// The properties of a game that the test needs.
trait Secret: Game {
    /// The cards that an action names.
    fn cards(action: &Self::Action) -> Vec<Card>;

    /// The same action with other cards.
    fn with_cards(action: &Self::Action, cards: Vec<Card>) -> Self::Action;

    /// Whether an action is public at once: a card on the table.
    fn is_open(action: &Self::Action) -> bool;

    /// After these moves of a round, the moves whose cards have been turned up.
    fn turned_up(_options: &Self::Options, _round: &Traced<Self>) -> Vec<usize> {
        vec![]
    }

    /// After these moves of a round, the cards that have just been passed, by their places in the
    /// deck, with the seats that get them.
    fn handed_on(_round: &Traced<Self>) -> Vec<(usize, Seat)> {
        vec![]
    }
}

/// One round of a record, with the place in the deck of each card that was moved.
struct Traced<G: Game> {
    seats: Seats,
    deck: Vec<Card>,
    /// The places in the deck of the cards that each seat was dealt.
    dealt: BySeat<Vec<usize>>,
    /// The places of the cards that each seat got from its neighbour.
    received: BySeat<Vec<usize>>,
    moves: Vec<(Seat, G::Action, Vec<usize>)>,
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
        }
    }

    /// The places of the cards that a seat holds now. A received copy of a card counts as played
    /// before a dealt one, because the neighbour knows it.
    fn held(&self, seat: Seat) -> Vec<usize> {
        let gone = |place: &usize| {
            self.moves
                .iter()
                .any(|(mover, _, places)| *mover == seat && places.contains(place))
        };
        let places = self.received[seat].iter().chain(&self.dealt[seat]);
        places.copied().filter(|place| !gone(place)).collect()
    }

    fn add(&mut self, seat: Seat, action: &G::Action) {
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
    fn unknown(&self, options: &G::Options, observer: Option<Seat>) -> Vec<usize> {
        let mut known = vec![false; self.deck.len()];
        if let Some(seat) = observer {
            for place in self.dealt[seat].iter().chain(&self.received[seat]) {
                known[*place] = true;
            }
        }
        let turned_up = G::turned_up(options, self);
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
    fn turned_up(_options: &Self::Options, round: &Traced<Self>) -> Vec<usize> {
        let all = round.seats.count();
        if round.moves.len() < all {
            vec![]
        } else {
            (0..all).collect()
        }
    }
}

/// The moves of a round that lay cards aside or pass them.
fn discards(round: &Traced<Nyet>) -> Vec<usize> {
    let is_discard = |at: &usize| matches!(round.moves[*at].1, nyet::Action::Discard { .. });
    (0..round.moves.len()).filter(is_discard).collect()
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

    /// The option `reveal_discards`: the cards that were laid aside, once all hands are played.
    fn turned_up(options: &Self::Options, round: &Traced<Self>) -> Vec<usize> {
        let over = round.seats.iter().all(|seat| round.held(seat).is_empty());
        if options.reveal_discards && over && !is_passing(round) {
            discards(round)
        } else {
            vec![]
        }
    }

    /// Section 5: passed cards change hands when the last seat has chosen.
    fn handed_on(round: &Traced<Self>) -> Vec<(usize, Seat)> {
        let discards = discards(round);
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

/// All that an observer receives in one step.
#[derive(Clone, PartialEq, Eq)]
struct Received {
    view: String,
    events: String,
    legal: String,
}

/// All that an observer receives from the beginning of the game.
fn received<G: Game>(
    record: &Record<G>,
    observer: Option<Seat>,
) -> Result<Vec<Received>, ReplayError> {
    let mut all = vec![];
    record.replay_with(|state, events| {
        let view = state.view(observer);
        all.push(Received {
            view: to_string(&view).unwrap(),
            events: to_string(events).unwrap(),
            legal: to_string(&view.legal()).unwrap(),
        });
    })?;
    Ok(all)
}

/// The place of a leak.
#[derive(Debug, PartialEq, Eq)]
enum Leak {
    View,
    Events,
    Legal,
}

/// Compares what an observer receives in two games that they cannot tell apart.
fn compare(one: &[Received], other: &[Received]) -> Result<(), Leak> {
    for (one, other) in one.iter().zip(other) {
        if one.view != other.view {
            return Err(Leak::View);
        } else if one.events != other.events {
            return Err(Leak::Events);
        } else if one.legal != other.legal {
            return Err(Leak::Legal);
        }
    }
    Ok(())
}

/// The rounds of a record.
fn rounds<G: Secret>(record: &Record<G>) -> Vec<Traced<G>> {
    let seats = Seats::new(record.seats).unwrap();
    let mut rounds: Vec<Traced<G>> = vec![];
    for step in &record.steps {
        match step {
            Step::Deal(deck) => rounds.push(Traced::new(seats, deck)),
            Step::Act(seat, action) => rounds.last_mut().unwrap().add(*seat, action),
        }
    }
    rounds
}

/// A record that the observer cannot tell from this one: the cards they do not know are exchanged,
/// all of them or two. `None` if nothing has changed.
fn twin<G: Secret>(
    record: &Record<G>,
    observer: Option<Seat>,
    all: bool,
    rng: &mut ChaCha8Rng,
) -> Option<Record<G>> {
    let mut changed = false;
    let mut steps = vec![];
    for round in rounds(record) {
        let unknown = round.unknown(&record.options, observer);
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

fn observers(seats: Seats) -> impl Iterator<Item = Option<Seat>> {
    seats.iter().map(Some).chain([None])
}

/// Plays a game, and compares it with a twin for each observer, after each step or after one of
/// several. Returns the number of twins: a twin that violates the duty to follow suit does not
/// count.
fn keeps_secrets<G: Secret>(
    options: G::Options,
    seats: usize,
    seed: u64,
    every: u64,
) -> Result<usize, Leak> {
    const TRIES: usize = 6;

    let mut game = Playout::<G>::new(options, seats, seed);
    let mut twins = 0;
    while let Some(step) = game.any_step() {
        game.take(step);
        if game.rng.random_range(0..every) > 0 {
            continue;
        }
        for observer in observers(game.state.seats()) {
            let own = received(&game.record, observer).unwrap();
            let mut candidates = (0..TRIES)
                .filter_map(|attempt| twin(&game.record, observer, attempt < 2, &mut game.rng));
            if let Some(other) = candidates.find_map(|twin| received(&twin, observer).ok()) {
                compare(&own, &other)?;
                twins += 1;
            }
        }
        compare_choices(&game)?;
    }
    Ok(twins)
}

/// An observer who cannot know a face-down choice of a seat receives the same bytes for each
/// choice.
fn compare_choices<G: Secret>(game: &Playout<G>) -> Result<(), Leak> {
    let Some((Step::Act(chooser, choice), before)) = game.record.steps.split_last() else {
        return Ok(());
    };
    if G::is_open(choice) || G::cards(choice).is_empty() {
        return Ok(());
    }
    let round = rounds(&game.record).pop().unwrap();
    let (_, _, chosen) = round.moves.last().unwrap();
    let mut other = Record {
        steps: before.to_vec(),
        ..game.record.clone()
    };
    let alternatives = other.replay().unwrap().view(Some(*chooser)).legal();
    for observer in observers(game.state.seats()) {
        let unknown = round.unknown(&game.record.options, observer);
        if !chosen.iter().all(|place| unknown.contains(place)) {
            continue;
        }
        let own = received(&game.record, observer).unwrap();
        for alternative in &alternatives {
            other.steps.push(Step::Act(*chooser, alternative.clone()));
            compare(&own, &received(&other, observer).unwrap())?;
            other.steps.pop();
        }
    }
    Ok(())
}

/// All numbers of seats with these options; `GAMES` games of each, compared after each step or one
/// of `EVERY`. Most steps must have a twin.
fn all_keep_secrets<G: Secret>(options: &[G::Options]) {
    let (games, every) = (env_number("GAMES", 1), env_number("EVERY", 1));
    for seats in G::SEATS {
        for options in options {
            let mut twins = 0;
            for seed in 0..games {
                println!("{}, {seats} seats, seed {seed}, {options:?}", G::ID);
                twins += keeps_secrets::<G>(options.clone(), seats, seed, every).unwrap() as u64;
            }
            let few = 20 * (seats as u64 + 1) * games;
            assert!(twins * every > few, "only {twins} twins");
        }
    }
}

#[test]
fn sticheln_keeps_secrets() {
    let canonical = sticheln::Options {
        end: End::rounds(1),
        ..Default::default()
    };
    all_keep_secrets::<Sticheln>(&[
        canonical.clone(),
        sticheln::Options {
            edition: Edition::Amigo1993,
            show_history: History::All,
            show_running_score: true,
            end: End::rounds(2),
            ..canonical
        },
    ]);
}

#[test]
fn nyet_keeps_secrets() {
    let canonical = nyet::Options {
        end: End::rounds(2),
        ..Default::default()
    };
    all_keep_secrets::<Nyet>(&[
        canonical.clone(),
        nyet::Options {
            reveal_discards: true,
            no_trump_space: true,
            ..canonical
        },
    ]);
}

/// A test of the test: it passes a game that keeps its secrets, and finds each kind of leak in a
/// leaky one.
#[test]
fn each_kind_of_leak_is_found() {
    fn verdict<const LEAK: u8>(seed: u64) -> Result<(), Leak> {
        keeps_secrets::<leaky_game::LeakyGame<LEAK>>((), 3, seed, 1).map(|twins| assert!(twins > 0))
    }

    for seed in 0..20 {
        assert_eq!(verdict::<{ leaky_game::NO_LEAK }>(seed), Ok(()));
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_TABLE }>(seed),
            Err(Leak::View)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_OWN }>(seed),
            Err(Leak::View)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_FACT }>(seed),
            Err(Leak::Events)
        );
        assert_eq!(
            verdict::<{ leaky_game::LEAK_IN_LEGAL }>(seed),
            Err(Leak::Legal)
        );
    }
}
