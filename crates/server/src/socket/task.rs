//! The task of a socket, which reads from a client and writes to it.

use std::error::Error as _;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::iter;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt;
use sticheln_protocol::{ClientMessage, ClosingReason, Incoming, ServerMessage};
use sticheln_room::ConnId;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::tungstenite;

use crate::limits::address_limits::{AddressLimits, CodeLookup};
use crate::limits::client_addr::ClientAddr;
use crate::limits::token_bucket::TokenBucket;
use crate::room_code::RoomCode;
use crate::rooms::mailbox::RoomHandle;
use crate::rooms::outbox::{self, CloseReason, Next, Outbox};
use crate::rooms::registry::{NoRoom, RoomRegistry};
use crate::rooms::services::Services;
use crate::settings::Limits;
use crate::socket::flow_control::Flow;

/// The time limit for the close frame of the client.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// The most messages that are discarded before that close frame.
const MAX_DRAINED_MESSAGES: usize = 256;
/// The time limit for sending one message: the longest one, of 64 KiB, at 1.1 KB/s.
const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// The close codes for violations by a client: invalid frames, binary messages, invalid UTF-8, too many messages, and a
/// message that is too long.
const VIOLATION_CODES: [u16; 5] = [1002, 1003, 1007, 1008, 1009];
/// The time after which clients reconnect when the server stops.
const RETRY: Duration = Duration::from_millis(500);
/// The time after which clients reconnect when the log cannot be written.
const UNSAVED_RETRY: Duration = Duration::from_secs(2);

/// Why the service of a socket has ended.
enum Outcome {
    /// The server closes it with this code.
    Closed(u16),
    /// The client has closed it.
    ClosedByClient,
    /// The client does not read or does not answer a ping, so a close frame would not reach it.
    Stalled,
    /// The connection is lost.
    Disconnected,
}

impl From<CloseReason> for Outcome {
    fn from(reason: CloseReason) -> Self {
        Self::Closed(reason.code())
    }
}

/// What the task of a socket uses of the server.
#[derive(Debug)]
pub struct SocketContext<'a> {
    /// All rooms.
    pub registry: &'a Arc<RoomRegistry>,
    /// The limits of client addresses.
    pub address_limits: &'a AddressLimits,
    /// The services that the tasks of all rooms share.
    pub services: &'a Services,
    /// `Some` once the server stops: the time over which sockets are closed.
    pub ending: watch::Receiver<Option<Duration>>,
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
            }
            .run(&mut socket, context.ending)
            .await;
            room.disconnect(conn).await;
            outcome
        }
        Err(no_room) => Box::pin(refuse(&mut socket, *no_room)).await,
    };
    match outcome {
        Outcome::Closed(code) => {
            services.metrics.note_closed(code);
            if VIOLATION_CODES.contains(&code) {
                context.address_limits.note_violation(client_addr);
            }
            tracing::debug!(conn = conn.0, code, "closing a socket");
            Box::pin(close(&mut socket, code)).await;
        }
        // The library answers the close frame when the socket is read.
        Outcome::ClosedByClient => Box::pin(drain(&mut socket)).await,
        Outcome::Stalled => {
            services.metrics.note_closed(CloseReason::TooSlow.code());
            tracing::debug!(conn = conn.0, "dropping a stalled socket");
        }
        Outcome::Disconnected => {}
    }
}

