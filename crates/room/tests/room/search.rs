//! Experts: their searches are answered in time, late, wrongly, or never.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::{Level, Player};
use sticheln_room::{Actor, Change, ConnId, Entry, Input, Phase, SearchRequest};
use sticheln_rules::sticheln::Action;
use sticheln_rules::{Event, Game, Nyet, Seat, Seats, State, Sticheln, shuffled};

use crate::clients::TestRoom;

/// The shortest and the longest delay of a bot.
const PAUSE: (Duration, Duration) = (Duration::from_millis(600), Duration::from_millis(1500));

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Ann, bots of these levels on the chairs after hers, and a spectator. A game of one round has begun, which the first
/// bot opens.
pub fn begun<G: Player>(levels: &[&str], seed: u64) -> (TestRoom<G>, ConnId) {
    let mut room = TestRoom::<G>::new(levels.len() + 1, seed);
    let ann = room.join_and_sit("Ann");
    for level in levels {
        let bot = json!({"type": "add_bot", "level": level});
        assert_eq!(room.send_command(ann, bot), "ok");
    }
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    for message in [
        json!({"type": "configure", "options": options, "opening_seat": 1}),
        json!({"type": "start"}),
    ] {
        assert_eq!(room.send_command(ann, message.clone()), "ok", "{message}");
    }
    room.join("Eve");
    (room, ann)
}

/// Lets Ann act and time pass until a search is requested.
fn until_search<G: Player>(room: &mut TestRoom<G>, ann: ConnId) {
    for _ in 0..1000 {
        if !room.searches.is_empty() {
            return;
        }
        room.keep_newest(&["game"]);
        if !room.everybody_acts(&[ann]) {
            room.wait(millis(100));
        }
    }
    panic!("no search is requested");
}

/// The last move, and the party that made it.
fn last_move<G: Player>(room: &TestRoom<G>) -> (Seat, Actor, G::Action) {
    let acts = room.log.iter().rev().find_map(|entry| match &entry.change {
        Change::Acted { seat, by, action } => Some((*seat, *by, action.clone())),
        _ => None,
    });
    acts.unwrap()
}

/// The legal actions of the seat that is to act, and its move without a search.
fn choices<G: Player>(room: &TestRoom<G>, seat: Seat) -> (Vec<G::Action>, G::Action) {
    let (state, events) = replayed(room);
    let mut memory = G::Memory::default();
    events
        .iter()
        .for_each(|event| G::remember(&mut memory, event));
    let view = state.view(Some(seat));
    let at_once = G::advice(view, &memory, Level::Expert).unwrap();
    (view.legal(), at_once)
}

/// The game as it is replayed from the log, and all its events.
fn replayed<G: Player>(room: &TestRoom<G>) -> (State<G>, Vec<Event<G>>) {
    let mut options = G::Options::default();
    let mut seats = 0;
    let mut game = None;
    let mut events = Vec::new();
    for entry in &room.log {
        match &entry.change {
            Change::Opened { seats: chairs, .. } => seats = *chairs,
            Change::Configured { settings, .. } => options = settings.options.clone(),
            Change::Started { opening, .. } => {
                game = State::new(options.clone(), seats, *opening).ok();
            }
            Change::Dealt { seed, .. } => {
                let state: &mut State<G> = game.as_mut().unwrap();
                let deck = shuffled(state.pack(), seed);
                events.extend(state.deal(&deck).unwrap());
            }
            Change::Acted { seat, action, .. } => {
                let state = game.as_mut().unwrap();
                events.extend(state.act(*seat, action.clone()).unwrap());
            }
            _ => {}
        }
    }
    (game.unwrap(), events)
}

/// A result that differs from the move without a search.
fn another<G: Player>(room: &TestRoom<G>, seat: Seat) -> G::Action {
    let (legal, at_once) = choices(room, seat);
    legal.into_iter().find(|action| *action != at_once).unwrap()
}

/// The seat that is to act.
pub fn seat_to_act<G: Player>(room: &TestRoom<G>) -> Seat {
    replayed(room).0.view(None).to_act()[0]
}

fn answer<G: Player>(room: &mut TestRoom<G>, request: &SearchRequest, action: &G::Action) {
    let received: usize = room.inbox.values().map(Vec::len).sum();
    let rev = room.inner.entry_number();
    room.handle(Input::SearchDone(request.clone(), action.clone()));
    // Nothing of a result is sent or saved before it is played.
    assert_eq!(room.inbox.values().map(Vec::len).sum::<usize>(), received);
    assert_eq!(room.inner.entry_number(), rev);
}

