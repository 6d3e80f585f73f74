//! The messages of a game: its start, its moves, its end, and bots that stand in.

use std::time::Duration;

use serde_json::{Value, json};

use super::THREE;
use crate::client::{Client, all_act, sync_all};
use crate::harness::{NOON, Server};

/// All of these people are ready.
async fn all_ready(clients: &mut [Client]) {
    for client in clients {
        let ready = json!({"type": "ready", "ready": true});
        client.request(ready).await.ok();
    }
}

#[tokio::test]
async fn a_game_is_started_paused_resumed_and_ended() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    sync_all(&mut clients).await;

    clients[0].request(json!({"type": "start"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "playing");
    let watched = eve.next("game").await;
    assert_eq!(watched["events"][0]["type"], "dealt");
    assert_eq!(watched["view"]["to_act"], json!([0, 1, 2]));
    assert_eq!(watched["view"]["seat"], Value::Null);
    assert_eq!(watched["view"].get("own"), None);
    assert_eq!(watched["legal"], json!([]));
    let own = clients[1].next("game").await;
    assert_eq!(own["rev"], watched["rev"]);
    assert_eq!(own["events"], watched["events"]);
    assert_eq!(own["view"]["table"], watched["view"]["table"]);
    assert_eq!(own["view"]["own"]["hand"].as_array().unwrap().len(), 15);
    assert_eq!(own["legal"].as_array().unwrap().len(), 15);

    clients[0].request(json!({"type": "pause"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "paused");
    assert_eq!(clients[1].next("game").await["legal"], json!([]));
    clients[0].request(json!({"type": "resume"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "playing");
    assert_eq!(clients[1].next("game").await["legal"], own["legal"]);

    let listed = json!({"type": "configure", "listed": true});
    clients[0].request(listed).await.ok();
    assert_eq!(eve.next("room").await["table"]["listed"], true);
    clients[0].request(json!({"type": "end"})).await.ok();
    let ended = eve.next("room").await;
    assert_eq!(ended["table"]["phase"], "lobby");
    assert_eq!(ended["table"]["chairs"][1]["name"], "Bob");
}

#[tokio::test]
async fn a_pick_is_public_and_its_card_is_secret_before_the_reveal() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    let message = eve.next("game").await;
    // A new client has missed no events: the view is complete.
    assert_eq!(message["events"], json!([]));
    for seat in 0..3 {
        sync_all(&mut clients).await;
        let card = clients[seat].legal()[0]["card"].clone();
        clients[seat].act().await;
        let own = clients[seat].next("game").await;
        let seen = eve.next("game").await;
        assert_eq!(own["rev"], seen["rev"]);
        assert_eq!(seen["events"][0], json!({"type": "picked", "seat": seat}));
        if seat < 2 {
            assert_eq!(own["view"]["own"]["pick"], card);
            assert_eq!(own["legal"], json!([]));
            assert!(!seen.to_string().contains(&card.to_string()));
        } else {
            assert_eq!(seen["events"][1]["type"], "revealed");
            assert_eq!(seen["events"][1]["picks"][seat], card);
            assert_eq!(seen["view"]["table"]["picks"][seat], card);
        }
    }
}

#[tokio::test]
async fn a_game_ends_and_is_followed_by_a_rematch() {
    let server = Server::start().await;
    let (room, mut clients) = server.started_round("sticheln", &THREE).await;
    while all_act(&mut clients).await {}
    let over = clients[0].room.clone();
    assert_eq!(over["table"]["phase"], "over");
    let sheet = clients[0].sheet.clone();
    assert_eq!(sheet["rounds"].as_array().unwrap().len(), 1);
    let last = clients[1].game["events"]
        .as_array()
        .unwrap()
        .last()
        .cloned();
    let last = last.unwrap();
    assert_eq!(last["type"], "game_over");
    for field in ["totals", "ranks"] {
        assert_eq!(last[field], sheet[field]);
    }

    clients[0].request(json!({"type": "rematch"})).await.ok();
    let again = clients[2].next("room").await;
    assert_eq!(again["table"]["phase"], "playing");
    assert_eq!(again["table"]["chairs"][1]["name"], "Bob");
    assert_eq!(clients[2].next("game").await["events"][0]["type"], "dealt");

    // Without the host, when all present people are ready.
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    all_ready(&mut clients).await;
    sync_all(&mut clients).await;
    assert_eq!(clients[0].room["table"]["phase"], "playing");
    assert_eq!(clients[0].room["rev"], server.rev(&room));
}

#[tokio::test]
async fn the_next_round_starts_when_all_are_ready_or_after_a_timeout() {
    let server = Server::start().await;
    let (_, mut clients) = server.started(&THREE).await;
    for begins_by_itself in [false, true] {
        while all_act(&mut clients).await {}
        let over = clients[0].game.clone();
        assert_eq!(over["view"]["table"]["phase"], "round_end");
        let deadline = over["deadline"].as_u64().unwrap();
        if begins_by_itself {
            server.advance(Duration::from_secs(30));
            assert_eq!(deadline, NOON + 30_000);
            clients[0].sync().await;
        } else {
            assert_eq!(deadline, NOON + 30_000);
            all_ready(&mut clients).await;
        }
        sync_all(&mut clients).await;
        assert_eq!(clients[1].game["view"]["table"]["phase"], "pick");
    }
    assert_eq!(clients[1].game["view"]["table"]["round"], 3);
}

#[tokio::test]
async fn a_bot_stands_in_for_an_absent_person_until_they_return() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    clients.pop().unwrap().leave().await;
    let presence = |message: &Value| message["table"]["chairs"][2]["presence"].clone();
    assert_eq!(presence(&clients[0].next("room").await), "lost");
    server.advance(Duration::from_secs(5));
    clients[0]
        .request(json!({"type": "sync"}))
        .await
        .refused("unknown_type");
    assert_eq!(presence(&clients[0].next("room").await), "away");

    server.advance(Duration::from_secs(25));
    clients[1]
        .request(json!({"type": "stand_in", "seat": 2}))
        .await
        .ok();
    clients[1].sync().await;
    assert_eq!(clients[1].room["table"]["chairs"][2]["stood_in"], true);
    // All have waited for a long time, so the bot adds no delay.
    assert_eq!(clients[1].game["view"]["to_act"], json!([0, 1]));
    let picked = json!([
        {"type": "acted_for", "seat": 2, "by": "bot"},
        {"type": "picked", "seat": 2},
    ]);
    assert_eq!(clients[1].game["events"], picked);

    let mut cem = server.join("Cem", &room).await;
    assert_eq!(cem.room["table"]["chairs"][2]["stood_in"], true);
    cem.request(json!({"type": "back"})).await.ok();
    let message = cem.next("room").await;
    assert_eq!(message["table"]["chairs"][2]["stood_in"], false);
    assert_eq!(message["table"]["chairs"][2]["presence"], "here");
}

#[tokio::test]
async fn a_bot_plays_a_card_for_a_player_who_is_out_of_time() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    clients[0]
        .request(json!({"type": "configure", "turn_seconds": 20}))
        .await
        .ok();
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    assert_eq!(clients[1].game["deadline"], NOON + 20_000);
    clients[0].act().await;
    server.advance(Duration::from_secs(20));
    sync_all(&mut clients).await;
    assert_eq!(clients[1].game["view"]["table"]["phase"], "trick");
    assert_eq!(clients[1].game["deadline"], NOON + 40_000);
    assert_eq!(clients[1].room["table"]["chairs"][1]["stood_in"], false);
}

#[tokio::test]
async fn a_late_person_takes_the_chair_of_a_bot() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    clients[2].request(json!({"type": "stand"})).await.ok();
    clients[0].sync().await;
    assert_eq!(clients[0].room["table"]["chairs"][2]["kind"], "bot");
    let mut dan = server.join("Dan", &room).await;
    dan.sync().await;
    dan.request(json!({"type": "sit", "name": "Dan"}))
        .await
        .ok();
    let message = dan.next("game").await;
    // The person sees no hand until the next deal.
    assert!(message["view"]["own"].is_null());
    assert_eq!(dan.room["table"]["chairs"][2]["name"], "Dan");
    assert_eq!(dan.room["table"]["chairs"][2]["waits_for_deal"], true);
}

/// Nyet! works over the wire like Sticheln.
#[tokio::test]
async fn a_whole_round_of_nyet_is_played() {
    let server = Server::start().await;
    let body = json!({
        "game": "nyet",
        "seats": 4,
        "options": {"end": {"type": "rounds", "rounds": 1}},
    });
    let room = server.open_room(body).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem", "Dan"] {
        clients.push(server.sit(name, &room).await);
    }
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    assert_eq!(clients[3].room["table"]["phase"], "over");
    let entries = server.entries(&room);
    let kinds: Vec<_> = entries
        .iter()
        .map(|entry| &entry["change"]["action"]["type"])
        .collect();
    for kind in ["cover", "team", "discard", "play"] {
        assert!(kinds.iter().any(|other| **other == kind), "{kind}");
    }
}
