//! Messages that come twice, late, or not in their order.

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::harness::{Client, Server, everybody_acts, number, up_to_date};

const THREE: [&str; 3] = ["Ann", "Bob", "Cem"];

fn ready(ready: bool) -> Value {
    json!({"type": "ready", "ready": ready})
}

#[tokio::test]
async fn what_comes_twice_is_done_once() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&THREE).await;
    let rev = server.rev(&room).await;

    for _ in 0..3 {
        clients[1].say_as("once", ready(true)).await.ok();
    }
    assert_eq!(server.rev(&room).await, rev + 1);
    // The id decides, not what is said with it.
    clients[1].say_as("once", ready(false)).await.ok();
    assert_eq!(server.rev(&room).await, rev + 1);
    // Another one's id is another id.
    clients[2].say_as("once", ready(true)).await.ok();
    assert_eq!(server.rev(&room).await, rev + 2);

    up_to_date(&mut clients).await;
    for _ in 0..3 {
        clients[0]
            .say_as("said", json!({"type": "chat", "text": "Hello"}))
            .await
            .ok();
    }
    let lines = clients[2].news().await;
    assert_eq!(lines.len(), 1, "{lines:?}");

    // What was refused stays refused, also when it could be done by now.
    let start = json!({"type": "start"});
    clients[1]
        .say_as("start", start.clone())
        .await
        .refused("not_host");
    clients[0]
        .say(json!({"type": "give_host", "seat": 1}))
        .await
        .ok();
    clients[1]
        .say_as("start", start.clone())
        .await
        .refused("not_host");
    clients[1].say_as("start again", start).await.ok();

    // Both of two that come in one go are answered.
    up_to_date(&mut clients).await;
    let action = clients[0].legal()[0].clone();
    let act = json!({"type": "act", "action": action});
    let rev = server.rev(&room).await;
    clients[0].tell("act", act.clone());
    clients[0].tell("act", act);
    clients[0].answer("act").await.ok();
    clients[0].answer("act").await.ok();
    assert_eq!(server.rev(&room).await, rev + 1);
}

#[tokio::test]
async fn a_new_connection_and_a_new_server_know_what_was_done() {
    let server = Server::start().await;
    let (room, mut clients) = server.begun(&THREE).await;
    let act = |client: &Client| json!({"type": "act", "action": client.legal()[0]});
    let bobs = act(&clients[1]);
    clients[1].say_as("act", bobs.clone()).await.ok();
    let other = json!({"type": "act", "action": {"type": "play", "card": "red-1"}});
    clients[1]
        .say_as("no act", other.clone())
        .await
        .refused("wrong_phase");
    let rev = server.rev(&room).await;

    let mut bob = server.come("Bob", &room).await;
    clients[1].closed(4001).await;
    bob.say_as("act", bobs.clone()).await.ok();
    bob.say_as("no act", other).await.refused("wrong_phase");
    assert_eq!(server.rev(&room).await, rev);

    let server = server.restart().await;
    let mut bob = server.come("Bob", &room).await;
    bob.say_as("act", bobs).await.ok();
    assert_eq!(server.rev(&room).await, rev);
    bob.forget().await;
    assert_eq!(bob.game["view"]["to_act"], json!([0, 2]));
}

#[tokio::test]
async fn the_last_64_are_remembered_also_by_a_new_server() {
    let server = Server::start().await;
    let (room, mut clients) = server.seated(&["Ann"]).await;
    for number in 0..65 {
        clients[0]
            .say_as(&format!("r{number}"), ready(number % 2 == 0))
            .await
            .ok();
    }
    let rev = server.rev(&room).await;
    let server = server.restart().await;
    let mut ann = server.come("Ann", &room).await;
    for number in (1..65).rev() {
        ann.say_as(&format!("r{number}"), ready(number % 2 == 1))
            .await
            .ok();
    }
    assert_eq!(server.rev(&room).await, rev);
    // The one before them is forgotten: it counts as new.
    ann.say_as("r0", ready(false)).await.ok();
    assert_eq!(server.rev(&room).await, rev + 1);
}

/// What somebody has said under an id, and what he was answered.
struct Said {
    id: String,
    message: Value,
    word: String,
}

/// Somebody in a storm: his moves in their order, and what he has said until now.
struct Player {
    client: Client,
    moves: Vec<Value>,
    done: usize,
    said: Vec<Said>,
}

impl Player {
    fn next(&self) -> Option<Value> {
        let action = self.moves.get(self.done)?;
        Some(json!({"type": "act", "action": action}))
    }

