//! NATS servers that stop, freeze and start again.

use axum::body::Bytes;
use sticheln_server::cluster::bus::{RequestError, SendError};

use super::{LONG, Node};
use crate::common::nats::Nats;
use crate::harness::within_timeout;
use crate::panics::Log;

impl Node {
    /// Waits until the node has a connection, or has none.
    async fn is_connected(&self, wanted: bool) {
        let mut connection = self.bus.connection();
        let changed = connection.wait_for(|now| now.is_connected == wanted);
        let state = within_timeout("a change of the connection", changed).await;
        assert!(state.unwrap().since.elapsed().as_secs() < 10);
        assert_eq!(
            self.metric("bus_connected"),
            Some(f64::from(u8::from(wanted)))
        );
    }
}

#[tokio::test]
async fn a_lost_connection_is_restored() {
    let mut nats = Nats::start();
    let (log, _guard) = Log::begin();
    let ann = Node::join(&nats, 1).await;
    let mut bob = Node::join(&nats, 2).await;
    for _ in 0..2 {
        // The reply is still missing when the connection is lost.
        let (lost, ()) = tokio::join!(ann.request(bob.id, "?"), async {
            assert_eq!(bob.receive_text().await, "?");
            nats.stop();
        });
        assert_eq!(lost, Err(RequestError::Disconnected));
        for node in [&ann, &bob] {
            node.is_connected(false).await;
        }
        let refused = ann.request(bob.id, "?").await;
        assert_eq!(refused, Err(RequestError::Disconnected));
        let refused = ann.bus.send(bob.id, "?".into());
        assert_eq!(refused, Err(SendError::Disconnected));

        nats.start_again();
        for node in [&ann, &bob] {
            node.is_connected(true).await;
        }
        let id = bob.id;
        let (reply, ()) = tokio::join!(
            async {
                loop {
                    // The subscriptions of the other node may arrive a moment after its connection.
                    let reply = ann.request(id, "!").await;
                    if reply != Err(RequestError::NoResponders) {
                        break reply;
                    }
                }
            },
            async {
                let request = bob.receive().await;
                request.responder.unwrap().reply("back".into()).unwrap();
            }
        );
        assert_eq!(reply.unwrap(), "back");
    }
    bob.bus.leave().await;
    let left = ann.request(bob.id, "?").await;
    assert_eq!(left, Err(RequestError::NoResponders));
    let text = log.text();
    for line in [
        "the connection to NATS is lost",
        "the connection to NATS is back",
    ] {
        assert_eq!(text.matches(line).count(), 4, "{text}");
    }
    assert!(!text.contains("NATS has a problem"), "{text}");
}

/// NATS keeps the connection and does not answer. The node notices by itself.
#[tokio::test]
async fn a_frozen_server_is_a_lost_connection() {
    let nats = Nats::start();
    let ann = Node::join(&nats, 1).await;
    nats.signal("-STOP");
    let limited = ann.bus.request(ann.id, Bytes::new(), LONG);
    let lost = within_timeout("the loss", limited).await;
    assert_eq!(lost, Err(RequestError::Disconnected));
    nats.signal("-CONT");
    ann.is_connected(true).await;
}
