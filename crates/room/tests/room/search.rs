//! Experts: their searches are answered in time, late, wrongly, or never.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::{Level, Player};
use sticheln_room::{Actor, Change, ConnId, Entry, Input, Phase, SearchRequest};
use sticheln_rules::sticheln::Action;
use sticheln_rules::{Event, Game, Nyet, Seat, Seats, State, Sticheln, shuffled};

use crate::clients::TestRoom;

/// The shortest and the longest pause of a bot.
const PAUSE: (Duration, Duration) = (Duration::from_millis(600), Duration::from_millis(1500));

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Ann, bots of these levels on the chairs after hers, and a spectator. A game of one round has begun, which the first
/// bot opens.
pub fn begun<G: Player>(levels: &[&str], seed: u64) -> (TestRoom<G>, ConnId) {
    let mut table = TestRoom::<G>::new(levels.len() + 1, seed);
    let ann = table.join_and_sit("Ann");
    for level in levels {
        let bot = json!({"type": "add_bot", "level": level});
        assert_eq!(table.send_command(ann, bot), "ok");
    }
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    for message in [
        json!({"type": "configure", "options": options, "opening_seat": 1}),
        json!({"type": "start"}),
    ] {
        assert_eq!(table.send_command(ann, message.clone()), "ok", "{message}");
    }
    table.join("Eve");
    (table, ann)
}

/// Lets Ann act and time pass until a search is requested.
fn until_search<G: Player>(table: &mut TestRoom<G>, ann: ConnId) {
    for _ in 0..1000 {
        if !table.searches.is_empty() {
            return;
        }
        table.keep_newest(&["game"]);
        if !table.everybody_acts(&[ann]) {
            table.wait(millis(100));
        }
    }
    panic!("no search is requested");
}

/// The last move, and the party that made it.
fn last_move<G: Player>(table: &TestRoom<G>) -> (Seat, Actor, G::Action) {
    let acts = table
        .log
        .iter()
        .rev()
        .find_map(|entry| match &entry.change {
            Change::Acted { seat, by, action } => Some((*seat, *by, action.clone())),
            _ => None,
        });
    acts.unwrap()
}

/// The legal actions of the seat that is to act, and its move without a search.
fn choices<G: Player>(table: &TestRoom<G>, seat: Seat) -> (Vec<G::Action>, G::Action) {
    let (state, events) = replayed(table);
    let mut memory = G::Memory::default();
    events
        .iter()
        .for_each(|event| G::remember(&mut memory, event));
    let view = state.view(Some(seat));
    let at_once = G::advice(view, &memory, Level::Expert).unwrap();
    (view.legal(), at_once)
}

/// The game as it is replayed from the log, and all its events.
fn replayed<G: Player>(table: &TestRoom<G>) -> (State<G>, Vec<Event<G>>) {
    let mut options = G::Options::default();
    let mut seats = 0;
    let mut game = None;
    let mut events = Vec::new();
    for entry in &table.log {
        match &entry.change {
            Change::Opened { seats: chairs, .. } => seats = *chairs,
            Change::Configured { settings, .. } => options = settings.options.clone(),
            Change::Started { opening } => {
                game = State::new(options.clone(), seats, *opening).ok();
            }
            Change::Dealt { seed } => {
                let state: &mut State<G> = game.as_mut().unwrap();
                let deck = shuffled(state.pack(), seed);
                events.extend(state.deal(&deck).unwrap());
            }
            Change::Acted { seat, action, .. } => {
                let state = game.as_mut().unwrap();
                events.extend(state.play(*seat, action.clone()).unwrap());
            }
            _ => {}
        }
    }
    (game.unwrap(), events)
}

/// A result that differs from the move without a search.
fn another<G: Player>(table: &TestRoom<G>, seat: Seat) -> G::Action {
    let (legal, at_once) = choices(table, seat);
    legal.into_iter().find(|action| *action != at_once).unwrap()
}

/// The seat that is to act.
pub fn seat_to_act<G: Player>(table: &TestRoom<G>) -> Seat {
    replayed(table).0.view(None).to_act()[0]
}

