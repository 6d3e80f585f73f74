//! The subcommands: health, check-config, backup, restore and version. `rooms.rs` tests `rooms`.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::disk::read_only;
use crate::disk_failures::{NAMES, room_in_play};
use crate::player::{Player, play};
use crate::process::{FAST_CLIENTS, PROGRAM, free_port, open_room, send_request, start};

/// Runs a subcommand with these environment variables.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    command.envs(variables.iter().copied());
    command.output().unwrap()
}

/// The output of a subcommand, which must succeed.
#[track_caller]
fn done(arguments: &[&str]) -> String {
    let output = run(arguments, &[]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The errors of a subcommand, which must fail. Each is a sentence on its own line.
#[track_caller]
fn failed(arguments: &[&str], variables: &[(&str, &str)]) -> Vec<String> {
    let output = run(arguments, variables);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    assert!(errors.lines().all(|line| line.ends_with('.')), "{errors}");
    errors.lines().map(str::to_owned).collect()
}

/// Asserts that there is a single error with this text.
#[track_caller]
fn assert_single(errors: &[String], words: &str) {
    assert!(errors.len() == 1 && errors[0].contains(words), "{errors:?}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Opens a room of Nyet!. Returns its code.
fn open(port: u16) -> String {
    open_room(port, &json!({"game": "nyet", "seats": 4}))
}

/// Whether the server has this room.
fn has_room(port: u16, room: &str) -> bool {
    let reply = send_request(port, &format!("GET /api/rooms/{room}"), "");
    assert!([200, 404].contains(&reply.status), "{reply:?}");
    reply.status == 200
}

#[test]
fn health_queries_the_running_server() {
    let folder = Folder::new();
    let unused = free_port().to_string();
    assert_single(
        &failed(&["health", "--port", &unused], &[]),
        "No server answers",
    );
    assert_single(&failed(&["health", "--port", "0"], &[]), "cannot be found");
    let program = start(&folder, &[]);
    let port = program.port.to_string();
    done(&["health", "--port", &port]);
    for host in ["::", "0.0.0.0", "127.0.0.1"] {
        let variables = [("STICHELN_PORT", port.as_str()), ("STICHELN_HOST", host)];
        let output = run(&["health"], &variables);
        assert_eq!(output.status.code(), Some(0), "{host}");
    }
    // The other settings of a server have no effect.
    let variables = [
        ("STICHELN_PORT", port.as_str()),
        ("STICHELN_ADMIN_PORT", port.as_str()),
        ("STICHELN_DATA_FOLDER", "/dev/null/tables"),
    ];
    let output = run(&["health"], &variables);
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["health"], &[("STICHELN_ROOMS", "many")]);
    assert_eq!(output.status.code(), Some(2));
    // Another program that does not answer causes a timeout.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port().to_string();
    assert_single(
        &failed(&["health", "--port", &port], &[]),
        "does not answer within 3 s",
    );
}

#[test]
fn a_flag_takes_precedence_over_its_variable() {
    let folder = Folder::new();
    let listener = TcpListener::bind("[::]:0").unwrap();
    let taken = listener.local_addr().unwrap().port().to_string();
    let variable = [("STICHELN_PORT", taken.as_str())];
    let check = ["check-config", "--data-folder", folder.text()];
    assert_single(&failed(&check, &variable), "is taken by another program");
    let port = free_port().to_string();
    let output = run(&[&check[..], &["--port", &port]].concat(), &variable);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn check_config_lists_all_errors() {
    let folder = Folder::new();
    let path = folder.text();
    let port = free_port().to_string();
    let valid = ["check-config", "--data-folder", path, "--port", &port];
    assert!(done(&valid).contains("can run"));
    assert!(!folder.path().exists(), "no folder is created");

    let invalid = [
        ("STICHELN_PORT", "eighty"),
        ("STICHELN_ROOMS", "-1"),
        ("STICHELN_SOCKETS", "0"),
        ("STICHELN_LOG_FORMAT", "xml"),
    ];
    let output = failed(&["check-config"], &invalid);
    assert_eq!(output.len(), invalid.len(), "{output:?}");
    for (variable, value) in invalid {
        let is_reported = |line: &String| line.starts_with(variable) && line.contains(value);
        assert!(output.iter().any(is_reported), "{variable}: {output:?}");
    }
    // The variables that cannot be read, or else the first such flag, and nothing else.
    let flags = ["check-config", "--rooms", "many", "--sockets", "some"];
    let of_value = [("STICHELN_LOG", "sticheln=loud")];
    assert_single(&failed(&flags, &of_value), "many");
    assert_single(&failed(&flags, &invalid[..1]), "eighty");

    let taken = TcpListener::bind("[::]:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let wrong = [
        ("STICHELN_PORT", port.as_str()),
        ("STICHELN_LOG", "sticheln=loud"),
        ("STICHELN_MESSAGE_BYTES", "10"),
        ("STICHELN_IDLE_TIMEOUT_SECONDS", "15"),
        ("STICHELN_SHUTDOWN_SECONDS", "5"),
        ("STICHELN_SEARCH_THREADS", "65"),
        ("STICHELN_DATA_FOLDER", "/dev/null/tables"),
    ];
    let output = failed(&["check-config"], &wrong);
    assert_eq!(output.len(), wrong.len(), "{output:?}");
    for (bytes, is_allowed) in [("1023", false), ("1024", true)] {
        let output = run(&valid[..3], &[("STICHELN_MESSAGE_BYTES", bytes)]);
        assert_eq!(output.status.success(), is_allowed, "{bytes}");
    }
    // The same errors prevent a server from starting.
    let settings = &wrong[1..6];
    assert_eq!(
        failed(&["--port", "0", "--data-folder", path], settings).len(),
        settings.len()
    );
}

/// Longer times or larger buffers would end each connection or each room with a panic. At the maximum people can play.
#[tokio::test]
async fn limits_above_their_maximum_are_refused() {
    let folder = Folder::new();
    let maxima = [
        ("--message-bytes", 16_777_216_u64),
        ("--header-timeout-seconds", 86_400),
        ("--hello-timeout-seconds", 86_400),
        ("--admission-timeout-seconds", 86_400),
        ("--idle-timeout-seconds", 86_400),
        ("--write-timeout-seconds", 86_400),
        ("--tcp-user-timeout-seconds", 86_400),
        ("--read-buffer-bytes", 16_777_216),
        ("--written-mib-per-hour", 4_095),
        ("--unused-room-minutes", 52_560_000),
        ("--lobby-hours", 876_000),
        ("--game-days", 36_500),
        ("--finished-days", 36_500),
        ("--room-idle-timeout-minutes", 52_560_000),
        ("--shutdown-seconds", 86_400),
    ];
    for (flag, value) in maxima {
        let greater = (value + 1).to_string();
        let check = ["check-config", "--data-folder", folder.text(), flag];
        assert_single(&failed(&[&check[..], &[&greater]].concat(), &[]), flag);
    }
    let check = ["check-config", "--data-folder", folder.text()];
    let too_small = [&check[..], &["--outbox-messages", "1"]].concat();
    assert_single(&failed(&too_small, &[]), "--outbox-messages");

    let settings = maxima.map(|(flag, value)| format!("{flag}={value}"));
    let mut settings: Vec<_> = settings.iter().map(String::as_str).collect();
    settings.push("--outbox-messages=2");
    let program = start(&folder, &settings);
    let room = open(program.port);
    drop(Player::sit(program.port, &room, "Ann").await);
    let (_, output) = program.stop("-TERM");
    assert!(!output.contains("panicked"), "{output}");
}

#[test]
fn messages_of_clients_fit_into_those_between_servers() {
    let folder = Folder::new();
    for (bytes, is_allowed) in [("65536", true), ("65537", false)] {
        let check = ["check-config", "--data-folder", folder.text()];
        // A bus needs a database, so nothing is connected.
        let bus = ["--bus-url", "nats://localhost", "--message-bytes", bytes];
        let output = failed(&[&check[..], &bus].concat(), &[]);
        let is_refused = output.iter().any(|line| line.contains("--message-bytes"));
        assert_eq!(is_refused, !is_allowed, "{output:?}");
    }
}

/// Flags and variables are the same. No output has the password.
#[tokio::test]
async fn the_settings_of_operators_for_the_page_and_for_openings_are_checked() {
    let folder = Folder::new();
    let port = free_port().to_string();
    let check = [
        "check-config",
        "--data-folder",
        folder.text(),
        "--port",
        &port,
    ];
    for (variable, value) in [
        ("STICHELN_IMPRINT_URL", "javascript:alert(1)"),
        ("STICHELN_PRIVACY_URL", "/privacy"),
        ("STICHELN_OPEN_PASSWORD", ""),
    ] {
        assert_single(&failed(&check, &[(variable, value)]), variable);
    }
    let variables = [
        ("STICHELN_IMPRINT_URL", "https://club.example/imprint"),
        ("STICHELN_PRIVACY_URL", "https://club.example/privacy"),
        ("STICHELN_OPEN_PASSWORD", "Tischlein"),
    ];
    assert_eq!(run(&check, &variables).status.code(), Some(0));
    let help = run(&["--help"], &variables);
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("STICHELN_OPEN_PASSWORD") && !help.contains("Tischlein"));

    let program = start(&folder, &["--open-password", "Tischlein", "--log", "trace"]);
    let body = json!({"game": "nyet", "seats": 4}).to_string();
    let refused = send_request(program.port, "POST /api/rooms", &body);
    refused.refused(403, "open_password_needed");
    let body = json!({"game": "nyet", "seats": 4, "open_password": "Tischlein"});
    open_room(program.port, &body);
    let (_, log) = program.stop("-TERM");
    assert!(!log.contains("Tischlein"), "{log}");
}

#[test]
fn check_config_distinguishes_this_server_from_another_program() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let port = program.port.to_string();
    let path = folder.text();
    done(&["check-config", "--data-folder", path, "--port", &port]);
    let other = Folder::new();
    let elsewhere = [
        "check-config",
        "--data-folder",
        other.text(),
        "--port",
        &port,
    ];
    assert_single(
        &failed(&elsewhere, &[]),
        "is taken by another program; `--port` chooses another one",
    );
    let admin = ["check-config", "--data-folder", other.text(), "--port", "0"];
    assert_single(
        &failed(&[&admin[..], &["--admin-port", &port]].concat(), &[]),
        "is taken by another program; `--admin-port` chooses another one",
    );
    program.stop("-TERM");

    fs::write(folder.database(), "not a database".repeat(1000)).unwrap();
    let output = failed(
        &["check-config", "--data-folder", path, "--port", &port],
        &[],
    );
    assert_single(&output, "is not a database of this program");
}

#[test]
fn a_backup_of_a_running_server_is_restored() {
    let folder = Folder::new();
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let (path, copy_path) = (folder.text(), text(&copy));
    let backup = ["backup", copy_path, "--data-folder", path];
    let restore = ["restore", copy_path, "--data-folder", path];

    assert_single(&failed(&backup, &[]), "There is no database in");
    assert_single(&failed(&restore, &[]), "copy.db cannot be used");
    assert!(!folder.path().exists() && !copy.exists());

    let program = start(&folder, &[]);
    let room = open(program.port);
    assert!(done(&backup).contains("1 room with 1 entries"));
    let mode = fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "it contains hidden cards");
    let later = open(program.port);
    let before = fs::read(&copy).unwrap();
    assert_single(&failed(&backup, &[]), "exists already");
    assert!(fs::read(&copy).unwrap() == before);
    assert_single(&failed(&restore, &[]), "Another server is using");
    // The files that the server has open cannot be replaced.
    for file in ["sticheln.db", "sticheln.db-wal"] {
        let own = folder.path().join(file);
        let backup = ["backup", "--replace", text(&own), "--data-folder", path];
        assert_single(&failed(&backup, &[]), "belongs to the database itself");
    }
    assert!(has_room(program.port, &later));
    let (status, _) = program.stop("-TERM");
    assert!(status.success());

    let output = done(&restore);
    assert!(output.contains("1 room with 1 entries"), "{output}");
    assert!(output.contains("sticheln.db.old-1"), "{output}");
    let program = start(&folder, &[]);
    assert!(has_room(program.port, &room) && !has_room(program.port, &later));
    // The restored database can be written, and its backup can replace the older assert_single.
    let third = open(program.port);
    let replace = [&backup[..], &["--replace"]].concat();
    assert!(done(&replace).contains("2 rooms"));
    drop(program);

    // A killed server has left a write-ahead log beside its database, which is moved too.
    let old = folder.path().join("sticheln.db.old-1");
    let again = ["restore", text(&old), "--data-folder", path];
    assert!(done(&again).contains("2 rooms"));
    let program = start(&folder, &[]);
    assert!(has_room(program.port, &later) && !has_room(program.port, &third));
    program.stop("-TERM");
    let old = folder.path().join("sticheln.db.old-2");
    fs::rename(&old, folder.database()).unwrap();
    let program = start(&folder, &[]);
    assert!(has_room(program.port, &third) && !has_room(program.port, &later));
    let left: Vec<_> = fs::read_dir(copies.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// The entries of a room that are in this database.
fn entries(database: &Path, room: &str) -> Vec<(i64, String)> {
    let database = Connection::open(database).unwrap();
    let entries = "WITH of AS (SELECT id FROM room WHERE code = ?1) \
         SELECT rev, body FROM older_entry WHERE room_id IN of \
         UNION SELECT rev, body FROM recent_entry WHERE room_id IN of ORDER BY rev";
    let mut entries = database.prepare(entries).unwrap();
    let entries = entries.query_map([room], |row| Ok((row.get(0)?, row.get(1)?)));
    entries.unwrap().map(Result::unwrap).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_during_a_round_has_the_log_as_it_was_at_one_moment() {
    let folder = Folder::new();
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let program = start(&folder, &FAST_CLIENTS);
    let (room, mut players) = room_in_play(program.port, NAMES).await;
    let acknowledged = entries(&folder.database(), &room).len();
    let mut backup = tokio::process::Command::new(PROGRAM);
    backup.args(["backup", text(&copy), "--data-folder", folder.text()]);
    let (backup, moves) = tokio::join!(backup.output(), play(&mut players, 30));
    assert!(backup.unwrap().status.success() && moves >= 30);
    program.stop("-TERM");
    let (mut copied, all) = (entries(&copy, &room), entries(&folder.database(), &room));
    let revs = copied.iter().map(|(rev, _)| *rev as usize);
    assert!(revs.eq(0..copied.len()) && copied.len() >= acknowledged);
    // The server has dropped the entries before the deal.
    copied.retain(|(rev, _)| *rev >= all[0].0);
    assert!(copied.len() >= 4 && all.starts_with(&copied));
    assert!(all.last().unwrap().0 as usize + 1 >= acknowledged + moves);
}

/// Containers are configured by variables only.
#[test]
fn all_commands_find_the_data_folder_by_its_variable() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    let room = open(program.port);
    program.stop("-TERM");
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let variable = [("STICHELN_DATA_FOLDER", folder.text())];
    for (arguments, printed) in [
        (&["backup", text(&copy)][..], "1 room with 1 entries"),
        (&["restore", text(&copy)], "sticheln.db.old-1"),
        (&["rooms"], &room),
        (&["rooms", "--damaged"], "CODE"),
        (&["rooms", "show", &room], "can be read back"),
        (&["rooms", "remove", &room], "is removed"),
    ] {
        let output = run(arguments, &variable);
        let output = String::from_utf8(output.stdout).unwrap();
        assert!(output.contains(printed), "{arguments:?}: {output}");
    }
}

/// Meanwhile there is no file under its name, or an empty one.
#[test]
fn a_backup_appears_when_it_is_complete() {
    const BYTES: u32 = 30_000_000;

    let folder = Folder::new();
    start(&folder, &[]).stop("-TERM");
    let sql = Connection::open(folder.database()).unwrap();
    let filler = "CREATE TABLE filler AS SELECT zeroblob(?1) AS bytes";
    sql.execute(filler, [BYTES]).unwrap();
    sql.close().unwrap();
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let mut command = Command::new(PROGRAM);
    command.args(["backup", text(&copy), "--data-folder", folder.text()]);
    let mut backup = command.stdout(Stdio::null()).spawn().unwrap();
    let mut sizes = BTreeSet::new();
    let status = loop {
        sizes.insert(fs::metadata(&copy).map_or(0, |about| about.len()));
        if let Some(status) = backup.try_wait().unwrap() {
            break status;
        }
    };
    assert!(status.success());
    let whole = fs::metadata(&copy).unwrap().len();
    assert!(whole > u64::from(BYTES));
    sizes.insert(whole);
    assert_eq!(Vec::from_iter(sizes), [0, whole]);
}

/// A database that another program may be writing is not read without locks: the copy could be half of two states.
#[test]
fn a_database_in_use_is_not_copied_without_locks() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    open(program.port);
    program.stop("-TERM");
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let backup = ["backup", text(&copy), "--data-folder", folder.text()];
    // The shared memory of a write-ahead log shows that a program has the database open. SQLite cannot use this one.
    let shared_memory = folder.path().join("sticheln.db-shm");
    symlink("nowhere", &shared_memory).unwrap();
    failed(&backup, &[]);
    assert!(!copy.exists());
    fs::remove_file(&shared_memory).unwrap();
    assert!(done(&backup).contains("1 room with 1 entries"));
}

/// On a disk that can only be read, the backup of a server that was stopped has everything. That of a killed one would lack
/// the moves in the write-ahead log.
#[test]
fn a_database_on_a_read_only_disk_is_copied_only_if_it_is_complete() {
    let folder = Folder::new();
    let program = start(&folder, &[]);
    open(program.port);
    program.stop("-TERM");
    let program = start(&folder, &[]);
    open(program.port);
    drop(program);
    let wal = folder.path().join("sticheln.db-wal");
    assert!(fs::metadata(&wal).unwrap().len() > 0);
    // With its shared memory SQLite can read the log, also if nothing can be written.
    fs::remove_file(folder.path().join("sticheln.db-shm")).unwrap();
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    let backup = || {
        let mut backup = Command::new(PROGRAM);
        backup.args(["backup", text(&copy), "--data-folder", folder.text()]);
        let output = read_only(&folder, &backup)?.output().unwrap();
        Some((
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        ))
    };
    let Some((status, _, errors)) = backup() else {
        return;
    };
    assert_eq!(status, Some(1), "{errors}");
    assert!(
        errors.lines().count() == 1 && errors.ends_with(".\n"),
        "{errors}"
    );
    assert!(!copy.exists());

    start(&folder, &[]).stop("-TERM");
    let (status, output, errors) = backup().unwrap();
    assert_eq!(status, Some(0), "{errors}");
    assert!(output.contains("2 rooms with 2 entries"), "{output}");
}

#[test]
fn invalid_backups_are_not_restored() {
    let folder = Folder::new();
    let path = folder.text();
    let program = start(&folder, &[]);
    let room = open(program.port);
    let copies = Folder::create();
    let copy = copies.path().join("copy.db");
    done(&["backup", text(&copy), "--data-folder", path]);
    program.stop("-TERM");
    let whole = fs::read(&copy).unwrap();

    let refused = |bytes: &[u8], words: &str| {
        fs::write(&copy, bytes).unwrap();
        let output = failed(&["restore", text(&copy), "--data-folder", path], &[]);
        assert_single(&output, words);
        assert!(output[0].contains("copy.db"), "{output:?}");
    };
    refused(b"", "is not a database of this program");
    refused(
        &b"not a database ".repeat(1000),
        "is not a database of this program",
    );
    refused(&whole[..whole.len() / 2], "copy.db");
    let mut broken = whole.clone();
    let page = 4096 * 3;
    broken[page..page + 4096].fill(0xff);
    refused(&broken, "copy.db");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "the folder is unchanged: {left:?}");
    let program = start(&folder, &[]);
    assert!(has_room(program.port, &room));
}

#[test]
fn the_version_is_printed() {
    let version = concat!("sticheln ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(done(&["version"]), version);
    assert_eq!(done(&["--version"]), version);
}

#[test]
fn the_log_can_be_json() {
    let folder = Folder::new();
    let program = start(&folder, &["--log-format", "json"]);
    let room = open(program.port);
    let (_, log) = program.stop("-TERM");
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
