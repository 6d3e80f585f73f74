//! Cases in which something was wrong once.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{Actor, Change, ConnId, Eviction, Name, Phase, Timestamp};
use sticheln_rules::{Seat, Sticheln};

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn ready(room: &mut TestRoom, conn: ConnId) {
    room.grant(conn, json!({"type": "ready", "ready": true}));
}

fn limit(room: &mut TestRoom, conn: ConnId, seconds: u64) {
    room.grant(conn, json!({"type": "configure", "turn_seconds": seconds}));
}

/// The newest `room` message.
fn message(room: &mut TestRoom, conn: ConnId) -> Value {
    room.received(conn, "room").pop().unwrap()
}

/// Ann among bots, before the start.
fn ann_and_bots() -> (TestRoom, ConnId) {
    let mut room = TestRoom::new(3, 1);
    let ann = room.join_and_sit("Ann");
    for _ in 0..2 {
        room.grant(ann, json!({"type": "add_bot", "level": "beginner"}));
    }
    (room, ann)
}

/// Three people in a room of four chairs. The first chair is free.
fn first_chair_free() -> (TestRoom, [ConnId; 3]) {
    let mut room = TestRoom::new(4, 1);
    let conns = THREE.map(|person| room.join(person));
    for (seat, (conn, name)) in (1..).zip(conns.into_iter().zip(THREE)) {
        let sit = json!({"type": "sit", "name": name, "seat": seat});
        room.grant(conn, sit);
    }
    (room, conns)
}

/// Three people who have played a game to its end.
fn over() -> (TestRoom, Vec<ConnId>) {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    while room.inner.phase() == Phase::Playing {
        if !room.everybody_acts(&conns) {
            room.wait(Duration::from_secs(30));
        }
        room.keep_newest(&["game"]);
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    (room, conns)
}

/// The time, the seat and the mover of each move.
fn moves(room: &TestRoom) -> Vec<(Timestamp, Seat, Actor)> {
    let moves = room.log.iter().filter_map(|entry| match entry.change {
        Change::Acted { seat, by, .. } => Some((entry.at, seat, by)),
        _ => None,
    });
    moves.collect()
}

#[test]
fn a_name_that_composing_makes_longer_is_read_back() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    let name = "\u{1d160}".repeat(20);
    room.grant(ann, json!({"type": "sit", "name": name}));
    room.restart();
}

/// This holds also for a seat that leads after its own trick.
#[test]
fn the_clock_plays_once_at_a_time_for_a_seat() {
    let (mut room, conns) = TestRoom::with_started_game(&THREE, 1);
    limit(&mut room, conns[0], 20);
    room.wait(Duration::from_secs(1200));
    let moves = moves(&room);
    assert!(moves.len() > 50);
    for two in moves.windows(2) {
        assert!((two[0].0, two[0].1) != (two[1].0, two[1].1), "{two:?}");
    }
}

#[test]
fn a_bot_waits_after_its_own_trick() {
    let (mut room, ann) = ann_and_bots();
    room.grant(ann, json!({"type": "start"}));
    for _ in 0..100 {
        room.wait(Duration::from_secs(2));
        room.everybody_acts(&[ann]);
        room.keep_newest(&["game"]);
    }
    let moves = moves(&room);
    let mut led = 0;
    for two in moves.windows(2) {
        if two[0].1 == two[1].1 && two[1].2 == Actor::Bot {
            led += 1;
            assert!(
                two[1].0 >= two[0].0.after(Duration::from_millis(600)),
                "{two:?}"
            );
        }
    }
    assert!(led > 0);
}

#[test]
fn ready_people_still_see_the_end_of_the_game() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    while room.inner.phase() == Phase::Playing {
        for conn in &conns {
            ready(&mut room, *conn);
        }
        room.everybody_acts(&conns);
        room.keep_newest(&["game"]);
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    let starts = room.log.iter();
    let starts = starts.filter(|entry| matches!(entry.change, Change::Started { .. }));
    assert_eq!(starts.count(), 1);
}

