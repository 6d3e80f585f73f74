//! Runs checks in parallel, the longest first. One more runs at a time than the machine has cores.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs::{self, File};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::STARTED_BY_RUN;
use crate::check::{Check, Kind, Resource, Results};
use crate::fingerprint::{Fingerprint, Toolchain};
use crate::junit::{self, JunitOutcome, TestResult};
use crate::process;
use crate::report::Report;
use crate::variables;

/// The interval at which the runner checks whether a command has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The number of simultaneous checks above the number of cores. Checks wait for bots and for the disk: with one check for
/// each core, a fifth of the CPU time was unused.
const EXTRA_SLOTS: usize = 1;
/// The time limit of a command in the usual run. On a loaded machine the longest one takes a quarter of it.
const TIME_LIMIT: Duration = Duration::from_secs(40 * 60);
/// The time limit of a file of tests in Node.js. The longest test has 15 minutes. With a limit below [`TIME_LIMIT`], Node.js
/// itself ends a file that hangs, and its results name the file.
const NODE_TIME_LIMIT: Duration = Duration::from_secs(30 * 60);
/// The prefix of the line by which a test says why it could not run on this machine.
const SKIPPED: &str = "skipped: ";

/// The profile of cargo-nextest for the usual run.
const USUAL_PROFILE: &str = "default";
/// The profile of cargo-nextest for a run with overrides. It has no time limit for tests.
const LONGER_PROFILE: &str = "longer";

/// The environment variables that the options of the command line set, such as `GAMES` by `--games`. Empty if there is
/// no such option.
pub type Overrides = Vec<(&'static str, String)>;

/// The folders in which checks work.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The workspace.
    pub root: PathBuf,
    /// Cargo's target directory.
    pub target: PathBuf,
    /// The files of the runner: outputs, results and durations.
    pub state_folder: PathBuf,
}

/// The checks of one run.
#[derive(Debug)]
pub struct Run<'a> {
    folders: &'a Folders,
    overrides: &'a Overrides,
    /// Whether checks are skipped that have passed with the same inputs.
    skips_unchanged: bool,
    durations: Durations,
    toolchain: Toolchain,
}

/// A check whose command is running.
struct Running {
    check: Check,
    child: Child,
    start: Instant,
    fingerprint: Option<Fingerprint>,
}

/// The result of a check.
#[derive(Debug)]
pub struct Finished {
    /// The check.
    pub check: Check,
    /// The duration.
    pub duration: Duration,
    /// The reason of the failure, in a sentence.
    pub failure: Option<String>,
    /// The single tests of the check.
    pub tests: Vec<TestResult>,
}

impl<'a> Run<'a> {
    /// A run in these folders.
    pub fn new(folders: &'a Folders, overrides: &'a Overrides, skips_unchanged: bool) -> Self {
        Self {
            folders,
            overrides,
            skips_unchanged,
            durations: Durations::read(&folders.state_folder),
            toolchain: Toolchain::installed(),
        }
    }

    /// Runs all checks, also after one has failed. A check is not run if one of its dependencies has failed.
    ///
    /// # Errors
    /// If the files of the runner cannot be written.
    pub fn run(mut self, checks: Vec<Check>, report: &mut Report) -> io::Result<()> {
        fs::create_dir_all(self.folders.state_folder.join("output"))?;
        fs::create_dir_all(self.folders.state_folder.join("junit"))?;
        fs::create_dir_all(temporary_folder(&self.folders.state_folder))?;
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let slots = cores + EXTRA_SLOTS;
        // A dependency that is not in this run counts as finished: `--only` leaves out a build that is current, and
        // `cargo xtask check` leaves out the build.
        let mut unfinished: BTreeSet<String> =
            checks.iter().map(|check| check.name.clone()).collect();
        // The checks that have failed or are not run, each with the failed check that caused it.
        let mut failed: BTreeMap<String, String> = BTreeMap::new();
        let mut waiting = checks;
        self.durations.sort(&mut waiting);
        let mut running: Vec<Running> = Vec::new();
        while !(waiting.is_empty() && running.is_empty()) {
            process::park_if_ending();
            let mut at = 0;
            while at < waiting.len() {
                let check = &waiting[at];
                let cause = check.depends_on.iter().find_map(|name| failed.get(*name));
                if let Some(cause) = cause.cloned() {
                    let check = waiting.remove(at);
                    report.not_run(&check, &cause);
                    failed.insert(check.name, cause);
                } else if is_ready(check, &unfinished, &checks_of(&running), slots) {
                    let check = waiting.remove(at);
                    match self.start(check, report)? {
                        Started::Running(started) => running.push(*started),
                        Started::Unchanged(name) => drop(unfinished.remove(&name)),
                        Started::Failed(finished) => {
                            record_failure(&mut failed, &finished.check);
                            report.finished(*finished);
                        }
                    }
                } else {
                    at += 1;
                }
            }
            let mut at = 0;
            while at < running.len() {
                let Some(status) = poll(&mut running[at], self.time_limit())? else {
                    at += 1;
                    continue;
                };
                // If a signal has killed the command, the check has not failed.
                process::park_if_ending();
                let ended = running.swap_remove(at);
                let fingerprint = ended.fingerprint.clone();
                let finished = self.read_results(ended, status);
                unfinished.remove(&finished.check.name);
                if finished.failure.is_some() {
                    record_failure(&mut failed, &finished.check);
                } else {
                    if let Some(fingerprint) = fingerprint {
                        fingerprint
                            .record_pass(&self.folders.state_folder, &finished.check.name)?;
                    }
                    self.durations.record(&finished);
                }
                report.finished(finished);
            }
            sleep(POLL_INTERVAL);
        }
        self.durations.write(&self.folders.state_folder)
    }

