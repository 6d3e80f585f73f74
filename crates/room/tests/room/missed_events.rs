//! A client that says which revision it has seen is sent the events since.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_protocol::Phase;
use sticheln_room::{ConnId, RoomSettings};
use sticheln_rules::sticheln::{History, Options};
use sticheln_rules::{End, Nyet, Sticheln, nyet};

use crate::clients::{TestRoom, password_hash};
use crate::deals::exchanging;
use crate::entropy::seeded_entropy;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The `hello` of a person who has seen this revision.
fn hello(room: &TestRoom<impl Player>, person: &str, rev: u64) -> Value {
    let mut hello = room.hello(person);
    hello["rev"] = json!(rev);
    hello
}

/// The first `game` for a person who has seen this revision and comes back. They leave again.
fn returned<G: Player>(room: &mut TestRoom<G>, rev: u64) -> Value {
    let conn = room.connect("Zoe");
    let hello = hello(room, "Zoe", rev);
    room.grant(conn, hello);
    let mut games = room.received(conn, "game");
    assert!(games.len() <= 1, "{games:?}");
    room.disconnect(conn);
    games.pop().unwrap_or_default()
}

fn has_gap(game: &Value) -> bool {
    let gap = game.get("gap");
    assert!(gap.is_none() || gap == Some(&json!(true)), "{game}");
    gap.is_some()
}

fn events(game: &Value) -> &[Value] {
    game["events"].as_array().unwrap()
}

/// The events of a game, each with the revision of its message, as somebody hears them who stays.
#[derive(Default)]
struct Heard(Vec<(u64, Value)>);

impl Heard {
    fn add<G: Player>(&mut self, room: &mut TestRoom<G>, conn: ConnId) {
        for game in room.received(conn, "game") {
            assert!(!has_gap(&game), "{game}");
            let rev = game["rev"].as_u64().unwrap();
            let heard = events(&game).iter().map(|event| (rev, event.clone()));
            self.0.extend(heard);
        }
    }

    fn after(&self, rev: u64) -> Vec<Value> {
        let later = self.0.iter().filter(|(of, _)| *of > rev);
        later.map(|(_, event)| event.clone()).collect()
    }
}

/// The first one who can act does so.
fn one_acts<G: Player>(room: &mut TestRoom<G>, conns: &[ConnId]) -> bool {
    conns.iter().any(|conn| room.everybody_acts(&[*conn]))
}

/// Somebody comes back after each move of a game with open tricks. They are sent the events that others have heard, also
/// after the room was read back.
fn check_game<G: Player>(options: &G::Options) {
    for seed in 0..2 {
        let (mut room, mut conns, mut eve) = TestRoom::<G>::with_spectator(options.clone(), seed);
        let begin = room.inner.entry_number();
        let mut heard = Heard::default();
        let mut checked = 0;
        for moves in 1.. {
            heard.add(&mut room, eve);
            let oldest = heard.0.len().saturating_sub(180);
            let known = heard.0[oldest].0;
            let now = room.inner.entry_number();
            for rev in [begin - 1, begin, now / 2, now - 1, now] {
                let game = returned(&mut room, rev);
                if oldest == 0 || rev >= known {
                    assert!(!has_gap(&game), "seed {seed}: {rev}");
                    assert_eq!(events(&game), heard.after(rev), "seed {seed}: {rev}");
                    checked += events(&game).len();
                }
            }
            room.keep_newest(&["game"]);
            if moves % 25 == 0 {
                room.restart();
                conns = THREE.map(|person| room.join(person));
                eve = room.join("Eve");
                // Who comes without a revision is sent no events.
                heard.add(&mut room, eve);
            }
            match room.inner.phase() {
                Phase::Over => break,
                _ if one_acts(&mut room, &conns) => {}
                _ => conns.iter().for_each(|conn| {
                    room.send_command(*conn, json!({"type": "ready", "ready": true}));
                }),
            }
        }
        assert!(checked > 2000, "only {checked} events");
    }
}

#[test]
fn events_since_a_revision_of_sticheln_are_those_that_others_have_heard() {
    check_game::<Sticheln>(&Options {
        end: End::rounds(2),
        show_history: History::All,
        ..Options::default()
    });
}

