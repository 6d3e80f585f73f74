//! The task of a socket, which reads from a client and writes to it.

use std::error::Error as _;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::{Sink, SinkExt, StreamExt};
use sticheln_protocol::{ClientMessage, CloseCode, ClosingReason, Incoming, ServerMessage};
use sticheln_room::ConnId;
use tokio::sync::watch;
use tokio::task::coop;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_tungstenite::tungstenite;

use crate::limits::address_limits::{AddressLimits, CodeLookup};
use crate::limits::client_addr::ClientAddr;
use crate::limits::token_bucket::TokenBucket;
use crate::ops::metrics::MoveLatency;
use crate::room_code::RoomCode;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::mailbox::RoomHandle;
use crate::rooms::outbox::{self, Next, Outbox};
use crate::rooms::registry::{NoRoom, RoomRegistry};
use crate::rooms::services::Services;
use crate::settings::Limits;
use crate::socket::flow_control::Flow;

/// The bytes of a message for which it takes one more token. Reading a message takes time in proportion to its length.
const BYTES_PER_TOKEN: usize = 1024;
/// The time limit for the close frame of the client.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// The most messages that are discarded before that close frame.
const MAX_DRAINED_MESSAGES: usize = 256;
/// The time limit for sending one message: the longest one, of 64 KiB, at 1.1 KB/s.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// The time after which clients reconnect when the server stops.
const RETRY: Duration = Duration::from_millis(500);
/// The time after which clients reconnect when the log cannot be written.
const UNSAVED_RETRY: Duration = Duration::from_secs(2);

/// The reason why the service of a socket has ended.
enum SocketEnd {
    /// The server closes it with this code.
    Closed(CloseCode),
    /// The client has closed it.
    ClosedByClient,
    /// The client does not read or does not answer a ping, so a close frame would not reach it.
    Stalled,
    /// The connection is lost.
    Disconnected,
}

impl From<CloseReason> for SocketEnd {
    fn from(reason: CloseReason) -> Self {
        Self::Closed(reason.code())
    }
}

/// The parts of the server that the task of a socket uses.
#[derive(Debug)]
pub struct SocketContext<'a> {
    /// All rooms.
    pub registry: &'a Arc<RoomRegistry>,
    /// The limits of client addresses.
    pub address_limits: &'a AddressLimits,
    /// The services that the tasks of all rooms share.
    pub services: &'a Services,
    /// `Some` once the server stops: the time over which sockets are closed.
    pub shutdown: watch::Receiver<Option<Duration>>,
}

/// Serves a socket until it is closed. `code` is `None` if the text in the path was not a room code.
pub async fn serve(
    context: SocketContext<'_>,
    conn: ConnId,
    client_addr: ClientAddr,
    (lookup, code): (CodeLookup, Option<RoomCode>),
    mut socket: WebSocket,
) {
    // Steps that happen once are boxed, so that an idle socket does not keep their space.
    let room = match &code {
        Some(code) => Box::pin(enter(&context, code, conn, client_addr)).await,
        None => Err(NoRoom::Unknown),
    };
    match &room {
        Err(NoRoom::Unknown) => drop(lookup),
        Ok(_) | Err(_) => lookup.refund(),
    }
    let services = context.services;
    let outcome = match &room {
        Ok((room, outbox)) => {
            if let Some(code) = &code {
                context.address_limits.note_known_code(client_addr, code);
            }
            let limits = &services.limits;
            let outcome = SocketTask {
                limits,
                conn,
                room,
                outbox,
                activity: Activity::new(limits),
                flow: Flow::new(limits.answer_time(), Instant::now()),
                sending: None,
            }
            .run(&mut socket, context.shutdown)
            .await;
            room.disconnect(conn).await;
            outcome
        }
        Err(no_room) => Box::pin(refuse(&mut socket, *no_room)).await,
    };
    match outcome {
        SocketEnd::Closed(code) => {
            services.metrics.note_closed(code);
            if code.is_violation() {
                context.address_limits.note_violation(client_addr);
            }
            tracing::debug!(conn = conn.0, code = code.number(), "closing a socket");
            Box::pin(close(&mut socket, code)).await;
        }
        // The library answers the close frame when the socket is read.
        SocketEnd::ClosedByClient => Box::pin(drain(&mut socket)).await,
        SocketEnd::Stalled => {
            services.metrics.note_closed(CloseReason::TooSlow.code());
            tracing::debug!(conn = conn.0, "dropping a stalled socket");
        }
        SocketEnd::Disconnected => {}
    }
}

