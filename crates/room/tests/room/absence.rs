//! People who lose their connection, come back, or do not.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Eviction, Phase, RoomLimits, Timestamp};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The presence of the person on a seat, as the newest `room` message says.
fn presence(room: &mut TestRoom, conn: ConnId, seat: usize) -> Option<Value> {
    let message = room.received(conn, "room").pop()?;
    Some(message["table"]["chairs"][seat]["presence"].clone())
}

/// The time for a stand-in on each chair, as the newest `room` message says.
fn stand_in_times(room: &mut TestRoom, conn: ConnId) -> Vec<Option<Timestamp>> {
    let message = room.received(conn, "room").pop().unwrap();
    let chairs = message["table"]["chairs"].as_array().unwrap().iter();
    let times = chairs.map(|chair| chair.get("stand_in_from")?.as_u64());
    times.map(|time| time.map(Timestamp)).collect()
}

/// A lost connection shows at once, and as away after a while. The person who comes back has the same seat and hand.
#[test]
fn a_lost_person_comes_back_to_their_seat() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let hand = room.take_view(conns[1]).unwrap().view["own"].clone();
    room.disconnect(conns[1]);
    assert_eq!(presence(&mut room, conns[0], 1), Some(json!("lost")));
    room.wait(Duration::from_secs(4));
    assert_eq!(presence(&mut room, conns[0], 1), None);
    room.wait(Duration::from_secs(1));
    assert_eq!(presence(&mut room, conns[0], 1), Some(json!("away")));
    let again = room.join("Bob");
    assert_eq!(presence(&mut room, conns[0], 1), Some(json!("here")));
    assert_eq!(
        room.received(again, "room")[0]["you"],
        json!({"seat": 1, "host": false})
    );
    let seen = room.take_view(again).unwrap();
    assert_eq!((&seen.view["own"], seen.legal.len()), (&hand, 15));
}

/// After a while a bot may stand in. The owner has the seat again when they act or say so, not when they only connect.
#[test]
fn a_bot_stands_in_until_the_owner_acts() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(29));
    assert_eq!(
        room.send_command(conns[2], json!({"type": "stand_in", "seat": 1})),
        "not_away"
    );
    room.wait(Duration::from_secs(1));
    assert_eq!(
        room.send_command(conns[2], json!({"type": "stand_in", "seat": 1})),
        "ok"
    );
    assert_eq!(
        room.send_command(conns[2], json!({"type": "stand_in", "seat": 1})),
        "stood_in"
    );
    room.wait(Duration::from_secs(2));
    let view = room.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["picked"], json!([false, true, false]));

    let bob = room.join("Bob");
    let message = room.received(bob, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][1]["stood_in"], json!(true));
    assert_eq!(room.send_command(bob, json!({"type": "back"})), "ok");
    let message = room.received(bob, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][1]["stood_in"], json!(false));
}

/// Bob acts before the bot does.
#[test]
fn a_stand_in_ends_when_the_owner_acts() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    assert!(room.everybody_acts(&conns[1..2]));
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(30));
    room.grant(conns[2], json!({"type": "stand_in", "seat": 1}));
    let bob = room.join("Bob");
    let stood_in = |room: &mut TestRoom| {
        let message = room.received(bob, "room").pop().unwrap();
        message["table"]["chairs"][1]["stood_in"].clone()
    };
    assert_eq!(stood_in(&mut room), json!(true));
    while !room.everybody_acts(&[bob]) {
        assert!(room.everybody_acts(&[conns[0], conns[2]]));
    }
    assert_eq!(stood_in(&mut room), json!(false));
}

