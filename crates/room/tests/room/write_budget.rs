//! The bytes that may be added to a room log.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_protocol::limits::MAX_ID_LENGTH;
use sticheln_room::{Change, MAX_GAME_BYTES, Phase, RoomLimits, RoomSettings, WriteBudget};
use sticheln_rules::{Nyet, Sticheln};

use crate::clients::TestRoom;
use crate::entropy::seeded_entropy;

const PEOPLE: [&str; 6] = ["Ann", "Bob", "Cem", "Dan", "Eli", "Fay"];

#[test]
fn without_a_budget_a_running_game_goes_on_and_nothing_else_is_written() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..3], 3);
    let (ann, bob) = (conns[0], conns[1]);
    for (budget, code) in [
        (WriteBudget::Bytes(0), "written_too_much"),
        (WriteBudget::SpaceReserved, "storage_full"),
    ] {
        room.inner.set_write_budget(budget);
        // A choice may be replaced: the bytes were charged when the game started.
        if let Some(change) = room.changes(ann).first() {
            room.grant(ann, json!({"type": "act", "action": change}));
        }
        let rev = room.inner.entry_number();
        for message in [
            json!({"type": "configure", "title": "Friday"}),
            json!({"type": "rename", "name": "Anna"}),
            json!({"type": "pause"}),
            json!({"type": "ready", "ready": true}),
        ] {
            assert_eq!(room.send_command(ann, message), code);
        }
        assert_eq!(room.inner.entry_number(), rev);
        assert!(room.everybody_acts(&conns));
        room.keep_newest(&["game"]);
    }
    // The game goes on to its end, and people can leave.
    while room.inner.phase() != Phase::Over {
        room.everybody_acts(&conns);
        room.wait(Duration::from_secs(30));
        room.keep_newest(&["game"]);
    }
    assert_eq!(
        room.send_command(ann, json!({"type": "rematch"})),
        "storage_full"
    );
    assert_eq!(room.send_command(bob, json!({"type": "stand"})), "ok");
    room.grant(ann, json!({"type": "return_to_lobby"}));
}

/// `docs/wire/codes.md` lists these commands for `written_too_much`, `storage_full` and `log_full`.
#[test]
fn commands_that_games_need_are_accepted_without_space() {
    let full_log = RoomLimits {
        entries: 1,
        ..RoomLimits::default()
    };
    let no_space: [&dyn Fn(&mut TestRoom); 3] = [
        &|room| room.inner.set_write_budget(WriteBudget::Bytes(0)),
        &|room| room.inner.set_write_budget(WriteBudget::SpaceReserved),
        &|room| room.inner.set_limits(full_log),
    ];
    for use_up in no_space {
        let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..3], 3);
        let (ann, cem) = (conns[0], conns[2]);
        assert_eq!(room.send_command(ann, json!({"type": "pause"})), "ok");
        use_up(&mut room);
        room.disconnect(conns[1]);
        assert_eq!(room.send_command(ann, json!({"type": "resume"})), "ok");
        room.wait(Duration::from_secs(30));
        let stand_in = json!({"type": "stand_in", "seat": 1});
        assert_eq!(room.send_command(ann, stand_in), "ok");
        let bob = room.join("Bob");
        assert_eq!(room.send_command(bob, json!({"type": "back"})), "ok");
        let remove = json!({"type": "remove", "seat": 1});
        assert_eq!(room.send_command(ann, remove), "ok");
        assert_eq!(room.send_command(cem, json!({"type": "stand"})), "ok");
        assert_eq!(room.send_command(ann, json!({"type": "end"})), "ok");
    }
}

#[test]
fn a_rematch_starts_with_a_full_log() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..3], 3);
    room.inner.set_limits(RoomLimits {
        entries: 1,
        ..RoomLimits::default()
    });
    while room.inner.phase() != Phase::Over {
        room.everybody_acts(&conns);
        room.wait(Duration::from_secs(30));
        room.keep_newest(&["game"]);
    }
    let configure = json!({"type": "configure", "title": "Friday"});
    assert_eq!(room.send_command(conns[0], configure), "log_full");
    let rematch = json!({"type": "rematch"});
    assert_eq!(room.send_command(conns[0], rematch), "ok");
}

