//! Rooms with a password.

use serde_json::{Value, json};
use sticheln_room::{ConnId, Input, Password, PasswordVerdict, Phase, Refusal, RoomSettings};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, Work, password_hash, token};
use crate::entropy::seeded_entropy;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// A room with the password `sesame`.
fn locked() -> TestRoom {
    let password_hash = Some(password_hash("sesame"));
    let settings = RoomSettings {
        password_hash,
        ..RoomSettings::default()
    };
    TestRoom::with(3, 1, settings, seeded_entropy(1))
}

/// The same, where everybody gives the password.
fn known() -> TestRoom {
    let mut room = locked();
    room.password = Some("sesame");
    room
}

fn hello(person: &str, password: Value) -> Value {
    json!({"type": "hello", "token": token(person), "password": password})
}

fn set(password: Value) -> Value {
    json!({"type": "configure", "password": password})
}

/// Whether the newest `room` message says that the room has a password.
fn is_locked(room: &mut TestRoom, conn: ConnId) -> Value {
    room.received(conn, "room").pop().unwrap()["table"]["locked"].clone()
}

/// Nobody is admitted or sent anything without the password. With it they are sent everything in order.
#[test]
fn a_room_with_a_password_admits_only_with_the_password() {
    let mut room = locked();
    let ann = room.connect("Ann");
    for (password, code) in [
        (Value::Null, "password_needed"),
        (json!("mustard"), "wrong_password"),
        (json!(""), "bad_password"),
        (json!("x".repeat(65)), "bad_password"),
        (json!(7), "malformed"),
    ] {
        assert_eq!(room.send_command(ann, hello("Ann", password)), code);
        assert_eq!(
            room.send_command(ann, json!({"type": "ping"})),
            "hello_first"
        );
    }
    assert_eq!(
        room.send_command(ann, json!({"type": "hello", "token": token("Ann")})),
        "password_needed"
    );
    assert!(!room.inner.is_occupied());
    assert!(room.inbox[&ann].is_empty(), "{:?}", room.inbox[&ann]);

    room.send_without_work(ann, "in", hello("Ann", json!("sesame")));
    room.finish_work();
    let types: Vec<_> = room.inbox[&ann]
        .iter()
        .map(|message| message["type"].clone())
        .collect();
    assert_eq!(types, ["welcome", "ok", "room"]);
    assert_eq!(is_locked(&mut room, ann), json!(true));
}

#[test]
fn a_room_without_a_password_verifies_none() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.connect("Ann");
    assert_eq!(room.send_command(ann, hello("Ann", json!(""))), "ok");
    assert!(room.work.is_empty());
    assert_eq!(is_locked(&mut room, ann), json!(false));
}

#[test]
fn a_password_has_1_to_64_characters() {
    for good in ["x", " ", &"\u{10348}".repeat(64), &"x".repeat(64)] {
        assert_eq!(Password::new(good).unwrap().as_str(), good);
    }
    for bad in ["", &"x".repeat(65), &"\u{10348}".repeat(65)] {
        assert_eq!(Password::new(bad).unwrap_err(), Refusal::BadPassword);
    }
    // The same characters, typed on different devices.
    let [one, other] = ["\u{e9}", "e\u{301}"].map(|text| Password::new(text).unwrap());
    assert_eq!(one.as_str(), other.as_str());
}

/// The connection has to wait for the verdict. The same message sent again is answered with the first.
#[test]
fn one_password_of_a_connection_is_verified_at_a_time() {
    let mut room = locked();
    let ann = room.connect("Ann");
    room.send_without_work(ann, "a", hello("Ann", json!("mustard")));
    room.send_without_work(ann, "b", hello("Ann", json!("sesame")));
    room.send_without_work(ann, "a", hello("Ann", json!("mustard")));
    room.send_without_work(ann, "c", json!({"type": "ping"}));
    assert_eq!(room.answers(ann, "a"), [] as [&str; 0]);
    assert_eq!(room.answers(ann, "b"), ["busy"]);
    assert_eq!(room.answers(ann, "c"), ["hello_first"]);
    assert_eq!(room.work.len(), 1);
    room.finish_work();
    assert_eq!(room.answers(ann, "a"), ["wrong_password"]);
    assert_eq!(room.send_command(ann, hello("Ann", json!("sesame"))), "ok");
}

