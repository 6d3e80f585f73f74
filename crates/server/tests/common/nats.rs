//! A NATS server for a test. It starts in a hundredth of a second, so each test has one of its own, and can stop, freeze and start
//! it. It ends with the test, also if that is killed.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use super::certificates::certificates;
use super::ordinary_user::{scratch_folder, user_command};

/// The password of the user of the tests, and their token.
pub const PASSWORD: &str = "geheim-for-nats";
/// The program of Debian's package, whose folder is not in the `PATH` of ordinary users.
const PROGRAM: &str = "/usr/sbin/nats-server";

/// A NATS server.
#[derive(Debug)]
pub struct Nats {
    pub port: u16,
    /// The folder with its configuration, and with the certificates if it uses TLS.
    pub folder: PathBuf,
    process: Option<Child>,
}

impl Nats {
    /// A server without users.
    pub fn start() -> Self {
        Self::with("")
    }

    /// A server with these lines of configuration.
    pub fn with(configuration: &str) -> Self {
        let mut nats = Self::create();
        nats.configure(configuration);
        nats
    }

    /// A server with TLS and the user `tests`, whose password is [`PASSWORD`].
    pub fn with_tls_and_user() -> Self {
        let mut nats = Self::create();
        certificates(&nats.folder);
        let mut readable = Command::new("chmod");
        readable.arg("644").arg(nats.folder.join("server.key"));
        assert!(readable.status().unwrap().success());
        nats.configure(&format!(
            "tls {{ cert_file: 'server.pem', key_file: 'server.key' }}\n\
             authorization {{ user: tests, password: '{PASSWORD}' }}"
        ));
        nats
    }

    fn create() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let binary = env!("CARGO_CRATE_NAME");
        Self {
            port: 0,
            folder: scratch_folder(&format!("nats-{binary}-{}-{count}", std::process::id())),
            process: None,
        }
    }

    /// Starts the server with these lines of configuration on a free port.
    fn configure(&mut self, configuration: &str) {
        // Another program can take the port in the meantime.
        let started = free_ports().take(10).any(|port| {
            self.port = port;
            let configuration = format!("listen: '127.0.0.1:{port}'\n{configuration}\n");
            fs::write(self.folder.join("nats.conf"), configuration).unwrap();
            self.try_start()
        });
        assert!(
            started,
            "{PROGRAM} does not start: is nats-server installed? `cargo xtask test` does that"
        );
    }

    /// Starts the server again after [`Self::stop`].
    pub fn start_again(&mut self) {
        assert!(self.try_start(), "the port {} is taken", self.port);
    }

    /// Starts the server, and waits until it accepts connections. Returns whether it does.
    fn try_start(&mut self) -> bool {
        let mut command = user_command(PROGRAM, "KILL");
        command.args(["-c", "nats.conf"]).current_dir(&self.folder);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        self.process = Some(process);
        let mut line = String::new();
        while log.read_line(&mut line).unwrap() > 0 {
            if line.contains("Server is ready") {
                // A server whose log is not read would block.
                thread::spawn(move || log.read_to_end(&mut Vec::new()));
                return true;
            }
            line.clear();
        }
        self.stop();
        false
    }

    /// Ends the server at once, as a crash does.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Sends a signal to the server, such as `-STOP` and `-CONT`.
    pub fn signal(&self, signal: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// The address of the server.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The address of the server with TLS, with the user and the password.
    pub fn tls_url(&self) -> String {
        format!("tls://tests:{PASSWORD}@127.0.0.1:{}", self.port)
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.stop();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Free ports outside the range of outgoing connections: a client that connects to a stopped server again and again would
/// otherwise connect to itself some day.
fn free_ports() -> impl Iterator<Item = u16> {
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 8_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Concurrent test processes start at different ports.
    let first = std::process::id().wrapping_mul(101);
    let ports = (0..COUNT).map(move |_| {
        let next = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        (FIRST + next % COUNT) as u16
    });
    ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
}
