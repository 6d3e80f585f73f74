//! A fast engine for the tricks of a round of Sticheln. Searches and self-play copy its state
//! millions of times.
//!
//! It does not allocate, and a test compares it with `sticheln_rules::Sticheln`. Sections are those
//! of `docs/rules/sticheln.md`.

use std::hint::select_unpredictable;

use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};
use thiserror::Error;

use super::cards::{CardIndex, Cards};

/// The strength that a trump has in addition to its value: more than any value.
const TRUMP: u32 = 16;

/// One byte for each colour.
type ByColour = u64;

/// The error of a card that the seat on turn does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the seat on turn does not hold this card")]
pub struct NotHeld;

/// A round after the reveal, with all hands known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The hand of each seat.
    hands: [Cards; Seats::MAX],
    /// All cards in hands.
    held: Cards,
    /// The points of each seat so far, with those of its picked card.
    points: [i16; Seats::MAX],
    /// The unwanted colour of each seat.
    unwanted: [u8; Seats::MAX],
    /// The number of seats.
    seats: u32,
    /// The number of tricks that are not finished.
    tricks_left: u32,
    /// The seat on turn.
    turn: u32,
    trick: Trick,
    /// Whether the leader takes a trick of zeros only; otherwise its cards are set aside.
    is_zero_trick_taken: bool,
}

/// The current trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trick {
    /// For each colour, the sum of `value + 1` over its cards in the trick. This is the difference
    /// for a taker between a wanted and an unwanted colour.
    costs: ByColour,
    /// The number of cards in the trick.
    count: u32,
    /// The colour that was led.
    lead: u32,
    /// The strength of the winning card; 0 if no card wins.
    best_strength: u32,
    /// The winning seat; the leader if no card wins.
    winning: u32,
}

impl Engine {
    /// A round whose first trick `leader` leads. `hands` are the hands after the picks. Only the
    /// first `seats` entries of both lists count.
    #[inline(always)]
    pub fn new(
        seats: Seats,
        hands: [Cards; Seats::MAX],
        picks: [CardIndex; Seats::MAX],
        leader: Seat,
        all_zero_trick: AllZeroTrick,
    ) -> Self {
        let leader = leader.index() as u32;
        let add = |held: Cards, hand: &Cards| held.union(*hand);
        let held = hands[..seats.count()].iter().fold(Cards::EMPTY, add);
        Self {
            hands,
            held,
            tricks_left: (held.len() / seats.count()) as u32,
            points: picks.map(|pick| -(pick.value() as i16)),
            unwanted: picks.map(|pick| pick.colour() as u8),
            seats: seats.count() as u32,
            turn: leader,
            trick: Trick {
                costs: 0,
                count: 0,
                lead: 0,
                best_strength: 0,
                winning: leader,
            },
            is_zero_trick_taken: all_zero_trick == AllZeroTrick::Leader,
        }
    }

    /// The number of seats.
    #[inline(always)]
    pub fn seats(&self) -> usize {
        self.seats as usize
    }

    /// The seat on turn.
    #[inline(always)]
    pub fn turn(&self) -> usize {
        self.turn as usize
    }

    /// The hand of a seat.
    #[inline(always)]
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// All cards in hands.
    #[inline(always)]
    pub fn held(&self) -> Cards {
        self.held
    }

    /// The number of cards in hands.
    #[inline(always)]
    pub fn cards_left(&self) -> usize {
        self.tricks_left() * self.seats() - self.cards_in_trick()
    }

    /// The number of tricks that are not finished, which is the number of cards of the seat on
    /// turn.
    #[inline(always)]
    pub fn tricks_left(&self) -> usize {
        self.tricks_left as usize
    }

    /// The unwanted colour of a seat.
    #[inline(always)]
    pub fn unwanted(&self, seat: usize) -> usize {
        self.unwanted[seat].into()
    }

    /// The points of a seat so far, with those of its picked card (section 6).
    #[inline(always)]
    pub fn points(&self, seat: usize) -> i32 {
        self.points[seat].into()
    }

    /// The points of a seat so far minus the mean of the others, times the number of the others.
    pub fn scaled_margin(&self, seat: usize) -> i32 {
        crate::scaled_margin(seat, self.seats(), |seat| self.points(seat))
    }

    /// The number of cards in the trick.
    #[inline(always)]
    pub fn cards_in_trick(&self) -> usize {
        self.trick.count as usize
    }

