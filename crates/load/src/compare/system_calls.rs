//! The system calls of a move, counted by strace in a run of its own: strace slows a server down.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::any_rooms::AnyRooms;
use super::{CompareSettings, ServerKind};
use crate::server::{Program, Server};
use crate::{Failure, process};

/// The time limit for strace to begin and to end.
const STRACE_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval of the checks whether strace has begun, or the last move has been seen.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The most seconds of play under strace.
const MAX_SECONDS: u64 = 5;

/// The system calls of a server in a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SystemCalls {
    pub(super) server: ServerKind,
    pub(super) moves: usize,
    /// The calls of all threads between the start of the game and the last move.
    pub(super) calls: u64,
}

/// Counts the system calls of a server while all rooms play; `None` if strace is missing or may not trace.
pub(super) async fn measure(
    kind: ServerKind,
    program: &Program,
    settings: &CompareSettings,
) -> Result<Option<SystemCalls>, Failure> {
    let server = Server::with_raised_limits(program, settings.core()).await?;
    let pid = server.pid()?;
    let rooms = AnyRooms::open(kind, &server, settings.rooms, settings.rng(0)).await?;
    let summary = server.file("strace");
    let Some(strace) = attach(pid, &summary).await? else {
        return Ok(None);
    };

    let mut rooms = rooms.play();
    sleep(Duration::from_secs(settings.seconds.min(MAX_SECONDS))).await;
    rooms.stop_moves();
    let mut moves = 0;
    loop {
        sleep(POLL_INTERVAL).await;
        let counts = rooms.take_counts()?;
        let new: usize = counts.iter().map(|room| room.moves.len()).sum();
        moves += new;
        if new == 0 {
            break;
        }
    }
    detach(strace).await?;
    let summary = std::fs::read_to_string(summary).unwrap_or_default();
    let calls = total(&summary);
    let calls = calls.ok_or_else(|| Failure::Aborted("strace printed no summary.".into()))?;
    Ok(Some(SystemCalls {
        server: kind,
        moves,
        calls,
    }))
}

/// Starts strace, and waits until it traces all threads of a process; `None` if it cannot.
async fn attach(pid: u32, summary: &Path) -> Result<Option<Child>, Failure> {
    let mut command = Command::new("strace");
    command
        .args(["-c", "-U", "calls,name", "-f", "-qq", "-o"])
        .arg(summary)
        .args(["-p", &pid.to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let Ok(mut strace) = command.spawn() else {
        return Ok(None);
    };
    let begin = Instant::now();
    while begin.elapsed() < STRACE_TIMEOUT {
        if !matches!(strace.try_wait(), Ok(None)) {
            return Ok(None);
        }
        if process::is_traced(pid)? {
            return Ok(Some(strace));
        }
        sleep(POLL_INTERVAL).await;
    }
    Ok(None)
}

/// Ends strace; the process that it traces runs on. strace writes its summary before it ends.
async fn detach(mut strace: Child) -> Result<(), Failure> {
    let failed = || Failure::Aborted("strace does not end.".into());
    let pid = strace.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    kill_process(pid.ok_or_else(failed)?, Signal::INT).map_err(|_| failed())?;
    let ended = timeout(STRACE_TIMEOUT, strace.wait()).await;
    ended.map_err(|_| failed())?.map_err(|_| failed())?;
    Ok(())
}

/// The calls in the last line of a summary with the columns `calls` and `syscall`.
fn total(summary: &str) -> Option<u64> {
    let mut lines = summary.lines().rev();
    let words = lines.find_map(|line| line.trim_end().strip_suffix(" total"));
    words?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_strace_ends_with_the_total() {
        let summary = "    calls syscall\n--------- ----------------\n       20 sendto\n        \
                       3 epoll_wait\n--------- ----------------\n       23 total\n";
        assert_eq!(total(summary), Some(23));
        assert_eq!(total("    calls syscall\n"), None);
    }
}
