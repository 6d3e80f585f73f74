//! Databases that older programs have written: in each a game runs, one is over, and one rests with
//! a bot and a password. Today's program opens them, and all goes on.
//!
//! Today's program writes one too, which is played on likewise. With `FORMAT=NAME` that one is kept, and
//! with `STICHELN=PROGRAM` another program writes it:
//! `FORMAT=NAME STICHELN=PROGRAM cargo test -p sticheln-server --test program format`. They are
//! never written anew: what was kept once is kept for ever. The newest has to be of the form that
//! today's program writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::table::{HASTY, Person, open, play};
use crate::{Folder, command_of, free_port, start, wait_for};

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];
const PASSWORD: &str = "sesame";
/// All formats that were ever written, the newest last.
const FORMATS: [&str; 3] = ["1-a-other-indexes", "1-b-beginners", "1-c-three-levels"];
/// What is called so in a text has a few words to choose from, which are part of a format.
const WORDS: [&str; 8] = [
    "type",
    "by",
    "level",
    "game",
    "phase",
    "edition",
    "characters",
    "show_history",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/formats")
}

fn file(format: &str) -> PathBuf {
    folder().join(format!("{format}.db"))
}

async fn database(file: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

/// A game that begins with all who sit.
async fn begun(port: u16, wish: Value, names: &[&str]) -> (String, Vec<Person>) {
    let room = open(port, &wish);
    let mut people = Vec::new();
    for name in names {
        people.push(Person::sit(port, &room, name).await);
    }
    (room, people)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_todays_program_writes_is_kept_and_played_on() {
    let format = env::var("FORMAT").ok();
    let today = env!("CARGO_BIN_EXE_sticheln");
    let other = env::var("STICHELN").ok().filter(|_| format.is_some());
    let program = other.unwrap_or_else(|| today.to_owned());
    let kept = Folder::new();
    let port = free_port();
    let mut command = command_of(&program, &kept, port);
    command.args(HASTY);
    let program = wait_for(command, port);

    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let wish = json!({"game": "sticheln", "seats": 3, "options": options});
    let (_, mut running) = begun(port, wish, &NAMES).await;
    assert_eq!(
        running[0].say(json!({"type": "start"})).await.unwrap(),
        "ok"
    );
    play(&mut running, 10).await;
    let wish = json!({"game": "nyet", "seats": 3, "options": options});
    let (_, mut over) = begun(port, wish, &NAMES).await;
    assert_eq!(over[0].say(json!({"type": "start"})).await.unwrap(), "ok");
    play(&mut over, usize::MAX).await;
    let wish = json!({"game": "sticheln", "seats": 4});
    let (_, mut resting) = begun(port, wish, &NAMES[..2]).await;
    for message in [
        json!({"type": "configure", "password": PASSWORD, "title": "Friday", "turn_seconds": 60}),
        json!({"type": "add_bot", "level": "beginner"}),
        json!({"type": "start"}),
        json!({"type": "ready", "ready": true}),
    ] {
        assert_eq!(resting[0].say(message).await.unwrap(), "ok");
    }
    play(&mut resting, 5).await;
    assert_eq!(
        resting[0].say(json!({"type": "pause"})).await.unwrap(),
        "ok"
    );
    let (status, _) = program.end("-TERM");
    assert!(status.success());
    // Less space, the same contents.
    let mut written = database(&kept.0.join("sticheln.db")).await;
    let to = match &format {
        Some(name) => file(name),
        None => kept.0.join("format.db"),
    };
    sqlx::query("VACUUM INTO $1")
        .bind(to.to_str().unwrap())
        .execute(&mut written)
        .await
        .unwrap();
    goes_on(&to).await;
    if format.is_none() {
        let newest = FORMATS[FORMATS.len() - 1];
        let (kept, today) = (form(&file(newest)).await, form(&to).await);
        let (gone, new) = (&kept - &today, &today - &kept);
        assert!(
            gone.is_empty() && new.is_empty(),
            "{newest} has {gone:#?}, and what is written today has {new:#?} instead. Keep it: FORMAT=NAME \
             cargo test -p sticheln-server --test program format; and add its \
             name to FORMATS."
        );
    }
}

/// Of what form everything is that lies in a database: its migrations, its schema, and what is in
/// each text that is JSON.
async fn form(file: &Path) -> BTreeSet<String> {
    let mut database = database(file).await;
    let mut form = BTreeSet::new();
    for (what, told) in [
        (
            "migration",
            "SELECT version || ' ' || description || ' ' || hex(checksum) FROM _sqlx_migrations",
        ),
        (
            "schema",
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL",
        ),
        ("format", "SELECT CAST(format AS TEXT) FROM room"),
    ] {
        let rows = sqlx::query(told).fetch_all(&mut database).await.unwrap();
        let rows = rows.iter().map(|row| row.get::<String, _>(0));
        form.extend(rows.map(|row| format!("{what} {row}")));
    }
    let columns = "SELECT t.name || '.' || c.name, 'SELECT ' || c.name || ' FROM ' || t.name \
                   FROM sqlite_master t, pragma_table_info(t.name) c \
                   WHERE t.type = 'table' AND c.type = 'TEXT'";
    for column in sqlx::query(columns).fetch_all(&mut database).await.unwrap() {
        let texts = sqlx::query(AssertSqlSafe(column.get::<String, _>(1)))
            .fetch_all(&mut database)
            .await;
        for text in texts.unwrap() {
            if let Ok(value @ Value::Object(_)) = serde_json::from_str(text.get::<&str, _>(0)) {
                add_form(&value, column.get(0), &mut form);
            }
        }
    }
    form
}

/// Adds what a value is made of; where it stands is told by the words on the way to it.
fn add_form(value: &Value, place: String, form: &mut BTreeSet<String>) {
    let name = place.rsplit('.').next().unwrap().trim_end_matches("[]");
    let told = match value {
        Value::Object(fields) => {
            let kind = fields
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or_default();
            for (name, field) in fields {
                add_form(field, format!("{place} {kind}.{name}"), form);
            }
            format!("{place} {kind}")
        }
        Value::Array(values) => {
            for value in values {
                add_form(value, format!("{place}[]"), form);
            }
            format!("{place}: list")
        }
        Value::String(word) if WORDS.contains(&name) => format!("{place}: {word}"),
        Value::String(_) => format!("{place}: text"),
        Value::Number(_) => format!("{place}: number"),
        Value::Bool(_) => format!("{place}: yes or no"),
        Value::Null => format!("{place}: nothing"),
    };
    form.insert(told);
}

/// What is played on in a database of a format.
async fn goes_on(file: &Path) {
    let kept = Folder::new();
    fs::create_dir(&kept.0).unwrap();
    let copy = kept.0.join("sticheln.db");
    fs::copy(file, &copy).unwrap();
    let mut before = database(&copy).await;
    let rows = sqlx::query("SELECT code, head FROM room ORDER BY id");
    let rows = rows.fetch_all(&mut before).await.unwrap();
    let rooms: Vec<String> = rows.iter().map(|row| row.get("code")).collect();
    before.close().await.unwrap();
    let [running, over, resting] = &rooms[..] else {
        panic!("three rooms: {rooms:?}");
    };

    let program = start(&kept, &HASTY);
    let port = program.port;
    let mut people = Vec::new();
    for name in NAMES {
        people.push(Person::come(port, running, name).await.unwrap());
    }
    assert_eq!(people[0].room["table"]["phase"], "playing");
    assert!(play(&mut people, usize::MAX).await > 10);
    assert_eq!(people[0].room["table"]["phase"], "over");

    let mut ann = Person::come(port, over, "Ann").await.unwrap();
    assert_eq!(ann.room["table"]["phase"], "over");
    let totals = ann.room["table"]["standings"]["totals"].as_array();
    let totals = totals.unwrap_or_else(|| panic!("{}", ann.room));
    assert!(totals.iter().any(|total| *total != 0), "{totals:?}");
    assert_eq!(ann.say(json!({"type": "rematch"})).await.unwrap(), "ok");
    ann.look().await.unwrap();
    assert_eq!(ann.room["table"]["phase"], "playing");

    let mut resting_people = Vec::new();
    for name in &NAMES[..2] {
        resting_people.push(Person::come(port, resting, name).await.unwrap());
    }
    let host = &mut resting_people[0];
    assert_eq!(host.room["table"]["phase"], "paused");
    assert_eq!(host.room["table"]["title"], "Friday");
    assert_eq!(host.room["table"]["chairs"][2]["kind"], "bot");
    assert_eq!(host.say(json!({"type": "resume"})).await.unwrap(), "ok");
    assert!(play(&mut resting_people, 2).await >= 2);
    let (status, log) = program.end("-TERM");
    assert!(status.success() && !log.contains("ERROR"), "{log}");
    // A second time it is opened as what it is now.
    start(&kept, &[]);
}

/// All formats that were ever written, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_format_is_opened_and_played_on() {
    let files = fs::read_dir(folder()).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let names: Vec<_> = files.iter().map(|file| file.file_stem().unwrap()).collect();
    assert_eq!(names, FORMATS);
    for file in files {
        goes_on(&file).await;
    }
}