fn answer<G: Player>(table: &mut TestRoom<G>, request: &SearchRequest, action: &G::Action) {
    let received: usize = table.inbox.values().map(Vec::len).sum();
    let rev = table.room.rev();
    table.handle(Input::SearchDone(request.clone(), action.clone()));
    // Nothing of a result is sent or saved before it is played.
    assert_eq!(table.inbox.values().map(Vec::len).sum::<usize>(), received);
    assert_eq!(table.room.rev(), rev);
}

/// Ann and experts play a whole game. Returns the number of searches.
fn experts_play<G: Player>(levels: &[&str], seed: u64) -> usize {
    let (mut table, ann) = begun::<G>(levels, seed);
    let mut asked = 0;
    for _ in 0..2000 {
        if table.room.phase() != Phase::Playing {
            break;
        }
        asked += table.searches.len();
        table.search(20);
        table.keep_newest(&["game"]);
        table.everybody_acts(&[ann]);
        table.wait(millis(50));
    }
    assert_eq!(table.room.phase(), Phase::Over, "seed {seed}");
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
        experts_play::<Nyet>(&["expert"; 4], seed);
    }
}

/// Each bot plays at its own level.
#[test]
fn bots_alone_play_while_a_spectator_is_connected() {
    let (mut table, ann) = begun::<Sticheln>(&["expert", "normal", "beginner"], 4);
    assert_eq!(table.send_command(ann, json!({"type": "stand"})), "ok");
    while table.room.phase() == Phase::Playing {
        table.search(20);
        table.wait(millis(100));
    }
    assert_eq!(table.room.phase(), Phase::Over);

    let (mut table, ann) = begun::<Sticheln>(&["expert"; 3], 5);
    table.disconnect(ann);
    let eve = ConnId(ann.0 + 1);
    table.disconnect(eve);
    table.wait(Duration::from_secs(3600));
    assert!(table.searches.is_empty(), "nobody is asked where nobody is");
    assert!(table.room.deadline().is_none());
}

/// A search is requested once, at the beginning of the pause.
#[test]
fn a_result_is_played_at_the_end_of_the_pause() {
    for seed in 0..5 {
        let (mut table, ann) = begun::<Sticheln>(&["expert", "normal"], seed);
        until_search(&mut table, ann);
        let seat = seat_to_act(&table);
        let (request, _) = table.searches.pop().unwrap();
        let wanted = another(&table, seat);
        answer(&mut table, &request, &wanted);
        // Another result of the same search does not count.
        let (_, at_once) = choices(&table, seat);
        answer(&mut table, &request, &at_once);

        let (rev, began) = (table.room.rev(), table.now);
        let due = table.room.deadline().unwrap();
        assert!(due >= began.after(PAUSE.0) && due <= began.after(PAUSE.1));
        table.wait(millis(due.0 - began.0 - 1));
        assert_eq!(table.room.rev(), rev);
        assert!(table.searches.is_empty(), "it is asked once");
        assert!(request.is_open());
        table.wait(millis(1));
        assert!(
            last_move(&table) == (seat, Actor::Bot, wanted),
            "seed {seed}"
        );
        assert!(!request.is_open());
    }
}

