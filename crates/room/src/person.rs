//! Persons: the people who have a chair, by ids. Names stand apart from entries and snapshots, so that a name can be erased.

use std::fmt;

use serde::{Deserialize, Serialize};

use sticheln_rules::Seat;

use crate::Name;

/// The id of a person in their room: the `rev` of the entry with which they sat down. No id is used twice. People who stand
/// up and sit down again have another one. The people of a file have never sat down: see [`PersonId::of_file`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PersonId(pub u64);

impl PersonId {
    /// The id of a person on this seat in the file of a game. No entry has such a `rev`.
    pub fn of_file(seat: Seat) -> Self {
        Self(i64::MAX as u64 - seat.index() as u64)
    }
}

/// A change of the persons of a room, which is saved together with its entry.
#[derive(Clone, PartialEq, Eq)]
pub enum PersonChange {
    /// The person has this name from now on.
    Named(PersonId, Name),
    /// The person has left their chair. Only older entries name them.
    Left(PersonId),
}

/// Without the name: the program log contains no text of a client.
impl fmt::Debug for PersonChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(person, _) => f.debug_tuple("Named").field(person).finish_non_exhaustive(),
            Self::Left(person) => f.debug_tuple("Left").field(person).finish(),
        }
    }
}
