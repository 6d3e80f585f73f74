//! Heuristics for the phases before the tricks: covers, teams and discards. Sections are those of
//! `docs/rules/nyet.md`.

use sticheln_rules::Seats;
use sticheln_rules::nyet::{Discard, Points, Suits, Trump};

use super::board::{
    DISCARD, FreeSpaces, POINTS, PlayConditions, START, SUPERTRUMP, SpaceIndex, TRUMP, WIDTH,
};
use super::cards::{Cards, Kinds};
use super::engine::Stakes;
use super::{HIGH, PLAIN_1, SUPERTRUMP as A_SUPERTRUMP, TRUMP as A_TRUMP};

/// The value of being the start player, who forms the teams, in parts of a trick (section 4).
const TO_FORM_TEAMS: i32 = 300;

/// The value of playing one place later in the first trick, in parts of a trick.
const TO_PLAY_LATER: i32 = 20;

/// The value of a discard for each 1 in the hand above the average, in parts of a trick. A 1 that
/// is laid aside or passed on is no loot for opponents (section 6).
const TO_DISCARD: i32 = 100;

/// The estimated tricks that these cards win, in parts of a trick. A plain 1 wins nothing and may
/// become loot of an opponent, which counts as much as a trick (section 6).
pub fn worth(cards: Cards, kinds: &Kinds, seats: Seats) -> i32 {
    let count = |cards: Cards| cards.len() as i32;
    let trumps = cards.intersection(kinds.trumps);
    let supertrumps = count(trumps.intersection(kinds.supertrumps));
    let plain_1s = count(cards.intersection(Cards::ONES).difference(trumps));
    let high = (HIGH.iter().zip(0..))
        .map(|(worth, below)| worth * count(cards.intersection(Cards::high(seats, below))));
    A_SUPERTRUMP * supertrumps
        + A_TRUMP * (count(trumps) - supertrumps)
        + PLAIN_1 * plain_1s
        + high.sum::<i32>()
}

/// The average worth of a hand of this size, in parts of a trick.
pub fn average(held: usize, kinds: &Kinds, seats: Seats) -> i32 {
    let pack = Cards::pack(seats);
    worth(pack, kinds, seats) * held as i32 / pack.len() as i32
}

/// The values of all spaces of the board for a hand.
#[derive(Clone, Copy, Debug)]
pub struct HandEvaluation {
    /// For each trump with each supertrump, the worth of the hand minus that of the average hand,
    /// in parts of a trick.
    edges: [[i32; WIDTH]; WIDTH],
    /// The values of the spaces of the discard row, in parts of a trick.
    discards: [i32; WIDTH],
    /// The values of the spaces of the start row, in parts of a trick.
    starts: [i32; WIDTH],
}

impl HandEvaluation {
    /// The values for this seat with this hand.
    pub fn new(seat: usize, hand: Cards, seats: Seats) -> Self {
        let edge = |trump: Trump, supertrump: Trump| {
            let kinds = Kinds::new(Suits { trump, supertrump }, true);
            worth(hand, &kinds, seats) - average(hand.len(), &kinds, seats)
        };
        let (held, size) = (
            hand.intersection(Cards::ONES).len() as i32,
            hand.len() as i32,
        );
        let pack = Cards::pack(seats);
        let (all, pack) = (
            pack.intersection(Cards::ONES).len() as i32,
            pack.len() as i32,
        );
        let relief = TO_DISCARD * (held * pack - all * size) / pack;
        let count = seats.count();
        Self {
            edges: Trump::ALL.map(|trump| Trump::ALL.map(|supertrump| edge(trump, supertrump))),
            discards: Discard::ALL.map(|discard| match discard {
                Discard::None | Discard::OneNot1 => 0,
                Discard::One | Discard::Two | Discard::PassLeft => relief * discard.count() as i32,
            }),
            starts: std::array::from_fn(|start| {
                let later = (seat + count - start.min(seat + count)) % count;
                let forms_teams = start == seat && count > 2;
                TO_PLAY_LATER * later as i32 + if forms_teams { TO_FORM_TEAMS } else { 0 }
            }),
        }
    }

    /// The values for a board with these free spaces.
    pub fn on_board(&self, free: FreeSpaces) -> BoardEvaluation<'_> {
        let mut on_board = BoardEvaluation {
            hand_evaluation: self,
            count: [START, DISCARD, TRUMP, SUPERTRUMP, POINTS].map(|row| free.count(row) as i32),
            edges: 0,
            of_trump: [0; WIDTH],
            of_supertrump: [0; WIDTH],
            discards: free.row(DISCARD).map(|at| self.discards[at]).sum(),
            starts: free.row(START).map(|at| self.starts[at]).sum(),
            points: free.row(POINTS).map(|at| Points::ALL[at].value()).sum(),
            stakes: free
                .row(POINTS)
                .map(|at| Points::ALL[at].value().abs())
                .sum(),
        };
        for trump in free.row(TRUMP) {
            for supertrump in free.row(SUPERTRUMP) {
                let edge = self.edges[trump][supertrump];
                on_board.edges += edge;
                on_board.of_trump[trump] += edge;
                on_board.of_supertrump[supertrump] += edge;
            }
        }
        on_board
    }
}

/// The values of a board for a hand: sums over the free spaces of each row, each of which is
/// equally likely to stay free.
#[derive(Debug)]
pub struct BoardEvaluation<'a> {
    hand_evaluation: &'a HandEvaluation,
    /// The number of free spaces of each row.
    count: [i32; 5],
    edges: i32,
    /// The sums of edges by trump, and by supertrump.
    of_trump: [i32; WIDTH],
    of_supertrump: [i32; WIDTH],
    discards: i32,
    starts: i32,
    points: i32,
    /// The points without their signs.
    stakes: i32,
}

