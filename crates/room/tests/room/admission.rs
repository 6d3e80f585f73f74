//! Rooms with a password.

use serde_json::{Value, json};
use sticheln_room::{ConnId, Input, Password, Phase, Refusal, Settings, Verdict};
use sticheln_rules::Sticheln;

use crate::clients::{TestRoom, Work, default_settings, entropy, password_hash, token};

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// A room with the password `sesame`.
fn locked() -> TestRoom {
    let password_hash = Some(password_hash("sesame"));
    let settings = Settings {
        password_hash,
        ..default_settings()
    };
    TestRoom::with(3, 1, settings, entropy(1))
}

/// The same, where everybody gives the password.
fn known() -> TestRoom {
    let mut table = locked();
    table.password = Some("sesame");
    table
}

fn hello(person: &str, password: Value) -> Value {
    json!({"type": "hello", "token": token(person), "password": password})
}

fn set(password: Value) -> Value {
    json!({"type": "configure", "password": password})
}

/// Whether the newest `room` message says that the room has a password.
fn is_locked(table: &mut TestRoom, conn: ConnId) -> Value {
    table.received(conn, "room").pop().unwrap()["table"]["locked"].clone()
}

/// Nobody is admitted or sent anything without the password. With it they are sent everything in order.
#[test]
fn a_room_with_a_password_admits_only_with_the_password() {
    let mut table = locked();
    let ann = table.connect("Ann");
    for (password, code) in [
        (Value::Null, "password_needed"),
        (json!("mustard"), "wrong_password"),
        (json!(""), "bad_password"),
        (json!("x".repeat(65)), "bad_password"),
        (json!(7), "malformed"),
    ] {
        assert_eq!(table.send_command(ann, hello("Ann", password)), code);
        assert_eq!(
            table.send_command(ann, json!({"type": "ping"})),
            "hello_first"
        );
    }
    assert_eq!(
        table.send_command(ann, json!({"type": "hello", "token": token("Ann")})),
        "password_needed"
    );
    assert!(!table.room.is_occupied());
    assert!(table.inbox[&ann].is_empty(), "{:?}", table.inbox[&ann]);

    table.send_without_work(ann, "in", hello("Ann", json!("sesame")));
    table.finish_work();
    let types: Vec<_> = table.inbox[&ann]
        .iter()
        .map(|message| message["type"].clone())
        .collect();
    assert_eq!(types, ["welcome", "ok", "room"]);
    assert_eq!(is_locked(&mut table, ann), json!(true));
}

#[test]
fn a_room_without_a_password_verifies_none() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.connect("Ann");
    assert_eq!(table.send_command(ann, hello("Ann", json!(""))), "ok");
    assert!(table.work.is_empty());
    assert_eq!(is_locked(&mut table, ann), json!(false));
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
    let mut table = locked();
    let ann = table.connect("Ann");
    table.send_without_work(ann, "a", hello("Ann", json!("mustard")));
    table.send_without_work(ann, "b", hello("Ann", json!("sesame")));
    table.send_without_work(ann, "a", hello("Ann", json!("mustard")));
    table.send_without_work(ann, "c", json!({"type": "ping"}));
    assert_eq!(table.answers(ann, "a"), [] as [&str; 0]);
    assert_eq!(table.answers(ann, "b"), ["busy"]);
    assert_eq!(table.answers(ann, "c"), ["hello_first"]);
    assert_eq!(table.work.len(), 1);
    table.finish_work();
    assert_eq!(table.answers(ann, "a"), ["wrong_password"]);
    assert_eq!(table.send_command(ann, hello("Ann", json!("sesame"))), "ok");
}

