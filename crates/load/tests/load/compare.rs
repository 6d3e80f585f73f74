//! `load compare` measures all servers.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub const LOAD: &str = env!("CARGO_BIN_EXE_load");
/// The names of the servers in the table, in the order of columns.
const NAMES: [&str; 5] = [
    "bare server",
    "floor",
    "unlogged server",
    "database in `/dev/shm`",
    "database on disk",
];
/// Options for a run with short measurements.
const SHORT: [&str; 6] = [
    "--seconds",
    "0.2",
    "--start-rooms",
    "20",
    "--settle-ms",
    "20",
];
const ALL: [&str; 5] = ["bare", "floor", "unlogged", "memory", "disk"];
const WITH_ROOM_LOG: [&str; 2] = ["memory", "disk"];

/// A program or a folder that was built beside `load`.
pub fn built(name: &str) -> PathBuf {
    let path = Path::new(LOAD).with_file_name(name);
    let hint = "build it with `cargo build -p sticheln-server -p sticheln-load --bins --examples`";
    assert!(path.exists(), "{} is missing: {hint}", path.display());
    path
}

/// Compares the servers in so many repetitions with two rooms and no warm-up, with the data in this folder.
fn compare(repetitions: u32, folder: &str, args: &[&str]) -> Output {
    compare_examples(&built("examples"), repetitions, folder, args)
}

