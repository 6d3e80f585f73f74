//! A measurement of a configuration.

use std::time::Duration;

use tokio::time::sleep;

use super::cluster::{Cluster, Counts};
use super::configuration::Configuration;
use super::{SEATS, ScalingSettings};
use crate::Failure;
use crate::closed_loop_rooms::WaitingRooms;
use crate::fixed_rate_rooms::{FixedRateRooms, RoomSetup, check_all_played};
use crate::latencies::Latencies;
use crate::server::Program;
use crate::services::Services;

/// The measurements of a configuration in a repetition.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) configuration: Configuration,
    /// Rooms that play as fast as they can.
    pub(super) closed_loop: Phase,
    /// Rooms in which moves are made at a fixed rate.
    pub(super) fixed_rate: Phase,
}

/// The measurements of a workload.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) time: Duration,
    /// The latencies of the moves, each until all players have received it.
    pub(super) latencies: Latencies,
    pub(super) counts: Counts,
}

impl Phase {
    /// The moves that all players have received.
    pub(super) fn moves(&self) -> f64 {
        self.latencies.len() as f64
    }

    /// A sum divided by the number of moves; `None` without moves.
    pub(super) fn per_move(&self, sum: f64) -> Option<f64> {
        (self.latencies.len() > 0).then(|| sum / self.moves())
    }
}

/// Measures a configuration with both workloads.
pub(super) async fn measure(
    configuration: Configuration,
    repetition: u32,
    program: &Program,
    services: &Services,
    settings: &ScalingSettings,
) -> Result<Sample, Failure> {
    let cluster = Cluster::start(configuration, program, services).await?;
    let closed_loop = closed_loop(&cluster, configuration, repetition, settings).await?;
    let fixed_rate = fixed_rate(&cluster, configuration, repetition, settings).await?;
    cluster.end().await?;
    for phase in [&closed_loop, &fixed_rate] {
        if phase.latencies.len() == 0 {
            let name = configuration.name();
            return Err(Failure::Aborted(format!("No move was made ({name}).")));
        }
    }
    Ok(Sample {
        configuration,
        closed_loop,
        fixed_rate,
    })
}

/// Lets rooms play as fast as they can.
async fn closed_loop(
    cluster: &Cluster<'_>,
    configuration: Configuration,
    repetition: u32,
    settings: &ScalingSettings,
) -> Result<Phase, Failure> {
    let addresses = cluster.addresses();
    let servers = |room| configuration.placement(&addresses, room);
    let rng = settings.rng(repetition);
    let mut playing = WaitingRooms::open(servers, settings.rooms, SEATS, rng)
        .await?
        .play();
    sleep(settings.warm_up()).await;
    let counter = cluster.counter().await?;
    playing.take_counts()?;
    sleep(settings.time()).await;
    let rooms = playing.take_counts()?;
    let (counts, time) = counter.read(cluster).await?;
    let mut latencies = Latencies::default();
    for mut room in rooms {
        latencies.append(&mut room.latencies);
    }
    Ok(Phase {
        time,
        latencies,
        counts,
    })
}

/// Lets rooms play at a fixed rate.
async fn fixed_rate(
    cluster: &Cluster<'_>,
    configuration: Configuration,
    repetition: u32,
    settings: &ScalingSettings,
) -> Result<Phase, Failure> {
    let addresses = cluster.addresses();
    let servers = |room| configuration.placement(&addresses, room);
    let setup = RoomSetup {
        rooms: settings.rate_rooms,
        seats: SEATS,
        spectators: 0,
        experts: 0,
    };
    let rooms = FixedRateRooms::open(servers, &setup, settings.rng(repetition)).await?;
    let interval = Duration::from_secs(1) * settings.rate_rooms / settings.rate;
    let playing = rooms.play(interval);
    sleep(settings.warm_up()).await;
    let counter = cluster.counter().await?;
    let begin = std::time::Instant::now();
    sleep(settings.time()).await;
    let (counts, time) = counter.read(cluster).await?;
    let stopped = playing.stop().await?;
    check_all_played(stopped.errors)?;
    let moves = stopped.moves.iter();
    let measured = moves.filter(|one| one.sent_at >= begin && one.sent_at < begin + time);
    Ok(Phase {
        time,
        latencies: measured.map(|one| one.latency).collect(),
        counts,
    })
}
