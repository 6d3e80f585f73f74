//! Messages on their way to a client, while the socket is read.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use sticheln_protocol::MessageText;
use tokio::task::coop;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use crate::ops::metrics::MoveLatency;
use crate::rooms::outbox::Outbox;
use crate::socket::closing::{SocketEnd, send_failure};
use crate::socket::flow_control::Flow;
use crate::socket::web_socket::WebSocket;

/// The time limit for sending a batch: all bytes that a socket buffers (`MAX_UNSENT_BYTES`), at 1.1 KB/s.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// A batch of texts with at least this many bytes takes no other message.
pub(super) const MAX_BATCH_BYTES: usize = 2 * 1024;

/// Messages that are being sent, for at most [`SEND_TIMEOUT`]. The socket takes one after the other, and flushes them at
/// once.
pub(super) struct Batch {
    /// The newest message until the socket has taken it.
    message: Option<Message>,
    /// The ping that follows it.
    ping: Option<Message>,
    /// The bytes of all texts.
    bytes: usize,
    /// Whether no other message is added: the socket flushes those that it has taken.
    is_complete: bool,
    /// The time when the connection is closed unless the client has taken the bytes.
    pub(super) due: Instant,
    /// Whether it had to wait until the client took earlier bytes.
    pub(super) had_to_wait: bool,
    /// The measurements of the moves that the messages show. They end when this is dropped.
    shown: Vec<Arc<MoveLatency>>,
}

impl Batch {
    /// A batch of this text, and a ping after it if one is due.
    pub fn text(text: MessageText, flow: &mut Flow) -> Self {
        let mut batch = Self::empty();
        batch.add(text, flow);
        batch
    }

    /// A batch of this message alone.
    pub fn new(message: Message) -> Self {
        Self {
            message: Some(message),
            ..Self::empty()
        }
    }

    fn empty() -> Self {
        Self {
            bytes: 0,
            message: None,
            ping: None,
            is_complete: false,
            due: Instant::now() + SEND_TIMEOUT,
            had_to_wait: false,
            shown: Vec::new(),
        }
    }

    /// The same with the measurements of the moves that the message shows.
    pub fn with_latencies(self, latencies: Vec<Arc<MoveLatency>>) -> Self {
        Self {
            shown: latencies,
            ..self
        }
    }

    /// Adds the next message to those that the socket has taken, if one waits and may be sent now.
    fn add_next(&mut self, outbox: &Outbox, flow: &mut Flow) {
        let has_space = self.bytes < MAX_BATCH_BYTES && flow.has_space();
        let Some((text, latencies)) = has_space.then(|| outbox.try_next()).flatten() else {
            self.is_complete = true;
            return;
        };
        self.add(text, flow);
        self.shown.extend(latencies);
    }

    fn add(&mut self, text: MessageText, flow: &mut Flow) {
        self.bytes += text.len();
        self.ping = flow.record_queued(text.len()).then(|| ping(flow));
        self.message = Some(text_message(text));
    }

