//! Games from files: a room plays the game of a record again, by itself.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json, to_value};
use sticheln_bots::Player;
use sticheln_record::{RecordFile, RecordedActor, Verifier, verify};
use sticheln_room::{
    ConnId, Continuation, Entry, Input, Phase, ReplayId, Room, Shuffle, Timestamp, game_record,
};
use sticheln_rules::{End, GameId, Nyet, Sticheln, nyet, shuffled, sticheln};

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;
use crate::replays::{replay, segments};

/// More inputs than any game needs: an input leads to many moves.
const MAX_INPUTS: usize = 100;

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As its options say.
    Usual,
    /// After the first round.
    BetweenRounds,
    /// After so many times that each seat has acted in the second round.
    InSecondRound(usize),
}

const ENDINGS: [Ending; 4] = [
    Ending::Usual,
    Ending::BetweenRounds,
    Ending::InSecondRound(0),
    Ending::InSecondRound(3),
];

/// Plays the game of a room to its end.
fn play<G: Player>(room: &mut TestRoom<G>, conns: &[ConnId; 3], ending: Ending) {
    let mut turns = 0;
    while room.inner.phase() != Phase::Over {
        let is_second = room.inner.sheet().unwrap().rounds.len() == 1;
        let ends = match ending {
            Ending::Usual => false,
            Ending::BetweenRounds => is_second,
            Ending::InSecondRound(after) => {
                let mut seen = room.inbox[&conns[0]].iter();
                let game = seen.rfind(|message| message.kind() == "game").unwrap();
                is_second && game["view"]["table"]["phase"] != "round_end" && turns >= after
            }
        };
        if ends {
            for conn in conns {
                room.grant(*conn, json!({"type": "agree_to_end", "agree": true}));
            }
            return;
        }
        let has_acted = room.everybody_acts(conns);
        turns = if is_second {
            turns + usize::from(has_acted)
        } else {
            0
        };
        if !has_acted {
            room.wait(Duration::from_secs(6));
        }
    }
}

/// A room of three people who have played a game of two rounds.
pub fn finished_room<G: Player>(options: G::Options, seed: u64, ending: Ending) -> TestRoom<G> {
    let (mut room, conns, _) = TestRoom::<G>::with_spectator(options, seed);
    play(&mut room, &conns, ending);
    room
}

/// The record of the only game of a room, with names. It holds before the verifier.
pub fn record<G: Player>(room: &TestRoom<G>) -> RecordFile<G> {
    let shuffle: Shuffle = Arc::new(shuffled);
    let outline = room.outlines.values().next().unwrap();
    let names = room.names.iter();
    let names = names.map(|(person, name)| (*person, name.as_str().to_owned()));
    let record = game_record(segments(room), outline, Some(&names.collect()), &shuffle);
    let record = record.unwrap().unwrap();
    let report = verify(record.json().as_bytes(), &[Verifier::of::<G>()]).unwrap();
    assert!(report.is_valid(), "{report}");
    record
}

/// The room of an import, after its game has ended.
fn imported<G: Player>(record: RecordFile<G>) -> TestRoom<G> {
    let mut room = TestRoom::importing(Continuation::of_record(record), 5);
    for _ in 0..MAX_INPUTS {
        if room.inner.phase() != Phase::Over {
            room.handle(Input::Tick);
        }
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    room
}

/// A record without the values that an import changes: times and actors.
fn without_imported_differences<G: Player>(mut record: RecordFile<G>) -> RecordFile<G> {
    for round in &mut record.rounds {
        round.at = 0;
        for one in &mut round.moves {
            (one.at, one.by) = (0, RecordedActor::Repeated);
        }
    }
    record
}

/// The replays of all rounds, without revisions, times and steps without events.
fn replays<G: Player>(room: &TestRoom<G>) -> Vec<Value> {
    let replays = segments(room).into_iter().map(|(snapshot, entries)| {
        let mut replay = replay(&snapshot, &entries).unwrap();
        replay["players"] = Value::Null;
        let steps = replay["steps"].as_array_mut().unwrap();
        steps.retain(|step| step.get("events").is_some());
        for step in steps {
            let step = step.as_object_mut().unwrap();
            step.remove("rev");
            step.remove("at");
        }
        replay
    });
    replays.collect()
}

/// The replay of the only game of a room, without its rounds.
fn overview<G: Player>(room: &TestRoom<G>) -> Value {
    let (id, outline) = room.outlines.iter().next().unwrap();
    let names = room.names.iter();
    let names = names.map(|(person, name)| (*person, name.as_str().to_owned()));
    let game = GameId::new("any");
    let replay = outline.replay(id.parse().unwrap(), &game, None, &names.collect());
    to_value(replay).unwrap()
}

/// Asserts that a game is the same after an import, and after an import of that one's record.
fn assert_import_preserves<G: Player>(original: &TestRoom<G>) {
    let file = record(original);
    let room = imported(file.clone());
    let again = record(&room);
    assert_eq!(
        without_imported_differences(again.clone()),
        without_imported_differences(file)
    );
    assert_eq!(replays(&room), replays(original));
    let (was, now) = (overview(original), overview(&room));
    for field in ["options", "status", "players", "totals", "ranks"] {
        assert_eq!(now[field], was[field], "{field}");
    }
    assert_eq!(
        (&now["imported"], was.get("imported")),
        (&json!(true), None)
    );
    let repeated = again.rounds.iter().flat_map(|round| &round.moves);
    for one in repeated {
        assert_eq!(one.by, RecordedActor::Repeated);
    }
    let third = record(&imported(again.clone()));
    assert_eq!(
        without_imported_differences(third),
        without_imported_differences(again)
    );
}

fn two_rounds_of_sticheln() -> sticheln::Options {
    sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    }
}

