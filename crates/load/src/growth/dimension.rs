//! The dimensions of growth, and how each is measured.
//!
//! Rooms and spectators are measured with the same number of moves a second at all points. Rounds and entries follow games
//! over time. There all rooms play as fast as they can, and stop together. Minutes also follow games over time, but at a
//! fixed rate, so that they show the work that the server does at regular times.

use std::fmt;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use strum::EnumIter;
use tokio::time::sleep_until;

use super::lockstep_rooms::{LockstepRooms, StopCondition};
use super::sample::Sample;
use super::{GrowthSettings, SEATS};
use crate::fixed_rate_rooms::{FixedRateRooms, ROUND_MOVES, RoomSetup, check_all_played};
use crate::number_text::count;
use crate::process::{CpuStopwatch, CpuUsage};
use crate::server::{Program, Server};
use crate::wal::WalMeter;
use crate::{Failure, process};

/// The moves of each room that are measured for a number of log entries.
const LOG_MOVES: u64 = 8 * ROUND_MOVES;

/// A quantity that grows while the others stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, ValueEnum)]
pub(super) enum Dimension {
    /// Rooms that play.
    Rooms,
    /// Spectators in each room.
    Spectators,
    /// Rounds of a game.
    Rounds,
    /// Entries of the room log of each room.
    Log,
    /// Minutes since the start of the game.
    Minutes,
}

/// A server that is started once, and the points that it is measured at.
#[derive(Clone, Debug)]
pub(super) enum Run {
    /// This number of rooms.
    Rooms(u32),
    /// This number of spectators in each room.
    Spectators(u32),
    /// All rounds up to this one.
    Rounds(u32),
    /// All these numbers of entries.
    Log(Vec<u64>),
    /// This number of minutes.
    Minutes(u32),
}

impl Dimension {
    /// The name of its chart, without the extension.
    pub(super) fn file_stem(self) -> &'static str {
        match self {
            Self::Rooms => "growth-rooms",
            Self::Spectators => "growth-spectators",
            Self::Rounds => "growth-rounds",
            Self::Log => "growth-log",
            Self::Minutes => "growth-minutes",
        }
    }

    /// The label of the axis.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Rooms => "rooms of four that play",
            Self::Spectators => "spectators in each room",
            Self::Rounds => "round of the game",
            Self::Log => "entries of the log of each room",
            Self::Minutes => "minutes since the start",
        }
    }

    /// Whether its points are so far apart that the axis is logarithmic.
    pub(super) fn is_logarithmic(self) -> bool {
        match self {
            Self::Rooms | Self::Log => true,
            Self::Spectators | Self::Rounds | Self::Minutes => false,
        }
    }

    /// The number of repetitions. Minutes are measured once, because they take long.
    pub(super) fn repetitions(self, settings: &GrowthSettings) -> u32 {
        match self {
            Self::Rooms | Self::Spectators | Self::Rounds | Self::Log => settings.repetitions,
            Self::Minutes => 1,
        }
    }

    /// The runs of a repetition.
    pub(super) fn runs(self, settings: &GrowthSettings) -> Vec<Run> {
        let points = &settings.points;
        match self {
            Self::Rooms => points.rooms.iter().copied().map(Run::Rooms).collect(),
            Self::Spectators => {
                let numbers = points.spectators.iter().copied();
                numbers.map(Run::Spectators).collect()
            }
            Self::Rounds => vec![Run::Rounds(points.rounds)],
            Self::Log => {
                let mut entries = points.log_entries.clone();
                entries.sort_unstable();
                vec![Run::Log(entries)]
            }
            Self::Minutes => vec![Run::Minutes(settings.minutes.count)],
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rooms(rooms) => write!(f, "rooms: {}", count((*rooms).into())),
            Self::Spectators(number) => write!(f, "spectators in each room: {number}"),
            Self::Rounds(rounds) => write!(f, "rounds: {rounds}"),
            Self::Log(entries) => {
                let last = entries.last().copied().unwrap_or_default();
                write!(f, "log entries: up to {}", count(last))
            }
            Self::Minutes(minutes) => write!(f, "minutes: {minutes}"),
        }
    }
}

impl Run {
    /// Starts a server, and measures its points.
    pub(super) async fn measure(
        &self,
        program: &Program,
        settings: &GrowthSettings,
        repetition: u32,
    ) -> Result<Vec<Sample>, Failure> {
        let server = Server::with_raised_limits(program, settings.core()).await?;
        match self {
            Self::Rooms(rooms) => {
                let sample = measure_at_rate(&server, settings, repetition, *rooms, 0).await?;
                Ok(vec![sample.at(Dimension::Rooms, *rooms)])
            }
            Self::Spectators(number) => {
                let rooms = settings.playing_rooms;
                let sample = measure_at_rate(&server, settings, repetition, rooms, *number).await?;
                Ok(vec![sample.at(Dimension::Spectators, *number)])
            }
            Self::Rounds(rounds) => measure_rounds(&server, settings, repetition, *rounds).await,
            Self::Log(entries) => measure_log(&server, settings, repetition, entries).await,
            Self::Minutes(minutes) => {
                measure_minutes(&server, settings, repetition, *minutes).await
            }
        }
    }
}

/// The results at a point, before they are assigned to it.
struct Measured {
    moves: u64,
    messages: u64,
    cpu: CpuUsage,
    wal_bytes: Option<u64>,
    memory_kib: Option<u64>,
}

