//! The load generator: how long a move takes until all have seen it, how much memory and time
//! tables need, and how long messages are.

mod busy;
mod idle;
mod quiet;
mod report;

use std::path::PathBuf;

use clap::Args;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use self::report::Report;
use crate::server::{Program, Server};
use crate::socket::Loss;
use crate::{Failure, process};

/// How many people sit at each table.
const SEATS: usize = 4;
/// The core of the server and that of this program, if each has one for itself.
const CORES: (usize, usize) = (0, 1);

/// What is measured.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// How many moves are made at a single quiet table.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub moves: u32,
    /// How many tables are busy.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub tables: u32,
    /// How many moves are made in a second at each of them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rate: u32,
    /// At how many of these tables an expert plays with three people; their moves are not counted.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=4000))]
    pub experts: u32,
    /// For how many seconds they are measured.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// How many tables are idle, with everybody connected.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=4000))]
    pub idle_tables: u32,
    /// The server gets the first core for itself, and this program the second.
    #[arg(long)]
    pub pin: bool,
    /// A server without rules and log to compare with: the example `bare` of this package.
    #[arg(long, value_name = "PATH")]
    pub bare: Option<PathBuf>,
    /// The seed of all choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl Settings {
    fn core(&self) -> Option<usize> {
        self.pin.then_some(CORES.0)
    }

    fn rng(&self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed)
    }
}

/// Measures a server: each part with a fresh one.
///
/// # Errors
/// [`Failure::Trouble`] if something could not be measured.
pub async fn of_program(program: &Program, settings: &Settings) -> Result<Report, Failure> {
    if settings.pin {
        process::pin(std::process::id(), CORES.1)?;
    }
    let fresh = || Server::fresh(program, settings.core());

    eprintln!("Idle tables ...");
    let idle = idle::measure(&fresh().await?, settings).await?;
    eprintln!("A quiet table ...");
    let quiet = quiet::measure(&fresh().await?, settings).await?;
    eprintln!("Busy tables ...");
    let busy = busy::measure(&mut fresh().await?, settings).await?;
    let bare = match &settings.bare {
        None => None,
        Some(path) => {
            eprintln!("The bare server ...");
            let bare = Program {
                server: path.clone(),
                folder: program.folder.clone(),
                more: Vec::new(),
            };
            let mut server = Server::fresh(&bare, settings.core()).await?;
            let settings = Settings {
                experts: 0,
                ..settings.clone()
            };
            Some(busy::measure(&mut server, &settings).await?)
        }
    };
    Ok(Report {
        settings: settings.clone(),
        idle,
        quiet,
        busy,
        bare,
    })
}

/// What has become of a table that nobody should have lost.
fn lost(loss: Loss) -> Failure {
    Failure::Trouble(format!("A table was lost: {loss}."))
}
