//! Rooms without connections: they fall asleep, wake with the same state, count while awake, and
//! are deleted at last.

use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::poll;
use serde_json::json;
use sticheln_room::{ClientRequest, ConnId};
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::room_code::RoomCode;
use tokio::task::yield_now;

use crate::client::{all_act, join_with_retry, refused_upgrade, sync_all};
use crate::common::token;
use crate::env_number::env_number;
use crate::harness::{
    OPEN_ROOM, Server, WRONG_CODE, advance_timers, database, limits, local, open_room_request,
    wait_until, wait_until_asleep, within_timeout, yield_to_tasks,
};
use crate::held_writer::HeldWriter;
use crate::raw::RawConnection;

/// Another address than that of most clients.
const OTHER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

#[tokio::test]
async fn awake_rooms_are_limited() {
    let server = Server::with_sleepy_rooms(Limits {
        rooms: limit!(2),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let ann = join_with_retry(&server, "Ann", &room).await;
    let other = server.open_sticheln(3).await;
    let _bob = join_with_retry(&server, "Bob", &other).await;
    server.post(OPEN_ROOM).await.refused(503, "server_full");
    // A sleeping room cannot wake either; an awake room accepts everybody.
    ann.leave().await;
    wait_until_asleep(&server, &room).await;
    let third = server.open_sticheln(3).await;
    let _cem = join_with_retry(&server, "Cem", &third).await;
    server.connect("Ann", &room).await.closed_with(1013).await;
    // A wrong code is refused as such, and counts.
    for _ in 0..10 {
        server
            .connect("Ann", WRONG_CODE)
            .await
            .closed_with(4004)
            .await;
    }
    refused_upgrade(&server, WRONG_CODE)
        .await
        .refused(429, "too_many_wrong_codes");
    join_with_retry(&server, "Dan", &other).await;
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// One address cannot keep all rooms awake. It can enter rooms that others have woken.
#[tokio::test]
async fn rooms_that_an_address_wakes_are_limited() {
    let server = Server::with_sleepy_rooms(Limits {
        woken_rooms_per_address: limit!(2),
        ..limits()
    })
    .await;
    let [first, second, third] = sleeping_rooms(&server).await;
    let ann = join_with_retry(&server, "Ann", &first).await;
    let _bob = join_with_retry(&server, "Bob", &second).await;
    server.connect("Cem", &third).await.closed_with(1013).await;
    let other = server.connect_from(OTHER_ADDRESS, "Dan", &third).await;
    let registry = &server.app.registry;
    let is_third_awake =
        || registry.codes_with_slot().len() == 3 && registry.room_start_count() == 0;
    wait_until("the third room is awake", is_third_awake).await;
    join_with_retry(&server, "Cem", &third).await;
    other.leave().await;
    // A room that sleeps again does not count.
    ann.leave().await;
    wait_until_asleep(&server, &first).await;
    let _ann = join_with_retry(&server, "Ann", &first).await;
    // A wrong code is refused as such, and counts. So the limit does not help to guess codes of awake rooms.
    for _ in 0..10 {
        let mut guess = server.connect("Cem", WRONG_CODE).await;
        guess.closed_with(4004).await;
    }
    refused_upgrade(&server, WRONG_CODE)
        .await
        .refused(429, "too_many_wrong_codes");
}

/// At most two wake-ups of an address run at a time. So they delay those of other addresses by two at most.
#[tokio::test]
async fn an_address_wakes_two_rooms_at_a_time() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let [first, second, third] = sleeping_rooms(&server).await;
    let others = server.sleeping_room().await;
    let writer = HeldWriter::of(&server).await;
    let mut waiting = Vec::new();
    for room in [&first, &second, &third] {
        waiting.push(server.connect("Ann", room).await);
    }
    writer.wait_for_queued(2).await;
    let registry = &server.app.registry;
    assert_eq!(registry.room_start_count(), 2);
    waiting.push(server.connect_from(OTHER_ADDRESS, "Dan", &others).await);
    writer.wait_for_queued(3).await;
    assert_eq!(registry.room_start_count(), 3);
    writer.release().await;
    wait_until("awake", || registry.codes_with_slot().len() == 4).await;
}

/// Three rooms that sleep.
async fn sleeping_rooms(server: &Server) -> [String; 3] {
    [
        server.sleeping_room().await,
        server.sleeping_room().await,
        server.sleeping_room().await,
    ]
}

/// Rooms that are being opened count as awake, so concurrent openings cannot exceed the limit.
#[tokio::test]
async fn concurrent_openings_are_counted() {
    let server = Server::with_sleepy_rooms(Limits {
        rooms: limit!(2),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    wait_until_asleep(&server, &room).await;
    let writer = HeldWriter::of(&server).await;
    let mut openings = Vec::new();
    for queued in 1..=2 {
        let mut client = RawConnection::connect(&server).await;
        client.send(open_room_request()).await;
        writer.wait_for_queued(queued).await;
        openings.push(client);
    }
    server.post(OPEN_ROOM).await.refused(503, "server_full");
    server.connect("Ann", &room).await.closed_with(1013).await;
    writer.release().await;
    for mut client in openings {
        assert_eq!(client.reply().await.status, 201);
    }
    // Each slot is freed once, when its room falls asleep.
    for code in server.app.registry.codes_with_slot() {
        wait_until_asleep(&server, &code).await;
    }
    let writer = HeldWriter::of(&server).await;
    for queued in 1..=2 {
        let mut client = RawConnection::connect(&server).await;
        client.send(open_room_request()).await;
        writer.wait_for_queued(queued).await;
    }
    server.post(OPEN_ROOM).await.refused(503, "server_full");
    writer.release().await;
}

/// While a room is being opened, nobody can wake it.
#[tokio::test]
async fn a_room_that_is_being_opened_is_not_woken() {
    let server = Server::start().await;
    let registry = &server.app.registry;
    let writer = HeldWriter::of(&server).await;
    let mut ann = RawConnection::connect(&server).await;
    ann.send(open_room_request()).await;
    writer.wait_for_queued(1).await;
    let [code] = registry.codes_with_slot().try_into().unwrap();
    let mut bob = server.connect("Bob", &code).await;
    wait_until("two tasks", || registry.room_start_count() == 2).await;
    writer.release().await;
    assert_eq!(ann.reply().await.status, 201);
    let hello = json!({"type": "hello", "token": token("Bob")});
    bob.request(hello).await.ok();
    // A wake-up would have raised the epoch.
    let epoch = "SELECT epoch FROM room WHERE code = ?1";
    let epoch = database(&server.setup.folder).query_one(epoch, [&code], |row| row.get(0));
    assert_eq!(epoch, Ok(1));
}

#[tokio::test]
async fn rooms_that_sleep_do_not_count_for_an_address() {
    let server = Server::with_sleepy_rooms(Limits {
        rooms_per_address: limit!(1),
        ..limits()
    })
    .await;
    for _ in 0..5 {
        let room = server.open_sticheln(3).await;
        wait_until_asleep(&server, &room).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_room_sleeps_and_wakes_with_the_same_state() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let room = server.open_sticheln(3).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        let mut client = join_with_retry(&server, name, &room).await;
        client
            .request(json!({"type": "sit", "name": name}))
            .await
            .ok();
        clients.push(client);
    }
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    clients[1].act().await;
    sync_all(&mut clients).await;
    let rev = server.rev(&room);
    let views: Vec<_> = clients
        .iter()
        .map(|client| client.game["view"].clone())
        .collect();

    let names = ["Ann", "Bob", "Cem"];
    for _ in 0..3 {
        for client in clients.drain(..) {
            client.leave().await;
        }
        wait_until_asleep(&server, &room).await;
        // A sleeping room has a summary, and its timers do not run.
        let summary = server.get(&format!("/api/rooms/{room}")).await.json();
        assert_eq!(
            (&summary["phase"], &summary["taken"]),
            (&json!("playing"), &json!(3))
        );
        assert_eq!(summary["spectators"], 0);
        server.advance(Duration::from_secs(24 * 60 * 60));
        for name in names {
            clients.push(join_with_retry(&server, name, &room).await);
        }
        sync_all(&mut clients).await;
        for (client, view) in clients.iter().zip(&views) {
            assert_eq!(client.game["view"], *view);
        }
        assert_eq!(server.rev(&room), rev);
        assert_eq!(clients[0].room["table"]["host"], 0);
    }
}

/// Sweeps until nothing is left to do. Returns the number of deleted rooms.
pub async fn sweep(server: &Server) -> u64 {
    let services = &server.app.services;
    let mut rooms = 0;
    loop {
        let swept = services
            .store
            .sweep_step(services.retention_now())
            .await
            .unwrap();
        rooms += swept.rooms;
        if swept.is_done {
            return rooms;
        }
    }
}

/// The time until the hour in which this duration from now has passed.
fn until_hour(server: &Server, duration: Duration) -> Duration {
    const HOUR_MS: u64 = 60 * 60 * 1000;

    let now = Duration::from_millis(server.app.services.now().0);
    let end = (now + duration).as_millis() as u64;
    Duration::from_millis(end.div_ceil(HOUR_MS) * HOUR_MS) - now
}

/// The retention period begins again while people are connected, and at the shutdown.
#[tokio::test]
async fn a_room_with_people_does_not_expire() {
    const PERIODS: Duration = Duration::from_secs(60 * 60 * 3);

    let server = Server::start().await;
    let body = json!({"game": "sticheln", "seats": 3, "listed": true});
    let room = server.open_room(body).await;
    let mut ann = server.join("Ann", &room).await;
    server.advance(PERIODS);
    assert!(!server.get("/api/rooms").await.text().contains(&room));
    // A message without an entry.
    ann.request(json!({"type": "nothing"})).await;
    let is_listed = async {
        while !server.get("/api/rooms").await.text().contains(&room) {
            yield_now().await;
        }
    };
    within_timeout("the room is listed", is_listed).await;
    server.advance(PERIODS);
    let server = server.restart().await;
    assert_eq!(sweep(&server).await, 0);
    let path = format!("/api/rooms/{room}");
    assert_eq!(server.get(&path).await.status, 200);
}

#[tokio::test]
async fn expired_rooms_are_deleted() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let hours = |hours: u64| Duration::from_secs(60 * 60 * hours);
    let sweep = async || sweep(&server).await;
    server.advance(Duration::from_secs(60 * 25));
    let is_there = async |room: &str| server.get(&format!("/api/rooms/{room}")).await.status == 200;

    // A room without a seated person.
    let unused = server.open_sticheln(3).await;
    join_with_retry(&server, "Eve", &unused).await.leave().await;
    // A room with a seated person, and a room with a game.
    let mut rooms = Vec::new();
    for people in [1, 3] {
        let room = server.open_sticheln(3).await;
        let mut clients = Vec::new();
        for name in &["Ann", "Bob", "Cem"][..people] {
            let mut client = join_with_retry(&server, name, &room).await;
            client
                .request(json!({"type": "sit", "name": name}))
                .await
                .ok();
            clients.push(client);
        }
        if people == 3 {
            clients[0].request(json!({"type": "start"})).await.ok();
        }
        for client in clients {
            client.leave().await;
        }
        rooms.push(room);
    }
    let (lobby, game) = (&rooms[0], &rooms[1]);
    for room in [&unused, lobby, game] {
        wait_until_asleep(&server, room).await;
    }

    let mut time_of_game = until_hour(&server, hours(30 * 24));
    let mut advance = |time: Duration| {
        server.advance(time);
        time_of_game -= time;
    };
    // Ten minutes, rounded up to the next hour.
    advance(until_hour(&server, Duration::from_secs(60 * 10)) - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    advance(Duration::from_millis(1));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(&unused).await);
    server.connect("Eve", &unused).await.closed_with(4004).await;
    assert!(is_there(lobby).await && is_there(game).await);

    // The lobby was left less than an hour ago.
    advance(hours(24) - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    advance(Duration::from_millis(1));
    // An awake room is never deleted.
    let ann = join_with_retry(&server, "Ann", lobby).await;
    assert_eq!(sweep().await, 0);
    ann.leave().await;
    wait_until_asleep(&server, lobby).await;
    // The retention time starts again when the last client leaves.
    assert_eq!(sweep().await, 0);
    advance(until_hour(&server, hours(24)));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(lobby).await && is_there(game).await);

    server.advance(time_of_game - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    server.advance(Duration::from_millis(1));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(game).await);
    let sql = database(&server.setup.folder);
    for table in ["room", "older_entry", "recent_entry"] {
        let count = format!("SELECT COUNT(*) FROM {table}");
        let count = sql.query_one(&count, [], |row| row.get(0));
        assert_eq!(count, Ok(0), "{table}");
    }
}

/// The system clock jumps far ahead. Only time that has passed counts for retention.
#[tokio::test]
async fn a_clock_that_jumps_deletes_nothing() {
    const JUMP: Duration = Duration::from_secs(31 * 24 * 60 * 60);

    let server = Server::with_sleepy_rooms(limits()).await;
    let body = json!({"game": "sticheln", "seats": 3, "listed": true});
    let room = server.open_room(body).await;
    wait_until_asleep(&server, &room).await;
    let listed = async || server.get("/api/rooms").await.json()["rooms"].clone();
    assert_eq!(listed().await[0]["room"], *room);
    let lag = &server.setup.retention_lag;
    lag.store(JUMP.as_millis() as u64, Ordering::SeqCst);
    server.advance(JUMP);
    assert_eq!(sweep(&server).await, 0);
    assert_eq!(listed().await[0]["room"], *room);
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
    lag.store(0, Ordering::SeqCst);
    assert_eq!(listed().await, json!([]));
    assert_eq!(sweep(&server).await, 1);
}

#[tokio::test]
async fn a_client_is_admitted_while_a_room_falls_asleep() {
    let server = Server::with_sleepy_rooms(limits()).await;
    for _ in 0..env_number("CLIENTS", 50) {
        let room = server
            .open_room(json!({"game": "sticheln", "seats": 3}))
            .await;
        server.sit("Ann", &room).await.leave().await;
    }
}

/// The task of a room can end after the room was found and before the connection reaches it.
#[tokio::test]
async fn a_connection_that_waits_for_an_ending_task_wakes_the_room() {
    const NOBODY: ConnId = ConnId(u64::MAX);

    let server = Server::start().await;
    let room = server
        .open_room(json!({"game": "sticheln", "seats": 3}))
        .await;
    let mut ann = server.sit("Ann", &room).await;
    let registry = &server.app.registry;
    let handle = registry
        .find_or_wake(&RoomCode::parse(&room).unwrap(), local())
        .await;
    let handle = handle.unwrap();
    // A newer claim makes the next append fail, which ends the task.
    let store = &server.app.services.store;
    let found = store.find(&RoomCode::parse(&room).unwrap()).await;
    let _claimed = store.claim(found.unwrap().unwrap()).await.unwrap();
    let writer = HeldWriter::of(&server).await;
    ann.send_with_id("held", json!({"type": "stand"}));
    writer.wait_for_queued(1).await;
    // The mailbox is full while the task waits for the writer, so the connection waits for space in
    // it.
    while poll!(pin!(
        handle.mailbox().message(NOBODY, ClientRequest::read("{}"))
    ))
    .is_ready()
    {
        yield_now().await;
    }
    let mut bob = server.connect("Bob", &room).await;
    yield_to_tasks().await;
    writer.release().await;
    bob.hello().await.ok();
}

/// A finished game is kept for longer than an interrupted one.
#[tokio::test]
async fn a_finished_game_is_kept_for_ninety_days() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    let server = Server::with_sleepy_rooms(limits()).await;
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let body = json!({"game": "sticheln", "seats": 3, "options": options});
    let room = server.open_room(body).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        clients.push(server.sit(name, &room).await);
    }
    clients[0].request(json!({"type": "start"})).await.ok();
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    assert_eq!(clients[0].room["table"]["phase"], "over");
    for client in clients {
        client.leave().await;
    }
    wait_until_asleep(&server, &room).await;

    let sweep = async || sweep(&server).await;
    server.advance(until_hour(&server, DAY * 90) - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    let reply = server.get(&format!("/api/rooms/{room}")).await;
    assert_eq!(reply.json()["phase"], "over");
    server.advance(Duration::from_millis(1));
    assert_eq!(sweep().await, 1);
}

#[tokio::test]
async fn an_abandoned_room_falls_asleep_after_the_idle_timeout() {
    let server = Server::with(Limits {
        room_idle_timeout_minutes: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann"]).await;
    clients.remove(0).leave().await;
    let sockets = || server.app.address_limits.sockets();
    wait_until("the socket is closed", || sockets() == 0).await;
    yield_to_tasks().await;
    advance_timers(Duration::from_secs(119)).await;
    // A room that falls asleep writes this before.
    server.app.services.store.rooms().await.unwrap();
    sweep(&server).await;
    yield_to_tasks().await;
    assert_eq!(server.app.registry.codes_with_slot(), [room.as_str()]);
    advance_timers(Duration::from_secs(2)).await;
    wait_until_asleep(&server, &room).await;
}

/// It falls asleep earlier than other abandoned rooms.
#[tokio::test]
async fn a_room_where_nobody_sat_down_is_deleted_within_two_hours() {
    const MINUTE: Duration = Duration::from_secs(60);

    let server = Server::start().await;
    // It is deleted at a full hour, and this is the latest.
    server.advance(41 * MINUTE);
    let room = server.open_sticheln(3).await;
    let pass = async |time| {
        server.advance(time);
        advance_timers(time).await;
    };
    pass(10 * MINUTE).await;
    wait_until_asleep(&server, &room).await;
    pass(110 * MINUTE).await;
    sweep(&server).await;
    assert_eq!(server.app.services.store.rooms().await.unwrap(), 0);
}
