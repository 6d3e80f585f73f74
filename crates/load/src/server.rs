//! A server as a process, with a data folder of its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::process::Signal;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::process::send_signal;
use crate::{Failure, http};

/// The time limit for the start of a server.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for a shutdown.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval of the requests whether a starting server is ready.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// The ports for servers: outside the range from which the system chooses local ports. A client that reconnects
/// from the port of a stopped server would connect to itself, and the server could not bind the port.
const PORTS: std::ops::Range<u16> = 20_000..30_000;
/// The number of ports between the first ones of two processes with neighbouring ids. A server needs two, and three nodes with their
/// services and proxies need 15.
const PORTS_PER_PROCESS: usize = 16;

/// Limits for a load that comes from one address and plays faster than people do.
const RAISED_LIMITS: [(&str, &str); 14] = [
    ("--messages-per-second", "10000"),
    ("--message-burst", "10000"),
    ("--sockets-per-address", "100000"),
    ("--new-sockets-per-minute", "10000000"),
    ("--connections-per-minute", "10000000"),
    ("--requests-per-minute", "10000000"),
    ("--files-per-minute", "10000000"),
    ("--rooms-per-address", "100000"),
    ("--written-mib-per-hour", "4000"),
    ("--woken-rooms-per-address", "100000"),
    ("--wake-ups-per-minute", "1000000"),
    ("--spectators-per-address", "10000"),
    ("--sockets", "100000"),
    ("--rooms", "100000"),
];

/// The program of the server, and where it is run.
#[derive(Clone, Debug, Args)]
pub struct Program {
    /// The program of the server. The default is the one that was built beside this program.
    #[arg(long, value_name = "PATH", default_value_os_t = built_beside())]
    pub server: PathBuf,
    /// The script that the program runs, its first argument; `None` if the program is the server itself.
    #[arg(skip)]
    pub script: Option<PathBuf>,
    /// The folder in which a data folder is created. The default is the system's folder for temporary files.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// More options for the server, after `--`.
    #[arg(last = true)]
    pub server_args: Vec<OsString>,
}

/// The name of the server's program.
const PROGRAM: &str = "sticheln";

/// The path of the server that was built together with this program.
fn built_beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(PROGRAM)
}

impl Program {
    /// Checks that the program exists.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let path = self.server.display();
        match self.server.is_file() {
            true => Ok(()),
            false => Err(Failure::Aborted(format!("There is no program {path}."))),
        }
    }

    /// The folder in which folders for data are created.
    pub(crate) fn parent_folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// A temporary folder, which is removed when it is dropped unless `keep` is set.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) keep: bool,
}

