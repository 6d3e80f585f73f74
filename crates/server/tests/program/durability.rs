//! A move is synchronised to the disk before it is acknowledged, as the system calls show.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::common::folder::Folder;
use crate::common::skip;
use crate::disk_failures::{NAMES, limit_files, room_in_play, unsaved, wait_for_readiness};
use crate::player::{Player, join_all};
use crate::process::{FAST_CLIENTS, TIMEOUT, command, free_port, start_command};

/// The system calls that write to the log, synchronise it, and send messages.
const TRACED: &str = "trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync";

/// The system calls of a program, as strace records them.
struct Trace {
    _folder: Folder,
    file: PathBuf,
}

/// A system call: the numbers of its first and last lines, and its first line.
struct Call {
    begins: usize,
    ends: usize,
    text: String,
}

impl Trace {
    /// A file for the calls; `None` with a report if strace does not work.
    fn new() -> Option<Self> {
        let folder = Folder::create();
        let file = folder.path().join("calls");
        let trace = Self {
            _folder: folder,
            file,
        };
        let mut tried = Command::new("true");
        tried.stdout(Stdio::null());
        let reason = match trace.of(&tried).output() {
            Ok(output) if output.status.success() && !trace.lines().is_empty() => {
                return Some(trace);
            }
            Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            Err(error) => error.to_string(),
        };
        skip(&format!(
            "system calls cannot be traced with strace: {reason}"
        ));
        None
    }

    /// This command under strace. Its process is a child of the test.
    fn of(&self, command: &Command) -> Command {
        let mut traced = Command::new("strace");
        let variables = command.get_envs();
        traced.envs(variables.filter_map(|(name, value)| Some((name, value?))));
        traced
            .args([
                "-D",
                "-f",
                "-q",
                "-y",
                "-s",
                "20000",
                "-e",
                TRACED,
                "-e",
                "signal=none",
            ])
            .arg("-o")
            .arg(&self.file)
            .arg(command.get_program())
            .args(command.get_args())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        traced
    }

    /// The recorded lines, after the program has ended.
    fn lines(&self) -> Vec<String> {
        let started = Instant::now();
        loop {
            let text = fs::read(&self.file).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let is_whole = text
                .lines()
                .last()
                .is_some_and(|line| line.contains("+++ exited"));
            if is_whole || started.elapsed() > TIMEOUT {
                return text.lines().map(str::to_owned).collect();
            }
            std::thread::yield_now();
        }
    }
}

/// Joins the two lines of each call that was interrupted by others.
fn calls(lines: &[String]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut unfinished = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let (thread, text) = line.split_once(' ').unwrap();
        if text.trim_start().starts_with("<... ") {
            if let Some(call) = unfinished.remove(thread) {
                let call: &mut Call = &mut calls[call];
                call.ends = at;
            }
            continue;
        }
        if text.ends_with("<unfinished ...>") {
            unfinished.insert(thread, calls.len());
        }
        calls.push(Call {
            begins: at,
            ends: at,
            text: text.trim_start().to_owned(),
        });
    }
    calls
}

/// Asserts that the message with this id was written to the log, then the log was synchronised, and
/// then the message was acknowledged.
#[track_caller]
fn assert_synchronised_before_acknowledged(calls: &[Call], id: &str) {
    let is_of_log = |call: &&Call| call.text.contains("sticheln.db-wal>");
    let is_sync =
        |call: &&Call| call.text.starts_with("fdatasync(") || call.text.starts_with("fsync(");
    let written = calls
        .iter()
        .filter(is_of_log)
        .find(|call| call.text.starts_with("pwrite") && call.text.contains(id));
    let written = written.unwrap_or_else(|| panic!("{id} was not written to the log"));
    let answer = format!(r#"{{\"type\":\"ok\",\"id\":\"{id}\"}}"#);
    let sent = calls.iter().find(|call| call.text.contains(&answer));
    let sent = sent.unwrap_or_else(|| panic!("{id} was not acknowledged"));
    let synchronised = calls
        .iter()
        .filter(is_of_log)
        .find(|call| is_sync(call) && call.begins > written.ends);
    let synchronised =
        synchronised.unwrap_or_else(|| panic!("the log was not synchronised after {id}"));
    assert!(
        synchronised.ends < sent.begins,
        "{id}: written on line {}, synchronised on line {}, acknowledged on line {}",
        written.begins,
        synchronised.ends,
        sent.begins
    );
}

/// Makes moves with ids of this prefix. Returns the ids.
async fn moves(players: &mut [Player], count: usize, prefix: &str) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        for player in players.iter_mut() {
            if let Some(action) = player.legal().await.unwrap() {
                let id = format!("{prefix}-{}", ids.len());
                let act = json!({"type": "act", "action": action});
                assert_eq!(player.request_with_id(&id, act).await.unwrap(), "ok");
                ids.push(id);
            }
        }
    }
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moves_are_synchronized_before_they_are_acknowledged() {
    let Some(trace) = Trace::new() else {
        return;
    };
    let folder = Folder::new();
    let port = free_port();
    let mut command = command(&folder, port);
    command.args(FAST_CLIENTS);
    let program = start_command(trace.of(&command), port);
    let (room, mut players) = room_in_play(port, NAMES).await;
    let mut ids = moves(&mut players, 5, "durable").await;

    // The writer reopens its connection after a failure.
    limit_files(&program, Some(0));
    let ready = json!({"type": "ready", "ready": true});
    assert_eq!(players[0].request(ready).await, Err(unsaved()));
    limit_files(&program, None);
    wait_for_readiness(port, |answer| answer == "ready");
    let mut players = join_all(port, &room, NAMES).await;
    ids.extend(moves(&mut players, 5, "reopened").await);
    let (status, _) = program.stop("-TERM");
    assert!(status.success());

    let lines = trace.lines();
    let calls = calls(&lines);
    for id in &ids {
        assert_synchronised_before_acknowledged(&calls, id);
    }
}
