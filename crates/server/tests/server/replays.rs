//! Replays over HTTP: what they show, from wherever the rounds are stored, and who may read them.

use std::time::Duration;

use serde_json::{Value, json};
use sticheln_record::verify;
use sticheln_server::games::verifiers;
use sticheln_server::room_code::RoomCode;

use crate::client::{Client, all_act, sync_all};
use crate::common::token;
use crate::harness::{Reply, Server, database, limits, wait_until_asleep};
use crate::sleep::sweep;

const NAMES: [&str; 3] = ["Ann", "Bob", "Cem"];

impl Server {
    /// The answer to a request for a replay, with the token of this person.
    async fn replay_as(&self, name: &str, path: &str) -> Reply {
        let authorization = format!("Bearer {}", token(name));
        let headers = [("authorization", &*authorization)];
        let path = format!("/api/games/{path}");
        self.send_request("GET", &path, &headers, "").await
    }

    /// The answer to a request for a replay without a token.
    async fn replay(&self, path: &str) -> Reply {
        self.get(&format!("/api/games/{path}")).await
    }
}

/// Requests for replays that are refused, and their codes.
pub async fn refusals() -> Vec<(Reply, &'static str)> {
    let server = Server::start().await;
    let (_, mut clients, _spectator) = in_second_round(&server, "sticheln").await;
    let id = id(&clients[0]);
    let mut refusals = vec![
        (
            server.replay("AAAAAAAAAAAAAAAAAAAAAA").await,
            "no_such_game",
        ),
        (
            server.replay(&format!("{id}/rounds/2")).await,
            "round_unavailable",
        ),
        (
            server.replay(&format!("{id}/record")).await,
            "game_not_over",
        ),
    ];
    let configure = json!({"type": "configure", "replays": "nobody"});
    clients[0].request(configure).await.ok();
    refusals.push((server.replay(&id).await, "replay_forbidden"));
    refusals
}

/// All people are ready for what follows.
async fn all_ready(clients: &mut [Client]) {
    for client in clients.iter_mut() {
        let ready = json!({"type": "ready", "ready": true});
        client.request(ready).await.ok();
    }
    sync_all(clients).await;
}

fn phase(clients: &[Client]) -> &Value {
    &clients[0].game["view"]["table"]["phase"]
}

/// Plays until the round is over.
pub async fn play_round(clients: &mut [Client]) {
    while phase(clients) != "round_end" {
        assert!(all_act(clients).await);
    }
}

/// A room in which a game of two rounds is played to the middle of the second one, and a spectator.
async fn in_second_round(server: &Server, game: &str) -> (String, Vec<Client>, Client) {
    let options = json!({"end": {"type": "rounds", "rounds": 2}});
    let room = json!({"game": game, "seats": 3, "options": options});
    let room = server.open_room(room).await;
    let mut clients = server.start_game(&room, &NAMES).await;
    let spectator = server.join("Eve", &room).await;
    play_round(&mut clients).await;
    all_ready(&mut clients).await;
    for _ in 0..5 {
        assert!(all_act(&mut clients).await);
    }
    (room, clients, spectator)
}

/// The id of the replay of the game in a room, as its clients are sent it.
pub fn id(client: &Client) -> String {
    client.room["table"]["replay"].as_str().unwrap().to_owned()
}

