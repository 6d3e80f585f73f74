//! The logs of rounds: what they contain, what they leave out, and how often they are read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, from_value, json, to_value};
use sticheln_bots::Player;
use sticheln_room::{Change, ConnId, Entry, Input, Phase, Refusal, Shuffle, Snapshot, round_log};
use sticheln_rules::{Card, Nyet, Seed, Sticheln, nyet, shuffled, sticheln};

use crate::clients::TestRoom;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn ask(round: usize) -> Value {
    json!({"type": "round_log", "round": round})
}

/// The log of a round as this client is sent it.
fn log<G: Player>(room: &mut TestRoom<G>, conn: ConnId, round: usize) -> Value {
    room.received(conn, "round_log");
    room.grant(conn, ask(round));
    let mut logs = room.received(conn, "round_log");
    assert_eq!(logs.len(), 1);
    // So the next request is not too soon.
    room.wait(seconds(2));
    logs.pop().unwrap()
}

/// The events in a log.
fn events(log: &Value) -> Vec<Value> {
    let entries = log["entries"].as_array().unwrap().iter();
    let events = entries.filter_map(|entry| entry.get("events")?.as_array().cloned());
    events.flatten().collect()
}

/// The acts at the table in a log.
fn acts(log: &Value) -> Vec<Value> {
    let entries = log["entries"].as_array().unwrap().iter();
    entries
        .filter_map(|entry| entry.get("act").cloned())
        .collect()
}

fn count(events: &[Value], kind: &str) -> usize {
    events.iter().filter(|event| event["type"] == kind).count()
}

/// Takes the events that a client was sent, by the round that they belong to.
fn sent_events<G: Player>(room: &mut TestRoom<G>, conn: ConnId) -> BTreeMap<usize, Vec<Value>> {
    let mut rounds: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
    let mut round = 0;
    for game in room.received(conn, "game") {
        for event in game["events"].as_array().unwrap() {
            round += usize::from(event["type"] == "dealt");
            rounds.entry(round).or_default().push(event.clone());
        }
    }
    rounds
}

/// Plays a whole game. Cem leaves their chair to a bot after a while, and Bob is away for a while, so a bot stands in.
fn play_to_the_end<G: Player>(room: &mut TestRoom<G>, conns: &[ConnId; 3]) {
    for turn in 0.. {
        if room.inner.phase() == Phase::Over {
            return;
        }
        assert!(turn < 2000, "the game does not end");
        if turn == 15 {
            room.grant(conns[2], json!({"type": "stand"}));
        }
        if turn == 20 {
            room.grant(conns[0], json!({"type": "configure", "turn_seconds": 5}));
        }
        let here = if turn % 4 == 3 { 1 } else { 3 };
        room.everybody_acts(&conns[..here]);
        room.wait(seconds(6));
    }
}

/// The log of each finished round has all events, as they were sent live, also after a restart.
fn log_has_what_was_sent<G: Player>(options: G::Options) {
    for seed in 0..2 {
        let (mut room, conns, spectator) = TestRoom::<G>::with_spectator(options.clone(), seed);
        play_to_the_end(&mut room, &conns);
        let sent = sent_events(&mut room, spectator);
        assert_eq!(sent.len(), 2);
        let is_for_somebody = |event: &Value| event["type"] == "acted_for";
        assert!(sent.values().flatten().any(is_for_somebody));
        for (round, sent) in &sent {
            let log = log(&mut room, spectator, *round);
            assert_eq!(log["round"], json!(round));
            assert_eq!(&events(&log), sent);
            assert_eq!(log.get("tricks_left_out"), None);
        }
        let before = log(&mut room, conns[0], 1);
        room.restart();
        let ann = room.join("Ann");
        assert_eq!(log(&mut room, ann, 1), before);
    }
}

#[test]
fn the_log_of_a_finished_round_has_what_was_sent() {
    log_has_what_was_sent::<Sticheln>(sticheln::Options {
        end: sticheln_rules::End::rounds(2),
        show_history: sticheln::History::Off,
        ..Default::default()
    });
    log_has_what_was_sent::<Nyet>(nyet::Options {
        end: sticheln_rules::End::rounds(2),
        ..Default::default()
    });
}

