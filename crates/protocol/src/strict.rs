//! Strict reading of the JSON that clients send.

use std::{fmt, mem};

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use serde_json::Value;
use sticheln_rules::{Game, Illegal};
use thiserror::Error;

/// The reason why a value is not an action of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// It does not have the form of an action.
    #[error("the action is malformed")]
    Malformed,
    /// It names something that does not exist, such as a card.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// Reads an action of a game.
///
/// # Errors
/// The refusal of a name that does not exist ([`Illegal::into_error`]); else
/// [`ActionError::Malformed`].
pub fn read_action<G: Game>(value: &Value) -> Result<G::Action, ActionError> {
    let action = G::Action::deserialize(Json(value)).map_err(|error| {
        let illegal =
            Illegal::all::<G>().find(|illegal| error.code.as_deref() == Some(illegal.code()));
        illegal.map_or(ActionError::Malformed, ActionError::Illegal)
    })?;
    // serde reads only a string from a string, and most actions have nothing else.
    if has_only_texts(value) || has_same_form(value, &action) {
        Ok(action)
    } else {
        Err(ActionError::Malformed)
    }
}

/// Whether all fields of an object are texts.
fn has_only_texts(value: &Value) -> bool {
    let fields = value.as_object();
    fields.is_some_and(|fields| fields.values().all(Value::is_string))
}

/// Whether a value has the form of the value that was read from it: it names its fields, and each of them has the same type.
/// serde would also read an array as an object, the index of a variant as its name, and `{"name": null}` as the name.
pub fn has_same_form(given: &Value, read: &impl Serialize) -> bool {
    fn is_alike(given: &Value, read: &Value) -> bool {
        match (given, read) {
            (Value::Object(given), Value::Object(read)) => given.iter().all(|(name, given)| {
                let read = read.get(name);
                read.is_none_or(|read| is_alike(given, read))
            }),
            (Value::Array(given), Value::Array(read)) => {
                let mut items = given.iter().zip(read);
                items.all(|(given, read)| is_alike(given, read))
            }
            (given, read) => mem::discriminant(given) == mem::discriminant(read),
        }
    }
    serde_json::to_value(read).is_ok_and(|read| is_alike(given, &read))
}

/// The error of [`Json`]. It keeps the code of a refusal, which the error of `serde_json` would not.
#[derive(Debug, Error)]
#[error("the value cannot be read")]
struct JsonError {
    code: Option<String>,
}

impl de::Error for JsonError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self { code: None }
    }

    fn invalid_value(unexpected: Unexpected<'_>, _: &dyn Expected) -> Self {
        let code = match unexpected {
            Unexpected::Other(code) => Some(code.to_owned()),
            _ => None,
        };
        Self { code }
    }
}

/// A JSON value as a deserialiser whose error is a [`JsonError`]. An action is an internally tagged enum, so serde asks for a
/// value of any type only, and reads the fields from its own copy.
struct Json<'a>(&'a Value);

impl<'a> IntoDeserializer<'a, JsonError> for Json<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => number.deserialize_any(visitor).map_err(de::Error::custom),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.iter().map(Json));
                let value = visitor.visit_seq(&mut items)?;
                items.end()?;
                Ok(value)
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (name.as_str(), Json(value)));
                let mut fields = MapDeserializer::new(fields);
                let value = visitor.visit_map(&mut fields)?;
                fields.end()?;
                Ok(value)
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any option enum newtype_struct
    }
}
