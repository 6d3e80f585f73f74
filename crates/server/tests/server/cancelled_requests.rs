//! Requests that are cancelled, because the client closes its connection before the answer or because
//! the server shuts down. No work is left half done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::poll;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::json;
use sticheln_server::limits::operator_limits::Limits;
use sticheln_server::room_code::RoomCode;

use crate::client::join_with_retry;
use crate::common::entropy::seeded_entropy;
use crate::common::token;
use crate::harness::{
    OPEN_ROOM, Server, Setup, limits, local, open_room_request, wait_until, wait_until_asleep,
    within_timeout,
};
use crate::held_writer::HeldWriter;
use crate::raw::RawConnection;

/// The number of connections on which the store reads.
const READERS: usize = 2;
/// The number of wrong codes of an address per minute.
const WRONG_CODES: usize = 10;

/// Waits until the server has this number of connections.
async fn wait_for_connections(server: &Server, count: usize) {
    let address_limits = &server.app.address_limits;
    wait_until("connections", || address_limits.connections() == count).await;
}

/// Closes the only connection, and waits until the server has dropped it.
async fn disconnect(server: &Server, raw: RawConnection) {
    wait_for_connections(server, 1).await;
    drop(raw);
    wait_for_connections(server, 0).await;
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")
}

/// An opening is charged to its address even if the client disconnects.
#[tokio::test]
async fn a_cancelled_opening_is_charged() {
    let server = Server::with(Limits {
        rooms_per_address: limit!(1),
        ..limits()
    })
    .await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = RawConnection::connect(&server).await;
    ann.send(open_room_request()).await;
    writer.wait_for_queued(1).await;
    disconnect(&server, ann).await;
    writer.release().await;
    server.post(OPEN_ROOM).await.refused(429, "too_many_rooms");
    let registry = &server.app.registry;
    wait_until("a room", || registry.codes_with_slot().len() == 1).await;
    let code = registry.codes_with_slot().remove(0);
    server.join("Bob", &code).await;
}

#[tokio::test]
async fn the_shutdown_waits_for_rooms_that_are_being_opened() {
    let server = Server::start().await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = RawConnection::connect(&server).await;
    ann.send(open_room_request()).await;
    writer.wait_for_queued(1).await;
    disconnect(&server, ann).await;
    let mut end = Box::pin(server.app.registry.shut_down());
    assert!(poll!(&mut end).is_pending());
    // New openings and wake-ups are refused.
    server.post(OPEN_ROOM).await.refused(503, "shutting_down");
    let mut bob = server.connect("Bob", "k7qm2x4p").await;
    assert_eq!(bob.next("closing").await["reason"], "restarting");
    bob.closed_with(4000).await;
    writer.release().await;
    within_timeout("the end", end).await;
    // One of them is the write that holds the writer.
    assert_eq!(server.app.services.store.rooms().await.unwrap(), 2);
    assert!(server.app.registry.codes_with_slot().is_empty());
}

/// A slot without a task would count as awake for ever, and its room could not be deleted.
#[tokio::test]
async fn a_cancelled_wake_up_leaves_no_slot() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let room = server.sleeping_room().await;
    let writer = HeldWriter::of(&server).await;
    let ann = RawConnection::upgraded(&server, &room).await;
    writer.wait_for_queued(1).await;
    // As when the server shuts down and some sockets take too long.
    server.app.abort.cancel();
    let address_limits = &server.app.address_limits;
    wait_until("no sockets", || address_limits.sockets() == 0).await;
    drop(ann);
    writer.release().await;
    wait_until_asleep(&server, &room).await;
}

/// A server whose next wake-up panics after [`ServerWithFailingWakeUp::fail_next`].
struct ServerWithFailingWakeUp {
    server: Server,
    fails_next: Arc<AtomicBool>,
}

impl ServerWithFailingWakeUp {
    async fn start() -> Self {
        let fails_next = Arc::new(AtomicBool::new(false));
        let fails = fails_next.clone();
        let server = Setup {
            limits: Limits {
                room_idle_timeout_minutes: 0,
                ..limits()
            },
            entropy_source: Arc::new(move |_| {
                // Only one wake-up fails.
                assert!(!fails.swap(false, Ordering::SeqCst), "part of a test");
                seeded_entropy(1)
            }),
            ..Setup::default()
        };
        let server = server.start().await;
        Self { server, fails_next }
    }

