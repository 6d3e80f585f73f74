//! The commands `rooms`, `rooms show` and `rooms remove`, with a corrupt room.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::disk_failures::{DAMAGED, room_in_play};
use crate::player::{Player, join_all, play};
use crate::process::{FAST_CLIENTS, PROGRAM, open_room, send_request, start};

pub const NAMES: [&str; 3] = ["Axel-Abbington", "Boz-Billingsley", "Cyd-Cunningham"];
pub const OTHERS: [&str; 3] = ["Dan", "Eva", "Fin"];
const PASSWORD: &str = "s3same-open-table";

/// Runs `rooms` with these arguments. Returns whether it succeeds, its output and its errors.
fn rooms(folder: &Folder, arguments: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(PROGRAM);
    command.arg("rooms").args(arguments);
    let output = command.args(["--data-folder", folder.text()]).output();
    let output = output.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The output of `rooms` with these arguments, which must succeed.
#[track_caller]
fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let (is_done, output, errors) = rooms(folder, arguments);
    assert!(is_done, "{arguments:?}: {errors}");
    output
}

/// The error of `rooms` with these arguments, which must be one sentence.
#[track_caller]
fn failed(folder: &Folder, arguments: &[&str]) -> String {
    let (is_done, output, errors) = rooms(folder, arguments);
    assert!(!is_done, "{arguments:?}: {output}");
    assert!(
        errors.lines().count() == 1 && errors.ends_with(".\n"),
        "{errors}"
    );
    errors
}

/// A room with a password, in the second round of a game.
pub async fn room_with_password(port: u16) -> String {
    let body = json!({"game": "sticheln", "seats": 3, "password": PASSWORD});
    let room = open_room(port, &body);
    let mut players = Vec::new();
    for name in NAMES {
        let player = Player::join_with(port, &room, name, json!(PASSWORD)).await;
        let mut player = player.unwrap();
        let sit = json!({"type": "sit", "name": name});
        assert_eq!(player.request(sit).await.unwrap(), "ok");
        players.push(player);
    }
    let start = json!({"type": "start"});
    assert_eq!(players[0].request(start).await.unwrap(), "ok");
    assert!(play(&mut players, 50).await >= 50, "a round has 45 moves");
    room
}

/// The texts that the database has about a room, apart from the names of people.
fn stored(folder: &Folder, room: &str) -> Vec<Value> {
    let database = Connection::open(folder.database()).unwrap();
    let texts = "WITH of AS (SELECT id FROM room WHERE code = ?1) \
         SELECT body FROM older_entry WHERE room_id IN of \
         UNION ALL SELECT snapshot FROM older_entry WHERE room_id IN of AND snapshot IS NOT NULL \
         UNION ALL SELECT body FROM finished_round WHERE room_id IN of";
    let mut texts = database.prepare(texts).unwrap();
    let texts = texts
        .query_map([room], |row| row.get::<_, String>(0))
        .unwrap();
    let texts = texts.map(|text| serde_json::from_str(&text.unwrap()).unwrap());
    texts.collect()
}

