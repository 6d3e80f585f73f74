//! Full and failing disks, a corrupt database, and a restart in a game.

use std::fs;
use std::io::{ErrorKind, Write};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::disk::Disk;
use crate::player::{Closed, Player, join_all, play};
use crate::process::{
    FAST_CLIENTS, PROGRAM, Program, free_port, open_room, send_request, start, startup_error,
};

pub const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];
const OTHERS: [&str; 3] = ["Dan", "Eve", "Fay"];
/// The texts of `/readyz` for a full disk, for a failing disk, and for both.
const FULL: &str = "the disk is full; changes cannot be saved";
const FAILING: &str = "the disk cannot be written; changes cannot be saved";
const UNWRITTEN: &str = "changes cannot be saved";

/// The longest time until the server notices a change of its disk.
const DETECTION_TIMEOUT: Duration = Duration::from_secs(15);

/// Limits the size of the files of a program; `None` removes the limit.
pub fn limit_files(program: &Program, bytes: Option<u64>) {
    let pid = Pid::from_raw(program.child.id() as i32).unwrap();
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    prlimit(Some(pid), Resource::Fsize, limit).unwrap();
}

/// Waits until the text of `/readyz` is as expected.
pub fn wait_for_readiness(port: u16, expected: impl Fn(&str) -> bool) {
    let started = Instant::now();
    loop {
        let reply = send_request(port, "GET /readyz", "");
        if expected(reply.text()) {
            return;
        }
        assert!(started.elapsed() < DETECTION_TIMEOUT, "{reply:?}");
        std::thread::yield_now();
    }
}

/// The arguments of a program with an admin listener on this port.
fn with_admin_port(admin: &str) -> Vec<&str> {
    [&FAST_CLIENTS[..], &["--admin-port", admin]].concat()
}

/// Whether the metrics contain this line.
fn has_metric(admin: u16, line: &str) -> bool {
    let reply = send_request(admin, "GET /metrics", "");
    reply.text().lines().any(|other| other == line)
}

/// The end of a connection to a damaged room.
pub const DAMAGED: Closed = Closed {
    reason: None,
    code: Some(4005),
};

/// The end of a socket when a change cannot be saved.
pub fn unsaved() -> Closed {
    Closed {
        reason: Some("storage".to_owned()),
        code: Some(4000),
    }
}

/// A room in which three players have made some moves.
pub async fn room_in_play(port: u16, names: [&str; 3]) -> (String, Vec<Player>) {
    let room = open_room(port, &json!({"game": "sticheln", "seats": 3}));
    let mut players = Vec::new();
    for name in names {
        players.push(Player::sit(port, &room, name).await);
    }
    assert_eq!(
        players[0].request(json!({"type": "start"})).await.unwrap(),
        "ok"
    );
    assert!(play(&mut players, 4).await >= 4);
    (room, players)
}

/// A room with a pending move, and another room without changes.
struct Rooms {
    room: String,
    players: Vec<Player>,
    others_room: String,
    others: Vec<Player>,
    /// The player on turn, and their move.
    on_turn: usize,
    act: Value,
    /// The view of the first player.
    view: Value,
}

impl Rooms {
    async fn open(port: u16) -> Self {
        let (room, mut players) = room_in_play(port, NAMES).await;
        let (others_room, mut others) = room_in_play(port, OTHERS).await;
        for player in players.iter_mut().chain(&mut others) {
            player.sync().await.unwrap();
        }
        let mut legal = players.iter().map(|player| &player.game["legal"]);
        let on_turn = legal.position(|legal| legal.get(0).is_some()).unwrap();
        let action = &players[on_turn].game["legal"][0];
        Self {
            act: json!({"type": "act", "action": action}),
            view: players[0].game["view"].clone(),
            on_turn,
            room,
            players,
            others_room,
            others,
        }
    }

