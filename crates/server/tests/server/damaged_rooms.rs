//! Rooms that cannot be read back: each is logged once, counted, and not claimed again.

use std::collections::BTreeSet;

use rusqlite::OptionalExtension;
use serde_json::json;
use sticheln_server::games;
use sticheln_server::rooms::game_list::GameList;
use tokio::task::JoinSet;

use crate::client::Client;
use crate::harness::{Server, Setup, database};
use crate::metrics::{admin_address, metrics};
use crate::panics::{DAMAGED, Log};

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];
/// The close code of a server that cannot read or write at present.
pub const RECONNECT: u16 = 4000;

/// A stopped server with a room whose entries are changed by this statement, and a room that is not. Returns their codes.
async fn stopped_with(damage: &str) -> (Setup, String, String) {
    let server = Server::start().await;
    let (room, clients) = server.seated(&NAMES).await;
    let (other, others) = server.seated(&NAMES).await;
    drop((clients, others));
    let setup = server.stop().await;
    let changed = database(&setup.folder).execute(damage, [&room]);
    assert_eq!(changed, Ok(1), "{damage}");
    (setup, room, other)
}

/// The epoch of a room: the number of its claims.
fn epoch(server: &Server, room: &str) -> Option<i64> {
    let database = database(&server.setup.folder);
    let epoch = "SELECT epoch FROM room WHERE code = ?1";
    let epoch = database.query_one(epoch, [room], |row| row.get(0));
    epoch.optional().unwrap()
}

async fn damaged_rooms(server: &Server) -> f64 {
    let values = metrics(admin_address(server).await).await;
    values["sticheln_damaged_rooms"]
}

/// Visits the room twice. Asserts that it is logged once with this reason, counted, and claimed once at most.
async fn check_damaged(server: &Server, room: &str, reason: &str) {
    assert_eq!(damaged_rooms(server).await, 0.0);
    let (log, _guard) = Log::begin();
    server.connect("Ann", room).await.closed_with(DAMAGED).await;
    let claimed = epoch(server, room);
    server.connect("Bob", room).await.closed_with(DAMAGED).await;
    assert_eq!(epoch(server, room), claimed, "{reason}");
    let errors = log.errors();
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(
        errors.contains(reason) && errors.contains(room),
        "{reason}: {errors}"
    );
    assert_eq!(damaged_rooms(server).await, 1.0);
}

#[tokio::test]
async fn a_room_that_cannot_be_read_back_is_damaged() {
    for (damage, reason) in [
        (
            "UPDATE older_entry SET body = '{}' WHERE rev = 2 AND room_id",
            "entry 2 is invalid at column 2",
        ),
        (
            "UPDATE older_entry SET body = CAST(x'ff' AS TEXT) WHERE rev = 2 AND room_id",
            "invalid utf-8",
        ),
        (
            "UPDATE older_entry SET body = (SELECT body FROM older_entry WHERE rev = 0) WHERE rev = 2 AND room_id",
            "the entries from 0 on contradict each other",
        ),
        (
            "DELETE FROM older_entry WHERE rev = 2 AND room_id",
            "entries of a room are missing",
        ),
        (
            "UPDATE room SET game = CAST(x'ff' AS TEXT) WHERE id",
            "invalid utf-8",
        ),
    ] {
        let damage = format!("{damage} = (SELECT id FROM room WHERE code = ?1)");
        let (setup, room, other) = stopped_with(&damage).await;
        let server = setup.start().await;
        check_damaged(&server, &room, reason).await;
        // Other rooms are not affected.
        let ann = server.join("Ann", &other).await;
        assert_eq!(ann.room["you"]["seat"], 0);
        assert_eq!(server.get("/readyz").await.status, 200);
    }
}