/// Compares the messages `game` of a client with a replay. Returns how many were compared, and how many of them with a hand.
fn compare(client: &Client, replay: &Value) -> (usize, usize) {
    let steps = replay["steps"].as_array().unwrap();
    let [first, last] = [&steps[0], steps.last().unwrap()].map(|step| step["rev"].as_u64());
    let messages = client
        .texts
        .iter()
        .map(|text| serde_json::from_str(text).unwrap());
    let games = messages.filter(|message: &Value| message["type"] == "game");
    let mut games: Vec<Value> = games
        .filter(|game| (first..=last).contains(&game["rev"].as_u64()))
        .collect();
    // A replay has no deadlines. A message with new legal actions only repeats the rest.
    games.dedup_by(|next, game| next["rev"] == game["rev"] && next["events"] == json!([]));
    let mut steps = steps.iter().peekable();
    let mut is_first = true;
    let (mut table, mut own, mut hands) = (Value::Null, [(); 3].map(|()| Value::Null), 0);
    for game in &games {
        let mut events = Vec::new();
        while let Some(step) = steps.next_if(|step| step["rev"].as_u64() <= game["rev"].as_u64()) {
            table = step.get("table").cloned().unwrap_or(table);
            for of_seat in step["own"].as_array().into_iter().flatten() {
                own[of_seat[0].as_u64().unwrap() as usize] = of_seat[1].clone();
            }
            events.extend(step["events"].as_array().into_iter().flatten().cloned());
        }
        assert_eq!(game["view"]["table"], table);
        // A client that has just been admitted is sent no events.
        let is_first = std::mem::take(&mut is_first) && game["events"] == json!([]);
        assert!(is_first || game["events"] == json!(events));
        if let Some(hand) = game["view"].get("own") {
            let seat = game["view"]["seat"].as_u64().unwrap() as usize;
            assert_eq!(hand, &own[seat]);
            hands += 1;
        }
    }
    (games.len(), hands)
}

