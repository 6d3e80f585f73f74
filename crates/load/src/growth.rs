//! Growth: the CPU time for a move against one dimension at a time, as tables and charts.
//!
//! Each repetition shuffles the runs, so that a slow phase of the machine affects different points in each. A run starts a
//! server. A run of rounds, log entries or minutes measures all its points, in ascending order.

mod dimension;
mod lockstep_rooms;
mod report;
mod sample;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use strum::IntoEnumIterator;

use self::dimension::{Dimension, Run};
pub use self::report::GrowthReport;
use self::sample::Sample;
use crate::progress::Progress;
use crate::server::Program;
use crate::{Failure, chart, process};

/// The number of seats in each room.
const SEATS: usize = 4;

/// The settings of the measurement.
#[derive(Clone, Debug, Args)]
pub struct GrowthSettings {
    /// Measures these dimensions only.
    #[arg(long, value_name = "DIMENSION", value_enum, value_delimiter = ',')]
    only: Vec<Dimension>,
    #[command(flatten)]
    points: Points,
    #[command(flatten)]
    minutes: MinuteSettings,
    /// The number of rooms in the dimensions spectators and rounds.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=2500))]
    playing_rooms: u32,
    /// The number of rooms whose room logs grow.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    log_rooms: u32,
    /// The moves of all rooms in a second, in the dimensions rooms, spectators and minutes.
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rate: u32,
    /// The time for which a point of the dimensions rooms and spectators is measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    seconds: u64,
    /// The time for which rooms play before that, in seconds.
    #[arg(long, value_name = "S", default_value_t = 3, value_parser = clap::value_parser!(u64).range(0..=3600))]
    warm_up_seconds: u64,
    /// The number of repetitions. Each point is measured once in each repetition, but minutes only in the first one.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    repetitions: u32,
    /// Binds the server to the first core and the load generator to the second one.
    #[arg(long)]
    pin: bool,
    /// The folder for the charts.
    #[arg(long, value_name = "DIR", default_value = "target/growth")]
    charts: PathBuf,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// The points of each dimension, the smallest first.
#[derive(Clone, Debug, Args)]
struct Points {
    /// The numbers of rooms that play.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 50, 200, 500, 1000, 2500], value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rooms: Vec<u32>,
    /// The numbers of spectators in each room.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [0, 4, 8, 16], value_parser = clap::value_parser!(u32).range(0..=16))]
    spectators: Vec<u32>,
    /// The number of rounds of a game that are measured.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=30))]
    rounds: u32,
    /// The numbers of entries of a room log after which moves are measured.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 1000, 5000, 20_000, 50_000], value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    log_entries: Vec<u64>,
}

/// The settings of the dimension minutes.
#[derive(Clone, Debug, Args)]
struct MinuteSettings {
    /// The number of minutes that are measured. The sweep runs once a minute.
    #[arg(id = "minutes", long = "minutes", value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=120))]
    count: u32,
    /// The number of rooms in the dimension minutes.
    #[arg(id = "minute_rooms", long = "minute-rooms", value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=2500))]
    rooms: u32,
    /// The length of a minute, in seconds. Tests shorten it.
    #[arg(id = "minute_seconds", long = "minute-seconds", hide = true, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=60))]
    seconds: u64,
}

impl GrowthSettings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    fn warm_up(&self) -> Duration {
        Duration::from_secs(self.warm_up_seconds)
    }

    /// The time between two moves of a room if this number of rooms make `rate` moves a second.
    fn interval(&self, rooms: u32) -> Duration {
        Duration::from_secs(1) * rooms / self.rate
    }

    /// The random generator of a repetition. All points of a repetition get the same one.
    fn rng(&self, repetition: u32) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(repetition.into()))
    }

    fn dimensions(&self) -> impl Iterator<Item = Dimension> {
        Dimension::iter().filter(|dimension| self.only.is_empty() || self.only.contains(dimension))
    }
}

/// Measures all points, and writes a chart for each dimension. Each run starts a new server.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured or written.
pub async fn run(program: &Program, settings: &GrowthSettings) -> Result<GrowthReport, Failure> {
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    // The folder is created now, so that a wrong path does not lose the measurements.
    chart::create_folder(&settings.charts)?;
    let report = GrowthReport::new(
        settings.clone(),
        measure_repetitions(program, settings).await?,
    );
    report.write_charts()?;
    Ok(report)
}

async fn measure_repetitions(
    program: &Program,
    settings: &GrowthSettings,
) -> Result<Vec<Sample>, Failure> {
    let runs = |repetition| -> Vec<Run> {
        let dimensions = settings.dimensions();
        let dimensions = dimensions.filter(|one| repetition <= one.repetitions(settings));
        let runs = dimensions.flat_map(|dimension| dimension.runs(settings));
        runs.collect()
    };
    let repetitions = 1..=settings.repetitions;
    let mut progress = Progress::new(repetitions.clone().map(|one| runs(one).len()).sum());
    let mut samples = Vec::new();
    for repetition in repetitions {
        let mut runs = runs(repetition);
        runs.shuffle(&mut settings.rng(repetition));
        for run in runs {
            progress.begin(format_args!("repetition {repetition}, {run}"));
            samples.extend(run.measure(program, settings, repetition).await?);
        }
    }
    Ok(samples)
}
