//! Imports: the bounds of an imported game, and its room. `program/records.rs` tests the commands.

use std::num::NonZero;

use serde_json::{Value, json};
use sticheln_record::{RecordFile, RecordedActor, RecordedPlayer};
use sticheln_rules::{End, Game, Nyet, Sticheln, nyet, sticheln};
use sticheln_server::limits::operator_limits::Limits;

use crate::common::record;
use crate::control::{ask, serve};
use crate::harness::{Server, Setup, limits};

/// The record of a game in which all seats play their first legal action.
pub fn played<G: Game>(options: G::Options, seats: usize) -> RecordFile<G> {
    let player = RecordedPlayer::Bot {
        level: "normal".to_owned(),
        name: Some("Bobbin".to_owned()),
    };
    record::played(options, seats, player, RecordedActor::Bot)
}

/// The request that imports a record.
pub fn import<G: Game>(record: &RecordFile<G>) -> Vec<u8> {
    let record: Value = serde_json::from_str(&record.json()).unwrap();
    format!("{}\n", json!({"command": "import", "record": record})).into_bytes()
}

/// Games of 30 rounds, for each number of seats, are imported with all of their rounds.
async fn longest_games_are_imported<G: Game>(options: G::Options) {
    let server = Server::start().await;
    let (path, _serving) = serve(&server).await;
    for seats in G::SEATS {
        let record = played::<G>(options.clone(), seats);
        assert_eq!(record.rounds.len(), 30, "{seats} seats");
        let imported = ask(&path, &import(&record)).await;
        let id = imported[0]["done"]["replay"].as_str();
        let id = id.unwrap_or_else(|| panic!("{seats} seats: {imported:?}"));
        let game = server.get(&format!("/api/games/{id}")).await.json();
        assert_eq!(game["rounds"].as_array().unwrap().len(), 30);
        for round in [1, 30] {
            let round = server.get(&format!("/api/games/{id}/rounds/{round}")).await;
            assert_eq!(round.json()["totals"].as_array().unwrap().len(), seats);
        }
        let exported = server.get(&format!("/api/games/{id}/record")).await.json();
        let rounds = |record: &Value, field: &str| -> Vec<Value> {
            let rounds = record["rounds"].as_array().unwrap().iter();
            rounds.map(|round| round[field].clone()).collect()
        };
        let file: Value = serde_json::from_str(&record.json()).unwrap();
        for field in ["hands", "undealt", "tricks", "scores", "totals"] {
            assert_eq!(rounds(&exported, field), rounds(&file, field), "{field}");
        }
    }
}

#[tokio::test]
async fn the_longest_games_of_sticheln_are_imported() {
    let options = sticheln::Options {
        end: End::rounds(30),
        ..Default::default()
    };
    longest_games_are_imported::<Sticheln>(options).await;
}

#[tokio::test]
async fn the_longest_games_of_nyet_are_imported() {
    let options = nyet::Options {
        end: End::rounds(30),
        ..Default::default()
    };
    longest_games_are_imported::<Nyet>(options).await;
}

/// An import counts against the rooms that are awake only while it lasts.
#[tokio::test]
async fn an_imported_room_sleeps_and_none_is_imported_into_a_full_server() {
    let setup = Setup {
        limits: Limits {
            rooms: NonZero::new(1).unwrap(),
            ..limits()
        },
        ..Setup::default()
    };
    let server = setup.start().await;
    let (path, _serving) = serve(&server).await;
    let request = import(&played::<Sticheln>(sticheln::Options::default(), 3));
    let mut rooms = Vec::new();
    for _ in 0..2 {
        let imported = ask(&path, &request).await;
        let room = imported[0]["done"]["room"].as_str();
        rooms.push(room.unwrap_or_else(|| panic!("{imported:?}")).to_owned());
    }
    assert!(server.app.registry.codes_with_slot().is_empty());
    // It is woken by the first person who comes.
    let ann = server.join("Ann", &rooms[1]).await;
    assert_eq!(ann.room["table"]["phase"], "over");
    let refused = ask(&path, &request).await;
    assert_eq!(refused, [json!({"error": "no_space"})]);
}
