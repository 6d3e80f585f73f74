//! What can be asked of the program, and what can be chosen for it: by flag or by environment variable.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sticheln_room::RoomLimits;
use tracing_subscriber::EnvFilter;

use crate::http::files::Files;
use crate::http::proxy::ProxyConfig;

/// The bytes that the longest message needs which nobody can do without.
const LEAST_MESSAGE: usize = 1024;
/// The seconds between the last socket that is closed and the end.
const LAST_SECONDS: u64 = 2;
/// The most threads on which experts look ahead: each has its own stack and takes a core.
const MAX_SEARCH_THREADS: usize = 64;

/// Hosts tables for Sticheln and Nyet!: open the page, make a table, share the link.
#[derive(Debug, Parser)]
#[command(name = "sticheln", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    #[allow(
        missing_docs,
        reason = "its own documentation would hide that of the program"
    )]
    pub task: Option<CliCommand>,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "its own documentation would hide that of the program"
    )]
    pub options: Options,
}

/// What the program is asked to do.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Serves; the same as without a word.
    Serve(Box<Options>),
    /// Asks the server that runs with the same settings whether it is ready: ends with 0 if it is.
    Health(Listen),
    /// Says what is wrong with the settings, the folder and the port, and starts nothing.
    CheckConfig(Box<Options>),
    /// Writes a copy of everything that is kept into one file, also while the server runs.
    Backup(Backup),
    /// Puts a copy in the place of what is kept; no server may be running.
    Restore(Restore),
    /// Says which version this is.
    Version,
}

/// What a copy is made of, and where to.
#[derive(Args, Debug)]
pub struct Backup {
    /// The file to be written.
    pub file: PathBuf,
    /// Writes over a file that is there.
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "it is no help for a subcommand")]
    pub folder: Folder,
}

/// Which copy is put back, and where.
#[derive(Args, Debug)]
pub struct Restore {
    /// The file that `backup` has written.
    pub file: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "it is no help for a subcommand")]
    pub folder: Folder,
}

/// Everything that can be chosen for the server.
#[derive(Args, Clone, Debug)]
#[allow(missing_docs, reason = "its parts would hide the help of the program")]
pub struct Options {
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub proxy: ProxyConfig,
    #[command(flatten)]
    pub folder: Folder,
    #[command(flatten)]
    pub page: Page,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub limits: Limits,
}

impl Options {
    /// What is wrong with them, a sentence for each.
    pub fn problems(&self) -> Vec<String> {
        let limits = &self.limits;
        let mut problems = limits.problems();
        if EnvFilter::try_new(&self.reports.log).is_err() {
            let filter = &self.reports.log;
            problems.push(format!("`{filter}` does not say what is to be logged."));
        }
        if self.listen.port != 0 && self.reports.admin_port == Some(self.listen.port) {
            problems.push("`--admin-port` and `--port` have to be different.".to_owned());
        }
        problems.extend(self.page.problem());
        problems
    }
}

/// Where the server is reached.
#[derive(Args, Clone, Debug)]
pub struct Listen {
    /// The address to listen on; `::` is all addresses of this machine.
    #[arg(long, env = "STICHELN_HOST", default_value = "::")]
    pub host: IpAddr,
    /// The port to listen on; 0 takes any that is free.
    #[arg(long, env = "STICHELN_PORT", default_value_t = 8080)]
    pub port: u16,
}

/// Where the page is.
#[derive(Args, Clone, Debug)]
pub struct Page {
    /// A folder with the page, to be used instead of the one inside the program. Its files are read at each
    /// request: for work on the page.
    #[arg(long = "page-folder", env = "STICHELN_PAGE_FOLDER")]
    pub folder: Option<PathBuf>,
}

impl Page {
    /// The files of the page.
    pub fn files(&self) -> Files {
        match &self.folder {
            Some(folder) => Files::Folder(folder.clone()),
            None => Files::Embedded,
        }
    }

    /// What is wrong with the folder, in a sentence.
    fn problem(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        let is_page = folder.join("index.html").is_file();
        (!is_page).then(|| format!("`--page-folder`: there is no page in {}.", folder.display()))
    }
}

/// Where everything is kept.
#[derive(Args, Clone, Debug)]
pub struct Folder {
    /// The folder for everything that is kept.
    #[arg(
        long = "data-folder",
        env = "STICHELN_DATA_FOLDER",
        default_value = "./sticheln-data"
    )]
    pub path: PathBuf,
}

/// What the server tells those who run it.
#[derive(Args, Clone, Debug)]
pub struct Reports {
    /// What is written to the log: `error`, `warn`, `info`, `debug`, or such a word for each part.
    #[arg(long, env = "STICHELN_LOG", default_value = "warn,sticheln=info")]
    pub log: String,
    /// How the log is written: as lines for people, or as JSON, one object in each line.
    #[arg(long, env = "STICHELN_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// The port on which figures are told at `/metrics`; without it they are told nowhere.
    #[arg(long, env = "STICHELN_ADMIN_PORT")]
    pub admin_port: Option<u16>,
    /// The address on which figures are told: anybody who reaches it may read them.
    #[arg(long, env = "STICHELN_ADMIN_HOST", default_value = "127.0.0.1")]
    pub admin_host: IpAddr,
}

