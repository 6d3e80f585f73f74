//! The replays of finished rounds: they show what people were sent in play, and nothing of a round that is not over.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json, to_value};
use sticheln_bots::Player;
use sticheln_protocol::ReplayAccess;
use sticheln_room::{
    ConnId, Entry, GameOutline, Names, Owner, Phase, ReplayId, Shuffle, Snapshot, Timestamp,
    round_replay,
};
use sticheln_rules::{End, GameId, Nyet, Sticheln, nyet, shuffled, sticheln};

use crate::clients::{TestRoom, token};
use crate::imports::record;

/// The snapshot and the entries of each round, the first one first.
pub fn segments<G: Player>(room: &TestRoom<G>) -> Vec<(Snapshot<G>, Vec<Entry<G>>)> {
    let firsts = room
        .snapshots
        .iter()
        .map(|snapshot| snapshot.entry_number() as usize + 1);
    let ends = firsts.clone().skip(1).chain([room.log.len()]);
    let segments = room.snapshots.iter().zip(firsts.zip(ends));
    let rounds = segments.filter(|(snapshot, _)| snapshot.is_before_deal());
    rounds
        .map(|(snapshot, (first, end))| (snapshot.clone(), room.log[first..end].to_vec()))
        .collect()
}

/// The replay of a round as JSON, without names; `None` if the round is not over.
pub fn replay<G: Player>(snapshot: &Snapshot<G>, entries: &[Entry<G>]) -> Option<Value> {
    let shuffle: Shuffle = Arc::new(shuffled);
    let replay = round_replay(snapshot.clone(), entries.iter().cloned(), &shuffle);
    let replay = replay.unwrap()?.with_names(&Names::new());
    Some(to_value(replay).unwrap())
}

/// What a replay shows after each step, as one observer sees it.
#[derive(Default)]
struct Shown {
    table: Value,
    own: BTreeMap<u64, Value>,
    events: Vec<Value>,
}

impl Shown {
    fn step(&mut self, step: &Value) {
        if let Some(table) = step.get("table") {
            self.table = table.clone();
        }
        for own in step["own"].as_array().into_iter().flatten() {
            self.own.insert(own[0].as_u64().unwrap(), own[1].clone());
        }
        self.events
            .extend(step["events"].as_array().into_iter().flatten().cloned());
    }
}

/// Compares the messages `game` of a client with the replay of their round. Returns how many views of a hand were compared.
fn compare(sent: &[Value], replay: &Value) -> usize {
    let steps = replay["steps"].as_array().unwrap();
    let mut shown = Shown::default();
    let mut next = steps.iter().peekable();
    let mut hands = 0;
    for game in sent {
        let rev = game["rev"].as_u64();
        while let Some(step) = next.next_if(|step| step["rev"].as_u64() <= rev) {
            shown.step(step);
        }
        assert_eq!(game["view"]["table"], shown.table, "at {rev:?}");
        let events = std::mem::take(&mut shown.events);
        assert_eq!(game["events"], json!(events), "at {rev:?}");
        if let Some(own) = game["view"].get("own") {
            let seat = game["view"]["seat"].as_u64().unwrap();
            assert_eq!(own, &shown.own[&seat], "at {rev:?}");
            hands += 1;
        }
    }
    assert!(
        next.all(|step| step.get("events").is_none()),
        "the client was sent all events"
    );
    hands
}

/// Plays a whole game. Bob and Cem think longer at times, and Cem leaves their chair to a bot after a while.
fn play<G: Player>(room: &mut TestRoom<G>, conns: &[ConnId; 3]) {
    for turn in 0.. {
        if room.inner.phase() == Phase::Over {
            return;
        }
        assert!(turn < 2000, "the game does not end");
        if turn == 15 {
            room.grant(conns[2], json!({"type": "stand"}));
        }
        let here = if turn % 4 == 3 { 1 } else { 3 };
        room.everybody_acts(&conns[..here]);
        room.wait(Duration::from_secs(6));
    }
}