#[test]
fn a_game_starts_only_within_the_write_budget() {
    let mut room = TestRoom::<Sticheln>::new(3, 4);
    let conns = PEOPLE[..3].iter().map(|person| room.join_and_sit(person));
    let ann = conns.collect::<Vec<_>>()[0];
    let start = |room: &mut TestRoom| room.send_command(ann, json!({"type": "start"}));
    room.inner.set_write_budget(WriteBudget::UNLIMITED);
    assert_eq!(start(&mut room), "ok");
    let needed = room.game_bytes;
    assert_eq!(room.send_command(ann, json!({"type": "end"})), "ok");
    room.inner.set_write_budget(WriteBudget::Bytes(needed - 1));
    assert_eq!(start(&mut room), "written_too_much");
    room.inner.set_write_budget(WriteBudget::Bytes(needed));
    assert_eq!(start(&mut room), "ok");
}

/// The room refuses `ready`. If the bytes are used up when everybody present is ready, the game waits for them.
#[test]
fn ready_for_a_rematch_is_refused_without_the_bytes_of_a_game() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..3], 5);
    while room.inner.phase() != Phase::Over {
        room.everybody_acts(&conns);
        room.wait(Duration::from_secs(30));
        room.keep_newest(&["game"]);
    }
    let ready = json!({"type": "ready", "ready": true});
    room.inner
        .set_write_budget(WriteBudget::Bytes(room.game_bytes));
    for conn in &conns[..2] {
        assert_eq!(room.send_command(*conn, ready.clone()), "ok");
    }
    room.inner
        .set_write_budget(WriteBudget::Bytes(room.game_bytes - 1));
    assert_eq!(
        room.send_command(conns[2], ready.clone()),
        "written_too_much"
    );
    // The bytes of the address that is charged count, and not those of the sender.
    room.inner
        .set_rematch_budget(WriteBudget::Bytes(room.game_bytes - 1));
    room.inner.set_write_budget(WriteBudget::UNLIMITED);
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(120));
    assert_eq!(room.inner.phase(), Phase::Over);
    room.inner
        .set_rematch_budget(WriteBudget::Bytes(room.game_bytes));
    assert_eq!(room.send_command(conns[0], json!({"type": "ping"})), "ok");
    assert_eq!(room.inner.phase(), Phase::Playing);
}

/// Stand-ins and returns do not alternate for ever in a game that waits for nobody.
#[test]
fn without_a_budget_a_bot_stands_in_only_during_a_turn() {
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..3], 3);
    let stand_in = json!({"type": "stand_in", "seat": 2});
    room.inner.set_write_budget(WriteBudget::UNLIMITED);
    assert_eq!(room.send_command(conns[0], json!({"type": "pause"})), "ok");
    room.disconnect(conns[2]);
    room.wait(Duration::from_secs(60));
    room.inner.set_write_budget(WriteBudget::Bytes(0));
    assert_eq!(
        room.send_command(conns[0], stand_in.clone()),
        "written_too_much"
    );
    assert_eq!(room.send_command(conns[0], json!({"type": "resume"})), "ok");
    // Everybody picks at the same time, so this is also the turn of the absent person.
    assert_eq!(room.send_command(conns[0], stand_in), "ok");
}

/// The server charges its address for a game that starts by itself.
#[test]
fn oldest_seated_conn_skips_spectators() {
    let mut room = TestRoom::<Sticheln>::new(3, 5);
    room.join("Eve");
    let ann = room.join("Ann");
    assert_eq!(room.inner.oldest_seated_conn(), None);
    let bob = room.join_and_sit("Bob");
    assert_eq!(room.inner.oldest_seated_conn(), Some(bob));
    room.grant(ann, json!({"type": "sit", "name": "Ann"}));
    assert_eq!(room.inner.oldest_seated_conn(), Some(ann));
    room.disconnect(ann);
    assert_eq!(room.inner.oldest_seated_conn(), Some(bob));
}

