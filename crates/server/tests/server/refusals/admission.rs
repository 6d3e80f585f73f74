//! Refusals on the way into a room: malformed messages, tokens and passwords.

use serde_json::{Value, json};

use super::{Codes, Scene, sticheln};
use crate::common::token;
use crate::harness::nth;

/// Malformed messages, and messages before `hello`.
pub(super) async fn before_hello() -> Codes {
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
        "{\"type\":\"ping\",\"id\":\"a b\"}",
        "{\"type\":\"ping\",\"id\":\"\u{e4}\"}",
        "{\"type\":\"ping\",\"id\":\"1234567890123456789012345678901234567\"}",
        "{\"type\":\"ping\",\"id\":\"\\ud800\"}",
        deep.as_str(),
    ];
    for text in invalid_texts {
        for who in [BOB, EVE, FAY] {
            scene.refused_text(who, text).await;
        }
    }
    // The first and the last visible character, and 36 characters.
    let longest = format!("!~{}", "1".repeat(34));
    let ping = json!({"type": "ping"});
    scene.clients[BOB]
        .request_with_id(&longest, ping)
        .await
        .ok();
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

pub(super) async fn with_a_password() -> Codes {
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
    // Three more passwords of this minute are hashed. The refusals above took no units.
    for _ in 0..3 {
        let wrong = hello(json!("sesam"));
        scene.refused(1, "wrong_password", wrong).await;
    }
    let right = hello(json!("sesame"));
    scene.refused(1, "too_many_attempts", right).await;
    scene.check_still_works().await;
    scene.codes_seen
}

/// The host has removed Bob: newcomers wait.
pub(super) async fn with_a_waiting_room() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob"], &[]).await;
    let remove = json!({"type": "remove", "seat": 1});
    scene.clients[0].request(remove).await.ok();
    scene.clients.pop().unwrap().closed_with(4003).await;
    for name in ["Gus", "Hal", "Ida"] {
        let client = scene.server.connect(name, &scene.room).await;
        scene.clients.push(client);
    }
    let hello = |name: &str| json!({"type": "hello", "token": token(name), "name": name});
    let nameless = json!({"type": "hello", "token": token("Gus")});
    scene.refused(1, "name_needed", nameless).await;
    for (who, name) in [(1, "Gus"), (2, "Hal")] {
        scene.clients[who].send_with_id("knock", hello(name));
        scene.clients[who].next("waiting").await;
        scene.clients[0].next("room").await;
    }
    scene.refused(3, "too_many_guests", hello("Ida")).await;
    let admit =
        |count: u64, admit: bool| json!({"type": "admit", "guest": nth(count), "admit": admit});
    scene.refused(0, "no_such_guest", admit(3, true)).await;
    scene.clients[0].request(admit(1, false)).await.ok();
    let answer = scene.clients[1].answer("knock").await;
    answer.refused("not_admitted");
    scene.codes_seen.insert("not_admitted");
    scene.clients[1].closed_with(4003).await;
    scene.clients[0].request(admit(2, true)).await.ok();
    scene.clients[2].answer("knock").await.ok();
    scene.codes_seen
}