fn replay_shows_what_was_sent<G: Player>(options: &G::Options) {
    for seed in 0..3 {
        let (mut room, conns, spectator) = TestRoom::<G>::with_spectator(options.clone(), seed);
        play(&mut room, &conns);
        let segments = segments(&room);
        assert_eq!(segments.len(), 2);
        for conn in [conns[0], conns[1], conns[2], spectator] {
            let sent = room.received(conn, "game");
            let mut hands = 0;
            for (snapshot, entries) in &segments {
                let replay = replay(snapshot, entries).unwrap();
                let steps = replay["steps"].as_array().unwrap();
                let [first, last] =
                    [&steps[0], steps.last().unwrap()].map(|step| step["rev"].as_u64());
                let of_round = |game: &&Value| (first..=last).contains(&game["rev"].as_u64());
                let sent: Vec<Value> = sent.iter().filter(of_round).cloned().collect();
                hands += compare(&sent, &replay);
            }
            assert_eq!(hands > 20, conn != spectator, "seed {seed}");
        }
    }
}

#[test]
fn a_replay_shows_what_each_seat_and_a_spectator_were_sent() {
    replay_shows_what_was_sent::<Sticheln>(&sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    });
    replay_shows_what_was_sent::<Nyet>(&nyet::Options {
        end: End::rounds(2),
        ..Default::default()
    });
}

/// Until the last card of a round is played, it has no replay, however many entries there are.
#[test]
fn a_round_that_is_not_over_has_no_replay() {
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {
        room.wait(Duration::from_millis(10));
    }
    let (snapshot, entries) = segments(&room).swap_remove(0);
    let is_shown: Vec<bool> = (1..=entries.len())
        .map(|count| replay(&snapshot, &entries[..count]).is_some())
        .collect();
    assert_eq!(is_shown.iter().filter(|is_shown| **is_shown).count(), 1);
    assert_eq!(is_shown.last(), Some(&true));
}

/// The outline of the only game of a room.
fn outline<G: Player>(room: &TestRoom<G>) -> (&String, &GameOutline) {
    assert_eq!(room.outlines.len(), 1);
    room.outlines.iter().next().unwrap()
}

/// The outline as people are sent it.
fn overview<G: Player>(room: &TestRoom<G>) -> Value {
    let (id, outline) = outline(room);
    let names = room.names.iter();
    let names = names.map(|(person, name)| (*person, name.as_str().to_owned()));
    to_value(outline.replay(
        id.parse().unwrap(),
        &GameId::new("any"),
        None,
        &names.collect(),
    ))
    .unwrap()
}

/// The table of the newest `room` of a client.
fn table<G: Player>(room: &TestRoom<G>, conn: ConnId) -> Value {
    let mut messages = room.inbox[&conn].iter();
    let newest = messages.rfind(|message| message.kind() == "room");
    newest.unwrap()["table"].clone()
}

#[test]
fn a_game_has_an_outline_from_its_first_finished_round_on() {
    let options = sticheln::Options {
        end: End::rounds(2),
        ..Default::default()
    };
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(options, 1);
    assert!(room.outlines.is_empty());
    assert_eq!(table(&room, spectator).get("replay"), None);
    while room.everybody_acts(&conns) {}
    let first = overview(&room);
    assert_eq!(first["status"], "playing");
    assert_eq!(first["rounds"].as_array().unwrap().len(), 1);
    assert_eq!(
        first["players"][1],
        json!({"kind": "person", "name": "Bob"})
    );
    let id = outline(&room).0.clone();
    assert_eq!(table(&room, spectator)["replay"], json!(id));
    play(&mut room, &conns);
    let whole = overview(&room);
    assert_eq!(whole["id"], json!(id));
    assert_eq!(whole["status"], "over");
    assert_eq!(whole["rounds"][0], first["rounds"][0]);
    assert_eq!(whole["players"][2]["kind"], "bot");
    let sheet = to_value(room.inner.sheet().unwrap()).unwrap();
    let points: Vec<_> = (0..2)
        .map(|round| whole["rounds"][round]["points"].clone())
        .collect();
    assert_eq!(json!(points), sheet["rounds"]);
    assert_eq!(whole["totals"], sheet["totals"]);
    assert_eq!(whole["ranks"], sheet["ranks"]);
    let (_, outline) = outline(&room);
    assert!(outline.deal_entry(1) < outline.deal_entry(2));
    assert_eq!((outline.deal_entry(0), outline.deal_entry(3)), (None, None));
    let first_deals: Vec<_> = segments(&room)
        .iter()
        .map(|(snapshot, _)| snapshot.entry_number() + 1)
        .collect();
    assert_eq!(
        first_deals,
        [1, 2].map(|round| outline.deal_entry(round).unwrap())
    );

    // A rematch is another game.
    for conn in [conns[0], conns[1]] {
        room.grant(conn, json!({"type": "ready", "ready": true}));
    }
    assert_eq!(room.inner.phase(), Phase::Playing);
    assert_eq!(table(&room, spectator).get("replay"), None);
    while room.everybody_acts(&conns[..2]) || room.inner.sheet().unwrap().rounds.is_empty() {
        room.wait(Duration::from_secs(3));
    }
    assert_eq!(room.outlines.len(), 2);
}