/// Ann and experts play a whole game. Returns the number of searches.
fn experts_play<G: Player>(levels: &[&str], seed: u64) -> usize {
    let (mut room, ann) = begun::<G>(levels, seed);
    let mut asked = 0;
    for _ in 0..2000 {
        if room.inner.phase() != Phase::Playing {
            break;
        }
        asked += room.searches.len();
        room.search(20);
        room.keep_newest(&["game"]);
        room.everybody_acts(&[ann]);
        room.wait(millis(50));
    }
    assert_eq!(room.inner.phase(), Phase::Over, "seed {seed}");
    asked
}

#[test]
fn experts_play_a_whole_game_of_sticheln() {
    for seed in 0..3 {
        // Each plays 14 cards; the last one needs no search.
        assert!(experts_play::<Sticheln>(&["expert"; 3], seed) >= 3 * 13);
    }
}

#[test]
fn experts_play_a_whole_game_of_nyet() {
    for seed in 0..3 {
        // A seat that must follow suit often has a single choice.
        let asked = experts_play::<Nyet>(&["expert"; 4], seed);
        assert!(asked >= 30, "{asked} searches");
    }
}

/// Each bot plays at its own level.
#[test]
fn bots_alone_play_while_a_spectator_is_connected() {
    let (mut room, ann) = begun::<Sticheln>(&["expert", "normal", "beginner"], 4);
    assert_eq!(room.send_command(ann, json!({"type": "stand"})), "ok");
    while room.inner.phase() == Phase::Playing {
        room.search(20);
        room.wait(millis(100));
    }
    assert_eq!(room.inner.phase(), Phase::Over);

    let (mut room, ann) = begun::<Sticheln>(&["expert"; 3], 5);
    room.disconnect(ann);
    let eve = ConnId(ann.0 + 1);
    room.disconnect(eve);
    room.wait(Duration::from_secs(3600));
    assert!(room.searches.is_empty(), "nobody is asked where nobody is");
    assert!(room.inner.next_tick_at().is_none());
}

/// A search is requested once, at the beginning of the pause.
#[test]
fn a_result_is_played_at_the_end_of_the_pause() {
    for seed in 0..5 {
        let (mut room, ann) = begun::<Sticheln>(&["expert", "normal"], seed);
        until_search(&mut room, ann);
        let seat = seat_to_act(&room);
        let (request, _) = room.searches.pop().unwrap();
        let wanted = another(&room, seat);
        answer(&mut room, &request, &wanted);
        // Another result of the same search does not count.
        let (_, at_once) = choices(&room, seat);
        answer(&mut room, &request, &at_once);

        let (rev, began) = (room.inner.entry_number(), room.now);
        let due = room.inner.next_tick_at().unwrap();
        assert!(due >= began.after(PAUSE.0) && due <= began.after(PAUSE.1));
        room.wait(millis(due.0 - began.0 - 1));
        assert_eq!(room.inner.entry_number(), rev);
        assert!(room.searches.is_empty(), "it is asked once");
        assert!(request.is_open());
        room.wait(millis(1));
        assert!(
            last_move(&room) == (seat, Actor::Bot, wanted),
            "seed {seed}"
        );
        assert!(!request.is_open());
    }
}

/// If the result comes too late, is illegal, or does not come, the expert makes the move that needs no search.
#[test]
fn the_game_goes_on_without_a_good_result() {
    for seed in 0..5 {
        let (mut room, ann) = begun::<Sticheln>(&["expert", "normal"], seed);
        for is_wrong in [false, true] {
            until_search(&mut room, ann);
            let seat = seat_to_act(&room);
            let (legal, at_once) = choices(&room, seat);
            let (request, _) = room.searches.pop().unwrap();
            if is_wrong {
                let pack = Sticheln::pack(&Default::default(), Seats::new(3).unwrap());
                let mut plays = pack.into_iter().map(|card| Action::Play { card });
                let illegal = plays.find(|play| !legal.contains(play)).unwrap();
                answer(&mut room, &request, &illegal);
            }
            let due = room.inner.next_tick_at().unwrap();
            room.wait(millis(due.0 - room.now.0));
            assert!(
                last_move(&room) == (seat, Actor::Bot, at_once),
                "seed {seed}"
            );
            // Now it is too late, also if another search for this seat is open.
            until_search(&mut room, ann);
            let rev = room.inner.entry_number();
            let (again, _) = room.searches.pop().unwrap();
            assert!(!request.is_open() && again.is_open());
            let seat = seat_to_act(&room);
            let (_, at_once) = choices(&room, seat);
            let stale = another(&room, seat);
            answer(&mut room, &request, &stale);
            assert_eq!(room.inner.entry_number(), rev);
            let due = room.inner.next_tick_at().unwrap();
            room.wait(millis(due.0 - room.now.0));
            assert!(
                last_move(&room) == (seat, Actor::Bot, at_once),
                "seed {seed}"
            );
        }
    }
}