/// A rematch begins when all are ready.
#[test]
fn a_game_that_is_over_cannot_be_paused() {
    let (mut room, conns) = over();
    assert_eq!(
        room.send_command(conns[0], json!({"type": "pause"})),
        "no_game"
    );
    assert_eq!(
        room.send_command(conns[0], json!({"type": "resume"})),
        "not_paused"
    );
    for conn in &conns {
        ready(&mut room, *conn);
    }
    assert_eq!(room.inner.phase(), Phase::Playing);
}

#[test]
fn the_opening_seat_moves_up_with_its_chair() {
    let (mut room, [ann, bob, _]) = first_chair_free();
    room.grant(ann, json!({"type": "configure", "opening_seat": 2}));
    room.grant(ann, json!({"type": "start"}));
    let view = room.take_view(bob).unwrap().view;
    assert_eq!(view["table"]["first_leader"], json!(1));
    assert_eq!(message(&mut room, bob)["you"]["seat"], json!(1));
}

/// This holds also for a spectator after a lost connection.
#[test]
fn a_duplicate_chat_line_is_sent_once() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    let line = json!({"type": "chat", "text": "Hi"});
    let eve = room.join("Eve");
    assert_eq!(room.send_command_as(eve, "a", line.clone()), "ok");
    room.disconnect(eve);
    let eve = room.join("Eve");
    assert_eq!(room.send_command_as(eve, "a", line), "ok");
    assert_eq!(room.received(ann, "chat").len(), 1);
}

/// A person who comes back to a room without connections has the whole time limit.
#[test]
fn time_limits_do_not_run_without_connections() {
    let (mut room, conns) = TestRoom::with_started_game(&THREE, 1);
    limit(&mut room, conns[0], 20);
    for conn in &conns {
        room.disconnect(*conn);
    }
    room.wait(Duration::from_secs(60));
    let rev = room.inner.entry_number();
    let ann = room.join("Ann");
    assert_eq!(room.inner.entry_number(), rev);
    let game = room.received(ann, "game").pop().unwrap();
    assert_eq!(game["legal"].as_array().unwrap().len(), 15);
    assert_eq!(game["deadline"], json!(room.now.0 + 20_000));
}

#[test]
fn a_new_time_limit_counts_from_its_setting() {
    let (mut room, conns) = TestRoom::with_started_game(&THREE, 1);
    room.wait(Duration::from_secs(60));
    let rev = room.inner.entry_number();
    limit(&mut room, conns[0], 30);
    assert_eq!(room.inner.entry_number(), rev + 1);
    let game = room.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["deadline"], json!(room.now.0 + 30_000));
}

#[test]
fn the_chair_of_an_absent_person_is_taken_last() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    room.join_and_sit("Ann");
    let bob = room.join_and_sit("Bob");
    room.disconnect(bob);
    let dora = room.join("Dora");
    room.wait(Duration::from_secs(121));
    let sit = json!({"type": "sit", "name": "Dora", "seat": 1});
    assert_eq!(room.send_command(dora, sit), "chair_taken");
    room.grant(dora, json!({"type": "sit", "name": "Dora"}));
    assert_eq!(message(&mut room, dora)["you"]["seat"], json!(2));
}

/// A spectator with two connections sits down on one of them: that one stays.
#[test]
fn sitting_down_keeps_one_connection() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let [one, two] = ["Ann", "Ann"].map(|person| room.join(person));
    room.grant(one, json!({"type": "sit", "name": "Ann"}));
    assert_eq!(room.closed, [(two, Eviction::TakenUpElsewhere)]);
    room.join_and_sit("Bob");
    room.join_and_sit("Cem");
    room.grant(one, json!({"type": "start"}));
    assert_eq!(room.take_view(one).unwrap().legal.len(), 15);
    assert_eq!(room.received(two, "game"), [] as [Value; 0]);
    assert_eq!(room.closed.len(), 1);
}

