//! Cases in which something was wrong once.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{
    By, Change, ConnId, Eviction, Name, Phase, Room, RoomLimits, Snapshot, Timestamp,
};
use sticheln_rules::{Seat, Sticheln};

use crate::clients::{TestRoom, entropy};

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Sends a command that is granted.
fn grant(table: &mut TestRoom, conn: ConnId, message: Value) {
    assert_eq!(table.send_command(conn, message.clone()), "ok", "{message}");
}

fn ready(table: &mut TestRoom, conn: ConnId) {
    grant(table, conn, json!({"type": "ready", "ready": true}));
}

fn limit(table: &mut TestRoom, conn: ConnId, seconds: u64) {
    grant(
        table,
        conn,
        json!({"type": "configure", "turn_seconds": seconds}),
    );
}

/// The newest `room` message.
fn room(table: &mut TestRoom, conn: ConnId) -> Value {
    table.received(conn, "room").pop().unwrap()
}

/// Ann among bots, before the start.
fn ann_and_bots() -> (TestRoom, ConnId) {
    let mut table = TestRoom::new(3, 1);
    let ann = table.join_and_sit("Ann");
    for _ in 0..2 {
        grant(
            &mut table,
            ann,
            json!({"type": "add_bot", "level": "beginner"}),
        );
    }
    (table, ann)
}

/// Three people in a room of four chairs. The first chair is free.
fn first_chair_free() -> (TestRoom, [ConnId; 3]) {
    let mut table = TestRoom::new(4, 1);
    let conns = THREE.map(|person| table.join(person));
    for (seat, (conn, name)) in (1..).zip(conns.into_iter().zip(THREE)) {
        let sit = json!({"type": "sit", "name": name, "seat": seat});
        grant(&mut table, conn, sit);
    }
    (table, conns)
}

/// Three people who have played a game to its end.
fn over() -> (TestRoom, Vec<ConnId>) {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 5);
    while table.room.phase() == Phase::Playing {
        if !table.everybody_acts(&conns) {
            table.wait(seconds(30));
        }
        table.keep_newest(&["game"]);
    }
    assert_eq!(table.room.phase(), Phase::Over);
    (table, conns)
}

/// The time, the seat and the mover of each move.
fn moves(table: &TestRoom) -> Vec<(Timestamp, Seat, By)> {
    let moves = table.log.iter().filter_map(|entry| match entry.change {
        Change::Acted { seat, by, .. } => Some((entry.at, seat, by)),
        _ => None,
    });
    moves.collect()
}

#[test]
fn a_name_that_composing_makes_longer_is_read_back() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join("Ann");
    let name = "\u{1d160}".repeat(20);
    grant(&mut table, ann, json!({"type": "sit", "name": name}));
    table.restart();
}

/// This holds also for a seat that leads after its own trick.
#[test]
fn the_clock_plays_once_at_a_time_for_a_seat() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 1);
    limit(&mut table, conns[0], 20);
    table.wait(seconds(1200));
    let moves = moves(&table);
    assert!(moves.len() > 50);
    for two in moves.windows(2) {
        assert!((two[0].0, two[0].1) != (two[1].0, two[1].1), "{two:?}");
    }
}

#[test]
fn a_bot_pauses_after_its_own_trick() {
    let (mut table, ann) = ann_and_bots();
    grant(&mut table, ann, json!({"type": "start"}));
    for _ in 0..100 {
        table.wait(seconds(2));
        table.everybody_acts(&[ann]);
        table.keep_newest(&["game"]);
    }
    let moves = moves(&table);
    let mut led = 0;
    for two in moves.windows(2) {
        if two[0].1 == two[1].1 && two[1].2 == By::Bot {
            led += 1;
            assert!(
                two[1].0 >= two[0].0.after(Duration::from_millis(600)),
                "{two:?}"
            );
        }
    }
    assert!(led > 0);
}

/// Another person may sit there now.
#[test]
fn a_handover_code_is_void_when_its_owner_has_left() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 1);
    grant(&mut table, conns[2], json!({"type": "handover"}));
    let offer = table.received(conns[2], "handover").pop().unwrap();
    grant(&mut table, conns[2], json!({"type": "stand"}));
    table.join_and_sit("Dora");
    let take = json!({"type": "handover", "code": offer["code"]});
    assert_eq!(table.send_command(conns[2], take), "bad_handover");
    assert_eq!(table.closed, []);
}

