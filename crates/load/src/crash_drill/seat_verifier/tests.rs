//! Tests of the seat verifier.

use serde_json::json;

use super::*;

const ROOM: &str = "k7qm2x4p";

/// A view of seat 0 of three in the first round of three cards: its hand now, and its actions so far. The
/// other seats have made as many actions.
fn game(rev: u64, hand: &str, shown: &[&str]) -> GameMessage {
    let hand: Vec<&str> = hand.split_whitespace().collect();
    let picks = shown.first().map(|pick| json!([pick, "grey-1", "grey-2"]));
    let plays = shown.get(1..).unwrap_or_default();
    let history: Vec<_> = plays
        .iter()
        .map(|card| json!({"leader": 1, "cards": ["grey-3", "grey-4", card], "taker": 1}))
        .collect();
    let table = match picks {
        None => json!({"phase": "pick", "picked": [false, false, false]}),
        Some(picks) if hand.is_empty() => json!({"phase": "round_end", "picks": picks}),
        Some(picks) => {
            json!({"phase": "trick", "picks": picks, "trick": {"leader": 1, "cards": []}})
        }
    };
    let mut table = table;
    table["round"] = json!(1);
    table["hand_counts"] = json!([hand.len(), 0, 0]);
    table["history"] = json!(history);
    let game = json!({
        "rev": rev,
        "legal": [],
        "view": {"seat": 0, "to_act": [], "own": {"hand": hand}, "table": table},
    });
    serde_json::from_value(game).expect("this is a game")
}

/// The message after the first round.
fn sheet() -> SheetMessage {
    let rounds = vec![vec![0, 0, 0]];
    SheetMessage { rounds }
}

fn act(card: &str) -> ClientMessage {
    ClientMessage::Act {
        action: json!({"type": "play", "card": card}),
    }
}

/// A seat with a hand of three cards, dealt at revision 10.
fn dealt() -> SeatVerifier {
    let mut verifier = SeatVerifier::new(ROOM.into(), 0);
    verifier.note_connection(0);
    verifier
        .verify_game(&game(10, "red-1 red-2 red-3", &[]))
        .expect("a first view is valid");
    verifier
}

/// The same after `pick red-1` was acknowledged.
fn picked() -> SeatVerifier {
    let mut verifier = dealt();
    send(&mut verifier, "1", "red-1");
    assert_eq!(verifier.verify_ok("1"), Ok(true));
    verifier
}

fn send(verifier: &mut SeatVerifier, id: &str, card: &str) {
    verifier.note_command(id.into(), act(card));
    verifier.note_sent(id);
}

/// The violation that this view causes.
fn violation(verifier: &mut SeatVerifier, game: &GameMessage) -> String {
    match verifier.verify_game(game) {
        Err(Failure::Violation(what)) => what,
        other => panic!("expected a violation, found {other:?}"),
    }
}

#[test]
fn a_consistent_history_is_accepted() {
    let mut verifier = picked();
    assert!(!verifier.is_current());
    assert_eq!(
        verifier.verify_game(&game(11, "red-2 red-3", &["red-1"])),
        Ok(())
    );
    assert!(verifier.is_current());
    send(&mut verifier, "2", "red-2");
    verifier.note_connection(11);
    // An action that was not acknowledged may be lost or kept. The server answers it when it is sent again.
    assert_eq!(
        verifier.verify_game(&game(11, "red-2 red-3", &["red-1"])),
        Ok(())
    );
    verifier.note_sent("2");
    assert_eq!(verifier.verify_ok("2"), Ok(true));
    send(&mut verifier, "3", "red-3");
    let end = game(14, "", &["red-1", "red-2", "red-3"]);
    verifier.note_sheet(&sheet());
    assert_eq!(verifier.verify_game(&end), Ok(()));
    assert!(
        verifier.verify_end().is_err(),
        "the last action was not acknowledged"
    );
    verifier.note_connection(14);
    verifier.note_sheet(&sheet());
    assert_eq!(verifier.verify_game(&end), Ok(()));
    verifier.note_sent("3");
    assert_eq!(verifier.verify_ok("3"), Ok(true));
    assert_eq!(verifier.verify_end(), Ok(()));
    assert_eq!(verifier.acknowledged(), 3);
}

#[test]
fn an_acknowledged_action_that_is_lost_in_a_restart_is_a_violation() {
    let mut verifier = picked();
    verifier.note_connection(10);
    let what = violation(&mut verifier, &game(10, "red-1 red-2 red-3", &[]));
    assert!(
        what.contains("red-1 was acknowledged or shown as played and is lost"),
        "{what}"
    );
}

#[test]
fn a_shown_action_that_is_lost_is_a_violation_even_if_it_was_not_acknowledged() {
    let mut verifier = picked();
    send(&mut verifier, "2", "red-2");
    let shown = game(12, "red-3", &["red-1", "red-2"]);
    assert_eq!(verifier.verify_game(&shown), Ok(()));
    verifier.note_connection(12);
    let what = violation(&mut verifier, &game(12, "red-2 red-3", &["red-1"]));
    assert!(
        what.contains("red-2 was acknowledged or shown as played and is lost"),
        "{what}"
    );
}

#[test]
fn a_revision_older_than_one_seen_by_another_player_is_a_violation() {
    let mut verifier = picked();
    verifier.note_connection(30);
    let what = violation(&mut verifier, &game(29, "red-2 red-3", &["red-1"]));
    assert!(
        what.contains("revision 29 of the game came after 30"),
        "{what}"
    );
}

