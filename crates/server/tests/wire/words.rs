//! The words that the Rust types know, as far as they can be asked for them.

use serde::Deserialize;
use serde_json::{Value, json};
use sticheln_protocol::{ClientMessage, Reaction};
use strum::VariantNames;

/// The types of messages of clients.
pub fn client_types() -> Vec<String> {
    ClientMessage::VARIANTS
        .iter()
        .copied()
        .map(str::to_owned)
        .collect()
}

/// The reactions.
pub fn reactions() -> Vec<String> {
    Reaction::VARIANTS
        .iter()
        .copied()
        .map(str::to_owned)
        .collect()
}

/// The names that an enum without fields can be read from.
pub fn names<T: for<'de> Deserialize<'de>>() -> Vec<String> {
    expected::<T>(json!("?"))
}

/// The `type`s that an enum with fields can be read from.
pub fn types<T: for<'de> Deserialize<'de>>() -> Vec<String> {
    expected::<T>(json!({"type": "?"}))
}

/// The fields that a closed struct can be read from.
pub fn fields<T: for<'de> Deserialize<'de>>() -> Vec<String> {
    expected::<T>(json!({"?": null}))
}

/// What would have been understood instead of `?`: the error says it.
fn expected<T: for<'de> Deserialize<'de>>(unknown: Value) -> Vec<String> {
    let error = T::deserialize(unknown)
        .err()
        .expect("`?` is unknown")
        .to_string();
    let words: Vec<String> = error
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect();
    assert_eq!(words.first().map(String::as_str), Some("?"), "{error}");
    words[1..].to_vec()
}
