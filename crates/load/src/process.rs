//! Measurements of processes and processors that Linux provides.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, setrlimit};

use crate::Failure;

/// The core of the server, if programs are bound to cores.
pub(crate) const SERVER_CORE: usize = 0;
/// The core of the load generator, if programs are bound to cores.
pub(crate) const GENERATOR_CORE: usize = 1;
/// The unit in which Linux reports the CPU time of a process (`USER_HZ` is 100 on all platforms).
const TICK: Duration = Duration::from_millis(10);
/// The size of a page of memory, in KiB, on x86-64.
const PAGE_KIB: u64 = 4;

/// The private memory of a process, in KiB: neither backed by a file nor shared (`RssAnon`).
pub(crate) fn anonymous_memory(pid: u32) -> Result<u64, Failure> {
    let status = read(pid, "status")?;
    number(&status, "RssAnon:").ok_or_else(|| unreadable(pid, "status"))
}

/// The resident memory of a process, in KiB, with the pages of its program and of files (`VmRSS`).
pub(crate) fn resident_memory(pid: u32) -> Result<u64, Failure> {
    let status = read(pid, "status")?;
    number(&status, "VmRSS:").ok_or_else(|| unreadable(pid, "status"))
}

/// The memory for the buffers of all TCP sockets of the system, in KiB.
pub(crate) fn socket_memory() -> Result<u64, Failure> {
    let path = "/proc/net/sockstat";
    let sockets = fs::read_to_string(path).unwrap_or_default();
    let pages = tcp_pages(&sockets);
    pages
        .map(|pages| pages * PAGE_KIB)
        .ok_or_else(|| Failure::Aborted(format!("{path} cannot be read.")))
}

/// The bytes that a process has caused to be written to disk.
pub(crate) fn disk_bytes(pid: u32) -> Result<u64, Failure> {
    let io = read(pid, "io")?;
    number(&io, "write_bytes:").ok_or_else(|| unreadable(pid, "io"))
}

/// The CPU time that a process has used, to the tick.
pub(crate) fn cpu_time(pid: u32) -> Result<Duration, Failure> {
    let stat = read(pid, "stat")?;
    let ticks = ticks(&stat).ok_or_else(|| unreadable(pid, "stat"))?;
    Ok(TICK * ticks)
}

/// The CPU time that a process and its children have used, also those that have ended. Children of children do not count.
pub(crate) fn cpu_time_with_children(pid: u32) -> Result<Duration, Failure> {
    let own = read(pid, "stat")?;
    let own = ticks(&own).zip(ticks_of_ended_children(&own));
    let (own, ended) = own.ok_or_else(|| unreadable(pid, "stat"))?;
    let processes = fs::read_dir("/proc").map_err(|_| unreadable(pid, ".."))?;
    // A process that has ended since the folder was listed has no file. Then it is among those that have ended next time.
    let stats =
        processes.filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    let children = stats.filter(|stat| parent(stat) == Some(pid));
    let running: u32 = children.filter_map(|stat| ticks(&stat)).sum();
    Ok(TICK * (own + ended + running))
}

/// The CPU time that a server and the load generator use in an interval, user and system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuUsage {
    pub(crate) begin: Instant,
    pub(crate) end: Instant,
    pub(crate) server: Duration,
    /// The CPU time of the load generator.
    pub(crate) generator: Duration,
}

impl CpuUsage {
    /// The length of the interval in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.end.duration_since(self.begin).as_secs_f64()
    }

    /// Whether the interval contains this time.
    pub(crate) fn contains(&self, at: Instant) -> bool {
        self.begin <= at && at < self.end
    }

    /// The part of a core that the server used: 1 is a whole one.
    pub(crate) fn server_share(&self) -> f64 {
        self.server.as_secs_f64() / self.seconds()
    }

    /// The part of a core that the load generator used: 1 is a whole one.
    pub(crate) fn generator_share(&self) -> f64 {
        self.generator.as_secs_f64() / self.seconds()
    }
}

/// Measures CPU time from its creation on.
#[derive(Debug)]
pub(crate) struct CpuStopwatch {
    server_pid: u32,
    begin: Instant,
    server: Duration,
    generator: Duration,
}

