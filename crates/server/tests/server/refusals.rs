//! Each refusal code over the wire. A refused message changes nothing, and no other client receives
//! anything.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::Refusal;
use sticheln_rules::{Game, Illegal, Nyet, Sticheln};
use sticheln_server::limits::settings::Limits;

use crate::client::{Client, sync_all, token};
use crate::harness::{Server, limits};

mod of_games;

/// Refusal codes.
type Codes = BTreeSet<&'static str>;

/// A table with its clients, and the refusal codes so far.
struct Scene {
    server: Server,
    room: String,
    clients: Vec<Client>,
    codes_seen: Codes,
}

impl Scene {
    async fn new(body: Value, sitting: &[&str], spectators: &[&str]) -> Self {
        Self::with(limits(), body, sitting, spectators).await
    }

    async fn with(limits: Limits, body: Value, sitting: &[&str], spectators: &[&str]) -> Self {
        let server = Server::with(limits).await;
        let room = server.open_room(body).await;
        let mut clients = Vec::new();
        for name in sitting {
            clients.push(server.sit(name, &room).await);
        }
        for name in spectators {
            clients.push(server.join(name, &room).await);
        }
        Self {
            server,
            room,
            clients,
            codes_seen: Codes::new(),
        }
    }

    async fn ok(&mut self, who: usize, message: Value) {
        self.clients[who].request(message).await.ok();
        sync_all(&mut self.clients).await;
    }

    /// A client sends a message that is refused with this code.
    async fn refused(&mut self, who: usize, code: &'static str, message: Value) {
        let rev = self.begin().await;
        self.clients[who].request(message).await.refused(code);
        self.check_unchanged(rev).await;
        self.codes_seen.insert(code);
    }

    async fn acts(&mut self, who: usize, code: &'static str, action: Value) {
        self.refused(who, code, json!({"type": "act", "action": action}))
            .await;
    }

    /// A client sends a text that is refused without an id.
    async fn refused_text(&mut self, who: usize, text: &str) {
        let rev = self.begin().await;
        self.clients[who].send(text);
        let answer = self.clients[who].answer(Value::Null).await;
        assert_eq!(answer.code, "malformed", "{text}");
        self.check_unchanged(rev).await;
    }

    async fn begin(&mut self) -> usize {
        // Once for timers that are due, and once more for the messages that they cause.
        sync_all(&mut self.clients).await;
        sync_all(&mut self.clients).await;
        self.server.rev(&self.room)
    }

    async fn check_unchanged(&mut self, rev: usize) {
        for client in &mut self.clients {
            client.received_nothing().await;
        }
        assert_eq!(self.server.rev(&self.room), rev);
    }

    /// Checks that the table still works: the next entry has the next number.
    async fn check_still_works(&mut self) {
        let rev = self.begin().await;
        let title = json!({"type": "configure", "title": format!("after {rev}")});
        self.ok(0, title).await;
        assert_eq!(self.clients[0].room["rev"], rev + 1);
    }
}

#[tokio::test]
async fn every_refusal_code_is_covered() {
    let scenes = [
        before_hello().await,
        with_a_password().await,
        in_a_full_room().await,
        with_a_full_log().await,
        in_the_lobby().await,
        without_a_game().await,
        in_a_game().await,
        while_somebody_is_away().await,
    ];
    let mut codes_seen: Codes = scenes.into_iter().flatten().collect();
    let sticheln = of_games::in_sticheln().await;
    let nyet = of_games::in_nyet().await;
    let of_the_rules = &codes_of::<Sticheln>() | &codes_of::<Nyet>();
    assert_eq!(&sticheln & &of_the_rules, codes_of::<Sticheln>());
    assert_eq!(&nyet & &of_the_rules, codes_of::<Nyet>());
    codes_seen.extend(sticheln);
    codes_seen.extend(nyet);

    let own = Refusal::own().map(Refusal::code);
    let all: Codes = own.chain(of_the_rules).collect();
    assert_eq!(codes_seen, all);
}

/// The codes of the refusals of a game.
fn codes_of<G: Game>() -> Codes {
    Illegal::all::<G>().map(Illegal::code).collect()
}

fn sticheln(seats: usize) -> Value {
    json!({"game": "sticheln", "seats": seats})
}

