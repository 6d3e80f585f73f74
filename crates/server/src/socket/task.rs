//! The task of a socket, which reads from a client and writes to it.

use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sticheln_protocol::{ClientMessage, Incoming, ServerMessage};
use sticheln_room::{ConnId, ProtocolVersion};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::cluster::node::ClusterNode;
use crate::limits::address_limits::{AddressLimits, CodeLookup};
use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::limits::token_bucket::TokenBucket;
use crate::room_code::RoomCode;
use crate::rooms::close_reason::CloseReason;
use crate::rooms::mailbox_sender::{MailboxSender, Undelivered};
use crate::rooms::outbox::{self, Outbox, SocketStep};
use crate::rooms::registry::RoomRegistry;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::socket::closing::{
    Shutdown, SocketEnd, close, drain, is_timeout, last_message, refuse, send_failure,
    violation_code,
};
use crate::socket::flow_control::Flow;
use crate::socket::sending::{Batch, SocketEvent, ping, send_and_receive};
use crate::socket::web_socket::WebSocket;

/// Each full KiB of a message costs one more unit of the token bucket: reading takes time in proportion to the length.
const BYTES_PER_UNIT: usize = 1024;
/// The times of pings are rounded down to multiples of this (timer coalescing). So the pings of many idle sockets need one
/// wake-up of the server, and their pongs come close together.
const PING_GRID: Duration = Duration::from_millis(100);
/// The longest wait of a socket until its room is awake.
const WAKE_UP_TIMEOUT: Duration = Duration::from_secs(20);

/// The parts of the server that the task of a socket uses.
#[derive(Debug)]
pub struct SocketContext<'a> {
    /// All rooms of this server.
    pub registry: &'a Arc<RoomRegistry>,
    /// The cluster of which this server is a node; `None` if the server is alone.
    pub node: Option<&'a Arc<ClusterNode>>,
    /// The limits of client addresses.
    pub address_limits: &'a AddressLimits,
    /// The parts of the server that rooms use too.
    pub services: &'a Services,
    /// `Some` once the server shuts down.
    pub shutdown: watch::Receiver<Option<Shutdown>>,
}

/// Serves a socket until it is closed. `code` is `None` if the text in the path was not a room code.
///
/// The context is borrowed, because a future has space for each argument twice.
pub async fn serve(
    context: &mut SocketContext<'_>,
    conn: ConnId,
    client_addr: ClientAddr,
    protocol: ProtocolVersion,
    (lookup, code): (CodeLookup, Option<RoomCode>),
    mut socket: Box<WebSocket>,
) {
    // Steps that happen once are boxed, so that an idle socket does not keep their space.
    let room = match &code {
        Some(code) => Box::pin(enter(context, code, conn, client_addr, protocol)).await,
        None => Err(RoomUnavailable::Unknown),
    };
    match &room {
        // The unit of a wrong code stays taken.
        Err(RoomUnavailable::Unknown) => drop(lookup),
        Ok(_) | Err(_) => lookup.refund(),
    }
    let services = context.services;
    let end = match &room {
        Ok((room, outbox)) => {
            if let Some(code) = &code {
                context.address_limits.record_known_code(client_addr, code);
            }
            let limits = &services.limits;
            let mut task = SocketTask {
                services,
                conn,
                room,
                outbox,
                activity: Activity::new(limits),
                flow: Flow::new(limits.pong_timeout(), Instant::now()),
                sending: None,
            };
            let end = task.run(&mut socket, &mut context.shutdown).await;
            room.disconnect(conn);
            end
        }
        Err(unavailable) => Box::pin(refuse(&mut socket, *unavailable)).await,
    };
    match end {
        SocketEnd::Closed(code) => {
            services.metrics.count_closed(code);
            if code.is_violation() {
                context.address_limits.charge_violation(client_addr);
            }
            tracing::debug!(conn = conn.0, code = code.number(), "closing a socket");
            Box::pin(close(&mut socket, code)).await;
        }
        // The library answers the close frame when the socket is read.
        SocketEnd::ClosedByClient => Box::pin(drain(&mut socket)).await,
        SocketEnd::Stalled => {
            // No code is sent, because the client does not read. The metric counts it as the code for slow clients.
            services.metrics.count_closed(CloseReason::TooSlow.code());
            tracing::debug!(conn = conn.0, "dropping a stalled socket");
        }
        SocketEnd::Disconnected => {}
    }
}

