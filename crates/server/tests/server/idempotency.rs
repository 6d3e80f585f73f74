//! Duplicate, delayed and reordered messages.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::client::{Client, all_act, sync_all};
use crate::env_number::env_number;
use crate::harness::Server;

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn ready(ready: bool) -> Value {
    json!({"type": "ready", "ready": ready})
}

#[tokio::test]
async fn duplicate_messages_are_done_once() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let rev = server.rev(&room);

    for _ in 0..3 {
        clients[1].request_with_id("once", ready(true)).await.ok();
    }
    assert_eq!(server.rev(&room), rev + 1);
    // The id decides, not the content.
    clients[1].request_with_id("once", ready(false)).await.ok();
    assert_eq!(server.rev(&room), rev + 1);
    // Ids of different people are independent.
    clients[2].request_with_id("once", ready(true)).await.ok();
    assert_eq!(server.rev(&room), rev + 2);

    sync_all(&mut clients).await;
    for _ in 0..3 {
        clients[0]
            .request_with_id("sent", json!({"type": "chat", "text": "Hello"}))
            .await
            .ok();
    }
    let lines = clients[2].received().await;
    assert_eq!(lines.len(), 1, "{lines:?}");

    // A refused message stays refused, even if it would be legal now.
    let start = json!({"type": "start"});
    clients[1]
        .request_with_id("start", start.clone())
        .await
        .refused("not_host");
    clients[0]
        .request(json!({"type": "give_host", "seat": 1}))
        .await
        .ok();
    clients[1]
        .request_with_id("start", start.clone())
        .await
        .refused("not_host");
    clients[1].request_with_id("start-again", start).await.ok();

    // Both of two messages with one id are answered.
    sync_all(&mut clients).await;
    let action = clients[0].legal()[0].clone();
    let act = json!({"type": "act", "action": action});
    let rev = server.rev(&room);
    clients[0].send_with_id("act", act.clone());
    clients[0].send_with_id("act", act);
    clients[0].answer("act").await.ok();
    clients[0].answer("act").await.ok();
    assert_eq!(server.rev(&room), rev + 1);
}

/// Idle pages send pings without end. None is remembered, so the answers to other messages stay.
#[tokio::test]
async fn pings_displace_no_answers() {
    let server = Server::start().await;
    let (_room, mut clients) = server.seated(&THREE).await;
    let start = json!({"type": "start"});
    clients[1]
        .request_with_id("start", start.clone())
        .await
        .refused("not_host");
    for _ in 0..100 {
        clients[1].request(json!({"type": "ping"})).await.ok();
    }
    let give_host = json!({"type": "give_host", "seat": 1});
    clients[0].request(give_host).await.ok();
    clients[1]
        .request_with_id("start", start)
        .await
        .refused("not_host");
}

#[tokio::test]
async fn ids_are_remembered_across_reconnects_and_restarts() {
    let server = Server::start().await;
    let (room, mut clients) = server.started(&THREE).await;
    let act = |client: &Client| json!({"type": "act", "action": client.legal()[0]});
    let pick = act(&clients[1]);
    clients[1].request_with_id("act", pick.clone()).await.ok();
    let other = json!({"type": "act", "action": {"type": "play", "card": "red-1"}});
    clients[1]
        .request_with_id("no-act", other.clone())
        .await
        .refused("wrong_phase");
    let rev = server.rev(&room);

    let mut bob = server.join("Bob", &room).await;
    clients[1].closed_with(4001).await;
    bob.request_with_id("act", pick.clone()).await.ok();
    bob.request_with_id("no-act", other)
        .await
        .refused("wrong_phase");
    assert_eq!(server.rev(&room), rev);

    let server = server.restart().await;
    let mut bob = server.join("Bob", &room).await;
    bob.request_with_id("act", pick).await.ok();
    assert_eq!(server.rev(&room), rev);
    bob.sync().await;
    assert_eq!(bob.game["view"]["to_act"], json!([0, 2]));
}

#[tokio::test]
async fn the_last_64_ids_survive_a_restart() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann"]).await;
    for number in 0..65 {
        clients[0]
            .request_with_id(&format!("r{number}"), ready(number % 2 == 0))
            .await
            .ok();
    }
    let rev = server.rev(&room);
    let server = server.restart().await;
    let mut ann = server.join("Ann", &room).await;
    for number in (1..65).rev() {
        ann.request_with_id(&format!("r{number}"), ready(number % 2 == 1))
            .await
            .ok();
    }
    assert_eq!(server.rev(&room), rev);
    // The oldest id is forgotten, so the message counts as new.
    ann.request_with_id("r0", ready(false)).await.ok();
    assert_eq!(server.rev(&room), rev + 1);
}

/// A message with its id and its answer.
struct SentMessage {
    id: String,
    message: Value,
    code: String,
}

/// A player with the moves to play, and the messages so far.
struct Player {
    client: Client,
    moves: Vec<Value>,
    done: usize,
    sent: Vec<SentMessage>,
}