/// A person who was ready before the restart does not begin a rematch alone before the others are back.
#[test]
fn a_rematch_waits_for_all_after_a_restart() {
    let (mut room, conns) = over();
    ready(&mut room, conns[0]);
    assert_eq!(room.inner.phase(), Phase::Over);
    room.restart();
    room.join("Ann");
    assert_eq!(room.inner.phase(), Phase::Over);
    room.wait(Duration::from_secs(4));
    let bob = room.join("Bob");
    room.wait(Duration::from_secs(100));
    assert_eq!(room.inner.phase(), Phase::Over);
    ready(&mut room, bob);
    assert_eq!(room.inner.phase(), Phase::Playing);
}

#[test]
fn a_rematch_waits_for_a_lost_connection() {
    let (mut room, conns) = over();
    ready(&mut room, conns[0]);
    ready(&mut room, conns[1]);
    room.disconnect(conns[2]);
    assert_eq!(room.inner.phase(), Phase::Over);
    room.wait(Duration::from_secs(4));
    assert_eq!(room.inner.phase(), Phase::Over);
    room.wait(Duration::from_secs(1));
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// After a restart with a clock that is behind the log, bots do not wait until it has caught up.
#[test]
fn bots_go_on_with_an_earlier_clock() {
    let (mut room, ann) = ann_and_bots();
    room.wait(Duration::from_secs(500));
    room.grant(ann, json!({"type": "start"}));
    room.restart_at(Timestamp(room.now.0 - 400_000));
    room.join("Ann");
    let rev = room.inner.entry_number();
    room.wait(Duration::from_secs(60));
    assert!(room.inner.entry_number() > rev);
}

#[test]
fn a_name_has_no_invisible_characters() {
    for name in [
        "\u{1d173}",
        "Ann\u{1d17a}",
        "Ann\u{1bca0}",
        "Ann\u{13430}",
        "Ann\u{16fe4}",
        "\u{1d159}",
        "Ann\u{2062}",
    ] {
        assert!(Name::new(name).is_err(), "{name:?}");
    }
}

/// After a game, a newcomer can take the chair of a person who has left.
#[test]
fn a_newcomer_can_sit_down_after_all_have_left() {
    let (mut room, conns) = over();
    for conn in conns {
        room.disconnect(conn);
    }
    let zoe = room.join("Zoe");
    room.wait(Duration::from_secs(120));
    room.grant(zoe, json!({"type": "sit", "name": "Zoe"}));
    assert_eq!(message(&mut room, zoe)["table"]["host"], json!(0));
}

/// A person who stands up and takes another chair is sent no second hand in the round. On their own chair they are sent
/// their hand again.
#[test]
fn taking_another_chair_shows_no_second_hand_in_the_round() {
    let (mut room, ann) = ann_and_bots();
    room.grant(ann, json!({"type": "start"}));
    let hand = room.take_view(ann).unwrap().view["own"].clone();
    room.grant(ann, json!({"type": "stand"}));
    let sit = |seat| json!({"type": "sit", "name": "Ann", "seat": seat});
    for other in [1, 2] {
        room.grant(ann, sit(other));
        assert!(room.take_view(ann).unwrap().view["own"].is_null());
        room.grant(ann, json!({"type": "stand"}));
    }
    room.grant(ann, sit(0));
    assert_eq!(room.take_view(ann).unwrap().view["own"], hand);
}

#[test]
fn many_connections_of_a_spectator_count_once() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    for _ in 0..16 {
        room.join("Eve");
    }
    assert_eq!(room.try_to_join("Ann").1, "ok");
}

/// A person for whom a bot stood in plays the next game themselves.
#[test]
fn standing_in_ends_with_the_game() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(31));
    room.grant(conns[0], json!({"type": "stand_in", "seat": 1}));
    room.grant(conns[0], json!({"type": "end"}));
    room.join("Bob");
    room.grant(conns[0], json!({"type": "start"}));
    room.wait(Duration::from_secs(2));
    let view = room.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["picked"], json!([false, false, false]));
}