/// Revisions are those of `game`, and times are whole seconds.
#[test]
fn an_entry_has_its_revision_and_its_second() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    room.wait(Duration::from_millis(1234));
    room.everybody_acts(&conns);
    let mut sent = BTreeMap::new();
    for game in room.received(spectator, "game") {
        if game["events"] != json!([]) {
            sent.insert(game["rev"].as_u64().unwrap(), game["events"].clone());
        }
    }
    let log = log(&mut room, spectator, 1);
    for entry in log["entries"].as_array().unwrap() {
        let events = sent.remove(&entry["rev"].as_u64().unwrap());
        assert_eq!(events.as_ref(), entry.get("events"));
        assert_eq!(entry["at"].as_u64().unwrap() % 1000, 0);
    }
    assert_eq!(sent.len(), 0);
    let at = log["entries"][1]["at"].as_u64().unwrap();
    assert_eq!(at, room.log.last().unwrap().at.0 / 1000 * 1000);
}

/// The cards and the takers of closed tricks are left out of the log of the running round, and only of that one.
#[test]
fn the_log_of_the_running_round_has_what_the_options_show() {
    for (show_history, show_last_trick, tricks) in [
        (sticheln::History::Off, true, 0),
        (sticheln::History::LastTrick, false, 0),
        (sticheln::History::LastTrick, true, 1),
        (sticheln::History::All, false, 3),
    ] {
        let options = sticheln::Options {
            show_history,
            show_last_trick,
            ..Default::default()
        };
        let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(options, 3);
        play_tricks(&mut room, &conns, 3);
        let running = log(&mut room, spectator, 1);
        let events = events(&running);
        let left_out = running.get("tricks_left_out").cloned().unwrap_or(json!(0));
        assert_eq!(left_out, json!(3 - tricks), "{show_history:?}");
        let ends = count(&events, "trick_taken") + count(&events, "set_aside");
        assert_eq!((ends, count(&events, "played")), (tricks, 3 * tricks));
        assert_eq!(
            (count(&events, "picked"), count(&events, "revealed")),
            (3, 1)
        );
        // The cards of the present trick are on the table.
        assert!(conns.iter().any(|conn| room.everybody_acts(&[*conn])));
        let with_a_card = log(&mut room, spectator, 1);
        assert!(count(&self::events(&with_a_card), "played") == 3 * tricks + 1);
    }
    let (mut room, conns, spectator) = TestRoom::<Nyet>::with_spectator(Default::default(), 3);
    play_tricks(&mut room, &conns, 3);
    let running = log(&mut room, spectator, 1);
    assert_eq!(running["tricks_left_out"], json!(2));
    assert_eq!(count(&events(&running), "played"), 3);
}

/// Plays until this many tricks are finished and no card is on the table.
fn play_tricks<G: Player>(room: &mut TestRoom<G>, conns: &[ConnId; 3], tricks: usize) {
    let mut finished = 0;
    while finished < tricks {
        for conn in conns {
            room.keep_newest(&["game"]);
            let rev = room.inner.entry_number();
            room.everybody_acts(&[*conn]);
            if room.inner.entry_number() == rev {
                continue;
            }
            let mut games = room.inbox[&conns[0]].iter();
            let game = games.rfind(|message| message["type"] == "game").unwrap();
            let events = game["events"].as_array().unwrap();
            finished += count(events, "trick_taken") + count(events, "set_aside");
            if finished == tricks {
                break;
            }
        }
    }
}

/// A round that was ended early is not played any more: its log has all cards that were played, and no others.
#[test]
fn the_log_of_an_abandoned_round_has_what_became_public() {
    let options = sticheln::Options {
        show_history: sticheln::History::Off,
        ..Default::default()
    };
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(options, 5);
    while room.everybody_acts(&conns) {}
    room.wait(seconds(30));
    play_tricks(&mut room, &conns, 2);
    room.grant(conns[0], json!({"type": "end"}));
    let log = log(&mut room, spectator, 2);
    let events = events(&log);
    assert_eq!(log.get("tricks_left_out"), None);
    assert_eq!(
        (count(&events, "played"), count(&events, "game_over")),
        (6, 1)
    );
    assert_eq!(acts(&log).last(), Some(&json!({"type": "ended_early"})));
    assert_twins_equal(&room, 2);
}