/// The others are sent the time from which a bot may stand in. A pause does not move it.
#[test]
fn the_chair_of_an_absent_person_has_the_time_for_a_stand_in() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let ann = conns[0];
    room.disconnect(conns[1]);
    let from = room.now.after(Duration::from_secs(30));
    let absent = [None, Some(from), None];
    assert_eq!(stand_in_times(&mut room, ann), absent);
    for command in ["pause", "resume"] {
        room.wait(Duration::from_secs(2));
        assert_eq!(room.send_command(ann, json!({"type": command})), "ok");
        assert_eq!(stand_in_times(&mut room, ann), absent);
    }
    let stand_in = json!({"type": "stand_in", "seat": 1});
    room.now = Timestamp(from.0 - 1);
    assert_eq!(room.send_command(ann, stand_in.clone()), "not_away");
    room.now = from;
    assert_eq!(room.send_command(ann, stand_in), "ok");
    assert_eq!(stand_in_times(&mut room, ann), [None; 3], "a bot plays");
    let bob = room.join("Bob");
    assert_eq!(room.send_command(bob, json!({"type": "back"})), "ok");
    assert_eq!(stand_in_times(&mut room, ann), [None; 3], "Bob is here");
    room.disconnect(bob);
    let from = room.now.after(Duration::from_secs(30));
    assert_eq!(stand_in_times(&mut room, ann), [None, Some(from), None]);
    assert_eq!(room.send_command(ann, json!({"type": "end"})), "ok");
    assert_eq!(stand_in_times(&mut room, ann), [None; 3], "no game is on");
}

/// With a time limit the clock plays one card for a seat that does not act, connected or not.
#[test]
fn the_clock_plays_for_a_seat_that_does_not() {
    let mut room = TestRoom::<Sticheln>::new(3, 4);
    let conns: Vec<_> = THREE.iter().map(|person| room.join(person)).collect();
    for (conn, name) in conns.iter().zip(THREE) {
        assert_eq!(
            room.send_command(*conn, json!({"type": "sit", "name": name})),
            "ok"
        );
    }
    assert_eq!(
        room.send_command(conns[0], json!({"type": "configure", "turn_seconds": 20})),
        "ok"
    );
    assert_eq!(room.send_command(conns[0], json!({"type": "start"})), "ok");
    let game = room.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["deadline"], json!(room.now.0 + 20_000));
    room.wait(Duration::from_secs(19));
    assert_eq!(room.received(conns[0], "game"), [] as [Value; 0]);
    room.wait(Duration::from_secs(1));
    let view = room.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["phase"], "trick");

    assert_eq!(room.send_command(conns[0], json!({"type": "pause"})), "ok");
    assert_eq!(
        room.received(conns[0], "game")
            .pop()
            .unwrap()
            .get("deadline"),
        None
    );
    room.wait(Duration::from_secs(100));
    assert_eq!(room.send_command(conns[0], json!({"type": "resume"})), "ok");
    let game = room.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["view"]["table"]["tricks_played"], json!(0));
    assert_eq!(game["deadline"], json!(room.now.0 + 20_000));
}

/// A bot takes the chair of a person who leaves for good. Another person may take it then, and is not sent the hand.
#[test]
fn a_newcomer_takes_the_chair_of_a_person_who_left() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    assert_eq!(room.send_command(conns[2], json!({"type": "stand"})), "ok");
    let message = room.received(conns[2], "room").pop().unwrap();
    assert_eq!(
        (
            &message["you"]["seat"],
            &message["table"]["chairs"][2]["kind"]
        ),
        (&Value::Null, &json!("bot"))
    );
    assert_eq!(room.take_view(conns[2]).unwrap().view["seat"], Value::Null);

    let dora = room.join("Dora");
    assert_eq!(
        room.send_command(dora, json!({"type": "sit", "name": "Dora"})),
        "ok"
    );
    // Dora is not sent the hand of the person who left.
    assert!(room.take_view(dora).unwrap().view["own"].is_null());
    let message = room.received(dora, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][2]["waits_for_deal"], true);
}

/// The person who is connected and has sat longest becomes host, and stays it.
#[test]
fn the_person_who_has_sat_longest_becomes_host() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[0]);
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(20));
    let bob = room.join("Bob");
    room.wait(Duration::from_secs(9));
    let host = |room: &mut TestRoom, conn| {
        Some(room.received(conn, "room").pop()?["table"]["host"].clone())
    };
    assert_eq!(host(&mut room, bob), Some(json!(0)));
    room.wait(Duration::from_secs(1));
    assert_eq!(host(&mut room, bob), Some(json!(1)));
    let ann = room.join("Ann");
    assert_eq!(host(&mut room, ann), Some(json!(1)));
    assert_eq!(room.send_command(bob, json!({"type": "stand"})), "ok");
    assert_eq!(host(&mut room, ann), Some(json!(0)));
}