    /// The time limit of a command. A run with overrides has none.
    fn time_limit(&self) -> Option<Duration> {
        self.overrides.is_empty().then_some(TIME_LIMIT)
    }

    /// Starts the command of a check, unless the check has passed with the same inputs.
    fn start(&self, check: Check, report: &mut Report) -> io::Result<Started> {
        // A run with overrides may test less than the usual run.
        let fingerprint = match self.overrides.is_empty() {
            true => Fingerprint::of(&self.folders.root, &check, &self.toolchain),
            false => None,
        };
        if self.skips_unchanged
            && let Some(fingerprint) = &fingerprint
            && fingerprint.has_passed(&self.folders.state_folder, &check.name)
        {
            report.unchanged(&check);
            return Ok(Started::Unchanged(check.name));
        }
        Fingerprint::clear_pass(&self.folders.state_folder, &check.name)?;
        let results = results_file(self.folders, &check, self.overrides);
        if results.exists() {
            fs::remove_file(&results)?;
        }
        let output = File::create(output_file(&self.folders.state_folder, &check.name))?;
        let mut command = command(self.folders, &check, self.overrides);
        command.stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output);
        let start = Instant::now();
        match command.spawn() {
            Ok(child) => {
                report.started(&check);
                Ok(Started::Running(Box::new(Running {
                    check,
                    child,
                    start,
                    fingerprint,
                })))
            }
            Err(error) => {
                let program = command.get_program().display();
                let failure = format!("`{program}` cannot be started: {error}.");
                Ok(Started::Failed(Box::new(Finished {
                    tests: vec![TestResult {
                        name: check.name.clone(),
                        seconds: 0.0,
                        outcome: JunitOutcome::Failed,
                    }],
                    check,
                    duration: start.elapsed(),
                    failure: Some(failure),
                })))
            }
        }
    }

    /// Reads the results of a command that has ended.
    fn read_results(&self, ended: Running, status: Option<ExitStatus>) -> Finished {
        let Running { check, start, .. } = ended;
        let duration = start.elapsed();
        let failure = match status {
            Some(status) if status.success() => None,
            Some(status) => Some(format!("`{}` ended with {status}.", check.command)),
            None => Some(format!(
                "`{}` took longer than {} minutes and was killed.",
                check.command,
                TIME_LIMIT.as_secs() / 60
            )),
        };
        let (tests, failure) = self.single_tests(&check, duration, failure);
        Finished {
            check,
            duration,
            failure,
            tests,
        }
    }

    /// The single tests of a check, and why it failed.
    fn single_tests(
        &self,
        check: &Check,
        duration: Duration,
        failure: Option<String>,
    ) -> (Vec<TestResult>, Option<String>) {
        let as_single_test = |outcome| TestResult {
            name: check.name.clone(),
            seconds: duration.as_secs_f64(),
            outcome,
        };
        let file = results_file(self.folders, check, self.overrides);
        let has_no_file = match check.results {
            Results::ExitStatus | Results::Libtest => true,
            Results::NodeOrSkipped => failure.is_none() && !file.exists(),
            Results::Nextest | Results::Node => false,
        };
        if has_no_file {
            let (outcome, failure) = self.single_outcome(check, failure);
            return (vec![as_single_test(outcome)], failure);
        }
        match junit::read(&file) {
            Ok(mut tests) => {
                for test in &mut tests {
                    test.name = format!("{}: {}", check.name, test.name);
                }
                // A test runner can fail although all its tests have passed, and end with success although one has
                // failed.
                let has_failed = tests
                    .iter()
                    .any(|test| test.outcome == JunitOutcome::Failed);
                if failure.is_some() && !has_failed {
                    tests.push(as_single_test(JunitOutcome::Failed));
                }
                let failure = failure.or_else(|| {
                    has_failed.then(|| format!("A test of `{}` failed.", check.command))
                });
                (tests, failure)
            }
            Err(error) => {
                let failure = failure.unwrap_or_else(|| error.to_string());
                (vec![as_single_test(JunitOutcome::Failed)], Some(failure))
            }
        }
    }

    /// The outcome of a check without results of single tests, and why it failed.
    fn single_outcome(
        &self,
        check: &Check,
        failure: Option<String>,
    ) -> (JunitOutcome, Option<String>) {
        let output = fs::read(output_file(&self.folders.state_folder, &check.name));
        let output = output.unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let skipped = skip_reason(&output);
        let ran_none = match check.results {
            Results::Libtest => libtest_passed(&output) == 0,
            Results::NodeOrSkipped => skipped.is_none(),
            Results::ExitStatus | Results::Nextest | Results::Node => false,
        };
        let failure =
            failure.or_else(|| ran_none.then(|| format!("`{}` ran no test.", check.command)));
        let outcome = match (&failure, skipped) {
            (Some(_), _) => JunitOutcome::Failed,
            (None, Some(reason)) => JunitOutcome::Skipped(reason),
            (None, None) => JunitOutcome::Passed,
        };
        (outcome, failure)
    }
}

