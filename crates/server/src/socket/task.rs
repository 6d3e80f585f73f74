//! One socket: the one task that reads from a client and writes to it.

use std::error::Error as _;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::{SinkExt, StreamExt};
use sticheln_protocol::{ClientMessage, ClosingReason, Incoming, ServerMessage};
use sticheln_room::ConnId;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_tungstenite::tungstenite;

use crate::limits::address_limits::{AddressLimits, CodeLookup};
use crate::limits::client_addr::ClientAddr;
use crate::limits::token_bucket::TokenBucket;
use crate::ops::metrics::MoveLatency;
use crate::room_code::RoomCode;
use crate::rooms::mailbox::RoomHandle;
use crate::rooms::outbox::{self, CloseReason, Next, Outbox};
use crate::rooms::registry::{NoRoom, RoomRegistry};
use crate::rooms::services::Services;
use crate::settings::Limits;
use crate::socket::flow_control::Flow;

/// How long a client is given to answer that a socket is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// How many messages are thrown away while waiting for that answer.
const FAREWELL_MESSAGES: usize = 256;
/// The most time that the sending of one message takes: the longest one, of 64 KiB, at 1.1 KB/s.
const MAX_SEND_TIME: Duration = Duration::from_secs(60);
/// The close codes for what a client has sent: frames that break the standard, no text, text that is
/// none, too many messages, and one that is too long.
const FAULTS: [u16; 5] = [1002, 1003, 1007, 1008, 1009];
/// After which time clients come back when the server ends.
const RETRY: Duration = Duration::from_millis(500);
/// After which time they come back when nothing can be written down.
const UNSAVED_RETRY: Duration = Duration::from_secs(2);

/// How a socket came to its end.
enum Outcome {
    /// It is told why, with a code.
    Closed(u16),
    /// The client has closed it, and waits for the answer.
    Left,
    /// It takes nothing or answers no ping, so there is no use in telling why it is closed.
    Stuck,
    /// It is gone.
    Gone,
}

impl From<CloseReason> for Outcome {
    fn from(end: CloseReason) -> Self {
        Self::Closed(end.code())
    }
}

/// What the task of a socket needs of the server.
#[derive(Debug)]
pub struct SocketContext<'a> {
    /// All rooms.
    pub registry: &'a Arc<RoomRegistry>,
    /// What each address may ask for.
    pub address_limits: &'a AddressLimits,
    /// What the tasks of rooms share.
    pub services: &'a Services,
    /// `Some` once the server ends: the time over which sockets are closed.
    pub ending: watch::Receiver<Option<Duration>>,
}

/// Serves a socket until it is closed.
pub async fn serve(
    context: SocketContext<'_>,
    conn: ConnId,
    client_addr: ClientAddr,
    (lookup, code): (CodeLookup, Option<RoomCode>),
    mut socket: WebSocket,
) {
    let limits = &context.services.limits;
    // What is done once is boxed: its space is not needed while the socket is served.
    let room = match &code {
        Some(code) => Box::pin(enter(&context, code, conn, client_addr)).await,
        None => Err(NoRoom::Unknown),
    };
    match &room {
        Err(NoRoom::Unknown) => drop(lookup),
        Ok(_) | Err(_) => lookup.refund(),
    }
    let outcome = match &room {
        Ok((room, outbox)) => {
            if let Some(code) = &code {
                context.address_limits.note_known_code(client_addr, code);
            }
            let outcome = SocketTask {
                limits,
                conn,
                room,
                outbox,
                heartbeat: Heartbeat::new(limits),
                flow: Flow::new(limits.answer_time(), Instant::now()),
                sending: None,
            }
            .run(&mut socket, context.ending)
            .await;
            room.disconnect(conn).await;
            outcome
        }
        Err(NoRoom::Unknown) => CloseReason::NoSuchRoom.into(),
        Err(NoRoom::Full) => CloseReason::ServerFull.into(),
        // No wish was refused: none was asked for.
        Err(NoRoom::Defect | NoRoom::Refused(_)) => CloseReason::Defect.into(),
        Err(NoRoom::Storage) => {
            let last = closing(ClosingReason::Storage, UNSAVED_RETRY);
            say_last(&mut socket, last, CloseReason::Unsaved).await
        }
        Err(NoRoom::Ending) => {
            let last = closing(ClosingReason::Restarting, RETRY);
            say_last(&mut socket, last, CloseReason::Restarting).await
        }
    };
    match outcome {
        Outcome::Closed(code) => {
            context.services.metrics.note_closed(code);
            if FAULTS.contains(&code) {
                context.address_limits.note_violation(client_addr);
            }
            tracing::debug!(conn = conn.0, code, "a socket is closed");
            Box::pin(close(&mut socket, code)).await;
        }
        // The answer goes out when the next message is looked for.
        Outcome::Left => Box::pin(hear_out(&mut socket)).await,
        Outcome::Stuck => {
            context
                .services
                .metrics
                .note_closed(CloseReason::TooSlow.code());
            tracing::debug!(conn = conn.0, "a socket takes nothing");
        }
        Outcome::Gone => {}
    }
}

