//! Refusals of calls over HTTP.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::door::Full;
use crate::house::NoRoom;

/// Why a call is refused; the code is told, and the words are the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub StatusCode, pub &'static str);

impl Refused {
    /// Not JSON, or not what the call takes.
    pub const MALFORMED: Self = Self(StatusCode::BAD_REQUEST, "malformed");
    /// More bytes than a message may have.
    pub const TOO_LARGE: Self = Self(StatusCode::PAYLOAD_TOO_LARGE, "too_large");
    /// The body did not come in time.
    pub const TOO_SLOW: Self = Self(StatusCode::REQUEST_TIMEOUT, "too_slow");
    /// The call comes from another site's page.
    pub const BAD_ORIGIN: Self = Self(StatusCode::FORBIDDEN, "bad_origin");
    /// The call has to be an upgrade to a socket.
    pub const NO_UPGRADE: Self = Self(StatusCode::BAD_REQUEST, "no_upgrade");
    /// The path is known, the method is not.
    pub const WRONG_METHOD: Self = Self(StatusCode::METHOD_NOT_ALLOWED, "wrong_method");
    /// Nothing is here.
    pub const NOT_FOUND: Self = Self(StatusCode::NOT_FOUND, "not_found");
    /// There is no such room.
    pub const NO_SUCH_ROOM: Self = Self(StatusCode::NOT_FOUND, "no_such_room");
    /// Too many rooms of this address are awake.
    pub const TOO_MANY_ROOMS: Self = Self(StatusCode::TOO_MANY_REQUESTS, "too_many_rooms");
    /// Too many sockets of this address are open.
    pub const TOO_MANY_SOCKETS: Self = Self(StatusCode::TOO_MANY_REQUESTS, "too_many_sockets");
    /// Too many sockets were opened from this address, or closed for what was sent on them: wait up to a minute.
    pub const TOO_OFTEN: Self = Self(StatusCode::TOO_MANY_REQUESTS, "too_often");
    /// Too many codes were guessed wrong from this address in the last minute.
    pub const TOO_MANY_WRONG_CODES: Self =
        Self(StatusCode::TOO_MANY_REQUESTS, "too_many_wrong_codes");
    /// Too many calls come from this address: wait as long as the header `Retry-After` says.
    pub const TOO_MANY_CALLS: Self = Self(StatusCode::TOO_MANY_REQUESTS, "too_many_calls");
    /// The server has no space for more.
    pub const SERVER_FULL: Self = Self(StatusCode::SERVICE_UNAVAILABLE, "server_full");
    /// The server ends.
    pub const RESTARTING: Self = Self(StatusCode::SERVICE_UNAVAILABLE, "restarting");
    /// The disk does not do what it should.
    pub const STORAGE: Self = Self(StatusCode::SERVICE_UNAVAILABLE, "storage");
    /// The call met a defect of the server, which is in its log.
    pub const INTERNAL_ERROR: Self = Self(StatusCode::INTERNAL_SERVER_ERROR, "internal_error");

    /// All of them; opening a room can also be refused by a room's own refusals.
    pub const ALL: [Self; 17] = [
        Self::MALFORMED,
        Self::TOO_LARGE,
        Self::TOO_SLOW,
        Self::BAD_ORIGIN,
        Self::NO_UPGRADE,
        Self::NOT_FOUND,
        Self::NO_SUCH_ROOM,
        Self::TOO_MANY_ROOMS,
        Self::TOO_MANY_SOCKETS,
        Self::TOO_OFTEN,
        Self::TOO_MANY_WRONG_CODES,
        Self::TOO_MANY_CALLS,
        Self::SERVER_FULL,
        Self::RESTARTING,
        Self::STORAGE,
        Self::INTERNAL_ERROR,
        Self::WRONG_METHOD,
    ];
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.0, Json(json!({"code": self.1}))).into_response();
        // So that it can be counted.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<NoRoom> for Refused {
    fn from(no_room: NoRoom) -> Self {
        match no_room {
            NoRoom::Unknown => Self::NO_SUCH_ROOM,
            NoRoom::Refused(refusal) => Self(StatusCode::BAD_REQUEST, refusal.code()),
            NoRoom::Full => Self::SERVER_FULL,
            NoRoom::Storage => Self::STORAGE,
            NoRoom::Ending => Self::RESTARTING,
            NoRoom::Defect => Self::INTERNAL_ERROR,
        }
    }
}

impl From<Full> for Refused {
    fn from(full: Full) -> Self {
        match full {
            Full::Server => Self::SERVER_FULL,
            Full::Address => Self::TOO_MANY_SOCKETS,
            Full::TooOften => Self::TOO_OFTEN,
        }
    }
}