/// In the lobby the chair of an absent person is kept for a while. Then another person may take it.
#[test]
fn a_chair_in_the_lobby_is_kept_for_a_while() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let conns: Vec<_> = THREE.iter().map(|person| room.join(person)).collect();
    for (conn, name) in conns.iter().zip(THREE) {
        assert_eq!(
            room.send_command(*conn, json!({"type": "sit", "name": name})),
            "ok"
        );
    }
    room.disconnect(conns[1]);
    let dora = room.join("Dora");
    let sit = json!({"type": "sit", "name": "Dora"});
    let sit_on_it = json!({"type": "sit", "name": "Dora", "seat": 1});
    room.wait(Duration::from_secs(119));
    assert_eq!(room.send_command(dora, sit.clone()), "no_free_chair");
    assert_eq!(room.send_command(dora, sit_on_it.clone()), "chair_taken");
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(dora, sit), "ok");
    let mut bob = room.join("Bob");
    let seat_of = |room: &mut TestRoom, conn| {
        let message = room.received(conn, "room").pop().unwrap();
        message["you"]["seat"].clone()
    };
    assert_eq!(seat_of(&mut room, bob), Value::Null);

    // The same with the number of the chair.
    room.grant(dora, json!({"type": "stand"}));
    room.grant(bob, json!({"type": "sit", "name": "Bob"}));
    room.disconnect(bob);
    room.wait(Duration::from_secs(120));
    assert_eq!(room.send_command(dora, sit_on_it), "ok");
    assert_eq!(seat_of(&mut room, dora), 1);
    bob = room.join("Bob");
    assert_eq!(seat_of(&mut room, bob), Value::Null);
}

/// The older connection of a seat is closed with the reason.
#[test]
fn the_newest_connection_of_a_seat_plays() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let again = room.join("Ann");
    assert_eq!(room.closed, [(conns[0], Eviction::TakenUpElsewhere)]);
    assert_eq!(room.take_view(again).unwrap().legal.len(), 15);
}

/// A room without connections does nothing, and goes on when somebody comes.
#[test]
fn a_room_without_connections_waits() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    for conn in &conns {
        room.disconnect(*conn);
    }
    assert!(!room.inner.is_occupied());
    assert_eq!(room.inner.next_tick_at(), None);
    let rev = room.inner.entry_number();
    room.wait(Duration::from_secs(100_000));
    assert_eq!(room.inner.entry_number(), rev);
    room.restart();
    let ann = room.join("Ann");
    assert_eq!(room.inner.phase(), Phase::Playing);
    assert_eq!(room.take_view(ann).unwrap().legal.len(), 15);
}

/// After a pause, however long, the time limit goes on where it was.
#[test]
fn a_pause_takes_no_time_from_anybody() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 4);
    let picked =
        |room: &mut TestRoom| room.take_view(conns[0]).unwrap().view["table"]["picked"].clone();
    let limit = json!({"type": "configure", "turn_seconds": 20});
    assert_eq!(room.send_command(conns[0], limit), "ok");
    room.wait(Duration::from_secs(10));
    assert_eq!(room.send_command(conns[0], json!({"type": "pause"})), "ok");
    room.wait(Duration::from_secs(100));
    assert_eq!(room.send_command(conns[0], json!({"type": "resume"})), "ok");
    assert_eq!(picked(&mut room), json!([false, false, false]));
    room.wait(Duration::from_millis(9_999));
    assert_eq!(room.received(conns[0], "game"), [] as [Value; 0]);
    room.wait(Duration::from_millis(1));
    let view = room.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["phase"], "trick");
}

/// A time limit that had nearly ended before a pause does not end at once after it.
#[test]
fn a_turn_goes_on_for_a_moment_after_a_pause() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 4);
    room.grant(conns[0], json!({"type": "configure", "turn_seconds": 20}));
    room.wait(Duration::from_secs(19));
    room.grant(conns[0], json!({"type": "pause"}));
    room.wait(Duration::from_secs(100));
    room.grant(conns[0], json!({"type": "resume"}));
    let game = room.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["deadline"], json!(room.now.0 + 10_000));
}