    /// Checks the behaviour while no change can be saved. `readiness` is the text of `/readyz`.
    async fn check_failure(&mut self, port: u16, admin: u16, readiness: &str) {
        let act = self.act.clone();
        let refused = self.players[self.on_turn]
            .request_with_id("pending", act)
            .await;
        assert_eq!(refused, Err(unsaved()), "no acknowledgement");
        for (seat, player) in self.players.iter_mut().enumerate() {
            if seat != self.on_turn {
                assert_eq!(player.closed().await, unsaved());
            }
        }
        // New sockets and openings get the reason.
        let refused = Player::join(port, &self.room, NAMES[0]).await;
        assert_eq!(refused.err(), Some(unsaved()));
        let refused = send_request(port, "POST /api/rooms", r#"{"game":"nyet","seats":4}"#);
        refused.refused(503, "storage");
        wait_for_readiness(port, |answer| answer.contains(readiness));
        assert!(has_metric(admin, "sticheln_database_writable 0"));
        assert!(!has_metric(admin, "sticheln_commit_failures_total 0"));
        let health = Command::new(PROGRAM)
            .args(["health", "--port", &port.to_string()])
            .output()
            .unwrap();
        assert_eq!(health.status.code(), Some(1));
        let reason = String::from_utf8(health.stderr).unwrap();
        assert!(reason.contains(readiness), "{reason}");
        // Players without changes stay connected.
        for player in &mut self.others {
            player.sync().await.unwrap();
        }
        assert_eq!(send_request(port, "GET /", "").status, 200);
    }

    /// Checks that the players come back to the same state after the repair, and that the pending
    /// move is done once.
    async fn check_recovery(mut self, port: u16) {
        let mut back = join_all(port, &self.room, NAMES).await;
        assert_eq!(back[0].game["view"], self.view, "the state is unchanged");
        let again = back[self.on_turn]
            .request_with_id("pending", self.act)
            .await;
        assert_eq!(again, Ok("ok".to_owned()));
        assert!(play(&mut back, 3).await >= 3);
        assert!(play(&mut self.others, 3).await >= 3);
        wait_for_readiness(port, |answer| answer == "ready");
    }
}

/// Checks a failure that begins in a game and ends again.
async fn check_no_loss(
    start: impl Fn(&[&str]) -> Program,
    readiness: &str,
    begin: impl Fn(&Program),
    end: impl Fn(&Program),
) {
    let admin = free_port();
    let program = start(&with_admin_port(&admin.to_string()));
    let port = program.port;
    let mut rooms = Rooms::open(port).await;
    assert!(has_metric(admin, "sticheln_database_writable 1"));
    assert!(has_metric(admin, "sticheln_commit_failures_total 0"));
    begin(&program);
    rooms.check_failure(port, admin, readiness).await;
    end(&program);
    rooms.check_recovery(port).await;
    let (status, log) = program.stop("-TERM");
    assert!(status.success());
    assert!(log.contains(readiness), "{log}");
    assert!(log.contains("changes can be saved again"), "{log}");
    let errors = log.lines().filter(|line| line.contains("ERROR"));
    assert_eq!(errors.count(), 1, "not each time: {log}");
    assert!(log.lines().count() < 60, "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_size_limit_loses_no_acknowledged_change() {
    let folder = Folder::new();
    let start = |settings: &[&str]| start(&folder, settings);
    let begin = |program: &Program| limit_files(program, Some(0));
    let end = |program: &Program| {
        limit_files(program, None);
        // The server detects it without a change.
        wait_for_readiness(program.port, |answer| answer == "ready");
    };
    // SQLite cannot distinguish this from a full or failing disk.
    check_no_loss(start, UNWRITTEN, begin, end).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_no_acknowledged_change() {
    let Some(disk) = Disk::in_memory() else {
        return;
    };
    let start = |settings: &[&str]| disk.start(settings);
    let ballast = |program: &Program| disk.path_through(program).join("ballast");
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
    check_no_loss(start, FULL, fill, free).await;
}

#[test]
fn a_server_does_not_start_on_a_full_disk() {
    let Some(disk) = Disk::full() else {
        return;
    };
    let error = startup_error(disk.command(free_port(), &[]));
    assert!(error.contains("No space left"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn immutable_files_lose_no_acknowledged_change() {
    let Some(disk) = Disk::in_file() else {
        return;
    };
    // A socket has no such attribute.
    let start = |settings: &[&str]| disk.start(&[settings, &["--control-socket", "off"]].concat());
    let change = |program: &Program, how: &str| {
        let mut change = Command::new("chattr");
        change.args(["-R", how]).arg(disk.path_through(program));
        assert!(change.status().unwrap().success());
    };
    let forbid = |program: &Program| {
        // The first read has to be earlier, because it writes to the shared memory of the write-ahead
        // log. The system kills a process that does that in an immutable file.
        send_request(program.port, "GET /api/rooms", "");
        change(program, "+i");
    };
    let allow = |program: &Program| change(program, "-i");
    check_no_loss(start, FAILING, forbid, allow).await;
}

/// The file system becomes read-only after an error. After a repair, a new program continues.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_disk_loses_no_acknowledged_change() {
    let Some(disk) = Disk::in_file() else {
        return;
    };
    let admin = free_port();
    let program = disk.start(&with_admin_port(&admin.to_string()));
    let mut rooms = Rooms::open(program.port).await;
    if disk.fail(&program).is_none() {
        return;
    }
    rooms.check_failure(program.port, admin, FAILING).await;
    let (status, log) = program.stop("-TERM");
    assert!(status.success() && log.contains(FAILING), "{log}");
    for player in &mut rooms.others {
        assert_eq!(player.closed().await.reason.as_deref(), Some("restarting"));
    }

    disk.repair();
    let program = disk.start(&FAST_CLIENTS);
    rooms.others = join_all(program.port, &rooms.others_room, OTHERS).await;
    rooms.check_recovery(program.port).await;
}

/// A page of the log of one room is overwritten. The other rooms continue, and a backup restores
/// the corrupt one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_page_affects_only_its_own_room() {
    const PAGE: usize = 4096;

    let folder = Folder::new();
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let program = start(&folder, &FAST_CLIENTS);
    let (one, mut players) = room_in_play(program.port, NAMES).await;
    // Its log fills whole pages of the database.
    for number in 0..120 {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        let rename = json!({"type": "rename", "name": format!("Ann {number}")});
        for message in [ready, rename] {
            assert_eq!(players[0].request(message).await.unwrap(), "ok");
        }
    }
    let (other, _people) = room_in_play(program.port, OTHERS).await;
    let backup = Command::new(PROGRAM)
        .args(["backup", copy.to_str().unwrap(), "--data-folder"])
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(backup.success());
    let (status, _) = program.stop("-TERM");
    assert!(status.success());

    let file = folder.database();
    let mut database = fs::read(&file).unwrap();
    let holds =
        |page: &[u8], text: &str| page.windows(text.len()).any(|part| part == text.as_bytes());
    let pages = database.chunks(PAGE).enumerate().skip(1);
    // Leaf pages of the table `older_entry` contain whole entries of renames.
    let of_one = pages.filter(|(_, page)| holds(page, "renamed") && !holds(page, "opened"));
    let leaves: Vec<_> = of_one.map(|(number, _)| number).collect();
    assert!(leaves.len() > 2, "{leaves:?}");
    let at = leaves[leaves.len() / 2] * PAGE;
    database[at..at + PAGE].fill(0xa5);
    fs::write(&file, &database).unwrap();

    let program = start(&folder, &FAST_CLIENTS);
    let port = program.port;
    assert_eq!(Player::join(port, &one, "Ann").await.err(), Some(DAMAGED));
    let mut others = join_all(port, &other, OTHERS).await;
    assert!(play(&mut others, 6).await >= 6);
    assert_eq!(Player::join(port, &one, "Bob").await.err(), Some(DAMAGED));
    assert!(play(&mut others, 3).await >= 3);
    open_room(port, &json!({"game": "nyet", "seats": 4}));
    let (_, log) = program.stop("-TERM");
    let logged = log.lines().filter(|line| line.contains("ERROR"));
    let logged: Vec<_> = logged.collect();
    assert!(
        logged.len() == 1 && logged[0].contains(&one),
        "it is logged once: {log}"
    );

    let restored = Command::new(PROGRAM)
        .args(["restore", copy.to_str().unwrap(), "--data-folder"])
        .arg(folder.path())
        .status()
        .unwrap();
    assert!(restored.success());
    let program = start(&folder, &FAST_CLIENTS);
    let mut players = join_all(program.port, &one, NAMES).await;
    assert!(play(&mut players, 3).await >= 3);
}

/// The server shuts down during a game, and a new one starts with the same folder. All players are sent `closing`,
/// and come back to the same state.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_continues_after_a_restart() {
    let folder = Folder::new();
    let program = start(&folder, &FAST_CLIENTS);
    let (room, mut players) = room_in_play(program.port, NAMES).await;
    for player in &mut players {
        player.sync().await.unwrap();
    }
    let before: Vec<_> = players
        .iter()
        .map(|player| player.game["view"].clone())
        .collect();
    let (status, log) = program.stop("-TERM");
    assert_eq!(status.code(), Some(0));
    assert!(!log.contains("not everything could be closed"), "{log}");
    for player in &mut players {
        let closed = player.closed().await;
        assert_eq!(closed.reason.as_deref(), Some("restarting"));
        assert_eq!(closed.code, Some(4000));
    }

    let program = start(&folder, &FAST_CLIENTS);
    let mut back = join_all(program.port, &room, NAMES).await;
    let after: Vec<_> = back
        .iter()
        .map(|player| player.game["view"].clone())
        .collect();
    assert_eq!(before, after);
    assert!(play(&mut back, 6).await >= 6);
}
