//! Cases in which something was wrong once.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{
    Actor, Change, ConnId, Eviction, Name, Phase, Room, RoomLimits, Snapshot, Timestamp,
};
use sticheln_rules::{Seat, Sticheln};

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

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
    let rev = room.inner.rev();
    let ann = room.join("Ann");
    assert_eq!(room.inner.rev(), rev);
    let game = room.received(ann, "game").pop().unwrap();
    assert_eq!(game["legal"].as_array().unwrap().len(), 15);
    assert_eq!(game["deadline"], json!(room.now.0 + 20_000));
}

#[test]
fn a_new_time_limit_counts_from_its_setting() {
    let (mut room, conns) = TestRoom::with_started_game(&THREE, 1);
    room.wait(Duration::from_secs(60));
    let rev = room.inner.rev();
    limit(&mut room, conns[0], 30);
    assert_eq!(room.inner.rev(), rev + 1);
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
    let rev = room.inner.rev();
    room.wait(Duration::from_secs(60));
    assert!(room.inner.rev() > rev);
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
    let rev = room.inner.rev();
    for message in [
        json!({"type": "configure"}),
        json!({"type": "configure", "title": null}),
        json!({"type": "rename", "name": "Ann"}),
        json!({"type": "ready", "ready": false}),
        json!({"type": "give_host", "seat": 0}),
    ] {
        room.grant(conns[0], message);
    }
    assert_eq!(room.inner.rev(), rev);
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
fn a_bot_can_stand_in_for_a_silent_person() {
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

/// A few lines may follow quickly. More are refused until time has passed.
#[test]
fn the_rate_of_talk_is_bounded() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    let line = json!({"type": "chat", "text": "hello"});
    for _ in 0..5 {
        assert_eq!(room.send_command(conns[0], line.clone()), "ok");
    }
    assert_eq!(room.send_command(conns[0], line.clone()), "too_soon");
    assert_eq!(
        room.send_command(conns[0], json!({"type": "react", "reaction": "laugh"})),
        "too_soon"
    );
    assert_eq!(room.send_command(conns[1], line.clone()), "ok");
    room.wait(Duration::from_secs(1));
    assert_eq!(room.send_command(conns[0], line.clone()), "ok");
    assert_eq!(room.send_command(conns[0], line), "too_soon");
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

/// Between two snapshots the log is bounded. A full log does not stop a game, and the next deal makes space again.
#[test]
fn the_log_is_bounded() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let (ann, bob) = (conns[0], conns[1]);
    let deal = room.snapshots.last().unwrap().rev();
    room.inner.set_limits(RoomLimits {
        entries: room.inner.rev() - deal + 10,
        ..RoomLimits::default()
    });
    let toggle = |room: &mut TestRoom, ready: bool| {
        room.send_command(bob, json!({"type": "ready", "ready": ready}))
    };
    for number in 0..10 {
        assert_eq!(toggle(&mut room, number % 2 == 0), "ok");
    }
    let full = room.inner.rev();
    for _ in 0..100 {
        assert_eq!(toggle(&mut room, true), "log_full");
    }
    for message in [
        json!({"type": "configure", "title": "Friday"}),
        json!({"type": "give_host", "seat": 1}),
        json!({"type": "pause"}),
    ] {
        assert_eq!(room.send_command(ann, message), "log_full");
    }
    assert_eq!(room.inner.rev(), full);
    // A refused command changes nothing.
    assert_eq!(room.send_command(ann, json!({"type": "ping"})), "ok");
    assert_eq!(
        room.send_command(ann, json!({"type": "chat", "text": "Full?"})),
        "ok"
    );

    let play_until = |room: &mut TestRoom, is_over: &dyn Fn(&TestRoom) -> bool| {
        while !is_over(room) {
            room.everybody_acts(&conns);
            room.wait(Duration::from_secs(30));
            room.keep_newest(&["game"]);
        }
    };
    play_until(&mut room, &|room| room.snapshots.len() > 1);
    assert_eq!(toggle(&mut room, true), "ok");
    assert_eq!(toggle(&mut room, false), "ok");
    play_until(&mut room, &|room| room.inner.phase() == Phase::Over);
    let deals = room.snapshots.len();
    for number in 0..100 {
        toggle(&mut room, number % 2 == 0);
    }
    assert_eq!(toggle(&mut room, true), "log_full");
    assert_eq!(room.send_command(ann, json!({"type": "rematch"})), "ok");
    assert_eq!(room.snapshots.len(), deals + 1);
    assert_eq!(toggle(&mut room, true), "ok");
}

/// In a full log stand-ins and returns cannot alternate for ever: a stand-in needs a turn, in which the bot moves.
#[test]
fn a_full_log_takes_a_stand_in_only_during_a_turn() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let ann = conns[0];
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "ok");
    room.inner.set_limits(RoomLimits {
        entries: 1,
        ..RoomLimits::default()
    });
    let full = room.inner.rev();
    room.disconnect(conns[1]);
    let stand_in = json!({"type": "stand_in", "seat": 1});
    for _ in 0..10 {
        room.wait(Duration::from_secs(30));
        assert_eq!(room.send_command(ann, stand_in.clone()), "log_full");
        let bob = room.join("Bob");
        let back = room.send_command(bob, json!({"type": "back"}));
        assert_eq!(back, "not_stood_in");
        room.disconnect(bob);
    }
    assert_eq!(room.inner.rev(), full);

    assert_eq!(room.send_command(ann, json!({"type": "resume"})), "ok");
    room.wait(Duration::from_secs(30));
    let before = room.inner.rev();
    assert_eq!(room.send_command(ann, stand_in), "ok");
    assert_eq!(room.inner.rev(), before + 2, "the bot has picked");
}

