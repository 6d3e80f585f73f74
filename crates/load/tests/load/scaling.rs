//! `load scaling` measures one server and several nodes, and `load scaling-model` simulates more of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use roxmltree::Document;

use crate::compare::{LOAD, built};

/// The columns of the tables.
const GROWING: [&str; 5] = [
    "one server, SQLite",
    "one server, PostgreSQL",
    "1 node",
    "2 nodes",
    "3 nodes",
];
const PLACED: [&str; 2] = ["at the leader", "at the other node"];
const GROUPS: [&str; 2] = ["groups of 1", "groups of 8"];

/// Measures two rooms, briefly.
fn scaling(chart: &Path) -> Output {
    let mut command = Command::new(LOAD);
    command
        .args(["scaling", "--repetitions", "1", "--rooms", "2"])
        .args(["--rate-rooms", "3", "--rate", "20", "--groups", "1,8"])
        .args(["--seconds", "0.4", "--warm-up-seconds", "0"])
        .args(["--folder", env!("CARGO_TARGET_TMPDIR"), "--server"])
        .arg(built("sticheln"))
        .arg("--examples")
        .arg(built("examples"))
        .arg("--chart")
        .arg(chart);
    command.output().unwrap()
}

/// The medians in a row of the table with these columns.
fn row(text: &str, columns: &[&str], name: &str) -> Vec<f64> {
    let head = format!("| figure | {} |", columns.join(" | "));
    let (_, table) = text.split_once(&head).unwrap_or_else(|| panic!("{text}"));
    let begin = format!("| {name} | ");
    let line = table.lines().find_map(|line| line.strip_prefix(&begin));
    let line = line.unwrap_or_else(|| panic!("{name}: {text}"));
    let cells = line.trim_end_matches(" |").split(" | ");
    let median = |cell: &str| cell.split(' ').next().unwrap().replace(',', "");
    let medians = cells.map(|cell| median(cell).parse().unwrap_or(0.0));
    medians.collect()
}

/// Checks that moves were made in each configuration, and what they needed.
fn assert_moves(text: &str, columns: &[&str]) {
    for name in [
        "moves a second",
        "p99 of a move, ms",
        "writes in a commit",
        "fixed rate: moves a second",
        "fixed rate: p99 of a move, ms",
    ] {
        let numbers = row(text, columns, name);
        assert_eq!(numbers.len(), columns.len(), "{name}: {numbers:?}");
        assert!(numbers.iter().all(|number| *number > 0.0), "{name}: {text}");
    }
}

#[test]
fn every_configuration_is_measured_and_moves_cross_nodes() {
    let chart = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaling/nodes.svg");
    let output = scaling(&chart);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors.lines().count(), 9, "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_moves(&text, &GROWING);
    assert_moves(&text, &PLACED);

    let requests = row(&text, &GROWING, "requests between nodes for a move");
    assert_eq!(requests[..2], [0.0, 0.0], "{text}");
    assert!(
        requests[3] >= 0.4,
        "half of the people are at the other node: {text}"
    );
    let requests = row(&text, &PLACED, "requests between nodes for a move");
    // Nodes also ask each other whether they are there.
    assert!(
        requests[1] >= 0.9 && requests[1] > 2.0 * requests[0],
        "{text}"
    );
    let bytes = row(&text, &PLACED, "bytes to and from NATS for a move");
    assert!(bytes[1] > 1000.0 && bytes[1] > 2.0 * bytes[0], "{text}");
    let wal = row(&text, &GROWING, "bytes to the WAL of PostgreSQL for a move");
    assert!(wal[1..].iter().all(|bytes| *bytes > 100.0), "{text}");

    assert_eq!(row(&text, &GROUPS, "appends in a commit"), [1.0, 8.0]);
    let appends = row(&text, &GROUPS, "appends a second");
    assert!(appends.iter().all(|appends| *appends > 0.0), "{text}");

    let svg = fs::read_to_string(&chart).unwrap();
    let svg = Document::parse(&svg).unwrap();
    let points = svg.descendants().filter(|node| node.has_tag_name("circle"));
    // Three panels, each with one, two and three nodes.
    assert_eq!(points.count(), 9);
}

#[test]
fn the_model_prints_a_row_for_each_size() {
    let mut command = Command::new(LOAD);
    command.args(["scaling-model", "--nodes", "1,20", "--shards", "1,2"]);
    let output = command.args(["--moves", "1000"]).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    for begin in ["| 1 | 1 |", "| 1 | 20 |", "| 2 | 1 |", "| 2 | 20 |"] {
        assert!(text.lines().any(|line| line.starts_with(begin)), "{text}");
    }
}
