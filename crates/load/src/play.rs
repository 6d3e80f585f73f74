//! The load generator: latency of moves, memory, CPU time, and the size of messages.

mod idle_rooms;
mod many_rooms;
mod report;
mod single_room;

use std::path::PathBuf;

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use self::report::PlayReport;
use crate::progress::Progress;
use crate::server::{Program, Server};
use crate::{Failure, process};

/// The number of seats in each room.
const SEATS: usize = 4;

/// The settings of the measurement.
#[derive(Clone, Debug, Args)]
pub struct PlaySettings {
    /// The number of moves in the single room.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub moves: u32,
    /// The number of rooms that play at the same time.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub rooms: u32,
    /// The moves of each of these rooms in a second.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rate: u32,
    /// The number of these rooms in which a bot of level `expert` plays with three people. Moves in them are not counted.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4000))]
    pub experts: u32,
    /// The time for which these rooms are measured, in seconds.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// The number of rooms where all are connected and nobody plays.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub idle_rooms: u32,
    /// Binds the server to the first core and the load generator to the second one.
    #[arg(long)]
    pub pin: bool,
    /// A server without rules, checks and log to compare with: the example `bare` of this package.
    #[arg(long, value_name = "PATH")]
    pub bare: Option<PathBuf>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl PlaySettings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(process::SERVER_CORE)
    }

    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }
}

/// Measures a server. Each part starts a new one.
///
/// # Errors
/// [`Failure::Aborted`] if something could not be measured.
pub async fn run(program: &Program, settings: &PlaySettings) -> Result<PlayReport, Failure> {
    if settings.pin {
        process::pin(std::process::id(), process::GENERATOR_CORE)?;
    }
    let start = || Server::with_raised_limits(program, settings.core());

    let mut progress = Progress::new(3 + usize::from(settings.bare.is_some()));
    progress.begin("idle rooms");
    let idle_rooms = idle_rooms::measure(&start().await?, settings).await?;
    progress.begin("a single room");
    let single_room = single_room::measure(&start().await?, settings).await?;
    progress.begin("many rooms");
    let many_rooms = many_rooms::measure(&start().await?, settings).await?;
    let bare = match &settings.bare {
        None => None,
        Some(path) => {
            progress.begin("the bare server");
            Some(measure_bare(path, program, settings).await?)
        }
    };
    Ok(PlayReport {
        settings: settings.clone(),
        idle_rooms,
        single_room,
        many_rooms,
        bare,
    })
}

async fn measure_bare(
    path: &std::path::Path,
    program: &Program,
    settings: &PlaySettings,
) -> Result<many_rooms::ManyRooms, Failure> {
    let bare = Program {
        script: None,
        server: path.to_owned(),
        folder: program.folder.clone(),
        server_args: Vec::new(),
    };
    let server = Server::with_raised_limits(&bare, settings.core()).await?;
    let settings = PlaySettings {
        experts: 0,
        ..settings.clone()
    };
    many_rooms::measure(&server, &settings).await
}
