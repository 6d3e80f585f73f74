//! The limits that an operator can change, with their defaults.

use std::num::{IntErrorKind, NonZero, ParseIntError};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use sticheln_room::{RoomLimits, WriteBudget};
use thiserror::Error;

/// The bytes of a mebibyte.
pub(super) const MIB: u32 = 1024 * 1024;
/// The minimum of `--message-bytes`: the longest necessary message needs it.
const MIN_MESSAGE_BYTES: usize = 1024;
/// The maximum of `--message-bytes` and `--read-buffer-bytes`: 16 MiB.
const MAX_BUFFER_BYTES: u64 = 16 * MIB as u64;
/// The minimum of `--outbox-messages`: `hello` has two answers at once.
const MIN_OUTBOX_MESSAGES: usize = 2;
/// The maximum of a limit in seconds: a day. Timers and the operating system do not accept much longer times.
const MAX_SECONDS: u64 = 24 * 60 * 60;
/// The maximum of a limit in days: 100 years. Limits in hours and minutes have the same maximum.
const MAX_DAYS: u64 = 36_500;
/// The seconds that the shutdown has at least after it has closed the last socket.
const SHUTDOWN_RESERVE_SECONDS: u64 = 2;
/// The maximum of `--search-threads`: each thread has its own stack and uses a core.
const MAX_SEARCH_THREADS: u64 = 64;
/// The maximum of `--written-mib-per-hour`: the bytes of a bucket are an `u32`.
const MAX_WRITTEN_MIB: u32 = u32::MAX / MIB;

/// The text is no valid value of a limit.
#[derive(Debug, Error)]
enum InvalidLimit {
    /// The limit is 0, and it must not be.
    #[error("it must not be 0, or nobody could play")]
    Zero,
    /// The text is not a number of the type of the limit.
    #[error("{0}")]
    NotANumber(ParseIntError),
}

/// Parses a limit.
fn number<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, InvalidLimit> {
    text.parse()
        .map_err(|error: ParseIntError| match error.kind() {
            IntErrorKind::Zero => InvalidLimit::Zero,
            _ => InvalidLimit::NotANumber(error),
        })
}

macro_rules! nonzero {
    ($value:literal) => {
        const { NonZero::new($value).expect("the default is not 0") }
    };
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:expr, $variable:literal;)+) => {
        /// The limits on what clients may use, and the timeouts.
        #[derive(Args, Clone, Debug)]
        pub struct Limits {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    env = $variable,
                    default_value_t = $value,
                    value_parser = number::<$type>,
                    help_heading = "Limits"
                )]
                pub $name: $type,
            )+
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $value,)+ }
            }
        }
    };
}

