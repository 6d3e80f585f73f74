//! Heuristics for the phases before the tricks: covers, teams and discards. Sections are those of
//! `docs/rules/nyet.md`.

use sticheln_rules::Seats;
use sticheln_rules::nyet::{DiscardRule, Points, Suits, TrumpSpace};

use super::board::{
    DISCARD, FreeSpaces, POINTS, PlayConditions, START, SUPERTRUMP, SpaceIndex, TRUMP, WIDTH,
};
use super::cards::{Cards, SpecialCards};
use super::engine::Scoring;
use super::{HIGH_CARD_VALUES, PLAIN_1_VALUE, SUPERTRUMP_VALUE, TRUMP_VALUE};

/// The value of being the start player, who forms the teams, in thousandths of a trick (section 4).
const FORMING_TEAMS_VALUE: i32 = 300;

/// The value of playing one place later in the first trick, in thousandths of a trick.
const LATER_PLACE_VALUE: i32 = 20;

/// The value of a discard for each 1 in the hand above the average, in thousandths of a trick. A 1
/// that is laid aside or passed on is no loot for opponents (section 6).
const DISCARDED_1_VALUE: i32 = 100;

/// The estimated tricks that these cards win, in thousandths of a trick. A plain 1 wins nothing and
/// may become loot of an opponent, which counts as much as a trick (section 6).
pub fn expected_tricks(cards: Cards, special_cards: &SpecialCards, seats: Seats) -> i32 {
    let count = |cards: Cards| cards.len() as i32;
    let trumps = cards.intersection(special_cards.trumps);
    let supertrumps = count(trumps.intersection(special_cards.supertrumps));
    let plain_1s = count(cards.intersection(Cards::ONES).difference(trumps));
    let high = (HIGH_CARD_VALUES.iter().zip(0..))
        .map(|(value, higher)| value * count(cards.intersection(Cards::high(seats, higher))));
    SUPERTRUMP_VALUE * supertrumps
        + TRUMP_VALUE * (count(trumps) - supertrumps)
        + PLAIN_1_VALUE * plain_1s
        + high.sum::<i32>()
}

/// The expected tricks of an average hand of this size, in thousandths of a trick.
pub fn average_tricks(held: usize, special_cards: &SpecialCards, seats: Seats) -> i32 {
    let pack = Cards::pack(seats);
    expected_tricks(pack, special_cards, seats) * held as i32 / pack.len() as i32
}

/// The values of all spaces of the board for a hand.
#[derive(Clone, Copy, Debug)]
pub struct SpaceValues {
    /// For each trump with each supertrump, the expected tricks of the hand minus those of an
    /// average hand, in thousandths of a trick.
    advantages: [[i32; WIDTH]; WIDTH],
    /// The values of the spaces of the discard row, in thousandths of a trick.
    discards: [i32; WIDTH],
    /// The values of the spaces of the start row, in thousandths of a trick.
    starts: [i32; WIDTH],
}

impl SpaceValues {
    /// The values for this seat with this hand.
    pub fn new(seat: usize, hand: Cards, seats: Seats) -> Self {
        let advantage = |trump: TrumpSpace, supertrump: TrumpSpace| {
            let special_cards = SpecialCards::new(Suits { trump, supertrump }, true);
            expected_tricks(hand, &special_cards, seats)
                - average_tricks(hand.len(), &special_cards, seats)
        };
        let ones = |cards: Cards| cards.intersection(Cards::ONES).len() as i32;
        let pack = Cards::pack(seats);
        let (hand_size, pack_size) = (hand.len() as i32, pack.len() as i32);
        let discard_value =
            DISCARDED_1_VALUE * (ones(hand) * pack_size - ones(pack) * hand_size) / pack_size;
        let count = seats.count();
        Self {
            advantages: TrumpSpace::ALL
                .map(|trump| TrumpSpace::ALL.map(|supertrump| advantage(trump, supertrump))),
            discards: DiscardRule::ALL.map(|discard| match discard {
                DiscardRule::None | DiscardRule::OneNot1 => 0,
                DiscardRule::One | DiscardRule::Two | DiscardRule::PassLeft => {
                    discard_value * discard.count() as i32
                }
            }),
            starts: std::array::from_fn(|start| {
                let later = (seat + count - start.min(seat + count)) % count;
                let forms_teams = start == seat && count > 2;
                LATER_PLACE_VALUE * later as i32 + if forms_teams { FORMING_TEAMS_VALUE } else { 0 }
            }),
        }
    }

