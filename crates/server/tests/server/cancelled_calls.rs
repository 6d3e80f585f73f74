//! Calls that are cancelled: the client closes its connection before the answer, or the end of the server closes it.
//! Nothing is left half done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::poll;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use serde_json::json;
use sticheln_server::settings::Limits;

use crate::harness::{
    Server, Setup, WISH, asleep, chance, come, limits, opening, secret, soon, until,
};
use crate::held_writer::HeldWriter;
use crate::raw::Raw;

/// How many connections of the store read.
const READERS: usize = 2;
/// How many wrong codes an address has in a minute.
const WRONG_CODES: usize = 10;

/// Waits until the server has as many connections.
async fn has_connections(server: &Server, count: usize) {
    let address_limits = &server.app.address_limits;
    until("connections", || address_limits.connections() == count).await;
}

/// Closes the only connection, and waits until the server has let go of it.
async fn disconnect(server: &Server, raw: Raw) {
    has_connections(server, 1).await;
    drop(raw);
    has_connections(server, 0).await;
}

fn question(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n")
}

/// An opening counts against its address even if the client leaves.
#[tokio::test]
async fn a_cancelled_opening_is_charged() {
    let server = Server::with(Limits {
        rooms_per_address: nonzero!(1),
        ..limits()
    })
    .await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = Raw::connect(&server).await;
    ann.send(opening()).await;
    writer.has_queued(1).await;
    disconnect(&server, ann).await;
    writer.release().await;
    server.post(WISH).await.refused(429, "too_many_rooms");
    let registry = &server.app.registry;
    until("a table", || registry.codes_with_slot().len() == 1).await;
    let code = registry.codes_with_slot().remove(0);
    server.come("Bob", &code).await;
}

#[tokio::test]
async fn the_end_waits_for_tables_that_are_being_opened() {
    let server = Server::start().await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = Raw::connect(&server).await;
    ann.send(opening()).await;
    writer.has_queued(1).await;
    disconnect(&server, ann).await;
    let mut end = Box::pin(server.app.registry.close());
    assert!(poll!(&mut end).is_pending());
    // Nothing is opened or woken any more.
    server.post(WISH).await.refused(503, "restarting");
    let mut bob = server.connect("Bob", "k7qm2x4p").await;
    assert_eq!(bob.next("closing").await["reason"], "restarting");
    bob.closed(4000).await;
    writer.release().await;
    soon("the end", end).await;
    // The first one is what the writer was held with.
    assert_eq!(server.app.services.store.rooms().await.unwrap(), 2);
    assert!(server.app.registry.codes_with_slot().is_empty());
}

/// A slot without a task would count as awake for ever, and its table could not be cleared away.
#[tokio::test]
async fn a_cancelled_waking_leaves_no_slot() {
    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    asleep(&server, &room).await;
    let writer = HeldWriter::of(&server).await;
    let ann = Raw::upgraded(&server, &room).await;
    writer.has_queued(1).await;
    // As the end of the server does with sockets that take too long.
    server.app.abort.cancel();
    let address_limits = &server.app.address_limits;
    until("no sockets", || address_limits.sockets() == 0).await;
    drop(ann);
    writer.release().await;
    asleep(&server, &room).await;
}

/// A server whose next waking panics after [`ServerWithFailingWaking::fail_next`].
struct ServerWithFailingWaking {
    server: Server,
    fails_next: Arc<AtomicBool>,
}

impl ServerWithFailingWaking {
    async fn start() -> Self {
        let fails_next = Arc::new(AtomicBool::new(false));
        let fails = fails_next.clone();
        let server = Setup {
            limits: Limits {
                awake_minutes: 0,
                ..limits()
            },
            entropy_source: Arc::new(move |_| {
                // Only one waking fails.
                assert!(!fails.swap(false, Ordering::SeqCst), "part of a test");
                chance(1)
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
async fn a_table_whose_waking_fails_can_be_woken_again() {
    let failing = ServerWithFailingWaking::start().await;
    let server = &failing.server;
    let room = server.table(3).await;
    asleep(server, &room).await;
    failing.fail_next();
    server.connect("Ann", &room).await.closed(1011).await;
    assert!(server.app.registry.codes_with_slot().is_empty());
    come(server, "Ann", &room).await;
}

/// The next visitor wakes the table in the same slot, and it counts as awake.
#[tokio::test]
async fn a_visitor_who_waits_for_a_waking_that_fails_wakes_the_table() {
    let failing = ServerWithFailingWaking::start().await;
    let server = &failing.server;
    let room = server.table(3).await;
    asleep(server, &room).await;
    let writer = HeldWriter::of(server).await;
    let mut ann = server.connect("Ann", &room).await;
    writer.has_queued(1).await;
    let mut bob = server.connect("Bob", &room).await;
    // Ann's task wakes the table; Bob's task waits for it.
    until("two wakings", || server.app.registry.start_tasks() == 2).await;
    failing.fail_next();
    writer.release().await;
    ann.closed(1011).await;
    let hello = json!({"type": "hello", "token": secret("Bob")});
    bob.say(hello).await.ok();
    assert_eq!(server.app.registry.codes_with_slot(), [room]);
}

/// A lookup counts as a wrong code even if the client leaves.
#[tokio::test]
async fn cancelled_guesses_are_counted() {
    let server = Server::start().await;
    let store = &server.app.services.store;
    // One that waits for the database keeps its connection until it is polled again. One that is done at once is no use.
    let mut readers = Vec::new();
    while readers.len() < READERS {
        let mut reader = Box::pin(store.rooms());
        if poll!(&mut reader).is_pending() {
            readers.push(reader);
        }
    }
    for _ in 0..WRONG_CODES {
        let mut ann = Raw::connect(&server).await;
        ann.send(question("/api/rooms/k7qm2x4p")).await;
        disconnect(&server, ann).await;
    }
    drop(readers);
    let reply = server.get("/api/rooms/22222222").await;
    reply.refused(429, "too_many_wrong_codes");
}

/// Each probe writes a file of 64 KiB, so that there is one at a time.
#[tokio::test]
async fn a_cancelled_disk_probe_is_not_started_twice() {
    let server = Server::start().await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = Raw::connect(&server).await;
    ann.send(question("/readyz")).await;
    writer.has_queued(1).await;
    disconnect(&server, ann).await;
    let mut bob = Raw::connect(&server).await;
    bob.send(question("/readyz")).await;
    has_connections(&server, 1).await;
    writer.release().await;
    assert_eq!(bob.reply().await.status, 200);

    let mut told = Registry::default();
    let group = server.app.services.store.metrics().group_size.clone();
    told.register("group", "Writes in one commit", group);
    let mut text = String::new();
    encode(&mut text, &told).unwrap();
    // What the writer was held with, and one probe.
    assert!(text.contains("group_sum 2.0\n"), "{text}");
}

/// A socket that goes away while its table is asked for leaves no connection behind at the table.
#[tokio::test]
async fn a_visitor_who_leaves_while_a_table_wakes_is_not_there() {
    let server = Server::with(Limits {
        awake_minutes: 0,
        ..limits()
    })
    .await;
    let room = server.table(3).await;
    asleep(&server, &room).await;
    let writer = HeldWriter::of(&server).await;
    let mut ann = Raw::upgraded(&server, &room).await;
    ann.say(&json!({"type": "hello", "id": "1", "token": "A".repeat(43)}).to_string())
        .await;
    writer.has_queued(1).await;
    drop(ann);
    writer.release().await;
    let address_limits = &server.app.address_limits;
    until("no sockets", || address_limits.sockets() == 0).await;
    asleep(&server, &room).await;
}
