//! A disk that takes nothing more, a database that is damaged, and an end in the middle of a game.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::table::{Ended, HASTY, Person, open, play};
use crate::{Folder, PATIENCE, Program, call, free_port, start};

/// How long a server may believe what it found out about its disk, and some more.
const BELIEVED: Duration = Duration::from_secs(15);

/// How long the files of a program may be from now on; `None`: as long as they like.
fn limit_files(program: &Program, bytes: Option<u64>) {
    let pid = Pid::from_raw(program.child.id() as i32).unwrap();
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(Some(pid), Resource::Fsize, limit).unwrap();
}

/// What `readyz` answers.
fn readiness(program: &Program) -> String {
    let answer = call(program.port, "GET /readyz", "");
    answer.split("\r\n\r\n").nth(1).unwrap().to_owned()
}

/// Waits until `readyz` answers what is expected.
fn wait_for_readiness(program: &Program, expected: impl Fn(&str) -> bool) {
    let began = Instant::now();
    loop {
        let answer = readiness(program);
        if expected(&answer) {
            return;
        }
        assert!(began.elapsed() < BELIEVED, "{answer}");
        std::thread::yield_now();
    }
}

fn unsaved() -> Ended {
    Ended {
        reason: Some("storage".to_owned()),
        code: Some(4000),
    }
}

