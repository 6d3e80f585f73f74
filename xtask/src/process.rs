//! Kills processes together with their descendants.
//!
//! A process group would be simpler to kill, but Ctrl-C in the terminal would not reach it, and browsers have groups of
//! their own.

use std::fs;
use std::io;
use std::process::{self, Child, Command, Stdio, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{WaitOptions, getpid, set_child_subreaper, wait};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The maximum number of passes that list and kill descendants. Each pass finds those that were started during the one
/// before.
const PASSES: usize = 10;
/// A process that a signal has ended has this exit status plus the number of the signal.
const ENDED_BY_SIGNAL: i32 = 128;

/// The unit of CPU time in `/proc` (`USER_HZ`).
const TICKS_PER_SECOND: u64 = 100;

/// Whether a signal is ending this process.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends this process with all its descendants when it gets SIGHUP, SIGINT or SIGTERM.
///
/// # Errors
/// If the system refuses it.
pub fn end_descendants_on_signal() -> io::Result<()> {
    // A process whose parent has ended becomes a child of this one, so that it is found.
    set_child_subreaper(Some(getpid()))?;
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            IS_ENDING.store(true, Ordering::SeqCst);
            for _ in 0..PASSES {
                let descendants = descendants(process::id());
                if descendants.is_empty() {
                    break;
                }
                kill(&descendants);
            }
            exit(ENDED_BY_SIGNAL + signal);
        }
    });
    Ok(())
}

/// Parks the thread for ever if a signal is ending this process, so that it starts no new process.
pub fn park_if_ending() {
    while IS_ENDING.load(Ordering::SeqCst) {
        thread::park();
    }
}

/// Collects the exit statuses of processes whose parents ended before them, such as parts of browsers. Only then does
/// [`children_cpu_time`] include them. It must not run beside a [`Child`] whose status is still needed.
pub fn reap_orphans() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

/// The CPU time of all children that have ended and of their descendants. `None` on a system without `/proc`.
pub fn children_cpu_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program can contain spaces. The fields after it begin with the third one; the times of children in
    // user and kernel mode are the fields 16 and 17.
    let (_, fields) = stat.rsplit_once(") ")?;
    let times = fields.split(' ').skip(16 - 3).take(2);
    let ticks: u64 = times
        .map(|ticks| ticks.parse::<u64>().ok())
        .sum::<Option<_>>()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND))
}

/// Kills `child` and its descendants, and waits for `child`. If the system lacks `ps` or `sh`, only `child` is killed.
pub fn kill_tree(child: &mut Child) {
    let mut tree = descendants(child.id());
    tree.push(child.id());
    kill(&tree);
    let _ = child.kill();
    let _ = child.wait();
}

/// Kills these processes. One command kills all of them, so that none has time to start another.
fn kill(processes: &[u32]) {
    let processes = processes.iter().map(u32::to_string);
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -KILL \"$@\"", "kill"])
        .args(processes);
    // It is no error if a process has ended meanwhile.
    let _ = kill.stderr(Stdio::null()).status();
}

/// All processes that descend from `ancestor` and have not ended, without the one that lists them.
fn descendants(ancestor: u32) -> Vec<u32> {
    let mut ps = Command::new("ps");
    ps.args(["-A", "-o", "pid=,ppid=,stat="]);
    let Ok(ps) = ps.stdout(Stdio::piped()).spawn() else {
        return Vec::new();
    };
    let lister = ps.id();
    let list = ps.wait_with_output();
    let list = list.map(|output| output.stdout).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let pairs: Vec<(u32, u32)> = list
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_whitespace();
            let (id, parent) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            let has_ended = fields.next()?.starts_with('Z');
            (id != lister && !has_ended).then_some((id, parent))
        })
        .collect();

    let mut tree = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        let children = pairs.iter().filter(|(_, of)| *of == parent);
        tree.extend(children.map(|(id, _)| *id));
        next += 1;
    }
    tree.split_off(1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_time_of_a_child_counts_when_it_has_ended() {
        let before = children_cpu_time().unwrap();
        let script = "count=0; while [ $count -lt 300000 ]; do count=$((count + 1)); done";
        let status = Command::new("sh").args(["-c", script]).status();
        assert!(status.unwrap().success());
        assert!(children_cpu_time().unwrap() > before);
    }

    #[test]
    fn descendants_in_other_groups_are_killed() {
        let mut shell = Command::new("sh");
        let mut shell = shell
            .args(["-c", "setsid sleep 1000 & wait"])
            .spawn()
            .unwrap();
        let sleeper = loop {
            let found = descendants(shell.id());
            if let [sleeper] = found[..] {
                break sleeper;
            }
        };
        kill_tree(&mut shell);
        // A killed process ends soon, and is a zombie until its new parent asks for its status.
        let stat = || fs::read_to_string(format!("/proc/{sleeper}/stat"));
        while stat().is_ok_and(|stat| !stat.contains(") Z ")) {
            thread::yield_now();
        }
    }
}
