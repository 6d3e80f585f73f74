//! Moves at a fixed rate: their latency at a low rate, and the highest rate at which they are in time.
//!
//! The due times of moves do not depend on the server. A room has at most one move in flight, so a late move delays the
//! next one. In the search for the highest rate, the latency of a move is counted from its due time. So the delay counts
//! too (correction for coordinated omission). At the low rate it is counted from the sending, because timers are exact only
//! to a millisecond.

use std::time::Duration;

use clap::Args;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use tokio::time::sleep;

use super::closed_loop::LatencyPercentiles;
use super::settings::parse_seconds;
use super::{CompareSettings, SEATS, ServerKind};
use crate::Failure;
use crate::fixed_rate_rooms::{FixedRateRooms, RoomSetup, check_all_played};
use crate::process::CpuStopwatch;
use crate::server::{Program, Server};

/// The time in which all players must receive a move.
const MAX_LATENCY: Duration = Duration::from_millis(50);
/// The part of the moves that must be in time, in percent.
const MIN_IN_TIME_PERCENT: usize = 99;
/// The interval of the moves in a room at the low rate, which is the same in all runs.
const LOW_RATE_INTERVAL: Duration = Duration::from_secs(1);
/// The warm-up before a measurement is the measured time divided by this.
const WARM_UP_DIVISOR: u32 = 4;
/// The range of the search, in moves a second.
const SEARCH_RANGE: std::ops::RangeInclusive<i64> = 10..=1_000_000;

/// The settings for moves at a fixed rate.
#[derive(Clone, Debug, Args, Serialize)]
pub struct RateSettings {
    /// Also measures moves at a fixed rate. This takes two to three minutes for each of its repetitions.
    #[arg(id = "rates", long = "rates")]
    pub is_enabled: bool,
    /// The number of repetitions of this measurement.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rate_repetitions: u32,
    /// The number of rooms with one move a second.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub low_rate_rooms: u32,
    /// The number of rooms in the search for the highest rate.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub rate_rooms: u32,
    /// The time for which each rate is measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 4.0, value_parser = parse_seconds)]
    pub rate_seconds: f64,
    /// The first rate of the search, in moves a second.
    #[arg(long, value_name = "N", default_value_t = 8000, value_parser = clap::value_parser!(u32).range(SEARCH_RANGE))]
    pub first_rate: u32,
    /// The search ends when it knows the highest rate to so many percent.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rate_precision_percent: u32,
}

/// The measurements of a server at fixed rates.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RateSample {
    pub(super) server: ServerKind,
    /// The number of the repetition, from 1.
    pub(super) repetition: u32,
    /// The latency of a move at one move a second in each room.
    pub(super) low_rate: LatencyPercentiles,
    /// The highest rate at which moves were in time, in moves a second; `None` if no rate passed.
    pub(super) highest_rate: Option<u32>,
    /// The steps of the search, in order.
    pub(super) steps: Vec<RateStep>,
}

/// A rate that was tried.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct RateStep {
    /// Moves a second.
    pub(super) rate: u32,
    /// The moves that were due.
    pub(super) due: usize,
    /// Those of them that all players received in time.
    pub(super) in_time: usize,
    /// The share of a core that the load generator used. Near 1 it limits the rate.
    pub(super) generator_cpu_share: f64,
}

impl RateStep {
    fn passes(self) -> bool {
        self.in_time * 100 >= self.due * MIN_IN_TIME_PERCENT
    }
}

impl RateSample {
    /// The share of a core that the load generator used at the highest rate.
    pub(super) fn generator_cpu_share(&self) -> Option<f64> {
        let steps = self.steps.iter().rev();
        let mut steps = steps.filter(|step| step.passes());
        let step = steps.find(|step| Some(step.rate) == self.highest_rate);
        step.map(|step| step.generator_cpu_share)
    }
}

/// A search for the highest rate that passes. It doubles the first rate until one fails, or halves it until one passes.
/// Then it bisects.
#[derive(Debug)]
struct RateSearch {
    first: u32,
    precision_percent: u32,
    /// The highest rate that passed.
    passed: Option<u32>,
    /// The lowest rate that failed.
    failed: Option<u32>,
}

impl RateSearch {
    fn new(first: u32, precision_percent: u32) -> Self {
        Self {
            first,
            precision_percent,
            passed: None,
            failed: None,
        }
    }

    /// The next rate to try; `None` at the end.
    fn next(&self) -> Option<u32> {
        let in_range = |rate| SEARCH_RANGE.contains(&i64::from(rate)).then_some(rate);
        match (self.passed, self.failed) {
            (None, None) => Some(self.first),
            (Some(passed), None) => in_range(passed * 2),
            (None, Some(failed)) => in_range(failed / 2),
            (Some(passed), Some(failed)) => {
                let difference = failed - passed;
                let is_exact = difference * 100 <= passed * self.precision_percent;
                (!is_exact && difference > 1).then(|| u32::midpoint(passed, failed))
            }
        }
    }

    /// Takes the result for a rate that [`Self::next`] has returned.
    fn record(&mut self, rate: u32, passes: bool) {
        match passes {
            true => self.passed = Some(rate),
            false => self.failed = Some(rate),
        }
    }
}

