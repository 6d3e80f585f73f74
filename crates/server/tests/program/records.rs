//! The commands `export` and `import`: records of games of a running server.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::control::{done, failed, play_round, run, socket};
use crate::player::{Player, play};
use crate::process::{FAST_CLIENTS, PROGRAM, Program, open_room, send_request, start};

const NAMES: [&str; 3] = ["Anselm", "Babette", "Cunibert"];
/// Runs a program that can write files of at most a kilobyte, which is less than a record has.
const WITH_SMALL_FILES: &str = r#"trap '' XFSZ; ulimit -f 1; exec "$0" "$@""#;
/// More moves than two rounds have.
const ALL_MOVES: usize = 1000;

/// A game of two rounds after its first one, and the id of its replay.
async fn in_second_round(program: &Program) -> (Vec<Player>, String) {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    let room = json!({"game": "sticheln", "seats": 3, "options": options});
    let room = open_room(program.port, &room);
    let mut players = Vec::new();
    for name in NAMES {
        players.push(Player::sit(program.port, &room, name).await);
    }
    let start = players[0].request(json!({"type": "start"})).await;
    assert_eq!(start.unwrap(), "ok");
    play_round(&mut players).await;
    players[0].sync().await.unwrap();
    let id = players[0].room["table"]["replay"].as_str().unwrap();
    let id = id.to_owned();
    (players, id)
}

/// The answer to a request for a replay, which is given.
fn replay(program: &Program, path: &str) -> Value {
    let reply = send_request(program.port, &format!("GET /api/games/{path}"), "");
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

/// A replay of a round without the parts that an import changes: revisions, times, and steps without events.
fn round_without_imported_differences(mut round: Value) -> Value {
    let steps = round["steps"].as_array_mut().unwrap();
    steps.retain(|step| step.get("events").is_some());
    for step in steps {
        step["rev"] = Value::Null;
        step["at"] = Value::Null;
    }
    round
}

/// A record without the values that an import changes: times and actors.
fn record_without_imported_differences(record: &str) -> Value {
    let mut record: Value = serde_json::from_str(record).unwrap();
    for round in record["rounds"].as_array_mut().unwrap() {
        round["at"] = Value::Null;
        for one in round["moves"].as_array_mut().unwrap() {
            one["at"] = Value::Null;
            one["by"] = Value::Null;
        }
    }
    record
}

/// The rest of the line that begins so.
#[track_caller]
fn after<'a>(output: &'a str, beginning: &str) -> &'a str {
    let mut lines = output.lines();
    let rest = lines.find_map(|line| line.strip_prefix(beginning));
    rest.unwrap_or_else(|| panic!("{output}"))
}

/// The line of the response to a request on the control socket.
fn ask(folder: &Folder, request: &Value) -> Value {
    let mut stream = UnixStream::connect(socket(folder)).unwrap();
    writeln!(stream, "{request}").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

/// Asserts that a failed export leaves neither a new file nor a part of one, and an old file as it was.
#[track_caller]
fn nothing_changes_without_space(folder: &Folder, id: &str) {
    let old = folder.path().join("game.json");
    let before = fs::read_to_string(&old).unwrap();
    let files = || fs::read_dir(folder.path()).unwrap().count();
    let files_before = files();
    for (name, options) in [("new.json", &[][..]), ("game.json", &["--replace"])] {
        let mut command = Command::new("sh");
        command.args(["-c", WITH_SMALL_FILES, PROGRAM, "export", id, "-o"]);
        command.arg(folder.path().join(name)).args(options);
        let output = command
            .args(["--data-folder", folder.text()])
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("cannot be written"), "{errors}");
    }
    assert_eq!(fs::read_to_string(&old).unwrap(), before);
    assert_eq!(files(), files_before);
}

#[tokio::test]
async fn a_game_is_exported_and_imported_again() {
    let folder = Folder::new();
    let program = start(&folder, &FAST_CLIENTS);
    let (mut players, id) = in_second_round(&program).await;
    assert!(failed(&folder, &["export", &id]).contains("not over"));
    play(&mut players, ALL_MOVES).await;
    // The operator needs no right of a reader.
    let configure = json!({"type": "configure", "replays": "everybody"});
    assert_eq!(players[0].request(configure).await.unwrap(), "ok");
    let original = [1, 2].map(|round| replay(&program, &format!("{id}/rounds/{round}")));
    let configure = json!({"type": "configure", "replays": "nobody"});
    assert_eq!(players[0].request(configure).await.unwrap(), "ok");
    let record = done(&folder, &["export", &id]);
    assert_eq!(record.lines().count(), 1);
    let link = format!("https://table.example/cards/g/{id}#r2.t7.c3.s1");
    assert_eq!(done(&folder, &["export", &link]), record);

    let file = folder.path().join("game.json");
    let path = file.to_str().unwrap();
    done(&folder, &["export", &id, "--no-names", "-o", path]);
    let unnamed = fs::read_to_string(&file).unwrap();
    assert!(NAMES.iter().all(|name| !unnamed.contains(name)));
    let refused = failed(&folder, &["export", &id, "-o", path]);
    assert!(refused.contains("exists already; `--replace`"), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), unnamed);
    done(&folder, &["export", &id, "--replace", "-o", path]);
    assert_eq!(fs::read_to_string(&file).unwrap(), record);
    nothing_changes_without_space(&folder, &id);
    let imported = done(&folder, &["import", path]);
    assert!(imported.starts_with("The record is valid: a game of sticheln with 3 seats.\n"));
    let page = format!("http://localhost:{}/", program.port);
    let copy = after(&imported, &format!("The replay: {page}g/"));
    let room = after(&imported, &format!("The table: {page}t/"));

    // What is saved survives the end of the server.
    drop(players);
    program.stop("-KILL");
    let program = start(&folder, &FAST_CLIENTS);
    let game = replay(&program, copy);
    assert_eq!(game["imported"], true);
    assert_eq!(game["status"], "over");
    let player = |name: &str| json!({"kind": "person", "name": name});
    assert_eq!(game["players"], json!(NAMES.map(player)));
    for (round, original) in (1..).zip(original) {
        let round = replay(&program, &format!("{copy}/rounds/{round}"));
        assert_eq!(
            round_without_imported_differences(round),
            round_without_imported_differences(original)
        );
    }
    let again = done(&folder, &["export", copy]);
    assert_eq!(
        record_without_imported_differences(&again),
        record_without_imported_differences(&record)
    );
    goes_on(&program, copy, room).await;
}

