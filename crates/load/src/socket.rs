//! A WebSocket connection to a room.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Error, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::Failure;
use crate::connector::Connector;
use crate::token::Token;
use crate::wire::{ClientMessage, MAX_TEXT_BYTES, ServerMessage};

/// The time limit for a connection, a greeting and an expected message.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);
/// The read buffer of a socket. It is small because thousands of sockets are open, and messages are short.
const READ_BUFFER_BYTES: usize = 4096;
/// The close code of RFC 6455 for a close frame without a code.
const NO_CLOSE_CODE: u16 = 1005;

/// A WebSocket connection to a room.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: WebSocketStream<TcpStream>,
    /// Counts the received messages, if that is wanted.
    messages: Option<Arc<AtomicU64>>,
}

/// The reason why a connection failed or ended.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ConnectionError {
    /// The server answered the upgrade with this status.
    #[error("the upgrade was answered with the status {0}")]
    Status(u16),
    /// The server closed the socket with this code.
    #[error("the server closed the socket with {0}")]
    Closed(u16),
    /// The connection failed or was lost.
    #[error("the connection was lost ({0})")]
    Lost(String),
    /// A message of the server could not be parsed.
    #[error("a message could not be parsed ({0})")]
    Malformed(String),
    /// The server refused an allowed command with this code.
    #[error("an allowed command was refused as {0}")]
    Refused(String),
    /// No message came in time.
    #[error("no message came in time")]
    Timeout,
}

impl ConnectionError {
    /// The failure of a run in which a room failed for this reason.
    pub(crate) fn failed_room(self) -> Failure {
        Failure::Aborted(format!("A room failed: {self}."))
    }
}

impl From<Error> for ConnectionError {
    fn from(error: Error) -> Self {
        match error {
            Error::Http(response) => Self::Status(response.status().as_u16()),
            error => Self::Lost(error.to_string()),
        }
    }
}

