//! The summary of a room, for people outside of it.

use std::time::Duration;

use serde_json::json;
use sticheln_protocol::ReplayAccess;
use sticheln_protocol::RoomSummary;
use sticheln_room::{Phase, RoomSettings, Summary};
use sticheln_rules::{Game, Nyet, Sticheln};

use crate::clients::{TestRoom, password_hash};
use crate::entropy::seeded_entropy;

/// This holds at every moment, also after a restart.
#[test]
fn a_summary_follows_the_state() {
    let mut room = TestRoom::<Sticheln>::new(4, 1);
    let mut expected = Summary {
        public: RoomSummary {
            room: "k7qm2x4p".to_owned(),
            game: Sticheln::ID,
            title: None,
            seats: 4,
            taken: 0,
            phase: Phase::Lobby,
            spectators: 0,
            locked: false,
            replays: ReplayAccess::Everybody,
        },
        listed: false,
        used: false,
    };
    assert_eq!(room.inner.summary(), expected);
    let ann = room.join("Ann");
    expected.public.spectators = 1;
    assert_eq!(room.inner.summary(), expected);
    assert_eq!(
        room.send_command(ann, json!({"type": "sit", "name": "Ann"})),
        "ok"
    );
    expected.public.spectators = 0;
    expected.public.taken = 1;
    expected.used = true;
    assert_eq!(room.inner.summary(), expected);
    let settings = json!({"type": "configure", "title": "Friday", "listed": true, "seats": 5,
                          "password": "sesame"});
    assert_eq!(room.send_command(ann, settings), "ok");
    expected.public.title = Some("Friday".to_owned());
    expected.listed = true;
    expected.public.seats = 5;
    expected.public.locked = true;
    expected.public.replays = ReplayAccess::Players;
    assert_eq!(room.inner.summary(), expected);
    for _ in 0..2 {
        let bot = json!({"type": "add_bot", "level": "beginner"});
        assert_eq!(room.send_command(ann, bot), "ok");
    }
    expected.public.taken = 3;
    assert_eq!(room.inner.summary(), expected);
    assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
    expected.public.seats = 3;
    expected.public.phase = Phase::Playing;
    assert_eq!(room.inner.summary(), expected);
    assert_eq!(room.send_command(ann, json!({"type": "pause"})), "ok");
    expected.public.phase = Phase::Paused;
    room.restart();
    assert_eq!(room.inner.summary(), expected);
}

/// It stays so when all have left. Bots do not count.
#[test]
fn a_room_was_used_if_a_person_has_sat_there() {
    let mut room = TestRoom::<Nyet>::new(2, 1);
    let ann = room.join_and_sit("Ann");
    assert_eq!(room.send_command(ann, json!({"type": "stand"})), "ok");
    room.disconnect(ann);
    room.restart();
    let summary = room.inner.summary();
    assert_eq!((summary.public.taken, summary.used), (0, true));
}

#[test]
fn a_summary_has_only_the_listed_fields_as_text() {
    let settings = RoomSettings {
        listed: true,
        password_hash: Some(password_hash("sesame")),
        ..RoomSettings::default()
    };
    let mut room = TestRoom::<Nyet>::with(4, 1, settings, seeded_entropy(1));
    room.password = Some("sesame");
    room.join("Ann");
    room.wait(Duration::from_secs(1));
    assert_eq!(
        json!(room.inner.summary().public),
        json!({"room": "k7qm2x4p", "game": "nyet", "title": null, "seats": 4, "taken": 0, "phase": "lobby",
               "spectators": 1, "locked": true, "replays": "players"})
    );
}