/// A round that is ended early is opened as abandoned, also if the game is cleared with it.
#[test]
fn a_round_that_was_ended_early_is_abandoned() {
    let agree = |room: &mut TestRoom, conns: &[ConnId; 3]| {
        for conn in conns {
            room.grant(*conn, json!({"type": "agree_to_end", "agree": true}));
        }
    };
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    for _ in 0..3 {
        room.everybody_acts(&conns);
    }
    agree(&mut room, &conns);
    assert_eq!(room.inner.phase(), Phase::Lobby);
    let cleared = overview(&room);
    assert_eq!(cleared["status"], "cleared");
    assert_eq!(cleared["rounds"], json!([{"round": 1}]));
    assert!(!outline(&room).1.has_record());
    let (snapshot, entries) = segments(&room).swap_remove(0);
    let cleared = replay(&snapshot, &entries).unwrap();
    // A deal, three picks and some cards.
    assert!(cleared["steps"].as_array().unwrap().len() > 6);

    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {}
    room.wait(Duration::from_secs(60));
    room.everybody_acts(&conns);
    agree(&mut room, &conns);
    assert_eq!(room.inner.phase(), Phase::Over);
    let ended = overview(&room);
    assert_eq!(ended["status"], "ended_early");
    assert_eq!(ended["rounds"][1], json!({"round": 2}));
    assert!(ended["rounds"][0]["points"].is_array());
    let (snapshot, entries) = segments(&room).swap_remove(1);
    assert!(replay(&snapshot, &entries).is_some());
}

#[test]
fn a_game_played_under_a_password_is_not_opened_by_its_removal() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    let replays = |room: &TestRoom<Sticheln>| table(room, spectator).get("replays").cloned();
    room.grant(conns[0], json!({"type": "configure", "password": "secret"}));
    room.grant(conns[0], json!({"type": "configure", "password": "other"}));
    assert_eq!(replays(&room), Some(json!("players")));
    room.grant(conns[0], json!({"type": "configure", "password": null}));
    assert_eq!(replays(&room), Some(json!("players")));
    let open = json!({"type": "configure", "replays": "everybody"});
    room.grant(conns[0], open);
    assert_eq!(replays(&room), None);
    // The choice of the host stays.
    room.grant(conns[0], json!({"type": "configure", "password": "secret"}));
    room.grant(conns[0], json!({"type": "configure", "password": null}));
    assert_eq!(replays(&room), None);

    // In a room that never had a password the default stays.
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    room.grant(conns[0], json!({"type": "configure", "password": null}));
    assert_eq!(table(&room, spectator).get("replays"), None);
    room.grant(conns[0], json!({"type": "configure", "password": "secret"}));
    assert_eq!(table(&room, spectator)["replays"], "players");
}

#[test]
fn the_option_decides_who_may_see_a_replay() {
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {}
    let [ann, cem, dan, eve] =
        ["Ann", "Cem", "Dan", "Eve"].map(|name| Some(Owner::of_token(&token(name)).unwrap()));
    let (_, outline) = outline(&room);
    for (access, people) in [
        (ReplayAccess::Nobody, [false, false, false]),
        (ReplayAccess::Players, [true, false, false]),
        (ReplayAccess::Everybody, [true, true, true]),
    ] {
        let seen = [ann, eve, None].map(|owner| outline.may_be_seen(access, owner));
        assert_eq!(seen, people, "{access:?}");
    }
    assert_eq!(table(&room, spectator).get("replays"), None);
    assert_eq!(
        to_value(room.inner.summary().public).unwrap()["replays"],
        "everybody"
    );
    room.grant(conns[0], json!({"type": "configure", "password": "secret"}));
    assert_eq!(table(&room, spectator)["replays"], "players");
    assert_eq!(
        to_value(room.inner.summary().public).unwrap()["replays"],
        "players"
    );
    room.grant(
        conns[0],
        json!({"type": "configure", "replays": "everybody"}),
    );
    assert_eq!(table(&room, spectator).get("replays"), None);
    room.grant(conns[0], json!({"type": "configure", "replays": "nobody"}));
    assert_eq!(table(&room, spectator)["replays"], "nobody");
    assert_eq!(table(&room, spectator).get("replay"), None);
    room.grant(conns[0], json!({"type": "configure", "password": null}));
    assert_eq!(table(&room, spectator)["replays"], "nobody");
    room.grant(conns[0], json!({"type": "configure", "password": "secret"}));
    assert_eq!(
        room.send_command(
            conns[1],
            json!({"type": "configure", "replays": "everybody"})
        ),
        "not_host"
    );

    // Somebody who takes a seat later is a player, and somebody who leaves stays one.
    room.password = Some("secret");
    room.grant(conns[2], json!({"type": "stand"}));
    let dan_conn = room.join("Dan");
    room.grant(dan_conn, json!({"type": "sit", "name": "Dan"}));
    room.wait(Duration::from_secs(60));
    while room.everybody_acts(&[conns[0], conns[1], dan_conn])
        || room.inner.sheet().unwrap().rounds.len() == 1
    {
        room.wait(Duration::from_secs(3));
    }
    let (_, outline) = self::outline(&room);
    let players =
        [ann, cem, dan, eve].map(|owner| outline.may_be_seen(ReplayAccess::Players, owner));
    assert_eq!(players, [true, true, true, false]);
}