/// Records a failed check, which is its own cause.
fn record_failure(failed: &mut BTreeMap<String, String>, check: &Check) {
    failed.insert(check.name.clone(), check.name.clone());
}

/// The result of an attempt to start a check.
enum Started {
    /// The command of the check is running.
    Running(Box<Running>),
    /// The check with this name has passed with the same inputs.
    Unchanged(String),
    /// The program of the check cannot be started.
    Failed(Box<Finished>),
}

/// The checks of running commands.
fn checks_of(running: &[Running]) -> Vec<&Check> {
    running.iter().map(|running| &running.check).collect()
}

/// Whether a check can start beside the running ones: a slot is free, its dependencies have finished, and no running
/// check excludes it.
fn is_ready(
    check: &Check,
    unfinished: &BTreeSet<String>,
    running: &[&Check],
    slots: usize,
) -> bool {
    let takes_slot = |check: &Check| check.kind != Kind::Installation;
    let busy = running.iter().filter(|other| takes_slot(other));
    let has_slot = !takes_slot(check) || busy.count() < slots;
    let excludes = |other: &&Check| match check.resource {
        Resource::None => false,
        Resource::CargoTarget => other.resource == Resource::CargoTarget,
        Resource::StableNetwork => other.resource == Resource::ChangingNetwork,
        Resource::ChangingNetwork => other.resource == Resource::StableNetwork,
    };
    let mut dependencies = check.depends_on.iter();
    has_slot
        && !dependencies.any(|name| unfinished.contains(*name))
        && !running.iter().any(excludes)
}

/// Polls a command, and kills it if it has exceeded the time limit. Returns its status if it has ended, `Some(None)` if
/// it was killed.
fn poll(running: &mut Running, limit: Option<Duration>) -> io::Result<Option<Option<ExitStatus>>> {
    if let Some(status) = running.child.try_wait()? {
        return Ok(Some(Some(status)));
    }
    if limit.is_none_or(|limit| running.start.elapsed() < limit) {
        return Ok(None);
    }
    process::kill_tree(&mut running.child);
    Ok(Some(None))
}

/// The reason for which a command was skipped, from its output.
pub fn skip_reason(output: &str) -> Option<String> {
    let reason = output.lines().find_map(|line| line.strip_prefix(SKIPPED));
    reason.map(str::to_owned)
}

/// The number of tests that passed, from the output of `cargo test`.
fn libtest_passed(output: &str) -> u64 {
    let results = output
        .lines()
        .filter_map(|line| line.strip_prefix("test result: "));
    let counts = results.filter_map(|result| {
        let (count, _) = result.split_once(" passed")?;
        count.rsplit(' ').next()?.parse::<u64>().ok()
    });
    counts.sum()
}