/// This is so when the game is paused or ends, when another bot or a person takes the chair, and when the room is gone.
/// Other commands leave it open.
#[test]
fn a_search_is_closed_when_its_result_is_not_needed() {
    let asked = || {
        let (mut room, ann) = begun::<Sticheln>(&["expert", "normal"], 1);
        until_search(&mut room, ann);
        assert_eq!(seat_to_act(&room), Seat::new(1));
        let (request, _) = room.searches.pop().unwrap();
        (room, ann, request)
    };
    for (message, is_open, is_asked_again) in [
        (json!({"type": "pause"}), false, false),
        (json!({"type": "end"}), false, false),
        (
            json!({"type": "set_bot", "seat": 1, "level": "normal"}),
            false,
            false,
        ),
        (
            json!({"type": "set_bot", "seat": 1, "level": "expert"}),
            true,
            false,
        ),
        (
            json!({"type": "set_bot", "seat": 2, "level": "expert"}),
            true,
            false,
        ),
        (json!({"type": "ready", "ready": true}), true, false),
        (json!({"type": "rename", "name": "Anne"}), true, false),
        (
            json!({"type": "configure", "turn_seconds": 30, "fast_bots": true}),
            true,
            false,
        ),
        (json!({"type": "stand"}), true, false),
    ] {
        let (mut room, ann, request) = asked();
        assert_eq!(room.send_command(ann, message.clone()), "ok", "{message}");
        assert_eq!(request.is_open(), is_open, "{message}");
        assert_eq!(!room.searches.is_empty(), is_asked_again, "{message}");
    }

    let (mut room, ann, request) = asked();
    for (kind, is_asked) in [("pause", false), ("resume", true)] {
        assert_eq!(room.send_command(ann, json!({"type": kind})), "ok");
        assert_eq!(!room.searches.is_empty(), is_asked, "{kind}");
        assert!(!request.is_open());
    }
    let (mut room, _, request) = asked();
    let bob = room.join("Bob");
    let sit = json!({"type": "sit", "name": "Bob", "seat": 1});
    assert_eq!(room.send_command(bob, sit), "ok");
    assert!(!request.is_open());
    let (room, _, request) = asked();
    drop(room);
    assert!(!request.is_open());
}

/// It counts from the next move on. If a bot becomes an expert while it is to act, a search is requested.
#[test]
fn a_level_can_be_changed_during_a_game() {
    let (mut room, ann) = begun::<Sticheln>(&["normal", "normal"], 1);
    let is_play = |entry: &Entry<Sticheln>| {
        matches!(
            &entry.change,
            Change::Acted {
                action: Action::Play { .. },
                ..
            }
        )
    };
    while !room.log.iter().any(is_play) || seat_to_act(&room) != Seat::new(1) {
        room.everybody_acts(&[ann]);
        room.keep_newest(&["game"]);
        room.wait(millis(100));
    }
    assert!(room.searches.is_empty());
    for (level, is_asked) in [("expert", true), ("beginner", false), ("expert", true)] {
        room.searches.clear();
        let set = json!({"type": "set_bot", "seat": 1, "level": level});
        assert_eq!(room.send_command(ann, set), "ok");
        let message = room.received(ann, "room").pop().unwrap();
        assert_eq!(message["table"]["chairs"][1]["level"], level);
        let asked = room.searches.pop();
        assert_eq!(asked.is_some(), is_asked, "{level}");
        if let Some((request, _)) = asked {
            let wanted = another(&room, Seat::new(1));
            answer(&mut room, &request, &wanted);
            let due = room.inner.next_tick_at().unwrap();
            room.wait(millis(due.0 - room.now.0));
            assert!(last_move(&room) == (Seat::new(1), Actor::Bot, wanted));
            while seat_to_act(&room) != Seat::new(1) {
                room.keep_newest(&["game"]);
                room.everybody_acts(&[ann]);
                room.wait(millis(100));
            }
        }
    }
}

