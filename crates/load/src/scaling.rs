//! Scaling: moves a second, latency and CPU time of a move with one server and with several nodes, and the appends of PostgreSQL
//! alone.
//!
//! Each repetition measures all configurations in a random order, each with new servers and a new database. So a slow phase of
//! the machine affects all of them, and ratios are taken within a repetition.
//!
//! | file | content |
//! | --- | --- |
//! | `configuration.rs` | the configurations, and where the people of a room are connected |
//! | `cluster.rs` | the servers of a configuration, and what they and their services have done |
//! | `sample.rs` | a measurement of a configuration |
//! | `appends.rs` | the appends of PostgreSQL alone |
//! | `figure.rs` | the rows of the tables |
//! | `report.rs` | the tables and the chart |

mod appends;
mod cluster;
mod configuration;
mod figure;
mod report;
mod sample;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use strum::IntoEnumIterator;

use self::configuration::Configuration;
pub use self::report::ScalingReport;
use crate::Failure;
use crate::compare::parse_seconds;
use crate::progress::Progress;
use crate::server::Program;
use crate::services::Services;

/// The number of seats in each room.
const SEATS: usize = 4;

/// The settings of the measurement.
#[derive(Clone, Debug, Args)]
pub struct ScalingSettings {
    /// The number of repetitions. Each configuration is measured once in each.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub repetitions: u32,
    /// The number of rooms that play as fast as they can.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rooms: u32,
    /// The number of rooms that play at a fixed rate.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate_rooms: u32,
    /// The moves of all rooms in a second, at the fixed rate.
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rate: u32,
    /// The time for which each workload is measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 4.0, value_parser = parse_seconds)]
    pub seconds: f64,
    /// The time for which rooms play before that, in seconds.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub warm_up_seconds: u64,
    /// The numbers of rooms whose entries share a commit, for the appends of PostgreSQL alone.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 8, 64], value_parser = clap::value_parser!(u32).range(1..=100))]
    pub groups: Vec<u32>,
    /// The folder with the example `storage` of the server. The default is the one in which it was built together with this program.
    #[arg(long, value_name = "DIR", default_value_os_t = built_beside())]
    pub examples: PathBuf,
    /// The file for the chart.
    #[arg(long, value_name = "FILE", default_value = "target/scaling-nodes.svg")]
    pub chart: PathBuf,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// The folder of the examples that were built together with this program.
fn built_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("examples")
}

impl ScalingSettings {
    fn warm_up(&self) -> Duration {
        Duration::from_secs(self.warm_up_seconds)
    }

    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// The random generator of a repetition. All configurations of a repetition get the same one.
    fn rng(&self, repetition: u32) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(repetition.into()))
    }

    /// Everything that is measured in a repetition.
    fn steps(&self) -> Vec<Step> {
        let configurations = Configuration::iter().map(Step::Moves);
        let groups = self.groups.iter().map(|group| Step::Appends(*group));
        configurations.chain(groups).collect()
    }
}

/// Something that is measured once in each repetition.
#[derive(Clone, Copy, Debug)]
enum Step {
    Moves(Configuration),
    /// The appends of so many rooms share a commit.
    Appends(u32),
}

/// Measures all configurations, and writes the chart. PostgreSQL and NATS run from the beginning to the end.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured or written.
pub async fn run(program: &Program, settings: &ScalingSettings) -> Result<ScalingReport, Failure> {
    program.check()?;
    appends::check(settings)?;
    let services = Services::start(&program.parent_folder()).await?;
    let mut report = ScalingReport::new(settings.clone());
    // The chart is written now, too, so that a wrong path does not lose the measurements.
    report.write_chart()?;
    let steps = settings.steps();
    let mut progress = Progress::new(steps.len() * settings.repetitions as usize);
    for repetition in 1..=settings.repetitions {
        let mut steps = steps.clone();
        steps.shuffle(&mut settings.rng(repetition));
        for step in steps {
            match step {
                Step::Moves(configuration) => {
                    let name = configuration.name();
                    progress.begin(format_args!("repetition {repetition}, {name}"));
                    let measured =
                        sample::measure(configuration, repetition, program, &services, settings);
                    report.samples.push(measured.await?);
                }
                Step::Appends(group) => {
                    progress.begin(format_args!("repetition {repetition}, groups of {group}"));
                    let measured = appends::measure(group, program, &services, settings);
                    report.appends.push(measured.await?);
                }
            }
        }
    }
    drop(progress);
    report.write_chart()?;
    services.end().await;
    Ok(report)
}
