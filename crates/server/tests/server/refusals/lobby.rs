//! Refusals without a game.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Codes, Scene, sticheln};
use crate::harness::nth;

pub(super) async fn in_the_lobby() -> Codes {
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
    scene.refused(EVE, "no_such_chair", sit(3)).await;
    scene.refused(EVE, "chair_taken", sit(0)).await;
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
        json!({"type": "end"}),
        json!({"type": "return_to_lobby"}),
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
    for options in [
        json!({"edition": "x"}),
        json!({"x": 1}),
        json!(7),
        Value::Null,
    ] {
        let configure = json!({"type": "configure", "options": options, "title": "Both or none"});
        scene.refused(0, "bad_options", configure).await;
    }
    for seat in [3, 255] {
        for kind in ["remove", "give_host"] {
            scene
                .refused(0, "no_such_chair", json!({"type": kind, "seat": seat}))
                .await;
        }
    }
    // Null is no value of these, and does not mean that they stay as they are.
    for field in [
        "seats",
        "listed",
        "spectator_chat",
        "fast_bots",
        "waiting_room",
        "replays",
    ] {
        let configure = json!({"type": "configure", field: null, "title": "Both or none"});
        scene.refused(0, "malformed", configure).await;
    }
    let opening = json!({"type": "configure", "opening_seat": 3});
    scene.refused(0, "no_such_chair", opening).await;
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
        .refused(0, "chair_free", json!({"type": "remove", "seat": 2}))
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
    // One grapheme of 1601 bytes.
    let marks = "e".to_owned() + &"\u{301}".repeat(800);
    for text in ["", " ", "\u{200b}", &long, &marks] {
        scene
            .refused(BOB, "bad_text", json!({"type": "chat", "text": text}))
            .await;
    }
    // One of 1600 bytes is allowed.
    let longest = "\u{301}".repeat(800);
    scene
        .ok(BOB, json!({"type": "chat", "text": longest}))
        .await;
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
        .refused(3, "no_free_chair", json!({"type": "sit", "name": "Dan"}))
        .await;
    scene
        .refused(
            0,
            "no_free_chair",
            json!({"type": "add_bot", "level": "beginner"}),
        )
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}

pub(super) async fn with_spectators() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &["Eve", "Fay"]).await;
    const BOB: usize = 1;
    const EVE: usize = 3;
    const FAY: usize = 4;

    let mute =
        |count: u64| json!({"type": "mute_spectator", "spectator": nth(count), "muted": true});
    let remove = |count: u64| json!({"type": "remove_spectator", "spectator": nth(count)});
    for message in [mute(4), remove(4)] {
        scene.refused(BOB, "not_host", message.clone()).await;
        scene.refused(EVE, "not_host", message).await;
    }
    // Bob has a seat.
    for count in [0, 2, 9] {
        for message in [mute(count), remove(count)] {
            scene.refused(0, "no_such_spectator", message).await;
        }
    }
    scene
        .refused(
            BOB,
            "already_seated",
            json!({"type": "queue", "queue": true}),
        )
        .await;
    for (name, code) in [("Ann", "name_taken"), ("", "name_empty")] {
        let rename = json!({"type": "rename", "name": name});
        scene.refused(EVE, code, rename).await;
    }
    scene.ok(0, mute(4)).await;
    scene
        .refused(EVE, "muted", json!({"type": "chat", "text": "Hi"}))
        .await;
    scene.ok(FAY, json!({"type": "queue", "queue": true})).await;
    scene.ok(BOB, json!({"type": "stand"})).await;
    scene
        .refused(EVE, "seat_offered", json!({"type": "sit", "name": "Eve"}))
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}

pub(super) async fn with_watchers() -> Codes {
    const SPECTATORS: [&str; 6] = ["Eve", "Fay", "Gus", "Hal", "Ida", "Kim"];
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &SPECTATORS).await;
    const EVE: usize = 3;
    const KIM: usize = 8;

    let watch = json!({"type": "watch_hands", "watch": true});
    let allow = |request: u64| json!({"type": "allow_watching", "request": request, "allow": true});
    scene.refused(0, "already_seated", watch.clone()).await;
    scene.refused(EVE, "name_needed", watch.clone()).await;
    scene.refused(EVE, "not_seated", allow(4)).await;
    scene.refused(0, "not_asked", allow(4)).await;
    for (who, name) in (EVE..).zip(SPECTATORS) {
        scene.ok(who, json!({"type": "rename", "name": name})).await;
    }
    for who in EVE..EVE + 4 {
        scene.ok(who, watch.clone()).await;
    }
    scene.refused(KIM, "too_many_watchers", watch.clone()).await;
    let eve = &scene.clients[0].room["table"]["spectators"][0];
    let request = eve["request"].as_u64().unwrap();
    for who in 0..3 {
        scene.ok(who, allow(request)).await;
    }
    scene.ok(0, json!({"type": "start"})).await;
    for message in [
        watch,
        json!({"type": "chat", "text": "Hi"}),
        json!({"type": "sit", "name": "Eve"}),
    ] {
        scene.refused(EVE, "watches_hands", message).await;
    }
    scene.check_still_works().await;
    scene.codes_seen
}

pub(super) async fn without_a_game() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob"], &["Eve"]).await;
    for kind in ["pause", "end", "hold", "more_time"] {
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
