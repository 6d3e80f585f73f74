//! Messages on their way to a client, while the socket is read.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use futures_util::{Sink, SinkExt, StreamExt};
use sticheln_protocol::MessageText;
use tokio::task::coop;
use tokio::time::{Instant, timeout_at};

use crate::ops::metrics::MoveLatency;
use crate::rooms::outbox::Outbox;
use crate::socket::closing::{SocketEnd, send_failure};
use crate::socket::flow_control::Flow;

/// The time limit for sending messages: the longest one, of 64 KiB, at 1.1 KB/s.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// The bytes of messages from which on no other message is sent with them.
pub(crate) const MAX_BATCH_BYTES: usize = 2 * 1024;

/// Messages that are being sent, for at most [`SEND_TIMEOUT`]. The socket takes one after the other, and writes them out at
/// once.
pub(super) struct Sending {
    /// The newest message until the socket has taken it.
    message: Option<Message>,
    /// The ping that follows it.
    ping: Option<Message>,
    /// The bytes of all messages.
    bytes: usize,
    /// Whether no other message is added: the socket writes out those that it has taken.
    is_complete: bool,
    /// The time when the client is given up.
    pub(super) due: Instant,
    /// Whether it had to wait until the client took earlier bytes.
    pub(super) had_to_wait: bool,
    /// The moves that the messages show. They count as shown when this is dropped.
    shown: Vec<Arc<MoveLatency>>,
}

impl Sending {
    /// Begins to send this text, and a ping after it if one is due.
    pub fn text(text: MessageText, flow: &mut Flow) -> Self {
        let ping = flow.record_sent(text.len()).then(|| ping(flow));
        Self {
            ping,
            ..Self::new(text_message(text))
        }
    }

    /// Begins to send this message.
    pub fn new(message: Message) -> Self {
        Self {
            bytes: message_bytes(&message),
            message: Some(message),
            ping: None,
            is_complete: false,
            due: Instant::now() + SEND_TIMEOUT,
            had_to_wait: false,
            shown: Vec::new(),
        }
    }

    /// The same with the moves that the message shows.
    pub fn with_moves(self, shown: Vec<Arc<MoveLatency>>) -> Self {
        Self { shown, ..self }
    }

    /// Adds the next message to those that the socket has taken, if one waits and may be sent now.
    fn add_next(&mut self, outbox: &Outbox, flow: &mut Flow) {
        let has_space = self.bytes < MAX_BATCH_BYTES && flow.has_space();
        let Some((text, moves)) = has_space.then(|| outbox.try_next()).flatten() else {
            self.is_complete = true;
            return;
        };
        let next = Self::text(text, flow);
        self.bytes += next.bytes;
        self.message = next.message;
        self.ping = next.ping;
        self.shown.extend(moves);
    }

    fn poll(
        &mut self,
        socket: &mut (impl Sink<Message, Error = axum::Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<Progress, axum::Error>> {
        let sent = self.poll_send(socket, cx);
        // Without budget the task only yields to others: the socket may have space.
        self.had_to_wait |= sent.is_pending() && coop::has_budget_remaining();
        sent
    }

    fn poll_send(
        &mut self,
        socket: &mut (impl Sink<Message, Error = axum::Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<Progress, axum::Error>> {
        while self.message.is_some() || self.ping.is_some() {
            ready!(socket.poll_ready_unpin(cx))?;
            if let Some(message) = self.message.take().or_else(|| self.ping.take()) {
                socket.start_send_unpin(message)?;
            }
        }
        if !self.is_complete {
            return Poll::Ready(Ok(Progress::Taken));
        }
        ready!(socket.poll_flush_unpin(cx))?;
        Poll::Ready(Ok(Progress::Sent))
    }

    /// Sends all to the end, and reads nothing meanwhile.
    pub async fn finish(mut self, socket: &mut WebSocket) -> Result<(), SocketEnd> {
        self.is_complete = true;
        let sent = timeout_at(self.due, poll_fn(|cx| self.poll(socket, cx))).await;
        match sent {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(send_failure(&error)),
            Err(_) => Err(SocketEnd::Stalled),
        }
    }
}

/// The message of this text, without a copy of it.
pub(super) fn text_message(text: MessageText) -> Message {
    let text = match text.into_string() {
        Ok(text) => text.into(),
        // Other sockets send it too.
        Err(shared) => Utf8Bytes::try_from(Bytes::from_owner(shared)).expect("a text is UTF-8"),
    };
    Message::Text(text)
}

/// The bytes of a text or a ping.
fn message_bytes(message: &Message) -> usize {
    match message {
        Message::Text(text) => text.len(),
        Message::Ping(payload) | Message::Pong(payload) | Message::Binary(payload) => payload.len(),
        Message::Close(_) => 0,
    }
}

/// The progress of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The socket has taken all messages. Another one can be added.
    Taken,
    /// The messages are written out.
    Sent,
}

/// The first event on a socket.
pub(super) enum Exchanged {
    /// All messages are sent.
    Sent(Result<(), axum::Error>),
    /// A message has come.
    Received(Option<Result<Message, axum::Error>>),
}

/// Goes on with sending, adds messages of the outbox, and reads at the same time. May be cancelled at any time without a
/// loss.
pub(super) async fn exchange(
    socket: &mut WebSocket,
    sending: &mut Option<Sending>,
    outbox: &Outbox,
    flow: &mut Flow,
) -> Exchanged {
    poll_fn(|cx| {
        while let Some(sending) = sending
            && let Poll::Ready(progress) = sending.poll(socket, cx)
        {
            match progress {
                Ok(Progress::Taken) => sending.add_next(outbox, flow),
                Ok(Progress::Sent) => return Poll::Ready(Exchanged::Sent(Ok(()))),
                Err(error) => return Poll::Ready(Exchanged::Sent(Err(error))),
            }
        }
        socket.poll_next_unpin(cx).map(Exchanged::Received)
    })
    .await
}

/// A ping whose pong confirms all bytes before it.
pub(super) fn ping(flow: &mut Flow) -> Message {
    let payload = flow.ping(Instant::now());
    Message::Ping(payload.to_vec().into())
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
                sending.is_complete = true;
                if sending.poll(&mut socket, cx).is_pending() {
                    return Poll::Ready(sending);
                }
            }
        })
        .await
    }

    #[tokio::test]
    async fn only_a_blocked_write_counts_as_one() {
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