/// Tells a client why there is no room for it, as far as a close code does not say it.
async fn refuse(socket: &mut WebSocket, no_room: NoRoom) -> SocketEnd {
    match no_room {
        NoRoom::Unknown => CloseReason::NoSuchRoom.into(),
        NoRoom::Full => CloseReason::ServerFull.into(),
        NoRoom::Damaged => CloseReason::Damaged.into(),
        // A socket does not open a room, so nothing was refused.
        NoRoom::Defect | NoRoom::Refused(_) => CloseReason::Defect.into(),
        NoRoom::Storage => {
            let last = closing(ClosingReason::Storage, UNSAVED_RETRY);
            send_last(socket, last, CloseReason::Unsaved).await
        }
        NoRoom::Ending => {
            let last = closing(ClosingReason::Restarting, RETRY);
            send_last(socket, last, CloseReason::Restarting).await
        }
    }
}

/// Sends the last message of a socket, which is then closed for this reason.
async fn send_last(socket: &mut WebSocket, last: Arc<str>, reason: CloseReason) -> SocketEnd {
    match Sending::new(Message::text(&*last)).finish(socket).await {
        Ok(_) => reason.into(),
        Err(outcome) => outcome,
    }
}

/// A message that is being sent, however slowly the client takes it, as long as it makes progress.
struct Sending {
    /// The message until the socket has taken it.
    message: Option<Message>,
    /// The ping that follows it.
    ping: Option<Message>,
    /// The time when the client is given up.
    due: Instant,
    /// Whether it had to wait until the client took earlier bytes.
    had_to_wait: bool,
    /// The moves that the message shows. They count as shown when this is dropped.
    _shown: Vec<Arc<MoveLatency>>,
}