/// What people do at the table.
#[test]
fn a_log_has_the_acts_at_the_table() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    let [ann, bob, cem] = conns;
    room.grant(bob, json!({"type": "pause"}));
    room.grant(ann, json!({"type": "resume"}));
    room.grant(ann, json!({"type": "more_time"}));
    room.grant(bob, json!({"type": "agree_to_end", "agree": true}));
    room.grant(bob, json!({"type": "agree_to_end", "agree": false}));
    room.grant(bob, json!({"type": "rename", "name": "Bobby"}));
    let configure =
        json!({"type": "configure", "title": "Friday", "listed": true, "password": "one"});
    room.grant(ann, configure);
    room.grant(ann, json!({"type": "configure", "password": "two"}));
    room.password = Some("two");
    room.disconnect(bob);
    room.wait(seconds(30));
    room.grant(ann, json!({"type": "stand_in", "seat": 1}));
    let bob = room.join("Bob");
    room.grant(bob, json!({"type": "back"}));
    room.grant(ann, json!({"type": "give_host", "seat": 1}));
    let offer = room.offer_handover(ann);
    let phone = room.join("Phone");
    room.grant(phone, offer);
    room.grant(bob, json!({"type": "remove", "seat": 2}));
    assert!(room.closed.iter().any(|(conn, _)| *conn == cem));
    room.grant(
        bob,
        json!({"type": "set_bot", "seat": 2, "level": "beginner"}),
    );
    room.grant(phone, json!({"type": "stand"}));
    room.grant(spectator, json!({"type": "sit", "name": "Eve", "seat": 0}));
    let log = log(&mut room, bob, 1);
    let expected = json!([
        {"type": "paused", "seat": 1},
        {"type": "resumed"},
        {"type": "asked_for_time", "seat": 0},
        {"type": "end_agreed", "seat": 1, "agrees": true},
        {"type": "end_agreed", "seat": 1, "agrees": false},
        {"type": "configured", "settings": ["title", "listed", "locked"]},
        {"type": "stood_in", "seat": 1},
        {"type": "returned", "seat": 1},
        {"type": "host_passed", "seat": 1},
        {"type": "handed_over", "seat": 0},
        {"type": "removed", "seat": 2},
        {"type": "bot_seated", "seat": 2, "level": "beginner"},
        {"type": "stood", "seat": 0},
        {"type": "sat", "seat": 0},
    ]);
    assert_eq!(json!(acts(&log)), expected);
    let text = log.to_string();
    for secret in [
        "Ann", "Bob", "Cem", "Eve", "Friday", "argon2id", "one", "owner", "seed",
    ] {
        assert!(!text.contains(&format!("\"{secret}")), "{secret}");
    }
}

/// People cannot make a log of any length.
#[test]
fn a_log_has_the_newest_acts_only() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    for number in 0..230 {
        let title = json!({"type": "configure", "title": format!("Title {number}")});
        room.grant(conns[0], title);
    }
    let log = log(&mut room, spectator, 1);
    assert_eq!(log["acts_left_out"], json!(30));
    assert_eq!(acts(&log).len(), 200);
    assert_eq!(events(&log).len(), 1);
}

/// A hidden choice that was replaced leaves no trace.
#[test]
fn a_log_does_not_show_that_a_choice_was_replaced() {
    let log_with = |changes: usize| {
        let (mut room, [ann, bob, cem], spectator) =
            TestRoom::<Sticheln>::with_spectator(Default::default(), 4);
        room.everybody_acts(&[ann]);
        for _ in 0..changes {
            let change = room.changes(ann)[0].clone();
            room.grant(ann, json!({"type": "act", "action": change}));
        }
        room.everybody_acts(&[bob]);
        let choosing = log(&mut room, spectator, 1);
        room.everybody_acts(&[cem]);
        let mut revealed = log(&mut room, spectator, 1);
        // Only the pick itself differs.
        let revealed = revealed["entries"].as_array_mut().unwrap().pop().unwrap();
        (choosing.to_string(), revealed["rev"].clone())
    };
    assert_eq!(log_with(0), log_with(3));
}

/// The snapshot and the entries of a round.
fn segment<G: Player>(room: &TestRoom<G>, round: usize) -> (Snapshot<G>, Vec<Entry<G>>) {
    let before_deal = room
        .snapshots
        .iter()
        .filter(|snapshot| snapshot.is_before_deal());
    let snapshots: Vec<_> = before_deal.collect();
    let first = snapshots[round - 1].entry_number() as usize + 1;
    let next = snapshots
        .get(round)
        .map(|next| next.entry_number() as usize + 1);
    let entries = room.log[first..next.unwrap_or(room.log.len())].to_vec();
    (snapshots[round - 1].clone(), entries)
}

