//! Statistical tests of the deals of the program: thousands of deals, in the views and in the database.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::common::folder::Folder;
use crate::player::Player;
use crate::process::{FAST_CLIENTS, open_room, start};

/// The number of concurrent rooms, whose writes share commits.
const ROOMS: usize = 30;
/// The number of games in each room.
const GAMES: usize = 100;
const SEATS: usize = 3;
const HAND: usize = 15;
/// The bits of a seed.
const BITS: usize = 256;
/// The quantile of the normal distribution that is exceeded once in 10^9 times.
const Z: f64 = 5.998;

/// The first hand of a game in the view of its seat, and the first leader.
struct Deal {
    seat: usize,
    hand: BTreeSet<String>,
    leader: usize,
}

/// The quantile of chi-square that is exceeded once in 10^9 times, by the approximation of Wilson and
/// Hilferty.
fn critical(freedom: usize) -> f64 {
    let freedom = freedom as f64;
    let part = 2.0 / (9.0 * freedom);
    freedom * (1.0 - part + Z * part.sqrt()).powi(3)
}

/// Chi-square test: each count has this expected value and this variance.
#[track_caller]
fn check_chi_square(what: &str, counts: &[usize], expected: f64, variance: f64, freedom: usize) {
    let squares = counts
        .iter()
        .map(|count| (*count as f64 - expected).powi(2) / variance);
    let chi_square: f64 = squares.sum();
    let critical = critical(freedom);
    assert!(
        chi_square < critical,
        "{what}: chi-square {chi_square:.0} with {freedom} degrees of freedom exceeds \
         {critical:.0}; counts {counts:?}"
    );
}

/// Starts games with one person and two bots. Returns the deals in the views of the player.
async fn deals_in_a_room(port: u16, seat: usize) -> Vec<Deal> {
    let room = open_room(port, &json!({"game": "sticheln", "seats": SEATS}));
    let mut player = Player::join(port, &room, "Ann").await.unwrap();
    let sit = json!({"type": "sit", "name": "Ann", "seat": seat});
    assert_eq!(player.request(sit).await.unwrap(), "ok");
    for _ in 1..SEATS {
        let bot = json!({"type": "add_bot", "level": "beginner"});
        assert_eq!(player.request(bot).await.unwrap(), "ok");
    }
    let mut deals = Vec::new();
    for _ in 0..GAMES {
        player.game = Value::Null;
        assert_eq!(
            player.request(json!({"type": "start"})).await.unwrap(),
            "ok"
        );
        while player.game.is_null() {
            player.next().await.unwrap();
        }
        let view = &player.game["view"];
        let hand = view["own"]["hand"].as_array().unwrap().iter();
        deals.push(Deal {
            seat,
            hand: hand.map(|card| card.as_str().unwrap().into()).collect(),
            leader: view["table"]["first_leader"].as_u64().unwrap() as usize,
        });
        assert_eq!(player.request(json!({"type": "end"})).await.unwrap(), "ok");
    }
    deals
}

/// The seeds of all deals in the database, after the shutdown of the server.
fn seeds(folder: &Folder) -> Vec<[u8; 32]> {
    let database = Connection::open(folder.database()).unwrap();
    let bodies = |select: &str| -> Vec<Value> {
        let mut rows = database.prepare(select).unwrap();
        let rows = rows.query_map([], |row| row.get(0)).unwrap();
        let bodies = rows.map(Result::<String, _>::unwrap);
        let bodies = bodies.map(|body| serde_json::from_str(&body).unwrap());
        bodies.collect()
    };
    let rounds = bodies("SELECT body FROM finished_round").into_iter();
    let archived = rounds.flat_map(|round| round["entries"].as_array().unwrap().clone());
    let copied = bodies("SELECT body FROM older_entry");
    // The shutdown compacts `recent_entry` for a second only. Rows that were compacted may still be there.
    let others = bodies(
        "SELECT body FROM recent_entry WHERE \
         NOT EXISTS (SELECT * FROM older_entry e WHERE e.room_id = recent_entry.room_id AND e.rev = recent_entry.rev) AND \
         NOT EXISTS (SELECT * FROM finished_round f WHERE f.room_id = recent_entry.room_id \
                     AND recent_entry.rev BETWEEN f.rev AND f.last_rev)",
    );
    let entries = archived.chain(copied).chain(others);
    let dealt = entries.filter(|entry| entry["change"]["type"] == "dealt");
    dealt
        .map(|entry| serde_json::from_value(entry["change"]["seed"].clone()).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deals_are_distinct_and_uniformly_distributed() {
    let folder = Folder::new();
    let arguments = ["--rooms-per-address", "1000"];
    let program = start(&folder, &[&FAST_CLIENTS[..], &arguments].concat());
    let port = program.port;
    let rooms = (0..ROOMS).map(|room| tokio::spawn(deals_in_a_room(port, room % SEATS)));
    let mut deals = Vec::new();
    for room in rooms.collect::<Vec<_>>() {
        deals.extend(room.await.unwrap());
    }
    let (status, _) = program.stop("-TERM");
    assert!(status.success());
    assert_eq!(deals.len(), ROOMS * GAMES);

    let hands: BTreeSet<_> = deals.iter().map(|deal| &deal.hand).collect();
    assert_eq!(hands.len(), deals.len(), "no hand is dealt twice");
    let pack: BTreeSet<_> = hands.into_iter().flatten().collect();
    assert_eq!(pack.len(), SEATS * HAND);
    // Each seat holds each card in a third of its deals. Sampling without replacement reduces the
    // variance.
    let share = HAND as f64 / pack.len() as f64;
    let correction = (pack.len() - 1) as f64 / pack.len() as f64;
    for seat in 0..SEATS {
        let own: Vec<_> = deals.iter().filter(|deal| deal.seat == seat).collect();
        let mut counts: BTreeMap<_, usize> = pack.iter().map(|card| (*card, 0)).collect();
        for card in own.iter().flat_map(|deal| &deal.hand) {
            *counts.entry(card).or_default() += 1;
        }
        let counts: Vec<_> = counts.into_values().collect();
        let expected = own.len() as f64 * share;
        let variance = expected * (1.0 - share) / correction;
        let what = format!("the cards of seat {seat}");
        check_chi_square(&what, &counts, expected, variance, pack.len() - 1);
    }
    let leads = |seat| deals.iter().filter(|deal| deal.leader == seat).count();
    let counts: Vec<_> = (0..SEATS).map(leads).collect();
    let expected = deals.len() as f64 / SEATS as f64;
    check_chi_square("the opening seats", &counts, expected, expected, SEATS - 1);

    let seeds = seeds(&folder);
    assert_eq!(seeds.len(), deals.len());
    assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), seeds.len());
    let is_set = |seed: &[u8; 32], bit: usize| seed[bit / 8] >> (bit % 8) & 1 == 1;
    let ones = |bit| seeds.iter().filter(|seed| is_set(seed, bit)).count();
    let counts: Vec<_> = (0..BITS).map(ones).collect();
    let expected = seeds.len() as f64 / 2.0;
    check_chi_square("the bits of seeds", &counts, expected, expected / 2.0, BITS);
}
