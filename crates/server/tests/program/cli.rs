//! What else the program does: asking a server, checking settings, making copies and putting them
//! back.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::{Folder, call, free_port, start};

/// Runs a task to its end, with these variables besides.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sticheln"));
    command.args(arguments);
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

/// What a task says that succeeds.
#[track_caller]
fn done(arguments: &[&str]) -> String {
    let output = run(arguments, &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a task says that fails: sentences, each on a line.
#[track_caller]
fn failed(arguments: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let output = run(arguments, variables);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    assert!(said.lines().all(|line| line.ends_with('.')), "{said}");
    said.lines().map(str::to_owned).collect()
}

/// Has to be the one sentence with these words.
#[track_caller]
fn one(said: &[String], words: &str) {
    assert!(said.len() == 1 && said[0].contains(words), "{said:?}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Opens a room, and gives its code.
fn open(port: u16) -> String {
    let wish = json!({"game": "nyet", "seats": 4}).to_string();
    let answer = call(port, "POST /api/rooms", &wish);
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    body["room"].as_str().unwrap().to_owned()
}

fn knows(port: u16, room: &str) -> bool {
    let answer = call(port, &format!("GET /api/rooms/{room}"), "");
    assert!(["200", "404"].contains(&&answer[9..12]), "{answer}");
    &answer[9..12] == "200"
}

#[test]
fn health_asks_the_server_that_runs() {
    let folder = Folder::new();
    let nobody = free_port().to_string();
    one(
        &failed(&["health", "--port", &nobody], &[]),
        "No server answers",
    );
    one(&failed(&["health", "--port", "0"], &[]), "cannot be found");
    let program = start(&folder, &[]);
    let port = program.port.to_string();
    done(&["health", "--port", &port]);
    for host in ["::", "0.0.0.0", "127.0.0.1"] {
        let variables = [("STICHELN_PORT", port.as_str()), ("STICHELN_HOST", host)];
        let asked = run(&["health"], &variables);
        assert_eq!(asked.status.code(), Some(0), "{host}");
    }
    // What is something else is told to be something else, and who says nothing is not waited for.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    one(
        &failed(&["health", "--port", &port], &[]),
        "does not answer within",
    );
}

#[test]
fn check_config_tells_all_that_is_wrong() {
    let folder = Folder::new();
    let path = text(&folder.0);
    let port = free_port().to_string();
    let right = ["check-config", "--data-folder", path, "--port", &port];
    assert!(done(&right).contains("can run"));
    assert!(!folder.0.exists(), "nothing is made");

    let unreadable = [
        ("STICHELN_PORT", "eighty"),
        ("STICHELN_ROOMS", "-1"),
        ("STICHELN_SOCKETS", "0"),
        ("STICHELN_LOG_FORMAT", "xml"),
    ];
    let said = failed(&["check-config"], &unreadable);
    assert_eq!(said.len(), unreadable.len(), "{said:?}");
    for (variable, value) in unreadable {
        let is_told = |line: &String| line.starts_with(variable) && line.contains(value);
        assert!(said.iter().any(is_told), "{variable}: {said:?}");
    }
    one(&failed(&["check-config", "--rooms", "many"], &[]), "many");

    let taken = TcpListener::bind("[::]:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let wrong = [
        ("STICHELN_PORT", port.as_str()),
        ("STICHELN_LOG", "sticheln=loud"),
        ("STICHELN_MESSAGE_BYTES", "10"),
        ("STICHELN_DEAD_SECONDS", "15"),
        ("STICHELN_ENDING_SECONDS", "5"),
        ("STICHELN_SEARCH_THREADS", "65"),
        ("STICHELN_DATA_FOLDER", "/dev/null/tables"),
    ];
    let said = failed(&["check-config"], &wrong);
    assert_eq!(said.len(), wrong.len(), "{said:?}");
    // What is told there keeps a server from starting, too.
    let settings = &wrong[1..6];
    assert_eq!(
        failed(&["--port", "0", "--data-folder", path], settings).len(),
        settings.len()
    );
}

#[test]
fn check_config_knows_a_server_that_runs_here_from_another_program() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let port = program.port.to_string();
    let path = text(&folder.0);
    done(&["check-config", "--data-folder", path, "--port", &port]);
    let other = Folder::new();
    let elsewhere = [
        "check-config",
        "--data-folder",
        text(&other.0),
        "--port",
        &port,
    ];
    one(&failed(&elsewhere, &[]), "is taken by another program");
    program.end("-TERM");

    fs::write(folder.0.join("sticheln.db"), "no database".repeat(1000)).unwrap();
    let said = failed(
        &["check-config", "--data-folder", path, "--port", &port],
        &[],
    );
    one(&said, "is not a database of this program");
}

#[test]
fn a_copy_that_was_made_while_the_server_ran_is_put_back() {
    let folder = Folder::new();
    let copies = Folder::new();
    fs::create_dir(&copies.0).unwrap();
    let copy = copies.0.join("copy.db");
    let (path, copy_path) = (text(&folder.0), text(&copy));
    let backup = ["backup", copy_path, "--data-folder", path];
    let restore = ["restore", copy_path, "--data-folder", path];

    one(&failed(&backup, &[]), "There is no database in");
    one(&failed(&restore, &[]), "copy.db cannot be used");
    assert!(!folder.0.exists() && !copy.exists());

    let program = start(&folder, &[]);
    let room = open(program.port);
    assert!(done(&backup).contains("1 table with 1 entries"));
    let mode = fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "hidden cards lie in it");
    let later = open(program.port);
    let before = fs::read(&copy).unwrap();
    one(&failed(&backup, &[]), "exists already");
    assert!(fs::read(&copy).unwrap() == before);
    one(&failed(&restore, &[]), "Another server is using");
    assert!(knows(program.port, &later));
    let (status, _) = program.end("-TERM");
    assert!(status.success());

    let said = done(&restore);
    assert!(said.contains("1 table with 1 entries"), "{said}");
    assert!(said.contains("sticheln.db.old-1"), "{said}");
    let program = start(&folder, &[]);
    assert!(knows(program.port, &room) && !knows(program.port, &later));
    // It can be written to as ever, and copied over the older copy.
    let third = open(program.port);
    let replace = [&backup[..], &["--replace"]].concat();
    assert!(done(&replace).contains("2 tables"));
    drop(program);

    // A server that was killed has left something beside its database; that is put aside, too.
    let old = folder.0.join("sticheln.db.old-1");
    let again = ["restore", text(&old), "--data-folder", path];
    assert!(done(&again).contains("2 tables"));
    let program = start(&folder, &[]);
    assert!(knows(program.port, &later) && !knows(program.port, &third));
    program.end("-TERM");
    let aside = folder.0.join("sticheln.db.old-2");
    fs::rename(&aside, folder.0.join("sticheln.db")).unwrap();
    let program = start(&folder, &[]);
    assert!(knows(program.port, &third) && !knows(program.port, &later));
    let left: Vec<_> = fs::read_dir(&copies.0).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn what_is_no_whole_copy_is_not_put_back() {
    let folder = Folder::new();
    let path = text(&folder.0);
    let program = start(&folder, &[]);
    let room = open(program.port);
    let copies = Folder::new();
    fs::create_dir(&copies.0).unwrap();
    let copy = copies.0.join("copy.db");
    done(&["backup", text(&copy), "--data-folder", path]);
    program.end("-TERM");
    let whole = fs::read(&copy).unwrap();

    let refused = |bytes: &[u8], words: &str| {
        fs::write(&copy, bytes).unwrap();
        let said = failed(&["restore", text(&copy), "--data-folder", path], &[]);
        one(&said, words);
        assert!(said[0].contains("copy.db"), "{said:?}");
    };
    refused(b"", "is not a database of this program");
    refused(
        &b"no database ".repeat(1000),
        "is not a database of this program",
    );
    refused(&whole[..whole.len() / 2], "copy.db");
    let mut broken = whole.clone();
    let page = 4096 * 3;
    broken[page..page + 4096].fill(0xff);
    refused(&broken, "copy.db");
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
    assert_eq!(left.len(), 2, "everything is as it was: {left:?}");
    let program = start(&folder, &[]);
    assert!(knows(program.port, &room));
}

#[test]
fn it_says_which_version_it_is() {
    let version = concat!("sticheln ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(done(&["version"]), version);
    assert_eq!(done(&["--version"]), version);
}

/// The log is lines for people, or JSON; in both nothing is coloured that goes to a file.
#[test]
fn the_log_can_be_read_by_programs() {
    let folder = Folder::new();
    let program = start(&folder, &["--log-format", "json"]);
    let room = open(program.port);
    let (_, log) = program.end("-TERM");
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let opened = lines
        .iter()
        .find(|line| line["message"] == "a room was opened");
    assert_eq!(opened.unwrap()["room"], room.as_str());
    assert!(opened.unwrap()["timestamp"].is_string() && opened.unwrap()["level"] == "INFO");
}