/// The next password may be verified again.
#[test]
fn a_password_that_is_not_tried_is_refused() {
    let mut table = locked();
    let ann = table.connect("Ann");
    table.send_without_work(ann, "a", hello("Ann", json!("sesame")));
    table.work.clear();
    table.handle(Input::PasswordVerified(ann, Verdict::NotTried));
    table.handle(Input::PasswordVerified(ann, Verdict::NotTried));
    assert_eq!(table.answers(ann, "a"), ["too_many_tries"]);
    assert_eq!(
        table.send_command(ann, json!({"type": "ping"})),
        "hello_first"
    );
    assert_eq!(table.send_command(ann, hello("Ann", json!("sesame"))), "ok");
    table.handle(Input::PasswordVerified(ann, Verdict::NotTried));
    assert!(
        table.inbox[&ann]
            .iter()
            .all(|told| told["type"] != "refused")
    );
}

/// A connection that is gone is forgotten.
#[test]
fn a_late_verdict_changes_nothing() {
    let mut table = locked();
    let ann = table.connect("Ann");
    table.send_without_work(ann, "a", hello("Ann", json!("sesame")));
    table.disconnect(ann);
    table.finish_work();
    assert!(!table.room.is_occupied());
    let bob = table.connect("Bob");
    for conn in [ann, bob] {
        table.handle(Input::PasswordVerified(conn, Verdict::Right));
        table.handle(Input::PasswordHashed(conn, Some(password_hash("mustard"))));
    }
    assert!(table.inbox.values().all(Vec::is_empty));

    // Neither does a result of the other kind of work.
    table.send_without_work(bob, "b", hello("Bob", json!("sesame")));
    table.handle(Input::PasswordHashed(bob, Some(password_hash("mustard"))));
    table.finish_work();
    assert_eq!(table.answers(bob, "b"), ["ok"]);
    assert_eq!(
        table.send_command(bob, json!({"type": "sit", "name": "Bob"})),
        "ok"
    );
    table.send_without_work(bob, "c", set(json!("mustard")));
    table.handle(Input::PasswordVerified(bob, Verdict::Wrong));
    table.finish_work();
    assert_eq!(table.answers(bob, "c"), ["ok"]);
    assert_eq!(table.log.len(), 4);
}

/// A person with a seat needs only the token, also after a restart. A spectator needs the password again after a
/// restart.
#[test]
fn an_admitted_person_needs_no_password_again() {
    let mut table = known();
    let ann = table.join_and_sit("Ann");
    let eve = table.join("Eve");
    table.password = None;
    for (conn, person) in [(ann, "Ann"), (eve, "Eve")] {
        table.disconnect(conn);
        assert_eq!(table.try_to_join(person).1, "ok");
    }
    table.restart();
    assert_eq!(table.try_to_join("Ann").1, "ok");
    assert_eq!(table.try_to_join("Eve").1, "password_needed");
}

#[test]
fn the_last_64_admitted_owners_are_remembered() {
    let mut table = known();
    for person in 0..65 {
        let conn = table.connect("somebody");
        let hello = hello(&format!("P{person}"), json!("sesame"));
        assert_eq!(table.send_command(conn, hello), "ok");
        table.disconnect(conn);
    }
    for (person, answer) in [("P0", "password_needed"), ("P1", "ok"), ("P64", "ok")] {
        let conn = table.connect("somebody");
        assert_eq!(table.send_command(conn, hello(person, Value::Null)), answer);
        table.disconnect(conn);
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
        let mut table = known();
        let ann = table.join_and_sit("Ann");
        let eve = table.connect("Eve");
        table.send_without_work(eve, "in", hello("Eve", json!("sesame")));
        assert_eq!(table.send_command(ann, change.clone()), "ok");
        table.finish_work();
        assert_eq!(table.answers(eve, "in"), [answer], "{change}");
    }

    // A wrong password, after the password was removed.
    let mut table = known();
    let ann = table.join_and_sit("Ann");
    let eve = table.connect("Eve");
    table.send_without_work(eve, "in", hello("Eve", json!("mustard")));
    table.work.clear();
    assert_eq!(table.send_command(ann, set(Value::Null)), "ok");
    table.handle(Input::PasswordVerified(eve, Verdict::Wrong));
    assert_eq!(table.answers(eve, "in"), ["ok"]);

    let mut table = known();
    let waiting: Vec<ConnId> = (0..17)
        .map(|person| {
            let conn = table.connect("somebody");
            table.send_without_work(conn, "in", hello(&format!("P{person}"), json!("sesame")));
            conn
        })
        .collect();
    table.finish_work();
    let (last, first) = waiting.split_last().unwrap();
    for conn in first {
        assert_eq!(table.answers(*conn, "in"), ["ok"]);
    }
    assert_eq!(table.answers(*last, "in"), ["room_full"]);
    // A password is not verified if there is no space.
    assert_eq!(table.try_to_join("Quinn").1, "room_full");
    assert!(table.work.is_empty());
}

