//! A message on its way to a client, while the socket is read.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use futures_util::{Sink, SinkExt, StreamExt};
use tokio::task::coop;
use tokio::time::{Instant, timeout_at};

use crate::ops::metrics::MoveLatency;
use crate::socket::closing::{SocketEnd, send_failure};

/// The time limit for sending one message: the longest one, of 64 KiB, at 1.1 KB/s.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);

/// A message that is being sent, for at most [`SEND_TIMEOUT`].
pub(super) struct Sending {
    /// The message until the socket has taken it.
    message: Option<Message>,
    /// The ping that follows it.
    ping: Option<Message>,
    /// The time when the client is given up.
    pub(super) due: Instant,
    /// Whether it had to wait until the client took earlier bytes.
    pub(super) had_to_wait: bool,
    /// The measurements of the moves that the message shows. They end when this is dropped.
    _shown: Vec<Arc<MoveLatency>>,
}

impl Sending {
    /// Begins to send this message.
    pub fn new(message: Message) -> Self {
        Self {
            message: Some(message),
            ping: None,
            due: Instant::now() + SEND_TIMEOUT,
            had_to_wait: false,
            _shown: Vec::new(),
        }
    }

    /// The same with a ping after the message.
    pub fn with_ping(self, ping: Option<Message>) -> Self {
        Self { ping, ..self }
    }

    /// The same with the measurements of the moves that the message shows.
    pub fn with_latencies(self, latencies: Vec<Arc<MoveLatency>>) -> Self {
        Self {
            _shown: latencies,
            ..self
        }
    }

    fn poll(
        &mut self,
        socket: &mut (impl Sink<Message, Error = axum::Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), axum::Error>> {
        let sent = self.poll_send(socket, cx);
        // Without budget the task only yields to others: the socket may have space.
        self.had_to_wait |= sent.is_pending() && coop::has_budget_remaining();
        sent
    }

    fn poll_send(
        &mut self,
        socket: &mut (impl Sink<Message, Error = axum::Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), axum::Error>> {
        while self.message.is_some() || self.ping.is_some() {
            ready!(socket.poll_ready_unpin(cx))?;
            if let Some(message) = self.message.take().or_else(|| self.ping.take()) {
                socket.start_send_unpin(message)?;
            }
        }
        socket.poll_flush_unpin(cx)
    }

    /// Sends it to its end, and reads nothing meanwhile.
    pub async fn finish(mut self, socket: &mut WebSocket) -> Result<(), SocketEnd> {
        let sent = timeout_at(self.due, poll_fn(|cx| self.poll(socket, cx))).await;
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(send_failure(&error)),
            Err(_) => Err(SocketEnd::Stalled),
        }
    }
}

/// The first event on a socket.
pub(super) enum Exchanged {
    /// The message is sent.
    Sent(Result<(), axum::Error>),
    /// A message has come.
    Received(Option<Result<Message, axum::Error>>),
}

/// Goes on with sending, and reads at the same time. May be cancelled at any time without a loss.
pub(super) async fn exchange(socket: &mut WebSocket, sending: &mut Option<Sending>) -> Exchanged {
    poll_fn(|cx| {
        if let Some(sending) = sending
            && let Poll::Ready(sent) = sending.poll(socket, cx)
        {
            return Poll::Ready(Exchanged::Sent(sent));
        }
        socket.poll_next_unpin(cx).map(Exchanged::Received)
    })
    .await
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::pin::Pin;

    use super::*;

    /// A socket that takes every message while its task has budget left, or none at all.
    struct TestSocket {
        is_blocked: bool,
    }

    impl Sink<Message> for TestSocket {
        type Error = axum::Error;

        fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
            let coop = ready!(coop::poll_proceed(cx));
            if self.is_blocked {
                return Poll::Pending;
            }
            coop.made_progress();
            Poll::Ready(Ok(()))
        }

        fn start_send(self: Pin<&mut Self>, _: Message) -> Result<(), axum::Error> {
            Ok(())
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
            Poll::Ready(Ok(()))
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Sends messages in one poll of the task until one has to wait. Returns it.
    async fn first_that_waits(mut socket: TestSocket) -> Sending {
        poll_fn(|cx| {
            loop {
                let mut sending = Sending::new(Message::text("a message"));
                if sending.poll(&mut socket, cx).is_pending() {
                    return Poll::Ready(sending);
                }
            }
        })
        .await
    }

    #[tokio::test]
    async fn only_a_blocked_write_had_to_wait() {
        let is_blocked = true;
        assert!(
            first_that_waits(TestSocket { is_blocked })
                .await
                .had_to_wait
        );
        // The task has used up its budget, and the socket takes all that it is given.
        let is_blocked = false;
        assert!(
            !first_that_waits(TestSocket { is_blocked })
                .await
                .had_to_wait
        );
    }
}
