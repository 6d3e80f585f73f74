//! The system calls of a move, counted in a run of its own, because counting slows a server down.
//!
//! `perf` counts in the kernel and changes little. strace stops a thread at each call, which changes the order of threads:
//! then fewer writes share a commit.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::opened_rooms::OpenedRooms;
use super::{CompareSettings, ServerKind};
use crate::closed_loop_rooms::PlayingRooms;
use crate::server::{Program, Server};
use crate::{Failure, process};

/// The time limit for a counter to begin and to end.
const COUNTER_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval of the checks whether a counter has begun, or the last move has been received.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The most seconds of play.
const MAX_SECONDS: f64 = 5.0;
/// The tracepoint at the beginning of each system call.
const TRACEPOINT: &str = "raw_syscalls:sys_enter";

/// The system calls of a server in a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SystemCalls {
    pub(super) server: ServerKind,
    pub(super) counter: Counter,
    pub(super) moves: usize,
    /// The calls of all threads between the start of the game and the last move.
    pub(super) calls: u64,
}

/// A program that counts system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Counter {
    Perf,
    Strace,
}

/// Counts the system calls of a server while all rooms play, with perf or else with strace. `None` if both are missing or may
/// not trace.
pub(super) async fn measure(
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Option<SystemCalls>, Failure> {
    for counter in [Counter::Perf, Counter::Strace] {
        let calls = count(counter, kind, program, settings).await?;
        if calls.is_some() {
            return Ok(calls);
        }
    }
    Ok(None)
}

async fn count(
    counter: Counter,
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Option<SystemCalls>, Failure> {
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let pid = server.pid()?;
    let rooms = OpenedRooms::open(kind, &server, settings.rooms, settings.rng(0)).await?;
    let output = server.file("system-calls");
    let Some(child) = counter.attach(pid, &output).await? else {
        return Ok(None);
    };

    let mut rooms = rooms.play();
    sleep(Duration::from_secs_f64(settings.seconds.min(MAX_SECONDS))).await;
    rooms.stop_moves();
    let moves = count_moves(&mut rooms).await?;
    detach(child).await?;
    let output = std::fs::read_to_string(output).unwrap_or_default();
    let calls = counter.total(&output);
    let calls = calls.ok_or_else(|| Failure::Aborted(format!("{counter:?} printed no count.")))?;
    Ok(Some(SystemCalls {
        server: kind,
        counter,
        moves,
        calls,
    }))
}

/// The moves of rooms, until no more are received.
async fn count_moves(rooms: &mut PlayingRooms) -> Result<usize, Failure> {
    let mut moves = 0;
    loop {
        sleep(POLL_INTERVAL).await;
        let counts = rooms.take_counts()?;
        let new: usize = counts.iter().map(|room| room.latencies.len()).sum();
        if new == 0 {
            return Ok(moves);
        }
        moves += new;
    }
}

impl Counter {
    /// The name in reports.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Strace => "strace",
        }
    }

    fn command(self, pid: u32, output: &Path) -> Command {
        let mut command = Command::new(self.name());
        match self {
            // Without `--no-inherit` it also counts the threads that start later.
            Self::Perf => command.args(["stat", "-x", ",", "-e", TRACEPOINT]),
            Self::Strace => command.args(["-c", "-U", "calls,name", "-f", "-qq"]),
        };
        command.args(["-p", &pid.to_string(), "-o"]).arg(output);
        command
    }

    /// Starts the counter, and waits until it counts for all threads of a process; `None` if it cannot.
    async fn attach(self, pid: u32, output: &Path) -> Result<Option<Child>, Failure> {
        let mut command = self.command(pid, output);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let Ok(mut child) = command.spawn() else {
            return Ok(None);
        };
        let begin = Instant::now();
        while begin.elapsed() < COUNTER_TIMEOUT {
            sleep(POLL_INTERVAL).await;
            let Some(counter) = child.id().filter(|_| matches!(child.try_wait(), Ok(None))) else {
                return Ok(None);
            };
            let is_attached = match self {
                Self::Perf => {
                    process::perf_events(counter).unwrap_or(0) >= process::thread_count(pid)?
                }
                Self::Strace => process::is_traced(pid)?,
            };
            if is_attached {
                // perf enables its counters after it has opened all of them.
                sleep(POLL_INTERVAL).await;
                return Ok(Some(child));
            }
        }
        Ok(None)
    }

    /// The number of calls in the output.
    fn total(self, output: &str) -> Option<u64> {
        let mut lines = output.lines().rev();
        match self {
            // The columns are the count, its unit, the event, the time, and the percentage of the time
            // for which it was counted: less than 100 if counters were multiplexed.
            Self::Perf => {
                let line = lines.find(|line| line.contains(TRACEPOINT))?;
                let columns: Vec<_> = line.split(',').collect();
                match columns[..] {
                    [count, _, _, _, "100.00", ..] => count.parse().ok(),
                    _ => None,
                }
            }
            // The last line of a summary with the columns `calls` and `syscall`.
            Self::Strace => {
                let words = lines.find_map(|line| line.trim_end().strip_suffix(" total"));
                words?.trim().parse().ok()
            }
        }
    }
}

/// Ends a counter; the process that it observes runs on. The counter writes its output before it ends.
async fn detach(mut counter: Child) -> Result<(), Failure> {
    let failed = || Failure::Aborted("The counter of system calls does not end.".into());
    let pid = counter
        .id()
        .and_then(|pid| Pid::from_raw(pid.cast_signed()));
    kill_process(pid.ok_or_else(failed)?, Signal::INT).map_err(|_| failed())?;
    let ended = timeout(COUNTER_TIMEOUT, counter.wait()).await;
    ended.map_err(|_| failed())?.map_err(|_| failed())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_strace_ends_with_the_total() {
        let summary = "    calls syscall\n--------- ----------------\n       20 sendto\n        \
                       3 epoll_wait\n--------- ----------------\n       23 total\n";
        assert_eq!(Counter::Strace.total(summary), Some(23));
        assert_eq!(Counter::Strace.total("    calls syscall\n"), None);
    }

    #[test]
    fn a_multiplexed_count_of_perf_is_rejected() {
        let output = "# started on Thu Nov 26\n\n144,,raw_syscalls:sys_enter,1863013,100.00,,\n";
        assert_eq!(Counter::Perf.total(output), Some(144));
        let part = "144,,raw_syscalls:sys_enter,1863013,50.00,,\n";
        assert_eq!(Counter::Perf.total(part), None);
        let none = "<not counted>,,raw_syscalls:sys_enter,0,100.00,,\n";
        assert_eq!(Counter::Perf.total(none), None);
    }
}
