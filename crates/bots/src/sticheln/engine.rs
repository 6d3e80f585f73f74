//! The tricks of a round of Sticheln, fast: the state that searches and self-play copy millions of
//! times. It allocates nothing, and a test proves it equal to `sticheln_rules::Sticheln`.
//! Sections are those of `docs/rules/sticheln.md`.

use std::hint::select_unpredictable;

use sticheln_rules::sticheln::AllZeroTrick;
use sticheln_rules::{Seat, Seats};
use thiserror::Error;

use super::cards::{Cards, Code};

/// What a trump beats a card of the lead colour by: more than any value.
const TRUMP: u32 = 16;

/// One byte for each colour.
type ByColour = u64;

/// A card that the seat on turn does not hold, or a card after the last trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the seat on turn does not hold this card")]
pub struct NotHeld;

/// A round after the reveal, with all hands known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engine {
    hands: [Cards; Seats::MAX],
    /// What all of them hold together.
    held: Cards,
    points: [i16; Seats::MAX],
    unwanted: [u8; Seats::MAX],
    seats: u32,
    /// How many tricks are not finished.
    tricks_left: u32,
    turn: u32,
    trick: Trick,
    is_zero_trick_taken: bool,
}

/// The trick on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trick {
    /// For each colour, the sum of `value + 1` over its cards in the trick: the loss of a taker that
    /// does not want the colour, compared to one that does.
    costs: ByColour,
    /// How many cards lie in the trick.
    laid: u32,
    /// The colour that was led.
    lead: u32,
    /// The strength of the winning card; 0 as long as no card wins.
    best: u32,
    /// The seat that wins so far; the leader as long as no card wins.
    winning: u32,
}

impl Engine {
    /// A round whose first trick `leader` is to lead. `hands` are what the seats hold after they
    /// have picked; of both lists the first `seats` entries count.
    #[inline(always)]
    pub fn new(
        seats: Seats,
        hands: [Cards; Seats::MAX],
        picks: [Code; Seats::MAX],
        leader: Seat,
        all_zero_trick: AllZeroTrick,
    ) -> Self {
        let leader = leader.index() as u32;
        let together = |held: Cards, hand: &Cards| held.with(*hand);
        let held = hands[..seats.count()].iter().fold(Cards::EMPTY, together);
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
                laid: 0,
                lead: 0,
                best: 0,
                winning: leader,
            },
            is_zero_trick_taken: all_zero_trick == AllZeroTrick::Leader,
        }
    }

    /// How many seats there are.
    #[inline(always)]
    pub fn seats(&self) -> usize {
        self.seats as usize
    }

    /// The seat whose card comes next.
    #[inline(always)]
    pub fn turn(&self) -> usize {
        self.turn as usize
    }

    /// What a seat holds.
    #[inline(always)]
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// What all seats hold together.
    #[inline(always)]
    pub fn held(&self) -> Cards {
        self.held
    }

    /// How many cards all seats hold together.
    #[inline(always)]
    pub fn cards_left(&self) -> usize {
        self.tricks_left() * self.seats() - self.laid()
    }

    /// How many tricks are not finished: as many cards the seat on turn holds.
    #[inline(always)]
    pub fn tricks_left(&self) -> usize {
        self.tricks_left as usize
    }

    /// The colour that a seat does not want.
    #[inline(always)]
    pub fn unwanted(&self, seat: usize) -> usize {
        self.unwanted[seat].into()
    }

    /// The points of a seat so far, its picked card included (section 6).
    #[inline(always)]
    pub fn points(&self, seat: usize) -> i32 {
        self.points[seat].into()
    }

    /// How many cards lie in the trick.
    #[inline(always)]
    pub fn laid(&self) -> usize {
        self.trick.laid as usize
    }

    /// The colour that was led; `None` before the first card.
    #[inline(always)]
    pub fn lead(&self) -> Option<usize> {
        (self.trick.laid > 0).then_some(self.trick.lead as usize)
    }

    /// The seat that wins the trick so far; `None` as long as only zeros lie there.
    #[inline(always)]
    pub fn winning(&self) -> Option<usize> {
        (self.trick.best > 0).then_some(self.trick.winning as usize)
    }

    /// The seat that would take the trick if it ended now; `None`: its cards would be set aside
    /// (section 5).
    #[inline(always)]
    pub fn taker(&self) -> Option<usize> {
        (self.trick.best > 0 || self.is_zero_trick_taken).then_some(self.trick.winning as usize)
    }

    /// The value of the trump that wins so far, if one does.
    #[inline(always)]
    pub fn winning_trump(&self) -> Option<usize> {
        self.trick
            .best
            .checked_sub(TRUMP)
            .map(|value| value as usize)
    }

    /// The lowest value that wins the trick so far, of the colour that is led and of all others; one
    /// that no card has, if none does. A leader leads any colour.
    #[inline(always)]
    pub fn winning_from(&self) -> [usize; 2] {
        let led = if self.trick.best < TRUMP {
            self.trick.best
        } else {
            TRUMP - 2
        };
        [led + 1, self.trick.best.max(TRUMP) - TRUMP + 1].map(|value| value as usize)
    }

    /// Whether the seat on turn would win the trick so far with `card` (section 5.1).
    #[inline(always)]
    pub fn would_win(&self, card: Code) -> bool {
        let strength = if self.trick.laid == 0 {
            card.value() as u32
        } else {
            self.strength(card)
        };
        strength > self.trick.best
    }

    /// What the cards that lie in the trick are worth to a seat (section 6).
    #[inline(always)]
    pub fn worth_to(&self, seat: usize) -> i32 {
        let cost = (self.trick.costs >> (8 * self.unwanted[seat])) as u8;
        self.trick.laid as i32 - i32::from(cost)
    }

    /// Whether all cards have been played.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.tricks_left == 0
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors
    /// [`NotHeld`]; the state is then as before. Any card in hand is legal (section 4).
    #[inline(always)]
    pub fn play(&mut self, card: Code) -> Result<(), NotHeld> {
        let turn = self.turn;
        if !self.hands[turn as usize].remove(card) {
            return Err(NotHeld);
        }
        self.held.remove(card);
        if self.trick.laid == 0 {
            self.trick.lead = card.colour() as u32;
        }
        let strength = self.strength(card);
        // A guess whether a card wins would be wrong too often.
        let wins = strength > self.trick.best;
        self.trick.best = select_unpredictable(wins, strength, self.trick.best);
        self.trick.winning = select_unpredictable(wins, turn, self.trick.winning);
        self.trick.costs += (1 + card.value() as u64) << (8 * card.colour());
        self.trick.laid += 1;
        self.turn = if turn + 1 == self.seats { 0 } else { turn + 1 };
        if self.trick.laid == self.seats {
            self.finish_trick();
        }
        Ok(())
    }

    /// How strong `card` is where [`Self::lead`] was led. A zero is never the best; of equals the
    /// one that was played first is (section 5.1).
    #[inline(always)]
    fn strength(&self, card: Code) -> u32 {
        let value = card.value() as u32;
        let is_trump = (value > 0) & (card.colour() as u32 != self.trick.lead);
        value + TRUMP * u32::from(is_trump)
    }

    /// Whoever wins takes the cards and leads; nobody wins zeros alone, or the leader does (section 5).
    #[inline(always)]
    fn finish_trick(&mut self) {
        if let Some(taker) = self.taker() {
            self.points[taker] += self.worth_to(taker) as i16;
        }
        self.turn = self.trick.winning;
        self.trick.best = 0;
        self.tricks_left -= 1;
        self.trick.laid = 0;
        self.trick.costs = 0;
    }
}
