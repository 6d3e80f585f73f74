//! The bodies of answers to calls over HTTP.

use serde::Serialize;

/// A room was opened.
#[derive(Debug, Serialize)]
pub struct RoomOpened<'a> {
    /// Its code.
    pub room: &'a str,
    /// Where its page is, relative to the call.
    pub url: String,
}

/// The page that the server has now.
#[derive(Debug, Serialize)]
pub struct CurrentPage<'a> {
    /// The mark of its files: it changes with them.
    pub files: &'a str,
}

/// A call failed.
#[derive(Debug, Serialize)]
pub struct ErrorBody<'a> {
    /// Why.
    pub code: &'a str,
}