/// Malformed messages, and messages before `hello`.
async fn before_hello() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob"], &["Eve"]).await;
    let stranger = scene.server.connect("Fay", &scene.room).await;
    scene.clients.push(stranger);
    const BOB: usize = 1;
    const EVE: usize = 2;
    const FAY: usize = 3;

    let deep = "[".repeat(8000);
    let invalid_texts = [
        "",
        " ",
        "{",
        "}",
        "null",
        "1",
        "\"ping\"",
        "[]",
        "[{\"type\":\"ping\",\"id\":\"1\"}]",
        "{\"type\":\"ping\",\"id\":\"1\"} x",
        "{\"type\":\"ping\",\"id\":\"1\"}{}",
        "{'type':'ping'}",
        "{\"type\":\"ping\"}",
        "{\"type\":\"ping\",\"id\":null}",
        "{\"type\":\"ping\",\"id\":1}",
        "{\"type\":\"ping\",\"id\":\"\"}",
        "{\"type\":\"ping\",\"id\":[\"1\"]}",
        "{\"type\":\"ping\",\"id\":\"1234567890123456789012345678901234567\"}",
        "{\"type\":\"ping\",\"id\":\"\\ud800\"}",
        deep.as_str(),
    ];
    for text in invalid_texts {
        for who in [BOB, EVE, FAY] {
            scene.refused_text(who, text).await;
        }
    }
    let malformed = [
        json!({}),
        json!({"type": null}),
        json!({"type": 7}),
        json!({"type": ["ping"]}),
        json!({"type": "ping", "extra": 1}),
        json!({"type": "sit"}),
        json!({"type": "sit", "name": 7}),
        json!({"type": "sit", "name": "Fay", "seat": -1}),
        json!({"type": "sit", "name": "Fay", "seat": 256}),
        json!({"type": "sit", "name": "Fay", "seat": 0.5}),
        json!({"type": "sit", "name": "Fay", "seat": "0"}),
        json!({"type": "ready"}),
        json!({"type": "ready", "ready": 1}),
        json!({"type": "act"}),
        json!({"type": "nudge"}),
        json!({"type": "chat", "text": ["a"]}),
        json!({"type": "configure", "seats": "four"}),
        json!({"type": "configure", "seats": null, "host": 1}),
        json!({"type": "configure", "turn_seconds": 0}),
        json!({"type": "configure", "turn_seconds": 601}),
        json!({"type": "configure", "listed": "yes"}),
        json!({"type": "handover", "code": 7}),
        json!({"type": "hello"}),
        json!({"type": "hello", "token": 7}),
    ];
    for message in malformed {
        for who in [0, BOB, EVE, FAY] {
            scene.refused(who, "malformed", message.clone()).await;
        }
    }
    for kind in [
        "",
        "Ping",
        "welcome",
        "room",
        "ok",
        "ping ",
        "configure_all",
    ] {
        scene
            .refused(BOB, "unknown_type", json!({"type": kind}))
            .await;
        scene
            .refused(FAY, "unknown_type", json!({"type": kind}))
            .await;
    }

    scene
        .refused(FAY, "hello_first", json!({"type": "ping"}))
        .await;
    let sit = json!({"type": "sit", "name": "Fay"});
    scene.refused(FAY, "hello_first", sit).await;
    let good = token("Fay");
    for token in [
        "",
        "Fay",
        &good[1..],
        &format!("{good}A"),
        &good.replace('F', "ä"),
        &good.replace('F', "="),
    ] {
        let hello = json!({"type": "hello", "token": token});
        scene.refused(FAY, "bad_token", hello).await;
    }
    for (who, name) in [(0, "Ann"), (BOB, "Ann"), (EVE, "Eve")] {
        let hello = json!({"type": "hello", "token": token(name)});
        scene.refused(who, "hello_twice", hello).await;
    }
    scene.check_still_works().await;
    scene.codes_seen
}

