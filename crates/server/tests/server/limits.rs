//! The limits of connections, sockets, wrong codes and spectators: for an address, and for the
//! server.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt, poll};
use serde_json::json;
use sticheln_server::limits::address_limits::{AddressLimits, CodeLookup, LimitReached};
use sticheln_server::limits::client_addr::ClientAddr;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::room_code::RoomCode;
use sticheln_server::socket::closing::Shutdown;

use crate::client::{join_with_retry, refused_upgrade};
use crate::harness::{
    OPEN_ROOM, Server, WRONG_CODE, limits, local, wait_until_asleep, within_timeout,
};
use crate::raw::RawConnection;

#[tokio::test]
async fn sockets_of_an_address_are_limited() {
    let server = Server::with(Limits {
        sockets_per_address: limit!(3),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut ann = server.join("Ann", &room).await;
    let bob = server.join("Bob", &room).await;
    // A socket without `hello` counts too.
    let _cem = server.connect("Cem", &room).await;
    refused_upgrade(&server, &room)
        .await
        .refused(429, "too_many_sockets");
    // Requests are still answered, and open sockets stay open.
    assert_eq!(server.get("/").await.status, 200);
    ann.sync().await;
    // A closed socket makes room for another one.
    bob.leave().await;
    within_timeout("space", async {
        while server.try_connect("Dan", &room).await.is_err() {}
    })
    .await;
}

#[tokio::test]
async fn connections_of_an_address_are_limited() {
    let server = Server::with(Limits {
        sockets_per_address: limit!(3),
        ..limits()
    })
    .await;
    let mut connections = Vec::new();
    for _ in 0..3 {
        let mut raw = RawConnection::connect(&server).await;
        // After the answer, the connection is accepted.
        raw.send("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
        assert_eq!(raw.reply().await.status, 200);
        connections.push(raw);
    }
    let mut late = RawConnection::connect(&server).await;
    late.wait_for_end().await;
    drop(connections.pop());
    within_timeout("space", async {
        loop {
            let mut raw = RawConnection::connect(&server).await;
            raw.send("GET /healthz HTTP/1.0\r\n\r\n").await;
            if !raw.rest().await.is_empty() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn sockets_of_the_server_are_limited() {
    let server = Server::with(Limits {
        sockets: limit!(2),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let _ann = server.join("Ann", &room).await;
    let _bob = server.join("Bob", &room).await;
    refused_upgrade(&server, &room)
        .await
        .refused(503, "server_full");
}

#[tokio::test]
async fn upgrades_of_an_address_are_rate_limited() {
    let server = Server::with(Limits {
        new_sockets_per_minute: limit!(4),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    for _ in 0..4 {
        server.join("Ann", &room).await.leave().await;
    }
    refused_upgrade(&server, &room)
        .await
        .refused(429, "too_often");
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
}

/// A client that was closed for a violation cannot repeat it at once.
#[tokio::test]
async fn a_violation_is_charged_as_several_upgrades() {
    let server = Server::with(Limits {
        new_sockets_per_minute: limit!(10),
        messages_per_second: limit!(1),
        message_burst: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let mut fay = server.join("Fay", &room).await;
    for id in 0..40 {
        fay.send_with_id(&format!("flood-{id}"), json!({"type": "ping"}));
    }
    fay.closed_with(1008).await;
    refused_upgrade(&server, &room)
        .await
        .refused(429, "too_often");
}

#[tokio::test]
async fn the_eleventh_wrong_code_in_a_minute_is_refused() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    server.join("Ann", &room).await;
    // Requests and sockets count together, and invalid codes count too.
    for code in [WRONG_CODE, "22222222", "x", WRONG_CODE, "k7qm2x4p5"] {
        server
            .get(&format!("/api/rooms/{code}"))
            .await
            .refused(404, "no_such_room");
    }
    for code in [WRONG_CODE, "22222222", "xz", "33333333", "k7qm2x4p5"] {
        server.connect("Bob", code).await.closed_with(4004).await;
    }
    let unknown = server.open_sticheln(3).await;
    for code in [WRONG_CODE, "22222222", &unknown] {
        let path = format!("/api/rooms/{code}");
        server.get(&path).await.refused(429, "too_many_wrong_codes");
        refused_upgrade(&server, code)
            .await
            .refused(429, "too_many_wrong_codes");
    }
    // Known codes still work, and other requests are answered.
    server.join("Ann", &room).await;
    assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
    let mut ann = server.join("Ann", &room).await;
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    assert_eq!(server.get("/api/rooms").await.status, 200);
    server.open_sticheln(3).await;
}

/// A refused socket looks up no code, so it takes no unit.
#[tokio::test]
async fn refused_sockets_take_no_units_for_wrong_codes() {
    let server = Server::with(Limits {
        sockets_per_address: limit!(1),
        ..limits()
    })
    .await;
    let room = server.open_sticheln(3).await;
    let _ann = server.join("Ann", &room).await;
    for _ in 0..10 {
        let reply = refused_upgrade(&server, WRONG_CODE).await;
        assert_eq!(reply.json()["code"], "too_many_sockets");
    }
    let path = format!("/api/rooms/{WRONG_CODE}");
    server.get(&path).await.refused(404, "no_such_room");
}

/// Lookups of existing rooms take no units.
#[tokio::test]
async fn right_codes_take_no_units() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    for _ in 0..30 {
        assert_eq!(server.get(&format!("/api/rooms/{room}")).await.status, 200);
        server.join("Ann", &room).await;
    }
}

/// An IPv6 address counts by its /64 network.
#[test]
fn an_ipv6_network_counts_as_one_address() {
    let address_limits = Arc::new(AddressLimits::new(Limits {
        sockets_per_address: limit!(1),
        ..limits()
    }));
    let client_addr = |address: &str| ClientAddr::from(address.parse::<IpAddr>().unwrap());
    let one = address_limits
        .permit_socket(client_addr("2001:db8:1:2::1"))
        .unwrap();
    assert_eq!(
        address_limits
            .permit_socket(client_addr("2001:db8:1:2:ffff::9"))
            .err(),
        Some(LimitReached::Address)
    );
    let _other = address_limits
        .permit_socket(client_addr("2001:db8:1:3::1"))
        .unwrap();
    let _four = address_limits
        .permit_socket(client_addr("192.0.2.1"))
        .unwrap();
    let _next = address_limits
        .permit_socket(client_addr("192.0.2.2"))
        .unwrap();
    assert_eq!(
        address_limits
            .permit_socket(client_addr("::ffff:192.0.2.1"))
            .err(),
        Some(LimitReached::Address)
    );
    drop(one);
    assert!(
        address_limits
            .permit_socket(client_addr("2001:db8:1:2::2"))
            .is_ok()
    );
}

/// A server that shuts down accepts no sockets, because it closes only those that it knows.
#[tokio::test]
async fn a_server_that_shuts_down_refuses_sockets_and_openings() {
    let server = Server::start().await;
    let room = server.open_sticheln(3).await;
    server
        .app
        .shutdown
        .send_replace(Some(Shutdown::over(Duration::ZERO)));
    refused_upgrade(&server, &room)
        .await
        .refused(503, "shutting_down");
    server.post(OPEN_ROOM).await.refused(503, "shutting_down");
    let ready = server.get("/readyz").await;
    assert_eq!((ready.status, ready.text()), (503, "shutting down"));
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

/// Some upgrades above the limit are delayed, but only a few of each address. The others are refused
/// at once.
#[test]
fn four_upgrades_of_an_address_are_delayed_at_a_time() {
    let (address_limits, one, two) = address_limits();
    let mut waiting: Vec<_> = (0..4)
        .map(|_| address_limits.permit_delay(one).unwrap())
        .collect();
    assert!(address_limits.permit_delay(one).is_none());
    assert!(address_limits.permit_delay(two).is_some());
    waiting.pop();
    assert!(address_limits.permit_delay(one).is_some());
}

/// An address without units may still look up codes that it has used before, up to a bound.
#[test]
fn an_address_may_look_up_64_known_codes_without_units() {
    let (address_limits, one, two) = address_limits();
    let codes: Vec<_> = (0..65).map(|_| RoomCode::random().unwrap()).collect();
    for code in &codes {
        address_limits.record_known_code(one, code);
        // A known code takes no further place.
        address_limits.record_known_code(one, code);
    }
    let may_look_up = |client_addr, code| address_limits.look_up_code(client_addr, code).is_some();
    for _ in 0..10 {
        assert!(may_look_up(one, None));
    }
    assert!(!may_look_up(one, None) && may_look_up(two, None));
    assert!(!may_look_up(one, Some(&codes[0])), "the oldest is dropped");
    assert!(codes[1..].iter().all(|code| may_look_up(one, Some(code))));
}

/// A lookup takes its unit at once, so concurrent lookups cannot exceed the limit. Concurrent
/// lookups of one code share one unit, because a group at one address reconnects together.
#[test]
fn concurrent_lookups_take_units_at_once() {
    let (address_limits, one, _) = address_limits();
    let codes: Vec<_> = (0..200).map(|_| RoomCode::random().unwrap()).collect();
    let group: Vec<_> = (0..30)
        .map(|_| address_limits.look_up_code(one, Some(&codes[0])))
        .collect();
    assert!(group.iter().all(Option::is_some));
    let lookups: Vec<_> = codes[1..]
        .iter()
        .filter_map(|code| address_limits.look_up_code(one, Some(code)))
        .collect();
    assert_eq!(lookups.len(), 9);
    // Refunds return all ten units.
    group.into_iter().flatten().for_each(CodeLookup::refund);
    lookups.into_iter().for_each(CodeLookup::refund);
    let lookups: Vec<_> = codes
        .iter()
        .filter_map(|code| address_limits.look_up_code(one, Some(code)))
        .collect();
    assert_eq!(lookups.len(), 10);
}

#[tokio::test]
async fn spectators_of_a_room_are_limited() {
    let server = Server::with(Limits {
        spectators: 2,
        ..limits()
    })
    .await;
    let (room, mut clients) = server.seated(&["Ann", "Bob"]).await;
    clients.push(server.join("Eve", &room).await);
    clients.push(server.join("Fay", &room).await);
    // A second connection of a spectator counts once.
    clients.push(server.join("Eve", &room).await);
    let mut gil = server.connect("Gil", &room).await;
    gil.hello().await.refused("too_many_spectators");
    // A seated person is always admitted, and a spectator who sits down makes room.
    clients.push(server.join("Ann", &room).await);
    clients[0].closed_with(4001).await;
    clients[2]
        .request(json!({"type": "sit", "name": "Eve"}))
        .await
        .ok();
    gil.hello().await.ok();
}

/// The limit is for each room and address. More people of that address are refused there, but are
/// admitted in other rooms. People of other addresses are admitted.
#[tokio::test]
async fn spectators_of_an_address_are_limited_per_room() {
    let server = Server::with(Limits {
        spectators: 5,
        spectators_per_address: 2,
        ..limits()
    })
    .await;
    let (room, _clients) = server.seated(&["Ann", "Bob"]).await;
    let _eve = server.join("Eve", &room).await;
    let _fay = server.join("Fay", &room).await;
    let mut gil = server.connect("Gil", &room).await;
    gil.hello().await.refused("too_many_spectators");

    let elsewhere = IpAddr::from([127, 0, 0, 2]);
    let mut others = Vec::new();
    for name in ["Hal", "Ida"] {
        let mut other = server.connect_from(elsewhere, name, &room).await;
        other.hello().await.ok();
        // The connection stays open, because closing it would free its place.
        gil.hello().await.refused("too_many_spectators");
        others.push(other);
    }
    let mut jim = server.connect_from(elsewhere, "Jim", &room).await;
    jim.hello().await.refused("too_many_spectators");
    let another = server.open_sticheln(3).await;
    server.join("Gil", &another).await;
}

/// A connection that sends nothing, or no request, takes no unit for a request. It takes one for a connection.
#[tokio::test]
async fn new_connections_of_an_address_are_limited_per_minute() {
    const CONNECTIONS: u32 = 2;

    let server = Server::with(Limits {
        connections_per_minute: limit!(CONNECTIONS),
        ..limits()
    })
    .await;
    for _ in 0..CONNECTIONS {
        let mut raw = RawConnection::connect(&server).await;
        raw.send("this is no request\r\n\r\n").await;
        assert_eq!(raw.head().await.status, 400);
    }
    let mut late = RawConnection::connect(&server).await;
    late.wait_for_end().await;
    // Others are served.
    let elsewhere = IpAddr::from([127, 0, 0, 2]);
    assert_eq!(server.get_from(elsewhere, "/healthz").await.status, 200);
}

/// Those of other networks do not wait for them.
#[tokio::test]
async fn each_network_hashes_one_password_at_a_time() {
    let address_limits = AddressLimits::new(limits());
    let client = |address: &str| ClientAddr::from(address.parse::<IpAddr>().unwrap());
    let permit = |address| address_limits.permit_hash(client(address));
    let first = permit("2001:db8:0:1::1").await;
    for of_the_same_customer in ["2001:db8:0:1::2", "2001:db8:0:2::1", "2001:db8:0:ff00::1"] {
        assert!(permit(of_the_same_customer).now_or_never().is_none());
    }
    for other in ["2001:db8:1::1", "192.0.2.1"] {
        assert!(permit(other).now_or_never().is_some(), "{other}");
    }
    // Of the same /48, a neighbour does not wait for all clients of the first /64.
    let mut second = pin!(permit("2001:db8:0:1::2"));
    let mut third = pin!(permit("2001:db8:0:1::3"));
    let mut neighbour = pin!(permit("2001:db8:0:ff00::1"));
    assert!(poll!(&mut second).is_pending());
    assert!(poll!(&mut third).is_pending());
    assert!(poll!(&mut neighbour).is_pending());
    drop(first);
    let of_neighbour = poll!(&mut neighbour);
    assert!(of_neighbour.is_ready());
    assert!(poll!(&mut second).is_pending());
    drop(of_neighbour);
    assert!(poll!(&mut second).is_ready());
}

#[tokio::test]
async fn each_network_wakes_two_rooms_at_a_time() {
    let address_limits = Arc::new(AddressLimits::new(limits()));
    let client = |address: &str| ClientAddr::from(address.parse::<IpAddr>().unwrap());
    let permit = |address| {
        address_limits
            .permit_wake_up(client(address))
            .now_or_never()
    };
    let first = permit("2001:db8:0:1::1").unwrap().unwrap();
    let _second = permit("2001:db8:0:ff00::1").unwrap().unwrap();
    assert!(permit("2001:db8:0:2::1").is_none());
    assert!(permit("2001:db8:1::1").is_some());
    first.charge_and_release(0);
    assert!(permit("2001:db8:0:2::1").is_some());
}

/// Neither as many as may run at a time, nor as many as may be awake.
#[tokio::test]
async fn a_takeover_waits_for_no_wake_up_of_its_address() {
    let address_limits = Arc::new(AddressLimits::new(Limits {
        woken_rooms_per_address: limit!(3),
        ..limits()
    }));
    let _first = address_limits.permit_wake_up(local()).await.unwrap();
    let second = address_limits.permit_wake_up(local()).await.unwrap();
    let _taken = [(); 3].map(|()| address_limits.permit_takeover(local()));
    let waiting = || address_limits.permit_wake_up(local()).now_or_never();
    assert!(waiting().is_none());
    drop(second);
    let refused = waiting().unwrap().unwrap_err();
    assert_eq!(refused, LimitReached::Address, "tables that moved count");
}

/// The log of a room that is woken is charged, whatever its length.
#[tokio::test]
async fn a_wake_up_is_charged_for_the_log() {
    let server = Server::with_sleepy_rooms(Limits {
        wake_ups_per_minute: limit!(3),
        ..limits()
    })
    .await;
    let (small, large) = (server.sleeping_room().await, server.sleeping_room().await);
    let mut ann = join_with_retry(&server, "Ann", &large).await;
    ann.request(json!({"type": "sit", "name": "Ann"}))
        .await
        .ok();
    // In the lobby a segment of the log has at most 200 entries.
    let title = "\u{110bd}".repeat(40);
    for number in 0..180 {
        let title = format!("{}{number}", &title[..4 * 36]);
        ann.request(json!({"type": "configure", "title": title}))
            .await
            .ok();
    }
    ann.leave().await;
    wait_until_asleep(&server, &large).await;
    // Two wake-ups and the units for the log are more than three.
    join_with_retry(&server, "Ann", &large).await;
    server.connect("Bob", &small).await.closed_with(1013).await;
}

/// The units of a wake-up are one for the room, and one for each 64 KiB of its log.
#[tokio::test]
async fn wake_ups_of_an_address_are_limited_per_minute() {
    let address_limits = Arc::new(AddressLimits::new(Limits {
        wake_ups_per_minute: limit!(10),
        ..limits()
    }));
    let wake = || address_limits.permit_wake_up(local());
    let _small = wake().await.unwrap().charge_and_release(1000);
    let _large = wake().await.unwrap().charge_and_release(8 * 64 * 1024);
    assert_eq!(wake().await.unwrap_err(), LimitReached::TooOften);
    let other = ClientAddr::from(IpAddr::from([127, 0, 0, 2]));
    address_limits.permit_wake_up(other).await.unwrap();
}