#[test]
fn another_card_than_the_acknowledged_one_is_a_violation() {
    let mut verifier = picked();
    let what = violation(&mut verifier, &game(11, "red-1 red-3", &["red-2"]));
    assert!(
        what.contains("its actions are [red-2] at revision 11"),
        "{what}"
    );
}

#[test]
fn an_action_that_is_applied_twice_is_a_violation() {
    let mut verifier = picked();
    let what = violation(&mut verifier, &game(12, "red-2", &["red-1", "red-1"]));
    assert!(what.contains("its actions are [red-1 red-1]"), "{what}");

    let mut verifier = picked();
    verifier.note_sent("1");
    let refused = verifier.verify_refused(Some("1"), "already_picked");
    assert!(
        matches!(refused, Err(Failure::Violation(_))),
        "the action was acknowledged before"
    );
}

#[test]
fn only_a_start_or_ready_may_be_outdated() {
    for (command, is_allowed) in [
        (ClientMessage::Start, true),
        (ClientMessage::Ready { ready: true }, true),
        (ClientMessage::Ping, false),
    ] {
        let mut verifier = dealt();
        verifier.note_command("1".into(), command);
        for (code, is_allowed) in [("not_playing", false), ("outdated", is_allowed)] {
            verifier.note_sent("1");
            let refused = verifier.verify_refused(Some("1"), code);
            assert_eq!(refused.is_ok(), is_allowed, "{code}");
        }
        assert_eq!(verifier.pending().is_none(), is_allowed);
    }
}

#[test]
fn the_copy_of_an_outdated_command_is_outdated_too() {
    let mut verifier = dealt();
    verifier.note_command("1".into(), ClientMessage::Start);
    for _ in 0..2 {
        verifier.note_sent("1");
    }
    assert!(verifier.verify_refused(Some("1"), "outdated").is_ok());
    verifier.note_command("2".into(), ClientMessage::Start);
    verifier.note_sent("2");
    assert!(verifier.verify_refused(Some("1"), "outdated").is_ok());
    assert!(verifier.verify_ok("2").is_ok());
    verifier.note_sent("2");
    let refused = verifier.verify_refused(Some("2"), "outdated");
    assert!(refused.is_err(), "it was acknowledged before");
}

#[test]
fn an_action_that_the_player_did_not_make_is_a_violation() {
    let mut verifier = dealt();
    let what = violation(&mut verifier, &game(11, "red-2 red-3", &["red-1"]));
    assert!(what.contains("and it has made []"), "{what}");
}

#[test]
fn a_hand_that_differs_after_a_restart_is_a_violation() {
    let mut verifier = picked();
    verifier.note_connection(11);
    let what = violation(&mut verifier, &game(11, "red-3 blue-7", &["red-1"]));
    assert!(
        what.contains("is [blue-7 red-3] and should be [red-2 red-3]"),
        "{what}"
    );
}

#[test]
fn a_lost_seat_a_lost_start_and_a_lost_ready_are_violations() {
    let mut verifier = SeatVerifier::new(ROOM.into(), 0);
    for (id, command) in [
        (
            "1",
            ClientMessage::Sit {
                name: "Ann".into(),
                seat: 0,
            },
        ),
        ("2", ClientMessage::Start),
    ] {
        verifier.note_command(id.into(), command);
        verifier.note_sent(id);
        assert_eq!(verifier.verify_ok(id), Ok(false));
    }
    let nobody = You {
        seat: None,
        host: false,
    };
    assert!(verifier.verify_welcome(nobody).is_err());
    let room = json!({
        "rev": 3,
        "you": {"seat": 0, "host": true},
        "table": {
            "phase": "lobby",
            "chairs": [{"kind": "person", "ready": false}],
        },
    });
    let mut room: RoomMessage = serde_json::from_value(room).expect("this is a room");
    assert!(verifier.verify_room(&room).is_err());

    room.table.phase = Phase::Playing;
    assert_eq!(verifier.verify_room(&room), Ok(()));
    assert_eq!(verifier.verify_game(&game(4, "red-1", &[])), Ok(()));
    send(&mut verifier, "3", "red-1");
    assert_eq!(verifier.verify_ok("3"), Ok(true));
    let end = game(5, "", &["red-1"]);
    let what = violation(&mut verifier, &end);
    assert!(what.contains("before the points of 1 rounds"), "{what}");
    verifier.note_sheet(&sheet());
    assert_eq!(verifier.verify_game(&end), Ok(()));
    verifier.note_command("4".into(), ClientMessage::Ready { ready: true });
    verifier.note_sent("4");
    assert_eq!(verifier.verify_ok("4"), Ok(false));
    assert_eq!(
        verifier.verify_game(&end),
        Ok(()),
        "the `room` message comes later"
    );
    verifier.note_connection(5);
    verifier.note_sheet(&sheet());
    room.rev = 6;
    assert_eq!(verifier.verify_room(&room), Ok(()));
    let what = violation(&mut verifier, &end);
    assert!(what.contains("`ready` was acknowledged"), "{what}");
}

#[test]
fn a_second_answer_to_one_message_is_a_violation() {
    let mut verifier = picked();
    assert!(verifier.verify_ok("1").is_err());
    // A message that is sent twice is answered twice.
    verifier.note_sent("1");
    assert_eq!(verifier.verify_ok("1"), Ok(false));
}
