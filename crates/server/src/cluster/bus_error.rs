//! The errors of the bus.

use std::error::Error;
use std::io;

use async_nats::{ConnectError, ConnectErrorKind};
use thiserror::Error;

use super::bus::MAX_PAYLOAD_BYTES;

/// The reason why a node cannot use the bus, as one sentence. It never has the password.
#[derive(Debug, Error)]
pub enum BusError {
    /// There is no connection.
    #[error("NATS cannot be reached: {0}.")]
    Unreachable(String),
    /// NATS does not answer.
    #[error("NATS cannot be reached: it does not answer in time.")]
    Timeout,
    /// The credentials are wrong.
    #[error("NATS refuses the user and the password, or the token, of `--bus-url`.")]
    Refused,
    /// TLS fails, for example because of the certificate.
    #[error("The TLS connection to NATS fails: {0}.")]
    Tls(String),
    /// NATS accepts short messages only.
    #[error(
        "NATS accepts messages of {0} bytes only; its setting `max_payload` must be at least {MAX_PAYLOAD_BYTES}."
    )]
    ShortMessages(usize),
    /// A message to the own node does not arrive.
    #[error(
        "NATS does not deliver the messages of the server: its user must be able to publish and to subscribe to `{0}`."
    )]
    NotDelivered(String),
}

impl From<ConnectError> for BusError {
    fn from(error: ConnectError) -> Self {
        if let Some(tls) = tls_error(&error) {
            return Self::Tls(tls.to_string());
        }
        let cause = error.source().map(ToString::to_string);
        let cause = cause.unwrap_or_else(|| error.to_string());
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                Self::Refused
            }
            ConnectErrorKind::TimedOut => Self::Timeout,
            ConnectErrorKind::Tls => Self::Tls(cause),
            ConnectErrorKind::ServerParse
            | ConnectErrorKind::Dns
            | ConnectErrorKind::Io
            | ConnectErrorKind::MaxReconnects => Self::Unreachable(cause),
        }
    }
}

/// The error of TLS that has caused this one.
fn tls_error(error: &ConnectError) -> Option<&rustls::Error> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(tls) = error.downcast_ref() {
            return Some(tls);
        }
        let inner = error.downcast_ref::<io::Error>();
        cause = match inner.and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

/// The reason why a message is not sent.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SendError {
    /// There is no connection to NATS.
    #[error("there is no connection to NATS")]
    Disconnected,
    /// Too many messages, or too many bytes, wait to be sent.
    #[error("too many messages wait to be sent")]
    Overloaded,
    /// The message has more than [`MAX_PAYLOAD_BYTES`].
    #[error("the message has more than {MAX_PAYLOAD_BYTES} bytes")]
    TooLong,
}

/// The reason why there is no reply to a request.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RequestError {
    /// The node is not on the bus: it has ended, has left, or has no connection to NATS. NATS knows this at once.
    #[error("the node is not on the bus")]
    NoResponders,
    /// The node does not reply in time.
    #[error("the node does not reply in time")]
    Timeout,
    /// There is no connection to NATS, or it was lost before the reply.
    #[error("there is no connection to NATS")]
    Disconnected,
    /// Too many messages wait to be sent, or too many requests wait for a reply.
    #[error("too many messages wait to be sent or replied to")]
    Overloaded,
    /// The message has more than [`MAX_PAYLOAD_BYTES`].
    #[error("the message has more than {MAX_PAYLOAD_BYTES} bytes")]
    TooLong,
}

impl From<SendError> for RequestError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Disconnected => Self::Disconnected,
            SendError::Overloaded => Self::Overloaded,
            SendError::TooLong => Self::TooLong,
        }
    }
}