    /// The number of seats that play to the trick after the seat on turn.
    #[inline(always)]
    pub fn later_seats(&self) -> usize {
        self.seats() - 1 - self.cards_in_trick()
    }

    /// The colour that was led; `None` before the first card.
    #[inline(always)]
    pub fn lead(&self) -> Option<usize> {
        (self.trick.count > 0).then_some(self.trick.lead as usize)
    }

    /// The winning seat of the trick; `None` if the trick has only zeros.
    #[inline(always)]
    pub fn winning(&self) -> Option<usize> {
        (self.trick.best_strength > 0).then_some(self.trick.winning as usize)
    }

    /// The seat that would take the trick with the cards so far; `None` if its cards would be set
    /// aside (section 5).
    #[inline(always)]
    pub fn taker(&self) -> Option<usize> {
        (self.trick.best_strength > 0 || self.is_zero_trick_taken)
            .then_some(self.trick.winning as usize)
    }

    /// The value of the winning card if it is a trump.
    #[inline(always)]
    pub fn winning_trump(&self) -> Option<usize> {
        self.trick
            .best_strength
            .checked_sub(TRUMP)
            .map(|value| value as usize)
    }

    /// The lowest winning values in the led colour and in the other colours; more than any value if
    /// none wins. The led colour is any colour for a leader.
    #[inline(always)]
    pub fn lowest_winning_values(&self) -> [usize; 2] {
        let led = if self.trick.best_strength < TRUMP {
            self.trick.best_strength
        } else {
            TRUMP - 2
        };
        [led + 1, self.trick.best_strength.max(TRUMP) - TRUMP + 1].map(|value| value as usize)
    }

    /// Whether `card` would be the winning card of the trick (section 5.1).
    #[inline(always)]
    pub fn would_win(&self, card: CardIndex) -> bool {
        let strength = if self.trick.count == 0 {
            card.value() as u32
        } else {
            self.strength(card)
        };
        strength > self.trick.best_strength
    }

    /// The points of the cards in the trick for a seat, if it takes them (section 6).
    #[inline(always)]
    pub fn trick_points(&self, seat: usize) -> i32 {
        let cost = (self.trick.costs >> (8 * self.unwanted[seat])) as u8;
        self.trick.count as i32 - i32::from(cost)
    }

    /// Whether all cards have been played.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.tricks_left == 0
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors
    /// [`NotHeld`] if the card is not in the hand; the state is unchanged. Any card of the hand is
    /// legal (section 4).
    #[inline(always)]
    pub fn play(&mut self, card: CardIndex) -> Result<(), NotHeld> {
        let turn = self.turn;
        if !self.hands[turn as usize].remove(card) {
            return Err(NotHeld);
        }
        self.held.remove(card);
        if self.trick.count == 0 {
            self.trick.lead = card.colour() as u32;
        }
        let strength = self.strength(card);
        // This has no branch, which would be mispredicted often.
        let wins = strength > self.trick.best_strength;
        self.trick.best_strength = select_unpredictable(wins, strength, self.trick.best_strength);
        self.trick.winning = select_unpredictable(wins, turn, self.trick.winning);
        self.trick.costs += (1 + card.value() as u64) << (8 * card.colour());
        self.trick.count += 1;
        self.turn = if turn + 1 == self.seats { 0 } else { turn + 1 };
        if self.trick.count == self.seats {
            self.finish_trick();
        }
        Ok(())
    }

    /// The strength of `card` if [`Self::lead`] was led. A zero never wins, and of equal cards the
    /// first one wins (section 5.1).
    #[inline(always)]
    fn strength(&self, card: CardIndex) -> u32 {
        let value = card.value() as u32;
        let is_trump = (value > 0) & (card.colour() as u32 != self.trick.lead);
        value + TRUMP * u32::from(is_trump)
    }

    /// Gives the trick to its taker, who leads. With zeros only, nobody or the leader takes it
    /// (section 5).
    #[inline(always)]
    fn finish_trick(&mut self) {
        if let Some(taker) = self.taker() {
            self.points[taker] += self.trick_points(taker) as i16;
        }
        self.turn = self.trick.winning;
        self.trick.best_strength = 0;
        self.tricks_left -= 1;
        self.trick.count = 0;
        self.trick.costs = 0;
    }
}
