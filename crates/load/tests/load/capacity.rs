//! `load capacity` opens rooms until something fails, and measures rooms that play.

use std::process::{Command, Output};

use crate::compare::{LOAD, built};

/// Runs the command briefly, with at most this number of open files and of rooms.
fn capacity(open_files: &str, rooms: &str) -> Output {
    let mut command = Command::new("sh");
    command
        .args(["-c", "ulimit -n $0 && exec \"$@\"", open_files])
        .args([LOAD, "capacity", "--rooms", rooms, "--playing-rooms", "2"])
        .args(["--seconds", "1", "--warm-up-seconds", "0"])
        .args(["--folder", env!("CARGO_TARGET_TMPDIR"), "--server"])
        .arg(built("sticheln"));
    command.output().unwrap()
}

#[test]
fn the_limit_of_open_files_ends_the_run() {
    let output = capacity("120", "100");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let limit =
        "Why no more rooms were opened: The limit of open files is reached (`ulimit -n`): server";
    assert!(text.contains(limit), "{text}");
    assert!(text.contains("open files of the server (limit 120)"));
    for place in ["on disk", "in memory"] {
        for rooms in ["1", "2"] {
            let begin = format!("| {place} | {rooms} | ");
            let line = text.lines().find_map(|line| line.strip_prefix(&begin));
            let line = line.unwrap_or_else(|| panic!("{begin}: {text}"));
            let (moves, _) = line.split_once(' ').unwrap();
            assert!(moves.replace(',', "").parse::<u32>().unwrap() > 0, "{line}");
        }
    }
}

#[test]
fn without_a_failure_the_run_opens_as_many_rooms_as_it_may() {
    let output = capacity("1000", "3");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("| 3 | 12 | "), "{text}");
    assert!(text.contains("Why no more rooms were opened: The run opens 3 rooms at most."));
}
