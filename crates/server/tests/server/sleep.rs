//! Rooms without anybody: they fall asleep, wake as they were, count while they are awake, and are deleted in the end.

use std::pin::pin;
use std::time::Duration;

use futures_util::poll;
use serde_json::json;
use sticheln_room::ConnId;
use sticheln_server::room_code::RoomCode;
use sticheln_server::settings::Limits;
use tokio::task::yield_now;

use crate::harness::{
    Server, WISH, WRONG_CODE, asleep, come, everybody_acts, limits, not_let_in, number, opening,
    secret, until, up_to_date,
};
use crate::held_writer::HeldWriter;
use crate::raw::Raw;

/// How often all other tasks get their turn until one of them has taken the few steps that it can.
const TURNS: usize = 1000;

/// A server whose rooms fall asleep as soon as nobody is connected.
async fn sleepy(limits: Limits) -> Server {
    Server::with(Limits {
        awake_minutes: 0,
        ..limits
    })
    .await
}

#[tokio::test]
async fn the_server_has_so_many_rooms_awake() {
    let server = sleepy(Limits {
        rooms: nonzero!(2),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let ann = come(&server, "Ann", &room).await;
    let other = server.table(3).await;
    let _bob = come(&server, "Bob", &other).await;
    server.post(WISH).await.refused(503, "server_full");
    // A room that sleeps finds no space either; one that is awake is open to all.
    ann.leave().await;
    asleep(&server, &room).await;
    let third = server.table(3).await;
    let _cem = come(&server, "Cem", &third).await;
    server.connect("Ann", &room).await.closed(1013).await;
    // A wrong code is told to be wrong, and counts.
    for _ in 0..10 {
        server.connect("Ann", WRONG_CODE).await.closed(4004).await;
    }
    not_let_in(&server, WRONG_CODE)
        .await
        .refused(429, "too_many_wrong_codes");
    come(&server, "Dan", &other).await;
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// Tables that are being opened count as awake, so that openings at the same moment do not exceed the limit.
#[tokio::test]
async fn openings_at_the_same_time_are_counted() {
    let server = sleepy(Limits {
        rooms: nonzero!(2),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    asleep(&server, &room).await;
    let writer = HeldWriter::of(&server).await;
    let mut openings = Vec::new();
    for queued in 1..=2 {
        let mut client = Raw::connect(&server).await;
        client.send(opening()).await;
        writer.has_queued(queued).await;
        openings.push(client);
    }
    server.post(WISH).await.refused(503, "server_full");
    server.connect("Ann", &room).await.closed(1013).await;
    writer.release().await;
    for mut client in openings {
        assert_eq!(client.reply().await.status, 201);
    }
    // The space of each one is given back once, when it falls asleep.
    for code in server.app.registry.codes_with_slot() {
        asleep(&server, &code).await;
    }
    let writer = HeldWriter::of(&server).await;
    for queued in 1..=2 {
        let mut client = Raw::connect(&server).await;
        client.send(opening()).await;
        writer.has_queued(queued).await;
    }
    server.post(WISH).await.refused(503, "server_full");
    writer.release().await;
}

/// A room in the log that has no slot yet would be woken a second time.
#[tokio::test]
async fn a_room_that_is_being_opened_is_not_woken() {
    let server = Server::start().await;
    let registry = &server.app.registry;
    let writer = HeldWriter::of(&server).await;
    let mut ann = Raw::connect(&server).await;
    ann.send(opening()).await;
    writer.has_queued(1).await;
    let [code] = registry.codes_with_slot().try_into().unwrap();
    let mut bob = server.connect("Bob", &code).await;
    until("two tasks", || registry.start_tasks() == 2).await;
    writer.release().await;
    assert_eq!(ann.reply().await.status, 201);
    let hello = json!({"type": "hello", "token": secret("Bob")});
    bob.say(hello).await.ok();
    // A waking would have raised the epoch.
    let mut sql = server.setup.folder.sql().await;
    let epoch = sqlx::query_scalar("SELECT epoch FROM room WHERE code = $1").bind(&code);
    let epoch: i64 = epoch.fetch_one(&mut sql).await.unwrap();
    assert_eq!(epoch, 1);
}

#[tokio::test]
async fn rooms_that_sleep_do_not_count_for_an_address() {
    let server = sleepy(Limits {
        rooms_per_address: nonzero!(1),
        ..limits()
    })
    .await;
    for _ in 0..5 {
        let room = server.table(3).await;
        asleep(&server, &room).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_without_anybody_sleeps_and_wakes_as_it_was() {
    let server = sleepy(limits()).await;
    let room = server.table(3).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        let mut client = come(&server, name, &room).await;
        client.say(json!({"type": "sit", "name": name})).await.ok();
        clients.push(client);
    }
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    clients[1].act().await;
    up_to_date(&mut clients).await;
    let rev = server.rev(&room).await;
    let views: Vec<_> = clients
        .iter()
        .map(|client| client.game["view"].clone())
        .collect();

    let names = ["Ann", "Bob", "Cem"];
    for _ in 0..3 {
        for client in clients.drain(..) {
            client.leave().await;
        }
        asleep(&server, &room).await;
        // Asleep, it is there for those who look from outside, and time does not count.
        let told = server.get(&format!("/api/rooms/{room}")).await.json();
        assert_eq!(
            (&told["phase"], &told["taken"]),
            (&json!("playing"), &json!(3))
        );
        assert_eq!(told["spectators"], 0);
        server.wait(Duration::from_secs(24 * 60 * 60));
        for name in names {
            clients.push(come(&server, name, &room).await);
        }
        up_to_date(&mut clients).await;
        for (client, view) in clients.iter().zip(&views) {
            assert_eq!(client.game["view"], *view);
        }
        assert_eq!(server.rev(&room).await, rev);
        assert_eq!(clients[0].room["table"]["host"], 0);
    }
}

#[tokio::test]
async fn what_is_over_is_cleared_away_and_nothing_else() {
    let server = sleepy(limits()).await;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let sweep = async || {
        let services = &server.app.services;
        services
            .store
            .sweep(services.now(), server.app.registry.codes_with_slot())
            .await
            .unwrap()
            .rooms
    };
    let is_there = async |room: &str| server.get(&format!("/api/rooms/{room}")).await.status == 200;

    // Nobody ever sat there.
    let unused = server.table(3).await;
    come(&server, "Eve", &unused).await.leave().await;
    // Somebody sat there; a game is played there.
    let mut rooms = Vec::new();
    for people in [1, 3] {
        let room = server.table(3).await;
        let mut clients = Vec::new();
        for name in &["Ann", "Bob", "Cem"][..people] {
            let mut client = come(&server, name, &room).await;
            client.say(json!({"type": "sit", "name": name})).await.ok();
            clients.push(client);
        }
        if people == 3 {
            clients[0].say(json!({"type": "start"})).await.ok();
        }
        for client in clients {
            client.leave().await;
        }
        rooms.push(room);
    }
    let (lobby, game) = (&rooms[0], &rooms[1]);
    for room in [&unused, lobby, game] {
        asleep(&server, room).await;
    }

    server.wait(minutes(10) - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    server.wait(Duration::from_millis(1));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(&unused).await);
    server.connect("Eve", &unused).await.closed(4004).await;
    assert!(is_there(lobby).await && is_there(game).await);

    server.wait(minutes(24 * 60 - 10) - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    server.wait(Duration::from_millis(1));
    // One that is awake is never cleared away.
    let ann = come(&server, "Ann", lobby).await;
    assert_eq!(sweep().await, 0);
    ann.leave().await;
    asleep(&server, lobby).await;
    // Its time begins anew when nobody is left.
    assert_eq!(sweep().await, 0);
    server.wait(minutes(24 * 60));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(lobby).await && is_there(game).await);

    server.wait(minutes(28 * 24 * 60));
    assert_eq!(sweep().await, 1);
    assert!(!is_there(game).await);
    let mut sql = server.setup.folder.sql().await;
    for table in ["room", "event"] {
        let count = format!("SELECT COUNT(*) FROM {table}");
        let count: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(count))
            .fetch_one(&mut sql)
            .await
            .unwrap();
        assert_eq!(count, 0, "{table}");
    }
}

#[tokio::test]
async fn who_comes_while_a_room_goes_to_sleep_is_let_in() {
    let server = sleepy(limits()).await;
    for _ in 0..number("COMINGS", 50) {
        let room = server.open(json!({"game": "sticheln", "seats": 3})).await;
        server.sit("Ann", &room).await.leave().await;
    }
}

/// The task of a room can end after the room was found and before the connection reaches it.
#[tokio::test]
async fn a_connection_that_waits_for_an_ending_task_wakes_the_room() {
    const NOBODY: ConnId = ConnId(u64::MAX);

    let server = Server::start().await;
    let room = server.open(json!({"game": "sticheln", "seats": 3})).await;
    let mut ann = server.sit("Ann", &room).await;
    let registry = &server.app.registry;
    let handle = registry.find(&RoomCode::parse(&room).unwrap()).await;
    let handle = handle.unwrap();
    // A newer claim makes the next append fail, which ends the task.
    let mut sql = server.setup.folder.sql().await;
    let claimed = sqlx::query("UPDATE room SET epoch = epoch + 1").execute(&mut sql);
    claimed.await.unwrap();
    let writer = HeldWriter::of(&server).await;
    ann.tell("held", json!({"type": "stand"}));
    writer.has_queued(1).await;
    // The mailbox is full while the task waits for the writer, so the connection waits for space in it.
    while poll!(pin!(handle.disconnect(NOBODY))).is_ready() {
        yield_now().await;
    }
    let mut bob = server.connect("Bob", &room).await;
    for _ in 0..TURNS {
        yield_now().await;
    }
    writer.release().await;
    bob.hello().await.ok();
}

/// A game that is over is kept longer than one in which nobody goes on.
#[tokio::test]
async fn a_finished_game_is_kept_for_ninety_days() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    let server = sleepy(limits()).await;
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    let wish = json!({"game": "sticheln", "seats": 3, "options": options});
    let room = server.open(wish).await;
    let mut clients = Vec::new();
    for name in ["Ann", "Bob", "Cem"] {
        clients.push(server.sit(name, &room).await);
    }
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    assert_eq!(clients[0].room["table"]["phase"], "over");
    for client in clients {
        client.leave().await;
    }
    asleep(&server, &room).await;

    let services = &server.app.services;
    let sweep = async || {
        services
            .store
            .sweep(services.now(), Vec::new())
            .await
            .unwrap()
            .rooms
    };
    server.wait(DAY * 90 - Duration::from_millis(1));
    assert_eq!(sweep().await, 0);
    let reply = server.get(&format!("/api/rooms/{room}")).await;
    assert_eq!(reply.json()["phase"], "over");
    server.wait(Duration::from_millis(1));
    assert_eq!(sweep().await, 1);
}