/// The host sets and removes the password in the lobby. People who are connected stay; others need the new password.
#[test]
fn the_host_sets_the_password() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join_and_sit("Ann");
    let bob = table.join("Bob");
    let eve = table.join("Eve");
    table.disconnect(eve);
    assert_eq!(table.send_command(bob, set(json!("sesame"))), "not_host");
    assert_eq!(table.send_command(ann, set(json!(""))), "bad_password");
    assert_eq!(
        table.send_command(ann, set(json!("x".repeat(65)))),
        "bad_password"
    );
    assert_eq!(table.send_command(ann, set(json!(["x"]))), "malformed");
    assert_eq!(table.send_command(ann, set(json!("sesame"))), "ok");
    assert_eq!(is_locked(&mut table, bob), json!(true));
    assert_eq!(table.try_to_join("Eve").1, "password_needed");
    table.disconnect(bob);
    assert_eq!(table.try_to_join("Bob").1, "ok");

    table.restart();
    assert_eq!(table.try_to_join("Eve").1, "password_needed");
    let (ann, answer) = table.try_to_join("Ann");
    assert_eq!(answer, "ok");
    let rev = table.room.rev();
    assert_eq!(table.send_command(ann, set(Value::Null)), "ok");
    assert_eq!(table.send_command(ann, set(Value::Null)), "ok");
    assert_eq!(table.room.rev(), rev + 1, "what is so already is no news");
    assert_eq!(is_locked(&mut table, ann), json!(false));
    assert_eq!(table.try_to_join("Eve").1, "ok");
}

/// If the host has changed it, the old password is wrong.
#[test]
fn a_removed_person_needs_the_password() {
    let mut table = known();
    let ann = table.join_and_sit("Ann");
    table.join_and_sit("Bob");
    assert_eq!(
        table.send_command(ann, json!({"type": "remove", "seat": 1})),
        "ok"
    );
    table.password = None;
    assert_eq!(table.try_to_join("Bob").1, "password_needed");
    assert_eq!(table.send_command(ann, set(json!("mustard"))), "ok");
    table.password = Some("sesame");
    assert_eq!(table.try_to_join("Bob").1, "wrong_password");
}

#[test]
fn the_password_stays_during_a_game() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, 1);
    assert_eq!(
        table.send_command(conns[0], set(json!("sesame"))),
        "game_runs"
    );
    assert_eq!(table.send_command(conns[0], set(Value::Null)), "game_runs");
    assert!(table.work.is_empty());
}

/// Other commands of the host are executed meanwhile.
#[test]
fn one_password_of_a_connection_is_hashed_at_a_time() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join_and_sit("Ann");
    let both = json!({"type": "configure", "password": "sesame", "title": "Friday"});
    table.send_without_work(ann, "a", both.clone());
    table.send_without_work(ann, "b", set(json!("mustard")));
    table.send_without_work(ann, "c", set(Value::Null));
    table.send_without_work(ann, "a", both.clone());
    table.send_without_work(ann, "d", json!({"type": "configure", "listed": true}));
    assert_eq!(table.answers(ann, "a"), [] as [&str; 0]);
    assert_eq!(table.answers(ann, "b"), ["busy"]);
    assert_eq!(table.answers(ann, "c"), ["busy"]);
    assert_eq!(table.answers(ann, "d"), ["ok"]);
    let room = table.received(ann, "room").pop().unwrap();
    assert_eq!(
        (
            &room["table"]["locked"],
            &room["table"]["title"],
            &room["table"]["listed"]
        ),
        (&json!(false), &Value::Null, &json!(true))
    );
    assert_eq!(table.work.len(), 1);
    table.finish_work();
    assert_eq!(table.answers(ann, "a"), ["ok"]);
    let room = table.received(ann, "room").pop().unwrap();
    assert_eq!(
        (
            &room["table"]["locked"],
            &room["table"]["title"],
            &room["table"]["listed"]
        ),
        (&json!(true), &json!("Friday"), &json!(true))
    );

    // Sent again afterwards, it changes nothing.
    let rev = table.room.rev();
    assert_eq!(table.send_command_as(ann, "a", both), "ok");
    assert_eq!(table.room.rev(), rev);
}

