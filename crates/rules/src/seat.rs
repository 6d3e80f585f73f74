//! Seats, and values for each seat.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, de};

/// A place in the game, counted clockwise from 0.
///
/// A number from outside may not be a seat of the game; [`Seats::contains`] and [`BySeat::get`]
/// check it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Seat(#[cfg_attr(feature = "schema", schemars(range(max = 5)))] u8);

impl Seat {
    /// The seat with this number.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The number, as an index of a list in seat order.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of seats of a game: 1 to [`Seats::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seats(u8);

impl Seats {
    /// The most seats of any game.
    pub const MAX: usize = 6;

    /// This many seats; `None` if it is not from 1 to [`Seats::MAX`].
    pub const fn new(count: usize) -> Option<Self> {
        if 1 <= count && count <= Self::MAX {
            Some(Self(count as u8))
        } else {
            None
        }
    }

    /// The number of seats.
    pub const fn count(self) -> usize {
        self.0 as usize
    }

    /// Whether `seat` is a seat of the game.
    pub const fn contains(self, seat: Seat) -> bool {
        seat.0 < self.0
    }

    /// All seats, from 0.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// All seats clockwise from `first`.
    pub fn clockwise_from(self, first: Seat) -> impl Iterator<Item = Seat> {
        (0..self.count()).map(move |steps| self.clockwise(first, steps))
    }

    /// The left neighbour of `seat`: the next in turn order.
    pub const fn left_of(self, seat: Seat) -> Seat {
        self.clockwise(seat, 1)
    }

    /// The seat that is `steps` places clockwise from `seat`.
    pub const fn clockwise(self, seat: Seat, steps: usize) -> Seat {
        Seat(((seat.index() + steps) % self.count()) as u8)
    }
}

/// A value for each seat of a game, indexed by [`Seat`].
///
/// Indexing with a seat of another game panics; [`BySeat::get`] does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct BySeat<T>(Vec<T>);

impl<T> BySeat<T> {
    /// The values that `make` returns for the seats.
    pub fn from_fn(seats: Seats, make: impl FnMut(Seat) -> T) -> Self {
        Self(seats.iter().map(make).collect())
    }

    /// These values, that of seat 0 first; `None` if there are none or more than [`Seats::MAX`].
    pub fn new(values: Vec<T>) -> Option<Self> {
        Seats::new(values.len()).map(|_| Self(values))
    }

    /// The same value for each seat.
    pub fn all(seats: Seats, value: T) -> Self
    where
        T: Clone,
    {
        Self(vec![value; seats.count()])
    }

    /// The seats that have a value.
    pub fn seats(&self) -> Seats {
        Seats::new(self.0.len()).expect("every constructor counts the seats")
    }

    /// The value of `seat`; `None` if it is not a seat of the game.
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// The values in seat order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Mutable references to the values in seat order.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }

    /// Each seat with its value.
    pub fn entries(&self) -> impl Iterator<Item = (Seat, &T)> {
        self.seats().iter().zip(&self.0)
    }

    /// The values that `make` returns for these values.
    pub fn map<U>(&self, make: impl FnMut(&T) -> U) -> BySeat<U> {
        BySeat(self.0.iter().map(make).collect())
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

impl<'a, T> IntoIterator for &'a BySeat<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for BySeat<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BySeat<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?)
            .ok_or_else(|| de::Error::custom("not one value for each of 1 to 6 seats"))
    }
}
