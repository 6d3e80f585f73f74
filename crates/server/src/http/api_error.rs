//! Why calls over HTTP fail.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sticheln_protocol::ErrorBody;
use sticheln_room::Refusal;
use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};
use thiserror::Error;

use crate::limits::address_limits::LimitReached;
use crate::rooms::registry::NoRoom;

/// Why a call fails. The body of the answer names the code; the words are the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, EnumIter, EnumMessage, IntoStaticStr)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum ApiError {
    /// Not JSON, or not what the call takes.
    Malformed,
    /// More bytes than a message may have.
    TooLarge,
    /// The body did not come in time.
    TooSlow,
    /// The call comes from another site's page.
    BadOrigin,
    /// The call has to be an upgrade to a socket.
    NoUpgrade,
    /// Nothing is here.
    NotFound,
    /// There is no such room.
    NoSuchRoom,
    /// Too many rooms of this address are awake.
    TooManyRooms,
    /// Too many sockets of this address are open.
    TooManySockets,
    /// Too many sockets were opened from this address, or closed for what was sent on them: wait up to a minute.
    TooOften,
    /// Too many codes were guessed wrong from this address in the last minute.
    TooManyWrongCodes,
    /// Too many calls come from this address: wait as long as the header `Retry-After` says.
    TooManyCalls,
    /// The server has no space for more.
    ServerFull,
    /// The server ends.
    Restarting,
    /// The disk does not do what it should.
    Storage,
    /// The call met a defect of the server, which is in its log.
    InternalError,
    /// Nothing is called in this way here.
    WrongMethod,
    /// The table that was asked for cannot be opened so.
    #[strum(disabled)]
    Refused(Refusal),
}

impl ApiError {
    /// All of them but the refusals of a room.
    pub fn own() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Its name on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            own => own.into(),
        }
    }

    /// The status of the answer.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::NoUpgrade | Self::Refused(_) => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BadOrigin => StatusCode::FORBIDDEN,
            Self::NotFound | Self::NoSuchRoom => StatusCode::NOT_FOUND,
            Self::TooManyRooms
            | Self::TooManySockets
            | Self::TooOften
            | Self::TooManyWrongCodes
            | Self::TooManyCalls => StatusCode::TOO_MANY_REQUESTS,
            Self::ServerFull | Self::Restarting | Self::Storage => StatusCode::SERVICE_UNAVAILABLE,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorBody { code: self.code() };
        let mut response = (self.status(), Json(body)).into_response();
        // So that it can be counted.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<NoRoom> for ApiError {
    fn from(no_room: NoRoom) -> Self {
        match no_room {
            NoRoom::Unknown => Self::NoSuchRoom,
            NoRoom::Refused(refusal) => Self::Refused(refusal),
            NoRoom::Full => Self::ServerFull,
            NoRoom::Storage => Self::Storage,
            NoRoom::Ending => Self::Restarting,
            NoRoom::Defect => Self::InternalError,
        }
    }
}

impl From<LimitReached> for ApiError {
    fn from(full: LimitReached) -> Self {
        match full {
            LimitReached::Server => Self::ServerFull,
            LimitReached::Address => Self::TooManySockets,
            LimitReached::TooOften => Self::TooOften,
        }
    }
}