/// People can use a lobby for years: its log is bounded by snapshots.
#[test]
fn the_log_of_a_lobby_does_not_get_full() {
    let mut room = TestRoom::<Sticheln>::new(3, 9);
    let ann = room.join_and_sit("Ann");
    room.inner.set_limits(RoomLimits {
        entries: 10,
        ..RoomLimits::default()
    });
    for number in 0..1_000 {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        assert_eq!(room.send_command(ann, ready), "ok");
    }
    let revs: Vec<_> = room.snapshots.iter().map(Snapshot::rev).collect();
    assert_eq!(revs, [200, 400, 600, 800, 1_000]);
    let last = room.snapshots.pop().unwrap();
    let entries = room.log[1_001..].to_vec();
    let names = room.names.clone();
    let entropy = seeded_entropy(9);
    let woken = Room::wake("k7qm2x4p", room.now, Some(last), entries, names, entropy).unwrap();
    assert!(woken == room.inner);
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

/// `docs/wire/delivery.md` says how many people a room remembers.
#[test]
fn the_ids_of_64_people_are_remembered_and_those_of_seated_people_longer() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    room.inner.set_limits(RoomLimits {
        spectators: 100,
        ..RoomLimits::default()
    });
    let visit = |room: &mut TestRoom, number: usize| {
        let conn = room.join(Box::leak(format!("Visitor{number}").into_boxed_str()));
        for (id, message) in [
            ("sit", json!({"type": "sit", "name": "Visitor"})),
            ("stand", json!({"type": "stand"})),
        ] {
            assert_eq!(room.send_command_as(conn, id, message), "ok");
        }
        conn
    };
    let bob = room.join_and_sit("Bob");
    let rename = |name| json!({"type": "rename", "name": name});
    assert_eq!(room.send_command_as(bob, "first", rename("Bobby")), "ok");
    assert_eq!(room.send_command_as(bob, "second", rename("Rob")), "ok");
    let ann = visit(&mut room, 0);
    for number in 1..=62 {
        visit(&mut room, number);
    }
    let mut changes = |conn, id, message| {
        let rev = room.inner.rev();
        assert_eq!(room.send_command_as(conn, id, message), "ok");
        room.inner.rev() > rev
    };
    let sit = json!({"type": "sit", "name": "Visitor"});
    assert!(
        !changes(ann, "sit", sit.clone()),
        "64 people are remembered"
    );
    visit(&mut room, 63);
    let mut changes = |conn, id, message| {
        let rev = room.inner.rev();
        assert_eq!(room.send_command_as(conn, id, message), "ok");
        room.inner.rev() > rev
    };
    assert!(
        changes(ann, "sit", sit),
        "with 65, people without a seat are forgotten"
    );
    assert!(
        !changes(bob, "first", rename("Bobby")),
        "and seated people are not"
    );
}