/// Measures a server at fixed rates.
pub(super) async fn measure(
    kind: ServerKind,
    repetition: u32,
    program: &Program,
    settings: &CompareSettings,
) -> Result<RateSample, Failure> {
    let low_rate = measure_low_rate(repetition, program, settings).await?;
    let RateSettings {
        rate_rooms,
        first_rate,
        rate_precision_percent,
        ..
    } = settings.rates;
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let mut rooms = open_rooms(&server, rate_rooms, settings.rng(repetition)).await?;
    let mut search = RateSearch::new(first_rate, rate_precision_percent);
    let mut steps = Vec::new();
    while let Some(rate) = search.next() {
        let step;
        (step, rooms) = measure_rate(&server, rooms, rate, settings).await?;
        search.record(rate, step.passes());
        steps.push(step);
    }
    Ok(RateSample {
        server: kind,
        repetition,
        low_rate,
        highest_rate: search.passed,
        steps,
    })
}

async fn measure_low_rate(
    repetition: u32,
    program: &Program,
    settings: &CompareSettings,
) -> Result<LatencyPercentiles, Failure> {
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let rooms = open_rooms(
        &server,
        settings.rates.low_rate_rooms,
        settings.rng(repetition),
    )
    .await?;
    let playing = rooms.play(LOW_RATE_INTERVAL);
    let time = Duration::from_secs_f64(settings.rates.rate_seconds);
    let measured = playing
        .measure(&server, time / WARM_UP_DIVISOR, time)
        .await?;
    check_all_played(measured.errors)?;
    Ok(LatencyPercentiles::of(&measured.latencies))
}

async fn open_rooms(
    server: &Server,
    rooms: u32,
    rng: ChaCha8Rng,
) -> Result<FixedRateRooms, Failure> {
    let rooms = RoomSetup {
        rooms,
        seats: SEATS,
        spectators: 0,
        experts: 0,
    };
    FixedRateRooms::open(|_| server.address().into(), &rooms, rng).await
}

/// Lets all rooms together make this many moves a second. Returns the rooms after all moves have stopped.
async fn measure_rate(
    server: &Server,
    rooms: FixedRateRooms,
    rate: u32,
    settings: &CompareSettings,
) -> Result<(RateStep, FixedRateRooms), Failure> {
    let time = Duration::from_secs_f64(settings.rates.rate_seconds);
    let playing = rooms.play(Duration::from_secs(settings.rates.rate_rooms.into()) / rate);
    sleep(time / WARM_UP_DIVISOR).await;
    let stopwatch = CpuStopwatch::start(server.pid()?)?;
    sleep(time).await;
    let cpu = stopwatch.read()?;
    // A move that is due at the end can still be in time.
    sleep(MAX_LATENCY).await;
    let stopped = playing.stop().await?;
    check_all_played(stopped.errors)?;
    let moves = stopped.moves.iter();
    let moves = moves.filter(|one| cpu.contains(one.due_at));
    let in_time = moves.filter(|one| (one.sent_at + one.latency) - one.due_at <= MAX_LATENCY);
    let step = RateStep {
        rate,
        due: (f64::from(rate) * cpu.seconds()) as usize,
        in_time: in_time.count(),
        generator_cpu_share: cpu.generator_share(),
    };
    Ok((step, stopped.rooms))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rates that are tried if those up to this one pass, and the result.
    fn searched(first: u32, precision_percent: u32, limit: u32) -> (Vec<u32>, Option<u32>) {
        let mut search = RateSearch::new(first, precision_percent);
        let mut tried = Vec::new();
        while let Some(rate) = search.next() {
            tried.push(rate);
            search.record(rate, rate <= limit);
        }
        (tried, search.passed)
    }

    #[test]
    fn the_search_doubles_and_then_bisects() {
        let (tried, found) = searched(1000, 5, 5200);
        assert_eq!(tried, [1000, 2000, 4000, 8000, 6000, 5000, 5500, 5250]);
        assert_eq!(found, Some(5000));
    }

    #[test]
    fn the_search_halves_a_first_rate_that_fails() {
        let (tried, found) = searched(1000, 100, 300);
        assert_eq!(tried, [1000, 500, 250]);
        assert_eq!(found, Some(250));
    }

    #[test]
    fn the_result_is_exact_to_the_precision() {
        for limit in [16, 17, 999, 1000, 1001, 33_333, 400_000] {
            let (_, found) = searched(1000, 5, limit);
            let found = found.expect("the lowest rate passes");
            assert!(
                found <= limit && f64::from(limit) < f64::from(found) * 1.06 + 1.0,
                "{limit}: {found}"
            );
        }
    }

    #[test]
    fn the_search_ends_at_the_bounds_of_its_range() {
        let (tried, found) = searched(1000, 5, 0);
        assert_eq!(tried, [1000, 500, 250, 125, 62, 31, 15]);
        assert_eq!(found, None);
        let (tried, found) = searched(400_000, 5, u32::MAX);
        assert_eq!(tried, [400_000, 800_000]);
        assert_eq!(found, Some(800_000));
    }

    #[test]
    fn a_hundredth_of_the_moves_may_be_late() {
        let step = |in_time| RateStep {
            rate: 100,
            due: 1000,
            in_time,
            generator_cpu_share: 0.5,
        };
        assert!(step(990).passes());
        assert!(!step(989).passes());
    }
}
