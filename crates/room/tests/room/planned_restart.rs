//! A planned restart of the server, and the notices of its operator.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::{ConnId, Input, Notice, Phase, Refusal, RoomSettings};
use sticheln_rules::Sticheln;

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

const FOUR: [&str; 4] = ["Ann", "Bob", "Cem", "Dora"];
const MINUTE: Duration = Duration::from_secs(60);

/// Plans a restart in ten minutes. Returns its time.
fn plan(room: &mut TestRoom) -> Value {
    let at = room.now.after(10 * MINUTE);
    room.handle(Input::PlanRestart(Some(at)));
    json!(at)
}

/// The newest `table` and the newest deadline that a connection was sent.
fn newest(room: &mut TestRoom, conn: ConnId) -> (Value, Value) {
    let table = room.received(conn, "room").pop().unwrap()["table"].clone();
    let game = room.received(conn, "game").pop().unwrap_or_default();
    (table, game["deadline"].clone())
}

/// Plays until nobody can act.
fn play_round(room: &mut TestRoom, conns: &[ConnId]) {
    while room.everybody_acts(conns) {}
}

fn all_are_ready(room: &mut TestRoom, conns: &[ConnId]) {
    for conn in conns {
        room.grant(*conn, json!({"type": "ready", "ready": true}));
    }
}

/// Everybody is told, and so are people who come later.
#[test]
fn everybody_sees_the_time_of_a_planned_restart() {
    let mut room = TestRoom::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let rev = room.inner.entry_number();
    room.inbox.clear();
    let at = plan(&mut room);
    assert_eq!(newest(&mut room, ann).0["restart_at"], at);
    let eve = room.join("Eve");
    assert_eq!(newest(&mut room, eve).0["restart_at"], at);
    room.inbox.clear();
    room.handle(Input::PlanRestart(None));
    assert_eq!(newest(&mut room, eve).0.get("restart_at"), None);
    assert_eq!(
        room.inner.entry_number(),
        rev,
        "the room log has nothing of it"
    );
}

#[test]
fn no_game_begins_before_a_planned_restart() {
    let mut room = TestRoom::new(3, 1);
    let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
    plan(&mut room);
    let start = json!({"type": "start"});
    assert_eq!(
        room.send_command(conns[0], start.clone()),
        "restart_planned"
    );
    assert_eq!(room.inner.phase(), Phase::Lobby);
    room.handle(Input::PlanRestart(None));
    room.grant(conns[0], start);
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// All wait for the restart: the host keeps the role, and nobody is idle.
#[test]
fn nobody_is_waited_for_before_a_planned_restart() {
    let mut room = TestRoom::new(3, 1);
    let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
    plan(&mut room);
    all_are_ready(&mut room, &conns);
    room.wait(5 * MINUTE);
    room.keep_newest(&["room"]);
    assert_eq!(newest(&mut room, conns[1]).0["host"], json!(0));

    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 1);
    plan(&mut room);
    play_round(&mut room, &conns);
    all_are_ready(&mut room, &conns[..3]);
    room.wait(2 * MINUTE);
    room.keep_newest(&["room"]);
    let chair = newest(&mut room, conns[0]).0["chairs"][3].clone();
    assert_eq!(chair.get("idle"), None);
}

/// The round goes on to its end, and no other is dealt, neither by the clock nor when all are ready.
#[test]
fn no_round_is_dealt_before_a_planned_restart() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 5);
    plan(&mut room);
    assert!(room.inner.delays_restart());
    play_round(&mut room, &conns);
    assert!(!room.inner.delays_restart(), "the round is over");
    let (_, deadline) = newest(&mut room, conns[0]);
    assert_eq!(deadline, Value::Null, "no deal is due");
    let rev = room.inner.entry_number();
    room.wait(5 * MINUTE);
    assert_eq!(room.inner.entry_number(), rev);
    all_are_ready(&mut room, &conns);
    room.wait(MINUTE);
    assert_eq!(room.inner.entry_number(), rev + conns.len() as u64);
    assert!(!room.inner.delays_restart());

    // After the restart the game goes on by itself.
    room.restart();
    let conns: Vec<_> = FOUR.into_iter().map(|person| room.join(person)).collect();
    room.wait(MINUTE);
    assert!(room.inner.delays_restart(), "a round is played");
    assert!(room.everybody_acts(&conns));
}

/// The time since the end of the round counts, so the deal that was held back comes at once.
#[test]
fn a_round_is_dealt_when_a_planned_restart_is_called_off() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 5);
    plan(&mut room);
    play_round(&mut room, &conns);
    room.wait(MINUTE);
    room.handle(Input::PlanRestart(None));
    assert!(room.inner.delays_restart());
    assert!(room.everybody_acts(&conns));
}

#[test]
fn no_rematch_begins_before_a_planned_restart() {
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let settings = RoomSettings {
        options: RoomSettings::<Sticheln>::read_options(&options).unwrap(),
        ..RoomSettings::default()
    };
    let mut room = TestRoom::with(3, 1, settings, seeded_entropy(1));
    let conns = ["Ann", "Bob", "Cem"].map(|person| room.join_and_sit(person));
    room.grant(conns[0], json!({"type": "start"}));
    play_round(&mut room, &conns);
    assert_eq!(room.inner.phase(), Phase::Over);
    plan(&mut room);
    let rematch = json!({"type": "rematch"});
    assert_eq!(room.send_command(conns[0], rematch), "restart_planned");
    all_are_ready(&mut room, &conns);
    room.wait(MINUTE);
    assert_eq!(room.inner.phase(), Phase::Over);
    room.handle(Input::PlanRestart(None));
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// A paused round goes on after the pause. Nobody goes on with an abandoned one.
#[test]
fn a_paused_round_delays_a_restart_and_an_abandoned_one_does_not() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&FOUR, 5);
    assert!(room.inner.delays_restart());
    room.grant(conns[0], json!({"type": "pause"}));
    assert!(room.inner.delays_restart());
    for conn in conns {
        room.disconnect(conn);
    }
    assert!(!room.inner.delays_restart());
}

#[test]
fn a_notice_reaches_everybody_who_is_admitted_and_people_who_come_later() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let eve = room.join("Eve");
    let stranger = room.connect("Stranger");
    let notice = Notice::new(" The server moves at nine. ").unwrap();
    room.handle(Input::Notice(notice));
    let expected = json!({"type": "notice", "at": room.now, "text": "The server moves at nine."});
    for conn in [ann, eve] {
        assert_eq!(
            room.received(conn, "notice"),
            std::slice::from_ref(&expected)
        );
    }
    assert!(room.received(stranger, "notice").is_empty());
    let bob = room.join("Bob");
    assert_eq!(room.received(bob, "notice"), [expected]);
}

#[test]
fn a_notice_has_the_bounds_of_a_line_of_chat() {
    assert_eq!(Notice::new(&"x".repeat(200)).unwrap().text().len(), 200);
    for text in ["", " \u{200b} ", &"x".repeat(201)] {
        assert_eq!(Notice::new(text), Err(Refusal::BadText), "{text:?}");
    }
}
