//! The command `copy`: the rooms of a data folder move to a database in PostgreSQL.

use std::fs;
use std::process::Command;
use std::time::Instant;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::common::postgres::{PASSWORD, Schema};
use crate::disk_failures::{NAMES, room_in_play};
use crate::player::{Player, join_all, play};
use crate::postgres::{URL, start as start_with_postgres};
use crate::process::{
    FAST_CLIENTS, PROGRAM, TIMEOUT, open_room, send_request, start, startup_error,
};

/// The bytes of a page of SQLite.
const PAGE: usize = 4096;

/// The command that copies this folder.
fn copy(folder: &Folder, engines: [&str; 2]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["copy", "--from", engines[0], "--to", engines[1]]);
    command.args(["--data-folder", folder.text()]);
    command
}

/// The command that copies this folder to this database.
fn copy_to(folder: &Folder, url: &str) -> Command {
    let mut command = copy(folder, ["sqlite", "postgres"]);
    command.env(URL, url);
    command
}

/// Copies this folder to this database. Returns what the command prints.
#[track_caller]
fn printed(folder: &Folder, url: &str) -> String {
    let output = copy_to(folder, url).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors, "", "a short copy prints no progress");
    String::from_utf8(output.stdout).unwrap()
}

/// The files of the database in this folder. An empty write-ahead log is none.
fn files(folder: &Folder) -> [Option<Vec<u8>>; 2] {
    let file = folder.database();
    let wal = file.with_extension("db-wal");
    [file, wal].map(|file| fs::read(file).ok().filter(|bytes| !bytes.is_empty()))
}

/// The number of tables in a schema.
async fn tables(schema: &Schema) -> i64 {
    let tables = "SELECT COUNT(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE nspname = $1";
    let client = schema.client().await;
    let tables = client.query_one(tables, &[&schema.name]).await.unwrap();
    tables.get(0)
}

/// A number in the database of a schema.
async fn number(schema: &Schema, select: &str) -> i64 {
    let client = schema.client().await;
    client.query_one(select, &[]).await.unwrap().get(0)
}

/// A number in the database of a folder.
fn source_number(folder: &Folder, select: &str) -> i64 {
    let database = Connection::open(folder.database()).unwrap();
    database.query_one(select, [], |row| row.get(0)).unwrap()
}

/// The log of a round.
pub async fn round_log(player: &mut Player, round: usize) -> Value {
    let ask = json!({"type": "round_log", "round": round});
    player.send(&format!("log-of-round-{round}"), ask).await;
    loop {
        let message = player.next().await.unwrap();
        assert_ne!(message["type"], "error", "{message}");
        if message["type"] == "round_log" {
            return message;
        }
    }
}

/// The hand and the table as each person sees them.
pub async fn views(players: &mut [Player]) -> Vec<Value> {
    let mut views = Vec::new();
    for player in players {
        player.sync().await.unwrap();
        views.push(player.game["view"].clone());
    }
    views
}

/// A table in the second round of a game.
pub async fn table(port: u16) -> (String, Vec<Player>) {
    let (room, mut players) = room_in_play(port, NAMES).await;
    // A round has 45 moves.
    assert!(play(&mut players, 50).await >= 50);
    (room, players)
}

