//! The program with a database in PostgreSQL: kills, a database server that crashes, and refused settings.

use std::fs;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::common::folder::Folder;
use crate::common::postgres::{Cluster, PASSWORD, Schema, connect};
use crate::disk_failures::{NAMES, room_in_play};
use crate::player::{Closed, Player, join_all};
use crate::process::{
    FAST_CLIENTS, PROGRAM, Program, TIMEOUT, command, free_port, send_request, start_command,
    startup_error,
};

/// The variable with the address of the database.
pub const URL: &str = "STICHELN_DATABASE_URL";

/// Starts a server with a database at this address, and waits until it is ready.
pub fn start(folder: &Folder, url: &str) -> Program {
    let port = free_port();
    let mut command = command(folder, port);
    command.args(FAST_CLIENTS).env(URL, url);
    start_command(command, port)
}

/// The people at a table, and the ids of their moves.
struct Table {
    room: String,
    players: Vec<Player>,
    acknowledged: Vec<String>,
    /// The seat, the id and the action of a move without an answer.
    unanswered: Option<(usize, String, Value)>,
}

impl Table {
    async fn open(port: u16) -> Self {
        let (room, players) = room_in_play(port, NAMES).await;
        Self {
            room,
            players,
            acknowledged: Vec::new(),
            unanswered: None,
        }
    }

    /// Plays until this number of moves is acknowledged. If a socket is closed, all people connect again when `is_back` is
    /// ready, and a move without an answer is sent again with its id.
    async fn play(&mut self, port: u16, moves: usize, is_back: impl AsyncFn()) {
        let started = Instant::now();
        while self.acknowledged.len() < moves {
            assert!(started.elapsed() < 2 * TIMEOUT, "no progress in the game");
            if self.turns().await.is_err() {
                is_back().await;
                self.players = join_all(port, &self.room, NAMES).await;
            }
        }
    }

    /// Each person makes a move if they can, and is ready if nobody can.
    async fn turns(&mut self) -> Result<(), Closed> {
        let before = self.acknowledged.len();
        for seat in 0..self.players.len() {
            let unanswered = self.unanswered.clone();
            let (id, action) = match unanswered {
                Some((of, id, action)) if of == seat => (id, action),
                Some(_) => continue,
                None => {
                    let Some(action) = self.players[seat].legal().await? else {
                        continue;
                    };
                    (format!("move-{}-end", self.acknowledged.len()), action)
                }
            };
            self.unanswered = Some((seat, id.clone(), action.clone()));
            let act = json!({"type": "act", "action": action});
            let answer = self.players[seat].request_with_id(&id, act).await?;
            assert_eq!(answer, "ok", "{id}");
            self.unanswered = None;
            self.acknowledged.push(id);
        }
        if self.acknowledged.len() == before {
            for player in &mut self.players {
                let ready = json!({"type": "ready", "ready": true});
                player.request(ready).await?;
            }
        }
        Ok(())
    }

    /// Asserts that each acknowledged move is in the log of the room exactly once.
    async fn assert_saved(&self, database: &Client) {
        for id in &self.acknowledged {
            let count = "SELECT COUNT(*) FROM entry WHERE body LIKE '%' || $1 || '%'";
            let count = database.query_one(count, &[id]).await.unwrap();
            assert_eq!(count.get::<_, i64>(0), 1, "{id}");
        }
    }
}

#[tokio::test]
async fn a_killed_server_loses_no_move_in_postgres() {
    let folder = Folder::new();
    let schema = Schema::create().await;
    let program = start(&folder, &schema.url());
    let mut table = Table::open(program.port).await;
    let mut log = String::new();
    let mut program = Some(program);
    for moves in [8, 16, 24] {
        let port = program.as_ref().unwrap().port;
        table.play(port, moves, async || ()).await;
        log += &program.take().unwrap().stop("-KILL").1;
        table.assert_saved(&schema.client().await).await;
        let again = start(&folder, &schema.url());
        table.players = join_all(again.port, &table.room, NAMES).await;
        program = Some(again);
    }
    let program = program.unwrap();
    assert_eq!(
        send_request(program.port, "GET /readyz", "").text(),
        "ready"
    );
    table.play(program.port, 28, async || ()).await;
    let (status, rest) = program.stop("-TERM");
    assert!(status.success());
    log += &rest;
    table.assert_saved(&schema.client().await).await;
    assert!(!log.contains(PASSWORD) && !log.contains("ERROR"), "{log}");
    assert!(!folder.database().exists());
}