/// The next password may be verified again.
#[test]
fn a_password_that_is_not_tried_is_refused() {
    let mut room = locked();
    let ann = room.connect("Ann");
    room.send_without_work(ann, "a", hello("Ann", json!("sesame")));
    room.work.clear();
    room.handle(Input::PasswordVerified(ann, PasswordVerdict::NotTried));
    room.handle(Input::PasswordVerified(ann, PasswordVerdict::NotTried));
    assert_eq!(room.answers(ann, "a"), ["too_many_attempts"]);
    assert_eq!(
        room.send_command(ann, json!({"type": "ping"})),
        "hello_first"
    );
    assert_eq!(room.send_command(ann, hello("Ann", json!("sesame"))), "ok");
    room.handle(Input::PasswordVerified(ann, PasswordVerdict::NotTried));
    assert!(
        room.inbox[&ann]
            .iter()
            .all(|message| message["type"] != "refused")
    );
}

/// A connection that is gone is forgotten.
#[test]
fn a_late_verdict_changes_nothing() {
    let mut room = locked();
    let ann = room.connect("Ann");
    room.send_without_work(ann, "a", hello("Ann", json!("sesame")));
    room.disconnect(ann);
    room.finish_work();
    assert!(!room.inner.is_occupied());
    let bob = room.connect("Bob");
    for conn in [ann, bob] {
        room.handle(Input::PasswordVerified(conn, PasswordVerdict::Right));
        room.handle(Input::PasswordHashed(conn, Ok(password_hash("mustard"))));
    }
    assert!(room.inbox.values().all(Vec::is_empty));

    // Neither does a result of the other kind of work.
    room.send_without_work(bob, "b", hello("Bob", json!("sesame")));
    room.handle(Input::PasswordHashed(bob, Ok(password_hash("mustard"))));
    room.finish_work();
    assert_eq!(room.answers(bob, "b"), ["ok"]);
    assert_eq!(
        room.send_command(bob, json!({"type": "sit", "name": "Bob"})),
        "ok"
    );
    room.send_without_work(bob, "c", set(json!("mustard")));
    room.handle(Input::PasswordVerified(bob, PasswordVerdict::Wrong));
    room.finish_work();
    assert_eq!(room.answers(bob, "c"), ["ok"]);
    assert_eq!(room.log.len(), 4);
}

/// A person with a seat needs only the token, also after a restart. A spectator needs the password again after a
/// restart.
#[test]
fn an_admitted_person_needs_no_password_again() {
    let mut room = known();
    let ann = room.join_and_sit("Ann");
    let eve = room.join("Eve");
    room.password = None;
    for (conn, person) in [(ann, "Ann"), (eve, "Eve")] {
        room.disconnect(conn);
        assert_eq!(room.try_to_join(person).1, "ok");
    }
    room.restart();
    assert_eq!(room.try_to_join("Ann").1, "ok");
    assert_eq!(room.try_to_join("Eve").1, "password_needed");
}

#[test]
fn the_last_64_admitted_owners_are_remembered() {
    let mut room = known();
    for person in 0..65 {
        let conn = room.connect("somebody");
        let hello = hello(&format!("P{person}"), json!("sesame"));
        assert_eq!(room.send_command(conn, hello), "ok");
        room.disconnect(conn);
    }
    for (person, answer) in [("P0", "password_needed"), ("P1", "ok"), ("P64", "ok")] {
        let conn = room.connect("somebody");
        assert_eq!(room.send_command(conn, hello(person, Value::Null)), answer);
        room.disconnect(conn);
    }
}

/// Seated people take places among those who are remembered.
#[test]
fn seated_people_count_as_admitted_owners() {
    for (visitors, answer) in [(60, "ok"), (61, "password_needed")] {
        let mut room = known();
        let eve = room.join("Eve");
        room.disconnect(eve);
        for person in THREE {
            room.join_and_sit(person);
        }
        for person in 0..visitors {
            let conn = room.connect("somebody");
            let hello = hello(&format!("P{person}"), json!("sesame"));
            assert_eq!(room.send_command(conn, hello), "ok");
            room.disconnect(conn);
        }
        room.password = None;
        assert_eq!(room.try_to_join("Eve").1, answer, "{visitors} visitors");
    }
}