impl Player {
    fn next(&self) -> Option<Value> {
        let action = self.moves.get(self.done)?;
        Some(json!({"type": "act", "action": action}))
    }

    fn note(&mut self, id: String, message: Value, code: String) {
        if code == "ok" {
            self.done += 1;
        }
        self.sent.push(SentMessage { id, message, code });
        // The server remembers twice as many of each kind.
        if self.sent.len() > 32 {
            self.sent.remove(0);
        }
    }
}

/// The actions of a game in the log, with the picks sorted.
async fn acts(server: &Server, room: &str) -> Vec<String> {
    let entries = server.entries(room);
    let acts = entries.iter().map(|entry| &entry["change"]);
    let acts = acts.filter(|change| change["type"] == "acted");
    let mut acts: Vec<_> = acts
        .map(|change| format!("{} {} {}", change["seat"], change["by"], change["action"]))
        .collect();
    acts[..3].sort();
    acts
}

/// Repeats the moves of a game, sends some too early, reconnects clients and restarts the server.
/// The game is the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn duplicate_and_reordered_messages_do_not_change_a_game() {
    let server = Server::start().await;
    let (room, mut clients) = server.started_round("sticheln", &THREE).await;
    while all_act(&mut clients).await {}
    let expected = acts(&server, &room).await;
    assert_eq!(expected.len(), 45);
    let (expected_game, expected_room) = (clients[0].game.clone(), clients[0].room.clone());
    let expected_sheet = clients[0].sheet.clone();
    let entries = server.entries(&room);
    let moves_of = |seat: usize| {
        let changes = entries.iter().map(|entry| &entry["change"]);
        let action = changes.filter(|change| change["type"] == "acted" && change["seat"] == seat);
        action
            .map(|change| change["action"].clone())
            .collect::<Vec<_>>()
    };

    let (mut sent, mut refused) = (0, 0_u64);
    for seed in 0.. {
        if sent >= env_number("MESSAGES", 1500) {
            break;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut server = Server::start().await;
        let (room, clients) = server.started_round("sticheln", &THREE).await;
        let mut players: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(seat, client)| Player {
                client,
                moves: moves_of(seat),
                done: 0,
                sent: Vec::new(),
            })
            .collect();
        while players.iter().any(|player| player.next().is_some()) {
            let at = rng.random_range(0..players.len());
            let player = &mut players[at];
            match rng.random_range(0..100) {
                // Send the next move up to three times; it may have to wait.
                0..45 => {
                    let Some(message) = player.next() else {
                        continue;
                    };
                    let id = player.client.new_id();
                    let times = rng.random_range(1..4);
                    for _ in 0..times {
                        player.client.send_with_id(&id, message.clone());
                    }
                    sent += times;
                    let code = player.client.answer(id.as_str()).await.code;
                    for _ in 1..times {
                        assert_eq!(player.client.answer(id.as_str()).await.code, code);
                    }
                    refused += u64::from(code != "ok");
                    player.note(id, message, code);
                }
                // Repeat an earlier message.
                45..85 => {
                    let Some(old) = player.sent.choose(&mut rng) else {
                        continue;
                    };
                    let answer = player
                        .client
                        .request_with_id(&old.id, old.message.clone())
                        .await;
                    assert_eq!(answer.code, old.code, "{} with seed {seed}", old.message);
                    sent += 1;
                }
                // Reconnect, with or without the old connection. The last move is sent on the old
                // connection, and its answer is not awaited.
                85..98 => {
                    let id = player.client.new_id();
                    let message = player.next();
                    if let Some(message) = &message {
                        player.client.send_with_id(&id, message.clone());
                    }
                    let name = player.client.name.clone();
                    player.client = server.join(&name, &room).await;
                    if let Some(message) = message {
                        let answer = player.client.request_with_id(&id, message.clone()).await;
                        sent += 2;
                        player.note(id, message, answer.code);
                    }
                }
                // Restart the server. It does not remember refused messages.
                _ => {
                    server = server.restart().await;
                    for player in &mut players {
                        let name = player.client.name.clone();
                        player.client = server.join(&name, &room).await;
                        player.sent.retain(|sent| sent.code == "ok");
                    }
                }
            }
        }
        assert_eq!(acts(&server, &room).await, expected, "seed {seed}");
        let mut ann = server.join("Ann", &room).await;
        ann.sync().await;
        for field in ["rev", "view", "legal"] {
            let [now, expected] =
                [&ann.game, &expected_game].map(|game| crate::client::field(game, field));
            assert_eq!(now, expected, "{field} with seed {seed}");
        }
        let rooms = [&ann.room, &expected_room];
        let [now, expected] = rooms.map(|room| crate::client::field(room, "rev"));
        assert_eq!(now, expected, "the revision with seed {seed}");
        assert_eq!(ann.sheet, expected_sheet, "the sheet with seed {seed}");
        for field in ["phase", "host"] {
            let [now, expected] = rooms.map(|room| crate::client::field(&room["table"], field));
            assert_eq!(now, expected, "{field} with seed {seed}");
        }
    }
    assert!(refused > sent / 20, "only {refused} of {sent} were refused");
}
