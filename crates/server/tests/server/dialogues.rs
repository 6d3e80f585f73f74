//! Each kind of message, as people use it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, NOON, Server, everybody_acts, secret, up_to_date};

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A game of one round of Sticheln: who is asked for has the first word.
async fn short_game(server: &Server) -> (String, Vec<Client>) {
    let (room, mut clients) = server.seated(&THREE).await;
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let configure = json!({"type": "configure", "options": options, "opening_seat": 0});
    clients[0].say(configure).await.ok();
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    (room, clients)
}

#[tokio::test]
async fn hello_is_answered_by_welcome_ok_and_the_room() {
    let server = Server::start().await;
    let room = server.table(4).await;
    let mut ann = server.connect("Ann", &room).await;
    ann.hello().await.ok();
    let news = ann.news().await;
    assert_eq!(news.len(), 2, "{news:?}");
    assert_eq!(
        news[0],
        json!({
            "type": "welcome",
            "protocol": 1,
            "server": env!("CARGO_PKG_VERSION"),
            "room": room,
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
    // The answer stands between the welcome and the room.
    let kinds: Vec<Value> = ann.heard.iter().map(|text| kind(text)).collect();
    assert_eq!(kinds, ["welcome", "ok", "room", "ok"]);
}

fn kind(text: &str) -> Value {
    serde_json::from_str::<Value>(text).unwrap()["type"].clone()
}

#[tokio::test]
async fn a_room_is_found_however_its_code_is_written() {
    let server = Server::start().await;
    let room = server.table(3).await;
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
async fn somebody_sits_down_and_stands_up() {
    let server = Server::start().await;
    let room = server.table(3).await;
    let mut ann = server.come("Ann", &room).await;
    let mut bob = server.come("Bob", &room).await;
    up_to_date(std::slice::from_mut(&mut ann)).await;

    ann.say(json!({"type": "sit", "name": " Ann ", "seat": 2}))
        .await
        .ok();
    let hers = ann.next("room").await;
    // The first to sit is host.
    assert_eq!(hers["you"], json!({"seat": 2, "host": true}));
    let his = bob.next("room").await;
    assert_eq!(his["you"], json!({"seat": null, "host": false}));
    assert_eq!(his["table"]["host"], 2);
    assert_eq!(his["table"]["spectators"], 1);
    let person = json!({
        "kind": "person",
        "name": "Ann",
        "presence": "here",
        "ready": false,
        "stood_in": false,
    });
    assert_eq!(his["table"]["chairs"][2], person);
    assert_eq!(his["rev"], server.rev(&room).await);

    ann.say(json!({"type": "stand"})).await.ok();
    let his = bob.next("room").await;
    assert_eq!(his["table"]["chairs"][2], json!({"kind": "free"}));
    assert_eq!(his["table"]["host"], Value::Null);
    assert_eq!(his["table"]["spectators"], 2);
    bob.hears_nothing().await;
}

#[tokio::test]
async fn somebody_is_called_otherwise() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    let rev = clients[0].room["rev"].as_i64().unwrap();
    clients[1]
        .say(json!({"type": "rename", "name": "Robert"}))
        .await
        .ok();
    let room = clients[0].next("room").await;
    assert_eq!(room["table"]["chairs"][1]["name"], "Robert");
    assert_eq!(room["rev"], rev + 1);
    // What is so already is no entry.
    clients[1]
        .say(json!({"type": "rename", "name": "Robert"}))
        .await
        .ok();
    clients[0].hears_nothing().await;
}

#[tokio::test]
async fn somebody_is_ready_and_not() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    for ready in [true, false] {
        clients[1]
            .say(json!({"type": "ready", "ready": ready}))
            .await
            .ok();
        let room = clients[2].next("room").await;
        assert_eq!(room["table"]["chairs"][1]["ready"], ready);
    }
}

#[tokio::test]
async fn the_host_configures_the_table() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    let wishes = json!({
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
    clients[0].say(wishes).await.ok();
    let told = clients[1].next("room").await;
    assert_eq!(told["table"]["options"]["edition"], "amigo-1993");
    assert_eq!(told["table"]["options"]["show_running_score"], true);
    assert_eq!(told["table"]["chairs"].as_array().unwrap().len(), 5);
    assert_eq!(told["table"]["opening_seat"], 1);
    assert_eq!(told["table"]["title"], "Thursdays");
    assert_eq!(told["table"]["listed"], true);
    assert_eq!(told["table"]["turn_seconds"], 90);
    assert_eq!(told["table"]["spectator_chat"], false);
    assert_eq!(told["table"]["fast_bots"], true);
    let listed = server.get("/api/rooms").await.json();
    assert_eq!(listed["rooms"][0]["room"], room);
    assert_eq!(listed["rooms"][0]["seats"], 5);

    // What is left out stays, what is null is nothing.
    let wishes =
        json!({"type": "configure", "title": null, "opening_seat": null, "turn_seconds": null});
    clients[0].say(wishes).await.ok();
    let told = clients[1].next("room").await;
    assert_eq!(told["table"]["title"], Value::Null);
    assert_eq!(told["table"]["opening_seat"], Value::Null);
    assert_eq!(told["table"]["turn_seconds"], Value::Null);
    assert_eq!(told["table"]["fast_bots"], true);
    assert_eq!(told["table"]["options"]["edition"], "amigo-1993");
    assert_eq!(told["table"]["chairs"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn the_host_seats_changes_and_removes_bots() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&["Ann"]).await;
    let ann = &mut clients[0];
    ann.say(json!({"type": "add_bot", "level": "beginner"}))
        .await
        .ok();
    assert_eq!(ann.next("room").await["table"]["chairs"][1]["kind"], "bot");
    ann.say(json!({"type": "add_bot", "level": "beginner", "seat": 2}))
        .await
        .ok();
    let bot = ann.next("room").await["table"]["chairs"][2].clone();
    assert_eq!(bot["level"], "beginner");
    for level in ["normal", "expert"] {
        ann.say(json!({"type": "set_bot", "seat": 2, "level": level}))
            .await
            .ok();
        let set = ann.next("room").await["table"]["chairs"][2].clone();
        assert_eq!(
            set,
            json!({"kind": "bot", "name": bot["name"], "level": level})
        );
    }
    ann.say(json!({"type": "remove", "seat": 1})).await.ok();
    let room = ann.next("room").await;
    assert_eq!(room["table"]["chairs"][1], json!({"kind": "free"}));
    assert_eq!(room["table"]["chairs"][2]["name"], bot["name"]);
}

#[tokio::test]
async fn the_host_removes_somebody() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    clients[0]
        .say(json!({"type": "remove", "seat": 1}))
        .await
        .ok();
    clients[1].closed(4003).await;
    let told = clients[2].next("room").await;
    assert_eq!(told["table"]["chairs"][1], json!({"kind": "free"}));
    // He may come back and watch.
    let bob = server.come("Bob", &room).await;
    assert_eq!(bob.room["you"], json!({"seat": null, "host": false}));
}

#[tokio::test]
async fn the_host_passes_the_role_on() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    clients[0]
        .say(json!({"type": "give_host", "seat": 2}))
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
        .say(json!({"type": "swap", "a": 0, "b": 2}))
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
    let mut eve = server.come("Eve", &room).await;
    up_to_date(&mut clients).await;

    clients[0].say(json!({"type": "start"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "playing");
    let watched = eve.next("game").await;
    assert_eq!(watched["events"][0]["type"], "dealt");
    assert_eq!(watched["view"]["to_act"], json!([0, 1, 2]));
    assert_eq!(watched["view"]["seat"], Value::Null);
    assert_eq!(watched["view"].get("own"), None);
    assert_eq!(watched["legal"], json!([]));
    let bobs = clients[1].next("game").await;
    assert_eq!(bobs["rev"], watched["rev"]);
    assert_eq!(bobs["events"], watched["events"]);
    assert_eq!(bobs["view"]["table"], watched["view"]["table"]);
    assert_eq!(bobs["view"]["own"]["hand"].as_array().unwrap().len(), 15);
    assert_eq!(bobs["legal"].as_array().unwrap().len(), 15);

    clients[0].say(json!({"type": "pause"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "paused");
    assert_eq!(clients[1].next("game").await["legal"], json!([]));
    clients[0].say(json!({"type": "resume"})).await.ok();
    assert_eq!(eve.next("room").await["table"]["phase"], "playing");
    assert_eq!(clients[1].next("game").await["legal"], bobs["legal"]);

    clients[0].say(json!({"type": "end"})).await.ok();
    let ended = eve.next("room").await;
    assert_eq!(ended["table"]["phase"], "lobby");
    assert_eq!(ended["table"]["chairs"][1]["name"], "Bob");
}

#[tokio::test]
async fn an_act_is_seen_by_all_and_its_card_by_nobody_before_the_reveal() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    let mut eve = server.come("Eve", &room).await;
    let told = eve.next("game").await;
    // A newcomer has missed nothing: the view tells him everything.
    assert_eq!(told["events"], json!([]));
    for seat in 0..3 {
        up_to_date(&mut clients).await;
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
async fn a_game_comes_to_its_end_and_to_a_rematch() {
    let server = Server::start().await;
    let (room, mut clients) = short_game(&server).await;
    while everybody_acts(&mut clients).await {}
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

    clients[0].say(json!({"type": "rematch"})).await.ok();
    let again = clients[2].next("room").await;
    assert_eq!(again["table"]["phase"], "playing");
    assert_eq!(again["table"]["chairs"][1]["name"], "Bob");
    assert_eq!(clients[2].next("game").await["events"][0]["type"], "dealt");

    // Without a host's word, when all who are present are ready.
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    for client in &mut clients {
        client
            .say(json!({"type": "ready", "ready": true}))
            .await
            .ok();
    }
    up_to_date(&mut clients).await;
    assert_eq!(clients[0].room["table"]["phase"], "playing");
    assert_eq!(clients[0].room["rev"], server.rev(&room).await);
}

#[tokio::test]
async fn the_next_round_comes_when_all_are_ready_or_after_a_time() {
    let server = Server::start().await;
    let (_, mut clients) = server.begun(&THREE).await;
    for begins_by_itself in [false, true] {
        while everybody_acts(&mut clients).await {}
        let over = clients[0].game.clone();
        assert_eq!(over["view"]["table"]["phase"], "round_end");
        let deadline = over["deadline"].as_u64().unwrap();
        if begins_by_itself {
            server.wait(seconds(30));
            assert_eq!(deadline, NOON + 30_000);
            clients[0].forget().await;
        } else {
            assert_eq!(deadline, NOON + 30_000);
            for client in &mut clients {
                client
                    .say(json!({"type": "ready", "ready": true}))
                    .await
                    .ok();
            }
        }
        up_to_date(&mut clients).await;
        assert_eq!(clients[1].game["view"]["table"]["phase"], "pick");
    }
    assert_eq!(clients[1].game["view"]["table"]["round"], 3);
}

#[tokio::test]
async fn a_bot_stands_in_for_somebody_who_is_away_and_lets_him_back() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    clients.pop().unwrap().leave().await;
    let presence = |room: &Value| room["table"]["chairs"][2]["presence"].clone();
    assert_eq!(presence(&clients[0].next("room").await), "lost");
    server.wait(seconds(5));
    clients[0].say(json!({"type": "ping"})).await.ok();
    assert_eq!(presence(&clients[0].next("room").await), "away");

    server.wait(seconds(25));
    clients[1]
        .say(json!({"type": "stand_in", "seat": 2}))
        .await
        .ok();
    clients[1].forget().await;
    assert_eq!(clients[1].room["table"]["chairs"][2]["stood_in"], true);
    // All have waited for so long that the bot need not seem to think.
    assert_eq!(clients[1].game["view"]["to_act"], json!([0, 1]));
    let picked = json!([
        {"type": "acted_for", "seat": 2, "by": "bot"},
        {"type": "picked", "seat": 2},
    ]);
    assert_eq!(clients[1].game["events"], picked);

    let mut cem = server.come("Cem", &room).await;
    assert_eq!(cem.room["table"]["chairs"][2]["stood_in"], true);
    cem.say(json!({"type": "back"})).await.ok();
    let told = cem.next("room").await;
    assert_eq!(told["table"]["chairs"][2]["stood_in"], false);
    assert_eq!(told["table"]["chairs"][2]["presence"], "here");
}

#[tokio::test]
async fn a_bot_plays_a_card_for_whoever_is_out_of_time() {
    let server = Server::start().await;
    let (_, mut clients) = server.seated(&THREE).await;
    clients[0]
        .say(json!({"type": "configure", "turn_seconds": 20}))
        .await
        .ok();
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    assert_eq!(clients[1].game["deadline"], NOON + 20_000);
    clients[0].act().await;
    server.wait(seconds(20));
    up_to_date(&mut clients).await;
    assert_eq!(clients[1].game["view"]["table"]["phase"], "trick");
    assert_eq!(clients[1].game["deadline"], NOON + 40_000);
    assert_eq!(clients[1].room["table"]["chairs"][1]["stood_in"], false);
}

#[tokio::test]
async fn a_seat_is_handed_over_to_another_device() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    clients[1].say(json!({"type": "handover"})).await.ok();
    let offer = clients[1].next("handover").await;
    assert_eq!(offer["expires_at"], NOON + 120_000);
    clients[0].hears_nothing().await;

    let mut phone = server.come("Phone", &room).await;
    assert_eq!(phone.game["view"].get("own"), None);
    let code = &offer["code"];
    phone
        .say(json!({"type": "handover", "code": code}))
        .await
        .ok();
    clients[1].closed(4001).await;
    phone.forget().await;
    assert_eq!(phone.room["you"]["seat"], 1);
    assert_eq!(phone.room["table"]["chairs"][1]["name"], "Bob");
    assert_eq!(phone.game["view"]["own"], clients[1].game["view"]["own"]);
    phone.act().await;
    // The old secret has let go.
    let bob = server.come("Bob", &room).await;
    assert_eq!(bob.room["you"]["seat"], Value::Null);
}

#[tokio::test]
async fn people_chat_and_the_last_lines_are_there_for_those_who_come() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.come("Eve", &room).await;
    up_to_date(&mut clients).await;
    let rev = server.rev(&room).await;

    clients[0]
        .say(json!({"type": "chat", "text": " Hello! "}))
        .await
        .ok();
    let line = json!({"type": "chat", "at": NOON, "seat": 0, "name": "Ann", "text": "Hello!"});
    for client in &mut clients {
        assert_eq!(client.next("chat").await, line);
        client.hears_nothing().await;
    }
    assert_eq!(eve.next("chat").await, line);
    eve.say(json!({"type": "chat", "text": "Hi"})).await.ok();
    let reply = clients[1].next("chat").await;
    assert_eq!(
        (&reply["seat"], &reply["name"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(server.rev(&room).await, rev);

    for number in 0..60 {
        // Nobody says more than that for long.
        server.wait(seconds(1));
        let text = format!("line {number}");
        clients[0]
            .say(json!({"type": "chat", "text": text}))
            .await
            .ok();
    }
    let mut fay = server.come("Fay", &room).await;
    let news = fay.news().await;
    let lines: Vec<_> = news
        .iter()
        .map(|line| line["text"].as_str().unwrap())
        .collect();
    let last: Vec<_> = (10..60).map(|number| format!("line {number}")).collect();
    assert_eq!(lines, last);
}

#[tokio::test]
async fn people_react() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let mut eve = server.come("Eve", &room).await;
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
        server.wait(seconds(1));
        clients[2]
            .say(json!({"type": "react", "reaction": reaction}))
            .await
            .ok();
        let told = json!({"type": "reacted", "seat": 2, "reaction": reaction});
        assert_eq!(eve.next("reacted").await, told);
        assert_eq!(clients[0].next("reacted").await, told);
    }
}

#[tokio::test]
async fn whoever_all_wait_for_is_nudged_once_in_a_while() {
    let server = Server::start().await;
    let (_, mut clients) = server.begun(&THREE).await;
    clients[0]
        .say(json!({"type": "nudge", "seat": 1}))
        .await
        .ok();
    for client in &mut clients {
        let nudged = client.next("nudged").await;
        assert_eq!(nudged, json!({"type": "nudged", "seat": 1, "by": 0}));
    }
    let nudge = json!({"type": "nudge", "seat": 1});
    clients[2].say(nudge.clone()).await.refused("too_soon");
    server.wait(seconds(20));
    clients[2].say(nudge).await.ok();
}

#[tokio::test]
async fn a_ping_is_answered_and_nothing_else() {
    let server = Server::start().await;
    let room = server.table(3).await;
    let mut ann = server.come("Ann", &room).await;
    let heard = ann.heard.len();
    ann.say_as("p", json!({"type": "ping"})).await.ok();
    assert_eq!(ann.heard[heard..], [r#"{"type":"ok","id":"p"}"#]);
}

#[tokio::test]
async fn the_end_of_the_server_is_told_to_all() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    clients.push(server.come("Eve", &room).await);
    clients.push(server.connect("Fay", &room).await);
    server.end().await;
    for client in &mut clients {
        let closing = client.next("closing").await;
        let told = json!({"type": "closing", "reason": "restarting", "retry_after_ms": 500});
        assert_eq!(closing, told);
        client.closed(4000).await;
    }
}

#[tokio::test]
async fn a_late_friend_takes_the_chair_that_a_bot_keeps() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    clients[2].say(json!({"type": "stand"})).await.ok();
    clients[0].forget().await;
    assert_eq!(clients[0].room["table"]["chairs"][2]["kind"], "bot");
    let mut dan = server.come("Dan", &room).await;
    dan.forget().await;
    dan.say(json!({"type": "sit", "name": "Dan"})).await.ok();
    let told = dan.next("game").await;
    // The hand is that of somebody else until the next deal.
    assert!(told["view"]["own"].is_null());
    assert_eq!(dan.room["table"]["chairs"][2]["name"], "Dan");
    assert_eq!(dan.room["table"]["chairs"][2]["waits_for_deal"], true);
}

/// Nyet! works over the wire as Sticheln does.
#[tokio::test]
async fn a_whole_round_of_nyet_is_played() {
    let server = Server::start().await;
    let wish = json!({
        "game": "nyet",
        "seats": 4,
        "options": {"end": {"type": "rounds", "rounds": 1}},
    });
    let room = server.open(wish).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem", "Dan"] {
        clients.push(server.sit(name, &room).await);
    }
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    assert_eq!(clients[3].room["table"]["phase"], "over");
    let entries = server.entries(&room).await;
    let kinds: Vec<_> = entries
        .iter()
        .map(|entry| &entry["change"]["action"]["type"])
        .collect();
    for kind in ["cover", "team", "discard", "play"] {
        assert!(kinds.iter().any(|other| **other == kind), "{kind}");
    }
}

/// The secret goes one way only, and is not in what anybody hears.
#[tokio::test]
async fn nobody_hears_a_secret() {
    let server = Server::start().await;
    let (room, mut clients) = short_game(&server).await;
    clients.push(server.come("Eve", &room).await);
    while everybody_acts(&mut clients).await {}
    for client in &clients {
        for name in ["Ann", "Bob", "Cem", "Eve"] {
            assert!(
                client
                    .heard
                    .iter()
                    .all(|text| !text.contains(&secret(name)))
            );
        }
    }
}
