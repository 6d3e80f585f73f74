//! A server as a process, on a folder of its own.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::drill::Victim;
use crate::{Failure, http};

/// How long a server may take to be ready.
const START: Duration = Duration::from_secs(30);
/// How long a server may take to end.
const END: Duration = Duration::from_secs(30);
/// How often a starting server is asked whether it is ready.
const ASKED: Duration = Duration::from_millis(2);
/// Ports that no connection gets by chance: somebody who reconnects from one of those to itself
/// while the server is down would find a connection, and the server would not find its port.
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// A load comes from one address, and plays faster than people do.
const LIMITS: [(&str, &str); 9] = [
    ("--messages-per-second", "10000"),
    ("--messages-at-once", "10000"),
    ("--sockets-per-address", "100000"),
    ("--upgrades-per-minute", "10000000"),
    ("--calls-per-minute", "10000000"),
    ("--files-per-minute", "10000000"),
    ("--rooms-per-address", "100000"),
    ("--sockets", "100000"),
    ("--rooms", "100000"),
];

/// Which program is started, and where.
#[derive(Clone, Debug, Args)]
pub struct Program {
    /// The binary of the server; usually the one that was built beside this program.
    #[arg(long, value_name = "PATH", default_value_os_t = beside())]
    pub server: PathBuf,
    /// In which folder the fresh data folder is made; the system's for temporary files if not given.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// More options for the server, after `--`.
    #[arg(last = true)]
    pub more: Vec<OsString>,
}

/// Where the server is if it was built together with this program.
fn beside() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name("sticheln")
}

impl Program {
    /// What is wrong with it, before anything is started.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let path = self.server.display();
        match self.server.is_file() {
            true => Ok(()),
            false => Err(Failure::Trouble(format!("There is no program {path}."))),
        }
    }
}

/// A folder that is gone when nobody needs it any more.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    keep: bool,
}