/// A row with an invalid summary does not stop the public list: its room is left out, and is damaged.
#[tokio::test]
async fn a_room_with_an_invalid_summary_is_not_listed() {
    for summary in ["'{}'", "CAST(x'ff' AS TEXT)", "x'ff'"] {
        let server = Server::start().await;
        let mut codes = Vec::new();
        for _ in 0..3 {
            let body = json!({"game": "sticheln", "seats": 3, "listed": true});
            let room = server.open_room(body).await;
            server.sit("Ann", &room).await;
            codes.push(room);
        }
        let setup = server.stop().await;
        let damage = format!("UPDATE room SET summary = {summary} WHERE code = ?1");
        let changed = database(&setup.folder).execute(&damage, [&codes[1]]);
        assert_eq!(changed, Ok(1));
        let server = setup.start().await;
        assert_eq!(damaged_rooms(&server).await, 0.0);
        let (log, _guard) = Log::begin();
        for _ in 0..2 {
            let reply = server.get("/api/rooms").await;
            assert_eq!(reply.status, 200, "{summary}");
            let rooms = reply.json()["rooms"].clone();
            let rooms = rooms.as_array().unwrap().iter();
            let listed: BTreeSet<_> = rooms.map(|room| room["room"].as_str()).collect();
            let others = [&codes[0], &codes[2]].map(|code| Some(code.as_str()));
            assert_eq!(listed, BTreeSet::from(others));
            assert_eq!(
                server.get(&format!("/api/rooms/{}", codes[1])).await.status,
                503
            );
        }
        server
            .connect("Ann", &codes[1])
            .await
            .closed_with(DAMAGED)
            .await;
        assert_eq!(damaged_rooms(&server).await, 1.0);
        let errors = log.errors();
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let reason = "its summary is invalid";
        assert!(
            errors.contains(reason) && errors.contains(&codes[1]),
            "{errors}"
        );
        server.join("Ann", &codes[0]).await;
    }
}

/// A room that is awake writes its row again, so it is not damaged.
#[tokio::test]
async fn an_awake_room_with_an_invalid_summary_goes_on() {
    let server = Server::start().await;
    let body = json!({"game": "sticheln", "seats": 3, "listed": true});
    let room = server.open_room(body).await;
    let mut ann = server.sit("Ann", &room).await;
    let damage = "UPDATE room SET summary = '{}'";
    assert_eq!(database(&server.setup.folder).execute(damage, []), Ok(1));
    let listed = async || server.get("/api/rooms").await.json()["rooms"].clone();
    assert_eq!(listed().await, json!([]));
    assert_eq!(damaged_rooms(&server).await, 0.0);
    let title = json!({"type": "configure", "title": "Friday"});
    ann.request(title).await;
    assert_eq!(listed().await[0]["title"], "Friday");
}

#[tokio::test]
async fn a_room_of_a_game_that_is_not_hosted_is_damaged() {
    let server = Server::start().await;
    let (room, clients) = server.seated(&NAMES).await;
    drop(clients);
    let games = server.setup.games.clone();
    let mut setup = server.stop().await;
    let others = games::all();
    let others = others
        .iter()
        .filter(|game| game.id().as_str() != "sticheln");
    setup.games = GameList::new(others.cloned());
    let server = setup.start().await;
    check_damaged(&server, &room, "its game is not hosted").await;

    // A server that is started again tries it again.
    let mut setup = server.stop().await;
    setup.games = games;
    let server = setup.start().await;
    server.join("Ann", &room).await;
    assert_eq!(damaged_rooms(&server).await, 0.0);
}

/// Visitors who wait for the same attempt do not repeat it.
#[tokio::test]
async fn clients_at_the_same_time_read_a_damaged_room_once() {
    let damage = "UPDATE older_entry SET body = '{}' WHERE rev = 2 AND room_id = \
                  (SELECT id FROM room WHERE code = ?1)";
    let (setup, room, _) = stopped_with(damage).await;
    let server = setup.start().await;
    let before = epoch(&server, &room).unwrap();
    let mut clients: Vec<Client> = Vec::new();
    for number in 0..8 {
        clients.push(server.connect(&format!("Ann {number}"), &room).await);
    }
    let mut closed = JoinSet::new();
    for mut client in clients {
        closed.spawn(async move { client.closed_with(DAMAGED).await });
    }
    closed.join_all().await;
    assert_eq!(epoch(&server, &room), Some(before + 1));
}

/// If the database cannot be written for a while, no room is damaged.
#[tokio::test]
async fn a_temporary_failure_damages_no_room() {
    let server = Server::start().await;
    let (room, clients) = server.seated(&NAMES).await;
    drop(clients);
    let server = server.restart().await;
    let sql = database(&server.setup.folder);
    sql.execute_batch(
        "CREATE TRIGGER full BEFORE UPDATE ON room BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    .unwrap();
    for name in NAMES {
        server
            .connect(name, &room)
            .await
            .closed_with(RECONNECT)
            .await;
    }
    assert_eq!(damaged_rooms(&server).await, 0.0);
    sql.execute_batch("DROP TRIGGER full").unwrap();
    let ann = server.join("Ann", &room).await;
    assert_eq!(ann.room["you"]["seat"], 0);
}
