//! The tricks of a round of Nyet!, fast: the state that searches copy millions of times. It
//! allocates nothing, and a test proves it equal to `sticheln_rules::Nyet`. Sections are those of
//! `docs/rules/nyet.md`.

use sticheln_rules::nyet::Teams;
use sticheln_rules::{Game, Nyet, Seat, Seats};
use thiserror::Error;

use super::cards::{Cards, Code, Kinds};

/// The most seats there are.
pub const SEATS: usize = *<Nyet as Game>::SEATS.end();

/// A card that the seat on turn may not play, or a card after the last trick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the seat on turn may not play this card")]
pub struct NotLegal;

/// Who plays with whom, and for how many points (sections 4 and 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stakes {
    /// The team of each seat, 0 or 1; with two seats each is a team.
    pub team: [u8; SEATS],
    /// What each trick and each loot card counts for each seat, doubled for the x2 card.
    pub each: [i8; SEATS],
}

impl Stakes {
    /// What these teams play for, if a trick is worth so many points.
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

    /// What two seats play for, each for itself.
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
    /// What each seat has shown that it does not hold, as it did not follow suit.
    voids: [Cards; SEATS],
    /// What has not been played: what is held, laid aside or was never dealt.
    left: Cards,
    kinds: Kinds,
    stakes: Stakes,
    /// The tricks and the loot of each team.
    won: [u8; 2],
    seats: u8,
    turn: u8,
    trick: Trick,
}

/// The trick on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Trick {
    /// The suit that was led.
    lead: Cards,
    /// All cards that beat the one that wins so far.
    beating: Cards,
    /// For each team, how many of its cards become loot if the other team takes the trick.
    loot: [u8; 2],
    /// How many cards lie in the trick.
    laid: u8,
    /// The seat that wins so far.
    winning: u8,
}

impl Engine {
    /// The tricks of a round, the first one led by `leader`. `hands` are what the seats hold
    /// after the discards, `left` these and all cards that are out of the round; of all lists the
    /// first `seats` entries count.
    pub fn new(
        seats: Seats,
        hands: [Cards; SEATS],
        left: Cards,
        kinds: Kinds,
        stakes: Stakes,
        leader: Seat,
    ) -> Self {
        let leader = leader.index() as u8;
        Self {
            hands,
            voids: [Cards::EMPTY; SEATS],
            left,
            kinds,
            stakes,
            won: [0; 2],
            seats: seats.count() as u8,
            turn: leader,
            trick: Trick {
                lead: Cards::EMPTY,
                beating: Cards::EMPTY,
                loot: [0; 2],
                laid: 0,
                winning: leader,
            },
        }
    }

    /// The same with other hands, of which nothing has been played yet.
    pub fn deal(&mut self, hands: [Cards; SEATS]) {
        self.hands = hands;
    }

    /// How many seats there are.
    pub fn seats(&self) -> usize {
        self.seats.into()
    }

    /// The seat whose card comes next.
    pub fn turn(&self) -> usize {
        self.turn.into()
    }

    /// What a seat holds.
    pub fn hand(&self, seat: usize) -> Cards {
        self.hands[seat]
    }

    /// What a seat has shown that it does not hold.
    pub fn voids(&self, seat: usize) -> Cards {
        self.voids[seat]
    }

    /// What has not been played: what is held, laid aside or was never dealt.
    pub fn left(&self) -> Cards {
        self.left
    }

    /// What is trump, and what is loot.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The teams and points.
    pub fn stakes(&self) -> &Stakes {
        &self.stakes
    }

    /// What the seat on turn may play (section 6).
    pub fn legal(&self) -> Cards {
        let hand = self.hands[self.turn()];
        let following = hand.within(self.trick.lead);
        if following.is_empty() {
            hand
        } else {
            following
        }
    }

    /// How many cards lie in the trick.
    pub fn laid(&self) -> usize {
        self.trick.laid.into()
    }

    /// All cards of the suit that was led; none before the first card.
    pub fn lead(&self) -> Cards {
        self.trick.lead
    }

    /// The seat that wins the trick so far; the leader before the first card.
    pub fn winning(&self) -> usize {
        self.trick.winning.into()
    }

    /// All cards that would beat the one that wins so far.
    pub fn beating(&self) -> Cards {
        self.trick.beating
    }

    /// Whether the seat on turn would win the trick with `card`, if it ended then.
    pub fn would_win(&self, card: Code) -> bool {
        self.trick.laid == 0 || self.trick.beating.has(card)
    }

    /// How many cards of this team lie in the trick that are loot, if the other one takes it.
    pub fn loot(&self, team: u8) -> u8 {
        self.trick.loot[team as usize]
    }

    /// How many tricks and loot cards a team has.
    pub fn won(&self, team: u8) -> u8 {
        self.won[team as usize]
    }

    /// What a seat scores, if the round ended now (section 7).
    pub fn points(&self, seat: usize) -> i32 {
        let won = self.won(self.stakes.team[seat]);
        i32::from(won) * i32::from(self.stakes.each[seat])
    }

    /// The points of a seat less the mean of the others, times the number of the others.
    pub fn margin(&self, seat: usize) -> i32 {
        let all: i32 = (0..self.seats()).map(|seat| self.points(seat)).sum();
        self.points(seat) * i32::from(self.seats) - all
    }

    /// Whether all cards have been played.
    pub fn is_over(&self) -> bool {
        self.trick.laid == 0 && self.hands[self.turn()].is_empty()
    }

    /// Plays `card` for the seat on turn.
    ///
    /// # Errors
    /// [`NotLegal`]; the state is then as before.
    pub fn play(&mut self, card: Code) -> Result<(), NotLegal> {
        if !self.legal().has(card) {
            return Err(NotLegal);
        }
        let turn = self.turn();
        if self.would_win(card) {
            self.trick.winning = self.turn;
            self.trick.beating = self.kinds.beating(card);
        }
        if self.trick.laid == 0 {
            self.trick.lead = self.kinds.suit(card);
        } else if !self.trick.lead.has(card) {
            self.voids[turn] = self.voids[turn].with(self.trick.lead);
        }
        self.hands[turn].remove(card);
        self.left.remove(card);
        let team = usize::from(self.stakes.team[turn]);
        self.trick.loot[team] += u8::from(self.kinds.loot.has(card));
        self.trick.laid += 1;
        self.turn = if self.turn + 1 == self.seats {
            0
        } else {
            self.turn + 1
        };
        if self.trick.laid == self.seats {
            self.finish_trick();
        }
        Ok(())
    }

    /// The winner's team gets the trick and the 1s of the other team, and the winner leads
    /// (section 6).
    fn finish_trick(&mut self) {
        let team = usize::from(self.stakes.team[self.winning()]);
        self.won[team] += 1 + self.trick.loot[1 - team];
        self.trick.loot = [0; 2];
        self.turn = self.trick.winning;
        self.trick.laid = 0;
        self.trick.lead = Cards::EMPTY;
        self.trick.beating = Cards::EMPTY;
    }
}
