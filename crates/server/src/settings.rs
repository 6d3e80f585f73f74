//! The command line: the commands of the program and its settings, by flag or by environment variable.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sticheln_room::ReplayId;
use thiserror::Error;
use tracing_subscriber::filter::Targets;

use crate::PROGRAM;
use crate::cluster::bus::MAX_MESSAGE_BYTES;
use crate::cluster::bus_settings::BusSettings;
use crate::http::files::Files;
use crate::http::legal_links::LegalLinks;
use crate::http::open_password::OpenPasswordSetting;
use crate::http::proxy::ProxySettings;
use crate::limits::operator_limits::Limits;
use crate::room_code::RoomCode;
use crate::storage::postgres::DatabaseSettings;

/// The name of the control socket in the data folder.
const CONTROL_SOCKET: &str = "control.sock";

/// The problems of settings, one sentence for each.
#[derive(Debug, Error)]
#[error("{}", self.0.join("\n"))]
pub struct Problems(pub Vec<String>);

/// Hosts rooms for card games: open the page, create a room, share the link.
#[derive(Debug, Parser)]
#[command(name = PROGRAM, version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the program"
    )]
    pub command: Option<CliCommand>,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the program"
    )]
    pub settings: ServerSettings,
}

/// A command of the program.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Run the server. This is the default command.
    Serve(Box<ServerSettings>),
    /// Check whether the server with these settings is ready. The exit code is 0 if it is.
    Health(Listen),
    /// Check the settings, the data folder and the port without starting a server.
    CheckConfig(Box<ServerSettings>),
    /// Write a backup of all data to one file. The server can run meanwhile.
    Backup(Box<Backup>),
    /// Replace all data by a backup, or fill an empty database in PostgreSQL with it. Stop the server first.
    Restore(Box<Restore>),
    /// Copy all rooms of the data folder to an empty database in PostgreSQL. Stop the server first.
    Copy(Box<CopySettings>),
    /// List the rooms, show one, or remove one.
    Rooms(Box<Rooms>),
    /// Close a room of a running server for good, with all of its data.
    Close(Close),
    /// Show a line to everybody at the tables of a running server.
    Say(Say),
    /// Announce a restart of a running server: no new games and rounds begin, and it shuts down when all rounds are over, or
    /// when the time has come.
    Drain(Drain),
    /// Write the record of a game that is over, from a running server.
    Export(Export),
    /// Check a record as `verify` does, and open a table with its finished game on a running server.
    Import(Import),
    /// Check the record of a game by the rules. The exit code is 0 if it is right, 1 if it is wrong, and 2 if it cannot be read
    /// as a record.
    Verify(Verify),
    /// Print the version.
    Version,
}

/// The arguments of `verify`.
#[derive(Args, Debug)]
pub struct Verify {
    /// The file of the record, or `-` for the standard input.
    pub file: PathBuf,
}

/// The arguments of `export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The id of the replay of the game, or the link to the replay.
    #[arg(value_parser = parse_replay, allow_hyphen_values = true)]
    pub replay: ReplayId,
    /// Leave the names of the players out.
    #[arg(long)]
    pub no_names: bool,
    /// The file to write. Put a space after `-o`, because an id can also begin with `-o`. By default the record goes to the
    /// standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long, requires = "output")]
    pub replace: bool,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
}

/// The arguments of `import`.
#[derive(Args, Debug)]
pub struct Import {
    /// The file of the record, or `-` for the standard input.
    pub file: PathBuf,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
}

/// The arguments of `backup`.
#[derive(Args, Debug)]
pub struct Backup {
    /// The file to write.
    pub file: PathBuf,
    /// Overwrite an existing file.
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub folder: Folder,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub database: DatabaseSettings,
}

/// The arguments of `restore`.
#[derive(Args, Debug)]
pub struct Restore {
    /// A file that `backup` has written.
    pub file: PathBuf,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub folder: Folder,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub database: DatabaseSettings,
}

/// The engine of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineName {
    /// The database in the data folder.
    Sqlite,
    /// The database of `--database-url`.
    Postgres,
}

/// The arguments of `copy`.
#[derive(Args, Debug)]
pub struct CopySettings {
    /// The engine of the database to read.
    #[arg(long, value_name = "ENGINE")]
    pub from: EngineName,
    /// The engine of the database to write.
    #[arg(long, value_name = "ENGINE")]
    pub to: EngineName,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub folder: Folder,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub database: DatabaseSettings,
}