limits! {
    /// Maximum size of a message from a client, in bytes. With `--bus-url` it must be at most 65536.
    message_bytes: usize = 8192, "STICHELN_MESSAGE_BYTES";
    /// Maximum number of messages per second from one connection, averaged over time. A message counts once more for each
    /// KiB.
    messages_per_second: NonZero<u32> = nonzero!(20), "STICHELN_MESSAGES_PER_SECOND";
    /// Maximum number of messages from one connection in a burst.
    message_burst: NonZero<u32> = nonzero!(40), "STICHELN_MESSAGE_BURST";
    /// Timeout for the headers of a request, and again for its body, in seconds.
    header_timeout_seconds: NonZero<u64> = nonzero!(5), "STICHELN_HEADER_TIMEOUT_SECONDS";
    /// Timeout for `hello` on a new socket, in seconds.
    hello_timeout_seconds: NonZero<u64> = nonzero!(5), "STICHELN_HELLO_TIMEOUT_SECONDS";
    /// Seconds from the connection after which the server closes a socket that has sent `hello` but was not admitted.
    admission_timeout_seconds: NonZero<u64> = nonzero!(120), "STICHELN_ADMISSION_TIMEOUT_SECONDS";
    /// Seconds of silence after which the server sends a ping.
    ping_seconds: NonZero<u64> = nonzero!(15), "STICHELN_PING_SECONDS";
    /// Seconds of silence after which the server closes a socket.
    idle_timeout_seconds: u64 = 25, "STICHELN_IDLE_TIMEOUT_SECONDS";
    /// Seconds without progress in sending after which the server closes a connection.
    write_timeout_seconds: NonZero<u64> = nonzero!(20), "STICHELN_WRITE_TIMEOUT_SECONDS";
    /// Seconds after which the operating system closes a connection that acknowledges no sent bytes (`TCP_USER_TIMEOUT`).
    tcp_user_timeout_seconds: NonZero<u64> = nonzero!(60), "STICHELN_TCP_USER_TIMEOUT_SECONDS";
    /// Maximum number of messages in the outbox of a socket. Talk and the newest `sheet`, `room` and `game` do not count.
    outbox_messages: NonZero<usize> = nonzero!(64), "STICHELN_OUTBOX_MESSAGES";
    /// Size of the read buffer of a socket, in bytes.
    read_buffer_bytes: NonZero<usize> = nonzero!(1024), "STICHELN_READ_BUFFER_BYTES";
    /// Maximum size of the send buffer of a socket in the operating system, in bytes.
    send_buffer_bytes: NonZero<usize> = nonzero!(65_536), "STICHELN_SEND_BUFFER_BYTES";
    /// Maximum number of open sockets of one address. It may have as many connections; a browser opens up to six besides a
    /// socket.
    sockets_per_address: NonZero<usize> = nonzero!(512), "STICHELN_SOCKETS_PER_ADDRESS";
    /// Maximum number of new sockets per minute from one address. A socket closed for a protocol violation counts as 60 more.
    new_sockets_per_minute: NonZero<u32> = nonzero!(300), "STICHELN_NEW_SOCKETS_PER_MINUTE";
    /// Maximum number of new connections per minute from one address. Without effect behind trusted proxies.
    connections_per_minute: NonZero<u32> = nonzero!(3_000), "STICHELN_CONNECTIONS_PER_MINUTE";
    /// Size of the token bucket for requests of one address, and its refill per minute.
    requests_per_minute: NonZero<u32> = nonzero!(2_400), "STICHELN_REQUESTS_PER_MINUTE";
    /// Refill per minute of the token bucket of one address for page files and unknown paths, which holds three times as much.
    files_per_minute: NonZero<u32> = nonzero!(3_200), "STICHELN_FILES_PER_MINUTE";
    /// Maximum number of lookups of nonexistent room codes per minute from one address.
    wrong_codes_per_minute: NonZero<u32> = nonzero!(10), "STICHELN_WRONG_CODES_PER_MINUTE";
    /// Maximum number of wrong passwords per minute for one room from one address.
    wrong_passwords_per_minute: NonZero<u32> = nonzero!(5), "STICHELN_WRONG_PASSWORDS_PER_MINUTE";
    /// Maximum number of awake rooms that one address has opened.
    rooms_per_address: NonZero<usize> = nonzero!(20), "STICHELN_ROOMS_PER_ADDRESS";
    /// Maximum number of awake rooms that one address has woken.
    woken_rooms_per_address: NonZero<usize> = nonzero!(64), "STICHELN_WOKEN_ROOMS_PER_ADDRESS";
    /// Maximum number of rooms per minute that one address wakes. A long room log counts once more for each 64 KiB.
    wake_ups_per_minute: NonZero<u32> = nonzero!(300), "STICHELN_WAKE_UPS_PER_MINUTE";
    /// Maximum number of open sockets in total.
    sockets: NonZero<usize> = nonzero!(10_000), "STICHELN_SOCKETS";
    /// Maximum number of rooms that are awake, waking up or being opened.
    rooms: NonZero<usize> = nonzero!(2_000), "STICHELN_ROOMS";
    /// Maximum number of spectators in one room.
    spectators: usize = 16, "STICHELN_SPECTATORS";
    /// Maximum number of spectators in one room from one address.
    spectators_per_address: usize = 8, "STICHELN_SPECTATORS_PER_ADDRESS";
    /// Maximum number of entries in a room log from one deal to the next. A full log still takes moves, the start and the end of
    /// a game, the end of a pause, stand-ins, and people who leave their chairs.
    room_entries: NonZero<u64> = nonzero!(4_000), "STICHELN_ROOM_ENTRIES";
    /// Maximum number of MiB that one address may add to the database in an hour, and in a burst. The start of a
    /// game is charged with the maximum size of its log.
    written_mib_per_hour: NonZero<u32> = nonzero!(24), "STICHELN_WRITTEN_MIB_PER_HOUR";
    /// Maximum size of the database in MiB; the write-ahead log, backups and old databases come on top. Near it the server
    /// refuses new rooms and games. With 0 it leaves a tenth of the disk free, between 1 GiB and 16 GiB, or half of a small
    /// disk.
    max_data_mib: u64 = 0, "STICHELN_MAX_DATA_MIB";
    /// Number of threads for the searches of `expert` bots, at the lowest priority. With 0 they do not search.
    search_threads: usize = 1, "STICHELN_SEARCH_THREADS";
    /// Delay of a bot before it acts, in percent of the default. With 0 bots act at once. For tests.
    bot_delay_percent: u32 = 100, "STICHELN_BOT_DELAY_PERCENT";
    /// Timeouts of a room, in percent of the defaults. For tests.
    timeout_percent: NonZero<u32> = nonzero!(100), "STICHELN_TIMEOUT_PERCENT";
    /// Minutes after which the server deletes a room in which nobody has ever sat down; the time of deletion is rounded up
    /// to the next full hour.
    unused_room_minutes: NonZero<u64> = nonzero!(10), "STICHELN_UNUSED_ROOM_MINUTES";
    /// Hours after which the server deletes an abandoned room without a game.
    lobby_hours: NonZero<u64> = nonzero!(24), "STICHELN_LOBBY_HOURS";
    /// Days after which the server deletes an abandoned room with an unfinished game.
    game_days: NonZero<u64> = nonzero!(30), "STICHELN_GAME_DAYS";
    /// Days after which the server deletes an abandoned room with a finished game.
    finished_days: NonZero<u64> = nonzero!(90), "STICHELN_FINISHED_DAYS";
    /// Minutes after which an abandoned room goes to sleep: it leaves memory and stays on disk.
    room_idle_timeout_minutes: u64 = 30, "STICHELN_ROOM_IDLE_TIMEOUT_MINUTES";
    /// Number of open sockets above which the server closes them one after another when it shuts down.
    staggered_close_threshold: usize = 200, "STICHELN_STAGGERED_CLOSE_THRESHOLD";
    /// Seconds over which the server closes its sockets when it shuts down, if there are more than
    /// `--staggered-close-threshold`.
    closing_seconds: u64 = 5, "STICHELN_CLOSING_SECONDS";
    /// Maximum duration of the shutdown, in seconds.
    shutdown_seconds: u64 = 10, "STICHELN_SHUTDOWN_SECONDS";
}

