//! A socket at a table.

use std::fmt;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Error};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::route::Route;
use crate::wire::{LONGEST_TEXT, Message};

/// How long a connection, a greeting or an expected message may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Thousands of sockets are open at once, and messages are small.
const READ_BUFFER: usize = 4096;

/// A connection to a table.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: WebSocketStream<TcpStream>,
}

/// A message, and when it was there.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) at: Instant,
    /// How many bytes its text has.
    pub(crate) bytes: usize,
    pub(crate) message: Message,
}

/// Why there is no connection, or no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The server answered the request for a socket with this status.
    Status(u16),
    /// The server closed the socket with this code.
    Closed(u16),
    /// The connection broke off, or did not come about.
    Broken(String),
    /// The server said something that cannot be read.
    Unreadable(String),
    /// The server refused what is allowed, with this code.
    Refused(String),
    /// Nothing came in time.
    Late,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "the request for a socket was answered {status}"),
            Self::Closed(code) => write!(f, "the server closed the socket with {code}"),
            Self::Broken(why) => write!(f, "the connection broke off ({why})"),
            Self::Unreadable(why) => write!(f, "a message could not be read ({why})"),
            Self::Refused(code) => write!(f, "what is allowed was refused as {code}"),
            Self::Late => f.write_str("nothing came in time"),
        }
    }
}

impl From<Error> for Loss {
    fn from(error: Error) -> Self {
        match error {
            Error::Http(response) => Self::Status(response.status().as_u16()),
            error => Self::Broken(error.to_string()),
        }
    }
}

impl Socket {
    /// Opens a socket at a table.
    pub(crate) async fn open(route: impl Into<Route>, room: &str) -> Result<Self, Loss> {
        let route = route.into();
        let opening = async {
            let stream = route.connect().await.map_err(Error::Io)?;
            let address = route.to;
            let mut request =
                format!("ws://{address}/api/rooms/{room}/socket").into_client_request()?;
            let protocol = HeaderValue::from_static("trick.v1");
            request
                .headers_mut()
                .insert(SEC_WEBSOCKET_PROTOCOL, protocol);
            let config = WebSocketConfig::default()
                .read_buffer_size(READ_BUFFER)
                .write_buffer_size(0)
                .max_message_size(Some(LONGEST_TEXT))
                .max_frame_size(Some(LONGEST_TEXT));
            let (stream, _) = client_async_with_config(request, stream, Some(config)).await?;
            Ok::<_, Loss>(Self { stream })
        };
        timeout(PATIENCE, opening).await.map_err(|_| Loss::Late)?
    }

    /// Says something.
    pub(crate) async fn say(&mut self, text: String) -> Result<(), Loss> {
        let saying = self.stream.send(tungstenite::Message::text(text));
        timeout(PATIENCE, saying).await.map_err(|_| Loss::Late)??;
        Ok(())
    }

    /// Writes bytes as they are, whatever they mean.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), Loss> {
        let writing = self.stream.get_mut().write_all(bytes);
        let written = timeout(PATIENCE, writing).await.map_err(|_| Loss::Late)?;
        Ok(written.map_err(Error::Io)?)
    }

    /// Waits for the next message, however long it takes. To stop waiting loses nothing.
    pub(crate) async fn hear(&mut self) -> Result<Heard, Loss> {
        loop {
            let frame = match self.stream.next().await {
                Some(frame) => frame?,
                None => return Err(Loss::Broken("the stream has ended".into())),
            };
            let at = Instant::now();
            match frame {
                tungstenite::Message::Text(text) => {
                    let unreadable = |error| Loss::Unreadable(format!("{error}"));
                    let message = serde_json::from_str(&text).map_err(unreadable)?;
                    let bytes = text.len();
                    return Ok(Heard { at, bytes, message });
                }
                tungstenite::Message::Close(frame) => {
                    // 1005 is the standard's word for a close without a code.
                    let code = frame.map_or(1005, |frame| frame.code.into());
                    return Err(Loss::Closed(code));
                }
                // Pings are answered by the library.
                tungstenite::Message::Ping(_)
                | tungstenite::Message::Pong(_)
                | tungstenite::Message::Binary(_)
                | tungstenite::Message::Frame(_) => {}
            }
        }
    }

    /// Waits for the next message for a bounded time.
    pub(crate) async fn hear_soon(&mut self) -> Result<Heard, Loss> {
        timeout(PATIENCE, self.hear())
            .await
            .map_err(|_| Loss::Late)?
    }
}
