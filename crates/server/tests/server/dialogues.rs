//! A dialogue with each kind of message.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{all_act, sync_all};
use crate::common::token;
use crate::harness::{NOON, Server};

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
            "you": {"seat": null, "host": false},
        })
    );
    let free = json!({"kind": "free"});
    assert_eq!(
        news[1],
        json!({
            "type": "room",
            "rev": 0,
            "you": {"seat": null, "host": false},
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
                "spectators": 1,
                "sheet": null,
                "standings": null,
            },
        })
    );
    // The answer is between `welcome` and `room`.
    let kinds: Vec<Value> = ann.texts.iter().map(|text| kind(text)).collect();
    assert_eq!(kinds, ["welcome", "ok", "room", "ok"]);
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
    assert_eq!(message["you"], json!({"seat": null, "host": false}));
    assert_eq!(message["table"]["host"], 2);
    assert_eq!(message["table"]["spectators"], 1);
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
    assert_eq!(message["table"]["spectators"], 2);
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
    // Bob may come back as a spectator.
    let bob = server.join("Bob", &room).await;
    assert_eq!(bob.room["you"], json!({"seat": null, "host": false}));
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
    assert_eq!(
        over["table"]["sheet"]["rounds"].as_array().unwrap().len(),
        1
    );
    assert!(over["table"]["standings"].is_object(), "{over}");
    let last = clients[1].game["events"]
        .as_array()
        .unwrap()
        .last()
        .cloned();
    assert_eq!(last.unwrap()["type"], "game_over");

    clients[0].request(json!({"type": "rematch"})).await.ok();
    let again = clients[2].next("room").await;
    assert_eq!(again["table"]["phase"], "playing");
    assert_eq!(again["table"]["chairs"][1]["name"], "Bob");
    assert_eq!(clients[2].next("game").await["events"][0]["type"], "dealt");

    // Without the host, when all present people are ready.
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    for client in &mut clients {
        client
            .request(json!({"type": "ready", "ready": true}))
            .await
            .ok();
    }
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
            for client in &mut clients {
                client
                    .request(json!({"type": "ready", "ready": true}))
                    .await
                    .ok();
            }
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
    let presence = |room: &Value| room["table"]["chairs"][2]["presence"].clone();
    assert_eq!(presence(&clients[0].next("room").await), "lost");
    server.advance(Duration::from_secs(5));
    clients[0].request(json!({"type": "ping"})).await.ok();
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
async fn new_clients_receive_the_last_lines_of_chat() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    sync_all(&mut clients).await;
    let rev = server.rev(&room);

    clients[0]
        .request(json!({"type": "chat", "text": " Hello! "}))
        .await
        .ok();
    let line = json!({"type": "chat", "at": NOON, "seat": 0, "name": "Ann", "text": "Hello!"});
    for client in &mut clients {
        assert_eq!(client.next("chat").await, line);
        client.received_nothing().await;
    }
    assert_eq!(eve.next("chat").await, line);
    eve.request(json!({"type": "chat", "text": "Hi"}))
        .await
        .ok();
    let reply = clients[1].next("chat").await;
    assert_eq!(
        (&reply["seat"], &reply["name"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(server.rev(&room), rev);

    for number in 0..60 {
        // The rate is limited.
        server.advance(Duration::from_secs(1));
        let text = format!("line {number}");
        clients[0]
            .request(json!({"type": "chat", "text": text}))
            .await
            .ok();
    }
    let mut fay = server.join("Fay", &room).await;
    let news = fay.received().await;
    let lines: Vec<_> = news
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    let last: Vec<_> = (10..60).map(|number| format!("line {number}")).collect();
    assert_eq!(lines, last);
}

#[tokio::test]
async fn reactions_are_sent_to_all() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.join("Eve", &room).await;
    let reactions = [
        "laugh",
        "ouch",
        "applause",
        "thinking",
        "hurry",
        "sorry",
        "thanks",
        "good_game",
    ];
    for reaction in reactions {
        server.advance(Duration::from_secs(1));
        clients[2]
            .request(json!({"type": "react", "reaction": reaction}))
            .await
            .ok();
        let message = json!({"type": "reacted", "seat": 2, "reaction": reaction});
        assert_eq!(eve.next("reacted").await, message);
        assert_eq!(clients[0].next("reacted").await, message);
    }
}

#[tokio::test]
async fn a_seat_on_turn_can_be_nudged_at_intervals() {
    let server = Server::start().await;
    let (_, mut clients) = server.started(&THREE).await;
    clients[0]
        .request(json!({"type": "nudge", "seat": 1}))
        .await
        .ok();
    for client in &mut clients {
        let nudged = client.next("nudged").await;
        assert_eq!(nudged, json!({"type": "nudged", "seat": 1, "by": 0}));
    }
    let nudge = json!({"type": "nudge", "seat": 1});
    clients[2].request(nudge.clone()).await.refused("too_soon");
    server.advance(Duration::from_secs(20));
    clients[2].request(nudge).await.ok();
}

#[tokio::test]
async fn a_ping_causes_only_its_answer() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    let heard = ann.texts.len();
    ann.request_with_id("p", json!({"type": "ping"})).await.ok();
    assert_eq!(ann.texts[heard..], [r#"{"type":"ok","id":"p"}"#]);
}

#[tokio::test]
async fn all_clients_are_told_that_the_server_stops() {
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