/// Sends the last message before a socket is closed for this reason.
async fn say_last(socket: &mut WebSocket, last: Arc<str>, end: CloseReason) -> Outcome {
    match Sending::new(Message::text(&*last)).finish(socket).await {
        Ok(_) => end.into(),
        Err(outcome) => outcome,
    }
}

/// A message that is being sent, however slowly the client takes it, as long as it makes progress.
struct Sending {
    /// What is not handed over to the socket yet.
    message: Option<Message>,
    /// The ping that follows it.
    ping: Option<Message>,
    /// When the client is given up.
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
            due: Instant::now() + MAX_SEND_TIME,
            had_to_wait: false,
            _shown: Vec::new(),
        }
    }

    fn poll(
        &mut self,
        socket: &mut WebSocket,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), axum::Error>> {
        let sent = self.poll_send(socket, cx);
        self.had_to_wait |= sent.is_pending();
        sent
    }

    fn poll_send(
        &mut self,
        socket: &mut WebSocket,
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
    async fn finish(mut self, socket: &mut WebSocket) -> Result<bool, Outcome> {
        let sent = timeout_at(self.due, poll_fn(|cx| self.poll(socket, cx))).await;
        match sent {
            Ok(Ok(())) => Ok(self.had_to_wait),
            Ok(Err(error)) => Err(lost(&error)),
            Err(_) => Err(Outcome::Stuck),
        }
    }
}

/// What has become of a client to which nothing can be sent.
fn lost(error: &axum::Error) -> Outcome {
    match is_timeout(error) {
        true => Outcome::Stuck,
        false => Outcome::Gone,
    }
}

/// What happens first on a socket.
enum Exchanged {
    /// The message is sent.
    Sent(Result<(), axum::Error>),
    /// A message has come.
    Heard(Option<Result<Message, axum::Error>>),
}

/// Goes on with sending, and reads at the same time. May be cancelled at any time without a loss.
async fn exchange(socket: &mut WebSocket, sending: &mut Option<Sending>) -> Exchanged {
    poll_fn(|cx| {
        if let Some(sending) = sending
            && let Poll::Ready(sent) = sending.poll(socket, cx)
        {
            return Poll::Ready(Exchanged::Sent(sent));
        }
        socket.poll_next_unpin(cx).map(Exchanged::Heard)
    })
    .await
}

/// Connects to a room; one that goes to sleep at this moment is woken again.
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

/// Closes a socket with this code, and waits a moment until the client has closed it too.
pub async fn close(socket: &mut WebSocket, code: u16) {
    let close = Message::Close(Some(CloseFrame {
        code,
        reason: "".into(),
    }));
    if Sending::new(close).finish(socket).await.is_ok() {
        hear_out(socket).await;
    }
}