/// A spectator may let bots stand in only while no person with a seat is connected.
#[test]
fn a_spectator_lets_bots_stand_in_when_all_players_are_gone() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let spectator = room.join("Eve");
    let stand_in = json!({"type": "stand_in", "seat": 1});
    room.disconnect(conns[1]);
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(30));
    assert_eq!(room.send_command(spectator, stand_in.clone()), "not_seated");
    room.disconnect(conns[0]);
    assert_eq!(room.send_command(spectator, stand_in), "ok");
    let stand_in = json!({"type": "stand_in", "seat": 0});
    assert_eq!(room.send_command(spectator, stand_in.clone()), "not_away");
    room.wait(Duration::from_secs(30));
    assert_eq!(room.send_command(spectator, stand_in), "ok");
}

#[test]
fn an_absent_person_cannot_be_made_host() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    let give = json!({"type": "give_host", "seat": 1});
    assert_eq!(room.send_command(conns[0], give.clone()), "not_here");
    room.join("Bob");
    assert_eq!(room.send_command(conns[0], give), "ok");
}

/// Connects a person for a moment every 21 seconds, this many times. They send only what a client sends by itself, and
/// are disconnected at the end.
fn reconnect_repeatedly(room: &mut TestRoom, person: &'static str, times: usize) {
    for _ in 0..times {
        room.wait(Duration::from_secs(20));
        let conn = room.join(person);
        room.send_command(conn, json!({"type": "ping"}));
        room.send_command(conn, json!({"type": "back"}));
        room.wait(Duration::from_secs(1));
        room.disconnect(conn);
    }
}

/// If it is the turn of a person who connects again and again without a command, their absence counts from the first
/// loss.
#[test]
fn a_silent_reconnect_does_not_end_an_absence() {
    let stand_in = json!({"type": "stand_in", "seat": 1});
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    reconnect_repeatedly(&mut room, "Bob", 1);
    room.wait(Duration::from_millis(8_999));
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");
    room.wait(Duration::from_millis(1));
    // While Bob is connected, he is not absent.
    let bob = room.join("Bob");
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");
    room.disconnect(bob);
    assert_eq!(room.send_command(conns[2], stand_in), "ok");
}

/// After a command of the person the whole time has to pass again before a bot may stand in.
#[test]
fn a_command_ends_an_absence() {
    let stand_in = json!({"type": "stand_in", "seat": 1});
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    reconnect_repeatedly(&mut room, "Bob", 3);
    let bob = room.join("Bob");
    let line = json!({"type": "chat", "text": "A moment"});
    assert_eq!(room.send_command_as(bob, "line", line.clone()), "ok");
    room.disconnect(bob);
    room.wait(Duration::from_secs(29));
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");

    // A command that the client repeats because it got no answer does not count.
    let bob = room.join("Bob");
    assert_eq!(room.send_command_as(bob, "line", line), "ok");
    room.disconnect(bob);
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(conns[2], stand_in), "ok");
}

/// A message that the server cannot read does not.
#[test]
fn a_refused_command_ends_an_absence() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    let from_first_loss = room.now.after(Duration::from_secs(30));
    for (message, code, ends) in [
        (json!({"type": "dance"}), "unknown_type", false),
        (json!({"type": "act"}), "malformed", false),
        (json!({"type": "ping"}), "ok", false),
        (json!({"type": "back"}), "not_stood_in", false),
        (json!({"type": "start"}), "not_host", true),
    ] {
        room.wait(Duration::from_secs(5));
        let bob = room.join("Bob");
        assert_eq!(room.send_command(bob, message), code);
        room.disconnect(bob);
        let from = match ends {
            true => room.now.after(Duration::from_secs(30)),
            false => from_first_loss,
        };
        let times = stand_in_times(&mut room, conns[0]);
        assert_eq!(times, [None, Some(from), None], "{code}");
    }
}

/// Reconnects before the turn do not count. From the turn on the whole time has to pass. Others are not affected.
#[test]
fn an_absence_counts_from_the_turn() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let pick = |room: &mut TestRoom, conn| {
        let pick = room.take_view(conn).unwrap().legal[0].clone();
        assert_eq!(
            room.send_command(conn, json!({"type": "act", "action": pick})),
            "ok"
        );
    };
    pick(&mut room, conns[1]);
    room.disconnect(conns[1]);
    reconnect_repeatedly(&mut room, "Bob", 5);
    let stand_in = json!({"type": "stand_in", "seat": 1});
    // Bob has picked already, so the room does not wait for him.
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");
    let mut bob = room.join("Bob");
    pick(&mut room, conns[0]);
    pick(&mut room, conns[2]);
    let leads = |room: &mut TestRoom, conn| !room.take_view(conn).unwrap().legal.is_empty();
    for _ in 0..3 {
        if leads(&mut room, bob) {
            break;
        }
        room.everybody_acts(&[conns[0], conns[2]]);
        room.disconnect(bob);
        bob = room.join("Bob");
    }
    // Now it is his turn, and the time begins.
    room.disconnect(bob);
    reconnect_repeatedly(&mut room, "Bob", 1);
    room.wait(Duration::from_secs(8));
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(conns[2], stand_in), "ok");
}

