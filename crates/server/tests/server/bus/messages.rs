//! Requests and messages, and the bounds of their queues.

use std::time::Duration;

use axum::body::Bytes;
use sticheln_cluster::NodeId;
use sticheln_server::cluster::bus::{MAX_PAYLOAD_BYTES, RequestError, SendError};
use sticheln_server::cluster::bus_settings::BusSettings;

use super::{Node, settings};
use crate::common::nats::Nats;
use crate::harness::wait_until;
use crate::panics::Log;

/// The bounds of the bus.
const OUTGOING_MESSAGES: usize = 4096;
const OUTGOING_BYTES: usize = 8 * 1024 * 1024;
const INBOX_BYTES: usize = 16 * 1024 * 1024;

const OUT: &str = "bus_dropped_total{direction=\"out\"}";
const IN: &str = "bus_dropped_total{direction=\"in\"}";

fn outcome(outcome: &str) -> String {
    format!("bus_requests_total{{outcome=\"{outcome}\"}}")
}

#[tokio::test]
async fn requests_have_replies() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    let bob = Node::join(&nats, 2).await;
    let id = bob.id;
    bob.reply_to_all();
    let (one, two) = tokio::join!(ann.request(id, "one"), ann.request(id, "two"));
    assert_eq!(one.unwrap(), "reply to one");
    assert_eq!(two.unwrap(), "reply to two");
    assert_eq!(ann.metric(&outcome("replied")), Some(2.0));
    assert_eq!(ann.metric("bus_request_seconds_count"), Some(2.0));
    assert_eq!(ann.metric("bus_connected"), Some(1.0));
}

#[tokio::test]
async fn absent_nodes_are_known_at_once() {
    let nats = Nats::start();
    let mut ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    let cem = Node::join(&nats, 3).await;
    let unknown = ann.request(NodeId(9), "?").await;
    assert_eq!(unknown, Err(RequestError::NoResponders));
    let cem_id = cem.id;
    cem.bus.close().await;
    let closed = ann.request(cem_id, "?").await;
    assert_eq!(closed, Err(RequestError::NoResponders));

    for count in 0..100 {
        let text = format!("before {count}");
        ann.bus.send(bob.id, text.into()).unwrap();
    }
    // The messages are at NATS before the node leaves.
    let own = ann.id;
    ann.bus.send(own, "after it".into()).unwrap();
    assert_eq!(ann.receive_text().await, "after it");
    bob.bus.leave().await;
    assert_eq!(
        ann.request(bob.id, "?").await,
        Err(RequestError::NoResponders)
    );
    for count in 0..100 {
        assert_eq!(bob.receive_text().await, format!("before {count}"));
    }

    // It still sends, and receives replies.
    bob.bus.send(ann.id, "from outside".into()).unwrap();
    assert_eq!(ann.receive_text().await, "from outside");
    ann.reply_to_all();
    assert_eq!(bob.request(own, "more").await.unwrap(), "reply to more");
    bob.bus.leave().await;
}

#[tokio::test]
async fn silent_nodes_are_waited_for_in_vain() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    let limit = Duration::from_millis(20);
    let silent = ann.bus.request(bob.id, "?".into(), limit).await;
    assert_eq!(silent, Err(RequestError::Timeout));
    assert_eq!(ann.metric(&outcome("timeout")), Some(1.0));
    // A late reply is nobody's.
    let late = bob.receive().await;
    late.responder.unwrap().reply("late".into()).unwrap();
    bob.reply_to_all();
    assert_eq!(ann.request(NodeId(2), "new").await.unwrap(), "reply to new");
}

#[tokio::test]
async fn nodes_of_another_cluster_are_not_reached() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    let bob = Node::join(&nats, 2).await;
    let other = BusSettings {
        cluster: "other".parse().unwrap(),
        ..settings(&nats.url())
    };
    let stranger = Node::connect(&other, 4).await.unwrap();
    let to = ann.id;
    ann.reply_to_all();
    assert_eq!(bob.request(to, "?").await.unwrap(), "reply to ?");
    let absent = stranger.request(to, "?").await;
    assert_eq!(absent, Err(RequestError::NoResponders));
}

#[tokio::test]
async fn messages_keep_their_order() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    for count in 0..OUTGOING_MESSAGES {
        // Long messages take another way through the connection.
        let length = if count % 10 == 0 { 5000 } else { 5 };
        let text = format!("{count:0length$}");
        ann.bus.send(bob.id, text.into()).unwrap();
        if count % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    for count in 0..OUTGOING_MESSAGES {
        assert_eq!(bob.receive_text().await.parse(), Ok(count));
    }
}

