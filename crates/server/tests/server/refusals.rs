//! Each refusal code over the wire. A refused message changes nothing, and no other client receives
//! anything.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_room::Refusal;
use sticheln_rules::{Game, Illegal, Nyet, Sticheln};
use sticheln_server::limits::operator_limits::Limits;

use crate::client::{Client, sync_all};
use crate::common::token;
use crate::harness::{Server, limits, local};

mod admission;
mod game;
mod lobby;
mod of_games;

/// Refusal codes.
type Codes = BTreeSet<&'static str>;

/// A room with its clients, and the refusal codes so far.
struct Scene {
    server: Server,
    room: String,
    clients: Vec<Client>,
    codes_seen: Codes,
}

impl Scene {
    async fn new(body: Value, sitting: &[&str], spectators: &[&str]) -> Self {
        Self::with(limits(), body, sitting, spectators).await
    }

    async fn with(limits: Limits, body: Value, sitting: &[&str], spectators: &[&str]) -> Self {
        let server = Server::with(limits).await;
        let room = server.open_room(body).await;
        let mut clients = Vec::new();
        for name in sitting {
            clients.push(server.sit(name, &room).await);
        }
        for name in spectators {
            clients.push(server.join(name, &room).await);
        }
        Self {
            server,
            room,
            clients,
            codes_seen: Codes::new(),
        }
    }

    async fn ok(&mut self, who: usize, message: Value) {
        self.clients[who].request(message).await.ok();
        sync_all(&mut self.clients).await;
    }

    /// A client sends a message that is refused with this code.
    async fn refused(&mut self, who: usize, code: &'static str, message: Value) {
        let rev = self.begin().await;
        self.clients[who].request(message).await.refused(code);
        self.check_unchanged(rev).await;
        self.codes_seen.insert(code);
    }

    async fn acts(&mut self, who: usize, code: &'static str, action: Value) {
        self.refused(who, code, json!({"type": "act", "action": action}))
            .await;
    }

    /// A client sends a text that is refused without an id.
    async fn refused_text(&mut self, who: usize, text: &str) {
        let rev = self.begin().await;
        self.clients[who].send(text);
        let answer = self.clients[who].answer(Value::Null).await;
        assert_eq!(answer.code, "malformed", "{text}");
        self.check_unchanged(rev).await;
    }

    async fn begin(&mut self) -> usize {
        // Once for timers that are due, and once more for the messages that they cause.
        sync_all(&mut self.clients).await;
        sync_all(&mut self.clients).await;
        self.server.rev(&self.room)
    }

    async fn check_unchanged(&mut self, rev: usize) {
        for client in &mut self.clients {
            client.received_nothing().await;
        }
        assert_eq!(self.server.rev(&self.room), rev);
    }

    /// Checks that the room still works: the next entry has the next revision.
    async fn check_still_works(&mut self) {
        self.begin().await;
        let client = &self.clients[0];
        let revs = [&client.room, &client.game].map(|message| message["rev"].as_u64());
        let rev = revs.into_iter().flatten().max().unwrap();
        let title = json!({"type": "configure", "title": format!("after {rev}")});
        self.ok(0, title).await;
        assert_eq!(self.clients[0].room["rev"], rev + 1);
    }
}

#[tokio::test]
async fn every_refusal_code_is_covered() {
    let scenes = [
        admission::before_hello().await,
        admission::with_a_password().await,
        admission::with_a_waiting_room().await,
        in_a_full_room().await,
        with_a_full_log().await,
        with_an_empty_write_budget().await,
        with_a_full_folder().await,
        before_a_restart().await,
        lobby::in_the_lobby().await,
        lobby::without_a_game().await,
        lobby::with_spectators().await,
        lobby::with_watchers().await,
        game::in_a_game().await,
        game::while_somebody_is_away().await,
        game::while_a_seat_is_claimed().await,
        game::between_rounds().await,
    ];
    let mut codes_seen: Codes = scenes.into_iter().flatten().collect();
    let sticheln = of_games::in_sticheln().await;
    let nyet = of_games::in_nyet().await;
    let of_the_rules = &codes_of::<Sticheln>() | &codes_of::<Nyet>();
    assert_eq!(&sticheln & &of_the_rules, codes_of::<Sticheln>());
    assert_eq!(&nyet & &of_the_rules, codes_of::<Nyet>());
    codes_seen.extend(sticheln);
    codes_seen.extend(nyet);

    // Only a gateway sends outdated messages: the tests of the crates `room` and `cluster` have them.
    codes_seen.insert(Refusal::Outdated.code());
    // They need a position of a replay: `replays.rs` has them.
    codes_seen.extend([Refusal::PositionGiven, Refusal::NoSuchPosition].map(Refusal::code));

    let own = Refusal::own().map(Refusal::code);
    let all: Codes = own.chain(of_the_rules).collect();
    assert_eq!(codes_seen, all);
}

/// The codes of the refusals of a game.
fn codes_of<G: Game>() -> Codes {
    Illegal::all::<G>().map(Illegal::code).collect()
}

fn sticheln(seats: usize) -> Value {
    json!({"game": "sticheln", "seats": seats})
}

async fn in_a_full_room() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann"], &[]).await;
    for number in 0..scene.server.setup.limits.spectators {
        let name = format!("Spectator{number}");
        let spectator = scene.server.join(&name, &scene.room).await;
        scene.clients.push(spectator);
    }
    let late = scene.server.connect("Late", &scene.room).await;
    scene.clients.push(late);
    let who = scene.clients.len() - 1;
    let hello = json!({"type": "hello", "token": token("Late")});
    scene.refused(who, "too_many_spectators", hello).await;
    scene.check_still_works().await;
    scene.codes_seen
}

async fn with_an_empty_write_budget() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    scene.ok(0, json!({"type": "start"})).await;
    let budgets = &scene.server.app.services.write_budgets;
    budgets.charge(local(), usize::MAX >> 16, std::time::Instant::now());
    let pause = json!({"type": "pause"});
    scene.refused(0, "written_too_much", pause).await;
    scene.codes_seen
}

async fn with_a_full_folder() -> Codes {
    // There is space for one game, and not for that of this room.
    let limits = Limits {
        max_data_mib: 6,
        ..limits()
    };
    let mut scene = Scene::with(limits, sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    let _awake = scene.server.app.services.disk_reserve.reserve_game();
    let start = json!({"type": "start"});
    scene.refused(0, "storage_full", start).await;
    scene.codes_seen
}

async fn before_a_restart() -> Codes {
    let mut scene = Scene::new(sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    let services = &scene.server.app.services;
    let restart = &services.planned_restart;
    restart.plan(services.now(), Duration::from_secs(3600));
    // The task of the room learns it beside the messages of clients.
    for client in &mut scene.clients {
        while client.room["table"].get("restart_at").is_none() {
            client.sync().await;
        }
    }
    let start = json!({"type": "start"});
    scene.refused(0, "restart_planned", start).await;
    scene.codes_seen
}

async fn with_a_full_log() -> Codes {
    let limits = Limits {
        room_entries: limit!(4),
        ..limits()
    };
    let mut scene = Scene::with(limits, sticheln(3), &["Ann", "Bob", "Cem"], &[]).await;
    scene.ok(0, json!({"type": "start"})).await;
    // The entries since the snapshot are the deal and these.
    for ready in [true, false, true] {
        scene.ok(1, json!({"type": "ready", "ready": ready})).await;
    }
    for message in [
        json!({"type": "ready", "ready": false}),
        json!({"type": "rename", "name": "Bert"}),
    ] {
        scene.refused(1, "log_full", message).await;
    }
    scene.codes_seen
}
