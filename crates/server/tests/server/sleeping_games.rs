//! Games that have slept: the space and the bytes for the rest of them.

use std::time::{Duration, Instant};

use serde_json::json;
use sticheln_room::WriteBudget;
use sticheln_server::limits::operator_limits::Limits;

use crate::client::join_with_retry;
use crate::harness::{Server, limits, local, wait_until_asleep};

/// Starts a game of one person and bots, which sleeps afterwards. Returns the code of its room.
async fn sleeping_game(server: &Server) -> String {
    let room = server.open_sticheln(3).await;
    let (ann, started) = server.start_with_bots(&room).await;
    started.ok();
    ann.leave().await;
    wait_until_asleep(server, &room).await;
    room
}

/// The bytes that the address of the clients may add.
fn bytes_left(server: &Server) -> u64 {
    match server
        .app
        .services
        .write_budgets
        .of(local(), Instant::now())
    {
        WriteBudget::Bytes(bytes) => bytes,
        WriteBudget::SpaceReserved => panic!("space is left"),
    }
}

/// So games that sleep never exceed the space. They can go on when others are over.
#[tokio::test]
async fn a_sleeping_game_wakes_only_if_there_is_space_for_it() {
    let server = Server::with_sleepy_rooms(Limits {
        // Space for two games of at most 3 MiB, and less than that for a third one.
        max_data_mib: 9,
        ..limits()
    })
    .await;
    let lobby = server.sleeping_room().await;
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(sleeping_game(&server).await);
    }
    let mut awake = Vec::new();
    for room in &games[..2] {
        awake.push(join_with_retry(&server, "Ann", room).await);
    }
    server
        .connect("Ann", &games[2])
        .await
        .closed_with(1013)
        .await;
    // A room without a game needs no space.
    join_with_retry(&server, "Ann", &lobby).await.leave().await;
    awake[0].request(json!({"type": "end"})).await.ok();
    join_with_retry(&server, "Ann", &games[2]).await;
}

/// Otherwise an address could prepare games on many days, and play all of them on one.
#[tokio::test]
async fn a_game_that_has_waited_for_long_is_charged_again() {
    const MINUTE: Duration = Duration::from_secs(60);
    const FULL: u64 = 1024 * 1024;

    let limits = Limits {
        written_mib_per_hour: limit!(1),
        room_idle_timeout_minutes: 30,
        ..limits()
    };
    let server = Server::with(limits).await;
    let (room, clients) = server.started(&["Ann", "Bob", "Cem"]).await;
    drop(clients);
    let charged = FULL - bytes_left(&server);
    assert!(charged > 90_000, "{charged} bytes");
    // A start of the server makes all buckets full.
    let server = server.restart().await;
    server.advance(29 * MINUTE);
    drop(server.join("Ann", &room).await);
    assert_eq!(bytes_left(&server), FULL);
    let server = server.restart().await;
    server.advance(2 * MINUTE);
    drop(server.join("Ann", &room).await);
    let charged = FULL - bytes_left(&server);
    assert!(charged > 90_000, "{charged} bytes");
    // Without the bytes it sleeps on.
    let server = server.restart().await;
    let budgets = &server.app.services.write_budgets;
    budgets.charge(local(), FULL as usize, Instant::now());
    server.connect("Ann", &room).await.closed_with(1013).await;
}
