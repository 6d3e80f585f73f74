//! The cost of a move, counted instead of timed: instructions by valgrind, system calls by strace.
//!
//! The counts do not depend on the speed of the machine. Its load changes only the calls by which
//! threads wait and wake each other: on a busy machine there are up to 12 % more of them. All other
//! counts change by less than 2 %. `crates/server/cost.json` has the recorded numbers, and
//! `docs/performance.md` explains them.
#![allow(clippy::unwrap_used)]

mod calls;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod instructions;
mod measurement;
mod players;
mod record;
mod room;
mod sockets;

use std::fs;
use std::process::Command;

use mimalloc::MiMalloc;

use crate::common::skip;

/// The allocator of the program, whose instructions are counted too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[test]
fn a_move_costs_no_more_instructions_than_recorded() {
    match instructions::count_per_move() {
        Ok(counts) => record::compare(record::INSTRUCTIONS, &counts),
        Err(reason) => skip(&format!("the instructions of a move: {reason}")),
    }
}

#[test]
fn a_move_costs_no_more_system_calls_than_recorded() {
    match calls::count_per_move() {
        Ok(counts) => record::compare("system_calls", &counts),
        Err(reason) => skip(&format!("the system calls of a move: {reason}")),
    }
}

/// Runs a tool with these arguments. Returns the reason if it does not work.
fn missing(tool: &str, arguments: &[&str]) -> Option<String> {
    match Command::new(tool).args(arguments).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let line = errors.lines().next().unwrap_or("it fails");
            Some(format!("{tool} does not work here ({line})"))
        }
        Err(error) => Some(format!("{tool} cannot be started ({error})")),
    }
}

/// Binds this thread and its child processes to one core, on which threads wake each other in almost
/// the same order each time.
///
/// # Errors
/// The reason why this is impossible.
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
