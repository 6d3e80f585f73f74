//! Refusals during a game.

use std::time::Duration;

use serde_json::json;

use super::{Codes, Scene, sticheln};
use crate::client::{all_act, sync_all};
use crate::harness::database;

pub(super) async fn in_a_game() -> Codes {
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
        json!({"type": "configure", "title": "Both or none", "seats": 4}),
    ];
    for message in in_the_lobby_only {
        scene.refused(0, "game_in_progress", message).await;
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
            "chair_taken",
            json!({"type": "add_bot", "level": "beginner", "seat": 3}),
        )
        .await;
    scene
        .refused(
            EVE,
            "chair_taken",
            json!({"type": "sit", "name": "Eve", "seat": 1}),
        )
        .await;

    let nudge = |seat: usize| json!({"type": "nudge", "seat": seat});
    scene.refused(0, "no_such_chair", nudge(4)).await;
    scene.refused(0, "not_awaited", nudge(0)).await;
    scene.clients[BOB].act().await;
    scene.refused(0, "not_awaited", nudge(1)).await;
    scene.ok(0, nudge(2)).await;
    scene.refused(BOB, "too_soon", nudge(2)).await;

    scene
        .refused(0, "not_between_rounds", json!({"type": "hold"}))
        .await;
    scene
        .refused(BOB, "not_awaited", json!({"type": "more_time"}))
        .await;
    scene.ok(0, json!({"type": "more_time"})).await;
    scene
        .refused(0, "no_more_time", json!({"type": "more_time"}))
        .await;
    scene
        .ok(0, json!({"type": "configure", "turn_seconds": 60}))
        .await;
    scene
        .refused(2, "turn_limited", json!({"type": "more_time"}))
        .await;
    for _ in 0..2 {
        scene.ok(BOB, json!({"type": "pause"})).await;
        scene.ok(0, json!({"type": "resume"})).await;
    }
    scene
        .refused(BOB, "no_pause_left", json!({"type": "pause"}))
        .await;
    scene
        .ok(0, json!({"type": "configure", "turn_seconds": null}))
        .await;

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
    let round_log = |round: usize| json!({"type": "round_log", "round": round});
    scene.refused(EVE, "no_such_round", round_log(2)).await;
    let damage = "UPDATE recent_entry SET snapshot = '{}' WHERE begins_round = 1";
    let folder = scene.server.setup.folder.clone();
    database(&folder).execute(damage, []).unwrap();
    scene.refused(EVE, "round_unavailable", round_log(1)).await;
    let rename = |from, to| {
        let rename = format!("ALTER TABLE {from} RENAME TO {to}");
        database(&folder).execute(&rename, []).unwrap();
    };
    rename("game", "hidden");
    scene
        .refused(EVE, "games_unavailable", json!({"type": "games"}))
        .await;
    rename("hidden", "game");
    scene.check_still_works().await;
    scene.codes_seen
}

pub(super) async fn while_somebody_is_away() -> Codes {
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

pub(super) async fn while_a_seat_is_claimed() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &["Eve", "Fay"]).await;
    scene.ok(0, json!({"type": "start"})).await;
    scene.clients.remove(1).leave().await;
    scene.clients[0].next("room").await;
    const EVE: usize = 2;
    const FAY: usize = 3;
    let claim = |name: &str| json!({"type": "claim", "name": name});
    let answer = json!({"type": "answer_claim", "claim": 1, "agree": true});
    scene.refused(0, "no_such_claim", answer.clone()).await;
    scene.refused(0, "already_seated", claim("Bob")).await;
    scene.refused(EVE, "still_here", claim("Cem")).await;
    scene
        .refused(EVE, "nobody_of_that_name", claim("Gus"))
        .await;
    scene.refused(EVE, "still_here", claim("Bob")).await;
    scene.server.advance(Duration::from_secs(30));
    scene.ok(EVE, claim("Bob")).await;
    scene.refused(FAY, "claim_pending", claim("Bob")).await;
    scene.refused(FAY, "not_seated", answer).await;
    scene.check_still_works().await;
    scene.codes_seen
}

pub(super) async fn between_rounds() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    scene.ok(0, json!({"type": "start"})).await;
    sync_all(&mut scene.clients).await;
    while all_act(&mut scene.clients).await {}
    scene.ok(0, json!({"type": "hold"})).await;
    scene
        .refused(0, "no_hold_left", json!({"type": "hold"}))
        .await;
    scene.check_still_works().await;
    scene.codes_seen
}
