//! A third game in the real server. Its database, rooms and sockets serve a game that is linked
//! into this binary only.
//!
//! The files in this folder are the example of `docs/new-game.md`.
#![allow(clippy::unwrap_used)]

#[macro_use]
#[path = "../server/limit.rs"]
mod limit;

#[path = "../server/client.rs"]
#[expect(
    dead_code,
    reason = "other tests of the server need more of the client"
)]
mod client;
#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod games;
#[path = "../server/harness.rs"]
#[expect(
    dead_code,
    reason = "other tests of the server need more of the harness"
)]
mod harness;
mod toy;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sticheln_bots::{Level, Player};
use sticheln_rules::{Seat, State, Status};
use sticheln_server::limits::operator_limits::Limits;

use self::client::{Client, sync_all};
use self::harness::{Server, Setup, limits};
use self::toy::Toy;

/// A server with three games and fast bots.
async fn server() -> Server {
    let setup = Setup {
        games: games::three(),
        limits: Limits {
            bot_delay_percent: 0,
            ..limits()
        },
        ..Setup::default()
    };
    setup.start().await
}

/// Opens a room for the toy game for two rounds, in which the lowest card takes a trick.
async fn open(server: &Server, seats: usize) -> String {
    let options = json!({"end": {"type": "rounds", "rounds": 2}, "lowest_takes": true});
    server
        .open_room(json!({"game": "toy", "seats": seats, "options": options}))
        .await
}

/// A room in which these people have started a game.
async fn started(server: &Server, names: &[&str]) -> (String, Vec<Client>) {
    let room = open(server, names.len()).await;
    let clients = server.start_game(&room, names).await;
    (room, clients)
}

/// The parts of the game that a client receives.
fn seen(client: &Client) -> [&Value; 4] {
    let game = &client.game;
    [
        client::field(game, "rev"),
        client::field(game, "view"),
        client::field(game, "legal"),
        client::field(&client.sheet, "rounds"),
    ]
}

#[tokio::test]
async fn bots_play_a_third_game_to_its_final_standings() {
    let server = server().await;
    let room = open(&server, 4).await;
    let mut ann = server.sit("Ann", &room).await;
    for level in ["beginner", "normal", "expert"] {
        ann.request(json!({"type": "add_bot", "level": level}))
            .await
            .ok();
    }
    ann.request(json!({"type": "start"})).await.ok();
    ann.sync().await;
    while ann.room["table"]["phase"] != "over" {
        if !ann.legal().is_empty() {
            ann.act().await;
        } else if ann.game["view"]["table"]["phase"] == "round_end" {
            ann.request(json!({"type": "ready", "ready": true}))
                .await
                .ok();
        }
        ann.sync().await;
    }

    let table = &ann.room["table"];
    assert_eq!(table["game"], "toy");
    assert_eq!(table["options"]["lowest_takes"], true);
    assert_eq!(ann.sheet["rounds"].as_array().unwrap().len(), 2);
    let totals = ann.sheet["totals"].as_array().unwrap();
    let tricks: i64 = totals.iter().map(|total| total.as_i64().unwrap()).sum();
    assert_eq!(tricks, 2 * 5, "each trick gives a point");
    let summary = server.get(&format!("/api/rooms/{room}")).await.json();
    assert_eq!(summary["game"], "toy");
    assert_eq!(summary["phase"], "over");
}

/// The bots of a game without bots of its own.
#[test]
fn random_bots_are_legal_and_repeatable() {
    let mut choices = BTreeSet::new();
    for opening in 0..3 {
        let mut game = State::<Toy>::new(Default::default(), 3, Seat::new(opening)).unwrap();
        game.deal(&game.pack()).unwrap();
        while game.status() == Status::Playing {
            let seat = game.view(None).to_act()[0];
            let view = game.view(Some(seat));
            assert!(Toy::position(view, &()).is_none(), "there is no search");
            let [action, again] = [Level::Normal, Level::Expert]
                .map(|level| Toy::advice(view, &(), level).expect("a seat on turn has a choice"));
            assert_eq!(action, again);
            choices.extend(view.legal().iter().position(|legal| *legal == action));
            game.act(seat, action).expect("advice is legal");
        }
        assert_eq!(
            Toy::advice(game.view(Some(Seat::new(0))), &(), Level::Normal),
            None
        );
    }
    assert!(choices.len() > 2, "the first card is not always chosen");
}

#[tokio::test]
async fn a_third_game_survives_restarts() {
    let names = ["Ann", "Bob", "Cem"];
    let mut server = server().await;
    let (room, mut clients) = started(&server, &names).await;
    for _ in 0..7 {
        let client = clients.iter_mut().find(|client| !client.legal().is_empty());
        client.unwrap().act().await;
        sync_all(&mut clients).await;
        server = server.restart().await;
        let mut returned = Vec::new();
        for name in names {
            returned.push(server.join(name, &room).await);
        }
        sync_all(&mut returned).await;
        for (before, after) in clients.iter().zip(&returned) {
            assert_eq!(seen(before), seen(after));
        }
        clients = returned;
    }
}