impl Measured {
    fn at(self, dimension: Dimension, point: impl Into<u64>) -> Sample {
        Sample {
            dimension,
            point: point.into(),
            moves: self.moves,
            messages: self.messages,
            cpu: self.cpu,
            wal_bytes: self.wal_bytes,
            memory_kib: self.memory_kib,
        }
    }
}

/// Measures rooms that together make `settings.rate` moves a second.
async fn measure_at_rate(
    server: &Server,
    settings: &GrowthSettings,
    repetition: u32,
    rooms: u32,
    spectators: u32,
) -> Result<Measured, Failure> {
    let opened = open_rooms(server, settings, repetition, rooms, spectators).await?;
    let playing = opened.play(settings.interval(rooms));
    let time = Duration::from_secs(settings.seconds);
    let measured = playing.measure(server, settings.warm_up(), time).await?;
    check_all_played(measured.errors)?;
    Ok(Measured {
        moves: measured.latencies.len() as u64,
        messages: measured.messages,
        cpu: measured.cpu,
        wal_bytes: None,
        memory_kib: None,
    })
}

async fn open_rooms(
    server: &Server,
    settings: &GrowthSettings,
    repetition: u32,
    rooms: u32,
    spectators: u32,
) -> Result<FixedRateRooms, Failure> {
    let rooms = RoomSetup {
        rooms,
        seats: SEATS,
        spectators,
        experts: 0,
    };
    FixedRateRooms::open(
        |_| server.address().into(),
        &rooms,
        settings.rng(repetition),
    )
    .await
}

/// Measures each minute in which rooms together make `settings.rate` moves a second. Between two minutes all rooms stop for a
/// moment. The minutes do not shift, because the next one ends at its due time.
async fn measure_minutes(
    server: &Server,
    settings: &GrowthSettings,
    repetition: u32,
    minutes: u32,
) -> Result<Vec<Sample>, Failure> {
    let number = settings.minutes.rooms;
    let mut rooms = open_rooms(server, settings, repetition, number, 0).await?;
    let begin = Instant::now();
    let mut samples = Vec::new();
    for minute in 1..=minutes {
        let end = begin + Duration::from_secs(settings.minutes.seconds) * minute;
        let measured;
        (measured, rooms) = measure_until(end, server, rooms, settings.interval(number)).await?;
        samples.push(measured.at(Dimension::Minutes, minute));
    }
    Ok(samples)
}

/// Lets each room make a move in each interval, and measures them until this time. Returns the rooms after all moves have
/// stopped.
async fn measure_until(
    end: Instant,
    server: &Server,
    rooms: FixedRateRooms,
    interval: Duration,
) -> Result<(Measured, FixedRateRooms), Failure> {
    let playing = rooms.play(interval);
    let wal = WalMeter::start(&server.data_folder());
    let messages = playing.messages();
    let stopwatch = CpuStopwatch::start(server.pid()?)?;
    sleep_until(end.into()).await;
    let cpu = stopwatch.read()?;
    let messages = playing.messages() - messages;
    let wal_bytes = wal.map(|wal| wal.bytes());
    let memory_kib = process::anonymous_memory(server.pid()?)?;
    let stopped = playing.stop().await?;
    check_all_played(stopped.errors)?;
    let moves = stopped.moves.iter();
    let measured = Measured {
        moves: moves.filter(|one| cpu.contains(one.sent_at)).count() as u64,
        messages,
        cpu,
        wal_bytes,
        memory_kib: Some(memory_kib),
    };
    Ok((measured, stopped.rooms))
}

/// Measures each round of a game: its moves, and the beginning of the next one. Before that each room plays another round.
async fn measure_rounds(
    server: &Server,
    settings: &GrowthSettings,
    repetition: u32,
    rounds: u32,
) -> Result<Vec<Sample>, Failure> {
    let rng = settings.rng(repetition);
    let mut rooms = LockstepRooms::open(server, settings.playing_rooms, rng).await?;
    rooms.play(StopCondition::EndOfRound).await?;
    rooms.restart_games().await?;
    let mut samples = Vec::new();
    for round in 1..=rounds {
        let measured = measure_moves(server, &mut rooms, StopCondition::EndOfRound).await?;
        samples.push(measured.at(Dimension::Rounds, round));
    }
    Ok(samples)
}

/// Measures moves each time that the room logs of all rooms have one of these numbers of entries.
async fn measure_log(
    server: &Server,
    settings: &GrowthSettings,
    repetition: u32,
    entries: &[u64],
) -> Result<Vec<Sample>, Failure> {
    let mut rooms =
        LockstepRooms::open(server, settings.log_rooms, settings.rng(repetition)).await?;
    let mut samples = Vec::new();
    for &entries in entries {
        rooms.play(StopCondition::AtLogEntries(entries)).await?;
        let measured =
            measure_moves(server, &mut rooms, StopCondition::AfterMoves(LOG_MOVES)).await?;
        samples.push(measured.at(Dimension::Log, entries));
    }
    Ok(samples)
}

/// Lets all rooms play until the condition holds, and measures them meanwhile.
async fn measure_moves(
    server: &Server,
    rooms: &mut LockstepRooms,
    condition: StopCondition,
) -> Result<Measured, Failure> {
    let stopwatch = CpuStopwatch::start(server.pid()?)?;
    let played = rooms.play(condition).await?;
    Ok(Measured {
        moves: played.moves,
        messages: played.messages,
        cpu: stopwatch.read()?,
        wal_bytes: None,
        memory_kib: None,
    })
}
