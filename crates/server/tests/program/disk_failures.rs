//! A disk that takes nothing more, a database that is damaged, and an end in the middle of a game.

use std::fs;
use std::io::{ErrorKind, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::disk::Disk;
use crate::table::{Ended, HASTY, Person, open, play};
use crate::{Folder, Program, call, free_port, start};

pub const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];
const OTHERS: [&str; 3] = ["Dan", "Eve", "Fay"];
/// What is told of a disk that takes nothing more, of one that takes nothing at all, and of either.
const FULL: &str = "the disk is full; changes cannot be saved";
const FAILING: &str = "the disk cannot be written; changes cannot be saved";
const UNWRITTEN: &str = "changes cannot be saved";

/// How long a server may believe what it found out about its disk, and some more.
const BELIEVED: Duration = Duration::from_secs(15);

/// How long the files of a program may be from now on; `None`: as long as they like.
pub fn limit_files(program: &Program, bytes: Option<u64>) {
    let pid = Pid::from_raw(program.child.id() as i32).unwrap();
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(Some(pid), Resource::Fsize, limit).unwrap();
}

/// What `readyz` answers.
fn readiness(port: u16) -> String {
    let answer = call(port, "GET /readyz", "");
    answer.split("\r\n\r\n").nth(1).unwrap().to_owned()
}

/// Waits until `readyz` answers what is expected.
pub fn wait_for_readiness(port: u16, expected: impl Fn(&str) -> bool) {
    let began = Instant::now();
    loop {
        let answer = readiness(port);
        if expected(&answer) {
            return;
        }
        assert!(began.elapsed() < BELIEVED, "{answer}");
        std::thread::yield_now();
    }
}

/// What a program is started with that tells its figures on this port.
fn telling(admin: &str) -> Vec<&str> {
    [&HASTY[..], &["--admin-port", admin]].concat()
}

/// Whether such a line is among the figures.
fn figure(admin: u16, line: &str) -> bool {
    call(admin, "GET /metrics", "").contains(&format!("\n{line}\n"))
}

/// Those who were at a table come back.
pub async fn all_come(port: u16, room: &str, names: [&str; 3]) -> Vec<Person> {
    let mut back = Vec::new();
    for name in names {
        back.push(Person::come(port, room, name).await.unwrap());
    }
    back
}

pub fn unsaved() -> Ended {
    Ended {
        reason: Some("storage".to_owned()),
        code: Some(4000),
    }
}

/// Three people at a table who have made some moves.
pub async fn table(port: u16, names: [&str; 3]) -> (String, Vec<Person>) {
    let room = open(port, &json!({"game": "sticheln", "seats": 3}));
    let mut people = Vec::new();
    for name in names {
        people.push(Person::sit(port, &room, name).await);
    }
    assert_eq!(people[0].say(json!({"type": "start"})).await.unwrap(), "ok");
    assert!(play(&mut people, 4).await >= 4);
    (room, people)
}

/// One table where somebody is about to move, and another where nobody writes anything for a while.
struct Tables {
    room: String,
    people: Vec<Person>,
    others_room: String,
    others: Vec<Person>,
    /// Whose turn it is, and what he does.
    on_turn: usize,
    act: Value,
    /// What the first of them sees.
    seen: Value,
}

impl Tables {
    async fn laid(port: u16) -> Self {
        let (room, mut people) = table(port, NAMES).await;
        let (others_room, mut others) = table(port, OTHERS).await;
        for person in people.iter_mut().chain(&mut others) {
            person.look().await.unwrap();
        }
        let mut legal = people.iter().map(|person| &person.game["legal"]);
        let on_turn = legal.position(|legal| legal.get(0).is_some()).unwrap();
        let action = &people[on_turn].game["legal"][0];
        Self {
            act: json!({"type": "act", "action": action}),
            seen: people[0].game["view"].clone(),
            on_turn,
            room,
            people,
            others_room,
            others,
        }
    }