/// The arguments of `rooms`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Rooms {
    #[command(subcommand)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub command: Option<RoomCommand>,
    /// Read each room back, and list only those for which this fails.
    #[arg(long)]
    pub damaged: bool,
    /// List only the rooms that are awake in the running server.
    #[arg(long)]
    pub awake: bool,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub database: DatabaseSettings,
}

/// The arguments of `close`.
#[derive(Args, Debug)]
pub struct Close {
    /// The code of the room.
    #[arg(value_parser = parse_code)]
    pub code: RoomCode,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
}

/// The arguments of `say`.
#[derive(Args, Debug)]
pub struct Say {
    /// The text, at most 200 characters.
    #[arg(required = true, value_name = "TEXT")]
    pub words: Vec<String>,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
}

/// The arguments of `drain`.
#[derive(Args, Debug)]
pub struct Drain {
    /// Time until the server shuts down at the latest, such as `90s`, `10m` or `1h`.
    #[arg(long = "in", value_name = "TIME", value_parser = parse_time, default_value = "10m")]
    pub time: Duration,
    /// Restart all nodes of the cluster. Without it one of several nodes moves its rooms to the others, and ends at once.
    #[arg(long)]
    pub all: bool,
    /// Call the planned restart off.
    #[arg(long, conflicts_with_all = ["time", "all"])]
    pub cancel: bool,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub server: RunningServer,
}

/// The text is not a time.
#[derive(Debug, Error)]
#[error("a time is a number with `s`, `m` or `h`")]
struct InvalidTime;

fn parse_time(text: &str) -> Result<Duration, InvalidTime> {
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or(InvalidTime)?;
    let seconds_of_unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(InvalidTime),
    };
    let number = number.parse::<u32>().map_err(|_| InvalidTime)?;
    Ok(Duration::from_secs(u64::from(number) * seconds_of_unit))
}

/// The way to a running server: its data folder and its control socket.
#[derive(Args, Clone, Debug)]
#[allow(
    missing_docs,
    reason = "a doc comment here would replace the help of the command"
)]
pub struct RunningServer {
    #[command(flatten)]
    pub folder: Folder,
    #[command(flatten)]
    pub control: Control,
}

impl RunningServer {
    /// The path of the control socket; `None` if it is off.
    pub fn control_path(&self) -> Option<PathBuf> {
        self.control.path_in(&self.folder)
    }
}

/// The control socket.
#[derive(Args, Clone, Debug)]
pub struct Control {
    /// Path of the control socket, by which commands such as `drain` reach the running server. By default it is `control.sock`
    /// in the data folder; `off` means none.
    #[arg(
        long = "control-socket",
        env = "STICHELN_CONTROL_SOCKET",
        value_name = "PATH|off"
    )]
    pub socket: Option<PathBuf>,
}

impl Control {
    /// The path of the socket of a server with this data folder; `None` if it is off.
    pub fn path_in(&self, folder: &Folder) -> Option<PathBuf> {
        match &self.socket {
            Some(off) if off.as_os_str() == "off" => None,
            Some(path) => Some(path.clone()),
            None => Some(folder.path.join(CONTROL_SOCKET)),
        }
    }
}

/// A command about one room.
#[derive(Debug, Subcommand)]
pub enum RoomCommand {
    /// Print a room and the types of its entries, without secrets. The server can run meanwhile.
    Show(Box<OneRoom>),
    /// Delete a room with all of its data. Stop the server first; nodes that do not use the room can run.
    Remove(Box<OneRoom>),
}

/// The arguments of a command about one room.
#[derive(Args, Debug)]
pub struct OneRoom {
    /// The code of the room.
    #[arg(value_parser = parse_code)]
    pub code: RoomCode,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub folder: Folder,
    #[command(flatten)]
    #[allow(
        missing_docs,
        reason = "a doc comment here would replace the help of the command"
    )]
    pub database: DatabaseSettings,
}

/// The text is not the code of a room.
#[derive(Debug, Error)]
#[error("a code has eight letters and digits")]
struct InvalidCode;

fn parse_code(text: &str) -> Result<RoomCode, InvalidCode> {
    RoomCode::parse(text).ok_or(InvalidCode)
}

/// The text is neither the id of a replay nor a link to one.
#[derive(Debug, Error)]
#[error("a replay has an id of 22 characters, or a link that contains `/g/` and the id")]
struct InvalidReplay;

/// The folder of replays in a link.
const REPLAYS: &str = "/g/";

fn parse_replay(text: &str) -> Result<ReplayId, InvalidReplay> {
    let end = text.find(['#', '?']).unwrap_or(text.len());
    let path = text[..end].trim_end_matches('/');
    let id = path.rsplit_once(REPLAYS).map_or(path, |(_, id)| id);
    ReplayId::parse(id).ok_or(InvalidReplay)
}