impl CpuStopwatch {
    /// Begins to measure this server.
    pub(crate) fn start(server_pid: u32) -> Result<Self, Failure> {
        Ok(Self {
            server_pid,
            server: cpu_time(server_pid)?,
            generator: cpu_time(std::process::id())?,
            begin: Instant::now(),
        })
    }

    /// The CPU time since the creation.
    pub(crate) fn read(&self) -> Result<CpuUsage, Failure> {
        Ok(CpuUsage {
            begin: self.begin,
            end: Instant::now(),
            server: cpu_time(self.server_pid)?.saturating_sub(self.server),
            generator: cpu_time(std::process::id())?.saturating_sub(self.generator),
        })
    }
}

/// The number of files that a process has open, its sockets included.
pub(crate) fn open_files(pid: u32) -> Result<u64, Failure> {
    let folder = fs::read_dir(format!("/proc/{pid}/fd"));
    Ok(folder.map_err(|_| unreadable(pid, "fd"))?.count() as u64)
}

/// The limit of open files of a process.
pub(crate) fn file_limit(pid: u32) -> Result<u64, Failure> {
    let limits = read(pid, "limits")?;
    number(&limits, "Max open files").ok_or_else(|| unreadable(pid, "limits"))
}

/// Raises the limit of open files of this program to the maximum. Each socket is one.
///
/// # Errors
/// [`Failure::Aborted`] if the system refuses it.
pub fn raise_file_limit() -> Result<(), Failure> {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let limit = Rlimit {
        current: maximum,
        maximum,
    };
    let failed = |error| Failure::Aborted(format!("`ulimit -n` cannot be raised: {error}."));
    setrlimit(Resource::Nofile, limit).map_err(failed)
}

/// The memory of the system that programs can still use, in KiB (`MemAvailable`).
pub(crate) fn available_memory() -> Result<u64, Failure> {
    let path = "/proc/meminfo";
    let memory = fs::read_to_string(path).unwrap_or_default();
    let available = number(&memory, "MemAvailable:");
    available.ok_or_else(|| Failure::Aborted(format!("{path} cannot be read.")))
}

/// The context switches of all threads that a process has now, since they began.
pub(crate) fn context_switches(pid: u32) -> Result<u64, Failure> {
    const FIELDS: [&str; 2] = ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"];
    let switches = |status: &str| -> u64 {
        let numbers = FIELDS.iter().filter_map(|field| number(status, field));
        numbers.sum()
    };
    // A thread that has ended since the folder was listed has no status.
    let statuses = threads(pid)?;
    let statuses = statuses.filter_map(|thread| fs::read_to_string(thread.join("status")).ok());
    Ok(statuses.map(|status| switches(&status)).sum())
}

/// Whether another process traces all threads of a process.
pub(crate) fn is_traced(pid: u32) -> Result<bool, Failure> {
    let tracer = |thread: PathBuf| {
        let status = fs::read_to_string(thread.join("status")).unwrap_or_default();
        number(&status, "TracerPid:")
    };
    Ok(threads(pid)?.all(|thread| tracer(thread).is_none_or(|tracer| tracer > 0)))
}

/// The number of threads that a process has now.
pub(crate) fn thread_count(pid: u32) -> Result<usize, Failure> {
    Ok(threads(pid)?.count())
}

/// The number of counters of `perf_event_open` that a process has open.
pub(crate) fn perf_events(pid: u32) -> Result<usize, Failure> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).map_err(|_| unreadable(pid, "fd"))?;
    // A file that was closed since the folder was listed has no target.
    let targets = files.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    let is_counter = |target: &PathBuf| target.to_string_lossy().contains("[perf_event]");
    Ok(targets.filter(is_counter).count())
}

/// The folders of the threads of a process below `/proc`.
fn threads(pid: u32) -> Result<impl Iterator<Item = PathBuf>, Failure> {
    let folder = fs::read_dir(format!("/proc/{pid}/task"));
    let folder = folder.map_err(|_| unreadable(pid, "task"))?;
    Ok(folder.filter_map(|entry| Some(entry.ok()?.path())))
}

/// The command line of this program, with its name instead of its path.
pub(crate) fn command_line() -> String {
    let words = std::env::args().skip(1);
    let words: Vec<_> = std::iter::once("load".to_owned()).chain(words).collect();
    words.join(" ")
}

