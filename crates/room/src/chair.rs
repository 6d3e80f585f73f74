//! The chairs of a room, and the people and bots on them.

use serde::{Deserialize, Serialize};
use sticheln_bots::Level;

use crate::{Name, Owner, PersonId, Timestamp};

/// A chair. During a game it is the seat with the same number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chair {
    /// The person or bot on it.
    pub(crate) sitter: Sitter,
    /// Whether the person wants to go on: to begin, to the next round, to a rematch.
    pub(crate) ready: bool,
    /// The character that the person has chosen, by index in [`Game::CHARACTERS`](sticheln_rules::Game::CHARACTERS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) character: Option<u8>,
}

/// The person or bot on a chair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sitter {
    /// The chair is free.
    Free,
    /// A person, connected or not.
    Person(Person),
    /// A bot with a chair of its own, which a person may take.
    Bot(Bot),
}

/// A person with a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Person {
    /// Their id, by which entries and snapshots name them.
    pub(crate) id: PersonId,
    /// The owner of the seat.
    pub(crate) owner: Owner,
    /// The owner to whom the seat belonged before it was claimed. If they return, it belongs to them again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) former_owner: Option<Owner>,
    /// Their name, which is saved apart from snapshots; `None` if it was erased.
    #[serde(skip)]
    pub(crate) name: Option<Name>,
    /// The time since which they have been sitting here.
    pub(crate) since: Timestamp,
    /// Whether a bot plays for them until they return.
    pub(crate) has_stand_in: bool,
}

/// A bot on a chair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bot {
    /// Its level.
    pub(crate) level: Level,
    /// Its name.
    pub(crate) name: Name,
}

impl Chair {
    /// A chair on which nobody sits.
    pub(crate) const FREE: Self = Self {
        sitter: Sitter::Free,
        ready: false,
        character: None,
    };

    /// The chair of a bot.
    pub(crate) fn of_bot(bot: Bot) -> Self {
        Self {
            sitter: Sitter::Bot(bot),
            ..Self::FREE
        }
    }

    /// The person on this chair.
    pub(crate) fn person(&self) -> Option<&Person> {
        match &self.sitter {
            Sitter::Person(person) => Some(person),
            Sitter::Free | Sitter::Bot(_) => None,
        }
    }

    /// The name of the person or bot; `None` if the chair is free, or the name was erased.
    pub(crate) fn name(&self) -> Option<&Name> {
        match &self.sitter {
            Sitter::Free => None,
            Sitter::Person(person) => person.name.as_ref(),
            Sitter::Bot(bot) => Some(&bot.name),
        }
    }

    /// The level of the bot that plays here now: a bot with this chair, or one that stands in. A bot that plays because the
    /// person waits for the deal is not included.
    pub(crate) fn seated_bot_level(&self) -> Option<Level> {
        match &self.sitter {
            Sitter::Bot(bot) => Some(bot.level),
            Sitter::Person(person) if person.has_stand_in => Some(BOT_FOR_PERSON_LEVEL),
            Sitter::Person(_) | Sitter::Free => None,
        }
    }
}

/// The names of bots, which no person can have. There are more names than chairs.
const BOT_NAMES: [&str; 8] = [
    "Bobbin", "Thimble", "Needle", "Button", "Spool", "Tassel", "Buckle", "Pompom",
];

/// The names of bots.
pub(crate) fn bot_names() -> impl Iterator<Item = Name> {
    BOT_NAMES.iter().filter_map(|name| Name::new(name).ok())
}

/// The level of each bot that plays in the place of a person: one that stands in, has taken over a chair, or acts when the
/// time limit is over.
pub(crate) const BOT_FOR_PERSON_LEVEL: Level = Level::Normal;
