//! System calls of a move: strace records those of a server while one client plays all seats.
//!
//! Each message is sent after the previous one was answered and shown to all. So the server never
//! groups two messages in a commit, and timing makes no difference. The server and the client share
//! one core, because the number of threads and of wake-ups depends on the number of cores.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use crate::common::folder::Folder;
use crate::measurement::{MESSAGES, MOVES, MOVES_BEFORE, MOVES_COUNTED};
use crate::players::Players;
use crate::sockets::{Sockets, send_request};
use crate::{missing, share_one_core};

/// The calls by which threads wait and wake each other. Their number also depends on the order of
/// threads, and so on the load of the machine.
const WAKING: [&str; 5] = ["epoll_pwait", "epoll_wait", "futex", "sched_yield", "write"];
/// A call with a smaller number per move is not listed by its name.
const MIN_LISTED: f64 = 0.1;
/// The HTTP requests before the first and after the last counted move, which mark them in the log.
/// The server has neither path.
const MARKS: [&str; 2] = ["GET /begin", "GET /end"];

/// The system calls of a move: `all`, those for `waking`, the others as `work` and by name.
///
/// # Errors
/// The reason why they cannot be counted.
pub fn count_per_move() -> Result<BTreeMap<String, f64>, String> {
    if let Some(reason) = missing("strace", &["-f", "-o", "/dev/null", "true"]) {
        return Err(reason);
    }
    share_one_core()?;
    let folder = Folder::create();
    let log = folder.path().join("calls");
    let server = Traced::start(&folder);
    let mut sockets = Sockets::open(server.address);
    let mut players = Players::default();
    for (moves, mark) in [MOVES_BEFORE, MOVES].into_iter().zip(MARKS) {
        while players.moves() < moves {
            let line = players.next();
            for (seat, text) in sockets.send(&line) {
                players.receive(seat, &text);
            }
        }
        send_request(server.address, mark, "");
    }
    server.stop();
    let counts = count(&fs::read_to_string(log).unwrap());
    let is_waking = |name: &str| WAKING.contains(&name);
    let sum = |is_counted: &dyn Fn(&str) -> bool| -> usize {
        let counted = counts.iter().filter(|(name, _)| is_counted(name));
        counted.map(|(_, count)| count).sum()
    };
    let sums = [
        ("all", sum(&|_| true)),
        ("waking", sum(&is_waking)),
        ("work", sum(&|name| !is_waking(name))),
    ];
    let names = counts.iter().map(|(name, count)| (name.as_str(), *count));
    let names = names.filter(|(name, _)| !is_waking(name));
    let all = names.chain(sums);
    let per_move = all.map(|(name, count)| (name.to_owned(), count as f64 / MOVES_COUNTED as f64));
    Ok(per_move.filter(|(_, count)| *count >= MIN_LISTED).collect())
}

/// The number of each call between the marks in a log of strace.
fn count(log: &str) -> BTreeMap<String, usize> {
    let begin = format!("\"{}", MARKS[0]);
    let end = format!("\"{}", MARKS[1]);
    let (first, last) = (log.find(&begin), log.find(&end));
    assert!(
        first.is_some() && first < last,
        "the marks are not in the log of strace"
    );
    let lines = log.lines().skip_while(|line| !line.contains(&begin));
    let lines = lines.take_while(|line| !line.contains(&end));
    let mut counts = BTreeMap::new();
    for line in lines {
        // A line is the thread, spaces and the call. A resumed call has an earlier line.
        let call = line
            .split_once(' ')
            .map_or("", |(_, call)| call.trim_start());
        if let Some((name, _)) = call.split_once('(')
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// A server under strace, which is killed when the value is dropped.
struct Traced {
    strace: Child,
    /// The process of the server itself, which strace would leave running.
    pid: String,
    address: SocketAddr,
}

impl Traced {
    fn start(folder: &Folder) -> Self {
        let messages = MESSAGES.to_string();
        let mut strace = Command::new("strace")
            .args(["-f", "-qq", "-s", "16", "-o"])
            .arg(folder.path().join("calls"))
            // The shell prints its process id, and is then replaced by the server.
            .args(["sh", "-c", "echo $$; exec \"$@\"", "sh"])
            .arg(env!("CARGO_BIN_EXE_sticheln"))
            .args(["--host", "127.0.0.1", "--port", "0", "--data-folder"])
            .arg(folder.path().join("data"))
            .args(["--messages-per-second", &messages])
            .args(["--message-burst", &messages])
            .args(["--max-data-mib", "1000000"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(strace.stdout.take().unwrap()).lines();
        let pid = lines.next().unwrap().unwrap();
        // The first line with an address has the port. The line about Ctrl-C is the last.
        let mut output = lines.map_while(Result::ok);
        let mut output = output.by_ref().take_while(|line| !line.contains("Ctrl-C"));
        let address = output.find_map(|line| {
            let (_, url) = line.split_once("http://")?;
            url.trim_end_matches('/').parse().ok()
        });
        Self {
            strace,
            pid,
            address: address.expect("the server prints its address"),
        }
    }

    /// Stops the server, so that strace writes its whole log.
    fn stop(mut self) {
        self.signal("-TERM");
        assert!(self.strace.wait().unwrap().success());
    }

    fn signal(&self, signal: &str) {
        let _ = Command::new("kill").args([signal, &self.pid]).status();
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        if matches!(self.strace.try_wait(), Ok(None)) {
            self.signal("-KILL");
            let _ = self.strace.wait();
        }
    }
}
