//! The results of a match.

use std::fmt;
use std::time::Duration;

use crate::player::PlayerKind;

/// Half the width of a 95 % confidence interval, in standard errors.
const HALF_WIDTH: f64 = 1.96;

/// The results of each kind of player.
#[derive(Debug)]
pub struct Tally {
    /// The kinds of players, each with the numbers of its players: the place in the list of
    /// players.
    kinds: Vec<(PlayerKind, Vec<usize>)>,
    /// The points of the players in each round of the current deal.
    rounds: Vec<Vec<i32>>,
    /// The results of each kind, in the order of `kinds`.
    results: Vec<KindResults>,
}

/// The results of one kind of player.
#[derive(Clone, Debug, Default)]
struct KindResults {
    /// The results of each deal.
    deals: Vec<DealResult>,
    /// The time of each decision.
    times: Vec<Duration>,
}

/// The results of one kind of player in a deal: means over its players in all seats.
#[derive(Clone, Copy, Debug)]
struct DealResult {
    /// Its points for a round.
    points: f64,
    /// Its points minus the mean of all other seats.
    margin: f64,
    /// The share of rounds with the most points. A shared first place counts in part.
    wins: f64,
}

impl Tally {
    /// Empty results for these players.
    pub fn new(players: &[PlayerKind]) -> Self {
        let mut kinds: Vec<(PlayerKind, Vec<usize>)> = Vec::new();
        for (number, player) in players.iter().enumerate() {
            match kinds.iter_mut().find(|(kind, _)| kind == player) {
                Some((_, numbers)) => numbers.push(number),
                None => kinds.push((player.clone(), vec![number])),
            }
        }
        Self {
            results: vec![KindResults::default(); kinds.len()],
            kinds,
            rounds: Vec::new(),
        }
    }

    /// Adds the time that a player needed for a decision.
    pub fn add_time(&mut self, player: usize, time: Duration) {
        let kind = self
            .kinds
            .iter()
            .position(|(_, players)| players.contains(&player));
        let kind = kind.expect("each player has a kind");
        self.results[kind].times.push(time);
    }

    /// Adds the points of the players in a round.
    pub fn add_round(&mut self, points: Vec<i32>) {
        self.rounds.push(points);
    }

    /// Ends a deal, which was played with all rotations of the players.
    pub fn end_deal(&mut self) {
        for ((_, players), result) in self.kinds.iter().zip(&mut self.results) {
            let count = (players.len() * self.rounds.len()) as f64;
            let mut deal = DealResult {
                points: 0.0,
                margin: 0.0,
                wins: 0.0,
            };
            for points in &self.rounds {
                let all: i32 = points.iter().sum();
                let best = points.iter().max().copied().unwrap_or_default();
                let winners = points.iter().filter(|own| **own == best).count();
                for own in players.iter().map(|player| points[*player]) {
                    let others = f64::from(all - own) / (points.len() - 1) as f64;
                    deal.points += f64::from(own) / count;
                    deal.margin += (f64::from(own) - others) / count;
                    if own == best {
                        deal.wins += 1.0 / (winners as f64 * count);
                    }
                }
            }
            result.deals.push(deal);
        }
        self.rounds.clear();
    }

    /// Adds the results of other deals of the same players.
    pub fn add(&mut self, other: Self) {
        for (result, other) in self.results.iter_mut().zip(other.results) {
            result.deals.extend(other.deals);
            result.times.extend(other.times);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deals = self.results.first().map_or(0, |result| result.deals.len());
        writeln!(
            f,
            "{deals} deals, each played once with every player in every seat"
        )?;
        writeln!(
            f,
            "{:<24} {:>8} {:>18} {:>7}  time for a decision: mean, p99, longest",
            "player", "points", "over the others", "wins"
        )?;
        for ((kind, _), result) in self.kinds.iter().zip(&self.results) {
            let points = mean(result.deals.iter().map(|deal| deal.points));
            let margin = mean(result.deals.iter().map(|deal| deal.margin));
            let wins = mean(result.deals.iter().map(|deal| deal.wins));
            let squares = result
                .deals
                .iter()
                .map(|deal| (deal.margin - margin).powi(2));
            let error = HALF_WIDTH * (mean(squares) / (deals as f64 - 1.0)).sqrt();
            let mut times = result.times.clone();
            times.sort_unstable();
            let time: Duration = times.iter().sum::<Duration>() / times.len().max(1) as u32;
            let percentile =
                |percent: usize| times.get((times.len().max(1) - 1) * percent / 100).copied();
            writeln!(
                f,
                "{:<24} {points:>8.2} {:>18} {:>6.1}%  {time:.1?}, {:.1?}, {:.1?}",
                kind.to_string(),
                format!("{margin:+.2} ± {error:.2}"),
                100.0 * wins,
                percentile(99).unwrap_or_default(),
                percentile(100).unwrap_or_default(),
            )?;
        }
        Ok(())
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / f64::from(count.max(1))
}
