//! The messages with which people and bots take chairs, and with which the host sets up the room.

use serde_json::{Value, json};

use super::THREE;
use crate::client::sync_all;
use crate::harness::{Server, nth};

#[tokio::test]
async fn a_person_sits_down_and_stands_up() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    let mut bob = server.join("Bob", &room).await;
    sync_all(std::slice::from_mut(&mut ann)).await;

    ann.request(json!({"type": "sit", "name": " Ann ", "seat": 2}))
        .await
        .ok();
    let message = ann.next("room").await;
    // The first seated person is the host.
    assert_eq!(message["you"], json!({"seat": 2, "host": true}));
    let message = bob.next("room").await;
    assert_eq!(
        message["you"],
        json!({"seat": null, "host": false, "spectator": nth(2)})
    );
    assert_eq!(message["table"]["host"], 2);
    assert_eq!(message["table"]["spectators"].as_array().unwrap().len(), 1);
    let person = json!({
        "kind": "person",
        "name": "Ann",
        "presence": "here",
        "ready": false,
        "stood_in": false,
    });
    assert_eq!(message["table"]["chairs"][2], person);
    assert_eq!(message["rev"], server.rev(&room));

    ann.request(json!({"type": "stand"})).await.ok();
    let message = bob.next("room").await;
    assert_eq!(message["table"]["chairs"][2], json!({"kind": "free"}));
    assert_eq!(message["table"]["host"], Value::Null);
    assert_eq!(message["table"]["spectators"].as_array().unwrap().len(), 2);
    bob.received_nothing().await;
}

#[tokio::test]
async fn a_person_is_renamed() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    let rev = clients[0].room["rev"].as_i64().unwrap();
    clients[1]
        .request(json!({"type": "rename", "name": "Robert"}))
        .await
        .ok();
    let room = clients[0].next("room").await;
    assert_eq!(room["table"]["chairs"][1]["name"], "Robert");
    assert_eq!(room["rev"], rev + 1);
    // A change without effect makes no entry.
    clients[1]
        .request(json!({"type": "rename", "name": "Robert"}))
        .await
        .ok();
    clients[0].received_nothing().await;
}

#[tokio::test]
async fn a_person_is_ready_and_unready() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    for ready in [true, false] {
        clients[1]
            .request(json!({"type": "ready", "ready": ready}))
            .await
            .ok();
        let room = clients[2].next("room").await;
        assert_eq!(room["table"]["chairs"][1]["ready"], ready);
    }
}

#[tokio::test]
async fn the_host_configures_the_room() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let configure = json!({
        "type": "configure",
        "options": {"edition": "amigo-1993", "show_running_score": true},
        "seats": 5,
        "opening_seat": 1,
        "title": "Thursdays",
        "listed": true,
        "turn_seconds": 90,
        "spectator_chat": false,
        "fast_bots": true,
    });
    clients[0].request(configure).await.ok();
    let message = clients[1].next("room").await;
    assert_eq!(message["table"]["options"]["edition"], "amigo-1993");
    assert_eq!(message["table"]["options"]["show_running_score"], true);
    assert_eq!(message["table"]["chairs"].as_array().unwrap().len(), 5);
    assert_eq!(message["table"]["opening_seat"], 1);
    assert_eq!(message["table"]["title"], "Thursdays");
    assert_eq!(message["table"]["listed"], true);
    assert_eq!(message["table"]["turn_seconds"], 90);
    assert_eq!(message["table"]["spectator_chat"], false);
    assert_eq!(message["table"]["fast_bots"], true);
    let listed = server.get("/api/rooms").await.json();
    assert_eq!(listed["rooms"][0]["room"], room);
    assert_eq!(listed["rooms"][0]["seats"], 5);

    // A missing field stays, and null removes the value.
    let configure =
        json!({"type": "configure", "title": null, "opening_seat": null, "turn_seconds": null});
    clients[0].request(configure).await.ok();
    let message = clients[1].next("room").await;
    assert_eq!(message["table"]["title"], Value::Null);
    assert_eq!(message["table"]["opening_seat"], Value::Null);
    assert_eq!(message["table"]["turn_seconds"], Value::Null);
    assert_eq!(message["table"]["fast_bots"], true);
    assert_eq!(message["table"]["options"]["edition"], "amigo-1993");
    assert_eq!(message["table"]["chairs"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn the_host_adds_changes_and_removes_bots() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&["Ann"]).await;
    let ann = &mut clients[0];
    ann.request(json!({"type": "add_bot", "level": "beginner"}))
        .await
        .ok();
    assert_eq!(ann.next("room").await["table"]["chairs"][1]["kind"], "bot");
    ann.request(json!({"type": "add_bot", "level": "beginner", "seat": 2}))
        .await
        .ok();
    let bot = ann.next("room").await["table"]["chairs"][2].clone();
    assert_eq!(bot["level"], "beginner");
    for level in ["normal", "expert"] {
        ann.request(json!({"type": "set_bot", "seat": 2, "level": level}))
            .await
            .ok();
        let set = ann.next("room").await["table"]["chairs"][2].clone();
        assert_eq!(
            set,
            json!({"kind": "bot", "name": bot["name"], "level": level})
        );
    }
    ann.request(json!({"type": "remove", "seat": 1})).await.ok();
    let room = ann.next("room").await;
    assert_eq!(room["table"]["chairs"][1], json!({"kind": "free"}));
    assert_eq!(room["table"]["chairs"][2]["name"], bot["name"]);
}

#[tokio::test]
async fn the_host_removes_a_person() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    clients[0]
        .request(json!({"type": "remove", "seat": 1}))
        .await
        .ok();
    clients[1].closed_with(4003).await;
    let message = clients[2].next("room").await;
    assert_eq!(message["table"]["chairs"][1], json!({"kind": "free"}));
    // Bob may come back as a spectator, if the host lets him in.
    let lift = json!({"type": "configure", "waiting_room": false});
    clients[0].request(lift).await.ok();
    let bob = server.join("Bob", &room).await;
    assert_eq!(
        bob.room["you"],
        json!({"seat": null, "host": false, "spectator": nth(2)})
    );
}

#[tokio::test]
async fn the_host_passes_the_role_on() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    clients[0]
        .request(json!({"type": "give_host", "seat": 2}))
        .await
        .ok();
    assert_eq!(clients[1].next("room").await["table"]["host"], 2);
    assert_eq!(clients[2].next("room").await["you"]["host"], true);
    assert_eq!(clients[0].next("room").await["you"]["host"], false);
}

#[tokio::test]
async fn the_host_swaps_chairs() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    clients[0]
        .request(json!({"type": "swap", "a": 0, "b": 2}))
        .await
        .ok();
    let room = clients[1].next("room").await;
    assert_eq!(room["table"]["chairs"][0]["name"], "Cem");
    assert_eq!(room["table"]["chairs"][2]["name"], "Ann");
    assert_eq!(room["table"]["host"], 2);
    assert_eq!(
        clients[0].next("room").await["you"],
        json!({"seat": 2, "host": true})
    );
}
