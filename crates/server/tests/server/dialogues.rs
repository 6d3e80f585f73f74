//! A dialogue with each kind of message.

use serde_json::{Value, json};

use crate::client::all_act;
use crate::common::token;
use crate::harness::{NOON, Server, nth};
use crate::held_writer::HeldWriter;

mod game;
mod lobby;
mod talk;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

#[tokio::test]
async fn hello_is_answered_by_welcome_ok_and_the_room() {
    let server = Server::start().await;
    let room = server.open_sticheln(4).await;
    let mut ann = server.connect("Ann", &room).await;
    ann.hello().await.ok();
    let news = ann.received().await;
    assert_eq!(news.len(), 2, "{news:?}");
    assert_eq!(
        news[0],
        json!({
            "type": "welcome",
            "protocol": 1,
            "server": env!("CARGO_PKG_VERSION"),
            "room": room,
            "now": NOON,
            "you": {"seat": null, "host": false, "spectator": nth(1)},
        })
    );
    let free = json!({"kind": "free"});
    assert_eq!(
        news[1],
        json!({
            "type": "room",
            "rev": 0,
            "you": {"seat": null, "host": false, "spectator": nth(1)},
            "table": {
                "game": "sticheln",
                "title": null,
                "listed": false,
                "locked": false,
                "phase": "lobby",
                "chairs": [free, free, free, free],
                "host": null,
                "options": news[1]["table"]["options"],
                "opening_seat": null,
                "turn_seconds": null,
                "spectator_chat": true,
                "fast_bots": false,
                "waiting_room": false,
                "spectators": [{"spectator": nth(1)}],
            },
        })
    );
    // The answer is between `welcome` and `room`. The last one is that to `received`.
    let kinds: Vec<Value> = ann.texts.iter().map(|text| kind(text)).collect();
    assert_eq!(kinds, ["welcome", "ok", "room", "refused"]);
}

fn kind(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()["type"].clone()
}

#[tokio::test]
async fn room_codes_are_case_insensitive_and_may_have_separators() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let (one, two) = room.split_at(4);
    let written = [
        room.to_uppercase(),
        format!("{one}-{two}"),
        format!("{}%20{two}", one.to_uppercase()),
    ];
    for code in written {
        let mut client = server.connect("Ann", &code).await;
        client.hello().await.ok();
        assert_eq!(client.next("welcome").await["room"], room);
        assert_eq!(server.get(&format!("/api/rooms/{code}")).await.status, 200);
    }
}

#[tokio::test]
async fn a_seat_is_handed_over_to_another_device() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    clients[1].request(json!({"type": "handover"})).await.ok();
    let offer = clients[1].next("handover").await;
    assert_eq!(offer["expires_at"], NOON + 120_000);
    clients[0].received_nothing().await;

    let mut phone = server.join("Phone", &room).await;
    assert_eq!(phone.game["view"].get("own"), None);
    let code = &offer["code"];
    phone
        .request(json!({"type": "handover", "code": code}))
        .await
        .ok();
    clients[1].closed_with(4001).await;
    phone.sync().await;
    assert_eq!(phone.room["you"]["seat"], 1);
    assert_eq!(phone.room["table"]["chairs"][1]["name"], "Bob");
    assert_eq!(phone.game["view"]["own"], clients[1].game["view"]["own"]);
    phone.act().await;
    // The old token has no seat any more.
    let bob = server.join("Bob", &room).await;
    assert_eq!(bob.room["you"]["seat"], Value::Null);
}

#[tokio::test]
async fn a_ping_causes_only_its_answer() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    let received = ann.texts.len();
    ann.request_with_id("p", json!({"type": "ping"})).await.ok();
    assert_eq!(ann.texts[received..], [r#"{"type":"ok","id":"p"}"#]);
}

/// A ping tests the connection. It neither waits for the room nor wakes it.
#[tokio::test]
async fn a_ping_is_answered_while_the_room_waits_for_the_disk() {
    let server = Server::start().await;
    let (_room, mut clients) = server.seated(&THREE).await;
    let writer = HeldWriter::of(&server).await;
    clients[0].send_with_id("ready", json!({"type": "ready", "ready": true}));
    writer.wait_for_queued(1).await;
    for client in &mut clients {
        let received = client.texts.len();
        client
            .request_with_id("p", json!({"type": "ping"}))
            .await
            .ok();
        assert_eq!(client.texts[received..], [r#"{"type":"ok","id":"p"}"#]);
    }
    writer.release().await;
    clients[0].answer("ready").await.ok();
}

#[tokio::test]
async fn all_clients_are_sent_the_shutdown() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    clients.push(server.join("Eve", &room).await);
    clients.push(server.connect("Fay", &room).await);
    server.stop().await;
    for client in &mut clients {
        let closing = client.next("closing").await;
        let message = json!({"type": "closing", "reason": "restarting", "retry_after_ms": 500});
        assert_eq!(closing, message);
        client.closed_with(4000).await;
    }
}

/// A token is sent to the server only. No client receives it.
#[tokio::test]
async fn tokens_are_sent_to_no_client() {
    let server = Server::start().await;
    let (room, mut clients) = server.started_round("sticheln", &THREE).await;
    clients.push(server.join("Eve", &room).await);
    while all_act(&mut clients).await {}
    for client in &clients {
        for name in ["Ann", "Bob", "Cem", "Eve"] {
            assert!(client.texts.iter().all(|text| !text.contains(&token(name))));
        }
    }
}