/// Plays a table in a data folder, copies it to PostgreSQL, and plays on there.
async fn a_table_goes_on(end_of_server: &str) {
    let folder = Folder::new();
    let schema = Schema::create().await;
    let program = start(&folder, &FAST_CLIENTS);
    let (room, mut players) = table(program.port).await;
    let expired = open_room(program.port, &json!({"game": "nyet", "seats": 4}));
    let deleted = open_room(program.port, &json!({"game": "nyet", "seats": 4}));
    let log = round_log(&mut players[0], 1).await;
    let before = views(&mut players).await;
    program.stop(end_of_server);

    let is_killed = end_of_server == "-KILL";
    if !is_killed {
        // After a kill the entries are in the write-ahead log, which the end of this connection would empty.
        let database = Connection::open(folder.database()).unwrap();
        for change in [
            "UPDATE room SET expiry_hour = (SELECT retention_minute / 60 FROM database_state) WHERE code = ?1",
            "UPDATE room SET code = 'deleted ' || id WHERE code = ?1",
        ] {
            let code = if change.contains("expiry") {
                &expired
            } else {
                &deleted
            };
            assert_eq!(database.execute(change, [code]), Ok(1));
        }
    }
    let source = files(&folder);
    assert_eq!(source[1].is_some(), is_killed);
    let output = printed(&folder, &schema.url());
    assert!(files(&folder) == source, "the source is unchanged");
    let rooms = if is_killed { "3 rooms" } else { "1 room" };
    assert!(
        output.starts_with(&format!("PostgreSQL now has {rooms} with ")),
        "{output}"
    );
    assert!(output.contains("and 3 names"), "{output}");
    assert!(
        output.contains("--database-url") && !output.contains(PASSWORD),
        "{output}"
    );
    for select in [
        "SELECT retention_minute FROM database_state",
        "SELECT COUNT(*) FROM finished_round",
        "SELECT MAX(round_bytes) FROM room",
    ] {
        let copied = number(&schema, select).await;
        assert_eq!(copied, source_number(&folder, select), "{select}");
    }
    let epoch =
        "SELECT MAX(epoch) FROM room WHERE round_bytes = (SELECT MAX(round_bytes) FROM room)";
    let copied = number(&schema, epoch).await;
    assert!(
        copied > source_number(&folder, epoch),
        "the fence is raised"
    );
    let is_archived = number(&schema, "SELECT COUNT(*) FROM finished_round").await > 0;
    assert_eq!(is_archived, !is_killed);

    let program = start_with_postgres(&folder, &schema.url());
    let mut players = join_all(program.port, &room, NAMES).await;
    assert_eq!(views(&mut players).await, before);
    let shown = players[0].room.to_string();
    assert!(NAMES.iter().all(|name| shown.contains(name)), "{shown}");
    assert_eq!(
        round_log(&mut players[0], 1).await["entries"],
        log["entries"]
    );
    assert!(play(&mut players, 40).await >= 40);
    assert_eq!(
        round_log(&mut players[0], 1).await["entries"],
        log["entries"]
    );
    let second = round_log(&mut players[0], 2).await;
    let entries = second["entries"].as_array().unwrap().len();
    assert!(entries > 45, "the round before and after the copy");
    for gone in [&expired, &deleted] {
        let status = send_request(program.port, &format!("GET /api/rooms/{gone}"), "").status;
        assert_eq!(status, if is_killed { 200 } else { 404 });
    }
    let (status, log) = program.stop("-TERM");
    assert!(status.success() && !log.contains("ERROR"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleeping_table_goes_on_in_postgres() {
    a_table_goes_on("-TERM").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_of_a_killed_server_goes_on_in_postgres() {
    a_table_goes_on("-KILL").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_refused_while_a_server_runs_or_the_target_has_rooms() {
    let folder = Folder::new();
    let schema = Schema::create().await;
    let program = start(&folder, &FAST_CLIENTS);
    open_room(program.port, &json!({"game": "nyet", "seats": 4}));
    let error = startup_error(copy_to(&folder, &schema.url()));
    assert!(error.contains("using the data folder"), "{error}");
    assert_eq!(tables(&schema).await, 0);
    assert!(program.stop("-TERM").0.success());
    let source = files(&folder);

    let others = Folder::new();
    let program = start_with_postgres(&others, &schema.url());
    let other = open_room(program.port, &json!({"game": "nyet", "seats": 4}));
    let error = startup_error(copy_to(&folder, &schema.url()));
    assert!(
        error.contains("using the database in PostgreSQL"),
        "{error}"
    );
    assert!(program.stop("-TERM").0.success());
    let error = startup_error(copy_to(&folder, &schema.url()));
    assert!(error.contains("has rooms already"), "{error}");
    assert!(!error.contains(PASSWORD), "{error}");
    let codes = format!("SELECT COUNT(*) FROM room WHERE code = '{other}'");
    assert_eq!(number(&schema, &codes).await, 1);
    assert_eq!(number(&schema, "SELECT COUNT(*) FROM room").await, 1);
    assert!(files(&folder) == source, "the source is unchanged");
}

/// The copy waits in the database at its second room, and is killed there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_copy_leaves_nothing_and_can_be_repeated() {
    let folder = Folder::new();
    let schema = Schema::create().await;
    // The tables exist, and have no rooms.
    let program = start_with_postgres(&folder, &schema.url());
    assert!(program.stop("-TERM").0.success());
    let program = start(&folder, &FAST_CLIENTS);
    let nyet = json!({"game": "nyet", "seats": 4});
    open_room(program.port, &nyet);
    let second = open_room(program.port, &nyet);
    assert!(program.stop("-TERM").0.success());
    let client = schema.client().await;
    let clock = "UPDATE database_state SET retention_minute = 0";
    client.batch_execute(clock).await.unwrap();
    let wait = format!(
        "CREATE FUNCTION wait() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END' LANGUAGE plpgsql; \
         CREATE TRIGGER wait BEFORE INSERT ON room FOR EACH ROW WHEN (NEW.code = '{second}') EXECUTE FUNCTION wait()"
    );
    client.batch_execute(&wait).await.unwrap();

    let mut child = copy_to(&folder, &schema.url()).spawn().unwrap();
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND pid IN \
         (SELECT pid FROM pg_locks WHERE relation = 'room'::regclass)";
    let started = Instant::now();
    let pid: i32 = loop {
        assert!(started.elapsed() < TIMEOUT, "the copy does not begin");
        if let Some(row) = client.query_opt(waiting, &[]).await.unwrap() {
            break row.get(0);
        }
    };
    child.kill().unwrap();
    child.wait().unwrap();
    // The database server would notice that only after the statement.
    let end = "SELECT pg_terminate_backend($1)";
    client.query_one(end, &[&pid]).await.unwrap();
    let drop = "DROP TRIGGER wait ON room";
    client.batch_execute(drop).await.unwrap();
    for table in ["room", "entry"] {
        let rows = format!("SELECT COUNT(*) FROM {table}");
        assert_eq!(number(&schema, &rows).await, 0, "{table}");
    }
    let minute = "SELECT retention_minute FROM database_state";
    assert_eq!(number(&schema, minute).await, 0);
    let output = printed(&folder, &schema.url());
    assert!(output.contains("2 rooms with 2 entries"), "{output}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_folder_is_not_copied() {
    let folder = Folder::new();
    let schema = Schema::create().await;
    let program = start(&folder, &FAST_CLIENTS);
    open_room(program.port, &json!({"game": "nyet", "seats": 4}));
    let (room, _players) = room_in_play(program.port, NAMES).await;
    assert!(program.stop("-TERM").0.success());
    let database = Connection::open(folder.database()).unwrap();
    let delete = "DELETE FROM older_entry WHERE room_id = (SELECT id FROM room WHERE code = ?1) AND rev = \
         (SELECT MAX(rev) - 1 FROM older_entry WHERE room_id = (SELECT id FROM room WHERE code = ?1))";
    assert_eq!(database.execute(delete, [&room]), Ok(1));
    drop(database);
    // The other room is read first.
    let error = startup_error(copy_to(&folder, &schema.url()));
    assert!(
        error.contains(&format!("Room {room}")) && error.contains("missing"),
        "{error}"
    );
    assert_eq!(tables(&schema).await, 0, "not even tables");

    let page = source_number(
        &folder,
        "SELECT rootpage FROM sqlite_schema WHERE name = 'room'",
    );
    let begin = (page as usize - 1) * PAGE;
    let mut bytes = fs::read(folder.database()).unwrap();
    bytes[begin..begin + PAGE].fill(0xa5);
    fs::write(folder.database(), bytes).unwrap();
    let error = startup_error(copy_to(&folder, &schema.url()));
    assert!(error.contains("is corrupt"), "{error}");
    assert_eq!(tables(&schema).await, 0);
}

#[test]
fn other_copies_are_not_supported() {
    let folder = Folder::new();
    let url = format!("postgres://u:{PASSWORD}@127.0.0.1:1/d");
    for engines in [
        ["postgres", "sqlite"],
        ["sqlite", "sqlite"],
        ["postgres", "postgres"],
    ] {
        let mut command = copy(&folder, engines);
        command.env(URL, &url);
        let error = startup_error(command);
        assert!(
            error.contains("supported") && error.contains("backup"),
            "{error}"
        );
    }
    let error = startup_error(copy(&folder, ["sqlite", "postgres"]));
    assert!(error.contains("Set `--database-url`"), "{error}");
    let error = startup_error(copy_to(&folder, &url));
    assert!(error.contains("no database"), "{error}");
    assert!(!folder.path().exists());
}