    /// The values for a board with these free spaces.
    pub fn on_board(&self, free: FreeSpaces) -> BoardEvaluation<'_> {
        let mut on_board = BoardEvaluation {
            space_values: self,
            count: [START, DISCARD, TRUMP, SUPERTRUMP, POINTS].map(|row| free.count(row) as i32),
            advantages: 0,
            advantages_by_trump: [0; WIDTH],
            advantages_by_supertrump: [0; WIDTH],
            discards: free.row(DISCARD).map(|at| self.discards[at]).sum(),
            starts: free.row(START).map(|at| self.starts[at]).sum(),
            points: free.row(POINTS).map(|at| Points::ALL[at].value()).sum(),
            absolute_points: free
                .row(POINTS)
                .map(|at| Points::ALL[at].value().abs())
                .sum(),
        };
        for trump in free.row(TRUMP) {
            for supertrump in free.row(SUPERTRUMP) {
                let advantage = self.advantages[trump][supertrump];
                on_board.advantages += advantage;
                on_board.advantages_by_trump[trump] += advantage;
                on_board.advantages_by_supertrump[supertrump] += advantage;
            }
        }
        on_board
    }
}

/// The values of a board for a hand: sums over the free spaces of each row, each of which is
/// equally likely to stay free.
#[derive(Debug)]
pub struct BoardEvaluation<'a> {
    space_values: &'a SpaceValues,
    /// The number of free spaces of each row.
    count: [i32; 5],
    /// The sum of the advantages of all free trumps with all free supertrumps.
    advantages: i32,
    /// The part of `advantages` of each trump.
    advantages_by_trump: [i32; WIDTH],
    /// The part of `advantages` of each supertrump.
    advantages_by_supertrump: [i32; WIDTH],
    /// The sum of the values of the free spaces of the discard row.
    discards: i32,
    /// The sum of the values of the free spaces of the start row.
    starts: i32,
    /// The sum of the free points.
    points: i32,
    /// The sum of the free points without their signs.
    absolute_points: i32,
}

impl BoardEvaluation<'_> {
    /// The value of the round if `covered` is covered: tricks times points. So a strong hand keeps
    /// high points, its trump and its supertrump. A weak hand keeps low points or -2 (section 13, 1
    /// to 4). A row with two free spaces has the largest effect, because one cover decides it.
    pub fn evaluate(&self, covered: SpaceIndex) -> i32 {
        let (row, at) = (usize::from(covered) / WIDTH, usize::from(covered) % WIDTH);
        let mut count = self.count;
        count[row] -= 1;
        let [mut advantages, mut discards, mut starts] =
            [self.advantages, self.discards, self.starts];
        let [mut points, mut absolute_points] = [self.points, self.absolute_points];
        match row * WIDTH {
            START => starts -= self.space_values.starts[at],
            DISCARD => discards -= self.space_values.discards[at],
            TRUMP => advantages -= self.advantages_by_trump[at],
            SUPERTRUMP => advantages -= self.advantages_by_supertrump[at],
            _ => {
                points -= Points::ALL[at].value();
                absolute_points -= Points::ALL[at].value().abs();
            }
        }
        let free_in = |row: usize| count[row / WIDTH];
        let advantage =
            advantages / (free_in(TRUMP) * free_in(SUPERTRUMP)) + discards / free_in(DISCARD);
        // It is as good to form the teams with negative points as with positive ones.
        (advantage * points + starts / free_in(START) * absolute_points) * 16 / free_in(POINTS)
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

    /// The scoring of these teams with `points` for a trick.
    pub fn scoring(self, points: i32) -> Scoring {
        let own = self.partners | 1 << self.start;
        Scoring {
            team: std::array::from_fn(|seat| u8::from(own >> seat & 1 == 0)),
            trick_points: std::array::from_fn(|seat| {
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
        let own = expected_tricks(hand, &conditions.special_cards, seats);
        let rest = average_tricks(hand.len(), &conditions.special_cards, seats) * count - own;
        let scoring = self.scoring(conditions.points);
        let mut tricks = [0; 2];
        for seat in 0..seats.count() {
            tricks[usize::from(scoring.team[seat])] += if seat == self.start {
                own
            } else {
                rest / (count - 1)
            };
        }
        let points = |seat: usize| {
            tricks[usize::from(scoring.team[seat])] * i32::from(scoring.trick_points[seat])
        };
        let all: i32 = (0..seats.count()).map(points).sum();
        points(self.start) * count - all
    }
}

/// The value of a discard. With positive points the cards that win least are discarded first, above
/// all plain 1s. With negative points the cards that win most are discarded first (section 13, 3).
/// Of equal cards, the one of the shorter suit is discarded, so that the seat need not follow suit.
pub fn evaluate_discard(
    cards: Cards,
    hand: Cards,
    conditions: &PlayConditions,
    seats: Seats,
) -> i32 {
    let sign = conditions.points.signum();
    let mut evaluation = 0;
    for card in cards {
        let length = hand.intersection(conditions.special_cards.suit(card)).len() as i32;
        let single = std::iter::once(card).collect();
        evaluation -= sign * expected_tricks(single, &conditions.special_cards, seats) * 512
            + length * 16
            + sign * i32::from(card.value());
    }
    evaluation
}

/// The cards that may be laid aside or passed, one by one (section 5).
pub fn discardable(hand: Cards, discard: DiscardRule) -> Cards {
    let others = hand.difference(Cards::ONES);
    if discard == DiscardRule::OneNot1 && !others.is_empty() {
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