/// When a turn ends, so does the rule that an absence counts from the first loss. The others are sent the new time with the
/// move.
#[test]
fn the_end_of_a_turn_changes_the_time_for_a_stand_in() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let ann = conns[0];
    let limit = json!({"type": "configure", "turn_seconds": 25});
    assert_eq!(room.send_command(ann, limit), "ok");
    room.disconnect(conns[1]);
    let from_first_loss = room.now.after(Duration::from_secs(30));
    reconnect_repeatedly(&mut room, "Bob", 1);
    let from_last_loss = room.now.after(Duration::from_secs(30));
    let expected = [None, Some(from_first_loss), None];
    assert_eq!(stand_in_times(&mut room, ann), expected);
    room.wait(Duration::from_secs(4));
    let view = room.take_view(ann).unwrap().view;
    assert_eq!(view["table"]["phase"], "trick", "the clock has picked");
    let expected = [None, Some(from_last_loss), None];
    assert_eq!(stand_in_times(&mut room, ann), expected);
    room.now = Timestamp(from_last_loss.0 - 1);
    let stand_in = json!({"type": "stand_in", "seat": 1});
    assert_eq!(room.send_command(ann, stand_in), "not_away");
}

/// During a pause a reconnect ends an absence.
#[test]
fn a_pause_is_no_turn() {
    let stand_in = json!({"type": "stand_in", "seat": 1});
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.disconnect(conns[1]);
    reconnect_repeatedly(&mut room, "Bob", 2);
    assert_eq!(room.send_command(conns[0], json!({"type": "pause"})), "ok");
    assert_eq!(room.send_command(conns[2], stand_in.clone()), "not_away");
    room.wait(Duration::from_secs(30));
    assert_eq!(room.send_command(conns[2], stand_in), "ok");
}

/// A person who takes the seat up on another connection has no more time than before, also if they are alone.
#[test]
fn another_connection_gives_no_more_time() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let limit = json!({"type": "configure", "turn_seconds": 20});
    assert_eq!(room.send_command(conns[0], limit), "ok");
    let until = json!(room.now.0 + 20_000);
    room.disconnect(conns[1]);
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(10));
    let again = room.join("Ann");
    assert_eq!(room.closed, [(conns[0], Eviction::TakenUpElsewhere)]);
    assert_eq!(room.deadline_sent_to(again), Some(until));
}

/// A connection still counts as lost for 5 s, and the log does not depend on the timeouts with which it was written.
#[test]
fn timeouts_for_people_are_scaled() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    room.inner.set_limits(RoomLimits {
        timeout_percent: 20,
        ..RoomLimits::default()
    });
    let limit = json!({"type": "configure", "turn_seconds": 60});
    assert_eq!(room.send_command(conns[0], limit), "ok");
    let game = room.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["deadline"], json!(room.now.0 + 12_000));

    room.disconnect(conns[0]);
    let stand_in = json!({"type": "stand_in", "seat": 0});
    let from = room.now.after(Duration::from_secs(6));
    let times = stand_in_times(&mut room, conns[1]);
    assert_eq!(times, [Some(from), None, None]);
    room.wait(Duration::from_secs(4));
    assert_eq!(presence(&mut room, conns[1], 0), None);
    room.wait(Duration::from_secs(1));
    assert_eq!(presence(&mut room, conns[1], 0), Some(json!("away")));
    assert_eq!(room.send_command(conns[1], stand_in.clone()), "not_away");
    room.wait(Duration::from_secs(1));
    let message = room.received(conns[1], "room").pop().unwrap();
    assert_eq!(message["table"]["host"], json!(1));
    assert_eq!(room.send_command(conns[1], stand_in), "ok");
    room.restart();
}
