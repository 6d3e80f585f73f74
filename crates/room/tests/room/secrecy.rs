//! Nobody is sent a card that they may not know, in any message of a whole game. The test states which cards those are,
//! from the log alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Searchable;
use sticheln_bots::sticheln::position::Position;
use sticheln_room::{
    Actor, Change, ClientRequest, ConnId, Effect, Entropy, Input, Phase, Room, RoomSettings,
};
use sticheln_rules::{Card, Game, Seat, Seed, Sticheln, shuffled, sticheln};

use crate::clients::{TestRoom, token};
use crate::deals::exchanging;
use crate::entropy::seeded_entropy;
use crate::search::{begun, seat_to_act};

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

/// The cards of the present round that an observer may know after these entries.
fn known(room: &TestRoom<Sticheln>, observer: Option<Seat>) -> BTreeSet<String> {
    let seats = room.log.iter().find_map(|entry| match &entry.change {
        Change::Opened { seats, .. } => Some(sticheln_rules::Seats::new(*seats).unwrap()),
        _ => None,
    });
    let seats = seats.unwrap();
    let mut known = BTreeSet::new();
    let mut picks = vec![];
    for entry in &room.log {
        match &entry.change {
            Change::Dealt { seed, .. } => {
                picks.clear();
                let pack = Sticheln::pack(&Default::default(), seats);
                let deck = shuffled(pack, seed);
                let own = observer.into_iter().flat_map(|seat| {
                    let first = seat.index() * Sticheln::hand_size(seats);
                    deck[first..first + Sticheln::hand_size(seats)].iter()
                });
                known = own.map(ToString::to_string).collect();
            }
            Change::Acted { action, .. } => match action {
                sticheln::Action::Pick { card } => picks.push(card.to_string()),
                sticheln::Action::Play { card } => {
                    known.insert(card.to_string());
                }
            },
            _ => {}
        }
        if picks.len() == seats.count() {
            known.extend(picks.iter().cloned());
        }
    }
    known
}

/// The names of all cards in a text.
fn named(text: &str, all: &[String]) -> BTreeSet<String> {
    all.iter()
        .filter(|card| text.contains(&format!("\"{card}\"")))
        .cloned()
        .collect()
}

#[test]
fn nobody_is_sent_a_card_they_may_not_know() {
    for seed in 0..5 {
        let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&THREE, seed);
        let spectator = room.join("Eve");
        let seats = sticheln_rules::Seats::new(3).unwrap();
        let pack: Vec<String> = Sticheln::pack(&Default::default(), seats)
            .iter()
            .map(ToString::to_string)
            .collect();
        let observers: Vec<(ConnId, Option<Seat>)> = conns
            .iter()
            .zip(seats.iter())
            .map(|(conn, seat)| (*conn, Some(seat)))
            .chain([(spectator, None)])
            .collect();

        let mut checked = 0;
        let mut turn = 0;
        while room.inner.phase() == Phase::Playing {
            turn += 1;
            // A seat sometimes plays a card that it does not hold: the refusal must not reveal anything either.
            let card = &pack[turn % pack.len()];
            let action = json!({"type": "play", "card": card});
            room.send_command(conns[turn % 3], json!({"type": "act", "action": action}));
            let views: Vec<_> = observers
                .iter()
                .map(|(conn, _)| room.inbox[conn].clone())
                .collect();
            let acted = conns[turn % 3];
            if !room.everybody_acts(&[acted]) && turn % 3 == 2 {
                room.wait(Duration::from_secs(31));
            }
            for ((conn, seat), before) in observers.iter().zip(views) {
                let text = json!(room.inbox[conn][before.len()..]).to_string();
                let sent = named(&text, &pack);
                let known = known(&room, *seat);
                // The message that ends a round has its last trick.
                let secret: Vec<_> = sent.difference(&known).collect();
                assert!(secret.is_empty(), "{seat:?} was sent {secret:?}");
                checked += sent.len();
            }
            room.inbox.values_mut().for_each(|inbox| {
                let newest = inbox.iter().rposition(|message| message.kind() == "game");
                inbox.drain(..newest.unwrap_or(0));
            });
        }
        assert!(checked > 1000, "only {checked} cards were looked at");
    }
}