/// Connects to a room. If its task ends at the same time, the room is woken again.
async fn enter(
    context: &SocketContext<'_>,
    code: &RoomCode,
    conn: ConnId,
    client_addr: ClientAddr,
    protocol: ProtocolVersion,
) -> Result<(MailboxSender, Outbox), RoomUnavailable> {
    for _ in 0..2 {
        // The room is woken also if this socket no longer waits for it.
        let find = async {
            match context.node {
                Some(node) => node.find_or_open_link(code, client_addr).await,
                None => {
                    let found = context.registry.find_or_wake(code, client_addr).await;
                    found.map(|room| room.mailbox().clone())
                }
            }
        };
        let found = timeout(WAKE_UP_TIMEOUT, find).await;
        let room = found.unwrap_or_else(|_| {
            tracing::warn!(room = %code, conn = conn.0, "waking a room took too long for a socket");
            Err(RoomUnavailable::Storage)
        })?;
        let (sender, outbox) = outbox::channel(context.services.limits.outbox_messages.get());
        match room.connect(conn, client_addr, protocol, sender).await {
            Ok(()) => return Ok((room, outbox)),
            Err(Undelivered::TaskEnded) => {}
            Err(Undelivered::MailboxFull) => return Err(RoomUnavailable::Storage),
        }
    }
    tracing::error!(room = %code, "the task of a room ended each time when the room was entered");
    Err(RoomUnavailable::TaskEnded)
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
            bucket: TokenBucket::new(limits.message_burst.get(), per_second, now.into_std()),
        }
    }

    fn record_sign_of_life(&mut self) {
        self.last_received = Instant::now();
    }

    /// The time of the next ping, if the client stays quiet.
    fn ping_due(&self, limits: &Limits) -> Instant {
        on_ping_grid(self.last_received + Duration::from_secs(limits.ping_seconds.get()))
    }
}

struct SocketTask<'a> {
    services: &'a Services,
    conn: ConnId,
    room: &'a MailboxSender,
    outbox: &'a Outbox,
    activity: Activity,
    flow: Flow,
    /// The messages that are being sent. The socket is read during a send, so a slow download does not delay the messages of
    /// the client.
    sending: Option<Batch>,
}