impl Folder {
    pub(crate) fn new(parent: &Path) -> io::Result<Self> {
        let pid = std::process::id();
        for number in 0..1000 {
            let path = parent.join(format!("sticheln-load-{pid}-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path, keep: false }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !self.keep {
            // On a failure the folder stays among the temporary files of the system.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A server that can be killed at any time, and started again at the same address with the data it has stored.
pub trait KillableServer {
    /// The address on which it listens.
    fn address(&self) -> SocketAddr;

    /// Starts it, without waiting until it is ready.
    fn start(&mut self) -> impl Future<Output = Result<(), Failure>>;

    /// Waits until it is ready. Returns the time since its start.
    fn ready(&mut self) -> impl Future<Output = Result<Duration, Failure>>;

    /// Kills it without a warning.
    fn kill(&mut self) -> impl Future<Output = Result<(), Failure>>;
}

/// A server process with a port and a folder of its own.
#[derive(Debug)]
pub struct Server {
    program: Program,
    /// The core to which the process is bound, if any.
    core: Option<usize>,
    limits: &'static [(&'static str, &'static str)],
    /// More variables of the environment.
    variables: Vec<(&'static str, String)>,
    address: SocketAddr,
    /// The address of the admin listener.
    admin: SocketAddr,
    folder: Folder,
    child: Option<Child>,
    started: Instant,
}

impl Server {
    /// Starts a server with raised limits and an empty data folder, and waits until it is ready.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not start.
    pub async fn with_raised_limits(
        program: &Program,
        core: Option<usize>,
    ) -> Result<Self, Failure> {
        Self::with_limits(program, core, &RAISED_LIMITS, Vec::new()).await
    }

    /// Starts a server with raised limits, an empty data folder and these variables of the environment, and waits until it is ready.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not start.
    pub(crate) async fn with_variables(
        program: &Program,
        variables: Vec<(&'static str, String)>,
    ) -> Result<Self, Failure> {
        Self::with_limits(program, None, &RAISED_LIMITS, variables).await
    }

    /// Starts a server with its default limits and an empty data folder, and waits until it is ready.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not start.
    pub async fn with_default_limits(program: &Program) -> Result<Self, Failure> {
        Self::with_limits(program, None, &[], Vec::new()).await
    }

    /// Kills the server, and starts it again with its default limits and the same data. No room is awake then.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not start.
    pub(crate) async fn restart_with_default_limits(&mut self) -> Result<(), Failure> {
        self.kill().await?;
        self.limits = &[];
        self.start().await?;
        self.ready().await?;
        Ok(())
    }

    async fn with_limits(
        program: &Program,
        core: Option<usize>,
        limits: &'static [(&'static str, &'static str)],
        variables: Vec<(&'static str, String)>,
    ) -> Result<Self, Failure> {
        program.check()?;
        let [address, admin] = free_addresses()?;
        let parent = program.parent_folder();
        let failed = |error| {
            let parent = parent.display();
            Failure::Aborted(format!(
                "A data folder cannot be created in {parent}: {error}."
            ))
        };
        let folder = Folder::new(&parent).map_err(failed)?;
        let mut server = Self {
            program: program.clone(),
            core,
            limits,
            variables,
            address,
            admin,
            folder,
            child: None,
            started: Instant::now(),
        };
        server.start().await?;
        server.ready().await?;
        Ok(server)
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The data folder.
    pub fn data_folder(&self) -> PathBuf {
        self.folder.path.join("data")
    }

    /// The id of the process.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it has exited.
    pub fn pid(&self) -> Result<u32, Failure> {
        let pid = self.child.as_ref().and_then(Child::id);
        pid.ok_or_else(|| self.exited())
    }

    /// All metrics, in the text format of OpenMetrics.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if they cannot be read.
    pub(crate) async fn metrics(&self) -> Result<Metrics, Failure> {
        let aborted = |error| Failure::Aborted(format!("The metrics cannot be read: {error}."));
        let response = http::get(self.admin, "/metrics").await.map_err(aborted)?;
        Ok(Metrics(response.body))
    }

    /// Sends a signal to the process.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it has exited.
    pub(crate) fn signal(&self, signal: Signal) -> Result<(), Failure> {
        send_signal(Some(self.pid()?), signal)
    }

    /// Asks the process to end, and waits until it has. Returns the time that this took.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it does not end in time.
    pub(crate) async fn terminate(&mut self) -> Result<Duration, Failure> {
        self.signal(Signal::TERM)?;
        let begun = Instant::now();
        let Some(mut child) = self.child.take() else {
            return Err(self.exited());
        };
        match timeout(STOP_TIMEOUT, child.wait()).await {
            Ok(Ok(_)) => Ok(begun.elapsed()),
            Ok(Err(_)) | Err(_) => {
                let seconds = STOP_TIMEOUT.as_secs();
                Err(Failure::Aborted(format!(
                    "The server did not end in {seconds} s."
                )))
            }
        }
    }

    /// The output of the server since the first start.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    /// Checks that the process runs.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if it has exited.
    pub(crate) fn check_running(&mut self) -> Result<(), Failure> {
        let child = self.child.as_mut();
        match child.is_some_and(|child| matches!(child.try_wait(), Ok(None))) {
            true => Ok(()),
            false => Err(self.exited()),
        }
    }

    fn log_file(&self) -> PathBuf {
        self.file("server.log")
    }

    /// The path for a file with this name beside the data folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    /// Keeps the folder when the server is dropped, and returns its path.
    pub fn keep_folder(&mut self) -> &Path {
        self.folder.keep = true;
        &self.folder.path
    }

    fn command(&self) -> Command {
        let server = &self.program.server;
        let mut command = match self.core {
            None => Command::new(server),
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &core.to_string()]).arg(server);
                command
            }
        };
        if let Some(script) = &self.program.script {
            // Node.js leaves checks for developers out.
            command.arg(script).env("NODE_ENV", "production");
        }
        // Measurements work also on a machine whose disk is nearly full.
        command.env("STICHELN_MAX_DATA_MIB", "1000000");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let port = |address: SocketAddr| address.port().to_string();
        command
            .args(["--host", &self.address.ip().to_string()])
            .args(["--port", &port(self.address)])
            .arg("--data-folder")
            .arg(self.data_folder())
            .args(self.limits.iter().flat_map(|(name, value)| [name, value]))
            .args(["--admin-port", &port(self.admin)])
            .args(&self.program.server_args)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    fn exited(&self) -> Failure {
        let log = self.log();
        let line = log.lines().rev().find(|line| !line.trim().is_empty());
        let line = line.unwrap_or("nothing");
        Failure::Aborted(format!(
            "The server has exited; the last line of its output is: {line}"
        ))
    }
}

/// The metrics of a server, in the text format of OpenMetrics.
pub(crate) struct Metrics(String);

impl Metrics {
    /// The value of the metric with this name and these labels, as they are in the text.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if there is no such metric.
    pub(crate) fn value(&self, name: &str) -> Result<u64, Failure> {
        let lines = self.0.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().and_then(|value| value.parse().ok());
        value.ok_or_else(|| Failure::Aborted(format!("The server has no metric {name}.")))
    }

    /// The value of the metric with this name as a number with decimal places.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if there is no such metric.
    pub(crate) fn decimal(&self, name: &str) -> Result<f64, Failure> {
        let lines = self.0.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().and_then(|value| value.parse().ok());
        value.ok_or_else(|| Failure::Aborted(format!("The server has no metric {name}.")))
    }

    /// The sum of the metric with this name over all of its labels.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if there is no such metric.
    pub(crate) fn sum(&self, name: &str) -> Result<u64, Failure> {
        let prefix = format!("{name}{{");
        let lines = self.0.lines().filter(|line| line.starts_with(&prefix));
        let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
        let sum = values.reduce(|sum, value| sum + value);
        sum.ok_or_else(|| Failure::Aborted(format!("The server has no metric {name}.")))
    }

    /// The upper bound of the bucket of a histogram in which this percentile lies, in the unit of the histogram.
    /// It is infinite in the last bucket; `None` if the histogram is empty or missing.
    pub(crate) fn percentile(&self, name: &str, percent: u64) -> Option<f64> {
        let prefix = format!("{name}_bucket{{le=\"");
        let buckets = self.0.lines().filter_map(|line| {
            let (bound, count) = line.strip_prefix(&prefix)?.split_once("\"} ")?;
            let count = count.split(' ').next()?;
            Some((bound.parse::<f64>().ok()?, count.parse::<u64>().ok()?))
        });
        let buckets: Vec<_> = buckets.collect();
        let (_, all) = buckets.last().filter(|(_, all)| *all > 0)?;
        let rank = (all * percent).div_ceil(100);
        let bucket = buckets.iter().find(|(_, count)| *count >= rank);
        bucket.map(|(bound, _)| *bound)
    }
}

impl KillableServer for Server {
    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let log = || {
            File::options()
                .create(true)
                .append(true)
                .open(self.log_file())
        };
        let start =
            || -> io::Result<Child> { self.command().stdout(log()?).stderr(log()?).spawn() };
        let path = self.program.server.display();
        let failed = |error| Failure::Aborted(format!("{path} cannot be started: {error}."));
        self.child = Some(start().map_err(failed)?);
        self.started = Instant::now();
        Ok(())
    }

    async fn ready(&mut self) -> Result<Duration, Failure> {
        while self.started.elapsed() < START_TIMEOUT {
            if let Ok(response) = http::get(self.address, "/readyz").await
                && response.status == 200
            {
                return Ok(self.started.elapsed());
            }
            self.check_running()?;
            sleep(POLL_INTERVAL).await;
        }
        let seconds = START_TIMEOUT.as_secs();
        Err(Failure::Aborted(format!(
            "The server was not ready after {seconds} s."
        )))
    }

    async fn kill(&mut self) -> Result<(), Failure> {
        let Some(mut child) = self.child.take() else {
            return Err(self.exited());
        };
        if let Ok(Some(_)) = child.try_wait() {
            return Err(self.exited());
        }
        let failed = |error| Failure::Aborted(format!("The server cannot be killed: {error}."));
        child.kill().await.map_err(failed)
    }
}

/// The index of the port at which a process begins to search. Processes that start at the same time have neighbouring ids,
/// and must not find the same port free before one of them binds it.
fn first_port_index(pid: u32) -> usize {
    (pid as usize * PORTS_PER_PROCESS) % PORTS.len()
}

/// Addresses of this machine with ports that are free.
pub(crate) fn free_addresses<const COUNT: usize>() -> Result<[SocketAddr; COUNT], Failure> {
    let first = first_port_index(std::process::id());
    let ports = PORTS.cycle().skip(first).take(PORTS.len());
    let addresses = ports.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let free = addresses.filter(|address| TcpListener::bind(address).is_ok());
    let free: Vec<_> = free.take(COUNT).collect();
    let free = free.try_into();
    free.map_err(|_| Failure::Aborted("Too few ports are free.".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_removed_unless_it_is_kept() {
        let parent = std::env::temp_dir();
        let mut kept = Folder::new(&parent).expect("the folder can be created");
        let removed = Folder::new(&parent)
            .expect("the folder can be created")
            .path
            .clone();
        kept.keep = true;
        let path = kept.path.clone();
        drop(kept);
        assert!(!removed.exists());
        assert!(path.exists());
        fs::remove_dir_all(path).expect("the folder was kept");
    }

    #[test]
    fn processes_with_neighbouring_ids_begin_at_ports_of_their_own() {
        let mut firsts: Vec<_> = (4000..4100).map(first_port_index).collect();
        firsts.sort_unstable();
        let are_apart = |pair: &[usize]| pair[1] - pair[0] >= PORTS_PER_PROCESS;
        assert!(firsts.windows(2).all(are_apart), "{firsts:?}");
    }

    #[test]
    fn the_error_names_a_missing_program() {
        let program = Program {
            server: "no/such/program".into(),
            script: None,
            folder: None,
            server_args: Vec::new(),
        };
        let failure = program.check().expect_err("the program does not exist");
        assert_eq!(failure.to_string(), "There is no program no/such/program.");
    }

    #[test]
    fn a_percentile_is_the_bound_of_its_bucket() {
        let text = "# TYPE x_seconds histogram\nx_seconds_sum 1.5\nx_seconds_count 4\n\
                    x_seconds_bucket{le=\"0.001\"} 2\nx_seconds_bucket{le=\"0.05\"} 3\n\
                    x_seconds_bucket{le=\"+Inf\"} 4\ny_seconds_bucket{le=\"+Inf\"} 0\nz_total 7\n";
        let metrics = Metrics(text.to_owned());
        assert_eq!(metrics.percentile("x_seconds", 50), Some(0.001));
        assert_eq!(metrics.percentile("x_seconds", 75), Some(0.05));
        assert_eq!(metrics.percentile("x_seconds", 99), Some(f64::INFINITY));
        assert_eq!(metrics.percentile("y_seconds", 50), None);
        assert_eq!(metrics.value("z_total"), Ok(7));
        assert_eq!(metrics.decimal("x_seconds_sum"), Ok(1.5));
        assert!(metrics.value("z").is_err());
    }
}
