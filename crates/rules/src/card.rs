//! Cards and their colours.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::Illegal;

/// A colour of cards. Each game has some of them.
///
/// The order is the one in which hands are sorted.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Colour {
    Red,
    Orange,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl Colour {
    /// All colours, in their order.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The colour with this name.
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A card: a colour and a value, written `red-7`.
///
/// Any value can be written and read, also one that no game has. The rules of a game decide whether
/// it has the card ([`Illegal::UNKNOWN_CARD`]). Equal cards of a pack cannot be distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card {
    /// The colour.
    pub colour: Colour,
    /// The value.
    pub value: u8,
}

impl Card {
    /// The card with this colour and value.
    pub const fn new(colour: Colour, value: u8) -> Self {
        Self { colour, value }
    }

    /// The text, if a game has a card with this value. Views contain many cards, so the text is not
    /// formatted each time.
    fn text(self) -> Option<&'static str> {
        TEXTS[self.colour as usize]
            .get(usize::from(self.value))
            .copied()
    }
}

macro_rules! texts {
    ($($colour:literal)*) => {
        [$([
            concat!($colour, "-0"), concat!($colour, "-1"), concat!($colour, "-2"),
            concat!($colour, "-3"), concat!($colour, "-4"), concat!($colour, "-5"),
            concat!($colour, "-6"), concat!($colour, "-7"), concat!($colour, "-8"),
            concat!($colour, "-9"), concat!($colour, "-10"), concat!($colour, "-11"),
            concat!($colour, "-12"), concat!($colour, "-13"), concat!($colour, "-14"),
        ]),*]
    };
}

/// The texts of all cards of all games, by colour in the order of [`Colour::ALL`], then by value.
const TEXTS: [[&str; 15]; Colour::ALL.len()] =
    texts!("red" "orange" "yellow" "green" "blue" "purple" "grey");

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) => f.pad(text),
            None => f.pad(&format!("{}-{}", self.colour, self.value)),
        }
    }
}

impl FromStr for Card {
    type Err = Illegal;

    /// Parses `colour-number`: a known colour, and a number from 0 to 255 without leading zeros.
    ///
    /// # Errors
    /// [`Illegal::UNKNOWN_CARD`] for any other text.
    fn from_str(text: &str) -> Result<Self, Illegal> {
        let (colour, number) = text.split_once('-').ok_or(Illegal::UNKNOWN_CARD)?;
        let colour = Colour::named(colour).ok_or(Illegal::UNKNOWN_CARD)?;
        let plain = number == "0" || number.starts_with(|first| ('1'..='9').contains(&first));
        match number.parse() {
            Ok(value) if plain => Ok(Self { colour, value }),
            _ => Err(Illegal::UNKNOWN_CARD),
        }
    }
}

impl Serialize for Card {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.text() {
            Some(text) => serializer.serialize_str(text),
            None => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?
            .parse()
            .map_err(Illegal::into_error)
    }
}
