//! JSON values of bounded depth.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::limits::MAX_MESSAGE_DEPTH;

/// The keys with this prefix are the names of types of `serde_json`. It would read the text of such a field as JSON again, at any depth.
const PRIVATE_PREFIX: &str = "$serde_json::private::";

/// Reads a JSON value that nests at most [`MAX_MESSAGE_DEPTH`] arrays and objects. A server can then wrap it in some others, and
/// another server can read them: `serde_json` reads a depth below 128. Names of fields that `serde_json` reserves are refused.
///
/// # Errors
/// If the text is not JSON, or the value is deeper.
pub fn read(text: &str) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = AtMost(MAX_MESSAGE_DEPTH).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads a value that nests at most this many arrays and objects.
#[derive(Clone, Copy)]
struct AtMost(usize);

impl AtMost {
    /// The bound for the values in an array or object.
    fn inner<E: Error>(self) -> Result<Self, E> {
        let depth = self.0.checked_sub(1);
        depth.map(Self).ok_or_else(|| E::custom("it is too deep"))
    }
}

impl<'de> DeserializeSeed<'de> for AtMost {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AtMost {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if name.starts_with(PRIVATE_PREFIX) {
                return Err(A::Error::custom("the name of a field is reserved"));
            }
            object.insert(name, fields.next_value_seed(inner)?);
        }
        Ok(Value::Object(object))
    }
}