impl SocketTask<'_> {
    async fn run(
        &mut self,
        socket: &mut WebSocket,
        shutdown: &mut watch::Receiver<Option<Shutdown>>,
    ) -> SocketEnd {
        let outbox = self.outbox;
        let mut timer = pin!(sleep_until(self.deadline()));
        let mut shutdown = pin!(shutdown_begun(shutdown));
        loop {
            let is_sending = self.sending.is_some();
            reset_timer_lazily(timer.as_mut(), self.deadline(), is_sending);
            let step = tokio::select! {
                // Sending has priority, so reading can be delayed. Flow control bounds the delay: after one window the task
                // waits for a pong.
                biased;
                next = outbox.next(self.flow.has_space()), if !is_sending => {
                    self.send_next(socket, next).await
                }
                event = send_and_receive(socket, &mut self.sending, outbox, &mut self.flow) => match event {
                    SocketEvent::Sent(sent) => self.record_sent(sent),
                    SocketEvent::Received(message) => self.receive(message).await,
                },
                () = timer.as_mut() => self.check_deadlines(),
                shutdown = shutdown.as_mut() => return Box::pin(self.shut_down(socket, shutdown)).await,
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    /// The time of the next check without a message.
    fn deadline(&self) -> Instant {
        let quiet = self.quiet_check_at();
        let admission = self.admission_deadline();
        admission.map_or(quiet, |admission| admission.min(quiet))
    }

    /// The time when a quiet client gets a ping, or is dropped if it has not answered one. While a message is being sent it
    /// is the time limit of sending, and no ping is sent.
    fn quiet_check_at(&self) -> Instant {
        if let Some(sending) = &self.sending {
            return sending.due;
        }
        let last_received = self.activity.last_received;
        let limits = &self.services.limits;
        match self.flow.answer_due() {
            Some(due) => due.max(last_received + Duration::from_secs(limits.idle_timeout_seconds)),
            None => self.activity.ping_due(limits),
        }
    }

    /// The time when the client must be admitted; `None` if it is.
    fn admission_deadline(&self) -> Option<Instant> {
        if self.outbox.is_admitted() {
            return None;
        }
        let limits = &self.services.limits;
        let seconds = if self.activity.has_sent_hello {
            limits.admission_timeout_seconds.get()
        } else {
            limits.hello_timeout_seconds.get()
        };
        Some(self.activity.connected_at + Duration::from_secs(seconds))
    }

    /// Sends a ping to a quiet client, or drops it.
    fn check_deadlines(&mut self) -> Result<(), SocketEnd> {
        let now = Instant::now();
        if self.admission_deadline().is_some_and(|due| due <= now) {
            return Err(CloseReason::NotAdmitted.into());
        }
        if now < self.quiet_check_at() {
            return Ok(());
        }
        if self.sending.is_some() || self.flow.answer_due().is_some() {
            return Err(SocketEnd::Stalled);
        }
        self.sending = Some(Batch::new(ping(&mut self.flow)));
        Ok(())
    }

    /// Begins to send the next message, or sends the last one.
    async fn send_next(
        &mut self,
        socket: &mut WebSocket,
        next: SocketStep,
    ) -> Result<(), SocketEnd> {
        match next {
            SocketStep::Send(text, latencies) => {
                self.sending = Some(Batch::text(text, &mut self.flow).with_latencies(latencies));
                Ok(())
            }
            SocketStep::Close(reason) => {
                if let Some(last) = last_message(reason) {
                    let last = Batch::text(last, &mut self.flow);
                    Box::pin(last.finish(socket)).await?;
                }
                Err(reason.into())
            }
        }
    }

    /// Notes that all messages are sent, or why they cannot be.
    fn record_sent(&mut self, sent: Result<(), Error>) -> Result<(), SocketEnd> {
        let sending = self.sending.take();
        sent.map_err(|error| send_failure(&error))?;
        if sending.is_some_and(|sending| sending.had_to_wait) {
            // There was no space until the other side took earlier bytes, so it counts as a sign of life.
            self.activity.record_sign_of_life();
        }
        Ok(())
    }

    /// Completes the send in progress, and reads nothing meanwhile.
    async fn finish_sending(&mut self, socket: &mut WebSocket) -> Result<(), SocketEnd> {
        match self.sending.take() {
            Some(sending) => sending.finish(socket).await,
            None => Ok(()),
        }
    }

    async fn receive(&mut self, message: Option<Result<Message, Error>>) -> Result<(), SocketEnd> {
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
        self.activity.record_sign_of_life();
        if let Message::Pong(payload) = &message
            && self.flow.record_pong(payload, self.activity.last_received)
        {
            // The server has requested this pong, so it takes no unit.
            return Ok(());
        }
        let now = self.activity.last_received.into_std();
        if self
            .activity
            .bucket
            .try_acquire(units(&message), now)
            .is_err()
        {
            return Err(CloseReason::TooManyMessages.into());
        }
        match message {
            Message::Text(text) => {
                let Some(sent) = self.handle_text(&text) else {
                    return Ok(());
                };
                drop(text);
                match sent.await {
                    Ok(()) => Ok(()),
                    Err(Undelivered::TaskEnded) => Err(CloseReason::Reconnect.into()),
                    Err(Undelivered::MailboxFull) => {
                        tracing::warn!(
                            conn = self.conn.0,
                            "the mailbox of a room was full for too long"
                        );
                        self.outbox.close(CloseReason::StorageFailed);
                        Ok(())
                    }
                }
            }
            Message::Binary(_) => Err(CloseReason::NotText.into()),
            // Raw frames are only sent.
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(()),
            Message::Close(_) => Err(SocketEnd::ClosedByClient),
        }
    }

    /// Reads a message. A ping of an admitted client is answered here: most clients are idle, and their pings need not wake
    /// the tasks of rooms. Everything else is sent to the room.
    fn handle_text(
        &mut self,
        text: &str,
    ) -> Option<impl Future<Output = Result<(), Undelivered>> + Send + use<'_>> {
        let message = Incoming::read(text);
        if let Incoming {
            id: Some(id),
            message: Ok(ClientMessage::Ping {}),
        } = &message
            && self.outbox.is_admitted()
        {
            let counts = self.outbox.put_answer(ServerMessage::Ok { id }.encode());
            self.services.metrics.overflows.inc_by(counts.overflows);
            return None;
        }
        self.activity.has_sent_hello |= matches!(message.message, Ok(ClientMessage::Hello { .. }));
        Some(self.room.message(self.conn, message.into()))
    }

    /// Closes the socket when the server shuts down. Many sockets are closed one after another.
    async fn shut_down(&mut self, socket: &mut WebSocket, shutdown: Shutdown) -> SocketEnd {
        // Fibonacci hashing: the golden ratio spreads consecutive ids evenly.
        let fraction =
            (self.conn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1 << 24);
        let until = Instant::now() + shutdown.closing_period.mul_f64(fraction);
        loop {
            if let Err(end) = self.finish_sending(socket).await {
                return end;
            }
            let next = tokio::select! {
                biased;
                // Waiting messages are sent without flow control: the socket is not read again, so no pong would open the
                // window.
                next = self.outbox.next(true) => next,
                () = sleep_until(until) => break,
            };
            if let Err(end) = self.send_next(socket, next).await {
                return end;
            }
        }
        let last = Batch::text(shutdown.last_message(fraction), &mut self.flow);
        match last.finish(socket).await {
            Ok(()) => CloseReason::Reconnect.into(),
            Err(end) => end,
        }
    }
}

/// This time, rounded down to the grid of pings.
fn on_ping_grid(at: Instant) -> Instant {
    static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since_origin = at.saturating_duration_since(*ORIGIN).as_nanos();
    let late = since_origin % PING_GRID.as_nanos();
    at - Duration::from_nanos(late as u64)
}

/// Sets the timer of a socket to its deadline. During a send it may keep an earlier deadline: if it fires, nothing is due.
/// Most messages are sent at once, and it is cheap to move a timer on, but not to move it back.
fn reset_timer_lazily(timer: Pin<&mut Sleep>, deadline: Instant, is_sending: bool) {
    let may_stay = is_sending && timer.deadline() < deadline && !timer.is_elapsed();
    if timer.deadline() != deadline && !may_stay {
        timer.reset(deadline);
    }
}

/// Ready when the server shuts down.
async fn shutdown_begun(shutdown: &mut watch::Receiver<Option<Shutdown>>) -> Shutdown {
    let begun = shutdown.wait_for(Option::is_some).await;
    // The sender lives longer than all sockets.
    begun.ok().and_then(|begun| *begun).unwrap_or_default()
}

/// The units that a message of a client takes.
fn units(message: &Message) -> u32 {
    let bytes = match message {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes) => bytes.len(),
        Message::Close(_) | Message::Frame(_) => 0,
    };
    u32::try_from(1 + bytes / BYTES_PER_UNIT).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pings_of_idle_sockets_are_due_together() {
        const SOCKETS: u32 = 50;
        let limits = Limits::default();
        let interval = Duration::from_secs(limits.ping_seconds.get());
        let mut due = BTreeSet::new();
        for _ in 0..SOCKETS {
            let activity = Activity::new(&limits);
            let latest = activity.last_received + interval;
            let ping = activity.ping_due(&limits);
            assert!(latest - PING_GRID < ping && ping <= latest);
            due.insert(ping);
            advance(PING_GRID / SOCKETS).await;
        }
        assert!(
            due.len() <= 2,
            "{} times in one interval of the grid",
            due.len()
        );
    }
}