/// Tells a client why there is no room for it, as far as a close code does not say it.
async fn refuse(socket: &mut WebSocket, no_room: NoRoom) -> Outcome {
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
async fn send_last(socket: &mut WebSocket, last: Arc<str>, reason: CloseReason) -> Outcome {
    match send(socket, [Message::text(&*last)]).await {
        Ok(_) => reason.into(),
        Err(outcome) => outcome,
    }
}

/// Sends messages, as long as the client makes progress in reading. Returns whether this had to wait until the client
/// read earlier bytes.
async fn send(
    socket: &mut WebSocket,
    messages: impl IntoIterator<Item = Message>,
) -> Result<bool, Outcome> {
    let sending = async {
        for message in messages {
            socket.feed(message).await?;
        }
        socket.flush().await
    };
    let mut sending = pin!(timeout(SEND_TIMEOUT, sending));
    let (sent, had_to_wait) = match poll_fn(|cx| Poll::Ready(sending.as_mut().poll(cx))).await {
        Poll::Ready(sent) => (sent, false),
        Poll::Pending => (sending.await, true),
    };
    match sent {
        Ok(Ok(())) => Ok(had_to_wait),
        Ok(Err(error)) if !is_timeout(&error) => Err(Outcome::Disconnected),
        Ok(Err(_)) | Err(_) => Err(Outcome::Stalled),
    }
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
pub async fn close(socket: &mut WebSocket, code: u16) {
    let close = Message::Close(Some(CloseFrame {
        code,
        reason: "".into(),
    }));
    if send(socket, [close]).await.is_ok() {
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
}

impl SocketTask<'_> {
    async fn run(
        mut self,
        socket: &mut WebSocket,
        mut ending: watch::Receiver<Option<Duration>>,
    ) -> Outcome {
        let outbox = self.outbox;
        loop {
            let step = tokio::select! {
                next = outbox.next(self.flow.has_space()) => self.send_next(socket, next).await,
                message = socket.recv() => self.receive(message).await,
                () = sleep_until(self.deadline()) => self.check_silence(socket).await,
                spread = shutdown(&mut ending) => return Box::pin(self.shut_down(socket, spread)).await,
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

    /// When a silent client gets a ping, or is dropped if it has not answered one.
    fn silence_deadline(&self) -> Instant {
        let last_received = self.activity.last_received;
        let limits = self.limits;
        match self.flow.answer_due() {
            Some(due) => due.max(last_received + Duration::from_secs(limits.dead_seconds)),
            None => last_received + Duration::from_secs(limits.ping_seconds.get()),
        }
    }

    /// When the client must be admitted; `None` if it is.
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
    async fn check_silence(&mut self, socket: &mut WebSocket) -> Result<(), Outcome> {
        let now = Instant::now();
        if self.hello_deadline().is_some_and(|hello| hello <= now) {
            return Err(CloseReason::HelloMissing.into());
        }
        if now < self.silence_deadline() {
            return Ok(());
        }
        if self.flow.answer_due().is_some() {
            return Err(Outcome::Stalled);
        }
        let ping = self.ping();
        self.send_all(socket, [ping]).await
    }

    fn ping(&mut self) -> Message {
        let payload = self.flow.ping(Instant::now());
        Message::Ping(payload.to_vec().into())
    }

    async fn send_next(&mut self, socket: &mut WebSocket, next: Next) -> Result<(), Outcome> {
        match next {
            Next::Send(text, shown) => {
                let sent = self.send(socket, &text).await;
                drop(shown);
                sent
            }
            Next::Close(CloseReason::Restarting) => {
                self.send(socket, &closing(ClosingReason::Restarting, RETRY))
                    .await?;
                Err(CloseReason::Restarting.into())
            }
            Next::Close(CloseReason::Unsaved) => {
                self.send(socket, &closing(ClosingReason::Storage, UNSAVED_RETRY))
                    .await?;
                Err(CloseReason::Unsaved.into())
            }
            Next::Close(reason) => Err(reason.into()),
        }
    }

    /// Sends a text, and a ping after it if one is due.
    async fn send(&mut self, socket: &mut WebSocket, text: &str) -> Result<(), Outcome> {
        let ping = self.flow.note_sent(text.len()).then(|| self.ping());
        self.send_all(socket, iter::once(Message::text(text)).chain(ping))
            .await
    }

    async fn send_all(
        &mut self,
        socket: &mut WebSocket,
        messages: impl IntoIterator<Item = Message>,
    ) -> Result<(), Outcome> {
        if send(socket, messages).await? {
            // The client has read earlier bytes meanwhile, which is a sign of life.
            self.activity.note_sign_of_life();
        }
        Ok(())
    }

    async fn receive(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<(), Outcome> {
        let message = match message {
            Some(Ok(message)) => message,
            Some(Err(error)) if is_timeout(&error) => return Err(Outcome::Stalled),
            Some(Err(error)) => {
                return Err(violation_code(&error).map_or(Outcome::Disconnected, Outcome::Closed));
            }
            None => return Err(Outcome::Disconnected),
        };
        self.activity.note_sign_of_life();
        if let Message::Pong(payload) = &message
            && self.flow.note_pong(payload, self.activity.last_received)
        {
            // The server has requested this pong, so it takes no token.
            return Ok(());
        }
        let now = self.activity.last_received.into_std();
        if self.activity.bucket.try_acquire(1, now).is_err() {
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
            Message::Close(_) => Err(Outcome::ClosedByClient),
        }
    }

    /// Closes the socket when the server stops. Many sockets are closed one after another.
    async fn shut_down(mut self, socket: &mut WebSocket, spread: Duration) -> Outcome {
        // Fibonacci hashing: the golden ratio spreads consecutive ids evenly.
        let part =
            (self.conn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24);
        let until = Instant::now() + spread.mul_f64(part);
        loop {
            let next = tokio::select! {
                () = sleep_until(until) => break,
                // Waiting messages are sent without flow control, because no newer ones will replace them.
                next = self.outbox.next(true) => next,
            };
            if let Err(outcome) = self.send_next(socket, next).await {
                return outcome;
            }
        }
        let retry = RETRY + spread.mul_f64(1.0 - part);
        match self
            .send(socket, &closing(ClosingReason::Restarting, retry))
            .await
        {
            Ok(()) => CloseReason::Restarting.into(),
            Err(outcome) => outcome,
        }
    }
}

/// Ready when the server stops. Returns the time over which sockets are closed.
async fn shutdown(ending: &mut watch::Receiver<Option<Duration>>) -> Duration {
    let spread = ending.wait_for(Option::is_some).await;
    // The sender lives longer than all sockets.
    spread.ok().and_then(|spread| *spread).unwrap_or_default()
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
pub fn violation_code(error: &axum::Error) -> Option<u16> {
    use tungstenite::Error;

    match error.source().and_then(|source| source.downcast_ref()) {
        Some(Error::Capacity(_)) => Some(1009),
        Some(Error::Utf8(_)) => Some(1007),
        Some(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
            None
        }
        Some(Error::Protocol(_)) => Some(1002),
        Some(_) | None => None,
    }
}