impl From<std::io::Error> for ConnectionError {
    fn from(error: std::io::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

impl Socket {
    /// Opens a socket at a room.
    pub(crate) async fn open(
        connector: impl Into<Connector>,
        room: &str,
    ) -> Result<Self, ConnectionError> {
        let path = format!("/api/rooms/{room}/socket");
        Self::open_with(connector.into(), &path, Some("trick.v1")).await
    }

    /// Opens a socket at this path, without a subprotocol.
    pub(crate) async fn open_path(
        connector: impl Into<Connector>,
        path: &str,
    ) -> Result<Self, ConnectionError> {
        Self::open_with(connector.into(), path, None).await
    }

    async fn open_with(
        connector: Connector,
        path: &str,
        subprotocol: Option<&'static str>,
    ) -> Result<Self, ConnectionError> {
        let opening = async {
            let stream = connector.connect().await?;
            let address = connector.server;
            let mut request = format!("ws://{address}{path}").into_client_request()?;
            if let Some(subprotocol) = subprotocol {
                let subprotocol = HeaderValue::from_static(subprotocol);
                request
                    .headers_mut()
                    .insert(SEC_WEBSOCKET_PROTOCOL, subprotocol);
            }
            let config = WebSocketConfig::default()
                .read_buffer_size(READ_BUFFER_BYTES)
                .write_buffer_size(0)
                .max_message_size(Some(MAX_TEXT_BYTES))
                .max_frame_size(Some(MAX_TEXT_BYTES));
            let (stream, _) = client_async_with_config(request, stream, Some(config)).await?;
            Ok::<_, ConnectionError>(Self {
                stream,
                messages: None,
            })
        };
        in_time(opening).await?
    }

    /// Opens a socket at a room, and sends `hello` with this token.
    pub(crate) async fn open_with_hello(
        connector: impl Into<Connector>,
        room: &str,
        token: &Token,
    ) -> Result<Self, ConnectionError> {
        let mut socket = Self::open(connector, room).await?;
        socket
            .send(ClientMessage::hello(token).text("hello"))
            .await?;
        Ok(socket)
    }

    /// Opens a socket at a room with this token, and waits until the room has admitted it.
    ///
    /// # Errors
    /// [`ConnectionError::Refused`] if the room refuses it.
    pub(crate) async fn join(
        connector: impl Into<Connector>,
        room: &str,
        token: &Token,
    ) -> Result<Self, ConnectionError> {
        let mut socket = Self::open_with_hello(connector, room, token).await?;
        loop {
            match socket.receive_in_time().await? {
                ServerMessage::Welcome { .. } => return Ok(socket),
                ServerMessage::Refused { code, .. } => return Err(ConnectionError::Refused(code)),
                ServerMessage::Room(_)
                | ServerMessage::Game(_)
                | ServerMessage::Sheet(_)
                | ServerMessage::Ok { .. }
                | ServerMessage::Closing { .. }
                | ServerMessage::Other => {}
            }
        }
    }

    /// Counts the messages that are received from now on, texts and bytes.
    pub(crate) fn count_messages(&mut self, messages: Arc<AtomicU64>) {
        self.messages = Some(messages);
    }

    /// Sends a text.
    pub(crate) async fn send(&mut self, text: String) -> Result<(), ConnectionError> {
        self.send_frame(tungstenite::Message::text(text)).await
    }

    /// Sends a text or bytes.
    pub(crate) async fn send_frame(
        &mut self,
        frame: tungstenite::Message,
    ) -> Result<(), ConnectionError> {
        in_time(self.stream.send(frame)).await??;
        Ok(())
    }

    /// Writes bytes to the connection as they are.
    pub(crate) async fn write_raw(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        in_time(self.stream.get_mut().write_all(bytes)).await??;
        Ok(())
    }

    /// Waits for the next message without a time limit. The future can be dropped without loss of a message.
    pub(crate) async fn receive(&mut self) -> Result<ServerMessage, ConnectionError> {
        let (_, text) = self.receive_text().await?;
        let malformed = |error| ConnectionError::Malformed(format!("{error}"));
        serde_json::from_str(&text).map_err(malformed)
    }

    /// Waits as [`Self::receive`] does. Returns when the text was received, and the text itself.
    pub(crate) async fn receive_text(&mut self) -> Result<(Instant, Utf8Bytes), ConnectionError> {
        loop {
            if let (at, tungstenite::Message::Text(text)) = self.receive_frame().await? {
                return Ok((at, text));
            }
        }
    }

    /// Waits as [`Self::receive`] does. Returns when a text or bytes were received, and these.
    pub(crate) async fn receive_frame(
        &mut self,
    ) -> Result<(Instant, tungstenite::Message), ConnectionError> {
        loop {
            let frame = match self.stream.next().await {
                Some(frame) => frame?,
                None => return Err(ConnectionError::Lost("the stream has ended".into())),
            };
            let at = Instant::now();
            match frame {
                tungstenite::Message::Text(_) | tungstenite::Message::Binary(_) => {
                    if let Some(messages) = &self.messages {
                        messages.fetch_add(1, Ordering::Relaxed);
                    }
                    return Ok((at, frame));
                }
                tungstenite::Message::Close(frame) => {
                    let code = frame.map_or(NO_CLOSE_CODE, |frame| frame.code.into());
                    return Err(ConnectionError::Closed(code));
                }
                // The library answers pings.
                tungstenite::Message::Ping(_)
                | tungstenite::Message::Pong(_)
                | tungstenite::Message::Frame(_) => {}
            }
        }
    }

    /// Waits for a text or bytes up to the time limit.
    pub(crate) async fn receive_frame_in_time(
        &mut self,
    ) -> Result<(Instant, tungstenite::Message), ConnectionError> {
        in_time(self.receive_frame()).await?
    }

    /// Waits as [`Self::receive_text`] does, up to the time limit.
    pub(crate) async fn receive_text_in_time(
        &mut self,
    ) -> Result<(Instant, Utf8Bytes), ConnectionError> {
        in_time(self.receive_text()).await?
    }

    /// Waits for the next message up to the time limit.
    pub(crate) async fn receive_in_time(&mut self) -> Result<ServerMessage, ConnectionError> {
        in_time(self.receive()).await?
    }
}

async fn in_time<T>(future: impl Future<Output = T>) -> Result<T, ConnectionError> {
    let result = timeout(TIMEOUT, future).await;
    result.map_err(|_| ConnectionError::Timeout)
}