/// Meanwhile a game has begun, or there is another host.
#[test]
fn a_hashed_password_is_set_if_the_host_may_do_so_then() {
    for (meanwhile, code) in [
        (json!({"type": "start"}), "game_runs"),
        (json!({"type": "give_host", "seat": 1}), "not_host"),
        (json!({"type": "stand"}), "not_host"),
    ] {
        let mut table = TestRoom::<Sticheln>::new(3, 1);
        let [ann, ..] = THREE.map(|person| table.join_and_sit(person));
        table.send_without_work(ann, "a", set(json!("sesame")));
        assert_eq!(table.send_command(ann, meanwhile), "ok");
        let rev = table.room.rev();
        table.finish_work();
        assert_eq!(table.answers(ann, "a"), [code]);
        assert_eq!(table.room.rev(), rev);
        assert!(!table.room.summary().public.locked);
        // The answer is kept like any other.
        assert_eq!(table.send_command_as(ann, "a", set(json!("sesame"))), code);
    }
}

#[test]
fn a_refused_message_makes_no_work() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join_and_sit("Ann");
    for (more, code) in [
        (json!({"seats": 7}), "wrong_seats"),
        (json!({"title": ""}), "name_empty"),
        (json!({"options": {"colour": "red"}}), "bad_options"),
        (json!({"opening_seat": 9}), "no_such_seat"),
        (json!({"colour": "red"}), "malformed"),
    ] {
        let mut message = set(json!("sesame"));
        let fields = message.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        table.send_without_work(ann, code, message);
        assert!(table.work.is_empty(), "{code}");
        assert_eq!(table.answers(ann, code), [code]);
    }
}

#[test]
fn a_password_sent_again_on_another_connection_is_set_once() {
    let mut table = TestRoom::<Sticheln>::new(3, 1);
    let ann = table.join_and_sit("Ann");
    table.send_without_work(ann, "a", set(json!("sesame")));
    let again = table.join("Ann");
    let rev = table.room.rev();
    table.send_without_work(again, "a", set(json!("sesame")));
    table.finish_work();
    assert_eq!(table.room.rev(), rev + 1);
    assert_eq!(table.answers(again, "a"), ["ok"]);
    assert_eq!(table.answers(ann, "a"), [] as [&str; 0]);
}

/// No message and no debug form contains a password. The log contains only the hash.
#[test]
fn a_password_stays_secret() {
    let mut table = known();
    let ann = table.join_and_sit("Ann");
    table.send_without_work(ann, "a", set(json!("mustard")));
    let Some(Work::Hash(_, password)) = table.work.first() else {
        panic!("it has to be hashed");
    };
    let printed = format!("{password:?} {:?}", password_hash("mustard"));
    assert_eq!(printed, "Password PasswordHash");
    table.finish_work();
    table.join("Ann");
    for told in table.inbox.values().flatten() {
        for secret in ["sesame", "mustard", "argon2"] {
            assert!(!told.to_string().contains(secret), "{told}");
        }
    }
    let settings = Settings::<Sticheln> {
        password_hash: Some(password_hash("mustard")),
        ..default_settings()
    };
    assert!(!format!("{settings:?}").contains("mustard"));
    assert!(!format!("{:?}", table.room.summary()).contains("mustard"));
    assert_eq!(table.room.phase(), Phase::Lobby);
}
