//! A fast engine for the tricks of a round of Nyet!. Searches copy its state millions of times.
//!
//! It does not allocate, and a test compares it with `sticheln_rules::Nyet`. Sections are those of
//! `docs/rules/nyet.md`.

use sticheln_rules::nyet::Teams;
use sticheln_rules::{Game, Nyet, Seat, Seats};
use thiserror::Error;

use super::cards::{Cards, Code, Kinds};

/// The most seats.
pub const SEATS: usize = *<Nyet as Game>::SEATS.end();

/// The error of a card that the seat on turn may not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the seat on turn may not play this card")]
pub struct NotLegal;

/// The teams and points of a round (sections 4 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stakes {
    /// The team of each seat, 0 or 1. With two seats each seat is a team.
    pub team: [u8; SEATS],
    /// The points of each seat for a trick or a loot card of its team, doubled with the x2 card.
    pub each: [i8; SEATS],
}

impl Stakes {
    /// The stakes of these teams with `points` for a trick.
    pub fn new(teams: &Teams, points: i32) -> Self {
        let mut stakes = Self {
            team: [0; SEATS],
            each: [0; SEATS],
        };
        for (seat, team) in teams.of.entries() {
            stakes.team[seat.index()] = *team;
            stakes.each[seat.index()] = (points * teams.factor(seat)) as i8;
        }
        stakes
    }

    /// The stakes of two seats, each of which plays for itself.
    pub fn alone(points: i32) -> Self {
        Self {
            team: std::array::from_fn(|seat| (seat % 2) as u8),
            each: [points as i8; SEATS],
        }
    }
}

/// The tricks of a round, with all hands known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    hands: [Cards; SEATS],
    /// The cards that each seat has been shown not to hold, because it did not follow suit.
    voids: [Cards; SEATS],
    /// The cards that have not been played, also those laid aside or not dealt.
    unplayed: Cards,
    kinds: Kinds,
    stakes: Stakes,
    /// The number of tricks and loot cards of each team.
    won: [u8; 2],
    seats: u8,
    turn: u8,
    trick: Trick,
}

/// The current trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trick {
    /// The cards of the led suit.
    lead: Cards,
    /// All cards that beat the winning card.
    beating: Cards,
    /// For each team, the number of its cards that become loot if the other team takes the trick.
    loot: [u8; 2],
    /// The number of cards in the trick.
    count: u8,
    /// The winning seat.
    winning: u8,
}

impl Engine {
    /// The state before the first trick, which `leader` leads. `hands` are the hands after the
    /// discards. `unplayed` contains these and all cards that are out of the round. Only the first
    /// `seats` entries of a list count.
    pub fn new(
        seats: Seats,
        hands: [Cards; SEATS],
        unplayed: Cards,
        kinds: Kinds,
        stakes: Stakes,
        leader: Seat,
    ) -> Self {
        let leader = leader.index() as u8;
        Self {
            hands,
            voids: [Cards::EMPTY; SEATS],
            unplayed,
            kinds,
            stakes,
            won: [0; 2],
            seats: seats.count() as u8,
            turn: leader,
            trick: Trick {
                lead: Cards::EMPTY,
                beating: Cards::EMPTY,
                loot: [0; 2],
                count: 0,
                winning: leader,
            },
        }
    }

    /// Replaces the hands, of which no card has been played.
    pub fn deal(&mut self, hands: [Cards; SEATS]) {
        self.hands = hands;
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.seats.into()
    }

    /// The seat on turn.
    pub fn turn(&self) -> usize {
        self.turn.into()
    }

    /// The hand of a seat.
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// The cards that a seat has been shown not to hold.
    pub fn voids(&self, seat: usize) -> Cards {
        self.voids[seat]
    }

    /// The cards that have not been played, also those laid aside or not dealt.
    pub fn unplayed(&self) -> Cards {
        self.unplayed
    }

    /// The suits, supertrumps and loot cards.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The teams and points.
    pub fn stakes(&self) -> &Stakes {
        &self.stakes
    }

    /// The legal cards of the seat on turn (section 6).
    pub fn legal(&self) -> Cards {
        let hand = self.hands[self.turn()];
        let following = hand.intersection(self.trick.lead);
        if following.is_empty() {
            hand
        } else {
            following
        }
    }

    /// The number of cards in the trick.
    pub fn cards_in_trick(&self) -> usize {
        self.trick.count.into()
    }

    /// All cards of the led suit; none before the first card.
    pub fn lead(&self) -> Cards {
        self.trick.lead
    }

    /// The winning seat of the trick; the leader before the first card.
    pub fn winning(&self) -> usize {
        self.trick.winning.into()
    }

    /// All cards that beat the winning card.
    pub fn beating(&self) -> Cards {
        self.trick.beating
    }

    /// Whether `card` would be the winning card of the trick.
    pub fn would_win(&self, card: Code) -> bool {
        self.trick.count == 0 || self.trick.beating.contains(card)
    }

    /// The number of cards of this team that become loot if the other team takes the trick.
    pub fn loot(&self, team: u8) -> u8 {
        self.trick.loot[team as usize]
    }

    /// The number of tricks and loot cards of a team.
    pub fn won(&self, team: u8) -> u8 {
        self.won[team as usize]
    }

    /// The points of a seat for the tricks so far (section 7).
    pub fn points(&self, seat: usize) -> i32 {
        let won = self.won(self.stakes.team[seat]);
        i32::from(won) * i32::from(self.stakes.each[seat])
    }

    /// The points of a seat minus the mean of the others, times the number of the others.
    pub fn margin(&self, seat: usize) -> i32 {
        let all: i32 = (0..self.seats()).map(|seat| self.points(seat)).sum();
        self.points(seat) * i32::from(self.seats) - all
    }

    /// Whether all cards have been played.
    pub fn is_over(&self) -> bool {
        self.trick.count == 0 && self.hands[self.turn()].is_empty()
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors [`NotLegal`], which leaves the state unchanged.
    pub fn play(&mut self, card: Code) -> Result<(), NotLegal> {
        if !self.legal().contains(card) {
            return Err(NotLegal);
        }
        let turn = self.turn();
        if self.would_win(card) {
            self.trick.winning = self.turn;
            self.trick.beating = self.kinds.beating(card);
        }
        if self.trick.count == 0 {
            self.trick.lead = self.kinds.suit(card);
        } else if !self.trick.lead.contains(card) {
            self.voids[turn] = self.voids[turn].union(self.trick.lead);
        }
        self.hands[turn].remove(card);
        self.unplayed.remove(card);
        let team = usize::from(self.stakes.team[turn]);
        self.trick.loot[team] += u8::from(self.kinds.loot.contains(card));
        self.trick.count += 1;
        self.turn = if self.turn + 1 == self.seats {
            0
        } else {
            self.turn + 1
        };
        if self.trick.count == self.seats {
            self.finish_trick();
        }
        Ok(())
    }

    /// Gives the trick, and the 1s of the other team, to the winner's team. The winner leads
    /// (section 6).
    fn finish_trick(&mut self) {
        let team = usize::from(self.stakes.team[self.winning()]);
        self.won[team] += 1 + self.trick.loot[1 - team];
        self.trick.loot = [0; 2];
        self.turn = self.trick.winning;
        self.trick.count = 0;
        self.trick.lead = Cards::EMPTY;
        self.trick.beating = Cards::EMPTY;
    }
}
