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
    let mut ann = join_with_retry(server, "Ann", &room).await;
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    for _ in 0..2 {
        let bot = json!({"type": "add_bot", "level": "beginner"});
        ann.request(bot).await.ok();
    }
    ann.request(json!({"type": "start"})).await.ok();
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
async fn a_game_that_has_slept_for_an_hour_is_charged_again() {
    let server = Server::with_sleepy_rooms(Limits {
        written_mib_per_hour: limit!(1),
        ..limits()
    })
    .await;
    let room = sleeping_game(&server).await;
    let charged = 1024 * 1024 - bytes_left(&server);
    assert!(charged > 90_000, "{charged} bytes");
    server.advance(Duration::from_secs(3_000));
    let before = bytes_left(&server);
    join_with_retry(&server, "Ann", &room).await.leave().await;
    wait_until_asleep(&server, &room).await;
    assert!(
        bytes_left(&server) >= before,
        "it is charged within the hour"
    );
    server.advance(Duration::from_secs(601));
    join_with_retry(&server, "Ann", &room).await.leave().await;
    wait_until_asleep(&server, &room).await;
    let again = before.saturating_sub(bytes_left(&server));
    assert!(again > 90_000, "{again} bytes");
    // Without the bytes it sleeps on.
    server
        .app
        .services
        .write_budgets
        .charge(local(), 1024 * 1024, Instant::now());
    server.connect("Ann", &room).await.closed_with(1013).await;
}
