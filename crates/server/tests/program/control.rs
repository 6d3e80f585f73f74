//! The commands to a running server, over its control socket: `rooms`, `close`, `say` and `drain`.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::player::{Closed, Player, join_all};
use crate::process::{FAST_CLIENTS, PROGRAM, Program, open_room, send_request, start};

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];

/// Runs a command for the server with this data folder.
pub fn run(folder: &Folder, arguments: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command.args(["--data-folder", folder.text()]);
    command.output().unwrap()
}

/// The output of a command, which must succeed.
#[track_caller]
pub fn done(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The error of a command, which must be one sentence.
#[track_caller]
pub fn failed(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    let is_sentence = errors.lines().count() == 1 && errors.ends_with(".\n");
    assert!(is_sentence, "{errors}");
    errors
}

pub fn socket(folder: &Folder) -> PathBuf {
    folder.path().join("control.sock")
}

fn open(port: u16) -> String {
    open_room(port, &json!({"game": "sticheln", "seats": 3}))
}

/// The next message of this type.
async fn next(player: &mut Player, kind: &str) -> Value {
    loop {
        let message = player.next().await.unwrap();
        if message["type"] == kind {
            return message;
        }
    }
}

/// Waits until a person is told the time of a restart, or that there is none.
async fn restart_is_planned(player: &mut Player, is_planned: bool) {
    while player.room["table"].get("restart_at").is_some() != is_planned {
        player.next().await.unwrap();
    }
}

/// A game of three people that has begun.
async fn game(program: &Program) -> (String, Vec<Player>) {
    let room = open(program.port);
    let mut players = Vec::new();
    for name in NAMES {
        players.push(Player::sit(program.port, &room, name).await);
    }
    let start = players[0].request(json!({"type": "start"})).await;
    assert_eq!(start.unwrap(), "ok");
    (room, players)
}

/// Plays until nobody can act, so the round is over.
pub async fn play_round(players: &mut [Player]) {
    loop {
        let mut has_acted = false;
        for player in players.iter_mut() {
            if let Some(action) = player.legal().await.unwrap() {
                let act = json!({"type": "act", "action": action});
                has_acted |= player.request(act).await.unwrap() == "ok";
            }
        }
        if !has_acted {
            return;
        }
    }
}

#[tokio::test]
async fn rooms_lists_the_connections_to_awake_rooms() {
    let folder = Folder::new();
    let program = start(&folder, &["--room-idle-timeout-minutes", "0"]);
    let (awake, asleep) = (open(program.port), open(program.port));
    let _ann = Player::sit(program.port, &awake, "Ann").await;
    let _bob = Player::sit(program.port, &awake, "Bob").await;
    // It falls asleep when the last person leaves.
    drop(Player::sit(program.port, &asleep, "Cem").await);
    let here = |output: &str, room: &str| {
        let line = output.lines().find(|line| line.starts_with(room))?;
        Some(line.split_whitespace().last().unwrap().to_owned())
    };
    while here(&done(&folder, &["rooms"]), &asleep).as_deref() != Some("-") {
        tokio::task::yield_now().await;
    }
    let listed = done(&folder, &["rooms"]);
    assert_eq!(here(&listed, &awake).as_deref(), Some("2"), "{listed}");
    let listed = done(&folder, &["rooms", "--awake"]);
    assert_eq!(here(&listed, &awake).as_deref(), Some("2"));
    assert_eq!(here(&listed, &asleep), None);

    program.stop("-TERM");
    let listed = done(&folder, &["rooms"]);
    assert_eq!(here(&listed, &awake).as_deref(), Some("?"), "{listed}");
    assert!(failed(&folder, &["rooms", "--awake"]).contains("No server answers"));
}

#[tokio::test]
async fn say_shows_a_line_to_everybody() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let room = open(program.port);
    let mut ann = Player::sit(program.port, &room, "Ann").await;
    let said = done(&folder, &["say", "The server", "moves <b>at nine</b>."]);
    assert!(said.contains("told: 1."), "{said}");
    let notice = next(&mut ann, "notice").await;
    assert_eq!(notice["text"], "The server moves <b>at nine</b>.");
    let long = "x".repeat(201);
    for text in [" ", &long] {
        assert!(failed(&folder, &["say", text]).contains("1 to 200"));
    }
}

/// The data of the room is deleted by the next sweep, as that of rooms that have expired.
#[tokio::test]
async fn close_ends_a_room_for_good() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let (room, mut players) = game(&program).await;
    let other = open(program.port);
    let mut dora = Player::sit(program.port, &other, "Dora").await;
    done(&folder, &["close", &room]);
    for player in &mut players {
        let closed = Closed {
            reason: None,
            code: Some(4006),
        };
        assert_eq!(player.closed().await, closed);
    }
    let status = |room: &str| {
        let request = format!("GET /api/rooms/{room}");
        send_request(program.port, &request, "").status
    };
    assert_eq!((status(&room), status(&other)), (404, 200));
    let mut late = Player::connect(program.port, &room).await;
    assert_eq!(late.closed().await.code, Some(4004));
    dora.sync().await.unwrap();
    assert!(failed(&folder, &["close", &room]).contains("no such room"));
    let (_, log) = program.stop("-TERM");
    assert!(!log.contains("ERROR") && !log.contains("panicked"), "{log}");
}

