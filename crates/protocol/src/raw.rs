//! Parts of messages that are written once and sent to many.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

/// A part of a message of the type `T`, already as JSON. Clones share it.
pub struct Raw<T> {
    json: Arc<RawValue>,
    part: PhantomData<fn() -> T>,
}

/// A value that is written as the part `T` of a message.
pub trait Encodes<T>: Serialize {}

impl<T> Raw<T> {
    /// Writes a value.
    pub fn new(value: &impl Encodes<T>) -> Self {
        let json = to_raw_value(value).expect("parts of messages have a text form");
        Self {
            json: json.into(),
            part: PhantomData,
        }
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.json.get().len()
    }
}

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        Self {
            json: self.json.clone(),
            part: PhantomData,
        }
    }
}

impl<T> PartialEq for Raw<T> {
    fn eq(&self, other: &Self) -> bool {
        self.json.get() == other.json.get()
    }
}

impl<T> Eq for Raw<T> {}

impl<T> Serialize for Raw<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<T> fmt::Debug for Raw<T> {
    /// Prints how long it is: a log must not name what one person is told.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({} bytes)", self.bytes())
    }
}