/// A bot picks for a person who is away or whose time is over: the others are sent the same. The twins have the same
/// deal, apart from the exchanged hands of Bob and Cem.
#[test]
fn a_pick_of_a_bot_stays_hidden() {
    let mut differing = 0;
    for seed in 0..8 {
        let play = |mut room: TestRoom| -> (TestRoom, Value) {
            let conns = THREE.map(|person| room.join_and_sit(person));
            let spectator = room.join("Eve");
            let (ann, bob) = (conns[0], conns[1]);
            assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
            room.disconnect(bob);
            room.wait(Duration::from_secs(30));
            let stand_in = json!({"type": "stand_in", "seat": 1});
            assert_eq!(room.send_command(ann, stand_in), "ok");
            room.wait(Duration::from_secs(2));
            received(room, [ann, spectator])
        };
        let received_of_bot = assert_same_for_twins(seed, Actor::Bot, &play, &mut differing);
        assert!(received_of_bot.contains(r#"{"by":"bot","seat":1,"type":"acted_for"}"#));

        let play = |mut room: TestRoom| -> (TestRoom, Value) {
            let conns = THREE.map(|person| room.join_and_sit(person));
            let spectator = room.join("Eve");
            let ann = conns[0];
            let limit = json!({"type": "configure", "turn_seconds": 1});
            assert_eq!(room.send_command(ann, limit), "ok");
            assert_eq!(room.send_command(ann, json!({"type": "start"})), "ok");
            // Bob leaves his chair to a bot whose pause is longer than the time limit: nothing is
            // revealed yet when the time of the others is over.
            assert_eq!(room.send_command(conns[1], json!({"type": "stand"})), "ok");
            let mut is_ready = true;
            while room.inner.next_tick_at() < Some(room.now.after(Duration::from_secs(1))) {
                let ready = json!({"type": "ready", "ready": is_ready});
                assert_eq!(room.send_command(ann, ready), "ok");
                is_ready = !is_ready;
            }
            room.wait(Duration::from_secs(1));
            received(room, [ann, spectator])
        };
        let received_of_clock = assert_same_for_twins(seed, Actor::Clock, &play, &mut differing);
        assert!(received_of_clock.contains(r#"{"by":"clock","seat":2,"type":"acted_for"}"#));
    }
    assert!(differing >= 8, "only {differing} picks were others");
}

/// The room, and all that these connections have received.
fn received(room: TestRoom, conns: [ConnId; 2]) -> (TestRoom, Value) {
    let messages = json!(conns.map(|conn| room.inbox[&conn].clone()));
    (room, messages)
}

/// Plays both twins, and compares what is sent. Counts the picks of bots for Bob and Cem that differ.
fn assert_same_for_twins(
    seed: u64,
    by: Actor,
    play: &impl Fn(TestRoom) -> (TestRoom, Value),
    differing: &mut usize,
) -> String {
    let (one, received) = play(TestRoom::new(3, seed));
    let (twin, others) = play(TestRoom::with(
        3,
        seed,
        RoomSettings::default(),
        exchanging(seed),
    ));
    assert_eq!(received, others, "seed {seed}");
    let picks = |room: &TestRoom| -> Vec<sticheln::Action> {
        let acts = room.log.iter().filter_map(|entry| match &entry.change {
            Change::Acted {
                seat,
                by: who,
                action,
            } if *who == by && seat.index() > 0 => Some(*action),
            _ => None,
        });
        acts.collect()
    };
    assert_eq!(picks(&one).len(), 1, "seed {seed}");
    *differing += usize::from(picks(&one) != picks(&twin));
    received.to_string()
}

/// The position is the same if the room is read back from a log with other cards that the seat cannot know.
#[test]
fn a_search_gets_only_what_its_seat_knows() {
    let mut checked = 0;
    for seed in 0..4 {
        let (mut room, ann) = begun::<Sticheln>(&["expert", "expert"], seed);
        while room.inner.phase() == Phase::Playing {
            for (request, position) in std::mem::take(&mut room.searches) {
                let seat = seat_to_act(&room);
                let of_twin = position_of_twin(&room, &known(&room, Some(seat)));
                assert_eq!(
                    format!("{position:?}"),
                    format!("{of_twin:?}"),
                    "seed {seed}"
                );
                let search = |position: &Position| position.search(seed, 40, &mut || false);
                let action = search(&position);
                assert_eq!(action, search(&of_twin), "seed {seed}");
                room.handle(Input::SearchDone(request, action));
                checked += 1;
            }
            room.keep_newest(&["game"]);
            room.everybody_acts(&[ann]);
            room.wait(Duration::from_millis(100));
        }
    }
    assert!(checked >= 4 * 26, "only {checked} positions were looked at");
}

/// The position of the search in a twin room. The twin wakes from the log of this room, where the cards of the present
/// round that are not known are exchanged.
fn position_of_twin(room: &TestRoom<Sticheln>, known: &BTreeSet<String>) -> Position {
    let dealt = room.log.iter().rev().find_map(|entry| match &entry.change {
        Change::Dealt { seed, .. } => Some(*seed),
        _ => None,
    });
    let (dealt, known) = (dealt.unwrap(), known.clone());
    let exchanged = move |pack: Vec<Card>, seed: &Seed| {
        let mut deck = shuffled(pack, seed);
        if *seed == dealt {
            let is_unknown = |place: &usize| !known.contains(&deck[*place].to_string());
            let places: Vec<usize> = (0..deck.len()).filter(is_unknown).collect();
            let mut cards: Vec<Card> = places.iter().map(|place| deck[*place]).collect();
            // Half of them are exchanged with the other seat, which holds as many.
            cards.rotate_left(places.len() / 2);
            for (place, card) in places.into_iter().zip(cards) {
                deck[place] = card;
            }
        }
        deck
    };
    let entropy = Entropy {
        bits: seeded_entropy(1).bits,
        shuffle: Arc::new(exchanged),
    };
    let names = room.names.clone();
    let mut woken =
        Room::wake("k7qm2x4p", room.now, None, room.log.clone(), names, entropy).unwrap();
    assert!(woken != room.inner, "the cards lie otherwise");
    let conn = ConnId(1);
    let _ = woken.handle(
        room.now,
        Input::Connect(
            conn,
            [192, 0, 2, 1].into(),
            sticheln_room::ProtocolVersion::FIRST,
        ),
    );
    let hello = json!({"type": "hello", "id": "1", "token": token("Eve")});
    let outputs = woken.handle(
        room.now,
        Input::Message(conn, ClientRequest::read(&hello.to_string())),
    );
    let asked = outputs.effects.into_iter().find_map(|effect| match effect {
        Effect::Search(_, position) => Some(position),
        _ => None,
    });
    asked.expect("the same expert is asked")
}
