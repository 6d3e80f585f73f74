//! What was acknowledged is there, whatever becomes of the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use sqlx::Executor;
use sticheln_room::Entropy;

use crate::harness::{
    Client, Folder, Server, Setup, chance, entropy_source, everybody_acts, up_to_date,
};

/// A table for one round, where Ann has the first word.
async fn table(server: &Server, game: &str, names: &[&str]) -> (String, Vec<Client>) {
    let wish = json!({
        "game": game,
        "seats": names.len(),
        "options": {"end": {"type": "rounds", "rounds": 1}},
    });
    let room = server.open(wish).await;
    let mut clients = Vec::new();
    for name in names {
        clients.push(server.sit(name, &room).await);
    }
    clients[0]
        .say(json!({"type": "configure", "opening_seat": 0}))
        .await
        .ok();
    clients[0].say(json!({"type": "start"})).await.ok();
    up_to_date(&mut clients).await;
    (room, clients)
}

/// What somebody sees, but for what has just happened.
fn seen(client: &Client) -> [Value; 5] {
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
        game["rev"].clone(),
        game["view"].clone(),
        game["legal"].clone(),
        room["table"]["sheet"].clone(),
        chairs.collect(),
    ]
}

/// Everybody comes back with his secret.
async fn all_come(server: &Server, room: &str, names: &[&str]) -> Vec<Client> {
    let mut clients = Vec::new();
    for name in names {
        clients.push(server.come(name, room).await);
    }
    up_to_date(&mut clients).await;
    clients
}

/// Whoever is first waited for does something.
async fn somebody_acts(clients: &mut [Client]) -> bool {
    let Some(client) = clients.iter_mut().find(|client| !client.legal().is_empty()) else {
        return false;
    };
    client.act().await;
    up_to_date(clients).await;
    true
}

/// Plays a round while the server is ended and started again after each move.
async fn plays_through_restarts(game: &str, names: &[&str]) {
    let mut server = Server::start().await;
    let (room, mut clients) = table(&server, game, names).await;
    let mut restarts = 0;
    loop {
        let before: Vec<_> = clients.iter().map(seen).collect();
        server = server.restart().await;
        restarts += 1;
        clients = all_come(&server, &room, names).await;
        let after: Vec<_> = clients.iter().map(seen).collect();
        assert_eq!(before, after);
        if !somebody_acts(&mut clients).await {
            break;
        }
    }
    assert!(restarts > 40, "only {restarts} restarts");
    assert_eq!(clients[0].room["table"]["phase"], "over");
}

#[tokio::test]
async fn a_round_of_sticheln_outlives_a_restart_after_each_move() {
    plays_through_restarts("sticheln", &["Ann", "Bob", "Cem"]).await;
}

#[tokio::test]
async fn a_round_of_nyet_outlives_a_restart_after_each_move() {
    plays_through_restarts("nyet", &["Ann", "Bob", "Cem"]).await;
}

/// The files as they are after each answer, while the server goes on: whoever finds them finds all
/// that was answered.
#[tokio::test]
async fn what_was_answered_is_in_the_files() {
    let names = ["Ann", "Bob", "Cem"];
    let server = Server::start().await;
    let (room, mut clients) = table(&server, "sticheln", &names).await;
    loop {
        let before: Vec<_> = clients.iter().map(seen).collect();
        let copy = Folder::new();
        std::fs::create_dir(copy.path()).unwrap();
        for file in std::fs::read_dir(server.setup.folder.path()).unwrap() {
            let file = file.unwrap();
            // The index of the log of the database is made anew from it, as after a crash.
            if !file.file_name().to_string_lossy().ends_with("-shm") {
                std::fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
            }
        }
        let found = Setup {
            folder: copy,
            sockets: AtomicU64::new(1_000),
            entropy_source: entropy_source(99),
            ..Setup::default()
        };
        let found = found.start().await;
        let theirs = all_come(&found, &room, &names).await;
        let after: Vec<_> = theirs.iter().map(seen).collect();
        assert_eq!(before, after);
        drop(theirs);
        found.end().await;
        if !somebody_acts(&mut clients).await {
            break;
        }
    }
}

