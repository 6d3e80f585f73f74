//! Whether a move is on the disk before it is acknowledged, as the system calls of the program show.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::disk_failures::{NAMES, all_come, limit_files, table, unsaved, wait_for_readiness};
use crate::table::{HASTY, Person};
use crate::{Folder, PATIENCE, command, free_port, skip, wait_for};

/// The system calls that write to the log, make it safe, and send.
const TRACED: &str = "trace=pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync";

/// The system calls of a program, as strace writes them down.
struct Trace {
    _folder: Folder,
    file: PathBuf,
}

/// A system call: the lines on which it begins and ends, and the first of them.
struct Call {
    begins: usize,
    ends: usize,
    text: String,
}

impl Trace {
    /// A place for the calls; `None` where strace cannot be used, which is reported.
    fn new() -> Option<Self> {
        let folder = Folder::new();
        fs::create_dir(&folder.0).unwrap();
        let file = folder.0.join("calls");
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

    /// This command, whose calls are written down: its process stays a child of the test.
    fn of(&self, command: &Command) -> Command {
        let mut traced = Command::new("strace");
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

    /// What is written down, once the program has ended.
    fn lines(&self) -> Vec<String> {
        let began = Instant::now();
        loop {
            let text = fs::read(&self.file).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            let is_whole = text
                .lines()
                .last()
                .is_some_and(|line| line.contains("+++ exited"));
            if is_whole || began.elapsed() > PATIENCE {
                return text.lines().map(str::to_owned).collect();
            }
            std::thread::yield_now();
        }
    }
}

/// Puts the two lines of a call together that was interrupted by others.
fn calls(lines: &[String]) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut under_way = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let (thread, text) = line.split_once(' ').unwrap();
        if text.trim_start().starts_with("<... ") {
            if let Some(call) = under_way.remove(thread) {
                let call: &mut Call = &mut calls[call];
                call.ends = at;
            }
            continue;
        }
        if text.ends_with("<unfinished ...>") {
            under_way.insert(thread, calls.len());
        }
        calls.push(Call {
            begins: at,
            ends: at,
            text: text.trim_start().to_owned(),
        });
    }
    calls
}

/// The message with this id was written to the log, the log was made safe, and only then the message
/// was acknowledged.
#[track_caller]
fn is_safe_before_acknowledged(calls: &[Call], id: &str) {
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
    let safe = calls
        .iter()
        .filter(is_of_log)
        .find(|call| is_sync(call) && call.begins > written.ends);
    let safe = safe.unwrap_or_else(|| panic!("the log was not synchronized after {id}"));
    assert!(
        safe.ends < sent.begins,
        "{id}: written on line {}, safe on line {}, acknowledged on line {}",
        written.begins,
        safe.ends,
        sent.begins
    );
}

/// People at a table make moves with ids that begin like this; the ids.
async fn moves(people: &mut [Person], count: usize, prefix: &str) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        for person in people.iter_mut() {
            if let Some(action) = person.legal().await.unwrap() {
                let id = format!("{prefix}-{}", ids.len());
                let act = json!({"type": "act", "action": action});
                assert_eq!(person.say_as(&id, act).await.unwrap(), "ok");
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
    command.args(HASTY);
    let program = wait_for(trace.of(&command), port);
    let (room, mut people) = table(port, NAMES).await;
    let mut ids = moves(&mut people, 5, "durable").await;

    // The connection that writes is opened anew after a failure.
    limit_files(&program, Some(0));
    let ready = json!({"type": "ready", "ready": true});
    assert_eq!(people[0].say(ready).await, Err(unsaved()));
    limit_files(&program, None);
    wait_for_readiness(port, |answer| answer == "ready");
    let mut people = all_come(port, &room, NAMES).await;
    ids.extend(moves(&mut people, 5, "reopened").await);
    let (status, _) = program.end("-TERM");
    assert!(status.success());

    let lines = trace.lines();
    let calls = calls(&lines);
    for id in &ids {
        is_safe_before_acknowledged(&calls, id);
    }
}