impl Sending {
    fn new(message: Message) -> Self {
        Self {
            message: Some(message),
            ping: None,
            due: Instant::now() + SEND_TIMEOUT,
            had_to_wait: false,
            _shown: Vec::new(),
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

    /// Sends it to its end, and reads nothing meanwhile. The result says whether it had to wait.
    async fn finish(mut self, socket: &mut WebSocket) -> Result<bool, SocketEnd> {
        let sent = timeout_at(self.due, poll_fn(|cx| self.poll(socket, cx))).await;
        match sent {
            Ok(Ok(())) => Ok(self.had_to_wait),
            Ok(Err(error)) => Err(send_failure(&error)),
            Err(_) => Err(SocketEnd::Stalled),
        }
    }
}

/// The outcome for a client to which nothing can be sent.
fn send_failure(error: &axum::Error) -> SocketEnd {
    match is_timeout(error) {
        true => SocketEnd::Stalled,
        false => SocketEnd::Disconnected,
    }
}

/// The first event on a socket.
enum Exchanged {
    /// The message is sent.
    Sent(Result<(), axum::Error>),
    /// A message has come.
    Received(Option<Result<Message, axum::Error>>),
}

/// Goes on with sending, and reads at the same time. May be cancelled at any time without a loss.
async fn exchange(socket: &mut WebSocket, sending: &mut Option<Sending>) -> Exchanged {
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

/// Connects to a room. If the room goes to sleep at the same time, it is woken again.
async fn enter(
    context: &SocketContext<'_>,
    code: &RoomCode,
    conn: ConnId,
    client_addr: ClientAddr,
) -> Result<(RoomHandle, Outbox), NoRoom> {
    for _ in 0..2 {
        let room = context.registry.find(code).await?;
        let (sender, outbox) = outbox::channel(context.services.limits.outgoing_messages.get());
        if room.connect(conn, client_addr, sender).await.is_ok() {
            return Ok((room, outbox));
        }
    }
    Err(NoRoom::Storage)
}

/// Closes a socket with this code, and waits for the close frame of the client.
pub async fn close(socket: &mut WebSocket, code: CloseCode) {
    let close = Message::Close(Some(CloseFrame {
        code: code.number(),
        reason: "".into(),
    }));
    if Sending::new(close).finish(socket).await.is_ok() {
        drain(socket).await;
    }
}

/// Reads and discards messages until the socket is closed on both sides.
async fn drain(socket: &mut WebSocket) {
    // A client that does not answer in time may miss the close code.
    let _ = timeout(CLOSE_TIMEOUT, async {
        for _ in 0..MAX_DRAINED_MESSAGES {
            match socket.recv().await {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    })
    .await;
}

/// The activity of a client: its last sign of life, and the rate limit of its messages.
struct Activity {
    connected_at: Instant,
    last_received: Instant,
    /// Whether the client has sent `hello`. After it a person may have to enter a password.
    has_sent_hello: bool,
    bucket: TokenBucket,
}

impl Activity {
    fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        let per_second = f64::from(limits.messages_per_second.get());
        Self {
            connected_at: now,
            last_received: now,
            has_sent_hello: false,
            bucket: TokenBucket::new(limits.messages_at_once.get(), per_second, now.into_std()),
        }
    }

    fn note_sign_of_life(&mut self) {
        self.last_received = Instant::now();
    }
}

struct SocketTask<'a> {
    limits: &'a Limits,
    conn: ConnId,
    room: &'a RoomHandle,
    outbox: &'a Outbox,
    activity: Activity,
    flow: Flow,
    /// The message that is being sent. Messages are read meanwhile: a slow line in one direction does not delay what
    /// comes in the other one.
    sending: Option<Sending>,
}

impl SocketTask<'_> {
    async fn run(
        mut self,
        socket: &mut WebSocket,
        mut shutdown: watch::Receiver<Option<Duration>>,
    ) -> SocketEnd {
        let outbox = self.outbox;
        loop {
            let (is_sending, deadline) = (self.sending.is_some(), self.deadline());
            let step = tokio::select! {
                next = outbox.next(self.flow.has_space()), if !is_sending => {
                    self.send_next(socket, next).await
                }
                exchanged = exchange(socket, &mut self.sending) => match exchanged {
                    Exchanged::Sent(sent) => self.note_sent(sent),
                    Exchanged::Received(message) => self.receive(message).await,
                },
                () = sleep_until(deadline) => self.check_silence(),
                closing_time = shutdown_begun(&mut shutdown) => return Box::pin(self.shut_down(socket, closing_time)).await,
            };
            if let Err(outcome) = step {
                return outcome;
            }
        }
    }

    /// The time of the next check without a message.
    fn deadline(&self) -> Instant {
        let hello = self.hello_deadline();
        hello.map_or(self.silence_deadline(), |hello| {
            hello.min(self.silence_deadline())
        })
    }

    /// The time when a silent client gets a ping, or is dropped if it has not answered one. No ping is sent while a message is
    /// being sent.
    fn silence_deadline(&self) -> Instant {
        if let Some(sending) = &self.sending {
            return sending.due;
        }
        let last_received = self.activity.last_received;
        let limits = self.limits;
        match self.flow.answer_due() {
            Some(due) => due.max(last_received + Duration::from_secs(limits.dead_seconds)),
            None => last_received + Duration::from_secs(limits.ping_seconds.get()),
        }
    }

    /// The time when the client must be admitted; `None` if it is.
    fn hello_deadline(&self) -> Option<Instant> {
        if self.outbox.is_admitted() {
            return None;
        }
        let seconds = if self.activity.has_sent_hello {
            self.limits.stranger_seconds.get()
        } else {
            self.limits.first_message_seconds.get()
        };
        Some(self.activity.connected_at + Duration::from_secs(seconds))
    }

    /// Sends a ping to a silent client, or drops it.
    fn check_silence(&mut self) -> Result<(), SocketEnd> {
        let now = Instant::now();
        if self.hello_deadline().is_some_and(|hello| hello <= now) {
            return Err(CloseReason::HelloMissing.into());
        }
        if now < self.silence_deadline() {
            return Ok(());
        }
        if self.sending.is_some() || self.flow.answer_due().is_some() {
            return Err(SocketEnd::Stalled);
        }
        self.sending = Some(Sending::new(self.ping()));
        Ok(())
    }

    fn ping(&mut self) -> Message {
        let payload = self.flow.ping(Instant::now());
        Message::Ping(payload.to_vec().into())
    }

    /// Begins to send the next message, or sends the last one.
    async fn send_next(&mut self, socket: &mut WebSocket, next: Next) -> Result<(), SocketEnd> {
        match next {
            Next::Send(text, shown) => {
                let sending = self.text(&text);
                self.sending = Some(Sending {
                    _shown: shown,
                    ..sending
                });
                Ok(())
            }
            Next::Close(CloseReason::Restarting) => {
                let last = self.text(&closing(ClosingReason::Restarting, RETRY));
                last.finish(socket).await?;
                Err(CloseReason::Restarting.into())
            }
            Next::Close(CloseReason::Unsaved) => {
                let last = self.text(&closing(ClosingReason::Storage, UNSAVED_RETRY));
                last.finish(socket).await?;
                Err(CloseReason::Unsaved.into())
            }
            Next::Close(reason) => Err(reason.into()),
        }
    }

    /// A text to be sent, and a ping after it if one is due.
    fn text(&mut self, text: &str) -> Sending {
        let ping = self.flow.note_sent(text.len()).then(|| self.ping());
        Sending {
            ping,
            ..Sending::new(Message::text(text))
        }
    }

    /// Notes that the message is sent, or why it cannot be.
    fn note_sent(&mut self, sent: Result<(), axum::Error>) -> Result<(), SocketEnd> {
        let sending = self.sending.take();
        sent.map_err(|error| send_failure(&error))?;
        if sending.is_some_and(|sending| sending.had_to_wait) {
            // There was no space until the other side took earlier bytes, so it counts as a sign of life.
            self.activity.note_sign_of_life();
        }
        Ok(())
    }

    /// Sends the message that was begun to its end, and reads nothing meanwhile.
    async fn finish_sending(&mut self, socket: &mut WebSocket) -> Result<(), SocketEnd> {
        match self.sending.take() {
            Some(sending) => sending.finish(socket).await.map(|_| ()),
            None => Ok(()),
        }
    }

    async fn receive(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<(), SocketEnd> {
        let message = match message {
            Some(Ok(message)) => message,
            Some(Err(error)) if is_timeout(&error) => return Err(SocketEnd::Stalled),
            Some(Err(error)) => {
                return Err(
                    violation_code(&error).map_or(SocketEnd::Disconnected, SocketEnd::Closed)
                );
            }
            None => return Err(SocketEnd::Disconnected),
        };
        self.activity.note_sign_of_life();
        if let Message::Pong(payload) = &message
            && self.flow.note_pong(payload, self.activity.last_received)
        {
            // The server has requested this pong, so it takes no token.
            return Ok(());
        }
        let now = self.activity.last_received.into_std();
        if self
            .activity
            .bucket
            .try_acquire(tokens(&message), now)
            .is_err()
        {
            return Err(CloseReason::Flooding.into());
        }
        match message {
            Message::Text(text) => {
                let message = Incoming::read(&text);
                self.activity.has_sent_hello |=
                    matches!(message.message, Ok(ClientMessage::Hello { .. }));
                let sent = self.room.message(self.conn, message).await;
                sent.map_err(|_| CloseReason::Restarting.into())
            }
            Message::Binary(_) => Err(CloseReason::NotText.into()),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(SocketEnd::ClosedByClient),
        }
    }

    /// Closes the socket when the server stops. Many sockets are closed one after another.
    async fn shut_down(mut self, socket: &mut WebSocket, closing_time: Duration) -> SocketEnd {
        // Fibonacci hashing: the golden ratio spreads consecutive ids evenly.
        let part =
            (self.conn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24);
        let until = Instant::now() + closing_time.mul_f64(part);
        loop {
            if let Err(outcome) = self.finish_sending(socket).await {
                return outcome;
            }
            let next = tokio::select! {
                biased;
                // Waiting messages are sent without flow control, because no newer ones will replace them.
                next = self.outbox.next(true) => next,
                () = sleep_until(until) => break,
            };
            if let Err(outcome) = self.send_next(socket, next).await {
                return outcome;
            }
        }
        let retry = RETRY + closing_time.mul_f64(1.0 - part);
        let last = self.text(&closing(ClosingReason::Restarting, retry));
        match last.finish(socket).await {
            Ok(_) => CloseReason::Restarting.into(),
            Err(outcome) => outcome,
        }
    }
}

/// Ready when the server stops. Returns the time over which sockets are closed.
async fn shutdown_begun(shutdown: &mut watch::Receiver<Option<Duration>>) -> Duration {
    let closing_time = shutdown.wait_for(Option::is_some).await;
    // The sender lives longer than all sockets.
    closing_time
        .ok()
        .and_then(|closing_time| *closing_time)
        .unwrap_or_default()
}

/// The last message to a client that is to reconnect.
fn closing(reason: ClosingReason, retry: Duration) -> Arc<str> {
    let retry_after_ms = retry.as_millis() as u64;
    let closing = ServerMessage::Closing {
        reason,
        retry_after_ms,
    };
    closing.encode()
}

/// Whether the client has read nothing for too long.
fn is_timeout(error: &axum::Error) -> bool {
    let error = error.source().and_then(|source| source.downcast_ref());
    matches!(error, Some(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::TimedOut)
}

/// The close code for a protocol violation; `None` if the connection is lost.
pub fn violation_code(error: &axum::Error) -> Option<CloseCode> {
    use tungstenite::Error;

    match error.source().and_then(|source| source.downcast_ref()) {
        Some(Error::Capacity(_)) => Some(CloseCode::MessageTooLarge),
        Some(Error::Utf8(_)) => Some(CloseCode::InvalidUtf8),
        Some(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
            None
        }
        Some(Error::Protocol(_)) => Some(CloseCode::ProtocolViolation),
        Some(_) | None => None,
    }
}

/// The tokens that a message of a client takes.
fn tokens(message: &Message) -> u32 {
    let bytes = match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes) => bytes.len(),
        Message::Close(_) => 0,
    };
    u32::try_from(1 + bytes / BYTES_PER_TOKEN).unwrap_or(u32::MAX)
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