/// Where nothing can be written nothing is answered, nor shown to anybody; what was answered before
/// holds, and the table goes on when the disk does.
#[tokio::test]
async fn nothing_is_answered_or_shown_before_it_is_written() {
    let names = ["Ann", "Bob", "Cem"];
    let server = Server::start().await;
    let (room, mut clients) = table(&server, "sticheln", &names).await;
    let (other, mut others) = table(&server, "sticheln", &names).await;
    let before: Vec<_> = clients.iter().map(seen).collect();
    let heard: Vec<_> = clients.iter().map(|client| client.heard.len()).collect();

    let mut sql = server.setup.folder.sql().await;
    sql.execute(
        "CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    )
    .await
    .unwrap();
    let action = clients[1].legal()[0].clone();
    let act = json!({"type": "act", "action": action});
    clients[1].tell("lost", act.clone());
    for (client, heard) in clients.iter_mut().zip(heard) {
        let closing = json!({"type": "closing", "reason": "storage", "retry_after_ms": 2000});
        assert_eq!(client.next("closing").await, closing);
        client.closed(4000).await;
        assert_eq!(client.heard.len(), heard + 1, "{:?}", client.heard.last());
    }
    // Who comes back meanwhile sees how things were, and who wants to do something fails again.
    let mut bob = server.come("Bob", &room).await;
    bob.forget().await;
    assert_eq!(seen(&bob)[1..4], before[1][1..4]);
    bob.tell("lost", act.clone());
    bob.closed(4000).await;
    // A table that has nothing to write does not notice.
    up_to_date(&mut others).await;

    sql.execute("DROP TRIGGER full").await.unwrap();
    let mut clients = all_come(&server, &room, &names).await;
    let after: Vec<_> = clients.iter().map(seen).collect();
    assert_eq!(before, after);
    // Sent again under the same id it is done.
    clients[1].say_as("lost", act).await.ok();
    up_to_date(&mut clients).await;
    assert_eq!(clients[0].game["view"]["to_act"], json!([0, 2]));
    while everybody_acts(&mut clients).await {}
    while everybody_acts(&mut others).await {}
    assert_eq!(server.rev(&room).await, server.rev(&other).await);
}

/// A room that breaks takes nobody with it: it is read back as its log has it.
#[tokio::test]
async fn a_room_that_breaks_is_read_back() {
    let names = ["Ann", "Bob", "Cem"];
    let deals = Arc::new(AtomicU64::new(0));
    let setup = Setup {
        entropy_source: Arc::new(move |_| {
            let deals = deals.clone();
            let usual = chance(5);
            let shuffle = usual.shuffle.clone();
            Entropy {
                shuffle: Arc::new(move |pack, seed| {
                    let deal = deals.fetch_add(1, Ordering::SeqCst);
                    assert!(deal > 0, "a defect that is built in");
                    shuffle(pack, seed)
                }),
                ..usual
            }
        }),
        ..Setup::default()
    };
    let server = setup.start().await;
    let (room, mut clients) = server.seated(&names).await;
    let rev = server.rev(&room).await;
    clients[0].tell("start", json!({"type": "start"}));
    for client in &mut clients {
        client.closed(4000).await;
    }
    let mut clients = all_come(&server, &room, &names).await;
    assert_eq!(server.rev(&room).await, rev);
    clients[0]
        .say_as("start", json!({"type": "start"}))
        .await
        .ok();
    up_to_date(&mut clients).await;
    while everybody_acts(&mut clients).await {}
    assert_eq!(clients[0].game["view"]["table"]["phase"], "round_end");
}

/// A log that cannot be read closes one room, and no other.
#[tokio::test]
async fn a_damaged_log_harms_no_other_room() {
    let server = Server::start().await;
    let (room, clients) = server.seated(&["Ann", "Bob", "Cem"]).await;
    let (other, _others) = server.seated(&["Ann", "Bob", "Cem"]).await;
    drop(clients);
    let setup = server.end().await;
    let mut sql = setup.folder.sql().await;
    let damage = "UPDATE event SET body = '{}' WHERE seq = 2 AND room_id = \
                  (SELECT id FROM room WHERE code = $1)";
    sqlx::query(damage)
        .bind(&room)
        .execute(&mut sql)
        .await
        .unwrap();
    let server = setup.start().await;
    server.connect("Ann", &room).await.closed(4000).await;
    let ann = server.come("Ann", &other).await;
    assert_eq!(ann.room["you"]["seat"], 0);
    assert_eq!(server.get("/readyz").await.status, 200);
}
