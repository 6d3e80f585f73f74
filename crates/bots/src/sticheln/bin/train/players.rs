//! The players of a round in training.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_rules::Seats;
use strum::{EnumIter, EnumString, IntoStaticStr};

/// The kind of a player in a round. The kinds that do not learn have their names in the arena.
#[derive(Clone, Copy, Debug, EnumIter, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PlayerKind {
    /// Plays by the policy that is learned or measured.
    #[strum(disabled)]
    Learner,
    /// Plays by [`heuristics::heuristic`](sticheln_bots::sticheln::heuristics::heuristic).
    Heuristic,
    /// Plays by [`heuristics::beginner`](sticheln_bots::sticheln::heuristics::beginner).
    Beginner,
    /// Plays random cards.
    Random,
}

impl PlayerKind {
    /// One learner in this seat against players of one kind.
    pub fn alone(seat: usize, others: Self) -> [Self; Seats::MAX] {
        let mut players = [others; Seats::MAX];
        players[seat] = Self::Learner;
        players
    }

    /// Random players of a round: at least one learner, and beginners, heuristic players or both.
    ///
    /// The mixture is needed: pure self-play teaches nothing about other players, and a learner
    /// that is rarely alone does not learn to exploit them.
    pub fn mixture(seats: Seats, rng: &mut Xoshiro256PlusPlus) -> [Self; Seats::MAX] {
        let count = seats.count();
        let is_alone = rng.random();
        let opponents = if is_alone {
            count - 1
        } else {
            rng.random_range(0..count)
        };
        let first = rng.random_range(0..count);
        let kind = rng.random_range(0..5);
        let mut players = [Self::Learner; Seats::MAX];
        for opponent in 0..opponents {
            let is_beginner = kind < 2 || kind == 2 && rng.random();
            players[(first + opponent) % count] = if is_beginner {
                Self::Beginner
            } else {
                Self::Heuristic
            };
        }
        players
    }
}