/// Plays a game with as many people as possible and the longest ids, and compares its bytes with the charge.
fn takes_no_more_than_charged<G: Player>() {
    let options = json!({"end": {"type": "rounds", "rounds": 4}});
    let settings = RoomSettings {
        options: RoomSettings::<G>::read_options(&options).unwrap(),
        ..RoomSettings::default()
    };
    let seats = *G::SEATS.end();
    let mut room = TestRoom::<G>::with(seats, 6, settings, seeded_entropy(6));
    let conns: Vec<_> = PEOPLE[..seats]
        .iter()
        .map(|person| room.join_and_sit(person))
        .collect();
    room.uses_longest_ids = true;
    // The snapshots keep the ids of earlier commands.
    for number in 0..200 {
        for conn in &conns {
            let ready = number % 2 == 0;
            room.send_command(*conn, json!({"type": "ready", "ready": ready}));
        }
    }
    assert_eq!(room.send_command(conns[0], json!({"type": "start"})), "ok");
    let started = room.log.len();
    let snapshots = room.snapshots.len();
    while room.inner.phase() != Phase::Over {
        for conn in &conns {
            room.everybody_acts(&[*conn]);
            while let Some(change) = room.changes(*conn).last() {
                room.grant(*conn, json!({"type": "act", "action": change}));
            }
        }
        room.wait(Duration::from_secs(30));
        room.keep_newest(&["game"]);
    }
    let of_game = room.log[started - 1..].iter();
    let moves = of_game.filter(|entry| {
        matches!(
            entry.change,
            Change::Dealt { .. } | Change::Acted { .. } | Change::ChoiceReplaced { .. }
        )
    });
    let mut bytes = 0;
    let mut longest_id = 0;
    for entry in moves {
        let id = entry.command.as_ref().map_or(0, |(_, id)| id.len());
        longest_id = longest_id.max(id);
        bytes += serde_json::to_string(entry).unwrap().len();
    }
    assert_eq!(longest_id, MAX_ID_LENGTH);
    for snapshot in &room.snapshots[snapshots.saturating_sub(1)..] {
        bytes += serde_json::to_string(snapshot).unwrap().len();
    }
    println!(
        "{seats} seats: {bytes} bytes of {} charged",
        room.game_bytes
    );
    assert!(bytes as u64 <= room.game_bytes);
    assert!(
        bytes as u64 > room.game_bytes / 3,
        "the charge is far too high"
    );
}

#[test]
fn a_game_of_sticheln_takes_no_more_bytes_than_charged() {
    takes_no_more_than_charged::<Sticheln>();
}

#[test]
fn a_game_of_nyet_takes_no_more_bytes_than_charged() {
    takes_no_more_than_charged::<Nyet>();
}

/// The server keeps this space free for each awake room.
#[test]
fn no_game_is_charged_with_more_than_the_bound() {
    assert!(largest_charge::<Sticheln>() <= MAX_GAME_BYTES);
    assert!(largest_charge::<Nyet>() <= MAX_GAME_BYTES);
}

/// The figure of `docs/hosting.md` is rounded.
#[test]
fn the_documents_say_how_many_bytes_an_action_takes() {
    let page = include_str!("../../../../docs/hosting.md");
    let (_, figure) = page
        .split_once("Each action in a room takes some ")
        .unwrap();
    let figure: usize = figure.split(' ').next().unwrap().parse().unwrap();
    let (mut room, conns) = TestRoom::<Sticheln>::with_started_game(&PEOPLE[..4], 5);
    let started = room.log.len();
    while room.everybody_acts(&conns) {}
    let entries = room.log[started..].iter();
    let bytes: Vec<_> = entries
        .map(|entry| serde_json::to_string(entry).unwrap().len())
        .collect();
    assert_eq!(bytes.len(), 4 + 14 * 4, "picks and cards of a round");
    let mean = bytes.iter().sum::<usize>() / bytes.len();
    assert!(figure.abs_diff(mean) < figure / 5, "{mean} bytes");
}

/// The bytes that an address may write at once by default: `--written-mib-per-hour`.
const ADDRESS_BYTES: u64 = 24 * 1024 * 1024;

/// `docs/security.md` says how many games fit into the bytes that an address may write at once.
#[test]
fn the_documents_say_how_many_games_an_address_may_start() {
    let page = include_str!("../../../../docs/security.md");
    let (_, games) = page.split_once("After some ").unwrap();
    let games: u64 = games.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(games, ADDRESS_BYTES / charge::<Sticheln>(4, &json!({})));
}

/// A club of 40 people behind one address plays eight games to a score at once.
#[test]
fn eight_long_games_of_five_fit_into_the_bytes_of_an_address() {
    let options = json!({"end": {"type": "target", "target": 100}});
    assert!(8 * charge::<Sticheln>(5, &options) < ADDRESS_BYTES);
    assert!(8 * charge::<Nyet>(5, &options) < ADDRESS_BYTES);
}

/// The charge of the longest game with the most people.
fn largest_charge<G: Player>() -> u64 {
    let options = json!({"end": {"type": "rounds", "rounds": 30}});
    charge::<G>(*G::SEATS.end(), &options)
}

/// The charge of a game with these options.
fn charge<G: Player>(seats: usize, options: &Value) -> u64 {
    let settings = RoomSettings {
        options: RoomSettings::<G>::read_options(options).unwrap(),
        ..RoomSettings::default()
    };
    let mut room = TestRoom::<G>::with(seats, 7, settings, seeded_entropy(7));
    let conns = PEOPLE[..seats]
        .iter()
        .map(|person| room.join_and_sit(person));
    let ann = conns.collect::<Vec<_>>()[0];
    room.grant(ann, json!({"type": "start"}));
    println!("{} bytes with {seats} seats", room.game_bytes);
    room.game_bytes
}