    fn fail_next(&self) {
        self.fails_next.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn a_room_whose_wake_up_fails_can_be_woken_again() {
    let failing = ServerWithFailingWakeUp::start().await;
    let server = &failing.server;
    let room = server.open_sticheln(3).await;
    wait_until_asleep(server, &room).await;
    failing.fail_next();
    server.connect("Ann", &room).await.closed_with(1011).await;
    assert!(server.app.registry.codes_with_slot().is_empty());
    join_with_retry(server, "Ann", &room).await;
}

/// A socket waits for its room for a limited time. A panic that comes later is counted like any other.
#[tokio::test]
async fn a_wake_up_that_panics_after_its_caller_has_gone_is_counted() {
    let failing = ServerWithFailingWakeUp::start().await;
    let server = &failing.server;
    let room = server.open_sticheln(3).await;
    wait_until_asleep(server, &room).await;
    let code = RoomCode::parse(&room).unwrap();
    let registry = &server.app.registry;
    for panics in 0..3 {
        assert_eq!(registry.damaged_room_count(), 0, "after {panics} panics");
        let writer = HeldWriter::of(server).await;
        let mut wake_up = Box::pin(registry.find_or_wake(&code, local()));
        assert!(poll!(&mut wake_up).is_pending());
        writer.wait_for_queued(1).await;
        drop(wake_up);
        failing.fail_next();
        writer.release().await;
        wait_until("no wake-up", || registry.room_start_count() == 0).await;
    }
    assert_eq!(registry.damaged_room_count(), 1);
}

/// The next client wakes the room in the same slot, and it counts as awake.
#[tokio::test]
async fn a_client_that_waits_for_a_failed_wake_up_wakes_the_room() {
    let failing = ServerWithFailingWakeUp::start().await;
    let server = &failing.server;
    let room = server.open_sticheln(3).await;
    wait_until_asleep(server, &room).await;
    let writer = HeldWriter::of(server).await;
    let mut ann = server.connect("Ann", &room).await;
    writer.wait_for_queued(1).await;
    let mut bob = server.connect("Bob", &room).await;
    // Ann's task wakes the room, and Bob's task waits for it.
    wait_until("two wake-ups", || {
        server.app.registry.room_start_count() == 2
    })
    .await;
    failing.fail_next();
    writer.release().await;
    ann.closed_with(1011).await;
    let hello = json!({"type": "hello", "token": token("Bob")});
    bob.request(hello).await.ok();
    assert_eq!(server.app.registry.codes_with_slot(), [room]);
}

/// A lookup counts as a wrong code even if the client disconnects.
#[tokio::test]
async fn cancelled_lookups_are_charged() {
    let server = Server::start().await;
    let store = &server.app.services.store;
    // A future that waits for the database keeps its connection until it is polled again. A future
    // that is ready at once is useless here.
    let mut readers = Vec::new();
    while readers.len() < READERS {
        let mut reader = Box::pin(store.rooms());
        if poll!(&mut reader).is_pending() {
            readers.push(reader);
        }
    }
    for _ in 0..WRONG_CODES {
        let mut ann = RawConnection::connect(&server).await;
        ann.send(get("/api/rooms/k7qm2x4p")).await;
        disconnect(&server, ann).await;
    }
    drop(readers);
    let reply = server.get("/api/rooms/22222222").await;
    reply.refused(429, "too_many_wrong_codes");
}

/// Each probe writes a file of 64 KiB, so only one runs at a time.
#[tokio::test]
async fn a_cancelled_disk_probe_is_not_started_twice() {
    let server = Server::start().await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = RawConnection::connect(&server).await;
    ann.send(get("/readyz")).await;
    writer.wait_for_queued(1).await;
    disconnect(&server, ann).await;
    let mut bob = RawConnection::connect(&server).await;
    bob.send(get("/readyz")).await;
    wait_for_connections(&server, 1).await;
    writer.release().await;
    assert_eq!(bob.reply().await.status, 200);

    let mut metrics = Registry::default();
    let group = server.app.services.store.metrics().group_size.clone();
    metrics.register("group", "Writes in one commit", group);
    let mut text = String::new();
    encode(&mut text, &metrics).unwrap();
    // The write that holds the writer, and one probe.
    assert!(text.contains("group_sum 2.0\n"), "{text}");
}

/// A socket that closes while its room wakes leaves no connection in the room.
#[tokio::test]
async fn a_client_that_leaves_while_a_room_wakes_is_not_connected() {
    let server = Server::with_sleepy_rooms(limits()).await;
    let room = server.sleeping_room().await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = RawConnection::upgraded(&server, &room).await;
    ann.send_message(json!({"type": "hello", "id": "1", "token": token("Ann")}))
        .await;
    writer.wait_for_queued(1).await;
    drop(ann);
    writer.release().await;
    let address_limits = &server.app.address_limits;
    wait_until("no sockets", || address_limits.sockets() == 0).await;
    wait_until_asleep(&server, &room).await;
}
