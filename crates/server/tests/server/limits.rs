//! How many connections, sockets, wrong codes and places to watch an address has, and the server in all.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sticheln_server::limits::address_limits::{AddressLimits, CodeLookup, LimitReached};
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::room_code::RoomCode;
use sticheln_server::settings::Limits;

use crate::harness::{Server, WISH, WRONG_CODE, limits, not_let_in, soon};
use crate::raw::Raw;

#[tokio::test]
async fn an_address_has_so_many_sockets() {
    let server = Server::with(Limits {
        sockets_per_address: nonzero!(3),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let mut ann = server.come("Ann", &room).await;
    let bob = server.come("Bob", &room).await;
    // Also one that has said nothing counts.
    let _cem = server.connect("Cem", &room).await;
    not_let_in(&server, &room)
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
        sockets_per_address: nonzero!(3),
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
        sockets: nonzero!(2),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let _ann = server.come("Ann", &room).await;
    let _bob = server.come("Bob", &room).await;
    not_let_in(&server, &room).await.refused(503, "server_full");
}

#[tokio::test]
async fn an_address_opens_so_many_sockets_in_a_minute() {
    let server = Server::with(Limits {
        upgrades_per_minute: nonzero!(4),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    for _ in 0..4 {
        server.come("Ann", &room).await.leave().await;
    }
    not_let_in(&server, &room).await.refused(429, "too_often");
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// Whoever is closed for what he sends cannot do it again at once, over and over.
#[tokio::test]
async fn what_breaks_the_rules_counts_as_many_sockets() {
    let server = Server::with(Limits {
        upgrades_per_minute: nonzero!(10),
        messages_per_second: nonzero!(1),
        messages_at_once: nonzero!(1),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let mut fay = server.come("Fay", &room).await;
    for id in 0..40 {
        fay.tell(&format!("flood-{id}"), json!({"type": "ping"}));
    }
    fay.closed(1008).await;
    not_let_in(&server, &room).await.refused(429, "too_often");
}

#[tokio::test]
async fn the_eleventh_wrong_code_in_a_minute_is_not_looked_at() {
    let server = Server::start().await;
    let room = server.table(3).await;
    server.come("Ann", &room).await;
    // Calls and sockets count together, and so does what cannot be a code.
    for code in [WRONG_CODE, "22222222", "x", WRONG_CODE, "k7qm2x4p5"] {
        server
            .get(&format!("/api/rooms/{code}"))
            .await
            .refused(404, "no_such_room");
    }
    for code in [WRONG_CODE, "22222222", "xz", "33333333", "k7qm2x4p5"] {
        server.connect("Bob", code).await.closed(4004).await;
    }
    let unknown = server.table(3).await;
    for code in [WRONG_CODE, "22222222", &unknown] {
        let path = format!("/api/rooms/{code}");
        server.get(&path).await.refused(429, "too_many_wrong_codes");
        not_let_in(&server, code)
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
        sockets_per_address: nonzero!(1),
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    let _ann = server.come("Ann", &room).await;
    for _ in 0..10 {
        let reply = not_let_in(&server, WRONG_CODE).await;
        assert_eq!(reply.json()["code"], "too_many_sockets");
    }
    let path = format!("/api/rooms/{WRONG_CODE}");
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
    let address_limits = Arc::new(AddressLimits::new(Limits {
        sockets_per_address: nonzero!(1),
        ..limits()
    }));
    let client_addr = |address: &str| ClientAddr::from(address.parse::<IpAddr>().unwrap());
    let one = address_limits
        .open_socket(client_addr("2001:db8:1:2::1"))
        .unwrap();
    assert_eq!(
        address_limits
            .open_socket(client_addr("2001:db8:1:2:ffff::9"))
            .err(),
        Some(LimitReached::Address)
    );
    let _other = address_limits
        .open_socket(client_addr("2001:db8:1:3::1"))
        .unwrap();
    let _four = address_limits
        .open_socket(client_addr("192.0.2.1"))
        .unwrap();
    let _next = address_limits
        .open_socket(client_addr("192.0.2.2"))
        .unwrap();
    assert_eq!(
        address_limits
            .open_socket(client_addr("::ffff:192.0.2.1"))
            .err(),
        Some(LimitReached::Address)
    );
    drop(one);
    assert!(
        address_limits
            .open_socket(client_addr("2001:db8:1:2::2"))
            .is_ok()
    );
}

/// From the moment on at which the server says that it ends: it closes only sockets that it knows then.
#[tokio::test]
async fn an_ending_server_lets_nobody_in() {
    let server = Server::start().await;
    let room = server.table(3).await;
    server.app.ending.send_replace(Some(Duration::ZERO));
    not_let_in(&server, &room).await.refused(503, "restarting");
    server.post(WISH).await.refused(503, "restarting");
    let ready = server.get("/readyz").await;
    assert_eq!((ready.status, ready.text()), (503, "ending"));
}

fn address_limits() -> (Arc<AddressLimits>, ClientAddr, ClientAddr) {
    let client_addr = |address: [u8; 4]| ClientAddr::from(IpAddr::from(address));
    let address_limits = Arc::new(AddressLimits::new(Limits::default()));
    (
        address_limits,
        client_addr([192, 0, 2, 1]),
        client_addr([192, 0, 2, 2]),
    )
}

/// Clients that come too often are kept waiting, but only a few of each address: the others are refused
/// at once.
#[test]
fn four_of_an_address_are_kept_waiting() {
    let (address_limits, one, two) = address_limits();
    let mut waiting: Vec<_> = (0..4).map(|_| address_limits.delay(one).unwrap()).collect();
    assert!(address_limits.delay(one).is_none());
    assert!(address_limits.delay(two).is_some());
    waiting.pop();
    assert!(address_limits.delay(one).is_some());
}

/// An address that has guessed too often may still ask for the tables that it knew before, as far as
/// they are remembered.
#[test]
fn an_address_knows_64_codes() {
    let (address_limits, one, two) = address_limits();
    let codes: Vec<_> = (0..65).map(|_| RoomCode::random().unwrap()).collect();
    for code in &codes {
        address_limits.note_known_code(one, code);
        // One that is known already takes no place.
        address_limits.note_known_code(one, code);
    }
    let may_look_up = |client_addr, code| address_limits.look_up_code(client_addr, code).is_some();
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
    let (address_limits, one, _) = address_limits();
    let codes: Vec<_> = (0..200).map(|_| RoomCode::random().unwrap()).collect();
    let group: Vec<_> = (0..30)
        .map(|_| address_limits.look_up_code(one, Some(&codes[0])))
        .collect();
    assert!(group.iter().all(Option::is_some));
    let guesses: Vec<_> = codes[1..]
        .iter()
        .filter_map(|code| address_limits.look_up_code(one, Some(code)))
        .collect();
    assert_eq!(guesses.len(), 9);
    // `refund` gives all ten tokens back.
    group.into_iter().flatten().for_each(CodeLookup::refund);
    guesses.into_iter().for_each(CodeLookup::refund);
    let guesses: Vec<_> = codes
        .iter()
        .filter_map(|code| address_limits.look_up_code(one, Some(code)))
        .collect();
    assert_eq!(guesses.len(), 10);
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

/// A connection that sends nothing, or no request, takes no token for a call. It takes one for a connection.
#[tokio::test]
async fn connections_of_an_address_are_limited() {
    const CONNECTIONS: u32 = 2;

    let server = Server::with(Limits {
        connections_per_minute: nonzero!(CONNECTIONS),
        ..limits()
    })
    .await;
    for _ in 0..CONNECTIONS {
        let mut raw = Raw::connect(&server).await;
        raw.send("this is no request\r\n\r\n").await;
        assert_eq!(raw.head().await.status, 400);
    }
    Raw::connect(&server).await.gone().await;
    // Others are served.
    let elsewhere = IpAddr::from([127, 0, 0, 2]);
    assert_eq!(server.get_from(elsewhere, "/healthz").await.status, 200);
}