#[tokio::test]
async fn too_long_messages_are_refused() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    let longest = Bytes::from(vec![b'x'; MAX_PAYLOAD_BYTES]);
    let longer = Bytes::from(vec![b'x'; MAX_PAYLOAD_BYTES + 1]);
    let limit = Duration::from_secs(60);
    let (bus, to) = (&ann.bus, bob.id);
    assert_eq!(bus.send(to, longer.clone()), Err(SendError::TooLong));
    let refused = bus.request(to, longer.clone(), limit).await;
    assert_eq!(refused, Err(RequestError::TooLong));
    let (reply, ()) = tokio::join!(bus.request(to, longest.clone(), limit), async {
        let request = bob.receive().await;
        assert_eq!(request.payload, longest);
        request.responder.unwrap().reply(longest.clone()).unwrap();
    });
    assert_eq!(reply.unwrap(), longest);
    ann.bus.send(bob.id, "request".into()).unwrap();
    let (refused, ()) = tokio::join!(
        bus.request(to, "?".into(), Duration::from_millis(20)),
        async {
            assert_eq!(bob.receive_text().await, "request");
            let request = bob.receive().await;
            let answered = request.responder.unwrap().reply(longer);
            assert_eq!(answered, Err(SendError::TooLong));
        }
    );
    assert_eq!(refused, Err(RequestError::Timeout));
}

/// No task runs while the test does not wait, so the queue fills.
#[tokio::test]
async fn a_full_queue_drops_messages() {
    let nats = Nats::start();
    let (log, _guard) = Log::begin();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    let long = Bytes::from(vec![b'x'; MAX_PAYLOAD_BYTES]);
    for (payload, room) in [
        (long, OUTGOING_BYTES / MAX_PAYLOAD_BYTES),
        ("short".into(), OUTGOING_MESSAGES),
    ] {
        let before = ann.metric(OUT).unwrap_or_default();
        let sent = (0..).take_while(|_| ann.bus.send(bob.id, payload.clone()).is_ok());
        assert_eq!(sent.count(), room);
        assert_eq!(
            ann.bus.send(bob.id, payload.clone()),
            Err(SendError::Overloaded)
        );
        let limit = Duration::from_secs(60);
        let request = ann.bus.request(bob.id, payload.clone(), limit).await;
        assert_eq!(request, Err(RequestError::Overloaded));
        assert_eq!(ann.metric(OUT), Some(before + 3.0));
        for _ in 0..room {
            assert_eq!(bob.receive().await.payload, payload);
        }
        ann.bus.send(bob.id, "there is room again".into()).unwrap();
        assert_eq!(bob.receive_text().await, "there is room again");
    }
    assert_eq!(ann.metric(&outcome("overloaded")), Some(2.0));
    assert_eq!(
        log.text().matches("are dropped").count(),
        1,
        "{}",
        log.text()
    );
}

#[tokio::test]
async fn a_full_inbox_drops_messages() {
    const MORE: usize = 5;

    let nats = Nats::start();
    let (log, _guard) = Log::begin();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    let room = INBOX_BYTES / MAX_PAYLOAD_BYTES;
    for count in 0..room + MORE {
        let mut payload = vec![b'x'; MAX_PAYLOAD_BYTES];
        payload[..8].copy_from_slice(&count.to_be_bytes());
        let payload = Bytes::from(payload);
        while ann.bus.send(bob.id, payload.clone()) == Err(SendError::Overloaded) {
            tokio::task::yield_now().await;
        }
    }
    wait_until("the drops", || bob.metric(IN) == Some(MORE as f64)).await;
    for count in 0..room {
        let payload = bob.receive().await.payload;
        assert_eq!(payload[..8], count.to_be_bytes());
    }
    ann.bus.send(bob.id, "there is room again".into()).unwrap();
    assert_eq!(bob.receive_text().await, "there is room again");
    let text = log.text();
    let line = "messages from other servers are dropped";
    assert_eq!(text.matches(line).count(), 1, "{text}");
}

#[tokio::test]
async fn the_metrics_of_the_bus_are_documented() {
    const PAGE: &str = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/hosting.md"
    ));

    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    // A metric with labels appears with its first value.
    ann.request(NodeId(9), "?").await.unwrap_err();
    let longer = Bytes::from(vec![b'x'; MAX_PAYLOAD_BYTES + 1]);
    ann.bus.send(ann.id, longer).unwrap_err();
    let text = ann.metrics();
    let rows = PAGE.lines().filter_map(|row| row.strip_prefix("- `"));
    let names = rows.filter_map(|row| row.split('`').next());
    let mut documented: Vec<_> = names
        .filter(|name| name.starts_with("sticheln_bus_"))
        .collect();
    let lines = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let mut registered: Vec<_> = lines
        .map(|line| match line.split_once(' ').unwrap() {
            (name, "counter") => format!("{name}_total"),
            (name, _) => name.to_owned(),
        })
        .collect();
    documented.sort_unstable();
    registered.sort_unstable();
    assert_eq!(documented, registered);
}
