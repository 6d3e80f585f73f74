//! The errors of HTTP requests.

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Response};
use sticheln_protocol::ErrorBody;
use sticheln_room::Refusal;
use strum::{EnumIter, EnumMessage, IntoEnumIterator, IntoStaticStr};
use thiserror::Error;

use crate::limits::address_limits::LimitReached;
use crate::rooms::room_unavailable::RoomUnavailable;

/// The error of an HTTP request. The body of the response has the code; the client has the texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error, EnumIter, EnumMessage, IntoStaticStr)]
#[error("{}", self.code())]
#[strum(serialize_all = "snake_case")]
pub enum ApiError {
    /// The body is not JSON or does not fit the request.
    Malformed,
    /// The body is larger than a message may be.
    TooLarge,
    /// The body did not arrive in time.
    TooSlow,
    /// The request comes from the page of another site.
    BadOrigin,
    /// The request must be a WebSocket upgrade.
    NoUpgrade,
    /// The server knows none of the offered versions of the protocol.
    UnknownProtocol,
    /// There is nothing at this path.
    NotFound,
    /// There is no such room.
    NoSuchRoom,
    /// No game has this address, or none of its rounds is finished.
    NoSuchGame,
    /// The table does not show its replays, or only to the players of the game.
    ReplayForbidden,
    /// The game has no such finished round, or the server keeps it no longer.
    RoundUnavailable,
    /// A record is made only of a game that is over, with a scored round.
    GameNotOver,
    /// The server has a password for opening rooms, and the request has none.
    OpenPasswordNeeded,
    /// The password for opening rooms is wrong.
    WrongOpenPassword,
    /// This address has sent too many wrong passwords for opening rooms in the last minute.
    TooManyOpenAttempts,
    /// Too many rooms that this address has opened are awake.
    TooManyRooms,
    /// This address has too many open sockets.
    TooManySockets,
    /// This address has opened too many sockets in the last minute, or too many of them were closed for a protocol
    /// violation. Wait up to a minute.
    TooOften,
    /// This address has asked for too many codes that do not exist in the last minute.
    TooManyWrongCodes,
    /// This address sends too many requests: wait as long as the header `Retry-After` says.
    TooManyRequests,
    /// The write budget of the address is used up; it refills steadily.
    WrittenTooMuch,
    /// All remaining space of the server is reserved for running games. The server takes no new rooms until it
    /// has deleted old ones.
    StorageFull,
    /// The server is full.
    ServerFull,
    /// The server is shutting down.
    ShuttingDown,
    /// The database cannot be read or written, or the server has failed otherwise. Try again later.
    Storage,
    /// The request hit a bug in the server; the program log has the details.
    InternalError,
    /// The path does not support this HTTP method.
    WrongMethod,
    /// A room with these settings cannot be opened.
    #[strum(disabled)]
    Refused(Refusal),
}

impl ApiError {
    /// All errors except the refusals of a room.
    pub fn own() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// The name of the error on the wire.
    pub fn code(self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            own => own.into(),
        }
    }

    /// The status of the response.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::NoUpgrade | Self::UnknownProtocol | Self::Refused(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::BadOrigin
            | Self::OpenPasswordNeeded
            | Self::WrongOpenPassword
            | Self::ReplayForbidden => StatusCode::FORBIDDEN,
            Self::NotFound | Self::NoSuchRoom | Self::NoSuchGame | Self::RoundUnavailable => {
                StatusCode::NOT_FOUND
            }
            Self::TooManyRooms
            | Self::TooManyOpenAttempts
            | Self::TooManySockets
            | Self::TooOften
            | Self::TooManyWrongCodes
            | Self::TooManyRequests
            | Self::WrittenTooMuch => StatusCode::TOO_MANY_REQUESTS,
            Self::ServerFull | Self::ShuttingDown | Self::Storage => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::GameNotOver => StatusCode::CONFLICT,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ErrorBody { code: self.code() };
        let no_store = [(CACHE_CONTROL, "no-store")];
        let mut response = (self.status(), no_store, Json(body)).into_response();
        // A layer counts the errors.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<RoomUnavailable> for ApiError {
    fn from(unavailable: RoomUnavailable) -> Self {
        match unavailable {
            RoomUnavailable::Unknown => Self::NoSuchRoom,
            RoomUnavailable::Refused(refusal) => refusal.into(),
            RoomUnavailable::Full => Self::ServerFull,
            RoomUnavailable::TooManyWakeUps => Self::TooManyRooms,
            RoomUnavailable::NoSpaceForGame => Self::StorageFull,
            // The client does the same in all of these cases: it tries again later.
            RoomUnavailable::Storage
            | RoomUnavailable::NotReady
            | RoomUnavailable::OpeningFailed
            | RoomUnavailable::GameNotHosted
            | RoomUnavailable::TaskEnded => Self::Storage,
            RoomUnavailable::ShuttingDown => Self::ShuttingDown,
            RoomUnavailable::Panicked | RoomUnavailable::Damaged => Self::InternalError,
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::WrittenTooMuch => Self::WrittenTooMuch,
            Refusal::StorageFull => Self::StorageFull,
            of_settings => Self::Refused(of_settings),
        }
    }
}

impl From<LimitReached> for ApiError {
    fn from(limit: LimitReached) -> Self {
        match limit {
            LimitReached::Server => Self::ServerFull,
            LimitReached::Address => Self::TooManySockets,
            LimitReached::TooOften => Self::TooOften,
        }
    }
}
