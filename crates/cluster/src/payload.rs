//! The messages between nodes as bytes: the number of the format, a space, and the text of the message in this format.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sticheln_room::{Format, Formats};
use thiserror::Error;

use crate::Reply;

/// The reason why a message cannot be read.
#[derive(Debug, Error)]
pub enum UnreadablePayload {
    /// It has a format that this version does not know.
    #[error("a message has the format {}", .0.0)]
    UnknownFormat(Format),
    /// It has no format, or is not a message of its format.
    #[error("a message is invalid")]
    Invalid,
}

impl UnreadablePayload {
    /// The reply to such a request. A node of another version may read a format that this one does not know, so the gateway looks for
    /// another leader then. An invalid request must not move a room: a client may have caused it.
    pub fn reply(&self) -> Reply {
        match self {
            Self::UnknownFormat(_) => Reply::NotLeader,
            Self::Invalid => Reply::Unreadable,
        }
    }
}

/// The bytes of a message in this format.
///
/// # Errors
/// If the message has no text form.
pub fn encode<T: Serialize>(format: Format, message: &T) -> serde_json::Result<Vec<u8>> {
    let text = format.encode(message)?;
    Ok(format!("{} {text}", format.0).into_bytes())
}

/// The message in these bytes, in one of these formats.
///
/// # Errors
/// [`UnreadablePayload`] says why it cannot be read.
pub fn decode<T: DeserializeOwned>(
    payload: &[u8],
    formats: Formats,
) -> Result<T, UnreadablePayload> {
    let text = str::from_utf8(payload).map_err(|_| UnreadablePayload::Invalid)?;
    let (number, text) = text.split_once(' ').ok_or(UnreadablePayload::Invalid)?;
    let format = Format(number.parse().map_err(|_| UnreadablePayload::Invalid)?);
    if !formats.contains(format) {
        return Err(UnreadablePayload::UnknownFormat(format));
    }
    Format::decode(text).map_err(|_| UnreadablePayload::Invalid)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;

    use sticheln_room::{ClientRequest, ConnId};

    use super::*;
    use crate::{ConnEvent, NodeId, SessionRequest};

    const ACCEPTED: Reply = Reply::Accepted { updates_sent: 3 };

    fn read(payload: &[u8]) -> Result<Reply, UnreadablePayload> {
        decode(payload, Formats::default())
    }

    #[test]
    fn a_message_is_read_in_each_format_of_this_version() {
        for format in [Format::OLDEST, Format::NEWEST] {
            let payload = encode(format, &ACCEPTED).unwrap();
            assert_eq!(read(&payload).unwrap(), ACCEPTED);
        }
    }

    #[test]
    fn a_message_of_another_format_is_told_from_an_invalid_one() {
        let later = Format(Format::NEWEST.0 + 1);
        let payload = encode(later, &ACCEPTED).unwrap();
        assert!(
            matches!(read(&payload), Err(UnreadablePayload::UnknownFormat(format)) if format == later)
        );
        assert_eq!(read(&payload).unwrap_err().reply(), Reply::NotLeader);
        let number = Format::NEWEST.0.to_string();
        for text in ["", " ", "{}", &number, &format!("{number} {{}}"), "x {}"] {
            let result = read(text.as_bytes());
            assert!(matches!(result, Err(UnreadablePayload::Invalid)), "{text}");
            assert_eq!(result.unwrap_err().reply(), Reply::Unreadable);
        }
    }

    /// Messages of clients that nest this many arrays and objects.
    fn nested(depth: usize) -> [String; 4] {
        let (lists, objects) = (depth - 1, depth - 2);
        let list = "[".repeat(lists) + &"]".repeat(lists);
        let object = "{\"a\":".repeat(objects) + "{}" + &"}".repeat(objects);
        [
            format!(r#"{{"type":"configure","id":"i","options":{list}}}"#),
            format!(r#"{{"type":"configure","id":"i","options":{object}}}"#),
            format!(r#"{{"type":"act","id":"i","action":{object}}}"#),
            format!(
                r#"{{"type":"act","id":"i","action":{{"$serde_json::private::RawValue":"{list}"}}}}"#
            ),
        ]
    }

    #[test]
    fn a_message_of_a_client_passes_between_nodes() {
        for text in (2..=130).flat_map(nested) {
            let request = SessionRequest {
                room: "room".to_owned(),
                gateway: NodeId(1),
                session: 1,
                sequence: 0,
                conn_events: vec![ConnEvent::Message(ConnId(1), ClientRequest::read(&text))],
            };
            // The server adds the kind of the message.
            let message = BTreeMap::from([("room".to_owned(), request)]);
            for format in [Format::OLDEST, Format::NEWEST] {
                let payload = encode(format, &message).unwrap();
                let read: BTreeMap<String, SessionRequest> =
                    decode(&payload, Formats::default()).expect(&text);
                assert_eq!(encode(format, &read).unwrap(), payload, "{text}");
            }
        }
    }
}
