//! Rounds for training and for tests.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::cards::{CardIndex, Cards};
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::heuristics;
use sticheln_bots::sticheln::policy::MAX_CHOICES;
use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};

use crate::players::PlayerKind;

/// A round: players and hands.
pub struct Episode {
    pub seats: Seats,
    pub leader: Seat,
    pub players: [PlayerKind; Seats::MAX],
    pub hands: [Cards; Seats::MAX],
}

impl Episode {
    /// Plays the round. Seats of learners play by `pick` and `play`, the others by their kind.
    /// `observe` gets the state before the first trick and after each trick.
    pub fn play(
        mut self,
        mut pick: impl FnMut(usize, Cards, &mut Xoshiro256PlusPlus) -> CardIndex,
        mut play: impl FnMut(&Engine, &mut Xoshiro256PlusPlus) -> CardIndex,
        mut observe: impl FnMut(&Engine),
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let mut picks = [CardIndex::new(0, 0); Seats::MAX];
        for (seat, hand) in self.hands.iter_mut().enumerate().take(self.seats.count()) {
            picks[seat] = match self.players[seat] {
                PlayerKind::Learner => pick(seat, *hand, rng),
                PlayerKind::Heuristic | PlayerKind::Beginner => heuristics::pick(*hand),
                PlayerKind::Random => Cards::nth(*hand, rng.random_range(0..hand.len())),
            };
            hand.remove(picks[seat]);
        }
        let zeros = AllZeroTrick::Nobody;
        let mut engine = Engine::new(self.seats, self.hands, picks, self.leader, zeros);
        observe(&engine);
        while !engine.is_over() {
            let card = match self.players[engine.turn()] {
                PlayerKind::Learner => play(&engine, rng),
                PlayerKind::Heuristic => heuristics::heuristic(&engine),
                PlayerKind::Beginner => heuristics::beginner(&engine),
                PlayerKind::Random => {
                    let hand = engine.hand(engine.turn());
                    hand.nth(rng.random_range(0..hand.len()))
                }
            };
            engine.play(card).expect("a card of the hand");
            if engine.cards_in_trick() == 0 {
                observe(&engine);
            }
        }
    }
}

/// Random hands.
pub fn deal(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> [Cards; Seats::MAX] {
    let mut pack: Vec<CardIndex> = Cards::pack(seats).collect();
    pack.shuffle(rng);
    let mut hands = [Cards::EMPTY; Seats::MAX];
    for (hand, cards) in hands.iter_mut().zip(pack.chunks(MAX_CHOICES)) {
        *hand = cards.iter().copied().collect();
    }
    hands
}
