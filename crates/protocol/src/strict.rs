//! Strict reading of the JSON that clients send.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::Value;
use sticheln_rules::Illegal;
use thiserror::Error;

/// Why a value is not an action of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// It does not have the form of an action.
    #[error("the action is malformed")]
    Malformed,
    /// It names a card or a space that does not exist.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

impl de::Error for ActionError {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Malformed
    }

    /// Keeps the refusal of [`Illegal::into_error`].
    fn invalid_value(unexpected: Unexpected<'_>, _: &dyn Expected) -> Self {
        match unexpected {
            Unexpected::Other(code) => code.parse().map_or(Self::Malformed, Self::Illegal),
            _ => Self::Malformed,
        }
    }
}

/// Reads an action of a game.
///
/// # Errors
/// The refusal of a card or a space that does not exist; else [`ActionError::Malformed`].
pub fn read_action<A: DeserializeOwned + Serialize>(value: &Value) -> Result<A, ActionError> {
    let action = A::deserialize(Json(value))?;
    if names_fields(value, &action) {
        Ok(action)
    } else {
        Err(ActionError::Malformed)
    }
}

/// Whether a value names its fields, like the value that was read from it. A list of the fields in
/// their order could be read too, but its meaning would change with the order.
pub fn names_fields(given: &Value, read: &impl Serialize) -> bool {
    fn is_alike(given: &Value, read: &Value) -> bool {
        match (given, read) {
            (Value::Object(given), Value::Object(read)) => given.iter().all(|(name, given)| {
                let read = read.get(name);
                read.is_none_or(|read| is_alike(given, read))
            }),
            (_, Value::Object(_)) => false,
            _ => true,
        }
    }
    serde_json::to_value(read).is_ok_and(|read| is_alike(given, &read))
}

/// A JSON value as a deserialiser whose error is an [`ActionError`].
struct Json<'a>(&'a Value);

impl<'a> IntoDeserializer<'a, ActionError> for Json<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = ActionError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ActionError> {
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

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ActionError> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ActionError> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.as_str().into_deserializer()),
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, value)| (name.as_str(), Json(value)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(fields)))
            }
            _ => Err(ActionError::Malformed),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ActionError> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
