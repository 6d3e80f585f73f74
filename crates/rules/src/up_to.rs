//! Whole numbers with an upper bound.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A whole number from 1 to `MAX`, checked when it is created or deserialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct UpTo<const MAX: u16>(u16);

impl<const MAX: u16> UpTo<MAX> {
    /// This number; `None` if it is not from 1 to `MAX`.
    pub const fn new(number: u16) -> Option<Self> {
        if 1 <= number && number <= MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// The number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// The number is not from 1 to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{0} is not from 1 to {MAX}")]
pub struct OutOfRange<const MAX: u16>(pub u16);

impl<const MAX: u16> TryFrom<u16> for UpTo<MAX> {
    type Error = OutOfRange<MAX>;

    fn try_from(number: u16) -> Result<Self, Self::Error> {
        Self::new(number).ok_or(OutOfRange(number))
    }
}

impl<const MAX: u16> From<UpTo<MAX>> for u16 {
    fn from(number: UpTo<MAX>) -> Self {
        number.get()
    }
}