#[test]
fn a_client_without_a_revision_is_sent_no_events() {
    let (mut room, _, _) = TestRoom::<Sticheln>::with_spectator(Options::default(), 1);
    let eve = room.join("Eve");
    let game = room.received(eve, "game").pop().unwrap();
    assert_eq!((events(&game), has_gap(&game)), (&[][..], false));
}

/// The number of events of this type.
fn count(events: &[Value], kind: &str) -> usize {
    let of_kind = events.iter().filter(|event| event["type"] == kind);
    of_kind.count()
}

/// Of the finished tricks of a running round the events tell only those that the table shows.
#[test]
fn tricks_that_the_options_hide_are_not_told_again() {
    for (show_history, show_last_trick, shown) in [
        (History::Off, true, 0),
        (History::LastTrick, false, 0),
        (History::LastTrick, true, 1),
        (History::All, false, usize::MAX),
    ] {
        let options = Options {
            end: End::rounds(1),
            show_history,
            show_last_trick,
            ..Options::default()
        };
        let (mut room, conns, eve) = TestRoom::<Sticheln>::with_spectator(options, 3);
        let mut heard = Heard::default();
        let mut checked = 0;
        loop {
            let has_acted = one_acts(&mut room, &conns);
            heard.add(&mut room, eve);
            room.keep_newest(&["game"]);
            let game = returned(&mut room, 0);
            let table = &game["view"]["table"];
            if table["phase"] == "round_end" {
                assert_eq!(events(&game), heard.after(0), "the round is scored");
                assert!(!has_gap(&game));
                break;
            }
            assert!(has_acted);
            let finished = usize::try_from(table["tricks_played"].as_u64().unwrap()).unwrap();
            assert_eq!(has_gap(&game), finished > shown, "{show_history:?}");
            let text = table.to_string();
            for event in events(&game)
                .iter()
                .filter(|event| event["type"] == "played")
            {
                let card = event["card"].to_string();
                assert!(text.contains(&card), "{show_history:?}: {card}");
                checked += 1;
            }
            let told = count(events(&game), "trick_taken") + count(events(&game), "set_aside");
            assert_eq!(told, finished.min(shown), "{show_history:?}");
            assert_eq!(count(events(&game), "dealt"), 1);
        }
        assert!(checked > 30, "only {checked} cards");
    }
}

#[test]
fn the_last_trick_of_nyet_is_told_again() {
    let options = nyet::Options {
        end: End::rounds(1),
        ..nyet::Options::default()
    };
    let (mut room, conns, _) = TestRoom::<Nyet>::with_spectator(options, 3);
    while room.inner.phase() == Phase::Playing {
        assert!(one_acts(&mut room, &conns));
        room.keep_newest(&["game"]);
        let game = returned(&mut room, 0);
        let table = &game["view"]["table"];
        let won = table["tricks_won"].as_array().unwrap().iter();
        let finished: u64 = won.map(|count| count.as_u64().unwrap()).sum();
        if table["phase"] != "round_end" {
            let told = count(events(&game), "trick_taken") as u64;
            assert_eq!(told, finished.min(1));
            assert_eq!(has_gap(&game), finished > 1);
        }
    }
}

/// The room was replaced by an older state of itself.
#[test]
fn a_later_revision_is_a_gap() {
    let (mut room, _, _) = TestRoom::<Sticheln>::with_spectator(Options::default(), 1);
    let rev = room.inner.entry_number();
    let game = returned(&mut room, rev + 1);
    assert_eq!((events(&game), has_gap(&game)), (&[][..], true));
    assert!(!has_gap(&returned(&mut room, rev)));
    assert!(has_gap(&returned(&mut room, u64::MAX)));
}