/// The seats may have moved up meanwhile.
#[test]
fn a_handover_code_moves_the_seat_of_its_owner() {
    let (mut table, [ann, ..]) = first_chair_free();
    grant(&mut table, ann, json!({"type": "handover"}));
    let offer = table.received(ann, "handover").pop().unwrap();
    grant(&mut table, ann, json!({"type": "start"}));
    let phone = table.join("Phone");
    let take = json!({"type": "handover", "code": offer["code"]});
    grant(&mut table, phone, take);
    assert_eq!(table.closed, [(ann, Eviction::TakenUpElsewhere)]);
    assert_eq!(room(&mut table, phone)["you"]["seat"], json!(0));
}

#[test]
fn ready_people_still_see_the_end_of_the_game() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 5);
    while table.room.phase() == Phase::Playing {
        for conn in &conns {
            ready(&mut table, *conn);
        }
        table.everybody_acts(&conns);
        table.keep_newest(&["game"]);
    }
    assert_eq!(table.room.phase(), Phase::Over);
    let starts = table.log.iter();
    let starts = starts.filter(|entry| matches!(entry.change, Change::Started { .. }));
    assert_eq!(starts.count(), 1);
}

/// A rematch begins when all are ready.
#[test]
fn a_game_that_is_over_cannot_be_paused() {
    let (mut table, conns) = over();
    assert_eq!(
        table.send_command(conns[0], json!({"type": "pause"})),
        "no_game"
    );
    assert_eq!(
        table.send_command(conns[0], json!({"type": "resume"})),
        "not_paused"
    );
    for conn in &conns {
        ready(&mut table, *conn);
    }
    assert_eq!(table.room.phase(), Phase::Playing);
}

#[test]
fn the_opening_seat_moves_up_with_its_chair() {
    let (mut table, [ann, bob, _]) = first_chair_free();
    grant(
        &mut table,
        ann,
        json!({"type": "configure", "opening_seat": 2}),
    );
    grant(&mut table, ann, json!({"type": "start"}));
    let view = table.take_view(bob).unwrap().view;
    assert_eq!(view["table"]["first_leader"], json!(1));
    assert_eq!(room(&mut table, bob)["you"]["seat"], json!(1));
}

/// This holds also for a spectator after a lost connection.
#[test]
fn a_duplicate_chat_line_is_sent_once() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join("Ann");
    let line = json!({"type": "chat", "text": "Hi"});
    let eve = table.join("Eve");
    assert_eq!(table.send_command_as(eve, "a", line.clone()), "ok");
    table.disconnect(eve);
    let eve = table.join("Eve");
    assert_eq!(table.send_command_as(eve, "a", line), "ok");
    assert_eq!(table.received(ann, "chat").len(), 1);
}

/// A person who comes back to a room without connections has the whole time limit.
#[test]
fn time_limits_do_not_run_without_connections() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 1);
    limit(&mut table, conns[0], 20);
    for conn in &conns {
        table.disconnect(*conn);
    }
    table.wait(seconds(60));
    let rev = table.room.rev();
    let ann = table.join("Ann");
    assert_eq!(table.room.rev(), rev);
    let game = table.received(ann, "game").pop().unwrap();
    assert_eq!(game["legal"].as_array().unwrap().len(), 15);
    assert_eq!(game["deadline"], json!(table.now.0 + 20_000));
}

#[test]
fn a_new_time_limit_counts_from_its_setting() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 1);
    table.wait(seconds(60));
    let rev = table.room.rev();
    limit(&mut table, conns[0], 30);
    assert_eq!(table.room.rev(), rev + 1);
    let game = table.received(conns[0], "game").pop().unwrap();
    assert_eq!(game["deadline"], json!(table.now.0 + 30_000));
}

