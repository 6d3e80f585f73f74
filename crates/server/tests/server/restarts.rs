//! Acknowledged changes survive a restart of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use sticheln_room::Entropy;

use crate::client::{Client, all_act, field, sync_all};
use crate::common::entropy::seeded_entropy;
use crate::common::folder::Folder;
use crate::harness::{Server, Setup, database, entropy_source};

/// The state that a client receives, without presence and events.
fn state(client: &Client) -> [Value; 5] {
    let (room, game) = (&client.room, &client.game);
    let chairs = room["table"]["chairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chair| {
            let mut chair = chair.clone();
            chair["presence"] = Value::Null;
            chair
        });
    [
        field(game, "rev").clone(),
        field(game, "view").clone(),
        field(game, "legal").clone(),
        field(&client.sheet, "rounds").clone(),
        chairs.collect(),
    ]
}

/// The first client that can act plays an action.
async fn first_acts(clients: &mut [Client]) -> bool {
    let Some(client) = clients.iter_mut().find(|client| !client.legal().is_empty()) else {
        return false;
    };
    client.act().await;
    sync_all(clients).await;
    true
}

/// Plays a round, and restarts the server after each move.
async fn play_through_restarts(game: &str, names: &[&str]) {
    let mut server = Server::start().await;
    let (room, mut clients) = server.started_round(game, names).await;
    let mut restarts = 0;
    loop {
        let before: Vec<_> = clients.iter().map(state).collect();
        server = server.restart().await;
        restarts += 1;
        clients = server.join_all(&room, names).await;
        let after: Vec<_> = clients.iter().map(state).collect();
        assert_eq!(before, after);
        if !first_acts(&mut clients).await {
            break;
        }
    }
    assert!(restarts > 40, "only {restarts} restarts");
    assert_eq!(clients[0].room["table"]["phase"], "over");
}

#[tokio::test]
async fn a_round_of_sticheln_survives_a_restart_after_each_move() {
    play_through_restarts("sticheln", &["Ann", "Bob", "Cem"]).await;
}

#[tokio::test]
async fn a_round_of_nyet_survives_a_restart_after_each_move() {
    play_through_restarts("nyet", &["Ann", "Bob", "Cem"]).await;
}

/// Copies the files after each answer while the server is running. Each copy contains all
/// acknowledged changes.
#[tokio::test]
async fn acknowledged_changes_are_in_the_files() {
    let names = ["Ann", "Bob", "Cem"];
    let server = Server::start().await;
    let (room, mut clients) = server.started_round("sticheln", &names).await;
    let mut copies = 0;
    loop {
        copies += 1;
        let before: Vec<_> = clients.iter().map(state).collect();
        let folder = Arc::new(Folder::create());
        for file in std::fs::read_dir(server.setup.folder.path()).unwrap() {
            let file = file.unwrap();
            // SQLite rebuilds the index of the write-ahead log, as after a crash.
            if !file.file_name().to_string_lossy().ends_with("-shm") {
                std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
            }
        }
        let setup = Setup {
            folder,
            sockets: AtomicU64::new(1_000),
            entropy_source: entropy_source(99),
            ..Setup::default()
        };
        let copy = setup.start().await;
        let copied_clients = copy.join_all(&room, &names).await;
        let after: Vec<_> = copied_clients.iter().map(state).collect();
        assert_eq!(before, after);
        drop(copied_clients);
        copy.stop().await;
        if !first_acts(&mut clients).await {
            break;
        }
    }
    // Each of the three picks a card and plays 14.
    assert_eq!(copies, 3 * 15 + 1);
}

/// If the database cannot be written, no change is acknowledged or shown. Earlier changes stay, and
/// the room continues after the repair.
#[tokio::test]
async fn changes_are_acknowledged_and_shown_after_they_are_written() {
    let names = ["Ann", "Bob", "Cem"];
    let server = Server::start().await;
    let (room, mut clients) = server.started_round("sticheln", &names).await;
    let (other, mut others) = server.started_round("sticheln", &names).await;
    let before: Vec<_> = clients.iter().map(state).collect();
    let counts: Vec<_> = clients.iter().map(|client| client.texts.len()).collect();

    let sql = database(&server.setup.folder);
    sql.execute_batch(
        "CREATE TRIGGER full BEFORE INSERT ON recent_entry BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    .unwrap();
    let action = clients[1].legal()[0].clone();
    let act = json!({"type": "act", "action": action});
    clients[1].send_with_id("lost", act.clone());
    for (client, count) in clients.iter_mut().zip(counts) {
        let closing = json!({"type": "closing", "reason": "storage", "retry_after_ms": 2000});
        assert_eq!(client.next("closing").await, closing);
        client.closed_with(4000).await;
        assert_eq!(client.texts.len(), count + 1, "{:?}", client.texts.last());
    }
    // A client that reconnects receives the old state, and its change fails again.
    let mut bob = server.join("Bob", &room).await;
    bob.sync().await;
    assert_eq!(state(&bob)[1..4], before[1][1..4]);
    bob.send_with_id("lost", act.clone());
    bob.closed_with(4000).await;
    // A room without changes is not affected.
    sync_all(&mut others).await;

    sql.execute_batch("DROP TRIGGER full").unwrap();
    let mut clients = server.join_all(&room, &names).await;
    let after: Vec<_> = clients.iter().map(state).collect();
    assert_eq!(before, after);
    // A repetition with the same id is done.
    clients[1].request_with_id("lost", act).await.ok();
    sync_all(&mut clients).await;
    assert_eq!(clients[0].game["view"]["to_act"], json!([0, 2]));
    while all_act(&mut clients).await {}
    while all_act(&mut others).await {}
    assert_eq!(server.rev(&room), server.rev(&other));
}

/// A room whose task panics is read back from its log. Other rooms are not affected.
#[tokio::test]
async fn a_room_whose_task_panics_is_read_back() {
    let names = ["Ann", "Bob", "Cem"];
    let deals = Arc::new(AtomicU64::new(0));
    let setup = Setup {
        entropy_source: Arc::new(move |_| {
            let deals = deals.clone();
            let usual = seeded_entropy(5);
            let shuffle = usual.shuffle.clone();
            Entropy {
                shuffle: Arc::new(move |pack, seed| {
                    let deal = deals.fetch_add(1, Ordering::SeqCst);
                    assert!(deal > 0, "an injected panic");
                    shuffle(pack, seed)
                }),
                ..usual
            }
        }),
        ..Setup::default()
    };
    let server = setup.start().await;
    let (room, mut clients) = server.seated(&names).await;
    let rev = server.rev(&room);
    clients[0].send_with_id("start", json!({"type": "start"}));
    for client in &mut clients {
        client.closed_with(4000).await;
    }
    let mut clients = server.join_all(&room, &names).await;
    assert_eq!(server.rev(&room), rev);
    clients[0]
        .request_with_id("start", json!({"type": "start"}))
        .await
        .ok();
    sync_all(&mut clients).await;
    while all_act(&mut clients).await {}
    assert_eq!(clients[0].game["view"]["table"]["phase"], "round_end");
}
