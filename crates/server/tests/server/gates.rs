//! How much anybody may have, and what goes to sleep or away.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sticheln_server::code::Code;
use sticheln_server::door::{CodeLookup, Door, Full, Visitor};
use sticheln_server::options::Limits;

use crate::cancelled_calls::{HeldWriter, WISH, opening};
use crate::harness::{
    Client, Reply, Server, everybody_acts, limits, number, secret, soon, up_to_date,
};
use crate::raw::Raw;

const WRONG: &str = "k7qm2x4p";

async fn refused(server: &Server, room: &str) -> Reply {
    match server.try_connect("Ann", room).await {
        Ok(_) => panic!("let in"),
        Err(reply) => reply,
    }
}

#[tokio::test]
async fn an_address_has_so_many_sockets() {
    let server = Server::with(Limits {
        sockets_per_address: 3,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let mut ann = server.come("Ann", &room).await;
    let bob = server.come("Bob", &room).await;
    // Also one that has said nothing counts.
    let _cem = server.connect("Cem", &room).await;
    refused(&server, &room)
        .await
        .refused(429, "too_many_sockets");
    // Calls are answered all the same, and who is there stays.
    assert_eq!(server.get("/").await.status, 200);
    ann.forget().await;
    // When one has gone there is space again.
    bob.leave().await;
    soon("space", async {
        while server.try_connect("Dan", &room).await.is_err() {}
    })
    .await;
}

#[tokio::test]
async fn an_address_has_so_many_connections() {
    let server = Server::with(Limits {
        sockets_per_address: 3,
        ..limits()
    })
    .await;
    let mut silent = Vec::new();
    for _ in 0..3 {
        let mut raw = Raw::connect(&server).await;
        // It is taken in once it is answered.
        raw.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert_eq!(raw.reply().await.status, 200);
        silent.push(raw);
    }
    let mut late = Raw::connect(&server).await;
    late.gone().await;
    drop(silent.pop());
    soon("space", async {
        loop {
            let mut raw = Raw::connect(&server).await;
            raw.send("GET /healthz HTTP/1.0\r\n\r\n").await;
            if !raw.rest().await.is_empty() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_server_has_so_many_sockets() {
    let server = Server::with(Limits {
        sockets: 2,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let _ann = server.come("Ann", &room).await;
    let _bob = server.come("Bob", &room).await;
    refused(&server, &room).await.refused(503, "server_full");
}

#[tokio::test]
async fn an_address_opens_so_many_sockets_in_a_minute() {
    let server = Server::with(Limits {
        upgrades_per_minute: 4,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    for _ in 0..4 {
        server.come("Ann", &room).await.leave().await;
    }
    refused(&server, &room).await.refused(429, "too_often");
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// Whoever is closed for what he sends cannot do it again at once, over and over.
#[tokio::test]
async fn what_breaks_the_rules_counts_as_many_sockets() {
    let server = Server::with(Limits {
        upgrades_per_minute: 10,
        messages_per_second: 1,
        messages_at_once: 1,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let mut fay = server.come("Fay", &room).await;
    for id in 0..40 {
        fay.tell(&format!("flood-{id}"), json!({"type": "ping"}));
    }
    fay.closed(1008).await;
    refused(&server, &room).await.refused(429, "too_often");
}

#[tokio::test]
async fn the_eleventh_wrong_code_in_a_minute_is_not_looked_at() {
    let server = Server::start().await;
    let room = server.table(3).await;
    server.come("Ann", &room).await;
    // Calls and sockets count together, and so does what cannot be a code.
    for code in [WRONG, "22222222", "x", WRONG, "k7qm2x4p5"] {
        server
            .get(&format!("/api/rooms/{code}"))
            .await
            .refused(404, "no_such_room");
    }
    for code in [WRONG, "22222222", "xz", "33333333", "k7qm2x4p5"] {
        server.connect("Bob", code).await.closed(4004).await;
    }
    let unknown = server.table(3).await;
    for code in [WRONG, "22222222", &unknown] {
        let path = format!("/api/rooms/{code}");
        server.get(&path).await.refused(429, "too_many_wrong_codes");
        refused(&server, code)
            .await
            .refused(429, "too_many_wrong_codes");
    }
    // Who is in stays in, and comes back; what is no guess is answered.
    server.come("Ann", &room).await;
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
    let mut ann = server.come("Ann", &room).await;
    ann.say(json!({"type": "sit", "name": "Ann"})).await.ok();
    assert_eq!(server.get("/api/rooms").await.status, 200);
    server.table(3).await;
}

/// A socket that is not let in looks up nothing, so it is no guess.
#[tokio::test]
async fn refused_sockets_take_no_tokens_for_wrong_codes() {
    let server = Server::with(Limits {
        sockets_per_address: 1,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let _ann = server.come("Ann", &room).await;
    for _ in 0..10 {
        let reply = refused(&server, WRONG).await;
        assert_eq!(reply.json()["code"], "too_many_sockets");
    }
    let path = format!("/api/rooms/{WRONG}");
    server.get(&path).await.refused(404, "no_such_room");
}

/// Right codes are no guesses, however many there are.
#[tokio::test]
async fn right_codes_are_not_counted() {
    let server = Server::start().await;
    let room = server.table(3).await;
    for _ in 0..30 {
        assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
        server.come("Ann", &room).await;
    }
}

/// Addresses count by what one provider gives to one customer.
#[test]
fn a_network_counts_as_one_address() {
    let door = Arc::new(Door::new(Limits {
        sockets_per_address: 1,
        ..limits()
    }));
    let visitor = |address: &str| Visitor::from(address.parse::<IpAddr>().unwrap());
    let one = door.enter(visitor("2001:db8:1:2::1")).unwrap();
    assert_eq!(
        door.enter(visitor("2001:db8:1:2:ffff::9")).err(),
        Some(Full::Address)
    );
    let _other = door.enter(visitor("2001:db8:1:3::1")).unwrap();
    let _four = door.enter(visitor("192.0.2.1")).unwrap();
    let _next = door.enter(visitor("192.0.2.2")).unwrap();
    assert_eq!(
        door.enter(visitor("::ffff:192.0.2.1")).err(),
        Some(Full::Address)
    );
    drop(one);
    assert!(door.enter(visitor("2001:db8:1:2::2")).is_ok());
}

/// From the moment on at which the server says that it ends: it closes only sockets that it knows then.
#[tokio::test]
async fn an_ending_server_lets_nobody_in() {
    let server = Server::start().await;
    let room = server.table(3).await;
    server.app.ending.send_replace(Some(Duration::ZERO));
    refused(&server, &room).await.refused(503, "restarting");
    let wish = r#"{"game":"sticheln","seats":3}"#;
    server.post(wish).await.refused(503, "restarting");
    let ready = server.get("/readyz").await;
    assert_eq!((ready.status, ready.text()), (503, "ending"));
}

fn door() -> (Arc<Door>, Visitor, Visitor) {
    let visitor = |address: [u8; 4]| Visitor::from(IpAddr::from(address));
    let door = Arc::new(Door::new(Limits::default()));
    (door, visitor([192, 0, 2, 1]), visitor([192, 0, 2, 2]))
}

/// Clients that come too often are kept waiting, but only a few of each address: the others are refused
/// at once.
#[test]
fn four_of_an_address_are_kept_waiting() {
    let (door, one, two) = door();
    let mut waiting: Vec<_> = (0..4).map(|_| door.keep_waiting(one).unwrap()).collect();
    assert!(door.keep_waiting(one).is_none());
    assert!(door.keep_waiting(two).is_some());
    waiting.pop();
    assert!(door.keep_waiting(one).is_some());
}

/// An address that has guessed too often may still ask for the tables that it knew before, as far as
/// they are remembered.
#[test]
fn an_address_knows_64_codes() {
    let (door, one, two) = door();
    let codes: Vec<_> = (0..65).map(|_| Code::random().unwrap()).collect();
    for code in &codes {
        door.note_right_code(one, code);
        // One that is known already takes no place.
        door.note_right_code(one, code);
    }
    let may_look_up = |visitor, code| door.look_up(visitor, code).is_some();
    for _ in 0..10 {
        assert!(may_look_up(one, None));
    }
    assert!(!may_look_up(one, None) && may_look_up(two, None));
    assert!(!may_look_up(one, Some(&codes[0])), "the oldest is dropped");
    assert!(codes[1..].iter().all(|code| may_look_up(one, Some(code))));
}

/// A lookup takes its token at once, so guesses at the same time cannot exceed the limit. Several lookups of one code
/// share one token, since a group at one address reconnects together.
#[test]
fn lookups_at_the_same_time_take_tokens_at_once() {
    let (door, one, _) = door();
    let codes: Vec<_> = (0..200).map(|_| Code::random().unwrap()).collect();
    let group: Vec<_> = (0..30)
        .map(|_| door.look_up(one, Some(&codes[0])))
        .collect();
    assert!(group.iter().all(Option::is_some));
    let guesses: Vec<_> = codes[1..]
        .iter()
        .filter_map(|code| door.look_up(one, Some(code)))
        .collect();
    assert_eq!(guesses.len(), 9);
    // `forgive` gives all ten tokens back.
    group.into_iter().flatten().for_each(CodeLookup::forgive);
    guesses.into_iter().for_each(CodeLookup::forgive);
    let guesses: Vec<_> = codes
        .iter()
        .filter_map(|code| door.look_up(one, Some(code)))
        .collect();
    assert_eq!(guesses.len(), 10);
}

#[tokio::test]
async fn the_server_has_so_many_rooms_awake() {
    let server = Server::with(Limits {
        rooms: 2,
        awake_minutes: 0,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let ann = come(&server, "Ann", &room).await;
    let other = server.table(3).await;
    let _bob = come(&server, "Bob", &other).await;
    let wish = r#"{"game":"sticheln","seats":3}"#;
    server.post(wish).await.refused(503, "server_full");
    // A room that sleeps finds no space either; one that is awake is open to all.
    ann.leave().await;
    asleep(&server, &room).await;
    let third = server.table(3).await;
    let _cem = come(&server, "Cem", &third).await;
    server.connect("Ann", &room).await.closed(1013).await;
    // A wrong code is told to be wrong, and counts.
    for _ in 0..10 {
        server.connect("Ann", WRONG).await.closed(4004).await;
    }
    refused(&server, WRONG)
        .await
        .refused(429, "too_many_wrong_codes");
    come(&server, "Dan", &other).await;
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// Tables that are being opened count as awake, so that openings at the same moment do not exceed the limit.
#[tokio::test]
async fn openings_at_the_same_time_are_counted() {
    let server = Server::with(Limits {
        rooms: 2,
        awake_minutes: 0,
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
    for code in server.app.house.codes_awake() {
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

/// A room that goes to sleep just now says that one should come back.
pub async fn come(server: &Server, name: &str, room: &str) -> Client {
    let come = async {
        loop {
            let mut client = server.connect(name, room).await;
            let hello = json!({"type": "hello", "token": secret(name)});
            let id = client.new_id();
            client.tell(&id, hello);
            match client.first().await.as_deref() {
                Some("welcome") => break client,
                _ => client.closed(4000).await,
            }
        }
    };
    let mut client = soon("somebody who comes", come).await;
    client.forget().await;
    client
}

/// Waits until nobody holds the room awake any more.
pub async fn asleep(server: &Server, room: &str) {
    soon("a room to fall asleep", async {
        while server
            .app
            .house
            .codes_awake()
            .iter()
            .any(|code| code == room)
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn rooms_that_sleep_do_not_count_for_an_address() {
    let server = Server::with(Limits {
        rooms_per_address: 1,
        awake_minutes: 0,
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
    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
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
        assert_eq!(clients[0].room["host"], 0);
    }
}

#[tokio::test]
async fn what_is_over_is_cleared_away_and_nothing_else() {
    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let sweep = async || {
        let house = &server.app.house;
        house
            .store()
            .sweep(house.now(), house.codes_awake())
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
    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
    for _ in 0..number("COMINGS", 50) {
        let room = server.open(json!({"game": "sticheln", "seats": 3})).await;
        server.sit("Ann", &room).await.leave().await;
    }
}

/// A game that is over is kept longer than one in which nobody goes on.
#[tokio::test]
async fn a_finished_game_is_kept_for_ninety_days() {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
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
    assert_eq!(clients[0].room["phase"], "over");
    for client in clients {
        client.leave().await;
    }
    asleep(&server, &room).await;

    let house = &server.app.house;
    let sweep = async || {
        house
            .store()
            .sweep(house.now(), Vec::new())
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

#[tokio::test]
async fn so_many_watch_a_table() {
    let server = Server::with(Limits {
        spectators: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    clients.push(server.come("Eve", &room).await);
    clients.push(server.come("Fay", &room).await);
    // A second window of one of them is not one more.
    clients.push(server.come("Eve", &room).await);
    let mut gil = server.connect("Gil", &room).await;
    gil.hello().await.refused("room_full");
    // Who has a seat comes in whoever watches, and who sits down leaves a place.
    clients.push(server.come("Ann", &room).await);
    clients[0].closed(4001).await;
    clients[2]
        .say(json!({"type": "sit", "name": "Eve"}))
        .await
        .ok();
    gil.hello().await.ok();
}

/// The limit counts one table and one address: more people of that address are refused there, people of
/// another one are let in, and so is everybody at another table.
#[tokio::test]
async fn an_address_has_so_many_spectators_at_a_table() {
    let server = Server::with(Limits {
        spectators: 5,
        spectators_per_address: 2,
        ..limits()
    })
    .await;
    let (room, _clients) = server.seated(&["Ann", "Bob"]).await;
    let _eve = server.come("Eve", &room).await;
    let _fay = server.come("Fay", &room).await;
    let mut gil = server.connect("Gil", &room).await;
    gil.hello().await.refused("room_full");

    let elsewhere = IpAddr::from([127, 0, 0, 2]);
    let mut others = Vec::new();
    for name in ["Hal", "Ida"] {
        let mut other = server.connect_from(elsewhere, name, &room).await;
        other.hello().await.ok();
        // The connection stays open, or its place would be free again.
        gil.hello().await.refused("room_full");
        others.push(other);
    }
    let mut jim = server.connect_from(elsewhere, "Jim", &room).await;
    jim.hello().await.refused("room_full");
    let another = server.table(3).await;
    server.come("Gil", &another).await;
}
