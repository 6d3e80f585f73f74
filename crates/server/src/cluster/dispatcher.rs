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
                let _ = responder.answer(payload);
            }
            Ok(NodeRequest::Room(request)) => {
                // Without an answer the gateway asks again.
                let encoder = node.clone();
                let answer = move |reply: Reply| {
                    let _ = responder.answer(encoder.encode(&reply));
                };
                node.handle_request(request, Box::new(answer));
            }
            Ok(NodeRequest::Command(command)) => {
                let node = node.clone();
                tokio::spawn(async move {
                    let result = node.execute(command).await;
                    let _ = responder.answer(node.encode(&result));
                });
            }
            Ok(NodeRequest::Claimed(code, epoch)) => {
                if let Some(code) = RoomCode::parse(&code) {
                    node.registry.end_room_if_older(&code, epoch);
                }
                let _ = responder.answer(Bytes::new());
            }
            Ok(NodeRequest::Reconnected(other)) => {
                node.publish_message_loss(Some(other));
                let _ = responder.answer(Bytes::new());
            }
            Err(error) => {
                unreadable.log(&error);
                let _ = responder.answer(node.encode(&error.reply()));
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