/// Fast bots act quickly only while one person is seated. The setting stays during a game.
#[test]
fn fast_bots_are_fast_for_one_person() {
    let pause = |room: &TestRoom| {
        let due = room.inner.next_tick_at().unwrap();
        millis(due.0 - room.now.0)
    };
    let (mut room, ann) = begun::<Sticheln>(&["expert", "normal", "normal"], 1);
    until_search(&mut room, ann);
    assert!(pause(&room) >= PAUSE.0);
    let fast = |is_fast: bool| json!({"type": "configure", "fast_bots": is_fast});
    assert_eq!(room.send_command(ann, fast(true)), "ok");
    let message = room.received(ann, "room").pop().unwrap();
    assert_eq!(message["table"]["fast_bots"], true);
    assert!(pause(&room) >= millis(150) && pause(&room) <= millis(300));
    room.restart();
    let ann = room.join("Ann");
    assert!(pause(&room) <= millis(300));
    // The pause also holds now.
    let seat = seat_to_act(&room);
    let (request, _) = room.searches.pop().unwrap();
    let wanted = another(&room, seat);
    answer(&mut room, &request, &wanted);
    room.wait(pause(&room));
    assert!(last_move(&room) == (seat, Actor::Bot, wanted));

    while seat_to_act(&room) == Seat::new(0) {
        room.everybody_acts(&[ann]);
    }
    assert!(pause(&room) <= millis(300));
    let seat = seat_to_act(&room);
    let other = Seat::new(if seat == Seat::new(3) { 2 } else { 3 });
    let bob = room.join("Bob");
    let sit = json!({"type": "sit", "name": "Bob", "seat": other});
    assert_eq!(room.send_command(bob, sit), "ok");
    assert_eq!(seat_to_act(&room), seat);
    assert!(pause(&room) > millis(300), "two people look on");
    assert_eq!(room.send_command(bob, fast(true)), "not_host");
}

/// It plays at level `normal` until they return. Each move that was made for them has an `acted_for` event, and no
/// other.
#[test]
fn a_bot_stands_in_for_an_absent_person() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 3);
    let (ann, seat) = (conns[0], Seat::new(2));
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(30));
    let stand_in = json!({"type": "stand_in", "seat": seat});
    assert_eq!(room.send_command(ann, stand_in), "ok");
    let mut moves = 0;
    while moves < 4 {
        room.everybody_acts(&conns[..2]);
        let (state, events) = replayed(&room);
        if state.view(None).to_act() == [seat] {
            let mut memory = Default::default();
            events
                .iter()
                .for_each(|event| Sticheln::remember(&mut memory, event));
            let normal = Sticheln::advice(state.view(Some(seat)), &memory, Level::Normal);
            // Not longer: the taker of a trick leads the next one.
            let due = room.inner.next_tick_at().unwrap();
            room.wait(millis(due.0 - room.now.0));
            assert!(last_move(&room) == (seat, Actor::Bot, normal.unwrap()));
            moves += 1;
        }
        assert!(room.searches.is_empty(), "who stands in ponders nothing");
    }

    let cem = room.join("Cem");
    assert_eq!(room.send_command(cem, json!({"type": "back"})), "ok");
    let message = room.received(cem, "room").pop().unwrap();
    assert_eq!(message["table"]["chairs"][2]["stood_in"], false);
    while seat_to_act(&room) != seat {
        room.everybody_acts(&conns[..2]);
    }
    let rev = room.inner.entry_number();
    room.wait(Duration::from_secs(60));
    assert_eq!(
        room.inner.entry_number(),
        rev,
        "no bot plays for Bob any more"
    );
    assert!(room.everybody_acts(&[cem]));
    let limit = json!({"type": "configure", "turn_seconds": 20});
    assert_eq!(room.send_command(ann, limit), "ok");
    room.wait(Duration::from_secs(60));

    let games = room.received(ann, "game");
    let events = games
        .iter()
        .flat_map(|game| game["events"].as_array().unwrap());
    let (mut sent_acts, mut by) = (vec![], Value::Null);
    for event in events {
        match event["type"].as_str().unwrap() {
            "acted_for" => by = event["by"].clone(),
            "picked" | "played" => sent_acts.push((event["seat"].clone(), by.take())),
            _ => {}
        }
    }
    let acts = room.log.iter().filter_map(|entry| match &entry.change {
        Change::Acted { seat, by, .. } => Some((json!(seat), *by)),
        _ => None,
    });
    let acts: Vec<_> = acts.collect();
    for by in [Actor::Owner, Actor::Bot, Actor::Clock] {
        assert!(acts.iter().any(|act| act.1 == by), "{by:?}");
    }
    let acts = acts.into_iter().map(|(seat, by)| match by {
        Actor::Owner => (seat, Value::Null),
        Actor::Bot | Actor::Clock | Actor::Continuation => (seat, json!(by)),
    });
    assert_eq!(sent_acts, acts.collect::<Vec<_>>());
}
