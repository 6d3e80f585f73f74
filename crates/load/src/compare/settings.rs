//! The settings of the comparison.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use strum::IntoEnumIterator;

use super::idle::IdleSettings;
use super::rates::RateSettings;
use super::rivals::RivalSettings;
use super::server_kind::ServerKind;
use crate::process;

/// The most seconds for which a single room is measured in each repetition.
const MAX_SINGLE_ROOM_SECONDS: f64 = 2.0;
/// The range of measured times, in seconds.
const SECONDS_RANGE: std::ops::RangeInclusive<f64> = 0.1..=3600.0;

/// The settings of the comparison.
#[derive(Clone, Debug, Args, Serialize)]
pub struct CompareSettings {
    /// The number of repetitions. Each server is started and measured once in each repetition.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repetitions: u32,
    /// The number of rooms of four that play at the same time.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=2500))]
    pub rooms: u32,
    /// The time for which a server is measured in each repetition, in seconds.
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = parse_seconds)]
    pub seconds: f64,
    /// The time for which all rooms play before that, in seconds.
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub warm_up_seconds: u64,
    /// The pause before each measurement of memory, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub settle_ms: u64,
    /// The settings for idle rooms.
    #[command(flatten)]
    pub idle: IdleSettings,
    /// The settings for moves at a fixed rate.
    #[command(flatten)]
    pub rates: RateSettings,
    /// The number of rooms in the database of a server whose start is measured.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub start_rooms: u32,
    /// Binds the server to the first core and the load generator to the second one.
    #[arg(long)]
    pub pin: bool,
    /// The settings for the servers with which this one is compared.
    #[command(flatten)]
    pub others: OtherServers,
    /// Writes the measurements of each repetition to this file, as JSON. It is replaced after each repetition.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The servers with which this one is compared.
#[derive(Clone, Debug, Args, Serialize)]
pub struct OtherServers {
    /// The folder with the examples: the servers `bare`, `floor` and `unlogged`, and `storage`, which writes the rooms of a
    /// start. The default is the one in which they were built together with this program.
    #[arg(long, value_name = "DIR", default_value_os_t = built_beside())]
    pub examples: PathBuf,
    /// The settings for servers of other projects.
    #[command(flatten)]
    pub rivals: RivalSettings,
}

/// The folder of the examples that were built together with this program.
fn built_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("examples")
}

/// Parses a measured time in seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|seconds| SECONDS_RANGE.contains(seconds));
    seconds.ok_or_else(|| {
        let (shortest, longest) = (SECONDS_RANGE.start(), SECONDS_RANGE.end());
        format!("{text} is not a number between {shortest} and {longest}")
    })
}

impl CompareSettings {
    pub(super) fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    /// The number of repetitions of the measurement of rates.
    pub(super) fn rate_repetitions(&self) -> u32 {
        match self.rates.is_enabled {
            true => self.rates.rate_repetitions,
            false => 0,
        }
    }

    /// The number of steps that the progress of the run shows.
    pub(super) fn steps(&self) -> usize {
        let kinds = |is_measured: fn(ServerKind) -> bool| {
            self.servers().filter(|kind| is_measured(*kind)).count()
        };
        // All repetitions, and the run that counts system calls.
        let all = kinds(|_| true) * (self.repetitions as usize + 1);
        let idle = kinds(|kind| kind.rival().is_none()) * usize::from(self.idle.is_enabled);
        let rates = kinds(ServerKind::has_rates) * self.rate_repetitions() as usize;
        all + kinds(ServerKind::has_room_log) + idle + rates
    }

    /// The servers to measure, in order.
    pub(super) fn servers(&self) -> impl Iterator<Item = ServerKind> + use<> {
        let with_rivals = self.others.rivals.is_enabled;
        ServerKind::iter().filter(move |kind| with_rivals || kind.rival().is_none())
    }

    pub(super) fn settle_time(&self) -> Duration {
        Duration::from_millis(self.settle_ms)
    }

    /// The settings for the repetitions of a single room. They are short, because each move of a single room writes the
    /// same number of bytes.
    pub(super) fn of_single_room(&self) -> Self {
        Self {
            rooms: 1,
            seconds: self.seconds.min(MAX_SINGLE_ROOM_SECONDS),
            warm_up_seconds: self.warm_up_seconds.min(1),
            ..self.clone()
        }
    }

    /// The random generator of a repetition. All servers of a repetition get the same one.
    pub(super) fn rng(&self, repetition: u32) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(repetition.into()))
    }
}
