//! `load compare` measures all servers.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub const LOAD: &str = env!("CARGO_BIN_EXE_load");

/// A program that was built beside `load`.
pub fn built(name: &str) -> PathBuf {
    let path = Path::new(LOAD).with_file_name(name);
    let hint = "build it with `cargo build -p sticheln-server -p sticheln-load --bins --examples`";
    assert!(path.is_file(), "{} is missing: {hint}", path.display());
    path
}

/// Compares the servers with two rooms that play for two seconds, with the data in this folder.
fn compare(folder: &str, args: &[&str]) -> Output {
    let mut command = Command::new(LOAD);
    command
        .args(["compare", "--rounds", "2", "--rooms", "2", "--seconds", "2"])
        .args(["--warm-up-seconds", "0", "--folder", folder])
        .arg("--server")
        .arg(built("sticheln"))
        .arg("--bare")
        .arg(built("examples/bare"))
        .args(args);
    command.output().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn every_server_is_measured_in_every_round() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let json = Path::new(folder).join("compare.json");
    let idle = ["--idle", "--idle-rooms", "2", "--idle-seconds", "1"];
    let output = compare(
        folder,
        &[&idle, &["--json", json.to_str().unwrap()][..]].concat(),
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");

    let report: Value = serde_json::from_slice(&std::fs::read(json).unwrap()).unwrap();
    let samples = report["samples"].as_array().unwrap();
    let order = |sample: &Value| format!("{} {}", sample["round"], sample["server"]);
    let order: Vec<_> = samples.iter().map(order).collect();
    let servers = ["\"bare\"", "\"disk\"", "\"memory\""];
    let expected = [1, 2].map(|round| servers.map(|server| format!("{round} {server}")));
    assert_eq!(order, expected.as_flattened());

    for sample in samples {
        let moves = number(&sample["moves"]);
        assert!(moves > 0.0, "{sample}");
        assert!(number(&sample["seconds"]) >= 2.0, "{sample}");
        assert!(number(&sample["server_cpu_seconds"]) > 0.0, "{sample}");
        assert!(number(&sample["context_switches"]) > 0.0, "{sample}");
        let latency = &sample["latency"];
        let [p50, p99] = ["p50_ms", "p99_ms"].map(|name| number(&latency[name]));
        assert!(0.0 < p50 && p50 <= p99, "{sample}");
        assert!(p99 <= number(&latency["p999_ms"]), "{sample}");
        let bytes = number(&sample["received_bytes"]) / moves / 4.0;
        if sample["server"] == "bare" {
            // The revision has one to five digits. Moves and views at both ends of the time differ.
            assert!((300.0..330.0).contains(&bytes), "{bytes} bytes");
            assert_eq!(sample["wal_bytes"], Value::Null);
        } else {
            assert!(bytes > 330.0, "{bytes} bytes");
            // A commit has at least one page.
            assert!(number(&sample["wal_bytes"]) >= 4120.0, "{sample}");
        }
    }
    for sample in report["idle"].as_array().unwrap() {
        assert_eq!(sample["connections"], 8);
    }
    assert_eq!(report["idle"].as_array().unwrap().len(), 3);

    let table = String::from_utf8(output.stdout).unwrap();
    for server in ["bare server", "database on disk", "database in `/dev/shm`"] {
        let row = format!("| CPU time for 1,000 moves, ms | {server} | ");
        let row = table.lines().find(|line| line.starts_with(&row)).unwrap();
        assert_eq!(row.matches('|').count(), 7, "{row}");
    }
    let bare = "| CPU time for 1,000 moves, ms | bare server | ";
    let row = table.lines().find(|line| line.starts_with(bare));
    assert!(row.unwrap().ends_with(" | 1.00 |"), "{table}");
    // Without the right to trace, no server has a count of its system calls.
    let counted = report["system_calls"].as_array().unwrap();
    match counted.len() {
        0 => assert_eq!(table.matches("not measured").count(), 3, "{table}"),
        count => assert_eq!(count, 3, "{counted:?}"),
    }
    for calls in counted {
        // A move is at least one read and four writes.
        assert!(
            number(&calls["calls"]) >= 5.0 * number(&calls["moves"]),
            "{calls}"
        );
    }
}

#[test]
fn a_folder_in_memory_is_no_disk() {
    let output = compare("/dev/shm", &[]);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    let expected = "/dev/shm is in memory. Name a folder on a disk with --folder.\n";
    assert_eq!(errors, expected);
}

#[test]
fn a_wrong_path_for_the_results_fails_before_the_first_round() {
    let output = compare(
        env!("CARGO_TARGET_TMPDIR"),
        &["--json", "/no/such/folder/x"],
    );
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("/no/such/folder/x cannot be created"),
        "{errors}"
    );
}
