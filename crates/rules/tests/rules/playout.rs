//! Random games, reproducible by their seed.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sticheln_rules::{Card, Event, Game, Record, Seat, State, Status, Step};

/// A game in which all seats play at random, with its record.
pub struct Playout<G: Game> {
    pub state: State<G>,
    pub record: Record<G>,
    pub rng: ChaCha8Rng,
}

impl<G: Game> Playout<G> {
    /// A game before its first deal, with a random opening seat.
    pub fn new(options: G::Options, seats: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let opening = Seat::new(rng.random_range(0..seats as u8));
        Self {
            state: State::new(options.clone(), seats, opening).expect("the game is played so"),
            record: Record::new(options, seats, opening),
            rng,
        }
    }

    /// The shuffled pack.
    pub fn deck(&mut self) -> Vec<Card> {
        let mut deck = self.state.pack();
        deck.shuffle(&mut self.rng);
        deck
    }

    /// A random step that is not done yet: a deal or a legal action; `None` once the game is over.
    pub fn any_step(&mut self) -> Option<Step<G>> {
        match self.state.status() {
            Status::ToDeal => Some(Step::Deal(self.deck())),
            Status::Playing => {
                let to_act = self.state.view(None).to_act();
                let seat = *to_act.choose(&mut self.rng).expect("a seat can act");
                let legal = self.state.view(Some(seat)).legal();
                let action = legal
                    .choose(&mut self.rng)
                    .expect("the seat has a legal action");
                Some(Step::Act(seat, action.clone()))
            }
            Status::Over(_) => None,
        }
    }

    /// As [`Playout::any_step`], but in one of three cases a seat that has chosen replaces its choice, if one may.
    pub fn any_step_or_change(&mut self) -> Option<Step<G>> {
        let chosen = self.state.view(None).chosen();
        match chosen.choose(&mut self.rng) {
            Some(seat) if self.rng.random_ratio(1, 3) => {
                let changes = self.state.view(Some(*seat)).changes();
                let action = changes.choose(&mut self.rng);
                Some(Step::Act(
                    *seat,
                    action.expect("another choice is legal").clone(),
                ))
            }
            _ => self.any_step(),
        }
    }

    /// Does and records a legal step.
    pub fn take(&mut self, step: Step<G>) -> Vec<Event<G>> {
        let events = match &step {
            Step::Deal(deck) => self.state.deal(deck).expect("a deck can be dealt"),
            Step::Act(seat, action) => self
                .state
                .act(*seat, action.clone())
                .expect("the action is legal"),
            Step::EndEarly => self.state.end_early().expect("a round has been scored"),
        };
        self.record.steps.push(step);
        events
    }
}
