//! Bounds of texts on the wire.

/// The length of a token: 256 bits as base64url.
pub const TOKEN_LENGTH: usize = 43;
/// The most characters of a password.
pub const MAX_PASSWORD_LENGTH: usize = 64;
/// The most characters of the id of a message. They are visible ASCII characters.
pub const MAX_ID_LENGTH: usize = 36;
/// The most arrays and objects of a message that contain each other. The message is one of them.
pub const MAX_MESSAGE_DEPTH: usize = 32;
/// The characters of room codes: digits and lower-case letters without look-alikes.
pub const CODE_ALPHABET: &str = "23456789abcdefghjkmnpqrstuvwxyz";
/// The length of a room code.
pub const CODE_LENGTH: usize = 8;
/// The length of the id of a replay: 128 bits as base64url.
pub const REPLAY_ID_LENGTH: usize = 22;
