//! The messages of clients as a room gets them: without tokens.

use serde::{Deserialize, Serialize};
use sticheln_protocol::{ClientMessage, Incoming, ReadError};

use crate::{AdmissionRecord, Owner};

/// A message of a client. It has the hash of the token instead of the token, so it can be sent to another server.
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub struct ClientRequest {
    /// The id that the answer carries; `None` if there is no valid one.
    pub id: Option<String>,
    /// The content.
    pub content: RequestContent,
    /// Whether a gateway sends the command again and the client has not seen the current state of the room. The room then does
    /// not execute it. It only answers it with `ok` if it has executed it before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outdated: bool,
}

/// The content of a message of a client.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords and hidden cards"
)]
pub enum RequestContent {
    /// `hello`, the first message.
    Hello(Hello),
    /// Another message.
    Command(ClientMessage),
    /// The message cannot be read.
    Unreadable(ReadError),
}

/// The message `hello`.
#[derive(Clone, Serialize, Deserialize)]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain passwords"
)]
pub struct Hello {
    /// The owner of the token; `None` if it is no token.
    pub owner: Option<Owner>,
    /// The password of the room.
    pub password: Option<String>,
    /// The name of the client as a spectator, and in the waiting room.
    pub name: Option<String>,
    /// The revision that the client has seen.
    pub rev: Option<u64>,
    /// The generation of this revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u32>,
    /// The record of the earlier admission of the connection, if a gateway resends the `hello` in a new session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier_admission: Option<AdmissionRecord>,
}

impl ClientRequest {
    /// Reads the text of a client.
    pub fn read(text: &str) -> Self {
        Incoming::read(text).into()
    }
}

impl From<Incoming> for ClientRequest {
    fn from(Incoming { id, message }: Incoming) -> Self {
        let content = match message {
            Ok(ClientMessage::Hello {
                token,
                password,
                name,
                rev,
                generation,
            }) => RequestContent::Hello(Hello {
                owner: Owner::of_token(&token).ok(),
                password,
                name,
                rev,
                generation,
                earlier_admission: None,
            }),
            Ok(command) => RequestContent::Command(command),
            Err(error) => RequestContent::Unreadable(error),
        };
        Self {
            id,
            content,
            is_outdated: false,
        }
    }
}
