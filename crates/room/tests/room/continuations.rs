//! Games that are played on from a position of a finished round.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json, to_value};
use sticheln_bots::Player;
use sticheln_record::RecordedActor;
use sticheln_room::{Change, Continuation, Entry, Phase, ReplayId, Shuffle, Snapshot};
use sticheln_rules::{End, Nyet, Sticheln, nyet, shuffled, sticheln};

use crate::clients::TestRoom;
use crate::imports::{Ending, finished_room, record};
use crate::replays::{replay, segments};

const SOURCE: [u8; 16] = [7; 16];
/// Of so many positions one is tested.
const TESTED_EVERY: usize = 3;

/// The continuation from the position after this revision; `None` if there is none.
fn continuation<G: Player>(
    (snapshot, entries): &(Snapshot<G>, Vec<Entry<G>>),
    rev: u64,
) -> Option<Continuation<G>> {
    let shuffle: Shuffle = Arc::new(shuffled);
    let source = ReplayId::from_bits(SOURCE);
    let entries = entries.iter().cloned();
    Continuation::of_round(source, snapshot.clone(), entries, &shuffle, rev).unwrap()
}

/// What a replay shows after the step with this revision: the table, and what each seat knows.
fn position(replay: &Value, rev: u64) -> (Value, Vec<Value>) {
    let mut position = (Value::Null, vec![Value::Null; 3]);
    let steps = replay["steps"].as_array().unwrap().iter();
    for step in steps.take_while(|step| step["rev"].as_u64() <= Some(rev)) {
        if let Some(table) = step.get("table") {
            position.0 = table.clone();
        }
        for own in step["own"].as_array().into_iter().flatten() {
            position.1[own[0].as_u64().unwrap() as usize] = own[1].clone();
        }
    }
    position
}

/// Everybody sits down, and the game begins. Returns the connections.
fn start<G: Player>(room: &mut TestRoom<G>) -> [sticheln_room::ConnId; 3] {
    let conns = ["Dan", "Eve", "Fay"].map(|person| room.join_and_sit(person));
    room.grant(conns[0], json!({"type": "start"}));
    // Until all moves are repeated.
    room.wait(Duration::from_secs(1));
    conns
}

/// People are sent what the replay shows at a position, and they can play the game from there to its end.
fn games_go_on_from_their_positions<G: Player>(options: &G::Options) {
    let original = finished_room::<G>(options.clone(), 1, Ending::Usual);
    for (number, segment) in segments(&original).into_iter().enumerate() {
        let replay = replay(&segment.0, &segment.1).unwrap();
        let revs = replay["steps"].as_array().unwrap().iter();
        let revs: Vec<u64> = revs.map(|step| step["rev"].as_u64().unwrap()).collect();
        // After the last step of the second round the game is over.
        let steps = revs.len() - number;
        for rev in revs[..steps].iter().step_by(TESTED_EVERY) {
            let continuation = continuation(&segment, *rev).unwrap();
            let mut room = TestRoom::continuing(continuation, 9);
            let conns = start(&mut room);
            let (table, own) = position(&replay, *rev);
            for (seat, conn) in conns.iter().enumerate() {
                let view = room.take_view(*conn).unwrap().view;
                assert_eq!(view["table"], table, "after {rev}");
                assert_eq!(view["own"], own[seat], "after {rev}");
            }
            let mut messages = room.inbox[&conns[0]].iter();
            let message = messages.rfind(|message| message.kind() == "room").unwrap();
            let played_on = &message["table"]["played_on"];
            assert_eq!(played_on["round"], json!(number + 1));
            assert_eq!(played_on["replay"], json!(ReplayId::from_bits(SOURCE)));
            room.restart();
            let conns = ["Dan", "Eve", "Fay"].map(|person| room.join(person));
            for _ in 0..500 {
                room.everybody_acts(&conns);
                room.wait(Duration::from_secs(6));
                room.keep_newest(&["game"]);
            }
            assert_eq!(room.inner.phase(), Phase::Over);
            assert_eq!(room.inner.sheet().unwrap().rounds.len(), 2);
            let outline = to_value(room.outlines.values().next().unwrap()).unwrap();
            assert_eq!(outline["played_on"]["round"], json!(number + 1));
            assert_eq!(outline["rounds"].as_array().unwrap().len(), 2 - number);
            assert_eq!(outline["rounds"][0]["round"], json!(number + 1));
            goes_on_again(&room);
        }
    }
}