/// A room of a game that the program does not have is unchanged when the game is back.
#[tokio::test]
async fn a_room_of_an_unknown_game_is_not_woken() {
    let server = server().await;
    let (room, clients) = started(&server, &["Ann", "Bob"]).await;
    let rev = server.rev(&room);
    let setup = server.stop().await;

    let two_games = Setup {
        games: sticheln_server::games::all(),
        ..setup
    };
    let server = two_games.start().await;
    server.connect("Ann", &room).await.closed_with(4005).await;
    assert_eq!(server.rev(&room), rev);
    let body = json!({"game": "toy", "seats": 2}).to_string();
    server.post(body).await.refused(400, "malformed");

    let setup = Setup {
        games: games::three(),
        ..server.stop().await
    };
    let server = setup.start().await;
    let mut ann = server.join("Ann", &room).await;
    ann.sync().await;
    assert_eq!(seen(&ann), seen(&clients[0]));
}

#[tokio::test]
async fn options_that_a_third_game_does_not_have_are_refused() {
    let server = server().await;
    for options in [
        json!({"edition": "nsv"}),
        json!({"lowest_takes": 1}),
        json!({"end": {"type": "rounds", "rounds": 31}}),
        json!([null, true]),
    ] {
        let body = json!({"game": "toy", "seats": 2, "options": options}).to_string();
        server.post(body).await.refused(400, "bad_options");
    }
    let body = json!({"game": "toy", "seats": 5}).to_string();
    server.post(body).await.refused(400, "wrong_seats");

    let room = open(&server, 2).await;
    let mut ann = server.sit("Ann", &room).await;
    let options = json!({"type": "configure", "options": {"lowest_takes": null}});
    ann.request(options).await.refused("bad_options");
    let options = json!({"type": "configure", "options": {"lowest_takes": false}});
    ann.request(options).await.ok();
    ann.sync().await;
    assert_eq!(ann.room["table"]["options"]["lowest_takes"], false);
}

#[tokio::test]
async fn illegal_actions_of_a_third_game_are_refused_by_their_codes() {
    let server = server().await;
    let (_, mut clients) = started(&server, &["Ann", "Bob"]).await;
    let before = clients[0].game.clone();
    let of_ann = clients[0].legal()[0].clone();
    for (client, action, code) in [
        (1, of_ann, "not_your_turn"),
        (
            0,
            json!({"type": "play", "card": "red-256"}),
            "unknown_card",
        ),
        (0, json!({"type": "play", "card": "red-7"}), "above_six"),
        (
            0,
            json!({"type": "play", "card": "grey-1"}),
            "card_not_in_hand",
        ),
        (0, json!({"type": "pick", "card": "red-1"}), "malformed"),
        (0, json!({"type": "play"}), "malformed"),
    ] {
        let act = json!({"type": "act", "action": action});
        clients[client].request(act).await.refused(code);
    }
    sync_all(&mut clients).await;
    assert_eq!(clients[0].game, before);
}

/// Counts the lines of `toy.rs` that are not empty. `games.rs` adds the toy to the list and is not counted.
#[test]
fn a_third_game_has_at_most_160_lines() {
    let lines = include_str!("toy.rs").lines();
    let lines = lines.filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 160, "{lines} lines without the empty ones");
}

/// The cards of the hand that a `game` message shows.
fn hand(game: &Value) -> impl Iterator<Item = &str> {
    let hand = game["view"]["own"]["hand"].as_array().into_iter().flatten();
    hand.map(|card| card.as_str().unwrap())
}

/// No card exists twice, and the hand of each seat is known from its own messages.
#[tokio::test]
async fn a_hand_of_a_third_game_is_in_no_message_of_others() {
    let server = server().await;
    let (room, mut clients) = started(&server, &["Ann", "Bob", "Cem"]).await;
    clients.push(server.join("Dan", &room).await);
    while clients[0].room["table"]["phase"] != "over" {
        if !client::all_act(&mut clients).await {
            for client in &mut clients[..3] {
                client
                    .request(json!({"type": "ready", "ready": true}))
                    .await;
            }
        }
        sync_all(&mut clients).await;
    }

    let pack = State::<Toy>::new(Default::default(), 3, Seat::new(0))
        .unwrap()
        .pack();
    let games = |client: &Client| {
        let mut games = BTreeMap::new();
        for text in &client.texts {
            let message: Value = serde_json::from_str(text).unwrap();
            if message["type"] == "game" {
                games.insert(message["rev"].as_u64().unwrap(), message);
            } else {
                let mut cards = pack.iter().map(|card| format!("\"{card}\""));
                assert!(cards.all(|card| !text.contains(&card)), "a card in {text}");
            }
        }
        games
    };
    let games: Vec<_> = clients.iter().map(games).collect();
    let mut compared = 0;
    for (seat, of_seat) in games.iter().enumerate() {
        for (_, of_other) in games.iter().enumerate().filter(|(other, _)| *other != seat) {
            for (rev, game) in of_seat {
                let shown = of_other.get(rev).map(Value::to_string);
                for card in hand(game).filter(|_| shown.is_some()) {
                    let shown = shown.as_ref().unwrap();
                    assert!(!shown.contains(&format!("\"{card}\"")), "{card} in {shown}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} cards were looked for");
}
