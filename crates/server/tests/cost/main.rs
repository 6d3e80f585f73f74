//! The cost of a move, counted instead of timed: instructions by valgrind, system calls by strace.
//!
//! The counts do not depend on the speed of the machine. Its load changes only the calls by which threads wait and wake
//! each other: on a busy machine there are up to 12 % more of them. All other counts change by less than 2 %.
//! `crates/server/cost.json` has the recorded numbers; `docs/performance.md` says how to read and to record them.
#![allow(clippy::unwrap_used)]

mod calls;
mod instructions;
mod measurement;
mod players;
mod record;
mod room;
mod sockets;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use mimalloc::MiMalloc;

/// The allocator of the program, as its instructions are counted too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[test]
fn a_move_costs_no_more_instructions_than_recorded() {
    match instructions::gauge() {
        Ok(gauge) => record::compare("instructions", &gauge),
        Err(reason) => skip("instructions", &reason),
    }
}

#[test]
fn a_move_costs_no_more_system_calls_than_recorded() {
    match calls::gauge() {
        Ok(gauge) => record::compare("system_calls", &gauge),
        Err(reason) => skip("system calls", &reason),
    }
}

/// Says that something was not counted.
fn skip(what: &str, reason: &str) {
    say(&format!("skipped: the {what} of a move: {reason}"));
}

/// Prints a line, also of a test that passes: `print!` shows the output of failed tests alone. The line before it may be the
/// unfinished one with the name of the test.
fn say(line: &str) {
    let mut stdout = io::stdout();
    writeln!(stdout, "\n{line}").unwrap();
}

/// What keeps a tool from being used: it is run with these words.
fn missing(tool: &str, words: &[&str]) -> Option<String> {
    match Command::new(tool).args(words).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().next().unwrap_or("it fails");
            Some(format!("{tool} does not work here ({line})"))
        }
        Err(error) => Some(format!("{tool} cannot be started ({error})")),
    }
}

/// Binds this thread, and the processes that it starts, to one core: threads that share a core wake each other in
/// nearly the same order each time. Otherwise why this cannot be done.
fn share_one_core() -> Result<(), String> {
    let unknown = || "the system does not say on which cores a thread may run".to_owned();
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let field = |name: &str| {
        let value = status.lines().find_map(|line| line.strip_prefix(name));
        value.map(str::trim).ok_or_else(unknown)
    };
    let cores = field("Cpus_allowed_list:")?;
    let core = cores.split([',', '-']).next().unwrap_or(cores);
    match missing("taskset", &["-cp", core, field("Pid:")?]) {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}

/// A folder for one run, removed when the value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cost-{}-{count}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // A run that was killed may have left one of the same name.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays lies below `target`.
        let _ = fs::remove_dir_all(&self.0);
    }
}
