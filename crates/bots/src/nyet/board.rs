//! The board of Nyet!, as bits.

use sticheln_rules::nyet::{Character, Discard, Points, Space, Suits, Table, Trump};

use super::cards::Kinds;

/// A space as a small number: five for each row, in the order of `docs/rules/nyet.md`, section 3;
/// in the first row the seats.
pub type Place = u8;

/// How many spaces a row has at most.
pub const WIDTH: usize = 5;

/// The rows, by the place of their first space.
pub const START: usize = 0;
/// What happens before the first trick.
pub const DISCARD: usize = WIDTH;
/// The trump colour.
pub const TRUMP: usize = 2 * WIDTH;
/// The colour of the supertrumps.
pub const SUPERTRUMP: usize = 3 * WIDTH;
/// What a trick is worth.
pub const POINTS: usize = 4 * WIDTH;
/// All rows.
const ROWS: [usize; 5] = [START, DISCARD, TRUMP, SUPERTRUMP, POINTS];
/// The bits of a row.
const ROW: u32 = (1 << WIDTH) - 1;

/// The spaces of a board that are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free(u32);

impl Free {
    /// Those of this table.
    pub fn of(table: &Table) -> Self {
        let places = table.board.free().filter_map(|space| place(table, space));
        Self(places.fold(0, |free, place| free | 1 << place))
    }

    /// Those of the row that begins there, counted in the row.
    pub fn row(self, row: usize) -> impl Iterator<Item = usize> {
        (0..WIDTH).filter(move |at| self.0 >> (row + at) & 1 == 1)
    }

    /// How many spaces of a row are free.
    pub fn count(self, row: usize) -> usize {
        (self.0 >> row & ROW).count_ones() as usize
    }

    /// The free space of a row, counted in the row; of several the first.
    fn first(self, row: usize) -> usize {
        (self.0 >> row & ROW).trailing_zeros() as usize
    }

    /// The spaces that may be covered: any but the last one of a row.
    pub fn coverable(self) -> impl Iterator<Item = Place> {
        let rows = ROWS.into_iter().filter(move |row| self.count(*row) > 1);
        rows.flat_map(move |row| self.row(row).map(move |at| (row + at) as Place))
    }

    /// Covers a space.
    pub fn cover(&mut self, place: Place) {
        self.0 &= !(1 << place);
    }

    /// Uncovers a space.
    pub fn uncover(&mut self, place: Place) {
        self.0 |= 1 << place;
    }

    /// The rules of the round, once each row has one free space.
    pub fn terms(self, supertrump_loot: bool) -> Option<Terms> {
        let is_settled = ROWS.into_iter().all(|row| self.count(row) == 1);
        is_settled.then(|| {
            let suits = Suits {
                trump: Trump::ALL[self.first(TRUMP)],
                supertrump: Trump::ALL[self.first(SUPERTRUMP)],
            };
            Terms {
                start: self.first(START),
                discard: Discard::ALL[self.first(DISCARD)],
                kinds: Kinds::new(suits, supertrump_loot),
                points: Points::ALL[self.first(POINTS)].value(),
            }
        })
    }
}

/// The rules of a round, as far as they depend on the board.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The start player.
    pub start: usize,
    /// What happens before the first trick.
    pub discard: Discard,
    /// What is trump, and what is loot.
    pub kinds: Kinds,
    /// What a trick is worth.
    pub points: i32,
}

/// The number of a space; `None` for a character that nobody plays.
pub fn place(table: &Table, space: Space) -> Option<Place> {
    let (row, at) = match space {
        Space::Start(character) => (START, seat_of(table, character)?),
        Space::Discard(discard) => (DISCARD, at(&Discard::ALL, &discard)?),
        Space::Trump(trump) => (TRUMP, at(&Trump::ALL, &trump)?),
        Space::Supertrump(trump) => (SUPERTRUMP, at(&Trump::ALL, &trump)?),
        Space::Points(points) => (POINTS, at(&Points::ALL, &points)?),
    };
    Some((row + at) as Place)
}

fn seat_of(table: &Table, character: Character) -> Option<usize> {
    let mut played = table.characters.iter();
    played.position(|other| *other == character)
}

fn at<T: PartialEq>(row: &[T], wanted: &T) -> Option<usize> {
    row.iter().position(|space| space == wanted)
}