/// People find the table, and play on from the middle of the game.
async fn goes_on(program: &Program, replay_id: &str, room: &str) {
    let ann = Player::join(program.port, room, "Ann").await.unwrap();
    let table = &ann.room["table"];
    assert_eq!(table["phase"], "over");
    assert_eq!(table["replay"], json!(replay_id));
    assert_eq!(table["listed"], false);
    let round = replay(program, &format!("{replay_id}/rounds/2"));
    let rev = &round["steps"][20]["rev"];
    let play_on = json!({"replay": replay_id, "round": 2, "rev": rev});
    let room = json!({"game": "sticheln", "seats": 3, "play_on": play_on});
    let room = open_room(program.port, &room);
    let dan = Player::join(program.port, &room, "Dan").await.unwrap();
    let position = &dan.room["table"]["played_on"];
    assert_eq!(position["replay"], json!(replay_id));
    assert_eq!(position["moves"], 20);
}

#[tokio::test]
async fn invalid_records_are_not_imported() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let page = include_str!("../../../../docs/record.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    let example = rest.split_once("```").unwrap().0;
    let file = folder.path().join("game.json");
    let path = file.to_str().unwrap();
    let wrong = example.replace(r#""ranks": [3, 2, 1]"#, r#""ranks": [1, 2, 3]"#);
    fs::write(&file, &wrong).unwrap();
    let output = run(&folder, &["import", path]);
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("Failed check: standings."), "{printed}");
    fs::write(&file, "{}").unwrap();
    assert_eq!(run(&folder, &["import", path]).status.code(), Some(2));

    // The server verifies a record itself.
    let import = |record: &str| {
        let record: Value = serde_json::from_str(record).unwrap();
        ask(&folder, &json!({"command": "import", "record": record}))
    };
    assert_eq!(import(&wrong), json!({"error": "wrong_record"}));
    assert_eq!(import("{}"), json!({"error": "not_a_record"}));
    let other = example.replace(r#""game": "sticheln""#, r#""game": "chess""#);
    assert_eq!(import(&other), json!({"error": "not_a_record"}));
    let misplaced = example.replace(r#""seats": 3"#, r#""seats": 2"#);
    assert_eq!(import(&misplaced), json!({"error": "wrong_record"}));
    assert!(
        done(&folder, &["rooms"]).lines().count() == 1,
        "only the columns"
    );

    fs::write(&file, example).unwrap();
    let imported = done(&folder, &["import", path]);
    let (_, id) = after(&imported, "The replay: ").rsplit_once("/g/").unwrap();
    let game = replay(&program, id);
    assert_eq!(game["status"], "ended_early");
    assert_eq!(game["rounds"], json!([{"round": 2}]));
    assert_eq!(game["played_on"], json!({"round": 2, "moves": 2}));
}

#[tokio::test]
async fn only_games_of_the_server_are_exported() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let unknown = "AAAAAAAAAAAAAAAAAAAAAA";
    // An id can begin with a hyphen, also with that of a flag.
    let file = folder.path().join("game.json");
    let file = file.to_str().unwrap();
    for id in [
        unknown,
        "-AAAAAAAAAAAAAAAAAAAAA",
        "--AAAAAAAAAAAAAAAAAAAA",
        "-oAAAAAAAAAAAAAAAAAAAA",
    ] {
        let refused = failed(&folder, &["export", "--no-names", "-o", file, id]);
        assert!(refused.contains("no such game"), "{id}");
    }
    for id in ["", "k7qm2x4p", "https://table.example/g/k7qm2x4p"] {
        assert_eq!(run(&folder, &["export", id]).status.code(), Some(2), "{id}");
    }
    program.stop("-TERM");
    assert!(failed(&folder, &["export", unknown]).contains("No server answers"));
}
