//! PostgreSQL and NATS as processes, with the programs of Debian's packages.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::process::send_signal;
use crate::server::{Folder, free_addresses};
use crate::{Failure, http};

/// The folders with the programs of PostgreSQL.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The database that PostgreSQL has from the beginning.
pub(crate) const MAIN_DATABASE: &str = "postgres";
/// The user of the databases.
const USER: &str = "drill";
/// The longest wait for a service.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two attempts to reach a service.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A service that can be killed and started again.
#[derive(Debug)]
struct Service {
    program: PathBuf,
    args: Vec<String>,
    folder: PathBuf,
    address: SocketAddr,
    child: Option<Child>,
}

/// PostgreSQL and NATS, with a folder of their own.
#[derive(Debug)]
pub(crate) struct Services {
    folder: Folder,
    programs: PathBuf,
    database: Service,
    bus: Service,
    /// The address at which NATS reports its state.
    monitor: SocketAddr,
}

impl Services {
    /// Starts both.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if that is not possible.
    pub(crate) async fn start(parent: &Path) -> Result<Self, Failure> {
        let programs = programs()?;
        let folder = Folder::new(parent).map_err(|error| aborted("A folder", &error))?;
        open_to_all(&folder.path)?;
        let data = folder.path.join("postgres");
        create_database(&folder.path, &programs, &data).await?;
        let [database, bus, monitor] = free_addresses()?;
        let text = |path: &Path| path.display().to_string();
        let setting = |name: &str, value: &str| [String::from("-c"), format!("{name}={value}")];
        let mut args = vec!["-D".to_owned(), text(&data)];
        args.extend(setting("port", &database.port().to_string()));
        args.extend(setting("listen_addresses", &database.ip().to_string()));
        args.extend(setting("unix_socket_directories", ""));
        args.extend(setting("max_connections", "200"));
        let database = Service {
            program: programs.join("postgres"),
            args,
            folder: folder.path.clone(),
            address: database,
            child: None,
        };
        let (host, port) = (bus.ip().to_string(), bus.port().to_string());
        let args = ["-a", &host, "-p", &port, "-m", &monitor.port().to_string()];
        let args = args.map(str::to_owned).to_vec();
        let bus = Service {
            program: PathBuf::from("nats-server"),
            args,
            folder: folder.path.clone(),
            address: bus,
            child: None,
        };
        let mut services = Self {
            folder,
            programs,
            database,
            bus,
            monitor,
        };
        services.start_database().await?;
        services.start_bus().await?;
        Ok(services)
    }

    /// The address of the database.
    pub(crate) fn database(&self) -> SocketAddr {
        self.database.address
    }

    /// The address of the bus.
    pub(crate) fn bus(&self) -> SocketAddr {
        self.bus.address
    }

    /// The URL of a database at this address.
    pub(crate) fn database_url(address: SocketAddr, name: &str) -> String {
        format!("postgres://{USER}@{address}/{name}")
    }

    /// The URL of the bus at this address.
    pub(crate) fn bus_url(address: SocketAddr) -> String {
        format!("nats://{address}")
    }

    /// Ends PostgreSQL without a shutdown.
    pub(crate) async fn stop_database(&mut self) -> Result<(), Failure> {
        self.database.stop(Signal::QUIT).await
    }

