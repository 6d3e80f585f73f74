//! The output of a run: a line for each check, and a summary at the end.

use std::cmp::Ordering;
use std::fs;
use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::check::{Check, Kind};
use crate::junit::{JunitOutcome, TestResult};
use crate::runner::{Finished, Overrides, output_file};
use crate::variables;

/// The number of slowest tests that the summary names.
const SLOWEST: usize = 10;
/// The interval at which the progress bars are drawn.
const TICK: Duration = Duration::from_millis(200);

/// The number of tests with each outcome.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct CheckCounts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that could not run on this machine.
    pub skipped: usize,
}

/// The results of a run so far.
#[derive(Debug)]
pub struct Report {
    state_folder: PathBuf,
    start: Instant,
    counts: CheckCounts,
    tests: Vec<TestResult>,
    failed: Vec<Finished>,
    /// The names of checks that were not run because a dependency failed.
    not_run: Vec<String>,
    /// The options of the run, with their numbers.
    overrides: Overrides,
    progress: ProgressBars,
}

impl Report {
    /// The report of a run with this number of checks.
    pub fn new(state_folder: PathBuf, checks: usize, overrides: &Overrides) -> Self {
        Self {
            state_folder,
            start: Instant::now(),
            counts: CheckCounts::default(),
            tests: Vec::new(),
            failed: Vec::new(),
            not_run: Vec::new(),
            overrides: overrides.clone(),
            progress: ProgressBars::new(checks),
        }
    }

    /// Reports that a check has started.
    pub fn started(&mut self, check: &Check) {
        self.progress.started(&check.name);
    }

    /// Reports that a check has passed with the same inputs.
    pub fn unchanged(&mut self, check: &Check) {
        self.print_line("unchanged", None, &check.name);
    }

    /// Reports that a check is not run because it depends on `failed`, directly or through other checks.
    pub fn not_run(&mut self, check: &Check, failed: &str) {
        self.print_line(
            "not run",
            None,
            &format!("{} (`{failed}` failed)", check.name),
        );
        self.not_run.push(check.name.clone());
    }

    /// Reports the result of a check.
    pub fn finished(&mut self, finished: Finished) {
        let check = &finished.check;
        self.progress.ended(&check.name);
        if check.kind == Kind::Check || finished.failure.is_some() {
            for test in &finished.tests {
                match test.outcome {
                    JunitOutcome::Passed => self.counts.passed += 1,
                    JunitOutcome::Failed => self.counts.failed += 1,
                    JunitOutcome::Skipped(_) => self.counts.skipped += 1,
                }
            }
            self.tests.extend(finished.tests.iter().cloned());
        }
        let skips = |test: &TestResult| matches!(test.outcome, JunitOutcome::Skipped(_));
        let word = match &finished.failure {
            Some(_) => "FAILED",
            None if finished.tests.iter().all(skips) => "skipped",
            None => "passed",
        };
        let tests = match finished.tests.len() {
            0 | 1 => check.name.clone(),
            tests => format!("{} ({tests} tests)", check.name),
        };
        self.print_line(word, Some(finished.duration), &tests);
        if finished.failure.is_some() {
            self.failed.push(finished);
        }
    }

    /// Prints a line with an outcome, its duration and the name of a check.
    fn print_line(&mut self, word: &str, duration: Option<Duration>, text: &str) {
        let duration = duration.map(seconds_text).unwrap_or_default();
        self.progress
            .print_line(&format!("{word:<9} {duration:>8}  {text}"));
    }

    /// Writes the summary. The last line has the counts. `cpu_time` is that of all checks, if it is known.
    ///
    /// # Errors
    /// If the summary cannot be written.
    pub fn summarize(
        mut self,
        cpu_time: Option<Duration>,
        out: &mut impl Write,
    ) -> io::Result<CheckCounts> {
        self.progress.end();
        writeln!(out, "\ntotal     {:>8}", seconds_text(self.start.elapsed()))?;
        if let Some(cpu_time) = cpu_time {
            writeln!(out, "CPU time  {:>8}", seconds_text(cpu_time))?;
        }
        let by_duration = |a: &TestResult, b: &TestResult| {
            b.seconds.partial_cmp(&a.seconds).unwrap_or(Ordering::Equal)
        };
        self.tests.sort_by(by_duration);
        writeln!(out, "\nThe slowest tests:")?;
        for test in self.tests.iter().take(SLOWEST) {
            writeln!(out, "  {:>6.1} s  {}", test.seconds, test.name)?;
        }
        let skipped: Vec<_> = self.tests.iter().filter_map(skipped_test).collect();
        if !skipped.is_empty() {
            writeln!(out, "\nSkipped on this machine:")?;
        }
        for (name, reason) in skipped {
            writeln!(out, "  {name}: {reason}")?;
        }
        for finished in &self.failed {
            self.write_failure(finished, out)?;
        }
        if !self.not_run.is_empty() {
            writeln!(
                out,
                "\nNot run because a dependency failed: {}",
                self.not_run.join(", ")
            )?;
        }
        let failed: Vec<_> = self
            .failed
            .iter()
            .map(|one| one.check.name.as_str())
            .collect();
        fs::write(failed_file(&self.state_folder), failed.join("\n"))?;
        let CheckCounts {
            passed,
            failed,
            skipped,
        } = self.counts;
        writeln!(out, "\n{passed} passed, {failed} failed, {skipped} skipped")?;
        Ok(self.counts)
    }

