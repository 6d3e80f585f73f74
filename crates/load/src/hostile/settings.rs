//! The settings of a hostile run.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::attack::{Attack, SLEEPING_ROOMS};

/// The rooms that admission probes open.
const PROBE_ROOMS: u64 = 1;
/// The memory, in KiB, by which the server may grow over a run by default. It is for unused rooms until they are
/// deleted, for two password hashes, and for what the allocator returns to the system late.
const RETAINED_KIB: u64 = 64 * 1024;
/// The same for each attacker.
const RETAINED_KIB_EACH: u64 = 16;
/// The KiB by which the database and its WAL may grow by default for everything but games that are to fill the disk.
const DATA_KIB: u64 = 64 * 1024;
/// The KiB that an address may add to the database in an hour, by the default limit.
const WRITTEN_KIB_PER_HOUR: u64 = 24 * 1024;
/// The KiB that an address is charged for a game of the kind `disk-filling`: 30 rounds of six seats.
const GAME_KIB: u64 = 2445;
/// After this many seconds an unused room sleeps, by default. Its address can then open another one.
pub(super) const UNUSED_ROOM_SECONDS: u64 = 600;
/// The shortest measurement with attackers.
pub(super) const MIN_SECONDS: u64 = 10;

/// The players, the attackers, the times and the bounds of a run.
#[derive(Clone, Debug, Args)]
pub struct HostileSettings {
    /// The number of rooms of four honest players.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=250))]
    pub rooms: u8,
    /// The kinds of attackers. The default is all of them.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_enum)]
    pub only: Vec<Attack>,
    /// The number of attackers of each kind, each with an address of its own.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=5000))]
    pub attackers: u16,
    /// The most valid frames that attackers of the kind `invalid-frames` send at once. The default stays below the message
    /// limit of the server.
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub frames: u16,
    /// The units for requests that an address gets in a minute, as the server is configured. Attackers of the kind
    /// `request-flood` must not get answers for more.
    #[arg(long, value_name = "N", default_value_t = 2400)]
    pub requests_per_minute: u32,
    /// The files that an address gets in a minute, as the server is configured. Attackers of the kind `file-flood` must not get
    /// more.
    #[arg(long, value_name = "N", default_value_t = 3_200)]
    pub files_per_minute: u32,
    /// The seconds of the measurement before the attack. The default is the same as with attackers.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub baseline_seconds: Option<u64>,
    /// The seconds of the attack before the measurement.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub warmup_seconds: u64,
    /// The seconds of the measurement with attackers.
    #[arg(long, env = "HOSTILE_SECONDS", value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(MIN_SECONDS..=86_400))]
    pub seconds: u64,
    /// The seconds of the measurement after the attack.
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub recovery_seconds: u64,
    /// The bound for the 99th percentile of the time of a move, as a multiple of the time before the attack.
    #[arg(long, value_name = "FACTOR")]
    pub max_slowdown: Option<f64>,
    /// The bound for the 99th percentile of the time until a new person is admitted during the attack, in milliseconds.
    #[arg(long, value_name = "MS")]
    pub max_admission_ms: Option<u64>,
    /// The bound for the growth of the server's memory during the measurement with attackers, in KiB.
    #[arg(long, value_name = "KIB")]
    pub max_growth_kib: Option<u64>,
    /// The bound for the memory that the server retains after the attack, in KiB.
    #[arg(long, value_name = "KIB")]
    pub max_retained_kib: Option<u64>,
    /// The bound for the growth of the resident memory over the run, which includes the pages of the program, in percent.
    #[arg(long, value_name = "PERCENT")]
    pub max_resident_growth_percent: Option<u64>,
    /// The bound for the number of rooms during the attack. The default is what the default limits allow all addresses.
    #[arg(long, value_name = "N")]
    pub max_rooms: Option<u64>,
    /// The bound for the number of awake rooms during the attack. The default is what the default limits allow all addresses.
    #[arg(long, value_name = "N")]
    pub max_awake_rooms: Option<u64>,
    /// The bound for the growth of the database and its WAL during the attack, in KiB. The default is 64 MiB, and what the
    /// default limits allow the addresses of attackers of the kind `disk-filling`.
    #[arg(long, value_name = "KIB")]
    pub max_data_growth_kib: Option<u64>,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

impl HostileSettings {
    /// The length of the measurement before the attack, in seconds.
    pub(super) fn baseline_seconds(&self) -> u64 {
        self.baseline_seconds.unwrap_or(self.seconds)
    }

    /// The bound for the memory that the server retains, in KiB.
    pub(super) fn max_retained_kib(&self) -> u64 {
        let attackers = u64::from(self.attackers) * self.kinds().len() as u64;
        let default = RETAINED_KIB + RETAINED_KIB_EACH * attackers;
        self.max_retained_kib.unwrap_or(default)
    }

    /// The bound for the number of rooms.
    pub(super) fn max_rooms(&self) -> u64 {
        // After a while an unused room sleeps, and its address can open another one.
        let times = 1 + (self.warmup_seconds + self.seconds) / UNUSED_ROOM_SECONDS;
        let default = self.sum_of_rooms(|kind| times * kind.max_rooms());
        self.max_rooms.unwrap_or(default)
    }

    /// The bound for the number of awake rooms.
    pub(super) fn max_awake_rooms(&self) -> u64 {
        let default = self.sum_of_rooms(Attack::max_awake_rooms);
        self.max_awake_rooms.unwrap_or(default)
    }

    /// The rooms of honest clients, and of the attackers if each has this many.
    fn sum_of_rooms(&self, rooms_of: impl Fn(Attack) -> u64) -> u64 {
        let honest = u64::from(self.rooms) + PROBE_ROOMS;
        let each: u64 = self.kinds().iter().map(|kind| rooms_of(*kind)).sum();
        honest + u64::from(self.attackers) * each
    }

    /// The bound for the growth of the database and its WAL, in KiB.
    pub(super) fn max_data_growth_kib(&self) -> u64 {
        let is_filled = self.kinds().contains(&Attack::DiskFilling);
        let hours = 1 + (self.warmup_seconds + self.seconds).div_ceil(3600);
        let filled = u64::from(self.attackers) * WRITTEN_KIB_PER_HOUR * hours;
        let default = DATA_KIB + if is_filled { filled } else { 0 };
        self.max_data_growth_kib.unwrap_or(default)
    }

    /// The most games that attackers of the kind `disk-filling` may start in this time. Each budget is full at the start.
    pub(super) fn max_started_games(&self, time: Duration) -> u64 {
        let kib = WRITTEN_KIB_PER_HOUR + WRITTEN_KIB_PER_HOUR * time.as_secs() / 3600;
        u64::from(self.attackers) * (kib / GAME_KIB)
    }

    /// The number of rooms that sleep when the server starts.
    pub(super) fn sleeping_rooms(&self) -> usize {
        match self.kinds().contains(&Attack::RoomWaking) {
            true => usize::from(self.attackers) * SLEEPING_ROOMS,
            false => 0,
        }
    }

    /// The most units for which a flood of this length may get answers. Each bucket is full at the start, and refills in so many
    /// minutes.
    pub(super) fn max_units(&self, units_per_minute: u32, minutes: u32, time: Duration) -> u64 {
        let minutes = f64::from(minutes) + time.as_secs_f64() / 60.0;
        let each = f64::from(units_per_minute) * minutes;
        u64::from(self.attackers) * each.ceil() as u64
    }

    /// The kinds of attackers.
    pub(super) fn kinds(&self) -> &[Attack] {
        match self.only.as_slice() {
            [] => Attack::value_variants(),
            only => only,
        }
    }
}
