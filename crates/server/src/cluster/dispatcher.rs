//! The task that handles the messages of other nodes.

use std::sync::Arc;

use axum::body::Bytes;
use sticheln_cluster::{Reply, UnreadablePayload};

use super::bus::{BusMessage, Inbox};
use super::bus_connection::LogRateLimiter;
use super::node::{ClusterNode, NodeRequest};
use crate::room_code::RoomCode;

/// Handles the messages to this node until the bus is closed. The requests for one room keep their order.
pub async fn run(node: Arc<ClusterNode>, mut inbox: Inbox) {
    let unreadable = UnreadableLog::default();
    while let Some(BusMessage { responder, payload }) = inbox.receive().await {
        let Some(responder) = responder else {
            match node.decode(&payload) {
                Ok(update) => node.links.deliver(update),
                Err(error) => unreadable.log(&error),
            }
            continue;
        };
        match node.decode(&payload) {
            Ok(NodeRequest::Ping) => {
                let _ = responder.reply(payload);
            }
            Ok(NodeRequest::Room(request)) => {
                // Without a reply the gateway asks again.
                let encoder = node.clone();
                let reply = move |reply: Reply| {
                    let _ = responder.reply(encoder.encode(&reply));
                };
                node.handle_request(request, Box::new(reply));
            }
            Ok(NodeRequest::Command(command)) => {
                let node = node.clone();
                tokio::spawn(async move {
                    let result = node.execute(command).await;
                    let _ = responder.reply(node.encode(&result));
                });
            }
            Ok(NodeRequest::RoomClaimed { room, epoch }) => {
                if let Some(code) = RoomCode::parse(&room) {
                    node.registry.end_room_if_older(&code, epoch);
                }
                let _ = responder.reply(Bytes::new());
            }
            Ok(NodeRequest::BusReconnected { node: other }) => {
                node.publish_message_loss(Some(other));
                let _ = responder.reply(Bytes::new());
            }
            Err(error) => {
                unreadable.log(&error);
                let _ = responder.reply(node.encode(&error.reply()));
            }
        }
    }
}

/// Logs messages of other nodes that cannot be read, at a limited rate.
#[derive(Default)]
struct UnreadableLog {
    limiter: LogRateLimiter,
}

impl UnreadableLog {
    /// Logs a message, unless another one was logged shortly before.
    fn log(&self, error: &UnreadablePayload) {
        if self.limiter.try_acquire() {
            tracing::warn!(%error, "messages of other nodes cannot be read");
        }
    }
}
