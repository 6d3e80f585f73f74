//! The program as a child process.

use std::io::{BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

use crate::common::folder::Folder;
use crate::common::http::{self, Reply};

/// The longest wait for the program.
pub const TIMEOUT: Duration = Duration::from_secs(20);
/// The path of the program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_sticheln");
/// A setting for clients that are faster than people.
pub const FAST_CLIENTS: [&str; 4] = [
    "--message-burst",
    "100000",
    "--written-mib-per-hour",
    "4000",
];

/// A running program, which is killed when the value is dropped.
pub struct Program {
    pub child: Child,
    pub port: u16,
    /// The lines that it has printed before it was ready.
    pub output: Vec<String>,
    /// Reads the log, because a program whose log is not read would block.
    log: Option<JoinHandle<String>>,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A free port, outside the range that the system uses for outgoing connections.
pub fn free_port() -> u16 {
    const FIRST: u32 = 12_000;
    const COUNT: u32 = 8_000;
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    // Concurrent test runs start at different ports.
    let first = std::process::id().wrapping_mul(101);
    let mut ports = (0..COUNT).map(|_| {
        let next = first.wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        (FIRST + next % COUNT) as u16
    });
    let free = ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.expect("some port is free")
}

/// The command of a server with this data folder and port.
pub fn command(folder: &Folder, port: u16) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["--port", &port.to_string(), "--data-folder"]);
    command.arg(folder.path());
    // The disks of some tests are small, and that of the machine may be nearly full.
    command.env("STICHELN_MAX_DATA_MIB", "1000000");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Starts a server on a free port, and waits until it is ready.
pub fn start(folder: &Folder, arguments: &[&str]) -> Program {
    let port = free_port();
    let mut command = command(folder, port);
    command.args(arguments);
    start_command(command, port)
}

/// Starts a command of a server, and waits until it is ready.
pub fn start_command(mut command: Command, port: u16) -> Program {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut output = Vec::new();
    while let Some(line) = lines.next().transpose().unwrap() {
        let is_last = line.contains("Ctrl-C") || line.contains("127.0.0.1");
        output.push(line);
        if is_last {
            break;
        }
    }
    let mut stderr = child.stderr.take().unwrap();
    let log = thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        log
    });
    Program {
        child,
        port,
        output,
        log: Some(log),
    }
}

impl Program {
    /// Sends a signal, and waits for the end. Returns the status and the log.
    pub fn stop(mut self, signal: &str) -> (ExitStatus, String) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        let status = self.child.wait().unwrap();
        (status, self.log.take().unwrap().join().unwrap())
    }
}

/// Runs a server that cannot start. Returns its error, which must be one sentence.
pub fn startup_error(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.trim_end().ends_with('.'), "{error}");
    error
}

/// Sends a request to the server on this port.
pub fn send_request(port: u16, request: &str, body: &str) -> Reply {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    http::send_request(address, request, body, TIMEOUT)
}

/// Opens a room. Returns its code.
pub fn open_room(port: u16, body: &Value) -> String {
    let reply = send_request(port, "POST /api/rooms", &body.to_string());
    let code = reply.json()["room"].as_str().map(str::to_owned);
    code.unwrap_or_else(|| panic!("{reply:?}"))
}