/// Compares the servers in this folder of examples, as [`compare`] does.
fn compare_examples(examples: &Path, repetitions: u32, folder: &str, args: &[&str]) -> Output {
    let mut command = Command::new(LOAD);
    command
        .args([
            "compare",
            "--rooms",
            "2",
            "--repetitions",
            &repetitions.to_string(),
        ])
        .args(["--warm-up-seconds", "0", "--folder", folder])
        .arg("--server")
        .arg(built("sticheln"))
        .arg("--examples")
        .arg(examples)
        .args(SHORT)
        .args(args);
    command.output().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// The servers of these measurements, in order, with a number of each.
fn numbered_servers(samples: &Value, name: &str) -> Vec<String> {
    let samples = samples.as_array().unwrap().iter();
    samples
        .map(|one| format!("{} {}", one[name], one["server"].as_str().unwrap()))
        .collect()
}

/// Every server of a group once for each number.
fn every_server(numbers: &[u32], servers: &[&str]) -> Vec<String> {
    let numbers = numbers.iter();
    numbers
        .flat_map(|number| {
            servers
                .iter()
                .map(move |server| format!("{number} {server}"))
        })
        .collect()
}

/// Checks the samples of all rooms and of a single one.
fn assert_samples(report: &Value) {
    assert_eq!(
        numbered_servers(&report["samples"], "repetition"),
        every_server(&[1, 2], &ALL)
    );
    assert_eq!(
        numbered_servers(&report["single_room"], "repetition"),
        every_server(&[1, 2], &WITH_ROOM_LOG)
    );
    for server in ALL {
        let samples = report["samples"].as_array().unwrap().iter();
        let samples = samples.filter(|sample| sample["server"] == server);
        let cpu: f64 = samples.map(|one| number(&one["server_cpu_seconds"])).sum();
        // A single sample of a busy machine may have less than a tick.
        assert!(cpu > 0.0, "{server}");
    }
    for name in ["samples", "single_room"] {
        report[name]
            .as_array()
            .unwrap()
            .iter()
            .for_each(assert_sample);
    }
}

fn assert_sample(sample: &Value) {
    let moves = number(&sample["moves"]);
    assert!(moves > 0.0, "{sample}");
    assert!(number(&sample["seconds"]) >= 0.2, "{sample}");
    assert!(number(&sample["context_switches"]) > 0.0, "{sample}");
    let latency = &sample["latency"];
    let [p50, p99] = ["p50_ms", "p99_ms"].map(|name| number(&latency[name]));
    assert!(0.0 < p50 && p50 <= p99, "{sample}");
    assert!(p99 <= number(&latency["p999_ms"]), "{sample}");
    let memory = &sample["memory"];
    let [resident, anonymous] =
        ["empty_resident_kib", "empty_anonymous_kib"].map(|name| number(&memory[name]));
    assert!(0.0 < anonymous && anonymous < resident, "{sample}");
    let server = sample["server"].as_str().unwrap();
    let bytes = number(&sample["received_bytes"]) / moves / 4.0;
    if server == "bare" || server == "floor" {
        // A view has about 320 bytes. Moves and views at both ends of the time differ.
        assert!((270.0..370.0).contains(&bytes), "{bytes} bytes");
    } else {
        assert!(bytes > 370.0, "{bytes} bytes");
    }
    match WITH_ROOM_LOG.contains(&server) {
        // A commit has at least one page.
        true => assert!(number(&sample["wal_bytes"]) >= 4120.0, "{sample}"),
        // Without its room log, the server writes nothing for a move.
        false if server == "unlogged" => assert_eq!(sample["wal_bytes"], 0),
        false => assert_eq!(sample["wal_bytes"], Value::Null),
    }
}

/// Checks that each server with a room log was started twice without rooms, with rooms, and with rooms after a kill.
fn assert_starts(report: &Value) {
    let starts = report["starts"].as_array().unwrap();
    assert_eq!(starts.len(), 12, "{starts:?}");
    for server in WITH_ROOM_LOG {
        for (rooms, after_kill) in [(0, false), (20, false), (20, true)] {
            let is_this = |start: &&Value| {
                start["server"] == server
                    && start["rooms"] == rooms
                    && start["after_kill"] == after_kill
            };
            let times = starts
                .iter()
                .filter(is_this)
                .map(|start| number(&start["ms"]));
            assert_eq!(times.filter(|time| *time > 0.0).count(), 2, "{starts:?}");
        }
    }
}

fn assert_system_calls(report: &Value, table: &str) {
    // Without the right to trace, no server has a count of its system calls.
    let counted = report["system_calls"].as_array().unwrap();
    match counted.len() {
        0 => assert!(table.contains("System calls were not counted"), "{table}"),
        count => assert_eq!(count, ALL.len(), "{counted:?}"),
    }
    for calls in counted {
        // The server reads the move and writes the view of the next player. A write to another player may hold the views
        // of several moves.
        let [calls, moves] = ["calls", "moves"].map(|name| number(&calls[name]));
        assert!(
            calls > 0.0 && calls >= 2.0 * moves,
            "{calls} calls for {moves} moves"
        );
    }
}

fn assert_rates(report: &Value) {
    let rated = ["bare", "memory", "disk"];
    assert_eq!(
        numbered_servers(&report["rates"], "repetition"),
        every_server(&[1], &rated)
    );
    for sample in report["rates"].as_array().unwrap() {
        assert!(number(&sample["low_rate"]["p50_ms"]) > 0.0, "{sample}");
        let steps = sample["steps"].as_array().unwrap();
        // A machine that is too busy may pass no step.
        assert_eq!(steps[0]["rate"], 5000, "{sample}");
        for step in steps {
            let [rate, due, in_time] = ["rate", "due", "in_time"].map(|name| number(&step[name]));
            // The measured time is a fifth of a second, or longer on a busy machine.
            assert!(due >= 0.19 * rate - 1.0, "{step}");
            assert!(in_time <= due + 5.0, "{step}");
        }
        let highest = steps
            .iter()
            .filter(|step| step["rate"] == sample["highest_rate"]);
        let found = highest
            .filter(|step| number(&step["in_time"]) > 0.0)
            .count();
        assert_eq!(found > 0, !sample["highest_rate"].is_null(), "{sample}");
    }
}

fn assert_table(table: &str) {
    let head = format!("| figure | target | {} |", NAMES.join(" | "));
    assert!(table.lines().any(|line| line == head), "{table}");
    let mut rows = table.lines().filter(|line| line.starts_with("| CPU time"));
    let row = rows.next().unwrap();
    assert_eq!(row.matches('|').count(), 8, "{row}");
    // Four servers have a ratio, and the last target ends with one.
    assert_eq!(row.matches(" x |").count(), 5, "{row}");
    let is_summary = |line: &str| {
        line.starts_with("- CPU time of a move, µs: ") && line.ends_with(" x, disk ≤ 2.0 x")
    };
    assert!(table.lines().any(is_summary), "{table}");
    for row in [
        "memory for a seated idle connection, 2 idle rooms (RssAnon), KiB",
        "latency of a move in 20 rooms with one move a second each, p50, ms",
        "latency of a move in 20 rooms with one move a second each, p99.9, ms",
    ] {
        assert!(table.contains(&format!("\n| {row} | ")), "{table}");
    }
}

#[test]
fn every_server_is_measured_in_every_repetition() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let json = Path::new(folder).join("compare.json");
    let idle = ["--idle", "--idle-rooms", "2", "--idle-seconds", "0.1"];
    let rates = [
        "--rates",
        "--rate-repetitions",
        "1",
        "--rate-seconds",
        "0.2",
    ];
    let rooms = ["--low-rate-rooms", "20", "--rate-rooms", "5"];
    let search = ["--first-rate", "5000", "--rate-precision-percent", "100"];
    let file = ["--json", json.to_str().unwrap()];
    let args = [&idle[..], &rates, &rooms, &search, &file].concat();
    let output = compare(2, folder, &args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let report: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert_samples(&report);
    assert_starts(&report);
    assert_system_calls(&report, &table);
    assert_eq!(
        numbered_servers(&report["idle"], "connections"),
        every_server(&[8], &ALL)
    );
    assert_rates(&report);
    assert_table(&table);
}

/// Creates a folder of examples whose floor starts only once.
fn examples_with_a_floor_that_starts_once() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("floor-that-starts-once");
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir(&folder).unwrap();
    for name in ["bare", "unlogged"] {
        symlink(built("examples").join(name), folder.join(name)).unwrap();
    }
    let floor = folder.join("floor");
    let real = built("examples").join("floor");
    let script = format!(
        "#!/bin/sh\nmkdir \"$0-has-started\" && exec '{}' \"$@\"\n",
        real.display()
    );
    fs::write(&floor, script).unwrap();
    fs::set_permissions(&floor, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_run_that_fails_leaves_the_measurements_of_the_repetitions_before() {
    let examples = examples_with_a_floor_that_starts_once();
    let json = examples.join("compare.json");
    let file = ["--json", json.to_str().unwrap()];
    let output = compare_examples(&examples, 3, env!("CARGO_TARGET_TMPDIR"), &file);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains(": repetition 2, floor ...\n"), "{errors}");
    let report: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(
        numbered_servers(&report["samples"], "repetition"),
        every_server(&[1], &ALL)
    );
    assert_eq!(
        numbered_servers(&report["single_room"], "repetition"),
        every_server(&[1], &WITH_ROOM_LOG)
    );
}

#[test]
fn a_disk_folder_in_memory_is_refused() {
    let output = compare(1, "/dev/shm", &[]);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    let expected = "/dev/shm is in memory. Name a folder on a disk with --folder.\n";
    assert_eq!(errors, expected);
}

#[test]
fn a_wrong_path_for_the_results_fails_before_the_first_repetition() {
    let json = ["--json", "/no/such/folder/x"];
    let output = compare(1, env!("CARGO_TARGET_TMPDIR"), &json);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("/no/such/folder/x cannot be written"),
        "{errors}"
    );
}

#[test]
fn rivals_that_are_not_installed_fail_before_the_first_repetition() {
    let rivals = ["--rivals", "--rivals-folder", "/no/such/folder"];
    let output = compare(1, env!("CARGO_TARGET_TMPDIR"), &rivals);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    let expected = "/no/such/folder/node_modules/.bin/node is missing. Install the rivals with \
                    `npm ci --prefix crates/load/rivals`.\n";
    assert_eq!(errors, expected);
}