#[test]
fn the_chair_of_an_absent_person_is_taken_last() {
    let mut table = TestRoom::<Sticheln>::new(4, 1);
    table.join_and_sit("Ann");
    let bob = table.join_and_sit("Bob");
    table.disconnect(bob);
    let dora = table.join("Dora");
    table.wait(seconds(121));
    let sit = json!({"type": "sit", "name": "Dora", "seat": 1});
    assert_eq!(table.send_command(dora, sit), "seat_taken");
    grant(&mut table, dora, json!({"type": "sit", "name": "Dora"}));
    assert_eq!(room(&mut table, dora)["you"]["seat"], json!(2));
}

/// A spectator with two connections sits down on one of them: that one stays.
#[test]
fn sitting_down_keeps_one_connection() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let [one, two] = ["Ann", "Ann"].map(|person| table.join(person));
    grant(&mut table, one, json!({"type": "sit", "name": "Ann"}));
    assert_eq!(table.closed, [(two, Eviction::TakenUpElsewhere)]);
    table.join_and_sit("Bob");
    table.join_and_sit("Cem");
    grant(&mut table, one, json!({"type": "start"}));
    assert_eq!(table.take_view(one).unwrap().legal.len(), 15);
    assert_eq!(table.received(two, "game"), [] as [Value; 0]);
    assert_eq!(table.closed.len(), 1);
}

/// A person who was ready before the restart does not begin a rematch alone before the others are back.
#[test]
fn a_rematch_waits_for_all_after_a_restart() {
    let (mut table, conns) = over();
    ready(&mut table, conns[0]);
    assert_eq!(table.room.phase(), Phase::Over);
    table.restart();
    table.join("Ann");
    assert_eq!(table.room.phase(), Phase::Over);
    table.wait(seconds(4));
    let bob = table.join("Bob");
    table.wait(seconds(100));
    assert_eq!(table.room.phase(), Phase::Over);
    ready(&mut table, bob);
    assert_eq!(table.room.phase(), Phase::Playing);
}

#[test]
fn a_rematch_waits_for_a_lost_connection() {
    let (mut table, conns) = over();
    ready(&mut table, conns[0]);
    ready(&mut table, conns[1]);
    table.disconnect(conns[2]);
    assert_eq!(table.room.phase(), Phase::Over);
    table.wait(seconds(4));
    assert_eq!(table.room.phase(), Phase::Over);
    table.wait(seconds(1));
    assert_eq!(table.room.phase(), Phase::Playing);
}

/// After a restart with a clock that is behind the log, bots do not wait until it has caught up.
#[test]
fn bots_go_on_with_an_earlier_clock() {
    let (mut table, ann) = ann_and_bots();
    table.wait(seconds(500));
    grant(&mut table, ann, json!({"type": "start"}));
    table.restart_at(Timestamp(table.now.0 - 400_000));
    table.join("Ann");
    let rev = table.room.rev();
    table.wait(seconds(60));
    assert!(table.room.rev() > rev);
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

/// The game is over.
#[test]
fn a_newcomer_can_sit_down_after_all_have_left() {
    let (mut table, conns) = over();
    for conn in conns {
        table.disconnect(conn);
    }
    let zoe = table.join("Zoe");
    table.wait(seconds(120));
    grant(&mut table, zoe, json!({"type": "sit", "name": "Zoe"}));
    assert_eq!(room(&mut table, zoe)["table"]["host"], json!(0));
}

/// A person who stands up and takes another chair is sent no second hand in the round. On their own chair they are sent
/// their hand again.
#[test]
fn taking_another_chair_shows_no_second_hand_in_the_round() {
    let (mut table, ann) = ann_and_bots();
    grant(&mut table, ann, json!({"type": "start"}));
    let hand = table.take_view(ann).unwrap().view["own"].clone();
    grant(&mut table, ann, json!({"type": "stand"}));
    let sit = |seat| json!({"type": "sit", "name": "Ann", "seat": seat});
    for other in [1, 2] {
        grant(&mut table, ann, sit(other));
        assert!(table.take_view(ann).unwrap().view["own"].is_null());
        grant(&mut table, ann, json!({"type": "stand"}));
    }
    grant(&mut table, ann, sit(0));
    assert_eq!(table.take_view(ann).unwrap().view["own"], hand);
}

#[test]
fn many_connections_of_a_spectator_count_once() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    for _ in 0..16 {
        table.join("Eve");
    }
    assert_eq!(table.try_to_join("Ann").1, "ok");
}