#[test]
fn an_outline_has_no_name_of_a_person_and_is_read_back() {
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {}
    let (_, outline) = outline(&room);
    let text = serde_json::to_string(outline).unwrap();
    for name in ["Ann", "Bob", "Cem", "Eve"] {
        assert!(!text.contains(name), "{name}");
    }
    assert_eq!(outline.persons().count(), 3);
    let read: GameOutline = serde_json::from_str(&text).unwrap();
    assert!(read == *outline);
}

/// The list of games is sent on request, with the limits of the logs of rounds.
#[test]
fn the_games_of_a_room_are_listed_on_request() {
    let games = json!({"type": "games"});
    let (mut room, conns, spectator) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    room.grant(spectator, games.clone());
    assert_eq!(room.received(spectator, "games")[0]["games"], json!([]));
    while room.everybody_acts(&conns) {}
    room.grant(spectator, games.clone());
    let listed = room.received(spectator, "games").remove(0);
    let id = outline(&room).0;
    assert_eq!(listed["games"][0]["replay"], json!(id));
    assert_eq!(listed["games"][0]["rounds"], 1);
    assert!(id.parse::<ReplayId>().is_ok());
    for _ in 0..4 {
        room.grant(spectator, games.clone());
    }
    assert_eq!(room.send_command(spectator, games), "too_soon");
}

/// Whether a hidden choice was replaced cannot be told from a replay.
#[test]
fn a_replay_does_not_show_that_a_choice_was_replaced() {
    let replay_after = |replaces: bool| {
        let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 4);
        let legal = room.take_view(conns[0]).unwrap().legal;
        let act = |action: &Value| json!({"type": "act", "action": action});
        if replaces {
            for action in &legal[1..4] {
                room.grant(conns[0], act(action));
            }
        }
        room.grant(conns[0], act(&legal[0]));
        // Somebody sits down after the replacements: the ids of people follow from the number of entries.
        room.grant(conns[2], json!({"type": "stand"}));
        let dan = room.join("Dan");
        room.grant(dan, json!({"type": "sit", "name": "Dan"}));
        while room.everybody_acts(&[conns[0], conns[1], dan]) || room.outlines.is_empty() {
            room.wait(Duration::from_secs(3));
        }
        let (snapshot, entries) = segments(&room).swap_remove(0);
        assert_eq!(
            room.log.iter().any(|entry| entry.change.is_private()),
            replaces
        );
        replay(&snapshot, &entries).unwrap()
    };
    assert_eq!(replay_after(false), replay_after(true));
}

