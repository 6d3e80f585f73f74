//! The options of the command line.

use std::str::FromStr;

use sticheln_rules::{Seat, Seats};

use crate::players::PlayerKind;

/// The last learning rate, relative to the first one.
const LAST_RATE: f32 = 0.02;
/// The default learning rate of a policy.
const POLICY_RATE: f32 = 0.005;
/// The default learning rate of a playout policy.
const PLAYOUT_RATE: f32 = 0.1;

/// The settings of a training run.
pub struct TrainingOptions {
    pub seats: Seats,
    pub rounds: u64,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The learning rate of the first round.
    pub rate: f32,
    /// The weight of the margin of each later trick, relative to that of the trick before it.
    pub discount: f32,
    /// The opponents of a policy; `None`: itself and the heuristics.
    pub against: Option<PlayerKind>,
    /// The file for the learned weights.
    pub out: String,
}

impl TrainingOptions {
    /// Reads the words of the command line; `None` if one is wrong.
    pub fn read(words: &[String], is_playout: bool) -> Option<Self> {
        let mut options = Self {
            seats: Seats::new(4)?,
            rounds: 1_000_000,
            seed: 1,
            rate: if is_playout {
                PLAYOUT_RATE
            } else {
                POLICY_RATE
            },
            discount: 0.95,
            against: None,
            out: String::new(),
        };
        for pair in words.chunks(2) {
            let [option, value] = pair else { return None };
            match option.as_str() {
                "--seats" => {
                    let seats = parse::<usize>(value).filter(|seats| (3..=6).contains(seats));
                    options.seats = Seats::new(seats?)?;
                }
                "--rounds" => options.rounds = parse(value).filter(|rounds| *rounds > 0)?,
                "--seed" => options.seed = parse(value)?,
                "--rate" => options.rate = parse::<f32>(value).filter(|rate| rate.is_normal())?,
                "--discount" if !is_playout => options.discount = parse(value)?,
                "--against" if !is_playout => options.against = Some(value.parse().ok()?),
                "--out" => options.out.clone_from(value),
                _ => return None,
            }
        }
        (!options.out.is_empty()).then_some(options)
    }

    /// The leader of the first trick of a round: each seat in turn.
    pub fn leader_of(&self, round: u64) -> Seat {
        Seat::new((round % self.seats.count() as u64) as u8)
    }

    /// The learning rate of a round, which falls linearly.
    pub fn rate_of(&self, round: u64) -> f32 {
        let progress = round as f32 / self.rounds as f32;
        self.rate * (1.0 - progress).max(LAST_RATE)
    }
}

fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}
