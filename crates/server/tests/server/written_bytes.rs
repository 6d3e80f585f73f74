//! The bytes that an address may add to the database, and the space that is left for all.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_server::limits::disk_reserve::DiskReserve;
use sticheln_server::limits::operator_limits::Limits;

use crate::harness::{OPEN_ROOM, Server, database, limits};
use crate::panics::Log;
use crate::sleep::sweep;

/// Rooms cost bytes, and an address without bytes changes nothing. Other addresses are not affected.
/// The bytes of the pages of the database that are in use.
fn database_bytes(server: &Server) -> usize {
    let database = database(&server.setup.folder);
    let number = |name| database.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let pages = number("page_count").unwrap() - number("freelist_count").unwrap();
    pages as usize * number("page_size").unwrap() as usize
}

#[tokio::test]
async fn the_bytes_that_an_address_adds_are_limited() {
    const BYTES: usize = 1024 * 1024;
    const ROOM_BYTES: usize = 2048;
    let server = Server::with(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    let bytes = || database_bytes(&server);
    let before = bytes();
    let mut rooms = 0;
    let body = OPEN_ROOM;
    while server.post(body).await.status == 201 {
        rooms += 1;
    }
    // The bucket refills while the rooms are opened.
    let allowed = BYTES / (ROOM_BYTES + body.len());
    assert!(
        (allowed..allowed + 10).contains(&rooms),
        "{rooms} of {allowed}"
    );
    server.post(body).await.refused(429, "written_too_much");
    let added = bytes() - before;
    assert!(added <= BYTES, "{added} bytes are added");
}

#[tokio::test]
async fn refused_rooms_cost_no_bytes() {
    let server = Server::with(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    // The spaces make the body long.
    let wrong = json!({"game": "sticheln", "seats": 99}).to_string() + &" ".repeat(7_000);
    for _ in 0..200 {
        server.post(&wrong).await.refused(400, "wrong_seats");
    }
    assert_eq!(server.post(OPEN_ROOM).await.status, 201);
}

#[tokio::test]
async fn the_start_of_a_game_is_charged() {
    let server = Server::with(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    let mut started = 0;
    loop {
        let room = server.open_sticheln(3).await;
        let (_ann, answer) = server.start_with_bots(&room).await;
        if answer.code != "ok" {
            answer.refused("written_too_much");
            break;
        }
        started += 1;
    }
    // The log of a game of three has 137 KB at most. An hour allows 1 MiB, also for the entries of the lobbies.
    assert_eq!(started, 7);
}

/// The charge for an entry is at least what the database grows by. So the bytes of a day are bounded too.
#[tokio::test]
async fn an_address_adds_no_more_bytes_than_it_is_charged_for() {
    let rename = |number: usize| json!({"type": "rename", "name": format!("Ann {number}")});
    assert_charged(Phase::Lobby, rename, 2_000).await;
    // Three entries of this length take a whole page, and each has a page of its own after its compaction.
    let title = "\u{110bd}\u{1d160}".repeat(39);
    let configure =
        |number| json!({"type": "configure", "title": format!("{title}{}", number % 10)});
    assert_charged(Phase::Game, configure, 150).await;
}

/// The phase in which a room is changed.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Lobby,
    Game,
}

/// Makes such changes until the address has no bytes left. The database must not grow by more than these, also when a sweep has
/// compacted the entries.
async fn assert_charged(phase: Phase, change: impl Fn(usize) -> Value, least_entries: usize) {
    const BYTES: usize = 1024 * 1024;
    /// The age at which a sweep compacts entries that an earlier one has seen.
    const MIN_COMPACTED_AGE: Duration = Duration::from_secs(10 * 60);

    let server = Server::with(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    let bytes = || database_bytes(&server);
    let before = bytes();
    let (mut sent, mut entries, mut refused) = (0, 0, String::new());
    while refused != "written_too_much" {
        // When the log of a room is full, the next room is used.
        let room = server.open_sticheln(3).await;
        let mut ann = match phase {
            Phase::Lobby => server.sit("Ann", &room).await,
            Phase::Game => {
                let (mut ann, started) = server.start_with_bots(&room).await;
                started.ok();
                ann.request(json!({"type": "pause"})).await.ok();
                ann
            }
        };
        refused = "ok".to_owned();
        while refused == "ok" {
            // Messages that arrive together share a commit.
            let ids: Vec<_> = (0..50).map(|_| ann.new_id()).collect();
            for id in &ids {
                ann.send_with_id(id, change(sent));
                sent += 1;
            }
            for id in &ids {
                refused = ann.answer(id.as_str()).await.code;
                entries += usize::from(refused == "ok");
            }
        }
        assert!(
            ["written_too_much", "log_full"].contains(&refused.as_str()),
            "{refused}"
        );
    }
    assert!(entries > least_entries, "{entries} entries");
    let written = bytes() - before;
    sweep(&server).await;
    server.advance(MIN_COMPACTED_AGE);
    sweep(&server).await;
    let compacted = bytes() - before;
    println!(
        "{entries} entries: {written} bytes written, {compacted} after the sweep, {BYTES} charged"
    );
    assert!(written <= BYTES, "{written} bytes written");
    assert!(compacted <= BYTES, "{compacted} bytes after the sweep");
}

/// Each awake room reserves 3 MiB for its game, and another room that could be opened too.
#[test]
fn little_space_is_logged_before_none_is_left() {
    const MIB: u64 = 1024 * 1024;

    let limits = Limits {
        max_data_mib: 300,
        ..Limits::default()
    };
    let reserve = Arc::new(DiskReserve::new(&limits, Arc::default()));
    let (log, _guard) = Log::begin();
    let mut rooms = Vec::new();
    for (awake, mib_left, logged) in [
        (0, 297, ""),
        (13, 258, ""),
        (14, 255, " WARN "),
        (98, 3, ""),
        (99, 0, " ERROR "),
        (120, 0, ""),
        (98, 3, " WARN "),
        (0, 297, " INFO "),
    ] {
        rooms.resize_with(awake, || reserve.reserve_game());
        let before = log.text().len();
        for _ in 0..2 {
            reserve.log_space_left();
        }
        assert_eq!(reserve.unreserved_bytes(), mib_left * MIB);
        assert_eq!(reserve.is_exhausted(), mib_left == 0);
        let text = log.text()[before..].to_owned();
        let is_logged = text.lines().count() == 1 && text.contains(logged);
        assert!(
            is_logged || logged.is_empty() && text.is_empty(),
            "{awake} rooms: {text}"
        );
    }
}
