//! Changed records: the verifier finds each change at the right check.

use serde_json::{Value, json};
use sticheln_rules::{Card, Nyet, Sticheln};

use crate::games::{as_json, game};
use crate::{example, verify};

/// A change of a record, with the place and the check that find it.
struct Tampering {
    name: &'static str,
    record: fn() -> Value,
    change: fn(&mut Value),
    place: &'static str,
    check: &'static str,
}

fn sticheln() -> Value {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    as_json(&game::<Sticheln>(&options, 4, 1, false), &options)
}

fn nyet() -> Value {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    as_json(&game::<Nyet>(&options, 2, 3, false), &options)
}

fn continued() -> Value {
    serde_json::from_str(example()).unwrap()
}

const ALL: &[Tampering] = &[
    Tampering {
        name: "another seat opens",
        record: sticheln,
        change: |record| record["opening"] = json!((number(&record["opening"]) + 1) % 4),
        place: "Round 1, move 5: ",
        check: "moves",
    },
    Tampering {
        name: "no such seat opens",
        record: sticheln,
        change: |record| record["opening"] = json!(4),
        place: "Game: ",
        check: "setup",
    },
    Tampering {
        name: "a player is missing",
        record: sticheln,
        change: |record| drop(list(&mut record["players"]).pop()),
        place: "Game: ",
        check: "setup",
    },
    Tampering {
        name: "two hands have exchanged a card",
        record: sticheln,
        change: |record| {
            let hands = &mut record["rounds"][1]["hands"];
            exchange(hands, "/0/3", "/1/3");
            sort(&mut hands[0]);
            sort(&mut hands[1]);
        },
        place: "Round 2, move ",
        check: "moves",
    },
    Tampering {
        name: "a card of a hand occurs twice",
        record: sticheln,
        change: |record| {
            let hands = &mut record["rounds"][1]["hands"];
            hands[0][3] = hands[1][3].clone();
            sort(&mut hands[0]);
        },
        place: "Round 2: ",
        check: "deal",
    },
    Tampering {
        name: "a card has moved to another hand",
        record: sticheln,
        change: |record| {
            let hands = &mut record["rounds"][0]["hands"];
            let card = list(&mut hands[0]).pop().unwrap();
            list(&mut hands[1]).push(card);
            sort(&mut hands[1]);
        },
        place: "Round 1: ",
        check: "deal",
    },
    Tampering {
        name: "an undealt card is another one",
        record: nyet,
        change: |record| {
            let undealt = &mut record["rounds"][0]["undealt"];
            undealt[0] = undealt[29].clone();
            sort(undealt);
        },
        place: "Round 1: ",
        check: "deal",
    },
    Tampering {
        name: "an undealt card is in a hand",
        record: nyet,
        change: |record| {
            let round = &mut record["rounds"][0];
            exchange(round, "/undealt/7", "/hands/0/8");
            sort(&mut round["undealt"]);
            sort(&mut round["hands"][0]);
        },
        place: "Round 1, move ",
        check: "moves",
    },
    Tampering {
        name: "a pick is another card of the hand",
        record: sticheln,
        change: |record| {
            let round = &mut record["rounds"][0];
            let picked = round["moves"][2]["action"]["card"].clone();
            let hand = list(&mut round["hands"][2]).clone();
            let other = hand.into_iter().find(|card| *card != picked);
            round["moves"][2]["action"]["card"] = other.unwrap();
        },
        place: "Round 1, move ",
        check: "moves",
    },
    Tampering {
        name: "the first two picks are in the wrong order",
        record: sticheln,
        change: |record| list(&mut record["rounds"][1]["moves"]).swap(0, 1),
        place: "Round 2, move 2: ",
        check: "order",
    },
    Tampering {
        name: "two played cards are in the wrong order",
        record: sticheln,
        change: |record| list(&mut record["rounds"][1]["moves"]).swap(8, 9),
        place: "Round 2, move 9: ",
        check: "moves",
    },
    Tampering {
        name: "a seat plays its cards of two tricks in the other order",
        record: sticheln,
        change: |record| {
            let moves = &mut record["rounds"][0]["moves"];
            let seat = moves[4]["seat"].clone();
            let of_seat = |at: &usize| moves[*at]["seat"] == seat;
            let later = (8..12).find(of_seat).unwrap();
            exchange(moves, "/4/action/card", &format!("/{later}/action/card"));
        },
        place: "Round 1, trick 1: ",
        check: "tricks",
    },
    Tampering {
        name: "the time falls during a trick",
        record: sticheln,
        change: |record| {
            let moves = &mut record["rounds"][0]["moves"];
            moves[10]["at"] = json!(number(&moves[9]["at"]) - 1);
        },
        place: "Round 1, move 11: ",
        check: "order",
    },
    Tampering {
        name: "a move is missing",
        record: sticheln,
        change: |record| drop(list(&mut record["rounds"][0]["moves"]).remove(10)),
        place: "Round 1, move 11: ",
        check: "moves",
    },
    Tampering {
        name: "a pick is missing",
        record: sticheln,
        change: |record| drop(list(&mut record["rounds"][0]["moves"]).remove(3)),
        place: "Round 1, move 4: ",
        check: "moves",
    },
    Tampering {
        name: "a round has a move after its end",
        record: sticheln,
        change: |record| {
            let moves = list(&mut record["rounds"][0]["moves"]);
            moves.push(moves[59].clone());
        },
        place: "Round 1, move 61: ",
        check: "moves",
    },
    Tampering {
        name: "the last move and its trick are missing",
        record: sticheln,
        change: |record| {
            let round = &mut record["rounds"][1];
            list(&mut round["moves"]).pop();
            list(&mut round["tricks"]).pop();
        },
        place: "Round 2: ",
        check: "end",
    },
    Tampering {
        name: "another seat takes a trick",
        record: sticheln,
        change: |record| {
            let taker = &mut record["rounds"][0]["tricks"][2]["taker"];
            *taker = json!((number(taker) + 1) % 4);
        },
        place: "Round 1, trick 3: ",
        check: "tricks",
    },
    Tampering {
        name: "another seat leads a trick",
        record: nyet,
        change: |record| {
            let leader = &mut record["rounds"][0]["tricks"][2]["leader"];
            *leader = json!((number(leader) + 1) % 2);
        },
        place: "Round 1, trick 3: ",
        check: "tricks",
    },
    Tampering {
        name: "a trick is missing",
        record: nyet,
        change: |record| drop(list(&mut record["rounds"][0]["tricks"]).pop()),
        place: "Round 1, trick ",
        check: "tricks",
    },
    Tampering {
        name: "a trick occurs twice",
        record: sticheln,
        change: |record| {
            let tricks = list(&mut record["rounds"][0]["tricks"]);
            tricks.push(tricks[13].clone());
        },
        place: "Round 1, trick 15: ",
        check: "tricks",
    },
    Tampering {
        name: "a score is higher",
        record: nyet,
        change: |record| add_1(&mut record["rounds"][0]["scores"][1]["points"]),
        place: "Round 1: ",
        check: "scores",
    },
    Tampering {
        name: "a part of a score is higher",
        record: sticheln,
        change: |record| add_1(&mut record["rounds"][1]["scores"][2]["plus"]),
        place: "Round 2: ",
        check: "scores",
    },
    Tampering {
        name: "a total is higher",
        record: sticheln,
        change: |record| add_1(&mut record["rounds"][1]["totals"][3]),
        place: "Round 2: ",
        check: "totals",
    },
    Tampering {
        name: "a round has no totals",
        record: sticheln,
        change: |record| {
            drop(
                record["rounds"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("totals"),
            )
        },
        place: "Round 1: ",
        check: "totals",
    },
    Tampering {
        name: "a rank is another one",
        record: sticheln,
        change: |record| add_1(&mut record["standings"]["ranks"][0]),
        place: "Game: ",
        check: "standings",
    },
    Tampering {
        name: "the total of the standings is higher",
        record: nyet,
        change: |record| add_1(&mut record["standings"]["totals"][0]),
        place: "Game: ",
        check: "standings",
    },
    Tampering {
        name: "the last round is missing",
        record: sticheln,
        change: |record| drop(list(&mut record["rounds"]).pop()),
        place: "Game: ",
        check: "end",
    },
    Tampering {
        name: "a round follows the end",
        record: sticheln,
        change: |record| {
            let rounds = list(&mut record["rounds"]);
            let mut again = rounds[1].clone();
            again["round"] = json!(3);
            rounds.push(again);
        },
        place: "Round 3: ",
        check: "end",
    },
    Tampering {
        name: "a round has the number of another one",
        record: sticheln,
        change: |record| record["rounds"][1]["round"] = json!(1),
        place: "Round 2: ",
        check: "deal",
    },
    Tampering {
        name: "a complete game was ended early",
        record: sticheln,
        change: |record| record["ended_early"] = json!(true),
        place: "Game: ",
        check: "end",
    },
    Tampering {
        name: "the game continues another one that was over",
        record: sticheln,
        change: |record| {
            let scores = &record["rounds"][0]["scores"];
            record["continued_from"] = json!({"round": 3, "moves": 0, "scores": [scores, scores]});
        },
        place: "Game: ",
        check: "setup",
    },
    Tampering {
        name: "the continued game is in another round",
        record: continued,
        change: |record| add_1(&mut record["continued_from"]["round"]),
        place: "Game: ",
        check: "setup",
    },
    Tampering {
        name: "the continued game has more moves than the round",
        record: continued,
        change: |record| record["continued_from"]["moves"] = json!(7),
        place: "Game: ",
        check: "setup",
    },
    Tampering {
        name: "an earlier score is higher",
        record: continued,
        change: |record| add_1(&mut record["continued_from"]["scores"][0][1]["points"]),
        place: "Game: ",
        check: "standings",
    },
    Tampering {
        name: "an abandoned round has totals",
        record: continued,
        change: |record| record["rounds"][0]["totals"] = record["standings"]["totals"].clone(),
        place: "Round 2: ",
        check: "totals",
    },
    Tampering {
        name: "an unfinished game was not ended early",
        record: continued,
        change: |record| drop(record.as_object_mut().unwrap().remove("ended_early")),
        place: "Round 2: ",
        check: "end",
    },
];

/// All changed records, with the names of the changes.
pub fn tampered_records() -> impl Iterator<Item = (&'static str, Value)> {
    ALL.iter().map(|one| {
        let mut record = (one.record)();
        (one.change)(&mut record);
        (one.name, record)
    })
}

fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

fn add_1(value: &mut Value) {
    *value = json!(number(value) + 1);
}

fn exchange(value: &mut Value, one: &str, other: &str) {
    let of_one = value.pointer(one).unwrap().clone();
    let of_other = std::mem::replace(value.pointer_mut(other).unwrap(), of_one);
    *value.pointer_mut(one).unwrap() = of_other;
}

fn sort(cards: &mut Value) {
    let card = |card: &Value| card.as_str().unwrap().parse::<Card>().unwrap();
    list(cards).sort_by_key(card);
}

#[test]
fn each_change_of_a_record_is_found_at_its_check() {
    for one in ALL {
        let mut record = (one.record)();
        let before = record.clone();
        (one.change)(&mut record);
        assert_ne!(record, before, "{}", one.name);
        let report =
            verify(&record.to_string()).unwrap_or_else(|error| panic!("{}: {error}", one.name));
        let violation = report
            .violation
            .unwrap_or_else(|| panic!("{} is not found", one.name));
        let found = violation.to_string();
        let check = violation.fault.check().name();
        assert_eq!(check, one.check, "{}: {found}", one.name);
        assert!(found.starts_with(one.place), "{}: {found}", one.name);
    }
}

#[test]
fn the_sentences_name_the_location_and_the_cards() {
    let mut record = sticheln();
    assert_eq!(
        verify(&record.to_string()).unwrap().to_string(),
        "The record is valid: a game of sticheln with 4 seats.\n\
         2 rounds, 120 moves: every deal has the whole pack, and every move was legal.\n\
         28 tricks: every trick has the right leader, cards and taker.\n\
         2 scored rounds: every score and total is right.\n\
         The game ended as its options say.\n\
         The standings are right."
    );
    let moves = &mut record["rounds"][1]["moves"];
    let (seat, played) = (
        moves[19]["seat"].clone(),
        moves[4]["action"]["card"].clone(),
    );
    moves[19]["action"]["card"] = played.clone();
    let played = played.as_str().unwrap();
    assert_eq!(
        verify(&record.to_string()).unwrap().to_string(),
        format!(
            "The record is wrong: a game of sticheln with 4 seats.\n\
             Round 2, move 20: seat {seat} cannot play {played} (card_not_in_hand). \
             The seat does not hold this card, or not that many of it.\n\
             Failed check: moves.\n\
             Correct until then: 2 deals, 79 moves, 17 tricks, 1 scored round."
        )
    );
}