#[tokio::test]
async fn a_room_that_sleeps_is_closed_too() {
    let folder = Folder::new();
    let program = start(&folder, &["--room-idle-timeout-minutes", "0"]);
    let room = open(program.port);
    drop(Player::sit(program.port, &room, "Ann").await);
    while done(&folder, &["rooms", "--awake"]).contains(&room) {
        tokio::task::yield_now().await;
    }
    done(&folder, &["close", &room]);
    let mut late = Player::connect(program.port, &room).await;
    assert_eq!(late.closed().await.code, Some(4004));
}

/// The round is played to its end, no other is dealt, and the server ends by itself. After the restart the game goes on.
#[tokio::test]
async fn drain_waits_for_the_end_of_rounds() {
    let folder = Folder::new();
    let mut program = start(&folder, &FAST_CLIENTS);
    let (room, mut players) = game(&program).await;
    let waiting = open(program.port);
    let mut dora = Player::sit(program.port, &waiting, "Dora").await;
    let drained = done(&folder, &["drain", "--in", "1h"]);
    assert!(drained.contains("being played: 1."), "{drained}");
    for player in players.iter_mut().chain([&mut dora]) {
        restart_is_planned(player, true).await;
    }
    // Newcomers see it too, also in a room that is opened now.
    let late = open(program.port);
    let eve = Player::sit(program.port, &late, "Eve").await;
    assert!(eve.room["table"]["restart_at"].is_u64());
    play_round(&mut players).await;
    for player in &mut players {
        let ready = player.request(json!({"type": "ready", "ready": true}));
        assert_eq!(ready.await.unwrap(), "ok");
    }
    for player in &mut players {
        let closed = player.closed().await;
        assert_eq!(closed.reason.as_deref(), Some("restarting"));
        assert_eq!(closed.code, Some(4000));
    }
    assert_eq!(program.child.wait().unwrap().code(), Some(0));
    assert!(!socket(&folder).exists());

    let program = start(&folder, &FAST_CLIENTS);
    let mut players = join_all(program.port, &room, NAMES).await;
    while players[0].legal().await.unwrap().is_none() {}
    assert_eq!(players[0].game["view"]["table"]["round"], 2);
    assert!(players[0].room["table"].get("restart_at").is_none());
}

#[tokio::test]
async fn drain_ends_the_server_in_the_middle_of_a_round_when_the_time_is_over() {
    let folder = Folder::new();
    let mut program = start(&folder, &[]);
    let (room, mut players) = game(&program).await;
    done(&folder, &["drain", "--in", "1s"]);
    assert_eq!(players[0].closed().await.code, Some(4000));
    assert_eq!(program.child.wait().unwrap().code(), Some(0));
    let program = start(&folder, &[]);
    let mut players = join_all(program.port, &room, NAMES).await;
    assert!(players[0].legal().await.unwrap().is_some());
}

#[tokio::test]
async fn drain_can_be_called_off() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    assert!(failed(&folder, &["drain", "--cancel"]).contains("No restart is planned"));
    let room = open(program.port);
    let mut ann = Player::sit(program.port, &room, "Ann").await;
    done(&folder, &["drain"]);
    restart_is_planned(&mut ann, true).await;
    done(&folder, &["drain", "--cancel"]);
    restart_is_planned(&mut ann, false).await;
    assert!(failed(&folder, &["drain", "--in", "25h"]).contains("at most 24 h"));
    for time in ["10", "m", "-1m", "1d", "ä"] {
        let output = run(&folder, &["drain", &format!("--in={time}")]);
        assert_eq!(output.status.code(), Some(2), "{time}");
    }
}

#[tokio::test]
async fn only_the_user_of_the_server_can_open_the_control_socket() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let about = fs::symlink_metadata(socket(&folder)).unwrap();
    assert!(about.file_type().is_socket());
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    program.stop("-TERM");
    assert!(!socket(&folder).exists());
}

/// A killed server leaves its socket behind.
#[tokio::test]
async fn a_socket_without_a_server_is_replaced() {
    let folder = Folder::new();
    start(&folder, &[]).stop("-KILL");
    assert!(socket(&folder).exists());
    assert!(failed(&folder, &["rooms", "--awake"]).contains("No server answers"));
    let program = start(&folder, &[]);
    done(&folder, &["rooms", "--awake"]);
    program.stop("-TERM");
}

/// As on a volume that cannot hold sockets.
#[tokio::test]
async fn a_server_runs_on_without_a_control_socket() {
    let folder = Folder::create();
    let file = folder.path().join("file");
    fs::write(&file, "kept").unwrap();
    let other = folder.path().join("other");
    let _other = UnixListener::bind(&other).unwrap();
    let missing = folder.path().join("missing/control.sock");
    for path in [&file, &other, &missing] {
        let path = path.to_str().unwrap();
        let program = start(&folder, &["--control-socket", path]);
        open(program.port);
        let (_, log) = program.stop("-TERM");
        assert!(log.contains("there is no control socket"), "{log}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    assert!(other.exists(), "another program listens there");

    let program = start(&folder, &["--control-socket", "off"]);
    assert!(!socket(&folder).exists());
    let off = ["say", "Hello", "--control-socket", "off"];
    assert!(failed(&folder, &off).contains("is off"));
    let (_, log) = program.stop("-TERM");
    assert!(!log.contains("control socket"), "{log}");
}