/// Collects the secrets in a value: seeds, cards, hashes, owners, ids and names. Other texts are words in lower case.
pub fn collect_secrets(value: &Value, secrets: &mut BTreeSet<String>) {
    let is_word = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    let mut add = |text: &str| {
        if !is_word(text) {
            secrets.insert(text.to_owned());
        }
    };
    match value {
        Value::String(text) => add(text),
        Value::Array(values) if values.len() == 32 => add(&value.to_string()),
        Value::Array(values) => values
            .iter()
            .for_each(|value| collect_secrets(value, secrets)),
        Value::Object(fields) => {
            for (key, value) in fields {
                if !is_word(key) {
                    secrets.insert(key.clone());
                }
                collect_secrets(value, secrets);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn secrets(folder: &Folder, room: &str) -> BTreeSet<String> {
    let mut secrets = BTreeSet::from(NAMES.map(str::to_owned));
    for value in stored(folder, room) {
        let text = value.to_string();
        let name = NAMES.into_iter().find(|name| text.contains(name));
        assert_eq!(name, None, "a name outside of its table: {text}");
        collect_secrets(&value, &mut secrets);
    }
    secrets
}

/// The texts that are in a file of the folder.
fn found<'a>(folder: &Folder, texts: &'a BTreeSet<String>) -> Vec<&'a str> {
    let files = fs::read_dir(folder.path()).unwrap();
    let files = files.map(|file| fs::read(file.unwrap().path()).unwrap());
    let files: Vec<_> = files
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    let texts = texts.iter().map(String::as_str);
    texts
        .filter(|text| files.iter().any(|file| file.contains(text)))
        .collect()
}

/// Makes the log of a room corrupt: of its last entries one is empty, one is missing, and one has a card as its type.
/// Returns the `rev` of the last entry.
fn corrupt(folder: &Folder, room: &str) -> i64 {
    let database = Connection::open(folder.database()).unwrap();
    // As the connections of the server.
    database.pragma_update(None, "secure_delete", "ON").unwrap();
    let last = "SELECT room_id, MAX(rev) FROM older_entry WHERE room_id = (SELECT id FROM room WHERE code = ?1)";
    let (room, last): (i64, i64) = database
        .query_one(last, [room], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    for (change, rev) in [
        ("UPDATE older_entry SET body = '{}'", last),
        ("DELETE FROM older_entry", last - 2),
        (
            "UPDATE older_entry SET body = '{\"at\": 1, \"change\": {\"type\": \"red-5\"}}'",
            last - 3,
        ),
    ] {
        let change = format!("{change} WHERE room_id = ?1 AND rev = ?2");
        assert_eq!(database.execute(&change, [room, rev]), Ok(1));
    }
    last
}

/// Checks the header of a list, and the line of a room that was last active between two times.
pub fn check_list(list: &str, room: &str, numbers: [i64; 4], (begun, ended): (&str, &str)) {
    let columns = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let header = "CODE GAME PHASE SEATS ENTRIES BYTES ROUNDS ROUND_BYTES LAST_ACTIVITY HERE";
    assert_eq!(columns(list.lines().next().unwrap()), columns(header));
    let line = list.lines().find(|line| line.starts_with(room)).unwrap();
    let mut listed = columns(line);
    let _here = listed.pop().unwrap();
    let active = listed.pop().unwrap();
    assert!(
        *begun <= *active && *active <= *ended,
        "{begun} {ended}: {line}"
    );
    let numbers = numbers.map(|number| number.to_string());
    let first = [room, "sticheln", "playing", "3/3"].map(str::to_owned);
    assert_eq!(listed, [first, numbers].concat());
}

fn has_room(port: u16, room: &str) -> bool {
    send_request(port, &format!("GET /api/rooms/{room}"), "").status == 200
}

/// The time now in UTC, in this format.
pub fn utc(format: &str) -> String {
    let database = Connection::open_in_memory().unwrap();
    let time = database.query_one("SELECT strftime(?1, 'now')", [format], |row| row.get(0));
    time.unwrap()
}

/// The numbers of a room in the list: its entries and bytes since the last snapshot, its finished rounds and their bytes.
fn numbers(folder: &Folder, room: &str) -> [i64; 4] {
    let database = Connection::open(folder.database()).unwrap();
    let numbers = "WITH of AS (SELECT id FROM room WHERE code = ?1), \
         last AS (SELECT MAX(rev) FROM older_entry WHERE room_id IN of AND snapshot IS NOT NULL), \
         entry AS (SELECT octet_length(body) + COALESCE(octet_length(snapshot), 0) AS bytes \
         FROM older_entry WHERE room_id IN of AND rev >= (SELECT * FROM last)), \
         round AS (SELECT octet_length(body) AS bytes FROM finished_round WHERE room_id IN of) \
         SELECT (SELECT COUNT(*) FROM entry), (SELECT SUM(bytes) FROM entry), \
         (SELECT COUNT(*) FROM round), (SELECT SUM(bytes) FROM round)";
    let numbers = database.query_one(numbers, [room], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?])
    });
    numbers.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_room_is_listed_shown_and_removed() {
    let begun = [utc("%Y-%m-%dT%H:%MZ"), utc("%Y-%m-%dT%H:%M:%SZ")];
    let folder = Folder::new();
    let program = start(&folder, &FAST_CLIENTS);
    let one = room_with_password(program.port).await;
    let (other, _) = room_in_play(program.port, OTHERS).await;
    assert!(program.stop("-TERM").0.success());
    assert_eq!(printed(&folder, &["--damaged"]).lines().count(), 1);
    let ended = [utc("%Y-%m-%dT%H:%MZ"), utc("%Y-%m-%dT%H:%M:%SZ")];
    check_list(
        &printed(&folder, &[]),
        &one,
        numbers(&folder, &one),
        (&begun[0], &ended[0]),
    );
    let shown = printed(&folder, &["show", &one]);
    assert!(shown.contains("can be read back"));
    let (_, entries) = shown.split_once("CHANGE\n").unwrap();
    for entry in entries.lines() {
        let columns: Vec<_> = entry.split_whitespace().collect();
        let is_in_time = *begun[1] <= *columns[1] && *columns[1] <= *ended[1];
        assert!(
            columns.len() == 3 && is_in_time,
            "{begun:?} {ended:?} {entry}"
        );
    }
    let secrets = secrets(&folder, &one);
    assert!(secrets.len() > 100, "{secrets:?}");
    let last = corrupt(&folder, &one);

    // The others are played meanwhile, and rooms can be listed and shown.
    let program = start(&folder, &FAST_CLIENTS);
    let mut others = join_all(program.port, &other, OTHERS).await;
    assert!(play(&mut others, 3).await >= 3);
    let joined = Player::join(program.port, &one, NAMES[0]).await;
    assert_eq!(joined.err(), Some(DAMAGED));
    let list = printed(&folder, &[]);
    let damaged = printed(&folder, &["--damaged"]);
    let shown = printed(&folder, &["show", &one]);
    let error = failed(&folder, &["remove", &one]);
    assert!(error.contains("Another server"), "{error}");
    assert!(program.stop("-TERM").0.success());

    assert_eq!(list.lines().count(), 3, "{list}");
    let of_one = list.lines().find(|line| line.starts_with(&one)).unwrap();
    let columns: Vec<_> = of_one.split_whitespace().collect();
    assert_eq!(columns[1..4], ["sticheln", "playing", "3/3"], "{list}");
    assert_eq!(columns[6], "1", "a round is over: {list}");
    let damaged: Vec<_> = damaged.lines().skip(1).collect();
    assert!(
        damaged.len() == 1 && damaged[0].starts_with(&one) && damaged[0].contains("missing"),
        "{damaged:?}"
    );
    for (rev, what) in [
        (last, "?"),
        (last - 1, "acted"),
        (last - 2, "missing"),
        (last - 3, "?"),
    ] {
        let rev = rev.to_string();
        let mut lines = shown.lines();
        let entry = lines.find(|line| line.starts_with(&rev)).unwrap();
        assert!(entry.ends_with(what), "{shown}");
    }
    for secret in secrets
        .iter()
        .map(String::as_str)
        .chain(["red-5", "argon2"])
    {
        assert!(!shown.contains(secret), "{secret}: {shown}");
        assert!(!list.contains(secret), "{secret}: {list}");
    }

    let before = found(&folder, &secrets);
    assert!(before.len() > 80, "the search works");
    assert!(NAMES.iter().all(|name| before.contains(name)));
    printed(&folder, &["remove", &one]);
    // Other rooms have the same cards.
    let of_one: BTreeSet<_> = secrets.into_iter().filter(|text| text.len() > 9).collect();
    assert_eq!(found(&folder, &of_one), Vec::<&str>::new());
    assert_eq!(
        found(&folder, &BTreeSet::from([one.clone()])),
        Vec::<&str>::new()
    );
    assert!(failed(&folder, &["remove", &one]).contains("no room"));
    let program = start(&folder, &FAST_CLIENTS);
    assert!(!has_room(program.port, &one));
    let mut others = join_all(program.port, &other, OTHERS).await;
    assert!(play(&mut others, 3).await >= 3);
}

/// At the shutdown the entries of all rooms are compacted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_that_cannot_be_compacted_is_named_in_the_log() {
    let folder = Folder::new();
    let program = start(&folder, &FAST_CLIENTS);
    let (one, _) = room_in_play(program.port, NAMES).await;
    let (other, _) = room_in_play(program.port, OTHERS).await;
    let trigger = format!(
        "CREATE TRIGGER uncompactable BEFORE INSERT ON older_entry \
         WHEN NEW.room_id = (SELECT id FROM room WHERE code = '{one}') \
         BEGIN SELECT RAISE(ABORT, 'it cannot be copied'); END"
    );
    let database = Connection::open(folder.database()).unwrap();
    database.execute_batch(&trigger).unwrap();
    drop(database);
    let (status, log) = program.stop("-TERM");
    assert!(status.success(), "{log}");
    let failures = log
        .lines()
        .filter(|line| line.contains("could not be deleted or compacted"));
    let failures: Vec<_> = failures.collect();
    assert_eq!(failures.len(), 1, "{log}");
    assert!(failures[0].contains(&format!("room={one}")), "{log}");
    let database = Connection::open(folder.database()).unwrap();
    let left = "SELECT DISTINCT code FROM recent_entry JOIN room ON room.id = room_id";
    let left: String = database.query_one(left, [], |row| row.get(0)).unwrap();
    assert!(left == one && left != other, "{log}");
}

#[test]
fn without_a_database_nothing_is_created() {
    let folder = Folder::new();
    for arguments in [&[][..], &["show", "k7qm2x4p"], &["remove", "k7qm2x4p"]] {
        assert!(failed(&folder, arguments).contains("no database"));
        assert!(!folder.path().exists(), "{arguments:?}");
    }
}
