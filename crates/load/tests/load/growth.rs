//! `load growth` measures all points and draws them.

use std::path::Path;
use std::process::{Command, Output};

use roxmltree::Document;

use crate::compare::{LOAD, built};

/// Runs the command with two rooms, briefly.
fn growth(charts: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(LOAD);
    command
        .args(["growth", "--playing-rooms", "2", "--log-rooms", "1"])
        .args(["--seconds", "1", "--warm-up-seconds", "0"])
        .args(["--folder", env!("CARGO_TARGET_TMPDIR"), "--server"])
        .arg(built("sticheln"))
        .arg("--charts")
        .arg(charts)
        .args(args);
    command.output().unwrap()
}

/// The numbers in the row of a table that begins with this cell, after the line that contains `head`.
fn row(text: &str, head: &str, first: &str) -> Vec<f64> {
    let (_, table) = text.split_once(head).unwrap_or_else(|| panic!("{text}"));
    let begin = format!("| {first} |");
    let line = table.lines().find_map(|line| line.strip_prefix(&begin));
    let line = line.unwrap_or_else(|| panic!("{first}: {text}"));
    let cells = line.trim_end_matches('|').split('|');
    cells
        .map(|cell| cell.trim().replace(',', "").parse().unwrap())
        .collect()
}

/// Checks that standard error has a line for each server that is started: six in each of two repetitions, and one for the
/// minutes in the first.
fn assert_repetitions(errors: &str) {
    let lines: Vec<_> = errors.lines().collect();
    assert_eq!(lines.len(), 13, "{errors}");
    assert!(lines[0].starts_with("1 of 13: repetition 1, "), "{errors}");
    assert!(
        lines[12].starts_with("13 of 13: repetition 2, "),
        "{errors}"
    );
    for (repetition, minutes) in [(&lines[..7], Some("minutes: 2 ...")), (&lines[7..], None)] {
        let runs = repetition
            .iter()
            .map(|line| line.split(", ").nth(1).unwrap());
        let mut runs: Vec<_> = runs.collect();
        runs.sort_unstable();
        let others = [
            "rooms: 1 ...",
            "rooms: 3 ...",
            "rounds: 2 ...",
            "spectators in each room: 0 ...",
            "spectators in each room: 2 ...",
        ];
        let expected = ["log entries: up to 300 ..."].into_iter().chain(minutes);
        let expected: Vec<_> = expected.chain(others).collect();
        assert_eq!(runs, expected);
    }
}

/// Checks the numbers of each minute: three each of CPU time, bytes to the WAL and memory, then the load.
fn assert_minutes(text: &str) {
    for minute in ["1", "2"] {
        let numbers = row(text, "| minutes since the start |", minute);
        let (wal_bytes, memory, moves_per_second) = (numbers[3], numbers[6], numbers[10]);
        // Four rooms share commits, and a commit has at least one page.
        assert!(wal_bytes >= 4120.0 / 4.0, "{wal_bytes} bytes a move");
        assert!(memory > 0.0);
        assert!(
            (1.0..500.0).contains(&moves_per_second),
            "{moves_per_second}"
        );
    }
}

/// Checks that each chart has its points, in all of its panels together.
fn assert_charts(charts: &Path) {
    let charts_with_points = [
        ("rooms", 2),
        ("spectators", 4),
        ("rounds", 2),
        ("log", 2),
        ("minutes", 6),
    ];
    for (name, points) in charts_with_points {
        let path = charts.join(format!("growth-{name}.svg"));
        let svg = std::fs::read_to_string(path).unwrap();
        let document = Document::parse(&svg).unwrap();
        let nodes = document.descendants();
        let circles = nodes.filter(|node| node.has_tag_name("circle"));
        assert_eq!(circles.count(), points, "{name}");
    }
}

#[test]
fn every_point_is_measured_in_every_repetition_and_drawn() {
    let charts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("growth");
    let output = growth(
        &charts,
        &[
            ["--repetitions", "2"],
            ["--rate", "200"],
            ["--rooms", "1,3"],
            ["--spectators", "0,2"],
            ["--rounds", "2"],
            ["--log-entries", "10,300"],
            ["--minutes", "2"],
            ["--minute-seconds", "1"],
            ["--minute-rooms", "4"],
        ]
        .concat(),
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();

    assert_repetitions(&errors);
    for (head, points) in [
        ("| rooms of four that play |", ["1", "3"]),
        ("| spectators in each room |", ["0", "2"]),
        ("| round of the game |", ["1", "2"]),
        ("| entries of the log of each room |", ["10", "300"]),
        ("| minutes since the start |", ["1", "2"]),
    ] {
        for point in points {
            let numbers = row(&text, head, point);
            let [minimum, median, maximum] = numbers[..3] else {
                panic!("{numbers:?}");
            };
            assert!(
                0.0 < minimum && minimum <= median && median <= maximum,
                "{head} {point}: {numbers:?}"
            );
        }
    }
    let spectators = |point| row(&text, "| spectators in each room |", point);
    let (without, with) = (spectators("0"), spectators("2"));
    // After six figures of CPU time: each move is sent to four seats and two spectators.
    let (without, with) = (without[6], with[6]);
    assert!((4.0..8.0).contains(&without), "{without} messages a move");
    let added = with - without;
    assert!((1.5..3.5).contains(&added), "{added} messages a move");
    assert_minutes(&text);
    assert_eq!(text.matches("last over first: ").count(), 8, "{text}");
    assert_charts(&charts);
}

#[test]
fn a_wrong_folder_for_the_charts_fails_before_the_first_repetition() {
    let output = growth(Path::new("/proc/none"), &[]);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.starts_with("/proc/none cannot be created: "),
        "{errors}"
    );
}