    /// Writes the output of a failed check, its failed tests, and the command that repeats it.
    fn write_failure(&self, finished: &Finished, out: &mut impl Write) -> io::Result<()> {
        let name = &finished.check.name;
        writeln!(out, "\n=== {name}")?;
        let output = fs::read(output_file(&self.state_folder, name)).unwrap_or_default();
        writeln!(out, "{}", String::from_utf8_lossy(&output).trim_end())?;
        writeln!(
            out,
            "--- {}",
            finished.failure.as_deref().unwrap_or_default()
        )?;
        let failed = finished.tests.iter();
        for test in failed.filter(|test| test.outcome == JunitOutcome::Failed) {
            writeln!(out, "    failed: {}", test.name)?;
        }
        let command = repeat_command(&finished.check, &self.overrides);
        writeln!(out, "    repeat with: {command}")
    }
}

/// The file with the names of the checks that failed in the last run.
fn failed_file(state_folder: &Path) -> PathBuf {
    state_folder.join("failed.txt")
}

/// Removes the names of the checks that failed in the last run.
///
/// # Errors
/// If the file cannot be removed.
pub fn clear_failed_checks(state_folder: &Path) -> io::Result<()> {
    match fs::remove_file(failed_file(state_folder)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The names of the checks that failed in the last run.
pub fn failed_checks(state_folder: &Path) -> Vec<String> {
    let names = fs::read_to_string(failed_file(state_folder)).unwrap_or_default();
    names.lines().map(str::to_owned).collect()
}

/// The command that repeats a check alone, with the numbers that it reads.
fn repeat_command(check: &Check, overrides: &Overrides) -> String {
    let mut command = format!("cargo xtask test --only {}", check.name);
    for (option, variable) in variables::OPTIONS {
        let number = overrides.iter().find(|(name, _)| *name == variable);
        if let Some((_, number)) = number
            && check.overridable_variables.contains(&variable)
        {
            command.push_str(&format!(" {option} {number}"));
        }
    }
    command
}

/// The name of a test that was skipped, and the reason.
fn skipped_test(test: &TestResult) -> Option<(&str, &str)> {
    match &test.outcome {
        JunitOutcome::Skipped(reason) => Some((&test.name, reason)),
        JunitOutcome::Passed | JunitOutcome::Failed => None,
    }
}

/// A duration as text.
fn seconds_text(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

/// The progress bars on a terminal: one for the run, and one for each running check. A pipe gets only lines of text.
#[derive(Debug)]
struct ProgressBars {
    bars: MultiProgress,
    run: ProgressBar,
    checks: Vec<(String, ProgressBar)>,
}

impl ProgressBars {
    /// The progress of a run with this number of checks.
    fn new(checks: usize) -> Self {
        let bars = MultiProgress::new();
        let run = bars.add(ProgressBar::new(checks as u64));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} checks, {elapsed}");
        run.set_style(style.expect("the template is valid"));
        if stderr().is_terminal() {
            run.enable_steady_tick(TICK);
        }
        Self {
            bars,
            run,
            checks: Vec::new(),
        }
    }

    /// Adds a bar for a check.
    fn started(&mut self, name: &str) {
        let bar = self
            .bars
            .insert_before(&self.run, ProgressBar::new_spinner());
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
        bar.set_style(style.expect("the template is valid"));
        bar.set_message(name.to_owned());
        if stderr().is_terminal() {
            bar.enable_steady_tick(TICK);
        }
        self.checks.push((name.to_owned(), bar));
    }

    /// Removes the bar of a check.
    fn ended(&mut self, name: &str) {
        if let Some(at) = self.checks.iter().position(|(other, _)| other == name) {
            let (_, bar) = self.checks.swap_remove(at);
            bar.finish_and_clear();
        }
    }

    /// Prints a line above the bars.
    fn print_line(&mut self, line: &str) {
        // Without a reader, as after `| head`, the run goes on: its results are files too.
        self.bars.suspend(|| {
            let _ = writeln!(stdout(), "{line}");
        });
        self.run.inc(1);
    }

    /// Removes the bar of the run.
    fn end(&mut self) {
        self.run.finish_and_clear();
    }
}
