//! Editions, and the options of a game.

use serde::{Deserialize, Serialize};

use crate::{Card, Colour, End, Seats};

/// The edition of the game. `docs/rules/sticheln.md`, section 2, has all differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Edition {
    /// The later edition, and the default.
    #[default]
    #[serde(rename = "nsv")]
    Nsv,
    /// The first edition, of 1993: with orange, a dealer, and 10 rounds.
    #[serde(rename = "amigo-1993")]
    Amigo1993,
}

impl Edition {
    /// The colours with this number of seats: six with six seats, otherwise five (section 2).
    pub fn colours(self, seats: Seats) -> &'static [Colour] {
        use Colour::{Blue, Green, Grey, Orange, Purple, Red, Yellow};
        match (self, seats.count()) {
            (Self::Nsv, 6) => &[Red, Yellow, Green, Blue, Purple, Grey],
            (Self::Nsv, _) => &[Red, Yellow, Green, Blue, Purple],
            (Self::Amigo1993, 6) => &[Red, Orange, Yellow, Green, Blue, Purple],
            (Self::Amigo1993, _) => &[Red, Orange, Yellow, Green, Blue],
        }
    }

    /// Whether this edition has the card with this number of seats.
    pub fn has(self, card: Card, seats: Seats) -> bool {
        card.value <= max_value(seats) && self.colours(seats).contains(&card.colour)
    }

    /// All cards with this number of seats: 15 for each seat.
    pub fn pack(self, seats: Seats) -> Vec<Card> {
        let values = |colour| (0..=max_value(seats)).map(move |value| Card::new(colour, value));
        let colours = self.colours(seats).iter().copied();
        colours.flat_map(values).collect()
    }

    /// The default for a trick of zeros only (section 5.2).
    pub fn all_zero_trick(self) -> AllZeroTrick {
        match self {
            Self::Nsv => AllZeroTrick::Nobody,
            Self::Amigo1993 => AllZeroTrick::Leader,
        }
    }

    /// The default end of a game (section 7).
    pub fn end(self, seats: Seats) -> End {
        let rounds = match self {
            Self::Nsv => seats.count() as u16,
            Self::Amigo1993 => 10,
        };
        End::rounds(rounds).expect("3 to 6, or 10, is a number of rounds")
    }
}

/// The highest value with this number of seats (section 2).
fn max_value(seats: Seats) -> u8 {
    match seats.count() {
        ..=3 => 8,
        4 => 11,
        5.. => 14,
    }
}

/// The seat that gets a trick of zeros only (`docs/rules/sticheln.md`, sections 5.2 and 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllZeroTrick {
    /// No seat: its cards are set aside, and the same seat leads again.
    Nobody,
    /// The seat that led it.
    Leader,
}

/// The finished tricks that stay open (`docs/rules/sticheln.md`, sections 9 and 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// No trick.
    Off,
    /// The last trick.
    #[default]
    LastTrick,
    /// All tricks of the round.
    All,
}

/// The options of a game. An option that is left out has its default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "StichelnOptions")
)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The edition.
    pub edition: Edition,
    /// The end of the game; `None`: that of the edition ([`Edition::end`]).
    pub end: Option<End>,
    /// The seat that gets a trick of zeros only; `None`: that of the edition
    /// ([`Edition::all_zero_trick`]).
    pub all_zero_trick: Option<AllZeroTrick>,
    /// Whether the last finished trick lies open until the next one is finished.
    pub show_last_trick: bool,
    /// The finished tricks that can be looked up. With [`History::Off`] the last trick does not lie
    /// open; with [`History::All`] it can always be looked up.
    pub show_history: History,
    /// Whether the points of the round are shown while it is played.
    pub show_running_score: bool,
}

impl Options {
    /// The seat that gets a trick of zeros only in this game.
    pub fn all_zero_trick(&self) -> AllZeroTrick {
        self.all_zero_trick
            .unwrap_or_else(|| self.edition.all_zero_trick())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            edition: Edition::default(),
            end: None,
            all_zero_trick: None,
            show_last_trick: true,
            show_history: History::default(),
            show_running_score: false,
        }
    }
}
