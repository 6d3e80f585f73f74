//! The board, on which the rules of a round are chosen.

use std::collections::BTreeMap;

use serde::de::{IntoDeserializer, value};
use serde::{Deserialize, Deserializer, Serialize};
use strum::VariantArray;

use super::illegal;
use super::{Suits, TrumpSpace};
use crate::{BySeat, Illegal, Seat};

/// The animal that stands for a seat in the row `start` (`docs/rules/nyet.md`, section 1).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Character {
    /// Seat 0, unless chosen otherwise.
    Bear,
    /// Seat 1, unless chosen otherwise.
    Wolf,
    /// Seat 2, unless chosen otherwise.
    Tiger,
    /// Seat 3, unless chosen otherwise.
    Crane,
    /// Seat 4, unless chosen otherwise.
    Eagle,
}

impl Character {
    /// All characters, in their default order.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");
    /// The names of [`Character::ALL`] on the wire.
    pub const NAMES: [&'static str; Self::ALL.len()] = ["bear", "wolf", "tiger", "crane", "eagle"];
}

/// The use of cards before the first trick (`docs/rules/nyet.md`, section 5).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DiscardRule {
    /// Nothing.
    None,
    /// Each seat lays a card aside.
    One,
    /// Each seat lays two cards aside.
    Two,
    /// Each seat lays a card aside. It may be a 1 only if the hand has nothing else.
    #[serde(rename = "one_not_1")]
    OneNot1,
    /// Each seat gives a card to its left neighbour.
    PassLeft,
}

impl DiscardRule {
    /// All spaces, in the order of their row.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// The number of cards that each seat chooses.
    pub const fn count(self) -> usize {
        match self {
            Self::None => 0,
            Self::One | Self::OneNot1 | Self::PassLeft => 1,
            Self::Two => 2,
        }
    }

    /// Whether the cards are laid aside, and so are out of the round.
    pub const fn is_laid_aside(self) -> bool {
        match self {
            Self::One | Self::Two | Self::OneNot1 => true,
            Self::None | Self::PassLeft => false,
        }
    }
}

/// The points of a trick and of a loot card (`docs/rules/nyet.md`, section 7).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "PointsSpace")
)]
pub enum Points {
    /// 1 point.
    #[serde(rename = "1")]
    One,
    /// 2 points.
    #[serde(rename = "2")]
    Two,
    /// 3 points.
    #[serde(rename = "3")]
    Three,
    /// 4 points.
    #[serde(rename = "4")]
    Four,
    /// Minus 2 points.
    #[serde(rename = "-2")]
    MinusTwo,
}

impl Points {
    /// All spaces, in the order of their row.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS
        .first_chunk()
        .expect("array and slice have one length");

    /// The number of points.
    pub const fn value(self) -> i32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
            Self::MinusTwo => -2,
        }
    }
}

/// A space of the board with its row (`docs/rules/nyet.md`, section 3).
///
/// Its JSON is `{"row": "trump", "space": "red"}`. An unknown row or space is
/// [`illegal::UNKNOWN_SPACE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "row", content = "space", rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(strum::VariantNames),
    strum(serialize_all = "snake_case")
)]
pub enum Space {
    /// The start player, who leads the first trick.
    Start(Character),
    /// The use of cards before the first trick.
    Discard(DiscardRule),
    /// The trump colour.
    Trump(TrumpSpace),
    /// The colour whose 1s are supertrumps.
    Supertrump(TrumpSpace),
    /// The points of tricks and loot cards.
    Points(Points),
}

/// The names of a space, which may not exist.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    row: String,
    space: String,
}

impl<'de> Deserialize<'de> for Space {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let named = Named::deserialize(deserializer)?;
        named.try_into().map_err(Illegal::into_error)
    }
}

impl TryFrom<Named> for Space {
    type Error = Illegal;

    fn try_from(named: Named) -> Result<Self, Illegal> {
        fn space<'a, T: Deserialize<'a>>(name: &'a str) -> Result<T, Illegal> {
            let name: value::StrDeserializer<'a, value::Error> = name.into_deserializer();
            T::deserialize(name).map_err(|_| illegal::UNKNOWN_SPACE)
        }

        let name = named.space.as_str();
        match named.row.as_str() {
            "start" => space(name).map(Self::Start),
            "discard" => space(name).map(Self::Discard),
            "trump" => space(name).map(Self::Trump),
            "supertrump" => space(name).map(Self::Supertrump),
            "points" => space(name).map(Self::Points),
            _ => Err(illegal::UNKNOWN_SPACE),
        }
    }
}

/// The spaces of one row, each with the seat that has covered it; `None`: the space is free.
pub type Row<S> = BTreeMap<S, Option<Seat>>;

