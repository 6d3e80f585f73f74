//! A fast engine for the tricks of a round of Nyet!. Searches copy its state millions of times.
//!
//! It does not allocate, and a test compares it with `sticheln_rules::Nyet`. Sections are those of
//! `docs/rules/nyet.md`.

use sticheln_rules::nyet::Teams;
use sticheln_rules::{Game, Nyet, Seat, Seats};
use thiserror::Error;

use super::cards::{CardIndex, Cards, SpecialCards};

/// The maximum number of seats.
pub const SEATS: usize = *<Nyet as Game>::SEATS.end();

/// The error of a card that the seat on turn may not play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the seat on turn may not play this card")]
pub struct NotLegal;

/// How the tricks of a round count: the team of each seat, and its points (sections 4 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// The team of each seat, 0 or 1. With two seats each seat is a team.
    pub team: [u8; SEATS],
    /// The points of each seat for a trick or a loot card of its team, doubled with the x2 card.
    pub trick_points: [i8; SEATS],
}

impl Scoring {
    /// The scoring of these teams with `points` for a trick.
    pub fn new(teams: &Teams, points: i32) -> Self {
        let mut scoring = Self {
            team: [0; SEATS],
            trick_points: [0; SEATS],
        };
        for (seat, team) in teams.of.entries() {
            scoring.team[seat.index()] = *team;
            scoring.trick_points[seat.index()] = (points * teams.factor(seat)) as i8;
        }
        scoring
    }

    /// The scoring of two seats, each of which plays for itself.
    pub fn alone(points: i32) -> Self {
        Self {
            team: std::array::from_fn(|seat| (seat % 2) as u8),
            trick_points: [points as i8; SEATS],
        }
    }
}

/// The tricks of a round, with all hands known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The hand of each seat.
    hands: [Cards; SEATS],
    /// The cards that each seat has been shown not to hold, because it did not follow suit.
    voids: [Cards; SEATS],
    /// The cards that have not been played, also those laid aside or not dealt.
    unplayed: Cards,
    /// The trumps, supertrumps and loot cards.
    special_cards: SpecialCards,
    /// The teams and points.
    scoring: Scoring,
    /// The number of tricks and loot cards of each team.
    won: [u8; 2],
    /// The number of seats.
    seats: u8,
    /// The seat on turn.
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
        special_cards: SpecialCards,
        scoring: Scoring,
        leader: Seat,
    ) -> Self {
        let leader = leader.index() as u8;
        Self {
            hands,
            voids: [Cards::EMPTY; SEATS],
            unplayed,
            special_cards,
            scoring,
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

    /// The trumps, supertrumps and loot cards.
    pub fn special_cards(&self) -> &SpecialCards {
        &self.special_cards
    }

    /// The teams and points.
    pub fn scoring(&self) -> &Scoring {
        &self.scoring
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
    pub fn would_win(&self, card: CardIndex) -> bool {
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
        let won = self.won(self.scoring.team[seat]);
        i32::from(won) * i32::from(self.scoring.trick_points[seat])
    }

    /// The points of a seat so far minus the mean of the others, times the number of the others.
    pub fn scaled_margin(&self, seat: usize) -> i32 {
        crate::scaled_margin(seat, self.seats(), |seat| self.points(seat))
    }

    /// Whether all cards have been played.
    pub fn is_over(&self) -> bool {
        self.trick.count == 0 && self.hands[self.turn()].is_empty()
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors
    /// [`NotLegal`] if the seat may not play the card; the state is unchanged.
    pub fn play(&mut self, card: CardIndex) -> Result<(), NotLegal> {
        if !self.legal().contains(card) {
            return Err(NotLegal);
        }
        let turn = self.turn();
        if self.would_win(card) {
            self.trick.winning = self.turn;
            self.trick.beating = self.special_cards.beating(card);
        }
        if self.trick.count == 0 {
            self.trick.lead = self.special_cards.suit(card);
        } else if !self.trick.lead.contains(card) {
            self.voids[turn] = self.voids[turn].union(self.trick.lead);
        }
        self.hands[turn].remove(card);
        self.unplayed.remove(card);
        let team = usize::from(self.scoring.team[turn]);
        self.trick.loot[team] += u8::from(self.special_cards.loot.contains(card));
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

    /// Gives the trick, and the 1s of the other team, to the taker's team. The taker leads
    /// (section 6).
    fn finish_trick(&mut self) {
        let team = usize::from(self.scoring.team[self.winning()]);
        self.won[team] += 1 + self.trick.loot[1 - team];
        self.trick.loot = [0; 2];
        self.turn = self.trick.winning;
        self.trick.count = 0;
        self.trick.lead = Cards::EMPTY;
        self.trick.beating = Cards::EMPTY;
    }
}