/// Meanwhile the password was changed or removed, or the room is full.
#[test]
fn a_verdict_counts_in_the_present_state_of_the_room() {
    for (change, answer) in [
        (json!({"type": "configure", "title": "Friday"}), "ok"),
        (set(json!("mustard")), "wrong_password"),
        (set(Value::Null), "ok"),
    ] {
        let mut room = known();
        let ann = room.join_and_sit("Ann");
        let eve = room.connect("Eve");
        room.send_without_work(eve, "in", hello("Eve", json!("sesame")));
        assert_eq!(room.send_command(ann, change.clone()), "ok");
        room.finish_work();
        assert_eq!(room.answers(eve, "in"), [answer], "{change}");
    }

    // A wrong password, after the password was removed.
    let mut room = known();
    let ann = room.join_and_sit("Ann");
    let eve = room.connect("Eve");
    room.send_without_work(eve, "in", hello("Eve", json!("mustard")));
    room.work.clear();
    assert_eq!(room.send_command(ann, set(Value::Null)), "ok");
    room.handle(Input::PasswordVerified(eve, PasswordVerdict::Wrong));
    assert_eq!(room.answers(eve, "in"), ["ok"]);

    let mut room = known();
    let waiting: Vec<ConnId> = (0..17)
        .map(|person| {
            let conn = room.connect("somebody");
            room.send_without_work(conn, "in", hello(&format!("P{person}"), json!("sesame")));
            conn
        })
        .collect();
    room.finish_work();
    let (last, first) = waiting.split_last().unwrap();
    for conn in first {
        assert_eq!(room.answers(*conn, "in"), ["ok"]);
    }
    assert_eq!(room.answers(*last, "in"), ["too_many_spectators"]);
    // A password is not verified if there is no space.
    assert_eq!(room.try_to_join("Quinn").1, "too_many_spectators");
    assert!(room.work.is_empty());
}

/// The host sets and removes the password in the lobby. People who are connected stay; others need the new password.
#[test]
fn the_host_sets_the_password() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let bob = room.join("Bob");
    let eve = room.join("Eve");
    room.disconnect(eve);
    assert_eq!(room.send_command(bob, set(json!("sesame"))), "not_host");
    assert_eq!(room.send_command(ann, set(json!(""))), "bad_password");
    assert_eq!(
        room.send_command(ann, set(json!("x".repeat(65)))),
        "bad_password"
    );
    assert_eq!(room.send_command(ann, set(json!(["x"]))), "malformed");
    assert_eq!(room.send_command(ann, set(json!("sesame"))), "ok");
    assert_eq!(is_locked(&mut room, bob), json!(true));
    assert_eq!(room.try_to_join("Eve").1, "password_needed");
    room.disconnect(bob);
    assert_eq!(room.try_to_join("Bob").1, "ok");

    room.restart();
    assert_eq!(room.try_to_join("Eve").1, "password_needed");
    let (ann, answer) = room.try_to_join("Ann");
    assert_eq!(answer, "ok");
    let rev = room.inner.entry_number();
    assert_eq!(room.send_command(ann, set(Value::Null)), "ok");
    assert_eq!(room.send_command(ann, set(Value::Null)), "ok");
    assert_eq!(
        room.inner.entry_number(),
        rev + 1,
        "what is so already is no news"
    );
    assert_eq!(is_locked(&mut room, ann), json!(false));
    assert_eq!(room.try_to_join("Eve").1, "ok");
}

/// If the host has changed it, the old password is wrong.
#[test]
fn a_removed_person_needs_the_password() {
    let mut room = known();
    let ann = room.join_and_sit("Ann");
    room.join_and_sit("Bob");
    assert_eq!(
        room.send_command(ann, json!({"type": "remove", "seat": 1})),
        "ok"
    );
    let lift = json!({"type": "configure", "waiting_room": false});
    assert_eq!(room.send_command(ann, lift), "ok");
    room.password = None;
    assert_eq!(room.try_to_join("Bob").1, "password_needed");
    assert_eq!(room.send_command(ann, set(json!("mustard"))), "ok");
    room.password = Some("sesame");
    assert_eq!(room.try_to_join("Bob").1, "wrong_password");
}