/// The five rows of spaces. Characters without a seat count as covered and are left out. The trump
/// row has `none` only if the options add it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Board {
    /// The start player, who leads the first trick.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::StartRow"))]
    pub start: Row<Character>,
    /// The use of cards before the first trick.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::DiscardRow"))]
    pub discard: Row<DiscardRule>,
    /// The trump colour.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::TrumpRow"))]
    pub trump: Row<TrumpSpace>,
    /// The colour whose 1s are supertrumps.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::SupertrumpRow"))]
    pub supertrump: Row<TrumpSpace>,
    /// The points of tricks and loot cards.
    #[cfg_attr(feature = "schema", schemars(with = "super::schema::PointsRow"))]
    pub points: Row<Points>,
}

/// The rules of a round: the free space of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conditions {
    /// The character of the seat that leads the first trick.
    pub start: Character,
    /// The seat of that character: the start player.
    pub start_seat: Seat,
    /// The use of cards before the first trick.
    pub discard: DiscardRule,
    /// The trump colour.
    pub trump: TrumpSpace,
    /// The colour whose 1s are supertrumps.
    pub supertrump: TrumpSpace,
    /// The points of tricks and loot cards.
    pub points: Points,
}

impl Conditions {
    /// The suits of the round.
    pub fn suits(&self) -> Suits {
        Suits {
            trump: self.trump,
            supertrump: self.supertrump,
        }
    }
}

impl Board {
    /// A board without a cover.
    pub fn new(characters: &BySeat<Character>, no_trump_space: bool) -> Self {
        fn row<S: Ord>(spaces: impl IntoIterator<Item = S>) -> Row<S> {
            spaces.into_iter().map(|space| (space, None)).collect()
        }

        let trumps = || TrumpSpace::ALL.into_iter();
        Self {
            start: row(characters.iter().copied()),
            discard: row(DiscardRule::ALL),
            trump: row(trumps().filter(|trump| no_trump_space || *trump != TrumpSpace::None)),
            supertrump: row(trumps()),
            points: row(Points::ALL),
        }
    }

    /// All spaces, row by row, each with the seat that has covered it.
    pub fn spaces(&self) -> impl Iterator<Item = (Space, Option<Seat>)> {
        fn row<S: Copy>(
            row: &Row<S>,
            space: fn(S) -> Space,
        ) -> impl Iterator<Item = (Space, Option<Seat>)> {
            row.iter().map(move |(name, by)| (space(*name), *by))
        }

        row(&self.start, Space::Start)
            .chain(row(&self.discard, Space::Discard))
            .chain(row(&self.trump, Space::Trump))
            .chain(row(&self.supertrump, Space::Supertrump))
            .chain(row(&self.points, Space::Points))
    }

    /// The free spaces, row by row.
    pub fn free(&self) -> impl Iterator<Item = Space> {
        self.spaces()
            .filter(|(_, by)| by.is_none())
            .map(|(space, _)| space)
    }

    /// Checks that `space` may be covered: it is free, and not the last free space of its row
    /// (section 3).
    ///
    /// # Errors
    /// In this order: [`illegal::UNKNOWN_SPACE`], [`illegal::SPACE_COVERED`],
    /// [`illegal::LAST_SPACE_IN_ROW`].
    pub fn check(&self, space: Space) -> Result<(), Illegal> {
        match self.spaces().find(|(known, _)| *known == space) {
            Some((_, Some(_))) => return Err(illegal::SPACE_COVERED),
            Some((_, None)) => {}
            // A character without a seat counts as covered.
            None if matches!(space, Space::Start(_)) => return Err(illegal::SPACE_COVERED),
            None => return Err(illegal::UNKNOWN_SPACE),
        }
        let same_row =
            |other: &Space| std::mem::discriminant(other) == std::mem::discriminant(&space);
        if self.free().filter(same_row).count() == 1 {
            return Err(illegal::LAST_SPACE_IN_ROW);
        }
        Ok(())
    }

    /// Covers a free space for `seat`.
    pub fn cover(&mut self, space: Space, seat: Seat) {
        let by = match space {
            Space::Start(character) => self.start.get_mut(&character),
            Space::Discard(discard) => self.discard.get_mut(&discard),
            Space::Trump(trump) => self.trump.get_mut(&trump),
            Space::Supertrump(trump) => self.supertrump.get_mut(&trump),
            Space::Points(points) => self.points.get_mut(&points),
        };
        *by.expect("only a space of this board is covered") = Some(seat);
    }

    /// The number of covers until each row has one free space.
    pub fn covers_left(&self) -> usize {
        const ROWS: usize = 5;
        self.free().count() - ROWS
    }

    /// The rules of the round, once each row has exactly one free space.
    pub fn conditions(&self, characters: &BySeat<Character>) -> Option<Conditions> {
        fn only<S: Copy>(row: &Row<S>) -> Option<S> {
            let mut free = row.iter().filter(|(_, by)| by.is_none());
            let (space, _) = free.next()?;
            free.next().is_none().then_some(*space)
        }

        let start = only(&self.start)?;
        let (start_seat, _) = characters.entries().find(|(_, played)| **played == start)?;
        Some(Conditions {
            start,
            start_seat,
            discard: only(&self.discard)?,
            trump: only(&self.trump)?,
            supertrump: only(&self.supertrump)?,
            points: only(&self.points)?,
        })
    }
}