    /// Starts PostgreSQL, and waits until it answers.
    pub(crate) async fn start_database(&mut self) -> Result<(), Failure> {
        self.database.start()?;
        let begun = Instant::now();
        while let Err(failure) = self.query("SELECT 1").await {
            if begun.elapsed() > TIMEOUT {
                return Err(failure);
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Kills NATS.
    pub(crate) async fn stop_bus(&mut self) -> Result<(), Failure> {
        self.bus.stop(Signal::KILL).await
    }

    /// Starts NATS, and waits until it can be reached.
    pub(crate) async fn start_bus(&mut self) -> Result<(), Failure> {
        self.bus.start()?;
        let begun = Instant::now();
        while let Err(error) = TcpStream::connect(self.bus.address).await {
            if begun.elapsed() > TIMEOUT {
                return Err(aborted("NATS", &error));
            }
            sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Ends both.
    pub(crate) async fn end(mut self) {
        // A service that has ended already needs nothing.
        let _ = self.stop_database().await;
        let _ = self.stop_bus().await;
    }

    /// The rows of a query, with spaces between their columns.
    pub(crate) async fn query(&self, sql: &str) -> Result<Vec<String>, Failure> {
        let url = Self::database_url(self.database.address, MAIN_DATABASE);
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-X", "-A", "-t", "-q", "-F", " ", "-d", &url, "-c", sql]);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = command.output().await;
        let output = output.map_err(|error| aborted("psql", &error))?;
        match output.status.success() {
            true => {
                let text = String::from_utf8_lossy(&output.stdout);
                Ok(text.lines().map(str::to_owned).collect())
            }
            false => Err(aborted(
                "PostgreSQL",
                &String::from_utf8_lossy(&output.stderr).trim(),
            )),
        }
    }

    /// The ids of the first process of PostgreSQL and of NATS.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if one of them has ended.
    pub(crate) fn pids(&self) -> Result<[u32; 2], Failure> {
        let pid = |service: &Service| {
            let pid = service.child.as_ref().and_then(Child::id);
            pid.ok_or_else(|| aborted("A service", &"it does not run"))
        };
        Ok([pid(&self.database)?, pid(&self.bus)?])
    }

    /// The bytes that NATS has received from nodes, and those that it has sent to them.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if NATS does not report them.
    pub(crate) async fn bus_bytes(&self) -> Result<u64, Failure> {
        let state = http::get(self.monitor, "/varz").await;
        let state = state.map_err(|error| aborted("NATS", &error))?.body;
        let number = |name: &str| -> Option<u64> {
            let (_, rest) = state.split_once(&format!("\"{name}\":"))?;
            let (number, _) = rest.split_once(',')?;
            number.trim().parse().ok()
        };
        let bytes = number("in_bytes").zip(number("out_bytes"));
        let bytes = bytes.map(|(received, sent)| received + sent);
        bytes.ok_or_else(|| aborted("NATS", &"it reports no bytes"))
    }

    /// Keeps the folder, and returns its path.
    pub(crate) fn keep_folder(&mut self) -> &Path {
        self.folder.keep = true;
        &self.folder.path
    }
}

impl Service {
    fn start(&mut self) -> Result<(), Failure> {
        let name = self.program.file_name().unwrap_or_default();
        let log = self.folder.join(name).with_extension("log");
        let open = || File::options().create(true).append(true).open(&log);
        let (out, err) = open()
            .and_then(|out| Ok((out, open()?)))
            .map_err(|error| aborted("A log file", &error))?;
        let mut command = as_user(&self.folder, &self.program);
        command
            .args(&self.args)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err);
        let started = command.kill_on_drop(true).spawn();
        let program = self.program.display();
        self.child = Some(started.map_err(|error| aborted(&format!("{program}"), &error))?);
        Ok(())
    }

    async fn stop(&mut self, signal: Signal) -> Result<(), Failure> {
        let Some(mut child) = self.child.take() else {
            return Err(aborted("A service", &"it does not run"));
        };
        send_signal(child.id(), signal)?;
        let ended = child.wait().await;
        ended
            .map(drop)
            .map_err(|error| aborted("A service", &error))
    }
}

impl Drop for Services {
    fn drop(&mut self) {
        // Its processes end with the first one; they must not write to a folder that is removed.
        if let Some(child) = &self.database.child {
            let _ = send_signal(child.id(), Signal::QUIT);
        }
    }
}

fn aborted(what: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::Aborted(format!("{what} cannot be used: {error}."))
}

/// The newest version of the programs of PostgreSQL.
fn programs() -> Result<PathBuf, Failure> {
    let versions = fs::read_dir(VERSIONS).map_err(|error| aborted(VERSIONS, &error))?;
    let programs = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    let newest = programs.filter(|bin| bin.join("postgres").exists()).max();
    newest.ok_or_else(|| Failure::Aborted(format!("{VERSIONS} has no PostgreSQL.")))
}

fn open_to_all(folder: &Path) -> Result<(), Failure> {
    let opened = fs::set_permissions(folder, Permissions::from_mode(0o755));
    opened.map_err(|error| aborted("A folder", &error))
}

/// The command of a program as an ordinary user, because PostgreSQL refuses root. It ends with this process.
fn as_user(folder: &Path, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    if rustix::process::getuid().is_root() {
        command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]);
    }
    command.args(["--pdeathsig", "QUIT", "--"]).arg(program);
    command.current_dir(folder).env("LC_ALL", "C");
    command
}

/// Creates a database.
async fn create_database(folder: &Path, programs: &Path, data: &Path) -> Result<(), Failure> {
    fs::create_dir(data).map_err(|error| aborted("A folder", &error))?;
    if rustix::process::getuid().is_root() {
        let own = Command::new("chown")
            .arg("nobody:nogroup")
            .arg(data)
            .status()
            .await;
        own.map_err(|error| aborted("chown", &error))?;
    }
    let mut init = as_user(folder, programs.join("initdb"));
    init.args([
        "--no-sync",
        "--no-locale",
        "--encoding=UTF8",
        "--auth=trust",
    ]);
    init.args(["--username", USER, "-D"]).arg(data);
    let initialised = init
        .output()
        .await
        .map_err(|error| aborted("initdb", &error))?;
    match initialised.status.success() {
        true => Ok(()),
        false => Err(aborted(
            "initdb",
            &String::from_utf8_lossy(&initialised.stderr),
        )),
    }
}
