//! `cargo xtask soak`: runs the test command repeatedly to find flaky tests.

use std::fs::{self, File};
use std::hint;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde::Serialize;

use crate::error::Error;
use crate::report;
use crate::runner::{Folders, output_file};

/// The number of runs, and the load.
#[derive(Args, Debug)]
pub struct Options {
    /// The number of runs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    runs: u32,
    /// Keeps all cores busy during the runs, with one thread for each core.
    #[arg(long)]
    load: bool,
}

/// One run of the test command, as a line of the file.
#[derive(Debug, Serialize)]
struct Entry {
    /// The commit at the start. A `+` follows if the working tree has changes.
    commit: String,
    /// The start of the run, in seconds since the Unix epoch.
    started: u64,
    /// The number of threads that kept cores busy.
    busy_threads: usize,
    /// The duration of the run.
    seconds: u64,
    /// The last line of the test command.
    result: String,
    /// Whether all checks passed.
    has_passed: bool,
    /// The names of the failed checks.
    failed: Vec<String>,
}

/// Runs the test command, and appends each result to `soak.jsonl` in cargo's target directory.
///
/// # Errors
/// If a run cannot be started, its result cannot be written, or a run failed.
pub fn run_tests_repeatedly(folders: &Folders, options: &Options) -> Result<(), Error> {
    let mut failed_runs = 0;
    for number in 1..=options.runs {
        println!("Run {number} of {}", options.runs);
        let entry = run_and_measure(folders, options.load)
            .map_err(|error| Error::io("The test command cannot be run", error))?;
        let line = append(folders, &entry)
            .map_err(|error| Error::io("The result cannot be written to soak.jsonl", error))?;
        println!("{line}");
        if !entry.has_passed {
            failed_runs += 1;
            keep_failures(folders, &entry)
                .map_err(|error| Error::io("The files of the failed run cannot be kept", error))?;
        }
    }
    match failed_runs {
        0 => Ok(()),
        _ => Err(Error::Problem(format!(
            "{failed_runs} of {} runs failed.",
            options.runs
        ))),
    }
}

/// Runs the test command once, and returns the entry for the file.
fn run_and_measure(folders: &Folders, with_load: bool) -> std::io::Result<Entry> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let busy_threads = if with_load { cores } else { 0 };
    let commit = commit(folders);
    // A run that ends early reports no failures of the run before.
    report::clear_failed_checks(&folders.state_folder)?;
    let started = SystemTime::now().duration_since(UNIX_EPOCH);
    let start = Instant::now();
    let stop = AtomicBool::new(false);
    let (has_passed, result) = thread::scope(|scope| {
        for _ in 0..busy_threads {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        let outcome = run_test_command(folders);
        stop.store(true, Ordering::Relaxed);
        outcome
    })?;
    Ok(Entry {
        commit,
        started: started.map_or(0, |time| time.as_secs()),
        busy_threads,
        seconds: start.elapsed().as_secs(),
        result,
        has_passed,
        failed: report::failed_checks(&folders.state_folder),
    })
}

/// Runs the test command and prints its output. Returns whether it passed, and its last line.
fn run_test_command(folders: &Folders) -> std::io::Result<(bool, String)> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("test")
        .current_dir(&folders.root)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut last = String::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            last = line?;
            println!("{last}");
        }
    }
    Ok((child.wait()?.success(), last))
}

/// The last commit, with a `+` if the working tree has changes.
fn commit(folders: &Folders) -> String {
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(args)
            .current_dir(&folders.root)
            .output();
        let output = output.map(|output| output.stdout).unwrap_or_default();
        String::from_utf8_lossy(&output).trim().to_owned()
    };
    let has_changes = !git(&["status", "--porcelain"]).is_empty();
    let mark = if has_changes { "+" } else { "" };
    format!("{}{mark}", git(&["rev-parse", "--short", "HEAD"]))
}

/// Keeps the outputs of failed checks and the files of failed browser tests in `soak-failures/STARTED`, because the
/// next run replaces them.
fn keep_failures(folders: &Folders, entry: &Entry) -> std::io::Result<()> {
    let kept = folders.target.join("soak-failures");
    let kept = kept.join(entry.started.to_string());
    fs::create_dir_all(&kept)?;
    for name in &entry.failed {
        let output = output_file(&folders.state_folder, name);
        // A program that could not be started has written nothing.
        if output.exists() {
            fs::copy(output, kept.join(format!("{name}.txt")))?;
        }
    }
    for name in ["failures", "screens"] {
        let files = folders.target.join(name);
        if files.exists() {
            fs::rename(files, kept.join(name))?;
        }
    }
    Ok(())
}

/// Appends an entry to the file. Returns its line.
fn append(folders: &Folders, entry: &Entry) -> std::io::Result<String> {
    let line = serde_json::to_string(entry)?;
    let file = folders.target.join("soak.jsonl");
    let mut file = File::options().create(true).append(true).open(file)?;
    writeln!(file, "{line}")?;
    Ok(line)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{env, process};

    use super::*;

    #[test]
    fn outputs_and_files_of_failed_checks_are_kept() {
        let root = env::temp_dir().join(format!("xtask-soak-{}", process::id()));
        let folders = Folders {
            root: root.clone(),
            target: root.join("target"),
            state_folder: root.join("target/xtask"),
        };
        let output = output_file(&folders.state_folder, "tests");
        fs::create_dir_all(output.parent().unwrap()).unwrap();
        fs::write(output, "why").unwrap();
        fs::create_dir_all(folders.target.join("failures/lobby")).unwrap();
        let entry = Entry {
            commit: String::new(),
            started: 7,
            busy_threads: 0,
            seconds: 1,
            result: String::new(),
            has_passed: false,
            failed: vec!["tests".to_owned(), "never-started".to_owned()],
        };
        keep_failures(&folders, &entry).unwrap();
        let kept = folders.target.join("soak-failures/7");
        assert_eq!(fs::read_to_string(kept.join("tests.txt")).unwrap(), "why");
        assert!(kept.join("failures/lobby").exists());
        fs::remove_dir_all(root).unwrap();
    }
}
