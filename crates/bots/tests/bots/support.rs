//! Games between bots and random players. The same seed gives the same game.

use rand::RngExt;
use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use sticheln_bots::{Level, Player, Searchable};
use sticheln_rules::{Card, Event, Seat, State, View};

/// The kind of player in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerKind {
    /// A bot.
    Bot(Level),
    /// An expert with this number of playouts.
    Expert(u32),
    /// A player by heuristics.
    Heuristic,
    /// A player of random legal actions.
    Random,
}

impl PlayerKind {
    /// The action of the player for a seat on turn.
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
        action.expect("a seat on turn has a legal action")
    }
}

/// The random numbers of a game.
pub fn seeded_rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The shuffled pack of a game.
pub fn deck<G: Player>(state: &State<G>, rng: &mut ChaCha8Rng) -> Vec<Card> {
    let mut deck = state.pack();
    deck.shuffle(rng);
    deck
}

/// A game with the memory of its public events.
#[derive(Clone)]
pub struct ObservedGame<G: Player> {
    pub state: State<G>,
    pub memory: G::Memory,
}

impl<G: Player> ObservedGame<G> {
    /// A game before its first deal.
    pub fn new(options: G::Options, seats: usize, opening: Seat) -> Self {
        Self::from_state(State::new(options, seats, opening).unwrap())
    }

    /// The same for this state, which has not been dealt.
    pub fn from_state(state: State<G>) -> Self {
        Self {
            state,
            memory: G::Memory::default(),
        }
    }

    /// The first seat on turn; `None` when the round is over.
    pub fn turn(&self) -> Option<Seat> {
        self.state.view(None).to_act().first().copied()
    }

    pub fn deal(&mut self, deck: &[Card]) {
        let events = self.state.deal(deck).unwrap();
        self.remember(&events);
    }

    pub fn play(&mut self, seat: Seat, action: G::Action) {
        let events = self.state.act(seat, action).unwrap();
        self.remember(&events);
    }

    fn remember(&mut self, events: &[Event<G>]) {
        for event in events {
            G::remember(&mut self.memory, event);
        }
    }

    /// The advice of a bot for this seat.
    pub fn advice(&self, seat: Option<Seat>, level: Level) -> Option<G::Action> {
        G::advice(self.state.view(seat), &self.memory, level)
    }

    /// Plays the current round to its end.
    pub fn finish_round(&mut self, players: &[PlayerKind], rng: &mut ChaCha8Rng) {
        while let Some(seat) = self.turn() {
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