/// A person comes back and replaces the choice that a bot has made for them. Nobody else has noticed it, and neither the
/// replay nor the record tells them. They choose another card, and then the card of the bot again, so that both games are the
/// same.
#[test]
fn files_do_not_show_that_the_choice_of_a_bot_was_replaced() {
    let files_after = |replaces: bool| {
        let options = sticheln::Options {
            end: End::rounds(1),
            ..Default::default()
        };
        let (mut room, mut conns, _) = TestRoom::<Sticheln>::with_spectator(options, 4);
        room.disconnect(conns[0]);
        room.wait(Duration::from_secs(30));
        room.grant(conns[1], json!({"type": "stand_in", "seat": 0}));
        room.wait(Duration::from_secs(3));
        conns[0] = room.join("Ann");
        let choices = room.changes(conns[0]);
        assert_eq!(choices.len(), 14, "the bot has picked");
        room.wait(Duration::from_secs(5));
        if replaces {
            let replace = |choice: &Value| json!({"type": "act", "action": choice});
            room.grant(conns[0], replace(&choices[0]));
            let mut others = room.changes(conns[0]);
            others.retain(|choice| !choices.contains(choice));
            room.grant(conns[0], replace(&others[0]));
        }
        // The clock goes back. The time of the replacement must not become that of the next moves.
        room.restart_at(Timestamp(room.now.0 - 4_000));
        let conns = ["Ann", "Bob", "Cem"].map(|name| room.join(name));
        play(&mut room, &conns);
        let (snapshot, entries) = segments(&room).swap_remove(0);
        assert_eq!(
            room.log.iter().any(|entry| entry.change.is_private()),
            replaces
        );
        (replay(&snapshot, &entries).unwrap(), record(&room).json())
    };
    assert_eq!(files_after(false), files_after(true));
}

/// The owner of a handed-over seat may see the replay at once, also of the rounds before, and nothing of the running one.
#[test]
fn a_seat_that_was_handed_over_brings_its_replays() {
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {}
    room.wait(Duration::from_secs(60));
    room.everybody_acts(&conns);
    let phone = Owner::of_token(&token("Phone")).unwrap();
    let may_see = |room: &TestRoom| {
        let (_, outline) = outline(room);
        outline.may_be_seen(ReplayAccess::Players, Some(phone))
    };
    assert!(!may_see(&room));
    room.grant(conns[0], json!({"type": "handover"}));
    let code = room.received(conns[0], "handover").remove(0)["code"].clone();
    let conn = room.join("Phone");
    room.grant(conn, json!({"type": "handover", "code": code}));
    assert!(may_see(&room));
    let (_, outline) = outline(&room);
    assert_eq!(outline.rounds().collect::<Vec<_>>(), [1]);
}

/// Hands the seat of a connection over to another person.
fn hand_over(room: &mut TestRoom, from: ConnId, to: &'static str) {
    room.grant(from, json!({"type": "handover"}));
    let code = room.received(from, "handover").pop().unwrap()["code"].clone();
    let conn = room.join(to);
    room.grant(conn, json!({"type": "handover", "code": code}));
}

/// After the end of a game others take its chairs. Its players stay those of its last round.
#[test]
fn the_players_of_a_finished_game_stay_so() {
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    play(&mut room, &conns);
    let seats = |room: &TestRoom| to_value(outline(room).1).unwrap()["seats"].clone();
    let before = seats(&room);
    assert_eq!(before.as_array().unwrap().len(), 3);
    room.grant(conns[1], json!({"type": "stand"}));
    hand_over(&mut room, conns[0], "Phone");
    assert_eq!(seats(&room), before, "the chair is free");
    let eve = room.join("Eve");
    room.grant(eve, json!({"type": "sit", "name": "Eve"}));
    let phone = room.join("Phone");
    hand_over(&mut room, phone, "Tablet");
    assert_eq!(seats(&room), before, "Eve has the chair");
    let (_, outline) = outline(&room);
    let is_player = ["Ann", "Bob", "Cem", "Phone", "Tablet", "Eve"].map(|name| {
        let owner = Owner::of_token(&token(name)).unwrap();
        outline.may_be_seen(ReplayAccess::Players, Some(owner))
    });
    assert_eq!(is_player, [true, true, true, true, true, false]);
}

/// A new owner of a seat is a player of the game at once, also while nobody may see its replays.
#[test]
fn a_new_owner_may_see_the_rounds_before() {
    let (mut room, conns, _) = TestRoom::<Sticheln>::with_spectator(Default::default(), 1);
    while room.everybody_acts(&conns) {}
    room.wait(Duration::from_secs(60));
    room.grant(conns[0], json!({"type": "configure", "replays": "nobody"}));
    hand_over(&mut room, conns[1], "Phone");
    room.grant(conns[2], json!({"type": "stand"}));
    let dan = room.join("Dan");
    room.grant(dan, json!({"type": "sit", "name": "Dan"}));
    let (_, outline) = outline(&room);
    for name in ["Phone", "Dan"] {
        let owner = Owner::of_token(&token(name)).unwrap();
        assert!(
            outline.may_be_seen(ReplayAccess::Players, Some(owner)),
            "{name}"
        );
    }
    assert_eq!(outline.rounds().collect::<Vec<_>>(), [1]);
}
