//! The logs of rounds over real sockets: from the newest entries, from the archive, after a restart, and when they cannot be
//! read.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, all_act};
use crate::harness::{Server, database};
use crate::sleep::sweep;

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The log of a round as this client is sent it.
async fn log(server: &Server, client: &mut Client, round: usize) -> Value {
    // So that the request is not too soon.
    server.advance(Duration::from_secs(2));
    let ask = json!({"type": "round_log", "round": round});
    client.request(ask).await.ok();
    client.next("round_log").await
}

/// The number of events of this type in a log.
fn count(log: &Value, kind: &str) -> usize {
    let entries = log["entries"].as_array().unwrap().iter();
    let events = entries.filter_map(|entry| entry["events"].as_array());
    events
        .flatten()
        .filter(|event| event["type"] == kind)
        .count()
}

/// A game of two rounds in the middle of the second one, and a spectator.
async fn in_second_round(server: &Server, game: &str) -> (String, Vec<Client>, Client) {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    let room = json!({"game": game, "seats": 3, "options": options});
    let room = server.open_room(room).await;
    let mut clients = server.start_game(&room, &NAMES).await;
    let spectator = server.join("Eve", &room).await;
    while clients[0].game["view"]["table"]["phase"] != "round_end" {
        assert!(all_act(&mut clients).await);
    }
    for client in &mut clients {
        let ready = json!({"type": "ready", "ready": true});
        client.request(ready).await.ok();
    }
    for client in &mut clients {
        client.sync().await;
    }
    while clients[0].game["view"]["table"].get("last_trick").is_none() {
        assert!(all_act(&mut clients).await);
    }
    for _ in 0..3 {
        assert!(all_act(&mut clients).await);
    }
    (room, clients, spectator)
}

/// A finished round is the same before and after the sweep has archived it, and after a restart. Of the running one the log has
/// the last trick.
async fn logs_are_read_wherever_they_are(game: &str) {
    let server = Server::start().await;
    let (room, clients, mut spectator) = in_second_round(&server, game).await;
    let archived = |server: &Server| -> i64 {
        let count = "SELECT COUNT(*) FROM finished_round";
        let database = database(&server.setup.folder);
        database.query_one(count, [], |row| row.get(0)).unwrap()
    };
    let first = log(&server, &mut spectator, 1).await;
    let second = log(&server, &mut spectator, 2).await;
    assert_eq!(
        (count(&first, "dealt"), count(&first, "round_scored")),
        (1, 1)
    );
    assert!(count(&first, "played") >= 36, "{game}");
    assert_eq!(first.get("tricks_left_out"), None);
    assert_eq!(
        count(&second, "trick_taken") + count(&second, "set_aside"),
        1
    );
    assert!(second["tricks_left_out"].as_u64() >= Some(2));
    assert_eq!(archived(&server), 0);
    for _ in 0..2 {
        server.advance(Duration::from_secs(11 * 60));
        sweep(&server).await;
    }
    assert_eq!(archived(&server), 1);
    assert_eq!(log(&server, &mut spectator, 1).await, first);
    assert_eq!(log(&server, &mut spectator, 2).await, second);
    drop((clients, spectator));
    let server = server.restart().await;
    let mut spectator = server.join("Eve", &room).await;
    assert_eq!(log(&server, &mut spectator, 1).await, first);
    assert_eq!(log(&server, &mut spectator, 2).await, second);
}

#[tokio::test]
async fn logs_of_sticheln_are_read_wherever_they_are() {
    logs_are_read_wherever_they_are("sticheln").await;
}

#[tokio::test]
async fn logs_of_nyet_are_read_wherever_they_are() {
    logs_are_read_wherever_they_are("nyet").await;
}

/// The game goes on.
#[tokio::test]
async fn a_log_that_cannot_be_read_is_unavailable() {
    let server = Server::start().await;
    let (_, mut clients, mut spectator) = in_second_round(&server, "sticheln").await;
    for _ in 0..2 {
        server.advance(Duration::from_secs(11 * 60));
        sweep(&server).await;
    }
    let ask = json!({"type": "round_log", "round": 1});
    for statement in [
        "UPDATE finished_round SET body = '{\"snapshot\":{},\"entries\":[]}'",
        "UPDATE finished_round SET body = '{}'",
        // The sweep deletes the oldest rounds of a room that has too many.
        "DELETE FROM finished_round",
    ] {
        database(&server.setup.folder)
            .execute(statement, [])
            .unwrap();
        let answer = spectator.request(ask.clone()).await;
        answer.refused("round_unavailable");
    }
    assert!(all_act(&mut clients).await);
    assert_eq!(count(&log(&server, &mut spectator, 2).await, "dealt"), 1);
}

/// A move is answered while a log waits for another one.
#[tokio::test]
async fn moves_do_not_wait_for_logs() {
    let server = Server::start().await;
    let (_, mut clients, mut spectator) = in_second_round(&server, "sticheln").await;
    let reads = server.app.services.store.permit_round_read().await;
    spectator.send_with_id("log", json!({"type": "round_log", "round": 1}));
    assert!(all_act(&mut clients).await);
    drop(reads);
    spectator.answer("log").await.ok();
    spectator.next("round_log").await;
}
