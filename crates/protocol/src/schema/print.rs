//! Prints a schema in a readable order.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The first and the last keywords of a schema.
const FIRST: [&str; 6] = ["$schema", "title", "description", "$ref", "allOf", "type"];
const LAST: [&str; 3] = ["required", "additionalProperties", "$defs"];

/// The text of a schema.
pub fn text(schema: &Value) -> String {
    let text = serde_json::to_string_pretty(&Ordered(schema, Order::Keywords));
    text.expect("a schema can be serialised") + "\n"
}

/// A value whose objects are written in this order.
struct Ordered<'a>(&'a Value, Order<'a>);

/// The order of an object.
enum Order<'a> {
    /// The order of keywords.
    Keywords,
    /// Required properties first, each group in the order of the fields.
    Properties(&'a [Value]),
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(value, order) = self;
        match value {
            Value::Object(fields) => {
                let mut names: Vec<&String> = fields.keys().collect();
                names.sort_by_key(|name| order.rank(name));
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for name in names {
                    map.serialize_entry(name, &Ordered(&fields[name], order.of(name, fields)))?;
                }
                map.end()
            }
            Value::Array(values) => {
                let mut list = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    list.serialize_element(&Ordered(value, Order::Keywords))?;
                }
                list.end()
            }
            other => other.serialize(serializer),
        }
    }
}

impl<'a> Order<'a> {
    fn rank(&self, name: &str) -> usize {
        match self {
            Self::Keywords => {
                let place = |names: &[&str]| names.iter().position(|one| *one == name);
                let last = place(&LAST).map(|place| FIRST.len() + 1 + place);
                place(&FIRST).or(last).unwrap_or(FIRST.len())
            }
            Self::Properties(required) => {
                let place = required.iter().position(|one| one == name);
                place.unwrap_or(required.len())
            }
        }
    }

    /// The order of the value of this field.
    fn of(&self, name: &str, fields: &'a Map<String, Value>) -> Self {
        match (self, name) {
            (Self::Keywords, "properties") => {
                let required = fields.get("required").and_then(Value::as_array);
                Self::Properties(required.map_or(&[], Vec::as_slice))
            }
            // Definitions are sorted by name.
            (Self::Keywords, "$defs") => Self::Properties(&[]),
            _ => Self::Keywords,
        }
    }
}
