//! The refusals of the rules: actions that are illegal in Sticheln and in Nyet!.

use serde_json::{Value, json};

use super::{Codes, Scene, sticheln};
use crate::client::{Client, all_act, sync_all};

/// The hand of a client.
fn held(client: &Client) -> Vec<Value> {
    client.game["view"]["own"]["hand"]
        .as_array()
        .unwrap()
        .clone()
}

pub(super) async fn in_sticheln() -> Codes {
    let mut body = sticheln(3);
    body["options"] = json!({"end": {"type": "rounds", "rounds": 1}});
    let mut scene = Scene::new(body, &["Ann", "Bob", "Cem"], &["Eve"]).await;
    scene.ok(0, json!({"type": "start"})).await;
    const EVE: usize = 3;

    let pick = |card: &Value| json!({"type": "pick", "card": card});
    let play = |card: &Value| json!({"type": "play", "card": card});
    let own_hand = held(&scene.clients[0]);
    let other_hand = held(&scene.clients[1]);
    scene.acts(EVE, "not_seated", pick(&own_hand[0])).await;
    for kind in ["stand", "back", "handover"] {
        scene
            .refused(EVE, "not_seated", json!({"type": kind}))
            .await;
    }
    scene
        .refused(
            EVE,
            "not_seated",
            json!({"type": "react", "reaction": "laugh"}),
        )
        .await;
    scene
        .refused(EVE, "not_seated", json!({"type": "ready", "ready": true}))
        .await;
    scene
        .refused(EVE, "not_seated", json!({"type": "nudge", "seat": 0}))
        .await;
    scene.acts(0, "wrong_phase", play(&own_hand[0])).await;
    scene
        .acts(0, "card_not_in_hand", pick(&other_hand[0]))
        .await;
    for card in [
        "red-9", "red-255", "grey-1", "orange-1", "pink-1", "red", "Red-1", "red-01", "red-1 ",
        "red--1", "red-256",
    ] {
        scene.acts(0, "unknown_card", pick(&json!(card))).await;
    }
    let invalid_actions = [
        json!("pick"),
        json!({}),
        json!({"type": "pick"}),
        json!({"type": "pick", "card": 7}),
        json!({"type": "pass", "card": own_hand[0]}),
        json!({"type": "pick", "card": own_hand[0], "seat": 1}),
        json!({"type": "cover", "row": "trump", "space": "red"}),
        json!([own_hand[0]]),
        Value::Null,
    ];
    for action in invalid_actions {
        scene.acts(0, "malformed", action).await;
    }
    scene
        .ok(0, json!({"type": "act", "action": pick(&own_hand[0])}))
        .await;
    scene.acts(0, "already_picked", pick(&own_hand[0])).await;
    for card in &own_hand[1..=10] {
        scene
            .ok(0, json!({"type": "act", "action": pick(card)}))
            .await;
    }
    scene.acts(0, "already_picked", pick(&own_hand[10])).await;
    scene
        .acts(0, "replaced_too_often", pick(&own_hand[0]))
        .await;
    scene.clients[1].act().await;
    scene.clients[2].act().await;
    sync_all(&mut scene.clients).await;
    let turn = scene.clients[0].game["view"]["to_act"][0].as_u64().unwrap() as usize;
    let other = (turn + 1) % 3;
    let card = held(&scene.clients[other])[0].clone();
    scene.acts(other, "not_your_turn", play(&card)).await;
    // An action is read before the turn is checked.
    scene.acts(other, "unknown_card", play(&json!("red"))).await;
    scene
        .acts(other, "malformed", json!({"type": "play"}))
        .await;
    scene.acts(turn, "card_not_in_hand", play(&card)).await;
    scene.acts(turn, "wrong_phase", pick(&card)).await;
    while all_act(&mut scene.clients[..3]).await {}
    scene.acts(turn, "round_over", play(&card)).await;
    scene.check_still_works().await;
    scene.codes_seen
}

/// The seat on turn.
fn on_turn(scene: &Scene) -> usize {
    scene.clients[0].game["view"]["to_act"][0].as_u64().unwrap() as usize
}