/// They are kept also after a restart.
#[test]
fn the_last_64_granted_ids_are_kept() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join("Ann");
    let sit = json!({"type": "sit", "name": "Ann"});
    assert_eq!(table.send_command_as(ann, "first", sit), "ok");
    for turn in 0..63 {
        grant(
            &mut table,
            ann,
            json!({"type": "ready", "ready": turn % 2 == 0}),
        );
    }
    table.restart();
    let ann = table.join("Ann");
    let rename = json!({"type": "rename", "name": "Anna"});
    assert_eq!(table.send_command_as(ann, "first", rename.clone()), "ok");
    assert_eq!(room(&mut table, ann)["table"]["chairs"][0]["name"], "Ann");
    grant(&mut table, ann, json!({"type": "ready", "ready": false}));
    assert_eq!(table.send_command_as(ann, "first", rename), "ok");
    assert_eq!(room(&mut table, ann)["table"]["chairs"][0]["name"], "Anna");
}

/// A person for whom a bot stood in plays the next game themselves.
#[test]
fn standing_in_ends_with_the_game() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 5);
    table.disconnect(conns[1]);
    table.wait(seconds(31));
    grant(&mut table, conns[0], json!({"type": "stand_in", "seat": 1}));
    grant(&mut table, conns[0], json!({"type": "end"}));
    table.join("Bob");
    grant(&mut table, conns[0], json!({"type": "start"}));
    table.wait(seconds(2));
    let view = table.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["picked"], json!([false, false, false]));
}

/// It is granted.
#[test]
fn a_command_without_a_change_makes_no_entry() {
    let (mut table, conns) = TestRoom::with_started_game(&THREE, 5);
    let rev = table.room.rev();
    for message in [
        json!({"type": "configure"}),
        json!({"type": "configure", "title": null}),
        json!({"type": "rename", "name": "Ann"}),
        json!({"type": "ready", "ready": false}),
        json!({"type": "give_host", "seat": 0}),
    ] {
        grant(&mut table, conns[0], message);
    }
    assert_eq!(table.room.rev(), rev);
}

#[test]
fn a_list_is_not_read_as_an_object() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 1);
    let pick = table.inbox[&conns[0]].last().unwrap()["legal"][0]["card"].clone();
    let act = json!({"type": "act", "action": ["pick", pick]});
    assert_eq!(table.send_command(conns[0], act), "malformed");
    assert_eq!(table.send_command(conns[0], json!({"type": "end"})), "ok");
    for options in [
        json!(["nsv", null, null, true, "off", true]),
        json!({"end": ["rounds", 3]}),
    ] {
        let configure = json!({"type": "configure", "options": options});
        assert_eq!(table.send_command(conns[0], configure), "bad_options");
    }
    let configure =
        json!({"type": "configure", "options": {"end": {"type": "rounds", "rounds": 3}}});
    assert_eq!(table.send_command(conns[0], configure), "ok");
}

#[test]
fn a_bot_can_stand_in_for_a_silent_person() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    for conn in &conns[..2] {
        let game = table.inbox[conn]
            .iter()
            .rfind(|message| message["type"] == "game");
        let action = game.unwrap()["legal"][0].clone();
        grant(&mut table, *conn, json!({"type": "act", "action": action}));
    }
    let stand_in = json!({"type": "stand_in", "seat": 2});
    table.wait(seconds(179));
    assert_eq!(table.send_command(conns[0], stand_in.clone()), "not_away");
    table.wait(seconds(1));
    assert_eq!(table.send_command(conns[0], stand_in), "ok");
    table.wait(seconds(2));
    let view = table.take_view(conns[0]).unwrap().view;
    assert_eq!(view["table"]["phase"], "trick");
    grant(&mut table, conns[2], json!({"type": "back"}));
}