#[test]
fn the_password_can_change_during_a_game_and_people_stay() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    let (ann, bob) = (conns[0], conns[1]);
    let eve = room.join("Eve");
    assert_eq!(room.send_command(bob, set(json!("sesame"))), "not_host");
    assert_eq!(room.send_command(ann, set(json!("sesame"))), "ok");
    assert_eq!(is_locked(&mut room, ann), true);
    assert!(room.closed.is_empty());
    // Seated people and spectators who were here come back without it, others do not come in.
    for (conn, person) in [(bob, "Bob"), (eve, "Eve")] {
        room.disconnect(conn);
        room.join(person);
    }
    assert_eq!(room.try_to_join("Fay").1, "password_needed");
    assert_eq!(room.send_command(ann, set(json!("mustard"))), "ok");
    room.password = Some("sesame");
    assert_eq!(room.try_to_join("Gus").1, "wrong_password");
    assert_eq!(room.send_command(ann, set(Value::Null)), "ok");
    assert_eq!(is_locked(&mut room, ann), false);
    room.password = None;
    room.join("Hal");
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// Other commands of the host are executed meanwhile.
#[test]
fn one_password_of_a_connection_is_hashed_at_a_time() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    let both = json!({"type": "configure", "password": "sesame", "title": "Friday"});
    room.send_without_work(ann, "a", both.clone());
    room.send_without_work(ann, "b", set(json!("mustard")));
    room.send_without_work(ann, "c", set(Value::Null));
    room.send_without_work(ann, "a", both.clone());
    room.send_without_work(ann, "d", json!({"type": "configure", "listed": true}));
    assert_eq!(room.answers(ann, "a"), [] as [&str; 0]);
    assert_eq!(room.answers(ann, "b"), ["busy"]);
    assert_eq!(room.answers(ann, "c"), ["busy"]);
    assert_eq!(room.answers(ann, "d"), ["ok"]);
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(
        (
            &message["table"]["locked"],
            &message["table"]["title"],
            &message["table"]["listed"]
        ),
        (&json!(false), &Value::Null, &json!(true))
    );
    assert_eq!(room.work.len(), 1);
    room.finish_work();
    assert_eq!(room.answers(ann, "a"), ["ok"]);
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(
        (
            &message["table"]["locked"],
            &message["table"]["title"],
            &message["table"]["listed"]
        ),
        (&json!(true), &json!("Friday"), &json!(true))
    );

    // Sent again afterwards, it changes nothing.
    let rev = room.inner.entry_number();
    assert_eq!(room.send_command_as(ann, "a", both), "ok");
    assert_eq!(room.inner.entry_number(), rev);
}

/// Meanwhile a game has begun, or there is another host.
#[test]
fn a_hashed_password_is_set_if_the_host_may_do_so_then() {
    for (meanwhile, code) in [
        (json!({"type": "start"}), "game_in_progress"),
        (json!({"type": "give_host", "seat": 1}), "not_host"),
        (json!({"type": "stand"}), "not_host"),
    ] {
        let mut room = TestRoom::<Sticheln>::new(3, 1);
        let [ann, ..] = THREE.map(|person| room.join_and_sit(person));
        let both = json!({"type": "configure", "password": "sesame", "seats": 3});
        room.send_without_work(ann, "a", both);
        assert_eq!(room.send_command(ann, meanwhile), "ok");
        let rev = room.inner.entry_number();
        room.finish_work();
        assert_eq!(room.answers(ann, "a"), [code]);
        assert_eq!(room.inner.entry_number(), rev);
        assert!(!room.inner.summary().public.locked);
        // The answer is kept like any other.
        assert_eq!(room.send_command_as(ann, "a", set(json!("sesame"))), code);
    }
}

#[test]
fn a_refused_message_makes_no_work() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    for (more, code) in [
        (json!({"seats": 7}), "wrong_seats"),
        (json!({"title": ""}), "name_empty"),
        (json!({"options": {"colour": "red"}}), "bad_options"),
        (json!({"opening_seat": 9}), "no_such_chair"),
        (json!({"colour": "red"}), "malformed"),
    ] {
        let mut message = set(json!("sesame"));
        let fields = message.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        room.send_without_work(ann, code, message);
        assert!(room.work.is_empty(), "{code}");
        assert_eq!(room.answers(ann, code), [code]);
    }
}

#[test]
fn a_password_sent_again_on_another_connection_is_set_once() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let ann = room.join_and_sit("Ann");
    room.send_without_work(ann, "a", set(json!("sesame")));
    let again = room.join("Ann");
    let rev = room.inner.entry_number();
    room.send_without_work(again, "a", set(json!("sesame")));
    room.finish_work();
    assert_eq!(room.inner.entry_number(), rev + 1);
    assert_eq!(room.answers(again, "a"), ["ok"]);
    assert_eq!(room.answers(ann, "a"), [] as [&str; 0]);
}

/// No message and no debug form contains a password. The log contains only the hash.
#[test]
fn a_password_stays_secret() {
    let mut room = known();
    let ann = room.join_and_sit("Ann");
    room.send_without_work(ann, "a", set(json!("mustard")));
    let Some(Work::Hash(_, password)) = room.work.first() else {
        panic!("it has to be hashed");
    };
    let printed = format!("{password:?} {:?}", password_hash("mustard"));
    assert_eq!(printed, "Password PasswordHash");
    room.finish_work();
    room.join("Ann");
    for message in room.inbox.values().flatten() {
        for secret in ["sesame", "mustard", "argon2"] {
            assert!(!message.to_string().contains(secret), "{message}");
        }
    }
    let settings = RoomSettings::<Sticheln> {
        password_hash: Some(password_hash("mustard")),
        ..RoomSettings::default()
    };
    assert!(!format!("{settings:?}").contains("mustard"));
    assert!(!format!("{:?}", room.inner.summary()).contains("mustard"));
    assert_eq!(room.inner.phase(), Phase::Lobby);
}
