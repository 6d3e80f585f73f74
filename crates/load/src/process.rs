//! What the system tells of processes and processors.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Failure;

/// A tick of the clock by which the system counts the time of processes: 100 in a second, on
/// every Linux (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);
/// A page of memory, in KiB, on every machine this is measured on.
const PAGE: u64 = 4;

/// How much memory a process has for itself, in KiB: what neither a file backs nor others share.
pub(crate) fn memory(pid: u32) -> Result<u64, Failure> {
    let status = read(pid, "status")?;
    number(&status, "RssAnon:").ok_or_else(|| unreadable(pid, "status"))
}

/// How much memory a process is in, in KiB: with the pages of its program and of files that it has
/// used.
pub(crate) fn resident(pid: u32) -> Result<u64, Failure> {
    let status = read(pid, "status")?;
    number(&status, "VmRSS:").ok_or_else(|| unreadable(pid, "status"))
}

/// How much memory the system uses for what lies in TCP sockets, of both ends and of all processes, in KiB.
pub(crate) fn in_sockets() -> Result<u64, Failure> {
    let path = "/proc/net/sockstat";
    let sockets = fs::read_to_string(path).unwrap_or_default();
    let pages = pages(&sockets);
    pages
        .map(|pages| pages * PAGE)
        .ok_or_else(|| Failure::Trouble(format!("{path} cannot be read.")))
}

/// How many bytes a process has caused to be written to disk.
pub(crate) fn written(pid: u32) -> Result<u64, Failure> {
    let io = read(pid, "io")?;
    number(&io, "write_bytes:").ok_or_else(|| unreadable(pid, "io"))
}

/// How long a process has kept a core busy, to the tick.
pub(crate) fn busy(pid: u32) -> Result<Duration, Failure> {
    let stat = read(pid, "stat")?;
    let ticks = ticks(&stat).ok_or_else(|| unreadable(pid, "stat"))?;
    Ok(TICK * ticks)
}

/// Lets all threads of a process run on this core only.
pub(crate) fn pin(pid: u32, core: usize) -> Result<(), Failure> {
    let status = Command::new("taskset")
        .args(["-acp", &core.to_string(), &pid.to_string()])
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) | Err(_) => Err(Failure::Trouble(format!(
            "`taskset` cannot bind a process to core {core}."
        ))),
    }
}

/// What the processor calls itself, and how many cores there are.
pub(crate) fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = field("model name").unwrap_or_else(|| "unknown processor".into());
    let processors = info.lines().filter(|line| line.starts_with("processor\t"));
    let cores = processors.count();
    let part = |name: &str, word: &str| {
        field(name).map_or(String::new(), |value| format!(", {word} {value}"))
    };
    let (family, model) = (part("cpu family", "family"), part("model\t", "model"));
    let speed = part("cpu MHz", "MHz");
    format!("{name}{family}{model}{speed}, {cores} cores")
}

fn read(pid: u32, file: &str) -> Result<String, Failure> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).map_err(|_| unreadable(pid, file))
}

fn unreadable(pid: u32, file: &str) -> Failure {
    Failure::Trouble(format!("/proc/{pid}/{file} cannot be read."))
}

/// The number after this word at the start of a line.
fn number(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The pages that TCP has in use.
fn pages(sockstat: &str) -> Option<u64> {
    let line = sockstat
        .lines()
        .find_map(|line| line.strip_prefix("TCP:"))?;
    let (_, mem) = line.split_once(" mem ")?;
    mem.split_whitespace().next()?.parse().ok()
}

/// The ticks in user and in system mode of a line of `stat`.
fn ticks(stat: &str) -> Option<u32> {
    // The name of the program stands in parentheses and can hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_tells_is_read() {
        let status = "Name:\tsticheln\nRssAnon:\t    4312 kB\nRssFile:\t 9 kB\n";
        assert_eq!(number(status, "RssAnon:"), Some(4312));
        assert_eq!(number(status, "VmSwap:"), None);
        let stat = "17 (a) b)) S 1 17 17 0 -1 4194560 100 0 0 0 21 4 0 0 20 0 3 0 9000";
        assert_eq!(ticks(stat), Some(25));
        let sockstat =
            "sockets: used 92\nTCP: inuse 4 orphan 0 tw 1 alloc 6 mem 17\nUDP: inuse 0 mem 0\n";
        assert_eq!(pages(sockstat), Some(17));
    }

    #[test]
    fn a_process_has_memory_and_a_missing_one_has_none() {
        assert!(memory(std::process::id()).expect("it runs") > 0);
        assert!(memory(u32::MAX).is_err());
    }
}