#[test]
fn events_of_an_earlier_game_are_a_gap_unless_they_were_seen() {
    let options = Options {
        end: End::rounds(1),
        ..Options::default()
    };
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(options, 1);
    while one_acts(&mut room, &conns) {
        room.keep_newest(&["game"]);
    }
    assert_eq!(room.inner.phase(), Phase::Over);
    let end = room.inner.entry_number();
    assert!(!has_gap(&returned(&mut room, 0)));
    room.grant(conns[0], json!({"type": "rematch"}));
    for (rev, is_gap) in [(end, false), (end - 1, true)] {
        let game = returned(&mut room, rev);
        assert_eq!(count(events(&game), "dealt"), 1);
        assert_eq!((events(&game).len(), has_gap(&game)), (1, is_gap));
    }
    room.grant(conns[0], json!({"type": "end"}));
    assert_eq!(returned(&mut room, end), Value::Null, "no game");
    room.grant(conns[0], json!({"type": "start"}));
    assert!(has_gap(&returned(&mut room, end)), "a deal was missed");
}

/// The answer to `hello` waits for a password and for the host. Both wait with the revision.
#[test]
fn the_events_are_those_until_the_client_is_admitted() {
    let settings = RoomSettings::<Sticheln> {
        password_hash: Some(password_hash("sesame")),
        waiting_room: true,
        ..Default::default()
    };
    let mut room = TestRoom::with(3, 1, settings, seeded_entropy(1));
    room.password = Some("sesame");
    let ann = room.join_and_sit("Ann");
    for _ in 0..2 {
        room.grant(ann, json!({"type": "add_bot", "level": "beginner"}));
    }
    room.grant(ann, json!({"type": "start"}));
    let rev = room.inner.entry_number();
    let zoe = room.connect("Zoe");
    let mut message = hello(&room, "Zoe", rev);
    message["name"] = json!("Zoe");
    room.send_without_work(zoe, "z", message);
    assert!(room.everybody_acts(&[ann]));
    room.finish_work();
    assert_eq!(room.received(zoe, "waiting").len(), 1);
    room.wait(Duration::from_secs(10));
    let guest = room.received(ann, "room").pop().unwrap()["guests"][0]["guest"].clone();
    room.grant(ann, json!({"type": "admit", "guest": guest, "admit": true}));
    let game = room.received(zoe, "game").pop().unwrap();
    assert_eq!(count(events(&game), "picked"), 3, "{game}");
    assert_eq!(count(events(&game), "dealt"), 0, "{game}");
    // What follows is told once.
    room.everybody_acts(&[ann]);
    room.wait(Duration::from_secs(10));
    let later = room.received(zoe, "game");
    assert!(later.iter().all(|game| count(events(game), "picked") == 0));
}

/// The twins have the same deal, apart from the exchanged hands of Bob and Cem. Bob has replaced his pick.
#[test]
fn events_since_a_revision_contain_no_hidden_card() {
    for seed in 0..8 {
        let play = |mut room: TestRoom| -> Vec<Value> {
            let conns = THREE.map(|person| room.join_and_sit(person));
            room.grant(conns[0], json!({"type": "start"}));
            assert!(room.everybody_acts(&[conns[1]]));
            let other = room.changes(conns[1]).remove(0);
            room.grant(conns[1], json!({"type": "act", "action": other}));
            let revs = 0..=room.inner.entry_number();
            let messages: Vec<_> = revs.map(|rev| returned(&mut room, rev)).collect();
            assert_eq!(events(&messages[0]).len(), 2);
            messages
        };
        let one = play(TestRoom::new(3, seed));
        let twin = TestRoom::with(3, seed, RoomSettings::default(), exchanging(seed));
        assert_eq!(one, play(twin), "seed {seed}");
    }
}

/// A bot has picked for Bob, who is away.
#[test]
fn the_actor_of_a_move_is_told_again_after_the_room_was_read_back() {
    let (mut room, conns, eve) = TestRoom::<Sticheln>::with_spectator(Options::default(), 1);
    room.disconnect(conns[1]);
    room.wait(Duration::from_secs(30));
    room.grant(conns[0], json!({"type": "stand_in", "seat": 1}));
    room.wait(Duration::from_secs(2));
    let mut heard = Heard::default();
    heard.add(&mut room, eve);
    let all = heard.after(0);
    assert_eq!(count(&all, "acted_for"), 1, "{all:?}");
    assert_eq!(events(&returned(&mut room, 0)), all);
    room.restart();
    let game = returned(&mut room, 0);
    assert_eq!((events(&game), has_gap(&game)), (&all[..], false));
}
