//! The threads and the memory of password hashing.

use std::fs;
use std::net::Ipv4Addr;

use serde_json::json;

use crate::common::folder::Folder;
use crate::common::token;
use crate::player::Player;
use crate::process::{Program, open_room, start};

/// The number of passwords that are hashed at the same time.
const THREADS: usize = 2;
/// The memory of Argon2id for one password.
const KIB_EACH: usize = 19 * 1024;
/// More than the memory of the sockets and of a thread.
const KIB_OTHERWISE: usize = 20 * 1024;
const ATTEMPTS: usize = 33;

/// The peak memory of the program, in KiB.
fn peak(program: &Program) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// The number of threads of the program with this name.
fn threads(program: &Program, name: &str) -> usize {
    let threads = fs::read_dir(format!("/proc/{}/task", program.child.id())).unwrap();
    let names =
        threads.filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("comm")).ok());
    names.filter(|other| other.trim() == name).count()
}

/// The number of threads and the memory show how many passwords are hashed at a time. Each address has one turn.
#[tokio::test]
async fn thirty_three_passwords_at_once_are_hashed_two_at_a_time() {
    let folder = Folder::new();
    let program = start(&folder, &["--wrong-passwords-per-minute", "1000"]);
    let port = program.port;
    let body = json!({"game": "sticheln", "seats": 3, "password": "s3same-open-table"});
    let room = open_room(port, &body);
    let before = peak(&program);
    let mut players = Vec::new();
    for number in 0..ATTEMPTS {
        let address = Ipv4Addr::new(127, 0, 1, number as u8 % 3);
        players.push(Player::connect_from(address, port, &room).await);
    }
    for (number, player) in players.iter_mut().enumerate() {
        let token = token(&format!("{number:03}"));
        let hello = json!({"type": "hello", "token": token, "password": "wrong"});
        player.send("hello", hello).await;
    }
    for player in &mut players {
        assert_eq!(player.next().await.unwrap()["code"], "wrong_password");
    }
    assert_eq!(threads(&program, "hashing"), THREADS);
    // Otherwise nothing was hashed, or one at a time.
    assert!(peak(&program) >= THREADS * KIB_EACH);
    let more = peak(&program) - before;
    assert!(
        more < THREADS * KIB_EACH + KIB_OTHERWISE,
        "{ATTEMPTS} attempts took {more} KiB more"
    );
}
