//! The messages between nodes as bytes: the number of the format, a space, and the text of the message in this format.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sticheln_room::{Format, Formats};
use thiserror::Error;

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
    use super::*;
    use crate::Reply;

    const ACCEPTED: Reply = Reply::Accepted { sent: 3 };

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
        let number = Format::NEWEST.0.to_string();
        for text in ["", " ", "{}", &number, &format!("{number} {{}}"), "x {}"] {
            let result = read(text.as_bytes());
            assert!(matches!(result, Err(UnreadablePayload::Invalid)), "{text}");
        }
    }
}