/// All settings of the server.
#[derive(Args, Clone, Debug)]
#[allow(
    missing_docs,
    reason = "a doc comment here would replace the help of the program"
)]
pub struct ServerSettings {
    #[command(flatten)]
    pub listen: Listen,
    #[command(flatten)]
    pub proxy: ProxySettings,
    #[command(flatten)]
    pub folder: Folder,
    #[command(flatten)]
    pub database: DatabaseSettings,
    #[command(flatten)]
    pub bus: BusSettings,
    #[command(flatten)]
    pub page: PageSettings,
    #[command(flatten)]
    pub legal_links: LegalLinks,
    #[command(flatten)]
    pub open_password: OpenPasswordSetting,
    #[command(flatten)]
    pub log_and_metrics: LogAndMetrics,
    #[command(flatten)]
    pub control: Control,
    #[command(flatten)]
    pub limits: Limits,
}

impl ServerSettings {
    /// The problems of the settings, one sentence for each.
    pub fn problems(&self) -> Vec<String> {
        let limits = &self.limits;
        let mut problems = limits.problems();
        if self.log_and_metrics.log.parse::<Targets>().is_err() {
            let filter = &self.log_and_metrics.log;
            problems.push(format!("`--log`: `{filter}` is not a valid log filter."));
        }
        if self.listen.port != 0 && self.log_and_metrics.admin_port == Some(self.listen.port) {
            problems.push("`--admin-port` and `--port` must be different.".to_owned());
        }
        problems.extend(self.page.problem());
        problems.extend(self.database.problem());
        problems.extend(self.bus.problem(&self.database));
        if self.bus.url.is_some() && limits.message_bytes > MAX_MESSAGE_BYTES {
            problems.push(format!(
                "`--message-bytes` must be at most {MAX_MESSAGE_BYTES} with `--bus-url`: longer messages do not fit into those between servers."
            ));
        }
        problems
    }
}

/// The address and the port of the server.
#[derive(Args, Clone, Debug)]
pub struct Listen {
    /// Address to listen on. `::` means all addresses of this machine.
    #[arg(long, env = "STICHELN_HOST", default_value = "::")]
    pub host: IpAddr,
    /// Port to listen on. 0 means any free port.
    #[arg(long, env = "STICHELN_PORT", default_value_t = 8080)]
    pub port: u16,
}

/// The source of the page.
#[derive(Args, Clone, Debug)]
pub struct PageSettings {
    /// Folder that replaces the page inside the program, for development. The server reads its files at each
    /// request.
    #[arg(long = "page-folder", env = "STICHELN_PAGE_FOLDER")]
    pub folder: Option<PathBuf>,
}

impl PageSettings {
    /// The files of the page.
    pub fn files(&self) -> Files {
        match &self.folder {
            Some(folder) => Files::Folder(folder.clone()),
            None => Files::Embedded,
        }
    }

    /// The problem of the folder, in one sentence.
    fn problem(&self) -> Option<String> {
        let folder = self.folder.as_ref()?;
        let is_page = folder.join("index.html").is_file();
        (!is_page).then(|| {
            format!(
                "`--page-folder`: {} has no file `index.html`.",
                folder.display()
            )
        })
    }
}

/// The data folder.
#[derive(Args, Clone, Debug)]
pub struct Folder {
    /// Folder of the database, the lock of the server, and its control socket.
    #[arg(
        long = "data-folder",
        env = "STICHELN_DATA_FOLDER",
        default_value = "./sticheln-data"
    )]
    pub path: PathBuf,
}

/// The program log and the metrics.
#[derive(Args, Clone, Debug)]
pub struct LogAndMetrics {
    /// Log filter: a level (`error`, `warn`, `info`, `debug`), or `MODULE=LEVEL` for each module, separated by commas.
    #[arg(long, env = "STICHELN_LOG", default_value = "warn,sticheln=info")]
    pub log: String,
    /// Format of the program log: lines for people, or one JSON object in each line.
    #[arg(long, env = "STICHELN_LOG_FORMAT", default_value = "text")]
    pub log_format: LogFormat,
    /// Port of the admin listener, which serves the metrics at `/metrics`. Without it there are no metrics.
    #[arg(long, env = "STICHELN_ADMIN_PORT")]
    pub admin_port: Option<u16>,
    /// Address of the admin listener. Anybody who can reach it can read the metrics.
    #[arg(long, env = "STICHELN_ADMIN_HOST", default_value = "127.0.0.1")]
    pub admin_host: IpAddr,
}

/// The format of the program log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// JSON, one object in each line.
    Json,
}