fn two_rounds_of_nyet() -> nyet::Options {
    nyet::Options {
        end: End::rounds(2),
        ..Default::default()
    }
}

#[test]
fn an_imported_game_has_the_same_record_and_replays() {
    for ending in ENDINGS {
        assert_import_preserves(&finished_room::<Sticheln>(
            two_rounds_of_sticheln(),
            1,
            ending,
        ));
        assert_import_preserves(&finished_room::<Nyet>(two_rounds_of_nyet(), 1, ending));
    }
}

/// A game of three rounds that was played on from the middle of the second one.
fn played_on<G: Player>(options: G::Options, ending: Ending) -> TestRoom<G> {
    let original = finished_room::<G>(options, 1, Ending::Usual);
    let (snapshot, entries) = segments(&original).swap_remove(0);
    let rev = snapshot.entry_number() + 12;
    let shuffle: Shuffle = Arc::new(shuffled);
    let source = ReplayId::from_bits([7; 16]);
    let position = Continuation::of_round(source, snapshot, entries, &shuffle, rev);
    let mut room = TestRoom::continuing(position.unwrap().unwrap(), 9);
    let conns = ["Dan", "Eve", "Fay"].map(|person| room.join_and_sit(person));
    room.grant(conns[0], json!({"type": "start"}));
    room.wait(Duration::from_secs(1));
    play(&mut room, &conns, ending);
    room
}

#[test]
fn a_game_that_was_played_on_is_imported_with_its_position() {
    let sticheln = played_on::<Sticheln>(two_rounds_of_sticheln(), Ending::Usual);
    let nyet = played_on::<Nyet>(two_rounds_of_nyet(), Ending::InSecondRound(2));
    assert_import_preserves(&sticheln);
    assert_import_preserves(&nyet);
    let file = record(&sticheln);
    let mut with_replay = file.clone();
    with_replay.continued_from.as_mut().unwrap().replay = Some("A".repeat(22));
    let room = imported(with_replay);
    assert_eq!(record(&room).continued_from, file.continued_from);
    let moves = file.continued_from.unwrap().moves;
    let played_on = json!({"round": 1, "moves": moves});
    assert_eq!(overview(&room)["played_on"], played_on);
}