/// The cards that the entries of a round have made public, by their JSON. At the end of a scored round the discards are public.
fn public_cards<G: Player>(entries: &[Entry<G>], seats: usize, is_scored: bool) -> Vec<String> {
    let mut picks = vec![];
    let mut public = vec![];
    for entry in entries {
        if let Change::Acted { action, .. } = &entry.change {
            let action = to_value(action).unwrap();
            match action["type"].as_str().unwrap() {
                "play" => public.push(action["card"].to_string()),
                "pick" => picks.push(action["card"].to_string()),
                "discard" if is_scored => {
                    let cards = action["cards"].as_array().unwrap();
                    public.extend(cards.iter().map(Value::to_string));
                }
                _ => {}
            }
        }
    }
    if picks.len() == seats {
        // A pick that was replaced would be an entry of its own, which no test here has.
        public.extend(picks);
    }
    public
}

/// Exchanges cards that nobody but their holders knows, each for one of its colour and above 1, so that what was legal stays
/// legal. Returns the exchange; cards that stay are missing.
fn exchange(deck: &[Card], public: &[String]) -> BTreeMap<String, Card> {
    let mut exchange = BTreeMap::new();
    let name = |card: &Card| json!(card).to_string();
    let mut by_colour: BTreeMap<String, Vec<Card>> = BTreeMap::new();
    for card in deck {
        if card.value > 1 && !public.contains(&name(card)) {
            let colour = json!(card.colour).to_string();
            by_colour.entry(colour).or_default().push(*card);
        }
    }
    for cards in by_colour.values() {
        for (at, card) in cards.iter().enumerate() {
            exchange.insert(name(card), cards[(at + 1) % cards.len()]);
        }
    }
    exchange
}

/// The log of a round has the same bytes if cards that are not public lie otherwise. The twin is played again from the
/// exchanged deck, and its hidden choices are exchanged too. Returns how many cards were exchanged.
fn assert_twins_equal<G: Player>(room: &TestRoom<G>, round: usize) -> usize {
    let (snapshot, entries) = segment(room, round);
    let Change::Dealt { seed, .. } = entries[0].change else {
        panic!("a round begins with a deal");
    };
    let usual: Shuffle = Arc::new(shuffled);
    let game = to_value(&snapshot).unwrap()["game"]["progress"].clone();
    let options = from_value(game["options"].clone()).unwrap();
    let seats = sticheln_rules::Seats::new(3).unwrap();
    let deck = shuffled(G::pack(&options, seats), &seed);
    let is_scored = room
        .inner
        .sheet()
        .is_some_and(|sheet| sheet.rounds.len() >= round);
    let exchange = exchange(&deck, &public_cards(&entries, 3, is_scored));
    let exchanged = {
        let exchange = exchange.clone();
        move |pack: Vec<Card>, seed: &Seed| {
            let deck = shuffled(pack, seed).into_iter();
            let other = |card| exchange.get(&json!(card).to_string()).copied();
            deck.map(|card| other(card).unwrap_or(card)).collect()
        }
    };
    let of_twin = entries.iter().map(|entry| {
        let mut entry = to_value(entry).unwrap();
        exchange_in(&mut entry["change"], &exchange);
        from_value(entry).unwrap()
    });
    let of_twin: Vec<Entry<G>> = of_twin.collect();
    let log = round_log(snapshot.clone(), entries, &usual).unwrap();
    let twin = round_log(snapshot, of_twin, &(Arc::new(exchanged) as Shuffle));
    let twin = twin.expect("what was legal stays legal");
    assert_eq!(log.to_string(), twin.to_string());
    exchange.len()
}

/// Exchanges the cards in a value.
fn exchange_in(value: &mut Value, exchange: &BTreeMap<String, Card>) {
    match value {
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| exchange_in(item, exchange)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| exchange_in(field, exchange)),
        text => {
            if let Some(other) = exchange.get(&text.to_string()) {
                *text = json!(other);
            }
        }
    }
}

/// At each step of a round, for all that may read the log: it is the same for seats and spectators.
fn log_is_the_same_for_twins<G: Player>(options: &G::Options) -> usize {
    let mut exchanged = 0;
    for seed in 0..3 {
        let (mut room, conns, spectator) = TestRoom::<G>::with_spectator(options.clone(), seed);
        for turn in 0..200 {
            exchanged += assert_twins_equal(&room, 1);
            if turn % 16 == 0 {
                let logs = [conns[0], conns[1], conns[2], spectator];
                let logs = logs.map(|conn| log(&mut room, conn, 1));
                assert!(logs.iter().all(|log| *log == logs[0]));
            }
            if room
                .snapshots
                .iter()
                .filter(|at| at.is_before_deal())
                .count()
                > 1
            {
                break;
            }
            room.everybody_acts(&[conns[turn % 3]]);
            room.wait(seconds(1));
            room.keep_newest(&["game"]);
        }
        assert_eq!(room.inner.phase(), Phase::Playing);
        assert!(room.inner.sheet().unwrap().rounds.len() == 1);
    }
    exchanged
}

