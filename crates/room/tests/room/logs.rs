//! Stored room logs: the entries of a room are read back and give the same room.
//!
//! `UPDATE_LOGS=1` writes the logs again after a change of the format. If the stored logs can no longer be read, or give
//! another room, raise `Format::NEWEST` (`format.rs`) first. Otherwise a new server finds the rooms of
//! an older database damaged.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_room::{Change, ConnId, Entropy, Entry, Input, Phase, Room};
use sticheln_rules::{Nyet, Sticheln};
use strum::VariantNames;

use crate::clients::TestRoom;
use crate::snapshots;

/// A short game that leads to entries of every kind.
fn eventful<G: Player>() -> TestRoom<G> {
    let mut rooms = (7..100).map(eventful_with::<G>);
    // In Nyet! the board decides whether cards are laid aside.
    let has_change = |room: &TestRoom<G>| room.log.iter().any(|entry| entry.change.is_private());
    rooms.find(has_change).unwrap()
}

/// The same with this seed, but perhaps without a choice that is replaced.
fn eventful_with<G: Player>(seed: u64) -> TestRoom<G> {
    let mut room = TestRoom::<G>::new(5, seed);
    room.password = Some("sesame");
    let ann = room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    let cem = room.join_and_sit("Cem");
    if let Some(character) = G::CHARACTERS.last() {
        let choice = json!({"type": "choose_character", "character": character});
        assert_eq!(room.send_command(bob, choice), "ok");
    }
    for (conn, message) in [
        (bob, json!({"type": "rename", "name": "Bert"})),
        (
            ann,
            json!({"type": "configure", "title": "Friday", "turn_seconds": 400,
                     "options": {"end": {"type": "rounds", "rounds": 2}}}),
        ),
        (ann, json!({"type": "configure", "password": "sesame"})),
        (bob, json!({"type": "ready", "ready": true})),
        (ann, json!({"type": "give_host", "seat": 1})),
        (bob, json!({"type": "swap", "a": 2, "b": 3})),
        (bob, json!({"type": "give_host", "seat": 0})),
        (ann, json!({"type": "add_bot", "level": "beginner"})),
        (ann, json!({"type": "add_bot", "level": "beginner"})),
        (ann, json!({"type": "remove", "seat": 4})),
        (ann, json!({"type": "start"})),
        (ann, json!({"type": "pause"})),
        (ann, json!({"type": "resume"})),
        (bob, json!({"type": "handover"})),
    ] {
        assert_eq!(room.send_command(conn, message.clone()), "ok", "{message}");
        room.wait(Duration::from_millis(100));
    }
    let more_time = json!({"type": "more_time"});
    let mut answers = [ann, bob, cem].map(|conn| room.send_command(conn, more_time.clone()));
    answers.sort();
    assert_eq!(answers.last().unwrap(), "ok", "a person is to act");
    room.everybody_acts(&[ann]);
    replace_choice(&mut room, ann);
    let code = room.received(bob, "handover").pop().unwrap()["code"].clone();
    let phone = room.join("Phone");
    let take = json!({"type": "handover", "code": code});
    assert_eq!(room.send_command(phone, take), "ok");

    let eve = room.connect("Eve");
    let mut hello = room.hello("Eve");
    hello["name"] = json!("Eve");
    let wait = json!({"type": "configure", "waiting_room": true});
    room.grant(ann, wait);
    room.send_without_work(eve, "in", hello);
    room.finish_work();
    let guest = room.received(ann, "room").pop().unwrap()["guests"][0]["guest"].clone();
    let admit = json!({"type": "admit", "guest": guest, "admit": true});
    room.grant(ann, admit);
    let welcome = room.received(eve, "welcome").pop().unwrap();
    let remove = json!({"type": "remove_spectator", "spectator": welcome["you"]["spectator"]});
    room.grant(ann, remove);
    room.grant(ann, json!({"type": "configure", "waiting_room": false}));

    room.disconnect(cem);
    room.wait(Duration::from_secs(30));
    let stand_in = json!({"type": "stand_in", "seat": 3});
    assert_eq!(room.send_command(ann, stand_in), "ok");
    room.wait(Duration::from_secs(15));
    let cem = room.join("Cem");
    assert_eq!(room.send_command(cem, json!({"type": "back"})), "ok");
    assert_eq!(room.send_command(phone, json!({"type": "stand"})), "ok");
    lose_and_return(&mut room, ann);
    let dora = room.join("Dora");
    let sit = json!({"type": "sit", "name": "Dora", "seat": 1});
    assert_eq!(room.send_command(dora, sit), "ok");
    let people = [ann, dora, room.connection_of("Cem")];
    while room.inner.sheet().unwrap().rounds.is_empty() {
        room.everybody_acts(&people);
        replace_choice(&mut room, ann);
        room.wait(Duration::from_secs(2));
        room.keep_newest(&["game"]);
    }
    room.grant(dora, json!({"type": "hold"}));
    room.grant(dora, json!({"type": "agree_to_end", "agree": true}));
    room.grant(ann, json!({"type": "end"}));

    assert_eq!(room.inner.phase(), Phase::Over);
    for conn in people {
        let ready = json!({"type": "ready", "ready": true});
        assert_eq!(room.send_command(conn, ready), "ok");
    }
    assert_eq!(room.inner.phase(), Phase::Playing);
    assert_eq!(room.send_command(ann, json!({"type": "end"})), "ok");
    assert_eq!(room.send_command(ann, json!({"type": "stand"})), "ok");
    room.handle(Input::Timeline(2));
    room
}

