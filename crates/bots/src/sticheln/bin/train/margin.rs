//! The strength of a learned policy.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::sticheln::engine::Engine;
use sticheln_bots::sticheln::policy::Policy;
use sticheln_rules::{Seat, Seats};

use crate::episode::{Episode, deal};
use crate::players::PlayerKind;

/// The number of deals that measure the learned policy.
pub const TEST_DEALS: u64 = 1000;

/// The margin of one seat with this policy over players of one kind, and its 95 % interval. Each
/// deal is played once with the policy in each seat.
pub fn margin_over(others: PlayerKind, seats: Seats, policy: &Policy) -> (f64, f64) {
    let count = seats.count();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let (mut sum, mut squares) = (0.0, 0.0);
    for deal_number in 0..TEST_DEALS {
        let hands = deal(seats, &mut rng);
        let leader = Seat::new((deal_number % count as u64) as u8);
        let mut margin = 0.0;
        for learned in 0..count {
            let episode = Episode {
                seats,
                leader,
                players: PlayerKind::alone(learned, others),
                hands,
            };
            let pick = |_, hand, _: &mut _| policy.picks(hand).best();
            let play = |engine: &Engine, _: &mut _| policy.plays(engine).best();
            let mut points = [0; Seats::MAX];
            let observe =
                |engine: &Engine| points = std::array::from_fn(|seat| engine.points(seat));
            episode.play(pick, play, observe, &mut rng);
            let all: i32 = points[..count].iter().sum();
            let own = f64::from(points[learned]);
            margin += own - (f64::from(all) - own) / (count - 1) as f64;
        }
        margin /= count as f64;
        sum += margin;
        squares += margin * margin;
    }
    let deals = TEST_DEALS as f64;
    let mean = sum / deals;
    let error = ((squares / deals - mean * mean) / deals).sqrt();
    (mean, 1.96 * error)
}