    /// What people see, and whoever runs the server, while nothing can be written: `told` says why.
    async fn meet_trouble(&mut self, port: u16, admin: u16, told: &str) {
        let act = self.act.clone();
        let refused = self.people[self.on_turn].say_as("under way", act).await;
        assert_eq!(refused, Err(unsaved()), "no acknowledgement");
        for (seat, person) in self.people.iter_mut().enumerate() {
            if seat != self.on_turn {
                assert_eq!(person.end().await, unsaved());
            }
        }
        // Who comes back is told why nothing can be done now; so is who wants to open a table.
        let refused = Person::come(port, &self.room, NAMES[0]).await;
        assert_eq!(refused.err(), Some(unsaved()));
        let refused = call(port, "POST /api/rooms", r#"{"game":"nyet","seats":4}"#);
        assert!(
            refused.starts_with("HTTP/1.1 503") && refused.contains("storage"),
            "{refused}"
        );
        wait_for_readiness(port, |answer| answer.contains(told));
        assert!(figure(admin, "sticheln_log_writable 0"));
        assert!(!figure(admin, "sticheln_commit_failures_total 0"));
        let health = Command::new(env!("CARGO_BIN_EXE_sticheln"))
            .args(["health", "--port", &port.to_string()])
            .output()
            .unwrap();
        assert_eq!(health.status.code(), Some(1));
        // Those who write nothing are left in peace.
        for person in &mut self.others {
            person.look().await.unwrap();
        }
        assert!(call(port, "GET /", "").starts_with("HTTP/1.1 200"));
    }

    /// Who was closed comes back to the table as it was as soon as something can be written, and
    /// what was under way is done once.
    async fn go_on(mut self, port: u16) {
        let mut back = all_come(port, &self.room, NAMES).await;
        assert_eq!(back[0].game["view"], self.seen, "the table is as it was");
        let again = back[self.on_turn].say_as("under way", self.act).await;
        assert_eq!(again, Ok("ok".to_owned()));
        assert!(play(&mut back, 3).await >= 3);
        assert!(play(&mut self.others, 3).await >= 3);
        wait_for_readiness(port, |answer| answer == "ready");
    }
}

/// A program that meets trouble while people play, and is rid of it again.
async fn costs_nothing_that_was_acknowledged(
    start: impl Fn(&[&str]) -> Program,
    told: &str,
    begin: impl Fn(&Program),
    end: impl Fn(&Program),
) {
    let admin = free_port();
    let program = start(&telling(&admin.to_string()));
    let port = program.port;
    let mut tables = Tables::laid(port).await;
    assert!(figure(admin, "sticheln_log_writable 1"));
    assert!(figure(admin, "sticheln_commit_failures_total 0"));
    begin(&program);
    tables.meet_trouble(port, admin, told).await;
    end(&program);
    tables.go_on(port).await;
    let (status, log) = program.end("-TERM");
    assert!(status.success());
    assert!(log.contains(told), "{log}");
    assert!(log.contains("changes can be saved again"), "{log}");
    assert!(
        log.lines().count() < 60,
        "it is said once, not each time: {log}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_may_not_grow_cost_nothing_that_was_acknowledged() {
    let folder = Folder::new();
    let start = |settings: &[&str]| start(&folder, settings);
    let begin = |program: &Program| limit_files(program, Some(0));
    let end = |program: &Program| {
        limit_files(program, None);
        // It finds that out by itself, though nobody writes.
        wait_for_readiness(program.port, |answer| answer == "ready");
    };
    // The database tells this from a full disk no better than from one that fails.
    costs_nothing_that_was_acknowledged(start, UNWRITTEN, begin, end).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_costs_nothing_that_was_acknowledged() {
    let Some(disk) = Disk::in_memory() else {
        return;
    };
    let start = |settings: &[&str]| disk.start(settings);
    let ballast = |program: &Program| disk.seen_by(program).join("ballast");
    let fill = |program: &Program| {
        let mut file = fs::File::create(ballast(program)).unwrap();
        let full = loop {
            if let Err(error) = file.write_all(&[0; 4096]) {
                break error.kind();
            }
        };
        assert_eq!(full, ErrorKind::StorageFull);
    };
    let free = |program: &Program| fs::remove_file(ballast(program)).unwrap();
    costs_nothing_that_was_acknowledged(start, FULL, fill, free).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_nobody_may_change_cost_nothing_that_was_acknowledged() {
    let Some(disk) = Disk::in_file() else {
        return;
    };
    let start = |settings: &[&str]| disk.start(settings);
    let change = |program: &Program, how: &str| {
        let mut change = Command::new("chattr");
        change.args(["-R", how]).arg(disk.seen_by(program));
        assert!(change.status().unwrap().success());
    };
    let forbid = |program: &Program| {
        // Who reads has to have begun: where a file in memory may no longer be written, the system ends
        // whoever is the first to note there what he reads.
        call(program.port, "GET /api/rooms", "");
        change(program, "+i");
    };
    let allow = |program: &Program| change(program, "-i");
    costs_nothing_that_was_acknowledged(start, FAILING, forbid, allow).await;
}

/// The system finds an error on the disk, and lets nobody write there any more. Once it was looked
/// through, a new program goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_fails_costs_nothing_that_was_acknowledged() {
    let Some(disk) = Disk::in_file() else {
        return;
    };
    let admin = free_port();
    let program = disk.start(&telling(&admin.to_string()));
    let mut tables = Tables::laid(program.port).await;
    if disk.fail(&program).is_none() {
        return;
    }
    tables.meet_trouble(program.port, admin, FAILING).await;
    let (status, log) = program.end("-TERM");
    assert!(status.success() && log.contains(FAILING), "{log}");
    for person in &mut tables.others {
        assert_eq!(person.end().await.reason.as_deref(), Some("restarting"));
    }

    disk.repair();
    let program = disk.start(&HASTY);
    tables.others = all_come(program.port, &tables.others_room, OTHERS).await;
    tables.go_on(program.port).await;
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
    let (status, log) = program.end("-TERM");
    assert_eq!(status.code(), Some(0));
    assert!(!log.contains("not everything could be closed"), "{log}");
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
}