/// Reads until a client that was told so, or has said so, has closed too.
async fn hear_out(socket: &mut WebSocket) {
    // Whoever does not answer in time loses the code, and nothing else.
    let _ = timeout(CLOSE_TIMEOUT, async {
        for _ in 0..FAREWELL_MESSAGES {
            match socket.recv().await {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    })
    .await;
}

/// When the last sign of life of a client came, and how many messages it may still send.
struct Heartbeat {
    began: Instant,
    heard: Instant,
    /// Whether a `hello` has come: a person may now be asked for a password.
    has_sent_hello: bool,
    bucket: TokenBucket,
}

impl Heartbeat {
    fn new(limits: &Limits) -> Self {
        let now = Instant::now();
        let per_second = f64::from(limits.messages_per_second.get());
        Self {
            began: now,
            heard: now,
            has_sent_hello: false,
            bucket: TokenBucket::new(limits.messages_at_once.get(), per_second, now.into_std()),
        }
    }

    fn note_sign_of_life(&mut self) {
        self.heard = Instant::now();
    }
}

struct SocketTask<'a> {
    limits: &'a Limits,
    conn: ConnId,
    room: &'a RoomHandle,
    outbox: &'a Outbox,
    heartbeat: Heartbeat,
    flow: Flow,
    /// The message that is being sent. Messages are read meanwhile: a slow line in one direction does not delay what
    /// comes in the other one.
    sending: Option<Sending>,
}

impl SocketTask<'_> {
    async fn run(
        mut self,
        socket: &mut WebSocket,
        mut ending: watch::Receiver<Option<Duration>>,
    ) -> Outcome {
        let outbox = self.outbox;
        loop {
            let (is_sending, deadline) = (self.sending.is_some(), self.deadline());
            let step = tokio::select! {
                next = outbox.next(self.flow.has_space()), if !is_sending => {
                    self.carry(socket, next).await
                }
                exchanged = exchange(socket, &mut self.sending) => match exchanged {
                    Exchanged::Sent(sent) => self.note_sent(sent),
                    Exchanged::Heard(message) => self.hear(message).await,
                },
                () = sleep_until(deadline) => self.check_silence(),
                spread = announced(&mut ending) => return Box::pin(self.end(socket, spread)).await,
            };
            if let Err(outcome) = step {
                return outcome;
            }
        }
    }

    /// When this task has something to do if nothing comes.
    fn deadline(&self) -> Instant {
        let hello = self.hello_deadline();
        hello.map_or(self.next_check(), |hello| hello.min(self.next_check()))
    }

    /// When a silent client is asked for a sign of life, or given up if it has been asked. While a message is sent it is
    /// not asked.
    fn next_check(&self) -> Instant {
        if let Some(sending) = &self.sending {
            return sending.due;
        }
        let heard = self.heartbeat.heard;
        let limits = self.limits;
        match self.flow.answer_due() {
            Some(due) => due.max(heard + Duration::from_secs(limits.dead_seconds)),
            None => heard + Duration::from_secs(limits.ping_seconds.get()),
        }
    }

    /// Until when somebody has to have said who they are.
    fn hello_deadline(&self) -> Option<Instant> {
        if self.outbox.is_admitted() {
            return None;
        }
        let seconds = if self.heartbeat.has_sent_hello {
            self.limits.stranger_seconds.get()
        } else {
            self.limits.first_message_seconds.get()
        };
        Some(self.heartbeat.began + Duration::from_secs(seconds))
    }

    /// Asks for a sign of life, or gives up.
    fn check_silence(&mut self) -> Result<(), Outcome> {
        let now = Instant::now();
        if self.hello_deadline().is_some_and(|hello| hello <= now) {
            return Err(CloseReason::HelloMissing.into());
        }
        if now < self.next_check() {
            return Ok(());
        }
        if self.sending.is_some() || self.flow.answer_due().is_some() {
            return Err(Outcome::Stuck);
        }
        self.sending = Some(Sending::new(self.ping()));
        Ok(())
    }

    fn ping(&mut self) -> Message {
        let payload = self.flow.ping(Instant::now());
        Message::Ping(payload.to_vec().into())
    }

    /// Begins to send what comes next, or sends the last message.
    async fn carry(&mut self, socket: &mut WebSocket, next: Next) -> Result<(), Outcome> {
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
            Next::Close(end) => Err(end.into()),
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
    fn note_sent(&mut self, sent: Result<(), axum::Error>) -> Result<(), Outcome> {
        let sending = self.sending.take();
        sent.map_err(|error| lost(&error))?;
        if sending.is_some_and(|sending| sending.had_to_wait) {
            // There was no space until the other side took earlier bytes, so it counts as a sign of life.
            self.heartbeat.note_sign_of_life();
        }
        Ok(())
    }

    /// Sends the message that was begun to its end, and reads nothing meanwhile.
    async fn finish_sending(&mut self, socket: &mut WebSocket) -> Result<(), Outcome> {
        match self.sending.take() {
            Some(sending) => sending.finish(socket).await.map(|_| ()),
            None => Ok(()),
        }
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), Outcome> {
        let message = match message {
            Some(Ok(message)) => message,
            Some(Err(error)) if is_timeout(&error) => return Err(Outcome::Stuck),
            Some(Err(error)) => {
                return Err(violation_code(&error).map_or(Outcome::Gone, Outcome::Closed));
            }
            None => return Err(Outcome::Gone),
        };
        self.heartbeat.note_sign_of_life();
        if let Message::Pong(payload) = &message
            && self.flow.note_pong(payload, self.heartbeat.heard)
        {
            // The server has asked for it, so it takes no token.
            return Ok(());
        }
        let now = self.heartbeat.heard.into_std();
        if self.heartbeat.bucket.try_acquire(1, now).is_err() {
            return Err(CloseReason::Flooding.into());
        }
        match message {
            Message::Text(text) => {
                let message = Incoming::read(&text);
                self.heartbeat.has_sent_hello |=
                    matches!(message.message, Ok(ClientMessage::Hello { .. }));
                let posted = self.room.message(self.conn, message).await;
                posted.map_err(|_| CloseReason::Restarting.into())
            }
            Message::Binary(_) => Err(CloseReason::NotText.into()),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(Outcome::Left),
        }
    }

    /// The server ends: says so, at a moment of its own if there are many.
    async fn end(mut self, socket: &mut WebSocket, spread: Duration) -> Outcome {
        // The golden ratio spreads numbers that follow each other.
        let part =
            (self.conn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24);
        let until = Instant::now() + spread.mul_f64(part);
        loop {
            if let Err(outcome) = self.finish_sending(socket).await {
                return outcome;
            }
            let next = tokio::select! {
                biased;
                // All that waits is sent now, also beyond the window: nothing newer will come.
                next = self.outbox.next(true) => next,
                () = sleep_until(until) => break,
            };
            if let Err(outcome) = self.carry(socket, next).await {
                return outcome;
            }
        }
        let retry = RETRY + spread.mul_f64(1.0 - part);
        let last = self.text(&closing(ClosingReason::Restarting, retry));
        match last.finish(socket).await {
            Ok(_) => CloseReason::Restarting.into(),
            Err(outcome) => outcome,
        }
    }
}

/// Comes when the server ends, with the time over which sockets are closed.
async fn announced(ending: &mut watch::Receiver<Option<Duration>>) -> Duration {
    let announced = ending.wait_for(Option::is_some).await;
    // Whoever announces it lives as long as the sockets.
    announced
        .ok()
        .and_then(|spread| *spread)
        .unwrap_or_default()
}

/// The last message to somebody who is to come back.
fn closing(reason: ClosingReason, retry: Duration) -> Arc<str> {
    let retry_after_ms = retry.as_millis() as u64;
    let closing = ServerMessage::Closing {
        reason,
        retry_after_ms,
    };
    closing.encode()
}

/// Whether a client has taken nothing for too long.
fn is_timeout(error: &axum::Error) -> bool {
    let error = error.source().and_then(|source| source.downcast_ref());
    matches!(error, Some(tungstenite::Error::Io(error)) if error.kind() == ErrorKind::TimedOut)
}

/// What is wrong with what a client sent, as the standard numbers it; `None`: it is gone.
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
