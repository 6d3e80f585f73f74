//! The settings of a simulation, which its seed selects.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::faults::{FaultKind, Plan};
use crate::table::{Kind, Opening};
use crate::time::{Time, ms};

#[derive(Clone, Debug)]
pub struct Settings {
    pub nodes: usize,
    pub tables: usize,
    pub lease: Time,
    /// Whether the bus does not keep the order of messages.
    pub is_disordered: bool,
    /// Whether messages of the machines are encoded and decoded.
    pub is_encoded: bool,
    /// The most deliveries of an update.
    pub update_size: usize,
    pub plan: Plan,
}

impl Settings {
    /// The settings of a seed.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        Self {
            nodes: rng.random_range(2..=4),
            tables: if rng.random_bool(0.1) { 2 } else { 1 },
            lease: ms(4_000),
            is_disordered: rng.random_bool(0.1),
            is_encoded: rng.random_bool(0.1),
            update_size: if rng.random_bool(0.2) { 2 } else { 100 },
            plan: Plan::Random,
        }
    }

    /// The usual settings, with one fault.
    pub fn with_fault(kind: FaultKind) -> Self {
        Self {
            nodes: 3,
            tables: 1,
            lease: ms(4_000),
            is_disordered: false,
            is_encoded: false,
            update_size: 100,
            plan: Plan::One(kind),
        }
    }

    pub fn openings(&self, rng: &mut ChaCha8Rng) -> Vec<Opening> {
        let opening = |_| {
            let kind = if rng.random_bool(0.75) {
                Kind::Sticheln
            } else {
                Kind::Nyet
            };
            Opening {
                kind,
                seats: rng.random_range(3..=5),
                rounds: if rng.random_bool(0.8) { 1 } else { 2 },
                password: rng.random_bool(0.2).then(|| "sesame".to_owned()),
            }
        };
        (0..self.tables).map(opening).collect()
    }
}
