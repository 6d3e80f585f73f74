//! A PostgreSQL server for the tests. All tests of a run share one, each with a schema of its own. It stops a moment after the
//! last test has ended, also if that was killed: the tests hold a lock on a file, and `postgres.sh` waits for it.

use std::fs::{self, File, Permissions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use tokio_postgres::{Client, NoTls};

use super::ordinary_user::{is_root, scratch_folder, user_command};

/// The password of the user of the tests.
pub const PASSWORD: &str = "geheim-for-tests";
const SUPERVISOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/postgres.sh");
/// The folders with the programs of Debian's packages.
const VERSIONS: &str = "/usr/lib/postgresql";
/// The longest wait for the server.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The settings of all servers.
const ALWAYS: [&str; 4] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=200",
    "shared_buffers=32MB",
];

/// A running PostgreSQL server.
#[derive(Debug)]
pub struct Cluster {
    pub folder: PathBuf,
    pub port: u16,
    /// The server runs as long as a process holds a lock on it.
    _users: File,
}

/// A server of one test. Unlike a [`Cluster`] it is not started again after its end.
#[derive(Debug)]
pub struct SingleServer {
    pub port: u16,
    folder: PathBuf,
    process: Child,
}

impl SingleServer {
    /// A new primary in this folder.
    pub fn primary(name: &str) -> Self {
        let folder = scratch_folder(name);
        create_database(&folder);
        Self::run(folder)
    }

    /// A standby with everything that this server has committed. It receives nothing later.
    pub fn standby(&self, name: &str) -> Self {
        let folder = scratch_folder(name);
        let data = new_data_folder(&folder);
        let mut copy = as_user(&folder, "pg_basebackup");
        let port = self.port.to_string();
        copy.args(["-h", "127.0.0.1", "-p", &port, "-U", "tests"]);
        copy.args([
            "--no-sync",
            "--checkpoint=fast",
            "--write-recovery-conf",
            "-D",
        ]);
        copy.arg(&data).env("PGPASSWORD", PASSWORD);
        let copied = copy.output().unwrap();
        let errors = String::from_utf8_lossy(&copied.stderr);
        assert!(copied.status.success(), "{errors}");
        let settings = data.join("postgresql.auto.conf");
        fs::write(settings, "primary_conninfo = ''\n").unwrap();
        Self::run(folder)
    }

    fn run(folder: PathBuf) -> Self {
        let port = free_port();
        let mut server = as_user(&folder, "postgres");
        server.arg("-D").arg(folder.join("data"));
        let port_setting = format!("port={port}");
        for setting in [port_setting.as_str()].iter().chain(&ALWAYS) {
            server.arg("-c").arg(setting);
        }
        let log = File::create(folder.join("log")).unwrap();
        server
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let process = server.spawn().unwrap();
        wait_until_ready(&folder, port);
        Self {
            port,
            folder,
            process,
        }
    }

    /// Makes the standby a primary.
    pub async fn promote(&self) {
        let client = connect(&self.url()).await.unwrap();
        let promoted = client.query_one("SELECT pg_promote()", &[]).await.unwrap();
        assert!(promoted.get::<_, bool>(0));
    }

    /// The address of the database of the server, with the password.
    pub fn url(&self) -> String {
        url_of(self.port)
    }

