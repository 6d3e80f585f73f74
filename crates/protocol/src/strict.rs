//! Reading JSON strictly.

use serde::Serialize;
use serde_json::Value;

/// Whether a value names its fields, as what was read from it does: a list of them in their order
/// could be read too, and would mean something else after the next change.
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
