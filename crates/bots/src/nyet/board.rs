//! The board of Nyet!, as bits.

use sticheln_rules::nyet::{Character, DiscardRule, Points, Space, Suits, Table, TrumpSpace};

use super::cards::SpecialCards;

/// The index of a space: five for each row, in the order of `docs/rules/nyet.md`, section 3. The
/// first row has the seats.
pub type SpaceIndex = u8;

/// The maximum number of spaces of a row.
pub const WIDTH: usize = 5;

/// The start row, by the index of its first space; the other rows likewise.
pub const START: usize = 0;
/// The discard row.
pub const DISCARD: usize = WIDTH;
/// The trump row.
pub const TRUMP: usize = 2 * WIDTH;
/// The supertrump row.
pub const SUPERTRUMP: usize = 3 * WIDTH;
/// The points row.
pub const POINTS: usize = 4 * WIDTH;
/// All rows.
const ROWS: [usize; 5] = [START, DISCARD, TRUMP, SUPERTRUMP, POINTS];
/// The bits of a row.
const ROW: u32 = (1 << WIDTH) - 1;

/// The free spaces of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeSpaces(u32);

impl FreeSpaces {
    /// The free spaces of this table.
    pub fn of(table: &Table) -> Self {
        let indices = table
            .board
            .free()
            .filter_map(|space| space_index(table, space));
        Self(indices.fold(0, |free, index| free | 1 << index))
    }

    /// The free spaces of a row, counted from its first space.
    pub fn row(self, row: usize) -> impl Iterator<Item = usize> {
        (0..WIDTH).filter(move |at| self.0 >> (row + at) & 1 == 1)
    }

    /// The number of free spaces of a row.
    pub fn count(self, row: usize) -> usize {
        (self.0 >> row & ROW).count_ones() as usize
    }

    /// The first free space of a row, counted from its first space.
    fn first(self, row: usize) -> usize {
        (self.0 >> row & ROW).trailing_zeros() as usize
    }

    /// The spaces that may be covered: those of rows with more than one free space.
    pub fn coverable(self) -> impl Iterator<Item = SpaceIndex> {
        let rows = ROWS.into_iter().filter(move |row| self.count(*row) > 1);
        rows.flat_map(move |row| self.row(row).map(move |at| (row + at) as SpaceIndex))
    }

    /// Covers a space.
    pub fn cover(&mut self, index: SpaceIndex) {
        self.0 &= !(1 << index);
    }

    /// Uncovers a space.
    pub fn uncover(&mut self, index: SpaceIndex) {
        self.0 |= 1 << index;
    }

    /// The conditions of the round, if each row has one free space.
    pub fn conditions(self, supertrump_loot: bool) -> Option<PlayConditions> {
        let is_settled = ROWS.into_iter().all(|row| self.count(row) == 1);
        is_settled.then(|| {
            let suits = Suits {
                trump: TrumpSpace::ALL[self.first(TRUMP)],
                supertrump: TrumpSpace::ALL[self.first(SUPERTRUMP)],
            };
            PlayConditions {
                start: self.first(START),
                discard: DiscardRule::ALL[self.first(DISCARD)],
                special_cards: SpecialCards::new(suits, supertrump_loot),
                points: Points::ALL[self.first(POINTS)].value(),
            }
        })
    }
}

/// The conditions of a round, without the character: the rules that the board determines.
#[derive(Clone, Copy, Debug)]
pub struct PlayConditions {
    /// The start player.
    pub start: usize,
    /// The use of cards before the first trick.
    pub discard: DiscardRule,
    /// The trumps, supertrumps and loot cards.
    pub special_cards: SpecialCards,
    /// The points of a trick.
    pub points: i32,
}

/// The index of a space; `None` for a character without a seat.
pub fn space_index(table: &Table, space: Space) -> Option<SpaceIndex> {
    let (row, at) = match space {
        Space::Start(character) => (START, seat_of(table, character)?),
        Space::Discard(discard) => (DISCARD, index_in(&DiscardRule::ALL, &discard)?),
        Space::Trump(trump) => (TRUMP, index_in(&TrumpSpace::ALL, &trump)?),
        Space::Supertrump(trump) => (SUPERTRUMP, index_in(&TrumpSpace::ALL, &trump)?),
        Space::Points(points) => (POINTS, index_in(&Points::ALL, &points)?),
    };
    Some((row + at) as SpaceIndex)
}

/// The seat of a character; `None` if nobody plays it.
fn seat_of(table: &Table, character: Character) -> Option<usize> {
    let mut played = table.characters.iter();
    played.position(|other| *other == character)
}

/// The index of a space in its row.
fn index_in<T: PartialEq>(row: &[T], wanted: &T) -> Option<usize> {
    row.iter().position(|space| space == wanted)
}