pub(super) async fn in_nyet() -> Codes {
    let body = json!({
        "game": "nyet",
        "seats": 5,
        "options": {"end": {"type": "rounds", "rounds": 1}},
    });
    let people = ["Ann", "Bob", "Cem", "Dan", "Eli"];
    let mut scene = Scene::new(body, &people, &["Eve"]).await;
    let choose = |name: &str| json!({"type": "choose_character", "character": name});
    scene
        .refused(0, "unknown_character", choose("dragon"))
        .await;
    scene.ok(0, choose("bear")).await;
    scene.refused(1, "character_taken", choose("bear")).await;
    scene.ok(0, json!({"type": "start"})).await;
    const EVE: usize = 5;

    // The board is covered so that each seat lays aside a card that is not a 1.
    let cover = |row: &str, space: &str| json!({"type": "cover", "row": row, "space": space});
    scene.acts(EVE, "not_seated", cover("trump", "red")).await;
    scene
        .acts(
            (on_turn(&scene) + 1) % 5,
            "not_your_turn",
            cover("trump", "red"),
        )
        .await;
    for (row, space) in [
        ("trump", "pink"),
        ("trumps", "red"),
        ("trump", "none"),
        ("points", "5"),
    ] {
        scene
            .acts(on_turn(&scene), "unknown_space", cover(row, space))
            .await;
    }
    let out_of_turn = (on_turn(&scene) + 1) % 5;
    scene
        .acts(out_of_turn, "unknown_space", cover("trump", "pink"))
        .await;
    let card = held(&scene.clients[on_turn(&scene)])[0].clone();
    let play = |card: &Value| json!({"type": "play", "card": card});
    scene
        .acts(on_turn(&scene), "wrong_phase", play(&card))
        .await;
    let spared = cover("discard", "one_not_1");
    while scene.clients[0].game["view"]["table"]["phase"] == "cover" {
        let turn = on_turn(&scene);
        let legal = scene.clients[turn].legal().to_vec();
        let action = legal.iter().find(|action| **action != spared).unwrap();
        let next = (turn + 1) % 5;
        scene
            .ok(turn, json!({"type": "act", "action": action}))
            .await;
        if scene.clients[0].game["view"]["table"]["phase"] == "cover" {
            scene.acts(next, "space_covered", action.clone()).await;
            if !scene.clients[next].legal().contains(&spared) {
                scene.acts(next, "last_space_in_row", spared.clone()).await;
            }
        }
    }

    let start = on_turn(&scene);
    let other = (start + 1) % 5;
    let team = |partners: Value, bonus: Value| json!({"type": "team", "partners": partners, "bonus": bonus});
    scene
        .acts(other, "not_your_turn", team(json!([start]), json!(start)))
        .await;
    for partners in [
        json!([]),
        json!([start]),
        json!([9]),
        json!([other, other]),
        json!([0, 1, 2, 3]),
    ] {
        scene
            .acts(start, "invalid_team", team(partners, json!(start)))
            .await;
    }
    for bonus in [Value::Null, json!((start + 2) % 5), json!(9)] {
        scene
            .acts(start, "invalid_bonus", team(json!([other]), bonus))
            .await;
    }
    scene
        .acts(
            start,
            "malformed",
            json!({"type": "team", "partners": other}),
        )
        .await;
    let formed = team(json!([other]), json!(start));
    scene
        .ok(start, json!({"type": "act", "action": formed}))
        .await;

    let discard = |cards: Value| json!({"type": "discard", "cards": cards});
    let hand = held(&scene.clients[0]);
    let elsewhere = held(&scene.clients[1])
        .into_iter()
        .find(|card| !hand.contains(card));
    let has_one = |client: &Client| {
        held(client)
            .iter()
            .any(|card| card.as_str().unwrap().ends_with("-1"))
    };
    let holder = scene.clients[..5].iter().position(has_one).unwrap();
    let ones = held(&scene.clients[holder]);
    let one = ones
        .iter()
        .find(|card| card.as_str().unwrap().ends_with("-1"));
    scene
        .acts(0, "wrong_discard_count", discard(json!([])))
        .await;
    scene
        .acts(0, "wrong_discard_count", discard(json!(hand[..2])))
        .await;
    for card in ["red-14", "red-0", "purple-2", "rot-1"] {
        scene.acts(0, "unknown_card", discard(json!([card]))).await;
    }
    scene
        .acts(0, "card_not_in_hand", discard(json!([elsewhere])))
        .await;
    scene
        .acts(holder, "discard_must_not_be_1", discard(json!([one])))
        .await;
    let chosen = scene.clients[0].legal()[0].clone();
    scene.clients[0].act().await;
    scene.acts(0, "already_discarded", chosen).await;
    for client in &mut scene.clients[1..5] {
        client.act().await;
    }
    sync_all(&mut scene.clients).await;

    let mut is_forced = false;
    while scene.clients[0].game["view"]["table"]["phase"] == "trick" {
        let turn = on_turn(&scene);
        let legal = scene.clients[turn].legal().to_vec();
        let hand = held(&scene.clients[turn]);
        let cards = hand.iter().map(play);
        if let Some(action) = cards.into_iter().find(|action| !legal.contains(action)) {
            if !is_forced {
                scene.acts(turn, "must_follow_suit", action).await;
            }
            is_forced = true;
        }
        scene.clients[turn].act().await;
        sync_all(&mut scene.clients).await;
    }
    scene.acts(0, "round_over", play(&card)).await;
    scene.check_still_works().await;
    scene.codes_seen
}
