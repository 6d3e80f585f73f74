//! WebSocket frames of attackers.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// The longest payload of a random frame. A length below 126 takes one byte in the frame.
const MAX_PAYLOAD: usize = 120;

/// Frames that violate RFC 6455 or a limit of the server. Each has a mask of zeros.
pub(super) const INVALID_FRAMES: [&[u8]; 4] = [
    // A reserved bit is set.
    b"\xc1\x80\0\0\0\0",
    // A binary message.
    b"\x82\x81\0\0\0\0x",
    // A text that is not UTF-8.
    b"\x81\x81\0\0\0\0\xff",
    // A payload of one MiB is announced.
    b"\x81\xff\0\0\0\0\0\x10\0\0\0\0\0\0",
];

/// The texts from which random frames are made.
const TEXTS: [&str; 6] = [
    r#"{"type":"ping","id":"1"}"#,
    r#"{"type":"act","id":"2","action":{"type":"play","card":"red-7"}}"#,
    r#"{"type":"chat","id":"3","text":"Hello"}"#,
    r#"{"type":"sit","id":"4","seat":9,"name":"\u0000"}"#,
    r#"{"type":"configure","id":"5","seats":99}"#,
    r#"[[[[[[[[[[[[[[[[[[[[[[[[1e999,null,{"":[]}]]]]]"#,
];

/// A valid ping, pong or text frame. The text is a message, a damaged one, or random.
pub(super) fn random_frame(rng: &mut ChaCha8Rng) -> Vec<u8> {
    const PING: u8 = 0x89;
    const PONG: u8 = 0x8a;
    const TEXT: u8 = 0x81;
    const MASKED: u8 = 0x80;
    let mut text = TEXTS[rng.random_range(0..TEXTS.len())].as_bytes().to_vec();
    let index = rng.random_range(0..text.len());
    let (first, payload) = match rng.random_range(0..8) {
        0 => (PING, vec![rng.random(); rng.random_range(0..MAX_PAYLOAD)]),
        1 => (PONG, vec![rng.random(); rng.random_range(0..MAX_PAYLOAD)]),
        2 => {
            text[index] = rng.random_range(b' '..=b'~');
            (TEXT, text)
        }
        3 => {
            text.truncate(index);
            (TEXT, text)
        }
        4 => {
            let length = rng.random_range(0..MAX_PAYLOAD);
            let letters = (0..length).map(|_| rng.random_range(b' '..=b'~'));
            (TEXT, letters.collect())
        }
        5 => {
            text.swap(0, index);
            (TEXT, text)
        }
        6 => {
            text.extend_from_within(index..);
            (TEXT, text)
        }
        _ => (TEXT, text),
    };
    let length = payload.len().min(MAX_PAYLOAD);
    // A mask of zeros leaves the payload as it is.
    let mut frame = vec![first, MASKED | length as u8, 0, 0, 0, 0];
    frame.extend(&payload[..length]);
    frame
}