#[tokio::test]
async fn a_table_goes_on_after_crashes_of_postgres() {
    let folder = Folder::new();
    let cluster = Cluster::start("postgres-crash", &[]);
    let program = start(&folder, &cluster.url());
    let mut table = Table::open(program.port).await;
    let is_back = async || {
        let started = Instant::now();
        while connect(&cluster.url()).await.is_err() {
            assert!(started.elapsed() < TIMEOUT, "PostgreSQL does not start");
        }
    };
    for moves in [8, 16, 24] {
        table.play(program.port, moves, is_back).await;
        cluster.crash();
    }
    is_back().await;
    table.play(program.port, 28, is_back).await;
    table
        .assert_saved(&connect(&cluster.url()).await.unwrap())
        .await;
    let (status, log) = program.stop("-TERM");
    assert!(status.success());
    // A change that waits for the new connection in time is saved without a failure.
    let has_failed = log.contains("changes cannot be saved");
    let is_back = log.contains("changes can be saved again");
    assert_eq!(has_failed, is_back, "{log}");
    assert!(!log.contains(PASSWORD), "{log}");
}

#[test]
fn an_insecure_address_of_another_machine_is_refused() {
    let folder = Folder::new();
    let mut command = command(&folder, free_port());
    let url = format!("postgres://u:{PASSWORD}@db.example/d?sslmode=disable");
    command.env(URL, url);
    let error = startup_error(command);
    assert!(error.contains("--insecure-bus"), "{error}");
    assert!(!error.contains(PASSWORD), "{error}");
    assert!(!folder.path().exists());
}

/// Without a database server each command fails with one sentence, and leaves no file.
#[test]
fn commands_without_a_database_server_fail() {
    let folder = Folder::create();
    fs::write(folder.path().join("tables.db"), "").unwrap();
    for arguments in [
        &["backup", "copy.db"][..],
        &["restore", "tables.db"],
        &["rooms"],
        &["rooms", "show", "k7qm2x4p"],
        &["rooms", "remove", "k7qm2x4p"],
    ] {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(folder.path());
        command.env(URL, format!("postgres://u:{PASSWORD}@127.0.0.1:1/d"));
        let error = startup_error(command);
        assert!(
            error.contains("PostgreSQL") && error.contains("connect"),
            "{error}"
        );
        assert!(!error.contains(PASSWORD), "{error}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

/// `check-config` reads the database and changes nothing.
#[tokio::test]
async fn the_database_is_checked() {
    let schema = Schema::create().await;
    let folder = Folder::create();
    let check = |url: &str| {
        let mut command = Command::new(PROGRAM);
        command.args(["check-config", "--port", "0", "--data-folder"]);
        command.arg(folder.path()).env(URL, url).output().unwrap()
    };
    let good = check(&schema.url());
    assert!(good.status.success(), "{good:?}");
    let client = schema.client().await;
    let tables = "SELECT COUNT(*) FROM pg_class WHERE relnamespace = $1::regnamespace";
    let tables = tables.replace("$1", &format!("'{}'", schema.name));
    let tables = client.query_one(&tables, &[]).await.unwrap();
    assert_eq!(tables.get::<_, i64>(0), 0);
    for (wrong, words) in [
        (schema.url().replace(PASSWORD, "wrong-secret"), "password"),
        (
            "postgres://u:wrong-secret@127.0.0.1:1/d".to_owned(),
            "connect",
        ),
    ] {
        let bad = check(&wrong);
        let errors = String::from_utf8(bad.stderr).unwrap();
        assert_eq!(bad.status.code(), Some(1));
        assert!(
            errors.contains(words) && errors.trim_end().ends_with('.'),
            "{errors}"
        );
        assert!(!errors.contains("wrong-secret"), "{errors}");
    }
}