/// A game that was played on can be played on again, with the same hands.
fn goes_on_again<G: Player>(room: &TestRoom<G>) {
    let segment = segments(room).swap_remove(0);
    let replay = replay(&segment.0, &segment.1).unwrap();
    let steps = replay["steps"].as_array().unwrap();
    let rev = steps[steps.len() / 2]["rev"].as_u64().unwrap();
    let continuation = continuation(&segment, rev).unwrap();
    let mut again = TestRoom::continuing(continuation, 11);
    let conns = start(&mut again);
    let (table, own) = position(&replay, rev);
    for (seat, conn) in conns.iter().enumerate() {
        let view = again.take_view(*conn).unwrap().view;
        assert_eq!((&view["table"], &view["own"]), (&table, &own[seat]));
    }
}

#[test]
fn a_game_goes_on_from_its_positions() {
    games_go_on_from_their_positions::<Sticheln>(&sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    });
    games_go_on_from_their_positions::<Nyet>(&nyet::Options {
        end: End::rounds(2),
        ..Default::default()
    });
}

#[test]
fn a_position_needs_a_finished_round_and_a_game_that_can_go_on() {
    let options = sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    };
    let room = finished_room::<Sticheln>(options, 2, Ending::Usual);
    let segments = segments(&room);
    let last_rev = |segment: usize| {
        let first = segments[segment].0.entry_number();
        first + segments[segment].1.len() as u64
    };
    // After the first round the next deal is a new one. After the second one the game is over.
    assert!(continuation(&segments[0], last_rev(0)).is_some());
    assert!(continuation(&segments[1], last_rev(1)).is_none());
    let first = segments[0].0.entry_number() + 1;
    assert!(continuation(&segments[0], first).is_some());
    assert!(continuation(&segments[0], first - 1).is_none());
    assert!(continuation(&segments[0], last_rev(0) + 1000).is_none());
    let (snapshot, mut entries) = segments[0].clone();
    entries.truncate(20);
    assert!(continuation(&(snapshot, entries), first).is_none());
}

/// In the lobby the seats and options are fixed, and each person chooses their seat.
#[test]
fn a_position_fixes_seats_and_options() {
    let options = sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    };
    let original = finished_room::<Sticheln>(options, 3, Ending::Usual);
    let segment = segments(&original).swap_remove(1);
    let rev = segment.0.entry_number() + 10;
    let continuation = continuation(&segment, rev).unwrap();
    let mut room = TestRoom::continuing(continuation, 4);
    let ann = room.join("Ann");
    room.grant(ann, json!({"type": "sit", "name": "Ann", "seat": 2}));
    for patch in [
        json!({"type": "configure", "seats": 4}),
        json!({"type": "configure", "options": {}}),
        json!({"type": "configure", "opening_seat": 1}),
    ] {
        assert_eq!(room.send_command(ann, patch), "position_given");
    }
    room.grant(ann, json!({"type": "configure", "turn_seconds": 60}));
    assert_eq!(
        room.send_command(ann, json!({"type": "start"})),
        "wrong_seats"
    );
    room.grant(ann, json!({"type": "add_bot", "level": "beginner"}));
    assert_eq!(
        room.send_command(ann, json!({"type": "start"})),
        "wrong_seats"
    );
    room.grant(ann, json!({"type": "add_bot", "level": "beginner"}));
    room.restart();
    let ann = room.join("Ann");
    room.grant(ann, json!({"type": "start"}));
    room.wait(Duration::from_secs(1));
    let repeated = |entry: &&Entry<Sticheln>| {
        matches!(
            entry.change,
            Change::Acted {
                by: sticheln_room::Actor::Continuation,
                ..
            }
        )
    };
    let moves = original
        .log
        .iter()
        .skip(segment.0.entry_number() as usize + 2)
        .take(9);
    let moves: Vec<_> = moves.filter_map(moved).collect();
    let repeated: Vec<_> = room.log.iter().filter(repeated).filter_map(moved).collect();
    assert!(repeated.len() > 3 && moves.len() == repeated.len());
    assert!(moves == repeated);
    // The next game is an ordinary one.
    while room.inner.phase() != Phase::Over {
        room.everybody_acts(&[ann]);
        room.wait(Duration::from_secs(6));
    }
    room.grant(ann, json!({"type": "return_to_lobby"}));
    room.grant(ann, json!({"type": "configure", "seats": 4}));
}