/// A few lines may follow quickly. More are refused until time has passed.
#[test]
fn the_rate_of_talk_is_bounded() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 5);
    let line = json!({"type": "chat", "text": "hello"});
    for _ in 0..5 {
        assert_eq!(table.send_command(conns[0], line.clone()), "ok");
    }
    assert_eq!(table.send_command(conns[0], line.clone()), "too_soon");
    assert_eq!(
        table.send_command(conns[0], json!({"type": "react", "reaction": "laugh"})),
        "too_soon"
    );
    assert_eq!(table.send_command(conns[1], line.clone()), "ok");
    table.wait(seconds(1));
    assert_eq!(table.send_command(conns[0], line.clone()), "ok");
    assert_eq!(table.send_command(conns[0], line), "too_soon");
}

#[test]
fn the_opening_seat_is_reset_with_its_chair() {
    let mut table = TestRoom::<Sticheln>::new(4, 1);
    let ann = table.join_and_sit("Ann");
    grant(
        &mut table,
        ann,
        json!({"type": "configure", "opening_seat": 3}),
    );
    grant(&mut table, ann, json!({"type": "configure", "seats": 3}));
    let room = table.received(ann, "room").pop().unwrap();
    assert_eq!(room["table"]["opening_seat"], json!(null));
}

/// Between two snapshots the log is bounded. A full log does not stop a game, and the next deal makes space again.
#[test]
fn the_log_is_bounded() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 9);
    let (ann, bob) = (conns[0], conns[1]);
    let deal = table.snapshots.last().unwrap().rev();
    table.room.set_limits(RoomLimits {
        entries: table.room.rev() - deal + 10,
        ..RoomLimits::default()
    });
    let toggle = |table: &mut TestRoom, ready: bool| {
        table.send_command(bob, json!({"type": "ready", "ready": ready}))
    };
    for number in 0..10 {
        assert_eq!(toggle(&mut table, number % 2 == 0), "ok");
    }
    let full = table.room.rev();
    for _ in 0..100 {
        assert_eq!(toggle(&mut table, true), "log_full");
    }
    for message in [
        json!({"type": "configure", "title": "Friday"}),
        json!({"type": "give_host", "seat": 1}),
        json!({"type": "pause"}),
    ] {
        assert_eq!(table.send_command(ann, message), "log_full");
    }
    assert_eq!(table.room.rev(), full);
    // A refused command changes nothing.
    assert_eq!(table.send_command(ann, json!({"type": "ping"})), "ok");
    assert_eq!(
        table.send_command(ann, json!({"type": "chat", "text": "Full?"})),
        "ok"
    );

    let play_until = |table: &mut TestRoom, is_over: &dyn Fn(&TestRoom) -> bool| {
        while !is_over(table) {
            table.everybody_acts(&conns);
            table.wait(seconds(30));
            table.keep_newest(&["game"]);
        }
    };
    play_until(&mut table, &|table| table.snapshots.len() > 1);
    assert_eq!(toggle(&mut table, true), "ok");
    assert_eq!(toggle(&mut table, false), "ok");
    play_until(&mut table, &|table| table.room.phase() == Phase::Over);
    let deals = table.snapshots.len();
    for number in 0..100 {
        toggle(&mut table, number % 2 == 0);
    }
    assert_eq!(toggle(&mut table, true), "log_full");
    assert_eq!(table.send_command(ann, json!({"type": "rematch"})), "ok");
    assert_eq!(table.snapshots.len(), deals + 1);
    assert_eq!(toggle(&mut table, true), "ok");
}

/// People can use a lobby for years: its log is bounded by snapshots.
#[test]
fn the_log_of_a_lobby_does_not_get_full() {
    let mut table = TestRoom::<Sticheln>::new(3, 9);
    let ann = table.join_and_sit("Ann");
    table.room.set_limits(RoomLimits {
        entries: 10,
        ..RoomLimits::default()
    });
    for number in 0..1_000 {
        let ready = json!({"type": "ready", "ready": number % 2 == 0});
        assert_eq!(table.send_command(ann, ready), "ok");
    }
    let revs: Vec<_> = table.snapshots.iter().map(Snapshot::rev).collect();
    assert_eq!(revs, [200, 400, 600, 800, 1_000]);
    let last = table.snapshots.pop().unwrap();
    let entries = &table.log[1_001..];
    let woken = Room::wake("k7qm2x4p", table.now, Some(last), entries, entropy(9)).unwrap();
    assert!(woken == table.room);
}