/// Three people at a table who have made some moves.
async fn table(port: u16, names: [&str; 3]) -> (String, Vec<Person>) {
    let room = open(port, &json!({"game": "sticheln", "seats": 3}));
    let mut people = Vec::new();
    for name in names {
        people.push(Person::sit(port, &room, name).await);
    }
    assert_eq!(people[0].say(json!({"type": "start"})).await.unwrap(), "ok");
    assert!(play(&mut people, 4).await >= 4);
    (room, people)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_costs_nothing_that_was_acknowledged() {
    let folder = Folder::new();
    let admin = free_port();
    let told = ["--admin-port", &admin.to_string()];
    let program = start(&folder, &[&HASTY[..], &told].concat());
    let port = program.port;
    let figure = |line: &str| call(admin, "GET /metrics", "").contains(&format!("\n{line}\n"));
    let (room, mut people) = table(port, ["Ann", "Bob", "Cem"]).await;
    let (_, mut others) = table(port, ["Dan", "Eve", "Fay"]).await;
    for person in people.iter_mut().chain(&mut others) {
        person.look().await.unwrap();
    }
    let before = people[0].game.clone();
    let on_turn = people
        .iter()
        .position(|person| person.game["legal"].get(0).is_some());
    let on_turn = on_turn.unwrap();
    let action = people[on_turn].game["legal"][0].clone();
    let act = json!({"type": "act", "action": action});

    assert!(figure("sticheln_log_writable 1"));
    assert!(figure("sticheln_commit_failures_total 0"));
    limit_files(&program, Some(0));
    let refused = people[on_turn].say_as("under way", act.clone()).await;
    assert_eq!(refused, Err(unsaved()), "no acknowledgement");
    for (seat, person) in people.iter_mut().enumerate() {
        if seat != on_turn {
            assert_eq!(person.end().await, unsaved());
        }
    }
    // Who comes back is told why nothing can be done now; so is who wants to open a table.
    assert_eq!(
        Person::come(port, &room, "Ann").await.err(),
        Some(unsaved())
    );
    let refused = call(port, "POST /api/rooms", r#"{"game":"nyet","seats":4}"#);
    assert!(
        refused.starts_with("HTTP/1.1 503") && refused.contains("storage"),
        "{refused}"
    );
    wait_for_readiness(&program, |answer| {
        answer.contains("nothing that is decided can be written")
    });
    assert!(figure("sticheln_log_writable 0"));
    assert!(!figure("sticheln_commit_failures_total 0"));
    let health = Command::new(env!("CARGO_BIN_EXE_sticheln"))
        .args(["health", "--port", &port.to_string()])
        .output()
        .unwrap();
    assert_eq!(health.status.code(), Some(1));
    // Those who write nothing are left in peace.
    for person in &mut others {
        person.look().await.unwrap();
    }
    assert!(call(port, "GET /", "").starts_with("HTTP/1.1 200"));

    limit_files(&program, None);
    wait_for_readiness(&program, |answer| answer == "ready");
    let mut back = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        back.push(Person::come(port, &room, name).await.unwrap());
    }
    assert_eq!(
        back[0].game["view"], before["view"],
        "the table is as it was"
    );
    assert_eq!(
        back[on_turn].say_as("under way", act).await,
        Ok("ok".to_owned())
    );
    assert!(play(&mut back, 3).await >= 3);
    assert!(play(&mut others, 3).await >= 3);
    let (status, log) = program.end("-TERM");
    assert!(status.success());
    assert!(
        log.contains("nothing that is decided can be written"),
        "{log}"
    );
    assert!(
        log.contains("what is decided can be written again"),
        "{log}"
    );
    assert!(
        log.lines().count() < 60,
        "it is said once, not each time: {log}"
    );
}

/// A page of the log of one table is overwritten: that table rests, all others are played on, and
/// with a copy it is there again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_page_harms_the_table_whose_page_it_is() {
    const PAGE: usize = 4096;

    let folder = Folder::new();
    let copies = Folder::new();
    fs::create_dir(&copies.0).unwrap();
    let copy = copies.0.join("copy.db");
    let program = start(&folder, &HASTY);
    let (one, mut people) = table(program.port, ["Ann", "Bob", "Cem"]).await;
    // Its log is so long that pages are full of it.
    for number in 0..120 {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        let rename = json!({"type": "rename", "name": format!("Ann {number}")});
        for message in [ready, rename] {
            assert_eq!(people[0].say(message).await.unwrap(), "ok");
        }
    }
    let (other, _people) = table(program.port, ["Dan", "Eve", "Fay"]).await;
    let backup = Command::new(env!("CARGO_BIN_EXE_sticheln"))
        .args(["backup", copy.to_str().unwrap(), "--data-folder"])
        .arg(&folder.0)
        .status()
        .unwrap();
    assert!(backup.success());
    let (status, _) = program.end("-TERM");
    assert!(status.success());

    let file = folder.0.join("sticheln.db");
    let mut database = fs::read(&file).unwrap();
    let holds =
        |page: &[u8], text: &str| page.windows(text.len()).any(|part| part == text.as_bytes());
    let pages = database.chunks(PAGE).enumerate().skip(1);
    // In a leaf of the table of events, whole entries of renaming lie.
    let of_one = pages.filter(|(_, page)| holds(page, "renamed") && !holds(page, "opened"));
    let damaged: Vec<_> = of_one.map(|(number, _)| number).collect();
    assert!(damaged.len() > 2, "{damaged:?}");
    let at = damaged[damaged.len() / 2] * PAGE;
    database[at..at + PAGE].fill(0xa5);
    fs::write(&file, &database).unwrap();

    let program = start(&folder, &HASTY);
    let port = program.port;
    assert_eq!(Person::come(port, &one, "Ann").await.err(), Some(unsaved()));
    let mut others = Vec::new();
    for name in ["Dan", "Eve", "Fay"] {
        others.push(Person::come(port, &other, name).await.unwrap());
    }
    assert!(play(&mut others, 6).await >= 6);
    assert_eq!(Person::come(port, &one, "Bob").await.err(), Some(unsaved()));
    assert!(play(&mut others, 3).await >= 3);
    open(port, &json!({"game": "nyet", "seats": 4}));
    let (_, log) = program.end("-TERM");
    let is_told = |line: &str| line.contains("ERROR") && line.contains(&one);
    assert!(log.lines().any(is_told), "{log}");

    let restored = Command::new(env!("CARGO_BIN_EXE_sticheln"))
        .args(["restore", copy.to_str().unwrap(), "--data-folder"])
        .arg(&folder.0)
        .status()
        .unwrap();
    assert!(restored.success());
    let program = start(&folder, &HASTY);
    let mut people = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        people.push(Person::come(program.port, &one, name).await.unwrap());
    }
    assert!(play(&mut people, 3).await >= 3);
}

/// The server is told to end while a game is played, and a new one starts on the same folder:
/// everybody is told, comes back to the same cards, and what was under way can be sent again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_goes_on_after_the_end_of_the_server() {
    let folder = Folder::new();
    let program = start(&folder, &HASTY);
    let (room, mut people) = table(program.port, ["Ann", "Bob", "Cem"]).await;
    for person in &mut people {
        person.look().await.unwrap();
    }
    let before: Vec<_> = people
        .iter()
        .map(|person| person.game["view"].clone())
        .collect();
    let began = Instant::now();
    let (status, _) = program.end("-TERM");
    assert_eq!(status.code(), Some(0));
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "{:?}",
        began.elapsed()
    );
    for person in &mut people {
        let ended = person.end().await;
        assert_eq!(ended.reason.as_deref(), Some("restarting"));
        assert_eq!(ended.code, Some(4000));
    }

    let program = start(&folder, &HASTY);
    let mut back = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        back.push(Person::come(program.port, &room, name).await.unwrap());
    }
    let after: Vec<_> = back
        .iter()
        .map(|person| person.game["view"].clone())
        .collect();
    assert_eq!(before, after);
    assert!(play(&mut back, 6).await >= 6);
    assert!(began.elapsed() < PATIENCE);
}