impl BoardEvaluation<'_> {
    /// The value of the round if `covered` is covered: tricks times points. So a strong hand keeps
    /// high points, its trump and its supertrump, and a weak one keeps low points or -2 (section
    /// 13, 1 to 4). A row with two free spaces has the largest effect, because one cover decides
    /// it.
    pub fn evaluate(&self, covered: SpaceIndex) -> i32 {
        let (row, at) = (usize::from(covered) / WIDTH, usize::from(covered) % WIDTH);
        let mut count = self.count;
        count[row] -= 1;
        let [mut edges, mut discards, mut starts] = [self.edges, self.discards, self.starts];
        let [mut points, mut stakes] = [self.points, self.stakes];
        match row * WIDTH {
            START => starts -= self.hand_evaluation.starts[at],
            DISCARD => discards -= self.hand_evaluation.discards[at],
            TRUMP => edges -= self.of_trump[at],
            SUPERTRUMP => edges -= self.of_supertrump[at],
            _ => {
                points -= Points::ALL[at].value();
                stakes -= Points::ALL[at].value().abs();
            }
        }
        let edge = edges / (count[2] * count[3]) + discards / count[1];
        // It is as good to form the teams with negative points as with positive ones.
        (edge * points + starts / count[0] * stakes) * 16 / count[4]
    }
}

/// The teams that a start player may form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TeamChoice {
    /// The start player.
    pub start: usize,
    /// The partners, one bit for each seat.
    pub partners: u8,
    /// The holder of the x2 card, if there is one.
    pub bonus: Option<usize>,
}

impl TeamChoice {
    /// All teams that `start` may form (section 4); none with two seats.
    pub fn all(start: usize, seats: Seats) -> impl Iterator<Item = Self> {
        let count = seats.count();
        let sizes: &[u32] = match count {
            3 => &[0, 1],
            4 => &[1],
            5 => &[1, 2],
            _ => &[],
        };
        let sets = (0..1u8 << count).filter(move |partners| {
            partners >> start & 1 == 0 && sizes.contains(&partners.count_ones())
        });
        sets.flat_map(move |partners| {
            let own = partners | 1 << start;
            let smaller = if 2 * own.count_ones() < count as u32 {
                own
            } else {
                !own
            };
            let holders = (0..count).filter(move |seat| count != 4 && smaller >> seat & 1 == 1);
            let nobody = (count == 4).then_some(None);
            nobody
                .into_iter()
                .chain(holders.map(Some))
                .map(move |bonus| Self {
                    start,
                    partners,
                    bonus,
                })
        })
    }

    /// The stakes of these teams with `points` for a trick.
    pub fn stakes(self, points: i32) -> Stakes {
        let own = self.partners | 1 << self.start;
        Stakes {
            team: std::array::from_fn(|seat| u8::from(own >> seat & 1 == 0)),
            each: std::array::from_fn(|seat| {
                let factor = if self.bonus == Some(seat) { 2 } else { 1 };
                (points * factor) as i8
            }),
        }
    }

    /// The expected margin of the start player over the mean of all, if the other seats share the
    /// remaining tricks evenly (section 7). So the x2 card goes to an opponent when the points are
    /// negative (section 13, 3).
    pub fn evaluate(self, hand: Cards, conditions: &PlayConditions, seats: Seats) -> i32 {
        let count = seats.count() as i32;
        let own = worth(hand, &conditions.kinds, seats);
        let rest = average(hand.len(), &conditions.kinds, seats) * count - own;
        let stakes = self.stakes(conditions.points);
        let mut tricks = [0; 2];
        for seat in 0..seats.count() {
            tricks[usize::from(stakes.team[seat])] += if seat == self.start {
                own
            } else {
                rest / (count - 1)
            };
        }
        let points =
            |seat: usize| tricks[usize::from(stakes.team[seat])] * i32::from(stakes.each[seat]);
        let all: i32 = (0..seats.count()).map(points).sum();
        points(self.start) * count - all
    }
}

/// The value of a discard. Cards that win least are discarded first, above all plain 1s. With
/// negative points these are the cards that win most (section 13, 3). Of equal cards, the one of
/// the shorter suit is discarded, so that the seat need not follow suit.
pub fn evaluate_discard(
    cards: Cards,
    hand: Cards,
    conditions: &PlayConditions,
    seats: Seats,
) -> i32 {
    let sign = conditions.points.signum();
    let mut evaluation = 0;
    for card in cards {
        let length = hand.intersection(conditions.kinds.suit(card)).len() as i32;
        let single = std::iter::once(card).collect();
        evaluation -= sign * worth(single, &conditions.kinds, seats) * 512
            + length * 16
            + sign * i32::from(card.value());
    }
    evaluation
}

/// The cards that may be laid aside or passed, one by one (section 5).
pub fn discardable(hand: Cards, discard: Discard) -> Cards {
    let others = hand.difference(Cards::ONES);
    if discard == Discard::OneNot1 && !others.is_empty() {
        others
    } else {
        hand
    }
}

/// The cards that a seat with this hand discards.
pub fn discards(hand: Cards, count: usize, conditions: &PlayConditions, seats: Seats) -> Cards {
    let mut chosen = Cards::EMPTY;
    for _ in 0..count {
        let left = discardable(hand.difference(chosen), conditions.discard);
        let best = left.distinct().max_by_key(|card| {
            evaluate_discard(std::iter::once(*card).collect(), hand, conditions, seats)
        });
        if let Some(card) = best {
            chosen.insert(card);
        }
    }
    chosen
}
