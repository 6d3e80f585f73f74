//! Instructions of a move: a process of this binary replays a script under valgrind.
//!
//! Valgrind runs one thread at a time and counts all of them. The result is the difference between a
//! run with many moves and one with few, so the start does not count. The client is counted too; it
//! replays texts without parsing messages.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;

use sticheln_server::limits::operator_limits::Limits;

use crate::common::folder::Folder;
use crate::common::server;
use crate::measurement::{MESSAGES, MOVES, MOVES_BEFORE, MOVES_COUNTED};
use crate::players::Line;
use crate::room::{self, ConnectedRoom, NOON};
use crate::sockets::Sockets;
use crate::{missing, record, share_one_core};

/// The parts that are counted, and the tests that replay them.
const PARTS: [(&str, &str); 2] = [
    ("room", "instructions::a_room_replays_a_script"),
    ("server", "instructions::a_server_replays_a_script"),
];
/// The variables of a replay: the number of moves, and its folder.
const REPLAY_MOVES: &str = "REPLAY_MOVES";
const REPLAY_FOLDER: &str = "REPLAY_FOLDER";

/// The instructions of a move, by part.
///
/// # Errors
/// The reason why they cannot be counted.
pub fn count_per_move() -> Result<BTreeMap<String, f64>, String> {
    record::is_comparable()?;
    if let Some(reason) = missing("valgrind", &["--tool=none", "true"]) {
        return Err(reason);
    }
    share_one_core()?;
    let script = serde_json::to_string(&room::script(MOVES)).unwrap();
    let parts = PARTS.map(|(part, replay)| {
        let [before, after] =
            [MOVES_BEFORE, MOVES].map(|moves| count_instructions(replay, &script, moves));
        (
            part.to_owned(),
            (after - before) as f64 / MOVES_COUNTED as f64,
        )
    });
    Ok(parts.into())
}

/// Replays the first moves of a script under valgrind. Returns the instructions of the process.
fn count_instructions(replay: &str, script: &str, moves: usize) -> u64 {
    let folder = Folder::create();
    fs::write(folder.path().join("script"), script).unwrap();
    // The fastest tool of valgrind that counts instructions.
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no"])
        .arg("--cachegrind-out-file=/dev/null")
        .arg(std::env::current_exe().unwrap())
        .args([
            replay,
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(REPLAY_MOVES, moves.to_string())
        .env(REPLAY_FOLDER, folder.path())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let is_done = String::from_utf8_lossy(&output.stdout).contains(&done(moves));
    assert!(output.status.success() && is_done, "{output:?}");
    let count = errors.lines().find_map(|line| line.split_once("refs:"));
    let (_, count) = count.unwrap_or_else(|| panic!("no count: {errors}"));
    count.trim().replace(',', "").parse().unwrap()
}

/// The output of a replay at its end.
fn done(moves: usize) -> String {
    format!("{moves} moves were replayed")
}

/// Runs a replay with the script and the folder of this process, and then exits.
fn replay(replay: impl FnOnce(&Path, Vec<Line>)) {
    let moves = std::env::var(REPLAY_MOVES).unwrap().parse().unwrap();
    let folder = std::env::var(REPLAY_FOLDER).unwrap();
    let folder = Path::new(&folder);
    let script = fs::read_to_string(folder.join("script")).unwrap();
    let mut script: Vec<Line> = serde_json::from_str(&script).unwrap();
    let mut made = 0;
    script.retain(|line| {
        made += usize::from(line.is_move);
        made <= moves
    });
    replay(folder, script);
    println!("{}", done(moves));
    // The shutdown does not count.
    std::process::exit(0);
}

#[test]
#[ignore = "a_move_costs_no_more_instructions_than_recorded runs it under valgrind"]
fn a_room_replays_a_script() {
    replay(|_, script| {
        let mut room = ConnectedRoom::new();
        for line in script {
            black_box(room.handle(&line));
        }
    });
}

#[test]
#[ignore = "a_move_costs_no_more_instructions_than_recorded runs it under valgrind"]
fn a_server_replays_a_script() {
    replay(|folder, script| {
        let address = server::start(folder.join("data"), limits(), NOON);
        let mut sockets = Sockets::open(address);
        for line in script {
            black_box(sockets.send(&line));
        }
    });
}

/// The default limits, except for a faster client and without search threads.
fn limits() -> Limits {
    Limits {
        messages_per_second: NonZero::new(MESSAGES).unwrap(),
        message_burst: NonZero::new(MESSAGES).unwrap(),
        search_threads: 0,
        ..Limits::default()
    }
}