    fn note(&mut self, id: String, message: Value, word: String) {
        if word == "ok" {
            self.done += 1;
        }
        self.said.push(Said { id, message, word });
        // The server remembers twice as many of each kind.
        if self.said.len() > 32 {
            self.said.remove(0);
        }
    }
}

/// A table for a game of one round, where Ann has the first word.
async fn table(server: &Server) -> (String, Vec<Client>) {
    let wish = json!({
        "game": "sticheln",
        "seats": 3,
        "options": {"end": {"type": "rounds", "rounds": 1}},
    });
    let room = server.open(wish).await;
    let mut clients = Vec::new();
    for name in THREE {
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

/// What the log tells of a game: who has played what. Picks come in any order.
async fn acts(server: &Server, room: &str) -> Vec<String> {
    let entries = server.entries(room).await;
    let acts = entries.iter().map(|entry| &entry["change"]);
    let acts = acts.filter(|change| change["type"] == "acted");
    let mut acts: Vec<_> = acts
        .map(|change| format!("{} {} {}", change["seat"], change["by"], change["action"]))
        .collect();
    acts[..3].sort();
    acts
}

/// The moves of a whole game come twice and three times, too early, and over ever new connections
/// to ever new servers: what comes of it is the game in its order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_changes_nothing() {
    let server = Server::start().await;
    let (room, mut clients) = table(&server).await;
    while everybody_acts(&mut clients).await {}
    let calm = acts(&server, &room).await;
    assert_eq!(calm.len(), 45);
    let (view, table_told) = (clients[0].game.clone(), clients[0].room.clone());
    let entries = server.entries(&room).await;
    let moves_of = |seat: usize| {
        let changes = entries.iter().map(|entry| &entry["change"]);
        let his = changes.filter(|change| change["type"] == "acted" && change["seat"] == seat);
        his.map(|change| change["action"].clone())
            .collect::<Vec<_>>()
    };

    let (mut said, mut refused) = (0, 0_u64);
    for seed in 0.. {
        if said >= number("COMMANDS", 1500) {
            break;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut server = Server::start().await;
        let (room, clients) = table(&server).await;
        let mut players: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(seat, client)| Player {
                client,
                moves: moves_of(seat),
                done: 0,
                said: Vec::new(),
            })
            .collect();
        while players.iter().any(|player| player.next().is_some()) {
            let at = rng.random_range(0..players.len());
            let player = &mut players[at];
            match rng.random_range(0..100) {
                // The next move, once or twice, or a move that has to wait.
                0..45 => {
                    let Some(message) = player.next() else {
                        continue;
                    };
                    let id = player.client.new_id();
                    let times = rng.random_range(1..4);
                    for _ in 0..times {
                        player.client.tell(&id, message.clone());
                    }
                    said += times;
                    let word = player.client.answer(id.as_str()).await.word;
                    for _ in 1..times {
                        assert_eq!(player.client.answer(id.as_str()).await.word, word);
                    }
                    refused += u64::from(word != "ok");
                    player.note(id, message, word);
                }
                // Something that was said before.
                45..85 => {
                    let Some(old) = player.said.choose(&mut rng) else {
                        continue;
                    };
                    let answer = player.client.say_as(&old.id, old.message.clone()).await;
                    assert_eq!(answer.word, old.word, "{} with seed {seed}", old.message);
                    said += 1;
                }
                // On a new connection, while the old one is there or is gone; the last move is
                // sent before anybody could know whether it arrived.
                85..98 => {
                    let id = player.client.new_id();
                    let message = player.next();
                    if let Some(message) = &message {
                        player.client.tell(&id, message.clone());
                    }
                    let name = player.client.name.clone();
                    player.client = server.come(&name, &room).await;
                    if let Some(message) = message {
                        let answer = player.client.say_as(&id, message.clone()).await;
                        said += 2;
                        player.note(id, message, answer.word);
                    }
                }
                // To a new server; what was refused it has not written down.
                _ => {
                    server = server.restart().await;
                    for player in &mut players {
                        let name = player.client.name.clone();
                        player.client = server.come(&name, &room).await;
                        player.said.retain(|said| said.word == "ok");
                    }
                }
            }
        }
        assert_eq!(acts(&server, &room).await, calm, "seed {seed}");
        let mut ann = server.come("Ann", &room).await;
        ann.forget().await;
        for field in ["rev", "view", "legal"] {
            assert_eq!(ann.game[field], view[field], "{field} with seed {seed}");
        }
        for field in ["rev", "sheet", "standings", "phase", "host"] {
            assert_eq!(
                ann.room[field], table_told[field],
                "{field} with seed {seed}"
            );
        }
    }
    assert!(
        refused > said / 20,
        "only {refused} of {said} came too early"
    );
}