/// How the log is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// As lines for people.
    Text,
    /// As JSON, one object in each line.
    Json,
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $value:literal, $variable:literal;)+) => {
        /// How much anybody may ask of the server, and how long it waits for whom.
        #[derive(Args, Clone, Debug)]
        pub struct Limits {
            $(
                $(#[doc = $doc])+
                #[arg(long, env = $variable, default_value_t = $value, help_heading = "Limits")]
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
    /// The most bytes of a message.
    message_bytes: usize = 8192, "STICHELN_MESSAGE_BYTES";
    /// The most messages of a connection in a second, in the long run.
    messages_per_second: u32 = 20, "STICHELN_MESSAGES_PER_SECOND";
    /// The most messages of a connection at once.
    messages_at_once: u32 = 40, "STICHELN_MESSAGES_AT_ONCE";
    /// The seconds within which a connection has to send its headers.
    header_seconds: u64 = 5, "STICHELN_HEADER_SECONDS";
    /// The seconds within which a new socket has to say who it is.
    first_message_seconds: u64 = 5, "STICHELN_FIRST_MESSAGE_SECONDS";
    /// The seconds a socket may stay that has said who it is and was not let in.
    stranger_seconds: u64 = 120, "STICHELN_STRANGER_SECONDS";
    /// The seconds of silence after which a socket is asked for a sign of life.
    ping_seconds: u64 = 15, "STICHELN_PING_SECONDS";
    /// The seconds of silence after which a socket counts as dead.
    dead_seconds: u64 = 25, "STICHELN_DEAD_SECONDS";
    /// The seconds after which a connection is given up that makes no progress in taking what is sent.
    write_seconds: u64 = 20, "STICHELN_WRITE_SECONDS";
    /// The seconds after which the system gives up a connection that acknowledges nothing of what was sent.
    unacknowledged_seconds: u64 = 60, "STICHELN_UNACKNOWLEDGED_SECONDS";
    /// The most messages that wait for a socket. Talk, the newest `room` and the newest `game` are not counted.
    outgoing_messages: usize = 64, "STICHELN_OUTGOING_MESSAGES";
    /// The bytes a socket reads at once.
    read_buffer_bytes: usize = 4096, "STICHELN_READ_BUFFER_BYTES";
    /// The most bytes that the system keeps for a socket that does not take them.
    send_buffer_bytes: usize = 65_536, "STICHELN_SEND_BUFFER_BYTES";
    /// The most sockets of one address.
    sockets_per_address: usize = 256, "STICHELN_SOCKETS_PER_ADDRESS";
    /// The most new sockets of one address in a minute; one that was closed for what was sent on it costs 60 more.
    upgrades_per_minute: u32 = 300, "STICHELN_UPGRADES_PER_MINUTE";
    /// Tokens for calls that an address gets in a minute, and the most that its bucket holds.
    calls_per_minute: u32 = 1_200, "STICHELN_CALLS_PER_MINUTE";
    /// Tokens for files of the page and unknown paths that an address gets in a minute, and the most that its bucket holds.
    files_per_minute: u32 = 3_000, "STICHELN_FILES_PER_MINUTE";
    /// The most wrong codes of one address in a minute.
    wrong_codes_per_minute: u32 = 10, "STICHELN_WRONG_CODES_PER_MINUTE";
    /// The most wrong passwords of one address at one table in a minute.
    wrong_passwords_per_minute: u32 = 5, "STICHELN_WRONG_PASSWORDS_PER_MINUTE";
    /// The most tables that one address has opened and that are awake.
    rooms_per_address: usize = 10, "STICHELN_ROOMS_PER_ADDRESS";
    /// The most sockets.
    sockets: usize = 10_000, "STICHELN_SOCKETS";
    /// The most tables that are awake, being woken or being opened.
    rooms: usize = 2_000, "STICHELN_ROOMS";
    /// The most people who watch at one table.
    spectators: usize = 16, "STICHELN_SPECTATORS";
    /// The most people of one address who watch at one table.
    spectators_per_address: usize = 8, "STICHELN_SPECTATORS_PER_ADDRESS";
    /// The most entries in the log of a table: from then on only a game that runs is played to its end.
    room_entries: u64 = 50_000, "STICHELN_ROOM_ENTRIES";
    /// The threads on which bots of level `expert` look ahead, at the lowest priority; with 0 they never do.
    search_threads: usize = 1, "STICHELN_SEARCH_THREADS";
    /// How long bots pause before they act, in percent of the usual; with 0 they act at once. For tests.
    bot_pause_percent: u32 = 100, "STICHELN_BOT_PAUSE_PERCENT";
    /// How long a table waits for people who are absent or slow, in percent of the usual. For tests.
    patience_percent: u32 = 100, "STICHELN_PATIENCE_PERCENT";
    /// The minutes that a table is kept on which nobody has ever sat.
    unused_room_minutes: u64 = 10, "STICHELN_UNUSED_ROOM_MINUTES";
    /// The hours that a table without a game is kept.
    lobby_hours: u64 = 24, "STICHELN_LOBBY_HOURS";
    /// The days that a table is kept where a game rests in which nobody goes on.
    game_days: u64 = 30, "STICHELN_GAME_DAYS";
    /// The days that a table is kept where a game is over.
    finished_days: u64 = 90, "STICHELN_FINISHED_DAYS";
    /// The minutes until a table where nobody is left goes to sleep on disk.
    awake_minutes: u64 = 30, "STICHELN_AWAKE_MINUTES";
    /// The most sockets that are closed at once when the server ends.
    closed_at_once: usize = 200, "STICHELN_CLOSED_AT_ONCE";
    /// The seconds over which more sockets than that are closed.
    closing_seconds: u64 = 5, "STICHELN_CLOSING_SECONDS";
    /// The seconds after which the server ends, whatever is still open.
    ending_seconds: u64 = 10, "STICHELN_ENDING_SECONDS";
}

impl Limits {
    /// What is wrong with them, a sentence for each: nobody could play.
    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let needed = [
            ("messages-per-second", u64::from(self.messages_per_second)),
            ("messages-at-once", self.messages_at_once.into()),
            ("header-seconds", self.header_seconds),
            ("first-message-seconds", self.first_message_seconds),
            ("stranger-seconds", self.stranger_seconds),
            ("ping-seconds", self.ping_seconds),
            ("write-seconds", self.write_seconds),
            ("unacknowledged-seconds", self.unacknowledged_seconds),
            ("outgoing-messages", self.outgoing_messages as u64),
            ("read-buffer-bytes", self.read_buffer_bytes as u64),
            ("send-buffer-bytes", self.send_buffer_bytes as u64),
            ("sockets-per-address", self.sockets_per_address as u64),
            ("upgrades-per-minute", self.upgrades_per_minute.into()),
            ("calls-per-minute", self.calls_per_minute.into()),
            ("files-per-minute", self.files_per_minute.into()),
            ("wrong-codes-per-minute", self.wrong_codes_per_minute.into()),
            (
                "wrong-passwords-per-minute",
                self.wrong_passwords_per_minute.into(),
            ),
            ("rooms-per-address", self.rooms_per_address as u64),
            ("sockets", self.sockets as u64),
            ("rooms", self.rooms as u64),
            ("room-entries", self.room_entries),
            ("patience-percent", self.patience_percent.into()),
            ("unused-room-minutes", self.unused_room_minutes),
            ("lobby-hours", self.lobby_hours),
            ("game-days", self.game_days),
            ("finished-days", self.finished_days),
        ];
        for (name, value) in needed {
            if value == 0 {
                problems.push(format!("With `--{name}` 0 nobody could play."));
            }
        }
        if self.message_bytes < LEAST_MESSAGE {
            problems.push(format!(
                "`--message-bytes` has to be {LEAST_MESSAGE} at least."
            ));
        }
        if self.search_threads > MAX_SEARCH_THREADS {
            problems.push(format!(
                "`--search-threads` can be {MAX_SEARCH_THREADS} at most."
            ));
        }
        if self.dead_seconds <= self.ping_seconds {
            problems.push("`--dead-seconds` has to be more than `--ping-seconds`.".to_owned());
        }
        if self.ending_seconds < self.closing_seconds.saturating_add(LAST_SECONDS) {
            problems.push(format!(
                "`--ending-seconds` has to be {LAST_SECONDS} more than `--closing-seconds`."
            ));
        }
        problems
    }

    /// The limits of one room.
    pub fn of_room(&self) -> RoomLimits {
        RoomLimits {
            spectators: self.spectators,
            spectators_per_address: self.spectators_per_address,
            entries: self.room_entries,
            bot_pause_percent: self.bot_pause_percent,
            patience_percent: self.patience_percent,
        }
    }

    /// [`Limits::header_seconds`] as a time.
    pub fn header_time(&self) -> Duration {
        Duration::from_secs(self.header_seconds)
    }

    /// [`Limits::unacknowledged_seconds`] as a time.
    pub fn unacknowledged_time(&self) -> Duration {
        Duration::from_secs(self.unacknowledged_seconds)
    }

    /// How long a client may take to answer a ping before which nothing is left to read.
    pub fn answer_time(&self) -> Duration {
        Duration::from_secs(self.dead_seconds.saturating_sub(self.ping_seconds))
    }

    /// [`Limits::write_seconds`] as a time.
    pub fn write_time(&self) -> Duration {
        Duration::from_secs(self.write_seconds)
    }
}
