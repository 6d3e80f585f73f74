//! `load`: measures a server, attacks it, and kills it.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use sticheln_load::{
    Failure, Program, capacity, cluster_drill, compare, crash_drill, growth, hostile, play,
    raise_file_limit, scaling, scaling_model, timing,
};
use tokio::runtime;

/// Load generator, comparisons, attackers and crash drill for a server of card games.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Opens rooms until something fails, and measures the moves a second of rooms that play as fast as they can.
    Capacity {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: capacity::CapacitySettings,
    },
    /// Breaks several servers that work as one, their database and their bus again and again while games are played, and checks that
    /// nothing acknowledged is lost or done twice, and that all tables go on. It needs Debian's PostgreSQL and NATS.
    Cluster {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: cluster_drill::ClusterDrillSettings,
    },
    /// Compares the server with simpler servers and with servers of other projects: CPU time, latency, system calls, bytes,
    /// memory and starts.
    Compare {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: compare::CompareSettings,
    },
    /// Kills the server again and again while games are played, and checks that nothing acknowledged is lost or done
    /// twice.
    Drill {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: crash_drill::CrashDrillSettings,
    },
    /// Measures the CPU time for a move while rooms, spectators, rounds, log entries or minutes grow, and draws charts.
    Growth {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: growth::GrowthSettings,
    },
    /// Measures latency for honest players while attackers of all kinds are active.
    Hostile {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: hostile::HostileSettings,
    },
    /// Measures the latency of moves, the memory for each connection, and the size of messages.
    Play {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: play::PlaySettings,
    },
    /// Compares one server with several nodes: moves a second, latency, CPU time of a move, and the appends of PostgreSQL alone. It
    /// needs Debian's PostgreSQL and NATS.
    Scaling {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: scaling::ScalingSettings,
    },
    /// Simulates more nodes than this machine has, from measured CPU times: moves a second, latency, and the resource that is
    /// exhausted first.
    ScalingModel {
        #[command(flatten)]
        settings: scaling_model::ModelSettings,
    },
    /// Checks that the response time does not reveal whether a room exists.
    Timing {
        #[command(flatten)]
        program: Program,
        #[command(flatten)]
        settings: timing::TimingSettings,
    },
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<String, Failure> {
    raise_file_limit()?;
    // One thread runs thousands of clients, so that the server has the other core to itself.
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let failed = |error| Failure::Aborted(format!("The runtime cannot be started: {error}."));
    runtime.map_err(failed)?.block_on(async {
        match command {
            Command::Capacity { program, settings } => {
                let report = capacity::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Cluster { program, settings } => {
                let summary = cluster_drill::run(&program, &settings).await?;
                Ok(summary.to_string())
            }
            Command::Compare { program, settings } => {
                let report = compare::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Drill { program, settings } => {
                let summary = crash_drill::run(&program, &settings).await?;
                Ok(summary.to_string())
            }
            Command::Growth { program, settings } => {
                let report = growth::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Hostile { program, settings } => {
                let report = hostile::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Play { program, settings } => {
                let report = play::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::Scaling { program, settings } => {
                let report = scaling::run(&program, &settings).await?;
                Ok(report.to_string())
            }
            Command::ScalingModel { settings } => {
                let report = scaling_model::run(&settings)?;
                Ok(report.to_string())
            }
            Command::Timing { program, settings } => {
                let report = timing::run(&program, &settings).await?;
                Ok(report.to_string())
            }
        }
    })
}