impl Limits {
    /// The time for which a room without connections stays awake.
    pub fn room_idle_timeout(&self) -> Duration {
        Duration::from_secs(60 * self.room_idle_timeout_minutes)
    }

    /// The problems of the limits, one sentence for each.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.message_bytes < MIN_MESSAGE_BYTES {
            problems.push(format!(
                "`--message-bytes` must be at least {MIN_MESSAGE_BYTES}."
            ));
        }
        if self.outbox_messages.get() < MIN_OUTBOX_MESSAGES {
            problems.push(format!(
                "`--outbox-messages` must be at least {MIN_OUTBOX_MESSAGES}."
            ));
        }
        for (flag, value, max) in self.bounded_limits() {
            if value > max {
                problems.push(format!("`--{flag}` must be at most {max}."));
            }
        }
        if self.idle_timeout_seconds <= self.ping_seconds.get() {
            problems
                .push("`--idle-timeout-seconds` must be greater than `--ping-seconds`.".to_owned());
        }
        if self.shutdown_seconds
            < self
                .closing_seconds
                .saturating_add(SHUTDOWN_RESERVE_SECONDS)
        {
            problems.push(format!(
                "`--shutdown-seconds` must be at least {SHUTDOWN_RESERVE_SECONDS} more than `--closing-seconds`."
            ));
        }
        problems
    }

    /// The flags, values and maxima of all limits that have a maximum.
    fn bounded_limits(&self) -> [(&'static str, u64, u64); 17] {
        const MAX_HOURS: u64 = MAX_DAYS * 24;
        const MAX_MINUTES: u64 = MAX_HOURS * 60;
        let (header, hello) = (self.header_timeout_seconds, self.hello_timeout_seconds);
        let (write, tcp) = (self.write_timeout_seconds, self.tcp_user_timeout_seconds);
        let (admission, ping) = (self.admission_timeout_seconds, self.ping_seconds);
        let (silence, shutdown) = (self.idle_timeout_seconds, self.shutdown_seconds);
        let (message, buffer) = (self.message_bytes, self.read_buffer_bytes.get());
        let (threads, mib) = (self.search_threads, self.written_mib_per_hour.get());
        let unused = self.unused_room_minutes.get();
        let idle = self.room_idle_timeout_minutes;
        [
            ("header-timeout-seconds", header.get(), MAX_SECONDS),
            ("hello-timeout-seconds", hello.get(), MAX_SECONDS),
            ("admission-timeout-seconds", admission.get(), MAX_SECONDS),
            ("ping-seconds", ping.get(), MAX_SECONDS),
            ("idle-timeout-seconds", silence, MAX_SECONDS),
            ("write-timeout-seconds", write.get(), MAX_SECONDS),
            ("tcp-user-timeout-seconds", tcp.get(), MAX_SECONDS),
            ("shutdown-seconds", shutdown, MAX_SECONDS),
            ("message-bytes", message as u64, MAX_BUFFER_BYTES),
            ("read-buffer-bytes", buffer as u64, MAX_BUFFER_BYTES),
            ("written-mib-per-hour", mib.into(), MAX_WRITTEN_MIB.into()),
            ("search-threads", threads as u64, MAX_SEARCH_THREADS),
            ("unused-room-minutes", unused, MAX_MINUTES),
            ("lobby-hours", self.lobby_hours.get(), MAX_HOURS),
            ("game-days", self.game_days.get(), MAX_DAYS),
            ("finished-days", self.finished_days.get(), MAX_DAYS),
            ("room-idle-timeout-minutes", idle, MAX_MINUTES),
        ]
    }

    /// The limits of one room.
    pub fn of_room(&self) -> RoomLimits {
        RoomLimits {
            spectators: self.spectators,
            spectators_per_address: self.spectators_per_address,
            entries: self.room_entries.get(),
            bot_delay_percent: self.bot_delay_percent,
            timeout_percent: self.timeout_percent.get(),
            write_budget: WriteBudget::UNLIMITED,
            rematch_budget: WriteBudget::UNLIMITED,
        }
    }

    /// [`Limits::header_timeout_seconds`] as a duration.
    pub fn header_timeout(&self) -> Duration {
        Duration::from_secs(self.header_timeout_seconds.get())
    }

    /// [`Limits::tcp_user_timeout_seconds`] as a duration.
    pub fn tcp_user_timeout(&self) -> Duration {
        Duration::from_secs(self.tcp_user_timeout_seconds.get())
    }

    /// The time that a client has to answer a ping if it has nothing else left to read.
    pub fn pong_timeout(&self) -> Duration {
        Duration::from_secs(
            self.idle_timeout_seconds
                .saturating_sub(self.ping_seconds.get()),
        )
    }

    /// [`Limits::write_timeout_seconds`] as a duration.
    pub fn write_timeout(&self) -> Duration {
        Duration::from_secs(self.write_timeout_seconds.get())
    }
}
