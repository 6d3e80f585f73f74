//! The end of a socket: the last message, the close code, and the close frames of both sides.

use std::io::ErrorKind;
use std::time::Duration;

use futures_util::StreamExt;
use sticheln_protocol::{CloseCode, MessageText, ReconnectReason, ServerMessage};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};

use crate::rooms::close_reason::CloseReason;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::socket::sending::{Batch, text_message};
use crate::socket::web_socket::WebSocket;

/// The time limit for the close frame of the client.
const CLOSE_FRAME_TIMEOUT: Duration = Duration::from_secs(1);
/// The most messages that are discarded before that close frame. If some stay unread, the system may discard the close code.
const MAX_DRAINED_MESSAGES: usize = 1024;
/// The time after which clients reconnect when the server shuts down or the task of a room has ended.
const RETRY: Duration = Duration::from_millis(500);
/// The time after which clients reconnect when the database cannot be read or written.
const STORAGE_RETRY: Duration = Duration::from_secs(2);

/// The shutdown of a server, as its sockets need it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shutdown {
    /// The time over which sockets are closed.
    pub closing_period: Duration,
    /// Whether other nodes of the cluster go on. Then clients connect to one of them at once.
    pub others_go_on: bool,
}

impl Shutdown {
    /// The shutdown of the only server.
    pub fn over(closing_period: Duration) -> Self {
        Self {
            closing_period,
            others_go_on: false,
        }
    }

    /// The last message to a socket that is closed after this part of the closing period.
    pub(super) fn last_message(self, fraction: f64) -> MessageText {
        match self.others_go_on {
            true => closing(ReconnectReason::Moving, Duration::ZERO),
            false => restarting(self.closing_period.mul_f64(1.0 - fraction)),
        }
    }
}

/// The reason why the service of a socket has ended.
pub(super) enum SocketEnd {
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

/// Tells a client why it cannot enter the room, by a message if the close code is not enough.
pub(super) async fn refuse(socket: &mut WebSocket, unavailable: RoomUnavailable) -> SocketEnd {
    let reason = match unavailable {
        RoomUnavailable::Unknown => CloseReason::NoSuchRoom,
        RoomUnavailable::Full
        | RoomUnavailable::TooManyWakeUps
        | RoomUnavailable::NoSpaceForGame => CloseReason::ServerFull,
        RoomUnavailable::Damaged => CloseReason::Damaged,
        // A socket does not open a room, so no opening was refused or has failed.
        RoomUnavailable::Panicked
        | RoomUnavailable::Refused(_)
        | RoomUnavailable::OpeningFailed => CloseReason::InternalError,
        RoomUnavailable::Storage | RoomUnavailable::NotReady => CloseReason::StorageFailed,
        RoomUnavailable::GameNotHosted
        | RoomUnavailable::TaskEnded
        | RoomUnavailable::ShuttingDown => CloseReason::Reconnect,
    };
    let Some(last) = last_message(reason) else {
        return reason.into();
    };
    match Batch::new(text_message(last)).finish(socket).await {
        Ok(()) => reason.into(),
        Err(end) => end,
    }
}

/// The last message of a socket that is closed for this reason; `None` if the close code says everything.
pub(super) fn last_message(reason: CloseReason) -> Option<MessageText> {
    match reason {
        CloseReason::Reconnect => Some(restarting(Duration::ZERO)),
        CloseReason::StorageFailed => Some(closing(ReconnectReason::Storage, STORAGE_RETRY)),
        CloseReason::NotText
        | CloseReason::TooManyMessages
        | CloseReason::TooSlow
        | CloseReason::TakenUpElsewhere
        | CloseReason::Removed
        | CloseReason::NoSuchRoom
        | CloseReason::Damaged
        | CloseReason::RoomClosed
        | CloseReason::ServerFull
        | CloseReason::InternalError
        | CloseReason::NotAdmitted => None,
    }
}

/// The last message when the server shuts down or the task of the room has ended. The client waits for `delay` longer than
/// usual before it reconnects.
fn restarting(delay: Duration) -> MessageText {
    closing(ReconnectReason::Restarting, RETRY + delay)
}

/// Closes a socket with this code, and waits for the close frame of the client.
pub async fn close(socket: &mut WebSocket, code: CloseCode) {
    let close = Message::Close(Some(CloseFrame {
        code: code.number().into(),
        reason: "".into(),
    }));
    if Batch::new(close).finish(socket).await.is_ok() {
        drain(socket).await;
    }
}

/// Reads and discards messages until the socket is closed on both sides.
pub(super) async fn drain(socket: &mut WebSocket) {
    // A client that does not answer in time may miss the close code.
    let _ = timeout(CLOSE_FRAME_TIMEOUT, async {
        for _ in 0..MAX_DRAINED_MESSAGES {
            match socket.next().await {
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    })
    .await;
}

/// The last message to a client that is to reconnect.
fn closing(reason: ReconnectReason, retry: Duration) -> MessageText {
    let retry_after_ms = retry.as_millis() as u64;
    let closing = ServerMessage::Closing {
        reason,
        retry_after_ms,
    };
    closing.encode()
}

/// The end of a socket to which nothing can be sent.
pub(super) fn send_failure(error: &Error) -> SocketEnd {
    match is_timeout(error) {
        true => SocketEnd::Stalled,
        false => SocketEnd::Disconnected,
    }
}

/// Whether the client has read nothing for too long.
pub(super) fn is_timeout(error: &Error) -> bool {
    matches!(error, Error::Io(error) if error.kind() == ErrorKind::TimedOut)
}

/// The close code for a protocol violation; `None` if the connection is lost.
pub fn violation_code(error: &Error) -> Option<CloseCode> {
    match error {
        Error::Capacity(_) => Some(CloseCode::MessageTooLarge),
        Error::Utf8(_) => Some(CloseCode::InvalidUtf8),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some(CloseCode::ProtocolViolation),
        _ => None,
    }
}