/// The file with the output of a check.
pub fn output_file(state_folder: &Path, name: &str) -> PathBuf {
    state_folder.join("output").join(format!("{name}.txt"))
}

/// The folder for the temporary files of all checks, which is emptied before a run.
pub fn temporary_folder(state_folder: &Path) -> PathBuf {
    state_folder.join("tmp")
}

/// The file with the results of single tests.
fn results_file(folders: &Folders, check: &Check, overrides: &Overrides) -> PathBuf {
    match check.results {
        Results::Nextest => {
            let nextest = folders.target.join("nextest");
            nextest.join(profile(overrides)).join("junit.xml")
        }
        Results::Node | Results::NodeOrSkipped | Results::ExitStatus | Results::Libtest => {
            let junit = folders.state_folder.join("junit");
            junit.join(format!("{}.xml", check.name))
        }
    }
}

/// The profile of cargo-nextest.
fn profile(overrides: &Overrides) -> &'static str {
    match overrides.is_empty() {
        true => USUAL_PROFILE,
        false => LONGER_PROFILE,
    }
}

/// The command of a check.
pub fn command(folders: &Folders, check: &Check, overrides: &Overrides) -> Command {
    let mut args = check.command.split(' ');
    let first = args.next().expect("a command has a first word");
    let program = match (first, first.strip_prefix("target/")) {
        (_, Some(built)) => folders.target.join(built),
        ("xtask", None) => env::current_exe().unwrap_or_else(|_| first.into()),
        (_, None) => first.into(),
    };
    let mut command = Command::new(program);
    command.current_dir(&folders.root);
    let results = results_file(folders, check, overrides);
    if check.results == Results::Node {
        // Options come after `--test` and before the file: everything after a file is an argument of the test.
        command.args(args.by_ref().take(1));
        command.args(node_options(Some(&results)));
    }
    command.args(args);
    if check.results == Results::NodeOrSkipped {
        command.arg("--results").arg(&results);
    }
    // The environment of the caller does not change what a check does.
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(variables::is_variable_of_tests) {
            command.env_remove(name);
        }
    }
    command.env(STARTED_BY_RUN, "1");
    command.env("TMPDIR", temporary_folder(&folders.state_folder));
    command.env("CARGO_TARGET_DIR", &folders.target);
    if check.results == Results::Nextest {
        command.env("NEXTEST_PROFILE", profile(overrides));
    }
    let is_read = |name: &str| check.overridable_variables.contains(&name);
    let replaced = overrides.iter().filter(|(name, _)| is_read(name));
    for (name, value) in check.variables.iter().chain(replaced) {
        command.env(name, value);
    }
    command
}

/// The options of the test runner of Node.js: the time limit, and the JUnit file for its results if there is one.
pub fn node_options(results: Option<&Path>) -> Vec<String> {
    let mut options = vec![format!("--test-timeout={}", NODE_TIME_LIMIT.as_millis())];
    if let Some(results) = results {
        for (reporter, destination) in [
            ("spec", "stdout".to_owned()),
            ("junit", results.display().to_string()),
        ] {
            options.push(format!("--test-reporter={reporter}"));
            options.push(format!("--test-reporter-destination={destination}"));
        }
    }
    options
}

/// The measured durations of checks, in seconds.
#[derive(Debug, Default)]
struct Durations(BTreeMap<String, u64>);

impl Durations {
    /// The name of the file.
    const FILE: &str = "durations.json";

    /// Reads the file. Without a valid file the durations are empty, and the estimates of the list are used.
    fn read(state_folder: &Path) -> Self {
        let text = fs::read_to_string(state_folder.join(Self::FILE)).unwrap_or_default();
        Self(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Writes the file.
    fn write(&self, state_folder: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(&self.0)?;
        fs::write(state_folder.join(Self::FILE), text)
    }

    /// Keeps the duration of a check that has passed.
    fn record(&mut self, finished: &Finished) {
        let seconds = finished.duration.as_secs();
        self.0.insert(finished.check.name.clone(), seconds);
    }

    /// Sorts checks by the order of their start: first those that compile or change the network, then the longest.
    fn sort(&self, checks: &mut [Check]) {
        checks.sort_by_key(|check| {
            let seconds = self.0.get(&check.name).copied();
            let excludes_others = check.resource == Resource::ChangingNetwork;
            let uses_cargo_target = check.resource == Resource::CargoTarget;
            (
                Reverse(excludes_others || uses_cargo_target),
                Reverse(seconds.unwrap_or(check.seconds)),
            )
        });
    }
}

#[cfg(test)]
mod tests;