/// Binds all threads of a process to this core.
pub(crate) fn pin(pid: u32, core: usize) -> Result<(), Failure> {
    let status = Command::new("taskset")
        .args(["-acp", &core.to_string(), &pid.to_string()])
        .stdout(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) | Err(_) => Err(Failure::Aborted(format!(
            "`taskset` cannot bind a process to core {core}."
        ))),
    }
}

/// Sends a signal to a process.
///
/// # Errors
/// [`Failure::Aborted`] if there is no such process.
pub(crate) fn send_signal(pid: Option<u32>, signal: Signal) -> Result<(), Failure> {
    let pid = pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    let sent = pid.map(|pid| kill_process(pid, signal));
    match sent {
        Some(Ok(())) => Ok(()),
        Some(Err(_)) | None => Err(Failure::Aborted("A process has exited.".into())),
    }
}

/// The name of the processor, and the number of cores.
pub(crate) fn cpu_name() -> String {
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
    Failure::Aborted(format!("/proc/{pid}/{file} cannot be read."))
}

/// The number after this prefix of a line.
fn number(text: &str, prefix: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(prefix))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The pages that TCP uses.
fn tcp_pages(sockstat: &str) -> Option<u64> {
    let line = sockstat
        .lines()
        .find_map(|line| line.strip_prefix("TCP:"))?;
    let (_, mem) = line.split_once(" mem ")?;
    mem.split_whitespace().next()?.parse().ok()
}

/// The ticks in user and in system mode, from the content of `stat`.
fn ticks(stat: &str) -> Option<u32> {
    // The name of the program is in parentheses and can contain any character.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The ticks of the children that have ended and were waited for, from the content of `stat`.
fn ticks_of_ended_children(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(13);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The id of the process that has started this one, from the content of `stat`.
fn parent(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_proc_are_parsed() {
        let status = "Name:\tsticheln\nRssAnon:\t    4312 kB\nRssFile:\t 9 kB\n";
        assert_eq!(number(status, "RssAnon:"), Some(4312));
        assert_eq!(number(status, "VmSwap:"), None);
        let stat = "17 (a) b)) S 1 17 17 0 -1 4194560 100 0 0 0 21 4 6 2 20 0 3 0 9000";
        assert_eq!(ticks(stat), Some(25));
        assert_eq!(ticks_of_ended_children(stat), Some(8));
        assert_eq!(parent(stat), Some(1));
        let sockstat =
            "sockets: used 92\nTCP: inuse 4 orphan 0 tw 1 alloc 6 mem 17\nUDP: inuse 0 mem 0\n";
        assert_eq!(tcp_pages(sockstat), Some(17));
    }

    #[test]
    fn context_switches_grow_when_a_thread_waits() {
        let own = || context_switches(std::process::id()).expect("this process runs");
        let before = own();
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::sync_channel::<()>(0);
            scope.spawn(move || receiver.iter().for_each(drop));
            (0..100).for_each(|_| sender.send(()).expect("the thread receives"));
        });
        assert!(own() > before);
        assert!(context_switches(u32::MAX).is_err());
    }

    #[test]
    fn the_time_of_a_child_counts_while_it_runs_and_after_it_has_ended() {
        const EXPECTED: Duration = Duration::from_millis(50);
        let pid = std::process::id();
        let own = || cpu_time(pid).expect("this process runs");
        let all = || cpu_time_with_children(pid).expect("this process runs");
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; read line";
        let mut command = Command::new("sh");
        let child = command.args(["-c", busy]).stdin(Stdio::piped()).spawn();
        let mut child = child.expect("there is a shell");
        let deadline = Instant::now() + Duration::from_secs(60);
        while all().saturating_sub(own()) < EXPECTED {
            assert!(Instant::now() < deadline);
            std::thread::yield_now();
        }
        drop(child.stdin.take());
        child.wait().expect("the child ends");
        assert!(all() - own() >= EXPECTED);
    }

    #[test]
    fn the_memory_of_a_missing_process_is_an_error() {
        assert!(anonymous_memory(std::process::id()).expect("this process runs") > 0);
        assert!(anonymous_memory(u32::MAX).is_err());
    }
}