/// The replays of a whole game, for all seats and a spectator; from the newest entries, from the archive, after a restart, and
/// while the room sleeps.
async fn replays_show_what_was_sent(game: &str) {
    let server = Server::start().await;
    let (_, mut clients, mut spectator) = in_second_round(&server, game).await;
    spectator.sync().await;
    let id = id(&spectator);
    play_round(&mut clients).await;
    spectator.sync().await;
    let whole = server.replay(&id).await.json();
    assert_eq!(whole["format"], "sticheln/replay/1");
    assert_eq!((&whole["id"], &whole["game"]), (&json!(id), &json!(game)));
    assert_eq!(whole["status"], "over");
    assert_eq!(
        whole["players"][2],
        json!({"kind": "person", "name": "Cem"})
    );
    let points: Vec<_> = whole["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|round| round["points"].clone())
        .collect();
    assert_eq!(json!(points), spectator.sheet["rounds"]);
    assert_eq!(whole["totals"], spectator.sheet["totals"]);
    let mut rounds = Vec::new();
    for round in 1..=2 {
        let replay = server.replay(&format!("{id}/rounds/{round}")).await.json();
        for client in &clients {
            let (games, hands) = compare(client, &replay);
            assert!(games > 30 && hands == games, "{games} {hands}");
        }
        let (games, hands) = compare(&spectator, &replay);
        assert!(games > 30 && hands == 0, "{games} {hands}");
        rounds.push(replay);
    }
    for _ in 0..2 {
        server.advance(Duration::from_secs(11 * 60));
        sweep(&server).await;
    }
    assert_eq!(
        server.replay(&format!("{id}/rounds/1")).await.json(),
        rounds[0]
    );
    drop((clients, spectator));
    let server = server.restart().await;
    assert_eq!(server.replay(&id).await.json(), whole);
    for (round, replay) in rounds.iter().enumerate() {
        let path = format!("{id}/rounds/{}", round + 1);
        assert_eq!(server.replay(&path).await.json(), *replay);
    }
}

#[tokio::test]
async fn replays_of_sticheln_show_what_was_sent() {
    replays_show_what_was_sent("sticheln").await;
}

#[tokio::test]
async fn replays_of_nyet_show_what_was_sent() {
    replays_show_what_was_sent("nyet").await;
}

/// The record of a game that is over holds before the verifier; before the end there is none.
#[tokio::test]
async fn a_game_that_is_over_has_a_record() {
    for game in ["sticheln", "nyet"] {
        let server = Server::start().await;
        let (_, mut clients, _spectator) = in_second_round(&server, game).await;
        let id = id(&clients[0]);
        let path = format!("{id}/record");
        server.replay(&path).await.refused(409, "game_not_over");
        clients[1].request(json!({"type": "stand"})).await.ok();
        clients.remove(1);
        // The bot acts when the room is next asked for something.
        while phase(&clients) != "round_end" {
            all_act(&mut clients).await;
            server.advance(Duration::from_secs(10));
            sync_all(&mut clients).await;
        }
        let named = server.replay(&path).await;
        assert_eq!(named.header("content-type"), Some("application/json"));
        let report = verify(named.text().as_bytes(), &verifiers()).unwrap();
        assert!(report.is_valid(), "{report}");
        assert_eq!(report.scored_rounds, 2);
        let record = named.json();
        assert_eq!(
            record["players"][0],
            json!({"kind": "person", "name": "Ann"})
        );
        assert_eq!(record["players"][1]["kind"], "bot");
        assert_eq!(record["standings"]["totals"], clients[0].sheet["totals"]);
        let unnamed = server.replay(&format!("{path}?names=false")).await;
        for name in NAMES {
            assert!(!unnamed.text().contains(name), "{name}");
        }
        assert_eq!(unnamed.json()["rounds"], record["rounds"]);
        server
            .replay(&format!("{path}?names=x"))
            .await
            .refused(400, "malformed");
        clients[0]
            .request(json!({"type": "configure", "replays": "nobody"}))
            .await
            .ok();
        server.replay(&path).await.refused(403, "replay_forbidden");
    }
}

/// Before the first round is finished there is no replay, and later none of the running round.
#[tokio::test]
async fn a_running_round_is_shown_to_nobody() {
    let server = Server::start().await;
    let (room, mut clients, _spectator) = in_second_round(&server, "sticheln").await;
    let id = id(&clients[0]);
    for name in ["Ann", "Eve"] {
        let whole = server.replay_as(name, &id).await.json();
        assert_eq!(whole["status"], "playing");
        assert_eq!(whole["rounds"].as_array().unwrap().len(), 1);
        let running = server.replay_as(name, &format!("{id}/rounds/2")).await;
        running.refused(404, "round_unavailable");
    }
    // The game is ended early: the round is opened as abandoned.
    clients[0].request(json!({"type": "end"})).await.ok();
    let whole = server.replay(&id).await.json();
    assert_eq!(whole["status"], "ended_early");
    assert_eq!(whole["rounds"][1], json!({"round": 2}));
    let abandoned = server.replay(&format!("{id}/rounds/2")).await.json();
    assert!(abandoned["steps"].as_array().unwrap().len() > 5);

    // The next game has another id, which nobody is told before its first round is finished.
    sync_all(&mut clients).await;
    all_ready(&mut clients).await;
    assert_eq!(clients[0].room["table"].get("replay"), None);
    let started = server.entries(&room);
    let mut started = started
        .iter()
        .filter_map(|entry| entry["change"]["replay"].as_str());
    let next = started.next_back().unwrap();
    assert_ne!(next, id);
    server
        .replay_as("Ann", next)
        .await
        .refused(404, "no_such_game");
    server.replay(&id).await.json();
}

#[tokio::test]
async fn the_option_decides_who_reads_a_replay() {
    let server = Server::start().await;
    let (room, mut clients, _spectator) = in_second_round(&server, "sticheln").await;
    let id = id(&clients[0]);
    let path = format!("{id}/rounds/1");
    for (access, may_player, may_other) in [
        ("players", true, false),
        ("nobody", false, false),
        ("everybody", true, true),
    ] {
        let configure = json!({"type": "configure", "replays": access});
        clients[0].request(configure).await.ok();
        for path in [&id, &path] {
            for (reply, may_read) in [
                (server.replay_as("Bob", path).await, may_player),
                (server.replay_as("Eve", path).await, may_other),
                (server.replay(path).await, may_other),
            ] {
                match may_read {
                    true => assert_eq!(reply.json()["format"], "sticheln/replay/1"),
                    false => reply.refused(403, "replay_forbidden"),
                }
            }
        }
    }
    for path in ["", "x", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB"] {
        let code = if path.is_empty() {
            "not_found"
        } else {
            "no_such_game"
        };
        server.replay(path).await.refused(404, code);
    }
    for round in ["0", "2", "3", "256", "-1", "x", "01", "+1"] {
        let reply = server.replay(&format!("{id}/rounds/{round}")).await;
        reply.refused(404, "round_unavailable");
    }
    for authorization in ["", "Bearer", "Bearer x", "Basic QW5uOg=="] {
        let headers = [("authorization", authorization)];
        let path = format!("/api/games/{id}");
        let reply = server.send_request("GET", &path, &headers, "").await;
        reply.refused(400, "malformed");
    }
    // Replays go with their room.
    let code = RoomCode::parse(&room).unwrap();
    assert!(server.app.services.store.delete_room(code).await.unwrap());
    server.replay(&id).await.refused(404, "no_such_game");
    server.replay(&path).await.refused(404, "no_such_game");
}

/// The list has all games of the room, the newest first, and nothing of a game without a finished round.
#[tokio::test]
async fn a_room_lists_its_games() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let (room, mut clients) = server.started_round("sticheln", &NAMES).await;
    clients[0].request(json!({"type": "games"})).await.ok();
    assert_eq!(clients[0].next("games").await["games"], json!([]));
    play_round(&mut clients).await;
    let first = id(&clients[0]);
    all_ready(&mut clients).await;
    play_round(&mut clients).await;
    let second = id(&clients[0]);
    clients[1].request(json!({"type": "games"})).await.ok();
    let list = clients[1].next("games").await;
    let ids: Vec<_> = list["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|game| game["replay"].clone())
        .collect();
    assert_eq!(json!(ids), json!([second, first]));
    assert_eq!(
        list["games"][0]["players"][1],
        json!({"kind": "person", "name": "Bob"})
    );
    assert_eq!(list["games"][0]["totals"], clients[0].sheet["totals"]);
    drop(clients);
    wait_until_asleep(&server, &room).await;
    let mut ann = server.join("Ann", &room).await;
    ann.request(json!({"type": "games"})).await.ok();
    assert_eq!(ann.next("games").await, list);
    for (access, games) in [("nobody", json!([])), ("players", list["games"].clone())] {
        let configure = json!({"type": "configure", "replays": access});
        ann.request(configure).await.ok();
        ann.request(json!({"type": "games"})).await.ok();
        assert_eq!(ann.next("games").await["games"], games, "{access}");
    }
    // A replay that a spectator may not see is not in their list.
    let mut eve = server.join("Eve", &room).await;
    eve.request(json!({"type": "games"})).await.ok();
    assert_eq!(eve.next("games").await["games"], json!([]));
    database(&server.setup.folder)
        .execute("UPDATE game SET outline = '{}'", [])
        .unwrap();
    let answer = ann.request(json!({"type": "games"})).await;
    answer.refused("games_unavailable");
    server.replay(&first).await.refused(503, "storage");
}

/// A room that is played on from a replay for its players shows its own replays to its players only.
#[tokio::test]
async fn a_room_from_a_position_has_the_readers_of_its_source() {
    let server = Server::start().await;
    let (_, mut clients, _spectator) = in_second_round(&server, "nyet").await;
    let id = id(&clients[0]);
    let replay = server.replay(&format!("{id}/rounds/1")).await.json();
    let rev = &replay["steps"][2]["rev"];
    let play_on = json!({"replay": id, "round": 1, "rev": rev});
    let request = json!({"game": "nyet", "seats": 3, "play_on": play_on}).to_string();
    let authorization = format!("Bearer {}", token("Bob"));
    let headers = [("authorization", &*authorization)];
    for (access, shown) in [("players", Some("players")), ("everybody", None)] {
        let configure = json!({"type": "configure", "replays": access});
        clients[0].request(configure).await.ok();
        let opened = server.send_request("POST", "/api/rooms", &headers, &request);
        let opened = opened.await.json();
        let bob = server.join("Bob", opened["room"].as_str().unwrap()).await;
        let table = &bob.room["table"];
        assert_eq!(table.get("replays").and_then(Value::as_str), shown);
    }
}

/// People at a table never wait for readers of replays.
#[tokio::test]
async fn a_round_log_is_read_beside_a_replay() {
    let server = Server::start().await;
    let (_, mut clients, _spectator) = in_second_round(&server, "sticheln").await;
    let _reader = server
        .app
        .services
        .store
        .permit_replay_read()
        .await
        .unwrap();
    let round_log = json!({"type": "round_log", "round": 1});
    clients[0].request(round_log).await.ok();
    assert_eq!(clients[0].next("round_log").await["round"], 1);
}

/// A room is opened from a position. With bots in the other seats the game goes on from there.
#[tokio::test]
async fn people_play_on_from_a_position() {
    let server = Server::start().await;
    let (_, clients, _spectator) = in_second_round(&server, "nyet").await;
    let id = id(&clients[0]);
    let replay = server.replay(&format!("{id}/rounds/1")).await.json();
    let steps = replay["steps"].as_array().unwrap();
    let at = steps.len() / 2;
    let rev = steps[at]["rev"].clone();
    let request = json!({
        "game": "nyet", "seats": 3, "play_on": {"replay": id, "round": 1, "rev": rev},
    });
    let with = |field: &str, value: Value| {
        let mut request = request.clone();
        request[field] = value;
        request.to_string()
    };
    let play_on = |round: u8, rev: u64| json!({"replay": id, "round": round, "rev": rev});
    server
        .post(with("seats", json!(4)))
        .await
        .refused(400, "wrong_seats");
    server
        .post(with("options", json!({})))
        .await
        .refused(400, "position_given");
    // Without a position an ordinary room would open.
    server
        .post(with("play_on", Value::Null))
        .await
        .refused(400, "malformed");
    server
        .post(with("play_on", play_on(1, 0)))
        .await
        .refused(400, "no_such_position");
    server
        .post(with("play_on", play_on(2, 100)))
        .await
        .refused(404, "round_unavailable");
    server
        .post(with("game", json!("sticheln")))
        .await
        .refused(400, "no_such_position");
    let unknown = json!({"replay": "AAAAAAAAAAAAAAAAAAAAAA", "round": 1, "rev": 9});
    server
        .post(with("play_on", unknown))
        .await
        .refused(404, "no_such_game");

    let mut listed = request;
    listed["listed"] = json!(true);
    let room = server.open_room(listed).await;
    let rooms = server.get("/api/rooms").await.json();
    assert_eq!(rooms["rooms"][0]["room"], json!(room));
    let mut fay = server.join("Fay", &room).await;
    fay.request(json!({"type": "sit", "name": "Fay", "seat": 1}))
        .await
        .ok();
    for _ in 0..2 {
        fay.request(json!({"type": "add_bot", "level": "beginner"}))
            .await
            .ok();
    }
    assert_eq!(fay.room["table"]["played_on"]["round"], 1);
    let options = json!({"type": "configure", "options": {}});
    fay.request(options).await.refused("position_given");
    fay.request(json!({"type": "start"})).await.ok();
    let (mut table, mut own) = (&Value::Null, &Value::Null);
    for step in &steps[..=at] {
        table = step.get("table").unwrap_or(table);
        let mut changed = step["own"].as_array().into_iter().flatten();
        own = changed.find(|own| own[0] == 1).map_or(own, |own| &own[1]);
    }
    // The room repeats some moves at a time. The bots wait for the clock, which stands still.
    for _ in 0..10 {
        fay.sync().await;
    }
    assert_eq!(&fay.game["view"]["table"], table);
    assert_eq!(&fay.game["view"]["own"], own);
}