#[test]
fn a_log_is_the_same_for_twins_with_other_hidden_cards() {
    for show_history in [sticheln::History::Off, sticheln::History::All] {
        let exchanged = log_is_the_same_for_twins::<Sticheln>(&sticheln::Options {
            show_history,
            ..Default::default()
        });
        assert!(exchanged > 1000, "{exchanged}");
    }
    let exchanged = log_is_the_same_for_twins::<Nyet>(&nyet::Options::default());
    assert!(exchanged > 1000, "{exchanged}");
}

#[test]
fn a_round_that_the_game_has_not_had_is_refused() {
    let mut room = TestRoom::<Sticheln>::new(3, 1);
    let conns = THREE.map(|person| room.join_and_sit(person));
    let spectator = room.join("Eve");
    assert_eq!(room.send_command(spectator, ask(1)), "no_game");
    room.grant(conns[0], json!({"type": "start"}));
    for round in [0, 2, 255] {
        assert_eq!(room.send_command(spectator, ask(round)), "no_such_round");
    }
    assert_eq!(room.send_command(spectator, ask(256)), "malformed");
    room.grant(spectator, ask(1));
    while room.everybody_acts(&conns) {}
    assert_eq!(room.send_command(spectator, ask(2)), "no_such_round");
    room.wait(seconds(60));
    room.grant(spectator, ask(2));
    let stranger = room.connect("Finn");
    assert_eq!(room.send_command(stranger, ask(1)), "hello_first");
}

/// A person reads a few logs at once, then one in two seconds. All people in a room share a limit too.
#[test]
fn logs_are_not_read_too_often() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    for _ in 0..6 {
        room.grant(spectator, ask(1));
    }
    assert_eq!(room.send_command(spectator, ask(1)), "too_soon");
    room.grant(conns[0], ask(1));
    room.wait(seconds(2));
    room.grant(spectator, ask(1));
    assert_eq!(room.send_command(spectator, ask(1)), "too_soon");

    room.wait(seconds(60));
    let names = ["F", "G", "H", "I", "J", "K"];
    let tokens = names.map(|name| room.join(name));
    let mut read = 0;
    for conn in tokens {
        read += (0..6)
            .filter(|_| room.send_command(conn, ask(1)) == "ok")
            .count();
    }
    assert_eq!(read, 30);
}

/// One read of a connection is done at a time, and few of a room. A repetition shares the answer, and a later one is read
/// again.
#[test]
fn reads_wait_for_the_task() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    let finn = room.join("Finn");
    room.send_without_work(spectator, "a", ask(1));
    room.send_without_work(spectator, "a", ask(1));
    assert_eq!(room.answers(spectator, "a"), [""; 0]);
    room.send_without_work(spectator, "b", ask(1));
    assert_eq!(room.answers(spectator, "b"), ["busy"]);
    for conn in conns {
        room.send_without_work(conn, "c", ask(1));
    }
    room.send_without_work(finn, "d", ask(1));
    assert_eq!(room.answers(finn, "d"), ["busy"]);
    // Moves do not wait.
    let action = json!({"type": "act", "action": room.take_view(conns[0]).unwrap().legal[0]});
    room.grant(conns[0], action);
    room.disconnect(conns[2]);
    room.finish_work();
    assert_eq!(room.answers(spectator, "a"), ["ok"]);
    assert_eq!(room.received(spectator, "round_log").len(), 1);
    assert_eq!(room.received(conns[2], "round_log").len(), 0);
    assert_eq!(room.answers(conns[2], "c"), [""; 0]);
    assert_eq!(room.send_command_as(spectator, "a", ask(1)), "ok");
    assert_eq!(room.received(spectator, "round_log").len(), 1);

    room.send_without_work(finn, "e", ask(1));
    room.handle(Input::ReadDone(finn, Err(Refusal::RoundUnavailable)));
    assert_eq!(room.answers(finn, "e"), ["round_unavailable"]);
}