/// The earlier rounds of a game that was played on from its second round are known by their scores only.
#[test]
fn rounds_before_the_position_are_imported_by_their_scores() {
    let page = include_str!("../../../../docs/record.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    let example = rest.split_once("```").unwrap().0;
    let file = RecordFile::<Sticheln>::read(example.as_bytes()).unwrap();
    let room = imported(file.clone());
    let mut again = without_imported_differences(record(&room));
    let mut file = without_imported_differences(file);
    file.continued_from.as_mut().unwrap().replay = None;
    assert_eq!(overview(&room)["rounds"], json!([{"round": 2}]));
    assert_eq!(again.players, file.players);
    again.players = file.players.clone();
    assert_eq!(again, file);
}

/// The changes of entries, without random numbers.
fn changes<G: Player>(entries: &[Entry<G>]) -> Vec<Value> {
    let changes = entries.iter().map(|entry| {
        let mut change = to_value(&entry.change).unwrap();
        let fields = change.as_object_mut().unwrap();
        fields.remove("seed");
        fields.remove("replay");
        change
    });
    changes.collect()
}

/// The server can end after each entry: the room plays the rest when it is woken.
fn goes_on_after_each_entry<G: Player>(original: &TestRoom<G>) {
    let room = imported(record(original));
    for count in 1..=room.log.len() {
        let is_before = |first: u64| (first as usize) < count;
        let mut snapshots = room.snapshots.iter();
        let snapshot = snapshots.rfind(|snapshot| is_before(snapshot.entry_number() + 1));
        let first = snapshot.map_or(0, |snapshot| snapshot.entry_number() as usize + 1);
        let entries = room.log[first..count].iter();
        let text = entries.map(|entry| serde_json::to_string(entry).unwrap());
        let entries: Vec<Entry<G>> = text
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect();
        let (code, entropy) = (room.inner.code(), seeded_entropy(count as u64));
        let woken = Room::wake(code, room.now, snapshot.cloned(), entries, [], entropy);
        let mut woken = woken.unwrap();
        let mut rest = Vec::new();
        for _ in 0..MAX_INPUTS {
            let outputs = woken.handle(room.now, Input::Tick);
            rest.extend(outputs.entries.into_iter().map(|unsaved| unsaved.entry));
        }
        assert_eq!(changes(&rest), changes(&room.log[count..]), "after {count}");
        assert_eq!(woken.phase(), Phase::Over);
        assert!(woken.sheet() == room.inner.sheet());
    }
}

#[test]
fn an_interrupted_import_goes_on_after_each_entry() {
    let ending = Ending::InSecondRound(2);
    goes_on_after_each_entry(&finished_room::<Sticheln>(
        two_rounds_of_sticheln(),
        1,
        ending,
    ));
    goes_on_after_each_entry(&finished_room::<Nyet>(
        two_rounds_of_nyet(),
        1,
        Ending::Usual,
    ));
}

/// Nothing goes on by itself after the game. People can take the chairs of the bots, and play a game of their own.
#[test]
fn people_play_a_game_of_their_own_after_an_imported_one() {
    let mut room = imported(record(&finished_room::<Sticheln>(
        two_rounds_of_sticheln(),
        1,
        Ending::Usual,
    )));
    let summary = room.inner.summary();
    assert!(summary.used && !summary.listed);
    let entries = room.log.len();
    room.restart();
    let ann = room.join("Ann");
    room.wait(Duration::from_secs(24 * 60 * 60));
    room.restart();
    assert_eq!(room.log.len(), entries);
    let ann_again = room.join("Ann");
    assert_ne!(ann, ann_again);
    room.grant(ann_again, json!({"type": "sit", "name": "Ann", "seat": 1}));
    room.grant(ann_again, json!({"type": "ready", "ready": true}));
    while room.outlines.len() == 1 {
        room.everybody_acts(&[ann_again]);
        room.wait(Duration::from_secs(3));
    }
    let own = room
        .outlines
        .values()
        .map(|outline| to_value(outline).unwrap());
    let own: Vec<Value> = own
        .filter(|outline| outline.get("imported").is_none())
        .collect();
    assert_eq!(own.len(), 1);
    assert!(own[0]["seats"][1].get("person").is_some(), "{own:?}");
}

/// Names that nobody can have at a table are left out, and bots without a name or with an unknown level get usual ones.
#[test]
fn unknown_levels_and_forbidden_names_are_replaced() {
    let file = record(&finished_room::<Sticheln>(
        two_rounds_of_sticheln(),
        1,
        Ending::Usual,
    ));
    let mut file = to_value(file).unwrap();
    file["players"] = json!([
        {"kind": "person", "name": "An\u{202e}na"},
        {"kind": "bot", "level": "grandmaster", "name": "Deep"},
        {"kind": "bot", "level": "expert"},
    ]);
    let file = RecordFile::<Sticheln>::read(file.to_string().as_bytes()).unwrap();
    let (continuation, names) = Continuation::of_record(file);
    assert!(names.is_empty());
    let mut room = TestRoom::importing((continuation, names), 5);
    room.now = Timestamp(room.now.0 + 1);
    for _ in 0..MAX_INPUTS {
        room.handle(Input::Tick);
    }
    let players = overview(&room)["players"].clone();
    assert_eq!(players[0], json!({"kind": "person", "name": null}));
    assert_eq!(
        players[1],
        json!({"kind": "bot", "name": "Deep", "level": "normal"})
    );
    assert_eq!(players[2]["level"], "expert");
    assert!(
        players[2]["name"]
            .as_str()
            .is_some_and(|name| !name.is_empty())
    );
}

/// Ann picks too late and plays all cards, a bot stands in for Bob, and Cem leaves his chair to a bot.
#[test]
fn a_record_says_who_chose_each_move() {
    let people = ["Ann", "Bob", "Cem"];
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&people, 1);
    room.grant(conns[0], json!({"type": "configure", "turn_seconds": 20}));
    assert!(room.everybody_acts(&conns[1..]));
    room.wait(Duration::from_secs(20));
    room.grant(conns[0], json!({"type": "configure", "turn_seconds": null}));
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(30));
    room.grant(conns[0], json!({"type": "stand_in", "seat": 1}));
    room.grant(conns[2], json!({"type": "stand"}));
    while room.inner.sheet().unwrap().rounds.is_empty() {
        room.everybody_acts(&conns[..1]);
        room.wait(Duration::from_secs(6));
    }
    room.grant(conns[0], json!({"type": "agree_to_end", "agree": true}));
    let record = record(&room);
    let mut by: [Vec<RecordedActor>; 3] = Default::default();
    for one in &record.rounds[0].moves {
        by[one.seat.index()].push(one.by);
    }
    use RecordedActor::{Bot, Clock, Person, StandIn};
    assert_eq!(by[0][..2], [Clock, Person]);
    assert!(by[0][1..].iter().all(|actor| *actor == Person), "{by:?}");
    assert_eq!((by[1][0], by[1].last()), (Person, Some(&StandIn)));
    assert_eq!((by[2][0], by[2].last()), (Person, Some(&Bot)));
}