impl Folder {
    fn new(parent: &Path) -> io::Result<Self> {
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
            // What cannot be removed lies with the temporary files, where others will.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A process that serves tables, on a port and a folder of its own.
#[derive(Debug)]
pub struct Server {
    program: Program,
    /// The core it is to run on, if it is to have one for itself.
    core: Option<usize>,
    limits: &'static [(&'static str, &'static str)],
    address: SocketAddr,
    /// Where it tells its figures, if it is to tell them.
    figures: Option<SocketAddr>,
    folder: Folder,
    child: Option<Child>,
    started: Instant,
}

impl Server {
    /// Starts a server on a fresh folder, and waits until it is ready.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if it does not start.
    pub async fn fresh(program: &Program, core: Option<usize>) -> Result<Self, Failure> {
        let [address] = free_addresses()?;
        Self::limited(program, core, &LIMITS, address, None).await
    }

    /// The same with the limits that a server usually has, and with figures.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if it does not start.
    pub async fn guarded(program: &Program) -> Result<Self, Failure> {
        let [address, figures] = free_addresses()?;
        Self::limited(program, None, &[], address, Some(figures)).await
    }

    async fn limited(
        program: &Program,
        core: Option<usize>,
        limits: &'static [(&'static str, &'static str)],
        address: SocketAddr,
        figures: Option<SocketAddr>,
    ) -> Result<Self, Failure> {
        program.check()?;
        let parent = program.folder.clone().unwrap_or_else(std::env::temp_dir);
        let failed = |error| {
            let parent = parent.display();
            Failure::Trouble(format!(
                "There is no data folder to be had in {parent}: {error}."
            ))
        };
        let folder = Folder::new(&parent).map_err(failed)?;
        let mut server = Self {
            program: program.clone(),
            core,
            limits,
            address,
            figures,
            folder,
            child: None,
            started: Instant::now(),
        };
        server.start().await?;
        server.ready().await?;
        Ok(server)
    }

    /// The folder of its data.
    pub fn data(&self) -> PathBuf {
        self.folder.path.join("data")
    }

    /// Its process.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if it has ended.
    pub fn pid(&self) -> Result<u32, Failure> {
        let pid = self.child.as_ref().and_then(Child::id);
        pid.ok_or_else(|| self.ended())
    }

    /// A figure without labels that it tells.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if it does not tell it.
    pub async fn figure(&self, name: &str) -> Result<u64, Failure> {
        let trouble =
            |why: &str| Failure::Trouble(format!("The server does not tell {name}: {why}."));
        let address = self
            .figures
            .ok_or_else(|| trouble("it has no port for figures"))?;
        let answer = http::get(address, "/metrics").await;
        let answer = answer.map_err(|error| trouble(&error.to_string()))?;
        let lines = answer.body.lines();
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().and_then(|value| value.parse().ok());
        value.ok_or_else(|| trouble("it is not among its figures"))
    }

    /// Where what it prints is written.
    fn log(&self) -> PathBuf {
        self.folder.path.join("server.log")
    }

    /// Asks it to end as the system would, waits until it has, and gives what it has printed.
    ///
    /// # Errors
    /// [`Failure::Trouble`] if it has ended before, or does not.
    pub async fn end(&mut self) -> Result<String, Failure> {
        let pid = self.pid()?.to_string();
        let trouble = |what: &str| Failure::Trouble(format!("The server {what}."));
        let asked = Command::new("kill").args(["-TERM", &pid]).status().await;
        asked.map_err(|error| trouble(&format!("cannot be asked to end: {error}")))?;
        let mut child = self.child.take().ok_or_else(|| self.ended())?;
        match timeout(END, child.wait()).await {
            Ok(Ok(_)) => Ok(fs::read_to_string(self.log()).unwrap_or_default()),
            Ok(Err(_)) | Err(_) => Err(trouble("does not end")),
        }
    }

    /// Leaves the folder behind for whoever wants to look, and tells where.
    pub fn keep(&mut self) -> &Path {
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
        let (host, port) = (
            self.address.ip().to_string(),
            self.address.port().to_string(),
        );
        command
            .args(["--host", &host, "--port", &port, "--data-folder"])
            .arg(self.data())
            .args(self.limits.iter().flat_map(|(name, value)| [name, value]))
            .args(self.figures.iter().flat_map(|figures| {
                let port = figures.port().to_string();
                ["--admin-port".to_owned(), port]
            }))
            .args(&self.program.more)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    fn ended(&self) -> Failure {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let words = log.lines().rev().find(|line| !line.trim().is_empty());
        let words = words.unwrap_or("nothing");
        Failure::Trouble(format!(
            "The server has ended; its last words were: {words}"
        ))
    }
}

impl Victim for Server {
    fn address(&self) -> SocketAddr {
        self.address
    }

    async fn start(&mut self) -> Result<(), Failure> {
        let log = || File::options().create(true).append(true).open(self.log());
        let start =
            || -> io::Result<Child> { self.command().stdout(log()?).stderr(log()?).spawn() };
        let path = self.program.server.display();
        let failed = |error| Failure::Trouble(format!("{path} cannot be started: {error}."));
        self.child = Some(start().map_err(failed)?);
        self.started = Instant::now();
        Ok(())
    }

    async fn ready(&mut self) -> Result<Duration, Failure> {
        while self.started.elapsed() < START {
            if let Ok(answer) = http::get(self.address, "/readyz").await
                && answer.status == 200
            {
                return Ok(self.started.elapsed());
            }
            let child = self.child.as_mut();
            if child.is_none_or(|child| !matches!(child.try_wait(), Ok(None))) {
                return Err(self.ended());
            }
            sleep(ASKED).await;
        }
        let seconds = START.as_secs();
        Err(Failure::Trouble(format!(
            "The server was not ready after {seconds} s."
        )))
    }

    async fn kill(&mut self) -> Result<(), Failure> {
        let Some(mut child) = self.child.take() else {
            return Err(self.ended());
        };
        if let Ok(Some(_)) = child.try_wait() {
            return Err(self.ended());
        }
        let failed = |error| Failure::Trouble(format!("The server cannot be killed: {error}."));
        child.kill().await.map_err(failed)
    }
}

/// Ports of this machine that nobody listens on.
fn free_addresses<const COUNT: usize>() -> Result<[SocketAddr; COUNT], Failure> {
    // Runs at the same time begin at different places.
    let first = std::process::id() as u16 % PORTS.len() as u16;
    let ports = PORTS.cycle().skip(first.into()).take(PORTS.len());
    let addresses = ports.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let free = addresses.filter(|address| TcpListener::bind(address).is_ok());
    let free: Vec<_> = free.take(COUNT).collect();
    let free = free.try_into();
    free.map_err(|_| Failure::Trouble("Too few ports are free.".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_gone_unless_it_is_kept() {
        let parent = std::env::temp_dir();
        let mut kept = Folder::new(&parent).expect("it can be made");
        let gone = Folder::new(&parent).expect("it can be made").path.clone();
        kept.keep = true;
        let path = kept.path.clone();
        drop(kept);
        assert!(!gone.exists());
        assert!(path.exists());
        fs::remove_dir_all(path).expect("it was kept");
    }

    #[test]
    fn a_missing_program_is_named() {
        let program = Program {
            server: "no/such/program".into(),
            folder: None,
            more: Vec::new(),
        };
        let failure = program.check().expect_err("there is none");
        assert_eq!(failure.to_string(), "There is no program no/such/program.");
    }
}