/// Cem loses his token, his seat is claimed, and he finds the token again.
fn lose_and_return<G: Player>(room: &mut TestRoom<G>, ann: ConnId) {
    let cem = room.connection_of("Cem");
    room.disconnect(cem);
    let sem = room.join("Sem");
    room.grant(sem, json!({"type": "claim", "name": "Cem"}));
    let claim = room.received(ann, "room").pop().unwrap()["table"]["claims"][0]["claim"].clone();
    let agree = json!({"type": "answer_claim", "claim": claim, "agree": true});
    room.grant(ann, agree);
    room.join("Cem");
    room.disconnect(sem);
}

/// The owner of a connection makes another choice, if they may.
fn replace_choice<G: Player>(room: &mut TestRoom<G>, conn: ConnId) {
    if let Some(change) = room.changes(conn).first() {
        room.grant(conn, json!({"type": "act", "action": change}));
    }
}

/// The path of a stored file.
fn path(name: &str) -> String {
    format!("{}/tests/logs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The advice when a stored log cannot be read back as it was.
const RAISE_FORMAT: &str =
    "logs of older servers cannot be read back: raise `Format::NEWEST`, then use `UPDATE_LOGS=1`";

/// The entries of a log.
fn read<G: Player>(log: &str) -> Vec<Entry<G>> {
    let lines = log.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(RAISE_FORMAT))
        .collect()
}

/// Checks the stored log of this name: it has entries of every kind, is written as it was stored, and gives the same
/// room. The moves of bots in it may change.
fn assert_as_stored<G: Player>(name: &str) {
    let path = path(&format!("{name}.jsonl"));
    let played = eventful::<G>();
    let lines = |entries: &[Entry<G>]| -> String {
        let lines = entries
            .iter()
            .map(|entry| serde_json::to_string(entry).unwrap() + "\n");
        lines.collect()
    };
    if std::env::var_os("UPDATE_LOGS").is_some_and(|value| value == "1") {
        std::fs::write(&path, lines(&played.log)).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    for log in [&stored, &lines(&played.log)] {
        let kinds = log.lines().map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            entry["change"]["type"].as_str().unwrap().to_owned()
        });
        let is_possible = |kind: &&str| !G::CHARACTERS.is_empty() || *kind != "character_chosen";
        let all = Change::<G>::VARIANTS.iter().copied().filter(is_possible);
        let all = all.map(str::to_owned);
        assert_eq!(kinds.collect::<BTreeSet<_>>(), all.collect());
    }
    let entries = read::<G>(&stored);
    let today = lines(&entries);
    for (at, (stored, today)) in stored.lines().zip(today.lines()).enumerate() {
        assert_eq!(stored, today, "line {}: {RAISE_FORMAT}", at + 1);
    }
    assert_eq!(stored.len(), today.len());

    let woken = |entries: &[Entry<G>]| {
        let now = entries.last().unwrap().at;
        let names = played.names.clone();
        let entropy = Entropy::new(|| [0; 32]);
        Room::wake("k7qm2x4p", now, None, entries.to_vec(), names, entropy).expect(RAISE_FORMAT)
    };
    assert!(woken(&entries) == woken(&read(&today)));
    let played_again = woken(&read(&lines(&played.log)));
    assert!(played_again == played.inner, "the log gives the same room");

    let snapshots = snapshots::assert_equal_to_log(&played);
    assert_eq!(snapshots.len(), 2, "one for each deal");
}

#[test]
fn a_stored_game_of_sticheln_is_read_back() {
    assert_as_stored::<Sticheln>("sticheln");
}

#[test]
fn a_stored_game_of_nyet_is_read_back() {
    assert_as_stored::<Nyet>("nyet");
}