/// If the result comes too late, is illegal, or does not come, the expert makes the move that needs no search.
#[test]
fn the_game_goes_on_without_a_good_result() {
    for seed in 0..5 {
        let (mut table, ann) = begun::<Sticheln>(&["expert", "normal"], seed);
        for is_wrong in [false, true] {
            until_search(&mut table, ann);
            let seat = seat_to_act(&table);
            let (legal, at_once) = choices(&table, seat);
            let (request, _) = table.searches.pop().unwrap();
            if is_wrong {
                let pack = Sticheln::pack(&Default::default(), Seats::new(3).unwrap());
                let mut plays = pack.into_iter().map(|card| Action::Play { card });
                let illegal = plays.find(|play| !legal.contains(play)).unwrap();
                answer(&mut table, &request, &illegal);
            }
            let due = table.room.deadline().unwrap();
            table.wait(millis(due.0 - table.now.0));
            assert!(
                last_move(&table) == (seat, Actor::Bot, at_once),
                "seed {seed}"
            );
            // Now it is too late, also if another search for this seat is open.
            until_search(&mut table, ann);
            let rev = table.room.rev();
            let (again, _) = table.searches.pop().unwrap();
            assert!(!request.is_open() && again.is_open());
            let seat = seat_to_act(&table);
            let (_, at_once) = choices(&table, seat);
            let stale = another(&table, seat);
            answer(&mut table, &request, &stale);
            assert_eq!(table.room.rev(), rev);
            let due = table.room.deadline().unwrap();
            table.wait(millis(due.0 - table.now.0));
            assert!(
                last_move(&table) == (seat, Actor::Bot, at_once),
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
        let (mut table, ann) = begun::<Sticheln>(&["expert", "normal"], 1);
        until_search(&mut table, ann);
        assert_eq!(seat_to_act(&table), Seat::new(1));
        let (request, _) = table.searches.pop().unwrap();
        (table, ann, request)
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
        let (mut table, ann, request) = asked();
        assert_eq!(table.send_command(ann, message.clone()), "ok", "{message}");
        assert_eq!(request.is_open(), is_open, "{message}");
        assert_eq!(!table.searches.is_empty(), is_asked_again, "{message}");
    }

    let (mut table, ann, request) = asked();
    for (kind, is_asked) in [("pause", false), ("resume", true)] {
        assert_eq!(table.send_command(ann, json!({"type": kind})), "ok");
        assert_eq!(!table.searches.is_empty(), is_asked, "{kind}");
        assert!(!request.is_open());
    }
    let (mut table, _, request) = asked();
    let bob = table.join("Bob");
    let sit = json!({"type": "sit", "name": "Bob", "seat": 1});
    assert_eq!(table.send_command(bob, sit), "ok");
    assert!(!request.is_open());
    let (table, _, request) = asked();
    drop(table);
    assert!(!request.is_open());
}

/// It counts from the next move on. If a bot becomes an expert while it is to act, a search is requested.
#[test]
fn a_level_can_be_changed_during_a_game() {
    let (mut table, ann) = begun::<Sticheln>(&["normal", "normal"], 1);
    let is_play = |entry: &Entry<Sticheln>| {
        matches!(
            &entry.change,
            Change::Acted {
                action: Action::Play { .. },
                ..
            }
        )
    };
    while !table.log.iter().any(is_play) || seat_to_act(&table) != Seat::new(1) {
        table.everybody_acts(&[ann]);
        table.keep_newest(&["game"]);
        table.wait(millis(100));
    }
    assert!(table.searches.is_empty());
    for (level, is_asked) in [("expert", true), ("beginner", false), ("expert", true)] {
        table.searches.clear();
        let set = json!({"type": "set_bot", "seat": 1, "level": level});
        assert_eq!(table.send_command(ann, set), "ok");
        let room = table.received(ann, "room").pop().unwrap();
        assert_eq!(room["table"]["chairs"][1]["level"], level);
        let asked = table.searches.pop();
        assert_eq!(asked.is_some(), is_asked, "{level}");
        if let Some((request, _)) = asked {
            let wanted = another(&table, Seat::new(1));
            answer(&mut table, &request, &wanted);
            let due = table.room.deadline().unwrap();
            table.wait(millis(due.0 - table.now.0));
            assert!(last_move(&table) == (Seat::new(1), Actor::Bot, wanted));
            while seat_to_act(&table) != Seat::new(1) {
                table.keep_newest(&["game"]);
                table.everybody_acts(&[ann]);
                table.wait(millis(100));
            }
        }
    }
}

/// Fast bots act quickly only while one person is seated. The setting stays during a game.
#[test]
fn fast_bots_are_fast_for_one_person() {
    let pause = |table: &TestRoom| {
        let due = table.room.deadline().unwrap();
        millis(due.0 - table.now.0)
    };
    let (mut table, ann) = begun::<Sticheln>(&["expert", "normal", "normal"], 1);
    until_search(&mut table, ann);
    assert!(pause(&table) >= PAUSE.0);
    let fast = |is_fast: bool| json!({"type": "configure", "fast_bots": is_fast});
    assert_eq!(table.send_command(ann, fast(true)), "ok");
    let room = table.received(ann, "room").pop().unwrap();
    assert_eq!(room["table"]["fast_bots"], true);
    assert!(pause(&table) >= millis(150) && pause(&table) <= millis(300));
    table.restart();
    let ann = table.join("Ann");
    assert!(pause(&table) <= millis(300));
    // The pause also holds now.
    let seat = seat_to_act(&table);
    let (request, _) = table.searches.pop().unwrap();
    let wanted = another(&table, seat);
    answer(&mut table, &request, &wanted);
    table.wait(pause(&table));
    assert!(last_move(&table) == (seat, Actor::Bot, wanted));

    while seat_to_act(&table) == Seat::new(0) {
        table.everybody_acts(&[ann]);
    }
    assert!(pause(&table) <= millis(300));
    let seat = seat_to_act(&table);
    let other = Seat::new(if seat == Seat::new(3) { 2 } else { 3 });
    let bob = table.join("Bob");
    let sit = json!({"type": "sit", "name": "Bob", "seat": other});
    assert_eq!(table.send_command(bob, sit), "ok");
    assert_eq!(seat_to_act(&table), seat);
    assert!(pause(&table) > millis(300), "two people look on");
    assert_eq!(table.send_command(bob, fast(true)), "not_host");
}

/// It plays at level `normal` until they return. Each move that was made for them has an `acted_for` event, and no
/// other.
#[test]
fn a_bot_stands_in_for_an_absent_person() {
    let (mut table, conns) = TestRoom::<Sticheln>::with_started_game(&["Ann", "Bob", "Cem"], 3);
    let (ann, seat) = (conns[0], Seat::new(2));
    table.disconnect(conns[2]);
    table.wait(Duration::from_secs(30));
    let stand_in = json!({"type": "stand_in", "seat": seat});
    assert_eq!(table.send_command(ann, stand_in), "ok");
    let mut moves = 0;
    while moves < 4 {
        table.everybody_acts(&conns[..2]);
        let (state, events) = replayed(&table);
        if state.view(None).to_act() == [seat] {
            let mut memory = Default::default();
            events
                .iter()
                .for_each(|event| Sticheln::remember(&mut memory, event));
            let normal = Sticheln::advice(state.view(Some(seat)), &memory, Level::Normal);
            // Not longer: the taker of a trick leads the next one.
            let due = table.room.deadline().unwrap();
            table.wait(millis(due.0 - table.now.0));
            assert!(last_move(&table) == (seat, Actor::Bot, normal.unwrap()));
            moves += 1;
        }
        assert!(table.searches.is_empty(), "who stands in ponders nothing");
    }

    let cem = table.join("Cem");
    assert_eq!(table.send_command(cem, json!({"type": "back"})), "ok");
    let room = table.received(cem, "room").pop().unwrap();
    assert_eq!(room["table"]["chairs"][2]["stood_in"], false);
    while seat_to_act(&table) != seat {
        table.everybody_acts(&conns[..2]);
    }
    let rev = table.room.rev();
    table.wait(Duration::from_secs(60));
    assert_eq!(table.room.rev(), rev, "no bot plays for Bob any more");
    assert!(table.everybody_acts(&[cem]));
    let limit = json!({"type": "configure", "turn_seconds": 20});
    assert_eq!(table.send_command(ann, limit), "ok");
    table.wait(Duration::from_secs(60));

    let told = table.received(ann, "game");
    let told = told
        .iter()
        .flat_map(|game| game["events"].as_array().unwrap());
    let (mut told_acts, mut by) = (vec![], Value::Null);
    for event in told {
        match event["type"].as_str().unwrap() {
            "acted_for" => by = event["by"].clone(),
            "picked" | "played" => told_acts.push((event["seat"].clone(), by.take())),
            _ => {}
        }
    }
    let acts = table.log.iter().filter_map(|entry| match &entry.change {
        Change::Acted { seat, by, .. } => Some((json!(seat), *by)),
        _ => None,
    });
    let acts: Vec<_> = acts.collect();
    for by in [Actor::Owner, Actor::Bot, Actor::Clock] {
        assert!(acts.iter().any(|act| act.1 == by), "{by:?}");
    }
    let acts = acts.into_iter().map(|(seat, by)| match by {
        Actor::Owner => (seat, Value::Null),
        Actor::Bot | Actor::Clock => (seat, json!(by)),
    });
    assert_eq!(told_acts, acts.collect::<Vec<_>>());
}