/// A command that changes nothing is granted, and makes no entry.
#[test]
fn a_command_without_a_change_makes_no_entry() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    let rev = room.inner.entry_number();
    for message in [
        json!({"type": "configure"}),
        json!({"type": "configure", "title": null}),
        json!({"type": "rename", "name": "Ann"}),
        json!({"type": "ready", "ready": false}),
        json!({"type": "give_host", "seat": 0}),
    ] {
        room.grant(conns[0], message);
    }
    assert_eq!(room.inner.entry_number(), rev);
}

#[test]
fn a_list_is_not_read_as_an_object() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 1);
    let pick = room.inbox[&conns[0]].last().unwrap()["legal"][0]["card"].clone();
    let act = json!({"type": "act", "action": ["pick", pick]});
    assert_eq!(room.send_command(conns[0], act), "malformed");
    assert_eq!(room.send_command(conns[0], json!({"type": "end"})), "ok");
    for options in [
        json!(["nsv", null, null, true, "off", true]),
        json!({"end": ["rounds", 3]}),
    ] {
        let configure = json!({"type": "configure", "options": options});
        assert_eq!(room.send_command(conns[0], configure), "bad_options");
    }
    let configure =
        json!({"type": "configure", "options": {"end": {"type": "rounds", "rounds": 3}}});
    assert_eq!(room.send_command(conns[0], configure), "ok");
}

#[test]
fn a_bot_can_stand_in_for_an_idle_person() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    for conn in &conns[..2] {
        let game = room.inbox[conn]
            .iter()
            .rfind(|message| message["type"] == "game");
        let action = game.unwrap()["legal"][0].clone();
        room.grant(*conn, json!({"type": "act", "action": action}));
    }
    let stand_in = json!({"type": "stand_in", "seat": 2});
    room.wait(Duration::from_secs(179));
    assert_eq!(room.send_command(conns[0], stand_in.clone()), "not_away");
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(conns[0], stand_in), "ok");
    room.wait(Duration::from_secs(2));
    let view = room.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["phase"], "trick");
    room.grant(conns[2], json!({"type": "back"}));
}

#[test]
fn the_opening_seat_is_reset_with_its_chair() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    let ann = room.join_and_sit("Ann");
    room.grant(ann, json!({"type": "configure", "opening_seat": 3}));
    room.grant(ann, json!({"type": "configure", "seats": 3}));
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(message["table"]["opening_seat"], json!(null));
}

/// The seats may have moved up meanwhile.
#[test]
fn a_handover_code_moves_the_seat_of_its_owner() {
    let (mut room, [ann, ..]) = first_chair_free();
    let take = room.offer_handover(ann);
    room.grant(ann, json!({"type": "start"}));
    let phone = room.join("Phone");
    room.grant(phone, take);
    assert_eq!(room.closed, [(ann, Eviction::TakenUpElsewhere)]);
    assert_eq!(message(&mut room, phone)["you"]["seat"], json!(0));
}

/// They are kept also after a restart.
#[test]
fn the_last_64_granted_ids_are_kept() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join("Ann");
    let sit = json!({"type": "sit", "name": "Ann"});
    assert_eq!(room.send_command_as(ann, "first", sit), "ok");
    for turn in 0..63 {
        room.grant(ann, json!({"type": "ready", "ready": turn % 2 == 0}));
    }
    room.restart();
    let ann = room.join("Ann");
    let rename = json!({"type": "rename", "name": "Anna"});
    assert_eq!(room.send_command_as(ann, "first", rename.clone()), "ok");
    assert_eq!(message(&mut room, ann)["table"]["chairs"][0]["name"], "Ann");
    room.grant(ann, json!({"type": "ready", "ready": false}));
    assert_eq!(room.send_command_as(ann, "first", rename), "ok");
    assert_eq!(
        message(&mut room, ann)["table"]["chairs"][0]["name"],
        "Anna"
    );
}
