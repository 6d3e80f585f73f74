//! Games between bots and seats that play at random, the same for the same seed.

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use sticheln_bots::{Level, Player, Searchable};
use sticheln_rules::{Card, Event, Seat, State, View};

/// A number that the environment may raise for a longer run.
pub fn number(name: &str, usual: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => usual,
    }
}

/// Who plays for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A bot.
    Bot(Level),
    /// An expert with so many playouts.
    Expert(u32),
    /// Somebody sensible by heuristics.
    Heuristic,
    /// Any legal action, all equally likely.
    Random,
}

impl PlayerKind {
    /// What it does in a seat that is waited for.
    pub fn action<G: Player>(
        self,
        view: View<'_, G>,
        memory: &G::Memory,
        rng: &mut ChaCha8Rng,
    ) -> G::Action {
        let action = match self {
            Self::Bot(level) => G::advice(view, memory, level),
            Self::Expert(playouts) => match G::position(view, memory) {
                Some(position) => {
                    let seed = rng.random();
                    Some(position.search(seed, playouts, &mut || false))
                }
                None => G::advice(view, memory, Level::Expert),
            },
            Self::Heuristic => G::heuristic_advice(view, memory),
            Self::Random => view.legal().choose(rng).cloned(),
        };
        action.expect("a seat that is waited for can do something")
    }
}

/// Chance for a whole game, the same for the same seed.
pub fn seeded_rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The pack of a game, shuffled.
pub fn deck<G: Player>(state: &State<G>, rng: &mut ChaCha8Rng) -> Vec<Card> {
    let mut deck = state.pack();
    deck.shuffle(rng);
    deck
}

/// A game, and what everybody has been told of it.
#[derive(Clone)]
pub struct Told<G: Player> {
    pub state: State<G>,
    pub memory: G::Memory,
}

impl<G: Player> Told<G> {
    /// A game before its first deal.
    pub fn new(options: G::Options, seats: usize, opening: Seat) -> Self {
        Self {
            state: State::new(options, seats, opening).unwrap(),
            memory: G::Memory::default(),
        }
    }

    pub fn deal(&mut self, deck: &[Card]) {
        let events = self.state.deal(deck).unwrap();
        self.note(&events);
    }

    pub fn play(&mut self, seat: Seat, action: G::Action) {
        let events = self.state.play(seat, action).unwrap();
        self.note(&events);
    }

    fn note(&mut self, events: &[Event<G>]) {
        for event in events {
            G::note(&mut self.memory, event);
        }
    }

    /// What a bot does in this seat.
    pub fn advice(&self, seat: Option<Seat>, level: Level) -> Option<G::Action> {
        G::advice(self.state.view(seat), &self.memory, level)
    }

    /// Plays the round that has been dealt to its end.
    pub fn finish_round(&mut self, players: &[PlayerKind], rng: &mut ChaCha8Rng) {
        while let Some(seat) = self.state.view(None).to_act().first().copied() {
            let view = self.state.view(Some(seat));
            let action = players[seat.index()].action(view, &self.memory, rng);
            self.play(seat, action);
        }
    }
}

/// The seat with this number.
pub fn seat(number: usize) -> Seat {
    Seat::new(number as u8)
}