    /// Ends all processes of the server at once, as a crash does.
    pub fn crash(&mut self) {
        if self.process.try_wait().unwrap().is_some() {
            return;
        }
        let sent = Command::new("kill")
            .args(["-QUIT", &self.process.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        self.process.wait().unwrap();
    }
}

impl Drop for SingleServer {
    fn drop(&mut self) {
        self.crash();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A schema in the server that all tests share.
#[derive(Debug)]
pub struct Schema {
    pub name: String,
    port: u16,
}

impl Cluster {
    /// The server that all tests of a run share, which the first one starts.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Self::start("postgres", &[]))
    }

    /// A server in this folder with these settings, which is started if it does not run.
    pub fn start(name: &str, settings: &[&str]) -> Self {
        let folder = scratch_folder(name);
        let users = File::create(folder.join("users")).unwrap();
        // A server that stops holds the lock until it has stopped.
        users.lock_shared().unwrap();
        let start = File::create(folder.join("start")).unwrap();
        start.lock().unwrap();
        let port_file = folder.join("port");
        let port = fs::read_to_string(&port_file).ok();
        let port = port.and_then(|port| port.parse().ok());
        let port = port.filter(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok());
        let port = port.unwrap_or_else(|| {
            let port = start_server(&folder, settings);
            fs::write(&port_file, port.to_string()).unwrap();
            port
        });
        Self {
            folder,
            port,
            _users: users,
        }
    }

    /// The address of the database of the server, with the password.
    pub fn url(&self) -> String {
        url_of(self.port)
    }

    /// Ends all processes of the server at once, as a crash does. The script starts it again.
    pub fn crash(&self) {
        self.signal("-QUIT");
    }

    /// Sends a signal to the first process of the server.
    pub fn signal(&self, signal: &str) {
        let server = fs::read_to_string(self.folder.join("server")).unwrap();
        let sent = Command::new("kill").args([signal, server.trim()]).status();
        assert!(sent.unwrap().success());
    }
}

/// The address of the database of the server at this port, with the password.
pub fn url_of(port: u16) -> String {
    format!("postgres://tests:{PASSWORD}@127.0.0.1:{port}/postgres")
}

/// The newest version of the programs of PostgreSQL.
fn programs() -> PathBuf {
    let versions = fs::read_dir(VERSIONS).unwrap_or_else(|error| panic!("{VERSIONS}: {error}"));
    let versions = versions.map(|version| version.unwrap().path().join("bin"));
    let newest = versions.filter(|bin| bin.join("postgres").exists()).max();
    newest.expect("PostgreSQL is installed: `cargo xtask test` does that")
}

/// The command of a program of PostgreSQL, as an ordinary user.
fn as_user(folder: &Path, program: &str) -> Command {
    let mut command = user_command(programs().join(program), "QUIT");
    command.current_dir(folder);
    command.env("LC_ALL", "C");
    command
}

/// An empty data folder, which belongs to the user of the server.
fn new_data_folder(folder: &Path) -> PathBuf {
    let data = folder.join("data");
    let _ = fs::remove_dir_all(&data);
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    if is_root() {
        let own = Command::new("chown")
            .arg("nobody:nogroup")
            .arg(&data)
            .status();
        assert!(own.unwrap().success());
    }
    data
}

/// Creates a new database cluster in a folder. Returns its data folder.
fn create_database(folder: &Path) -> PathBuf {
    let data = new_data_folder(folder);
    let password = folder.join("password");
    fs::write(&password, PASSWORD).unwrap();
    fs::set_permissions(&password, Permissions::from_mode(0o644)).unwrap();
    let mut init = as_user(folder, "initdb");
    init.args([
        "--no-sync",
        "--no-locale",
        "--encoding=UTF8",
        "--auth=scram-sha-256",
    ]);
    init.args(["--username=tests", "--pwfile"]).arg(&password);
    init.arg("-D").arg(&data);
    let initialised = init.output().unwrap();
    let errors = String::from_utf8_lossy(&initialised.stderr);
    assert!(initialised.status.success(), "{errors}");
    data
}

/// Creates a new database cluster in a folder, and starts its server. Returns its port.
#[allow(clippy::zombie_processes, reason = "the script ends after the tests")]
fn start_server(folder: &Path, settings: &[&str]) -> u16 {
    let data = create_database(folder);
    let port = free_port();
    let server = as_user(folder, "postgres");
    let mut supervisor = Command::new("sh");
    supervisor.arg(SUPERVISOR).arg(folder);
    supervisor.arg(server.get_program()).args(server.get_args());
    supervisor.arg("-D").arg(&data);
    let port_setting = format!("port={port}");
    for setting in [port_setting.as_str()]
        .iter()
        .chain(&ALWAYS)
        .chain(settings)
    {
        supervisor.arg("-c").arg(setting);
    }
    supervisor.env("LC_ALL", "C");
    // The end of the test, or of its terminal, must not end the supervisor at once.
    supervisor.process_group(0);
    supervisor
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _supervisor = supervisor.spawn().unwrap();
    wait_until_ready(folder, port);
    port
}

/// A port that no program uses.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Waits until a server accepts connections.
fn wait_until_ready(folder: &Path, port: u16) {
    let started = Instant::now();
    loop {
        let mut ready = as_user(folder, "pg_isready");
        ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]);
        if ready.status().is_ok_and(|status| status.success()) {
            return;
        }
        if started.elapsed() > TIMEOUT {
            let log = fs::read_to_string(folder.join("log"));
            panic!("PostgreSQL does not start: {log:?}");
        }
        std::thread::yield_now();
    }
}

impl Schema {
    /// A new schema.
    pub async fn create() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let port = Cluster::shared().port;
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let name = format!(
            "test_{}_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed),
            since.unwrap().as_millis()
        );
        let schema = Self { name, port };
        let create = format!("CREATE SCHEMA {}", schema.name);
        let client = schema.client().await;
        client.batch_execute(&create).await.unwrap();
        schema
    }

    /// The address of the schema, with the password.
    pub fn url(&self) -> String {
        let Self { name, port } = self;
        format!(
            "postgres://tests:{PASSWORD}@127.0.0.1:{port}/postgres?options=-csearch_path%3D{name}"
        )
    }

    /// A connection beside the server under test.
    pub async fn client(&self) -> Client {
        connect(&self.url()).await.unwrap()
    }
}

/// A connection to this database.
pub async fn connect(url: &str) -> Result<Client, io::Error> {
    let connected = tokio_postgres::connect(url, NoTls).await;
    let (client, connection) = connected.map_err(io::Error::other)?;
    tokio::spawn(connection);
    Ok(client)
}