async fn with_a_password() -> Codes {
    let mut body = sticheln(3);
    body["password"] = json!("sesame");
    let mut scene = Scene::new(body, &[], &[]).await;
    let mut ann = scene.server.connect("Ann", &scene.room).await;
    let hello = json!({"type": "hello", "token": token("Ann"), "password": "sesame"});
    ann.request(hello).await.ok();
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    let bob = scene.server.connect("Bob", &scene.room).await;
    scene.clients = vec![ann, bob];

    let hello =
        |password: Value| json!({"type": "hello", "token": token("Bob"), "password": password});
    scene
        .refused(1, "password_needed", hello(Value::Null))
        .await;
    scene
        .refused(1, "wrong_password", hello(json!("sesam")))
        .await;
    let long = "a".repeat(65);
    for password in ["", &long] {
        scene
            .refused(1, "bad_password", hello(json!(password)))
            .await;
    }
    // While a password is being hashed, another one is refused.
    let rev = scene.begin().await;
    scene.clients[1].send_with_id("one", hello(json!("sesam, open")));
    scene.clients[1].send_with_id("two", hello(json!("sesame")));
    assert_eq!(scene.clients[1].answer("two").await.code, "busy");
    assert_eq!(scene.clients[1].answer("one").await.code, "wrong_password");
    scene.check_unchanged(rev).await;
    scene.codes_seen.insert("busy");
    // Three more passwords of this minute are hashed. The refusals above took no tokens.
    for _ in 0..3 {
        let wrong = hello(json!("sesam"));
        scene.refused(1, "wrong_password", wrong).await;
    }
    let right = hello(json!("sesame"));
    scene.refused(1, "too_many_tries", right).await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn in_a_full_room() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann"], &[]).await;
    for number in 0..scene.server.setup.limits.spectators {
        let name = format!("Spectator{number}");
        let spectator = scene.server.join(&name, &scene.room).await;
        scene.clients.push(spectator);
    }
    let late = scene.server.connect("Late", &scene.room).await;
    scene.clients.push(late);
    let who = scene.clients.len() - 1;
    let hello = json!({"type": "hello", "token": token("Late")});
    scene.refused(who, "room_full", hello).await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn with_a_full_log() -> Codes {
    let limits = Limits {
        room_entries: nonzero!(4),
        ..limits()
    };
    let mut scene = Scene::with(limits, sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    scene.ok(0, json!({"type": "start"})).await;
    // The entries since the snapshot are the deal and these.
    for ready in [true, false, true] {
        scene.ok(1, json!({"type": "ready", "ready": ready})).await;
    }
    for message in [
        json!({"type": "ready", "ready": false}),
        json!({"type": "rename", "name": "Bert"}),
    ] {
        scene.refused(1, "log_full", message).await;
    }
    scene.codes_seen
}

async fn in_the_lobby() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob"], &["Eve"]).await;
    const BOB: usize = 1;
    const EVE: usize = 2;

    for name in ["", "   "] {
        scene
            .refused(EVE, "name_empty", json!({"type": "sit", "name": name}))
            .await;
    }
    let long = "a".repeat(21);
    scene
        .refused(EVE, "name_too_long", json!({"type": "sit", "name": long}))
        .await;
    scene
        .refused(
            BOB,
            "name_too_long",
            json!({"type": "rename", "name": long}),
        )
        .await;
    for name in [
        "a\u{202e}b",
        "a\u{200b}",
        "a\u{7}",
        "e\u{301}\u{301}\u{301}\u{301}",
    ] {
        scene
            .refused(
                EVE,
                "name_not_allowed",
                json!({"type": "sit", "name": name}),
            )
            .await;
    }
    // The last two are like names of bots.
    for name in ["Ann", "ann", "Аnn", "ＡNN", "Thimble", "bоbbin"] {
        scene
            .refused(EVE, "name_taken", json!({"type": "sit", "name": name}))
            .await;
        scene
            .refused(BOB, "name_taken", json!({"type": "rename", "name": name}))
            .await;
    }
    let sit = |seat: usize| json!({"type": "sit", "name": "Eve", "seat": seat});
    scene.refused(EVE, "no_such_seat", sit(3)).await;
    scene.refused(EVE, "seat_taken", sit(0)).await;
    scene
        .refused(BOB, "already_seated", json!({"type": "sit", "name": "Bob"}))
        .await;

    let of_the_host = [
        json!({"type": "configure", "title": "Mine"}),
        json!({"type": "configure", "password": "sesame"}),
        json!({"type": "add_bot", "level": "beginner"}),
        json!({"type": "set_bot", "seat": 2, "level": "beginner"}),
        json!({"type": "remove", "seat": 0}),
        json!({"type": "give_host", "seat": 1}),
        json!({"type": "swap", "a": 0, "b": 1}),
        json!({"type": "start"}),
        json!({"type": "pause"}),
        json!({"type": "resume"}),
        json!({"type": "end"}),
        json!({"type": "rematch"}),
    ];
    for message in of_the_host {
        scene.refused(BOB, "not_host", message.clone()).await;
        scene.refused(EVE, "not_host", message).await;
    }

    scene
        .refused(0, "wrong_seats", json!({"type": "start"}))
        .await;
    scene
        .refused(0, "wrong_seats", json!({"type": "configure", "seats": 7}))
        .await;
    for options in [json!({"edition": "x"}), json!({"x": 1}), json!(7)] {
        let configure = json!({"type": "configure", "options": options, "title": "Both or none"});
        scene.refused(0, "bad_options", configure).await;
    }
    for seat in [3, 255] {
        for kind in ["remove", "give_host"] {
            scene
                .refused(0, "no_such_seat", json!({"type": kind, "seat": seat}))
                .await;
        }
    }
    let opening = json!({"type": "configure", "opening_seat": 3});
    scene.refused(0, "no_such_seat", opening).await;
    for level in ["", "genius", "Beginner"] {
        let bot = json!({"type": "add_bot", "level": level});
        scene.refused(0, "unknown_level", bot).await;
    }
    let set_bot = |seat: usize| json!({"type": "set_bot", "seat": seat, "level": "beginner"});
    scene.refused(0, "not_a_bot", set_bot(1)).await;
    scene.refused(0, "not_a_bot", set_bot(2)).await;
    scene
        .refused(0, "not_a_person", json!({"type": "give_host", "seat": 2}))
        .await;
    scene
        .refused(0, "nobody_there", json!({"type": "remove", "seat": 2}))
        .await;
    scene
        .refused(0, "game_not_over", json!({"type": "rematch"}))
        .await;
    scene
        .refused(
            0,
            "bad_password",
            json!({"type": "configure", "password": ""}),
        )
        .await;

    scene
        .ok(0, json!({"type": "configure", "spectator_chat": false}))
        .await;
    scene
        .refused(EVE, "chat_closed", json!({"type": "chat", "text": "Hi"}))
        .await;
    let long = "a".repeat(201);
    for text in ["", " ", "\u{200b}", &long] {
        scene
            .refused(BOB, "bad_text", json!({"type": "chat", "text": text}))
            .await;
    }
    // A burst of lines is allowed.
    let chat = json!({"type": "chat", "text": "Hi"});
    for _ in 0..5 {
        scene.ok(0, chat.clone()).await;
    }
    scene.refused(0, "too_soon", chat.clone()).await;
    let react = json!({"type": "react", "reaction": "laugh"});
    scene.refused(0, "too_soon", react).await;
    scene.server.advance(Duration::from_secs(1));
    scene.ok(0, chat).await;
    for reaction in ["", "Laugh", "wave"] {
        let react = json!({"type": "react", "reaction": reaction});
        scene.refused(BOB, "unknown_reaction", react).await;
    }
    scene
        .refused(
            EVE,
            "not_seated",
            json!({"type": "react", "reaction": "laugh"}),
        )
        .await;
    for code in ["", "0000"] {
        let handover = json!({"type": "handover", "code": code});
        scene.refused(EVE, "bad_handover", handover.clone()).await;
        scene.refused(BOB, "already_seated", handover).await;
    }

    // A handover code is valid for two minutes.
    scene.clients[BOB]
        .request(json!({"type": "handover"}))
        .await
        .ok();
    let code = scene.clients[BOB].next("handover").await["code"].clone();
    scene.server.advance(Duration::from_secs(120));
    let handover = json!({"type": "handover", "code": code});
    scene.refused(EVE, "bad_handover", handover).await;

    scene.ok(EVE, json!({"type": "sit", "name": "Eve"})).await;
    let dan = scene.server.join("Dan", &scene.room).await;
    scene.clients.push(dan);
    scene
        .refused(3, "table_full", json!({"type": "sit", "name": "Dan"}))
        .await;
    scene
        .refused(
            0,
            "table_full",
            json!({"type": "add_bot", "level": "beginner"}),
        )
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn without_a_game() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob"], &["Eve"]).await;
    for kind in ["pause", "end"] {
        scene.refused(0, "no_game", json!({"type": kind})).await;
    }
    scene
        .refused(0, "not_paused", json!({"type": "resume"}))
        .await;
    scene
        .refused(0, "no_game", json!({"type": "nudge", "seat": 1}))
        .await;
    scene
        .refused(0, "no_game", json!({"type": "stand_in", "seat": 1}))
        .await;
    scene
        .refused(0, "not_stood_in", json!({"type": "back"}))
        .await;
    scene
        .acts(1, "no_game", json!({"type": "pick", "card": "red-1"}))
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn in_a_game() -> Codes {
    let mut scene = Scene::new(sticheln(4), &["Ann", "Bob", "Cem"], &["Eve"]).await;
    scene
        .ok(0, json!({"type": "add_bot", "level": "beginner"}))
        .await;
    scene.ok(0, json!({"type": "start"})).await;
    const BOB: usize = 1;
    const EVE: usize = 3;

    let in_the_lobby_only = [
        json!({"type": "start"}),
        json!({"type": "swap", "a": 0, "b": 1}),
        json!({"type": "remove", "seat": 3}),
        json!({"type": "configure", "seats": 5}),
        json!({"type": "configure", "options": {}}),
        json!({"type": "configure", "opening_seat": 0}),
        json!({"type": "configure", "password": null}),
        json!({"type": "configure", "password": "sesame"}),
        json!({"type": "configure", "title": "Both or none", "seats": 4}),
    ];
    for message in in_the_lobby_only {
        scene.refused(0, "game_runs", message).await;
    }
    scene
        .refused(0, "game_not_over", json!({"type": "rematch"}))
        .await;
    scene
        .refused(0, "not_paused", json!({"type": "resume"}))
        .await;
    scene
        .refused(BOB, "not_stood_in", json!({"type": "back"}))
        .await;
    scene
        .refused(
            0,
            "seat_taken",
            json!({"type": "add_bot", "level": "beginner", "seat": 3}),
        )
        .await;
    scene
        .refused(
            EVE,
            "seat_taken",
            json!({"type": "sit", "name": "Eve", "seat": 1}),
        )
        .await;

    let nudge = |seat: usize| json!({"type": "nudge", "seat": seat});
    scene.refused(0, "no_such_seat", nudge(4)).await;
    scene.refused(0, "not_waited", nudge(0)).await;
    scene.clients[BOB].act().await;
    scene.refused(0, "not_waited", nudge(1)).await;
    scene.ok(0, nudge(2)).await;
    scene.refused(BOB, "too_soon", nudge(2)).await;

    scene.ok(0, json!({"type": "pause"})).await;
    scene.refused(0, "paused", json!({"type": "pause"})).await;
    scene.refused(0, "paused", nudge(2)).await;
    scene
        .acts(0, "paused", json!({"type": "pick", "card": "red-1"}))
        .await;
    // The new person sees the bot's hand only from the next deal on.
    scene
        .ok(EVE, json!({"type": "sit", "name": "Eve", "seat": 3}))
        .await;
    scene
        .refused(EVE, "waits_for_deal", json!({"type": "back"}))
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn while_somebody_is_away() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &["Eve"]).await;
    scene.ok(0, json!({"type": "start"})).await;
    let stand_in = |seat: usize| json!({"type": "stand_in", "seat": seat});
    scene.refused(0, "not_away", stand_in(1)).await;
    scene.clients.remove(1).leave().await;
    scene.clients[0].next("room").await;
    scene
        .refused(0, "not_here", json!({"type": "give_host", "seat": 1}))
        .await;
    scene.server.advance(Duration::from_millis(29_999));
    scene.refused(0, "not_away", stand_in(1)).await;
    scene.server.advance(Duration::from_millis(1));
    // A spectator may not do that while a seated person is here.
    scene.refused(2, "not_seated", stand_in(1)).await;
    scene.ok(0, stand_in(1)).await;
    scene.refused(1, "stood_in", stand_in(1)).await;
    scene.check_still_works().await;
    scene.codes_seen
}