/// The seat and the action of a move.
fn moved(entry: &Entry<Sticheln>) -> Option<(sticheln_rules::Seat, Value)> {
    match &entry.change {
        Change::Acted { seat, action, .. } => Some((*seat, to_value(action).unwrap())),
        _ => None,
    }
}

/// A hidden choice is repeated, and then its owner replaces it. The replay and the record have the newest choice.
fn a_repeated_choice_is_replaced<G: Player>(options: &G::Options) {
    let original = finished_room::<G>(options.clone(), 1, Ending::Usual);
    let segment = segments(&original).swap_remove(0);
    let source = replay(&segment.0, &segment.1).unwrap();
    let steps = source["steps"].as_array().unwrap();
    // Of the hidden choices of a phase one is made.
    let choice = steps.iter().zip(&steps[1..]).find(|(before, after)| {
        let [before, after] = [before, after].map(|step| step["to_act"].as_array().unwrap().len());
        (before, after) == (3, 2)
    });
    let rev = choice.unwrap().1["rev"].as_u64().unwrap();
    let mut room = TestRoom::continuing(continuation(&segment, rev).unwrap(), 9);
    let conns = start(&mut room);
    let changed = conns.iter().enumerate().find_map(|(seat, conn)| {
        let game = room.received(*conn, "game").pop().unwrap();
        let changes = game["changes"].as_array()?;
        let changes: Vec<Value> = changes.iter().take(2).cloned().collect();
        let chosen = game["view"]["own"].clone();
        (!changes.is_empty()).then_some((seat, *conn, changes, chosen))
    });
    let (seat, conn, changes, chosen) = changed.unwrap();
    for action in &changes {
        room.grant(conn, json!({"type": "act", "action": action}));
    }
    let newest = changes.last().unwrap();
    while room.inner.sheet().unwrap().rounds.is_empty() {
        room.everybody_acts(&conns);
        room.wait(Duration::from_secs(1));
    }
    let segment = segments(&room).swap_remove(0);
    let shown = replay(&segment.0, &segment.1).unwrap();
    let (_, own) = position(&shown, rev_of_choice(&shown));
    assert_ne!(own[seat], chosen, "the replaced choice");
    for conn in conns {
        room.grant(conn, json!({"type": "agree_to_end", "agree": true}));
    }
    let record = record(&room);
    let moves = record.rounds[0].moves.iter();
    let mut own = moves.filter(|one| one.seat.index() == seat);
    let one = own.find(|one| to_value(&one.action).unwrap() == *newest);
    // Nobody else is told that it was replaced.
    assert_eq!(one.unwrap().by, RecordedActor::Repeated);
}

/// The revision after the first hidden choice of a replay.
fn rev_of_choice(replay: &Value) -> u64 {
    let steps = replay["steps"].as_array().unwrap();
    let two = steps
        .iter()
        .position(|step| step["to_act"].as_array().unwrap().len() == 2);
    steps[two.unwrap()]["rev"].as_u64().unwrap()
}

#[test]
fn a_repeated_choice_can_be_replaced() {
    a_repeated_choice_is_replaced::<Sticheln>(&Default::default());
    // In Nyet! the cards that are laid aside are hidden.
    a_repeated_choice_is_replaced::<Nyet>(&Default::default());
}
