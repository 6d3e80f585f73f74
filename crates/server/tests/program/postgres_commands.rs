//! The commands of the operator with a database in PostgreSQL: `rooms`, `backup` and `restore`, beside a server that runs.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;
use tokio_postgres::Client;

use crate::common::folder::Folder;
use crate::common::postgres::{PASSWORD, Schema};
use crate::disk_failures::{NAMES, room_in_play};
use crate::engine_copy::{round_log, table, views};
use crate::player::{join_all, play};
use crate::postgres::{URL, start as start_with_postgres};
use crate::process::{FAST_CLIENTS, PROGRAM, start, startup_error};
use crate::rooms::{check_list, collect_secrets, room_with_password, utc};

/// A command with the database of a schema.
fn command(schema: &Schema, folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments).env(URL, schema.url());
    command.args(["--data-folder", folder.text()]);
    command
}

/// The output of a command, which must succeed without the password and without progress.
#[track_caller]
fn printed(schema: &Schema, folder: &Folder, arguments: &[&str]) -> String {
    let output = command(schema, folder, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (printed, errors) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{arguments:?}: {errors}");
    assert!(!printed.contains(PASSWORD), "{printed}");
    assert!(
        errors.is_empty() || errors.contains("cannot be read back"),
        "{errors}"
    );
    printed
}

/// The numbers of a room in the list: its entries and bytes since the last snapshot, its finished rounds and their bytes.
async fn numbers(client: &Client, room: &str) -> [i64; 4] {
    let entries = "SELECT COUNT(*), SUM(octet_length(body) + COALESCE(octet_length(snapshot), 0)) \
         FROM entry JOIN room ON room.id = room_id WHERE code = $1 AND rev >= segment_rev";
    let rounds = "SELECT COUNT(*), COALESCE(SUM(octet_length(body)), 0) \
         FROM finished_round JOIN room ON room.id = room_id WHERE code = $1";
    let entries = client.query_one(entries, &[&room]).await.unwrap();
    let rounds = client.query_one(rounds, &[&room]).await.unwrap();
    [entries.get(0), entries.get(1), rounds.get(0), rounds.get(1)]
}

/// The secrets in the entries of a room.
async fn secrets(client: &Client, room: &str) -> BTreeSet<String> {
    let texts = "SELECT body FROM entry JOIN room ON room.id = room_id WHERE code = $1 \
         UNION ALL SELECT snapshot FROM entry JOIN room ON room.id = room_id WHERE code = $1 AND snapshot IS NOT NULL";
    let mut secrets = BTreeSet::from(crate::rooms::NAMES.map(str::to_owned));
    for row in client.query(texts, &[&room]).await.unwrap() {
        let value: Value = serde_json::from_str(row.get(0)).unwrap();
        collect_secrets(&value, &mut secrets);
    }
    secrets
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrupt_room_is_listed_shown_and_removed_in_postgres() {
    let begun = utc("%Y-%m-%dT%H:%MZ");
    let (folder, schema) = (Folder::new(), Schema::create().await);
    let program = start_with_postgres(&folder, &schema.url());
    let one = room_with_password(program.port).await;
    let (other, _players) = room_in_play(program.port, NAMES).await;
    let client = schema.client().await;
    let list = printed(&schema, &folder, &["rooms"]);
    let ended = utc("%Y-%m-%dT%H:%MZ");
    check_list(&list, &one, numbers(&client, &one).await, (&begun, &ended));
    assert_eq!(list.lines().count(), 3, "{list}");
    let here = list.lines().find(|line| line.starts_with(&other)).unwrap();
    assert!(here.ends_with(" 3"), "three connections: {list}");
    let shown = printed(&schema, &folder, &["rooms", "show", &one]);
    assert!(shown.contains("can be read back"), "{shown}");
    assert_eq!(
        printed(&schema, &folder, &["rooms", "--damaged"])
            .lines()
            .count(),
        1
    );
    let error = startup_error(command(&schema, &folder, &["rooms", "remove", &one]));
    assert!(error.contains("`sticheln close"), "{error}");

    let secrets = secrets(&client, &one).await;
    assert!(secrets.len() > 50, "{secrets:?}");
    let corrupt =
        "DELETE FROM entry WHERE (room_id, rev) = (SELECT id, head - 1 FROM room WHERE code = $1)";
    assert_eq!(client.execute(corrupt, &[&one]).await.unwrap(), 1);
    let damaged = printed(&schema, &folder, &["rooms", "--damaged"]);
    let damaged: Vec<_> = damaged.lines().skip(1).collect();
    assert!(
        damaged.len() == 1 && damaged[0].starts_with(&one) && damaged[0].contains("missing"),
        "{damaged:?}"
    );
    let shown = printed(&schema, &folder, &["rooms", "show", &one]);
    assert!(
        shown.contains("damaged:") && shown.contains("  missing"),
        "{shown}"
    );
    assert!(shown.contains("acted"), "{shown}");
    for secret in secrets.iter().map(String::as_str).chain(["argon2"]) {
        assert!(
            !shown.contains(secret) && !list.contains(secret),
            "{secret}"
        );
    }

    assert!(program.stop("-TERM").0.success());
    let removed = printed(&schema, &folder, &["rooms", "remove", &one]);
    assert!(
        removed.contains("is removed") && removed.contains("vacuum"),
        "{removed}"
    );
    let left = "SELECT COUNT(*) FROM (SELECT room_id FROM entry UNION ALL SELECT room_id FROM person \
         UNION ALL SELECT room_id FROM game UNION ALL SELECT room_id FROM finished_round) AS rows WHERE room_id NOT IN (SELECT id FROM room)";
    let left: i64 = client.query_one(left, &[]).await.unwrap().get(0);
    assert_eq!(left, 0);
    let list = printed(&schema, &folder, &["rooms"]);
    assert!(list.contains(&other) && !list.contains(&one), "{list}");
    let error = startup_error(command(&schema, &folder, &["rooms", "show", &one]));
    assert!(error.contains("There is no room"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_goes_on_from_a_backup_of_postgres() {
    let (folder, schema) = (Folder::new(), Schema::create().await);
    let program = start_with_postgres(&folder, &schema.url());
    let (room, mut players) = table(program.port).await;
    let log = round_log(&mut players[0], 1).await;
    let before = views(&mut players).await;
    let files = Folder::create();
    let file = files.path().join("tables.db");
    let file = file.to_str().unwrap();
    let saved = printed(&schema, &folder, &["backup", file]);
    assert!(saved.contains("contains 1 room with "), "{saved}");
    let error = startup_error(command(&schema, &folder, &["backup", file]));
    assert!(error.contains("exists already"), "{error}");
    // The table goes on without the backup.
    assert!(play(&mut players, 3).await >= 3);
    assert!(program.stop("-TERM").0.success());
    let error = startup_error(command(&schema, &folder, &["restore", file]));
    assert!(error.contains("has rooms already"), "{error}");

    let in_folder = Folder::new();
    let mut restore = Command::new(PROGRAM);
    restore.args(["restore", file, "--data-folder", in_folder.text()]);
    assert!(restore.status().unwrap().success());
    let other = Schema::create().await;
    let restored = printed(&other, &folder, &["restore", file]);
    assert!(
        restored.contains("PostgreSQL now has 1 room with "),
        "{restored}"
    );
    for program in [
        start(&in_folder, &FAST_CLIENTS),
        start_with_postgres(&folder, &other.url()),
    ] {
        let mut players = join_all(program.port, &room, NAMES).await;
        assert_eq!(views(&mut players).await, before);
        let again = round_log(&mut players[0], 1).await;
        assert_eq!(again["entries"], log["entries"]);
        assert!(play(&mut players, 10).await >= 10);
        let (status, log) = program.stop("-TERM");
        assert!(status.success() && !log.contains("ERROR"), "{log}");
    }
    assert_eq!(fs::read_dir(files.path()).unwrap().count(), 1);
}
