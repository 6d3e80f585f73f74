//! Games between bots and seats that play at random, the same for the same seed.

use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use sticheln_bots::{Level, Player};
use sticheln_rules::{Card, Seat, State, View};

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
pub enum Sitter {
    /// A bot.
    Bot(Level),
    /// Any legal action, all equally likely.
    Random,
}

impl Sitter {
    /// What it does in a seat that is waited for.
    pub fn action<G: Player>(self, view: View<'_, G>, rng: &mut ChaCha8Rng) -> G::Action {
        let action = match self {
            Self::Bot(level) => G::advice(view, level),
            Self::Random => view.legal().choose(rng).cloned(),
        };
        action.expect("a seat that is waited for can do something")
    }
}

/// Chance for a whole game, the same for the same seed.
pub fn chance(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The pack of a game, shuffled.
pub fn deck<G: Player>(state: &State<G>, rng: &mut ChaCha8Rng) -> Vec<Card> {
    let mut deck = state.pack();
    deck.shuffle(rng);
    deck
}

/// Plays the round that has been dealt to its end.
pub fn finish_round<G: Player>(state: &mut State<G>, sitters: &[Sitter], rng: &mut ChaCha8Rng) {
    while let Some(seat) = state.view(None).to_act().first().copied() {
        let action = sitters[seat.index()].action(state.view(Some(seat)), rng);
        state.play(seat, action).expect("the action is legal");
    }
}

/// The seat with this number.
pub fn seat(number: usize) -> Seat {
    Seat::new(number as u8)
}