    fn poll(
        &mut self,
        socket: &mut (impl Sink<Message, Error = Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<SendProgress, Error>> {
        let sent = self.poll_send(socket, cx);
        // Without budget the task only yields to others: the socket may have space.
        self.had_to_wait |= sent.is_pending() && coop::has_budget_remaining();
        sent
    }

    fn poll_send(
        &mut self,
        socket: &mut (impl Sink<Message, Error = Error> + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<Result<SendProgress, Error>> {
        while self.message.is_some() || self.ping.is_some() {
            ready!(socket.poll_ready_unpin(cx))?;
            if let Some(message) = self.message.take().or_else(|| self.ping.take()) {
                socket.start_send_unpin(message)?;
            }
        }
        if !self.is_complete {
            return Poll::Ready(Ok(SendProgress::Taken));
        }
        ready!(socket.poll_flush_unpin(cx))?;
        Poll::Ready(Ok(SendProgress::Sent))
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

/// The progress of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendProgress {
    /// The socket has taken all messages. Another one can be added.
    Taken,
    /// The messages are flushed.
    Sent,
}

/// The next event on a socket.
pub(super) enum SocketEvent {
    /// Sending has ended, with this result.
    Sent(Result<(), Error>),
    /// A message has come.
    Received(Option<Result<Message, Error>>),
}

/// Sends the batch, adds waiting messages to it, and reads the socket. Returns the first event. Cancel safe.
pub(super) async fn send_and_receive(
    socket: &mut (impl Sink<Message, Error = Error> + Stream<Item = Result<Message, Error>> + Unpin),
    sending: &mut Option<Batch>,
    outbox: &Outbox,
    flow: &mut Flow,
) -> SocketEvent {
    poll_fn(|cx| {
        while let Some(sending) = sending
            && let Poll::Ready(progress) = sending.poll(socket, cx)
        {
            match progress {
                Ok(SendProgress::Taken) => sending.add_next(outbox, flow),
                Ok(SendProgress::Sent) => return Poll::Ready(SocketEvent::Sent(Ok(()))),
                Err(error) => return Poll::Ready(SocketEvent::Sent(Err(error))),
            }
        }
        socket.poll_next_unpin(cx).map(SocketEvent::Received)
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

    use futures_util::FutureExt as _;
    use sticheln_room::Outgoing;

    use super::*;
    use crate::rooms::outbox;

    /// A socket that takes every message while its task has budget left, or none at all. It receives nothing.
    #[derive(Default)]
    struct TestSocket {
        is_blocked: bool,
        /// The messages that it has taken, and [`FLUSH`] for each time when it has flushed them.
        log: Vec<Message>,
    }

    const FLUSH: Message = Message::Close(None);

    impl Sink<Message> for TestSocket {
        type Error = Error;

        fn poll_ready(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
            let coop = ready!(coop::poll_proceed(cx));
            if self.is_blocked {
                return Poll::Pending;
            }
            coop.made_progress();
            Poll::Ready(Ok(()))
        }

        fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
            self.log.push(message);
            Ok(())
        }

        fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
            self.log.push(FLUSH);
            Poll::Ready(Ok(()))
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
            Poll::Ready(Ok(()))
        }
    }

    impl Stream for TestSocket {
        type Item = Result<Message, Error>;

        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            Poll::Pending
        }
    }

    fn text(letter: &str, bytes: usize) -> Message {
        Message::text(letter.repeat(bytes))
    }

    /// Sends the first of these answers, which wait in an outbox, and those that go with it. Returns the log of the socket,
    /// and the number of answers that still wait.
    fn send(answers: &[Message], flow: &mut Flow) -> (Vec<Message>, usize) {
        let (sender, outbox) = outbox::channel(answers.len());
        let answers = answers
            .iter()
            .map(|answer| answer.to_text().unwrap().into());
        sender.put(answers.map(Outgoing::Reliable), None);
        let (first, _) = outbox.try_next().unwrap();
        let mut sending = Some(Batch::text(first, flow));
        let mut socket = TestSocket::default();
        let event = send_and_receive(&mut socket, &mut sending, &outbox, flow).now_or_never();
        let is_sent = matches!(event, Some(SocketEvent::Sent(Ok(()))));
        assert!(is_sent, "all that was taken is flushed");
        let waiting = std::iter::from_fn(|| outbox.try_next()).count();
        (socket.log, waiting)
    }

    fn flow() -> Flow {
        Flow::new(Duration::from_secs(10), Instant::now())
    }

    #[tokio::test]
    async fn messages_that_wait_are_written_out_at_once() {
        let answers = [text("a", 10), text("b", 10), text("c", 10)];
        let [a, b, c] = answers.clone();
        assert_eq!(send(&answers, &mut flow()), (vec![a, b, c, FLUSH], 0));
    }

    #[tokio::test]
    async fn no_message_is_added_to_a_full_batch() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|letter| text(letter, MAX_BATCH_BYTES / 2));
        let answers = [a.clone(), b.clone(), c, d];
        assert_eq!(send(&answers, &mut flow()), (vec![a, b, FLUSH], 2));
    }

    #[tokio::test]
    async fn a_message_outside_of_the_window_waits() {
        let mut flow = flow();
        flow.ping(Instant::now());
        while flow.has_space() {
            flow.record_queued(1);
        }
        let answers = [text("a", 10), text("b", 10)];
        let (log, waiting) = send(&answers, &mut flow);
        assert_eq!((&log[0], waiting), (&answers[0], 1));
        assert!(!log.contains(&answers[1]));
    }

    /// Sends messages in one poll of the task until one has to wait. Returns it.
    async fn first_that_waits(is_blocked: bool) -> Batch {
        let mut socket = TestSocket {
            is_blocked,
            ..TestSocket::default()
        };
        poll_fn(|cx| {
            loop {
                let mut sending = Batch::new(Message::text("a message"));
                sending.is_complete = true;
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
        assert!(first_that_waits(is_blocked).await.had_to_wait);
        // The task has used up its budget, and the socket takes all that it is given.
        let is_blocked = false;
        assert!(!first_that_waits(is_blocked).await.had_to_wait);
    }
}
