//! The chairs of a table, and who sits on them.

use sticheln_bots::Level;

use crate::{Name, Owner, Timestamp};

/// A chair of the table. In a running game it is the seat with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chair {
    /// The person or bot on it.
    pub(crate) sitter: Sitter,
    /// Whether the person wants to go on: to begin, to the next round, to a rematch.
    pub(crate) ready: bool,
}

/// The person or bot on a chair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sitter {
    /// Nobody yet.
    Nobody,
    /// A person, here or not.
    Person(Person),
    /// A bot that belongs to nobody; a person may take its chair.
    Bot(Bot),
}

/// A person with a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// The owner of the seat: they know its secret.
    pub(crate) owner: Owner,
    /// Their name.
    pub(crate) name: Name,
    /// Since when they have been sitting here.
    pub(crate) since: Timestamp,
    /// Whether a bot plays for them until they return.
    pub(crate) stood_in: bool,
}

/// A bot on a chair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bot {
    /// How well it plays.
    pub(crate) level: Level,
    /// Its name.
    pub(crate) name: Name,
}

impl Chair {
    /// A chair on which nobody sits.
    pub(crate) const FREE: Self = Self {
        sitter: Sitter::Nobody,
        ready: false,
    };

    /// The person who sits there.
    pub(crate) fn person(&self) -> Option<&Person> {
        match &self.sitter {
            Sitter::Person(person) => Some(person),
            Sitter::Nobody | Sitter::Bot(_) => None,
        }
    }

    /// The name of whoever sits there.
    pub(crate) fn name(&self) -> Option<&Name> {
        match &self.sitter {
            Sitter::Nobody => None,
            Sitter::Person(person) => Some(&person.name),
            Sitter::Bot(bot) => Some(&bot.name),
        }
    }

    /// The level of the bot that plays here now: a bot of its own, or one that stands in.
    pub(crate) fn bot_level(&self) -> Option<Level> {
        match &self.sitter {
            Sitter::Bot(bot) => Some(bot.level),
            Sitter::Person(person) if person.stood_in => Some(STAND_IN),
            Sitter::Person(_) | Sitter::Nobody => None,
        }
    }
}

/// How well a bot plays that stands in for a person, or keeps the chair of one who left.
pub(crate) const STAND_IN: Level = Level::Normal;
