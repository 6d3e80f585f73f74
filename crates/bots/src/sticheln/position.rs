//! Everything that a seat on turn knows of a round in which tricks are played, and determinizations
//! that are consistent with it.

use pulp::{Arch, NullaryFnOnce};
use rand::Rng;
use rand::seq::SliceRandom;
use sticheln_rules::sticheln::{Action, AllZeroTrick, Edition, Phase};
use sticheln_rules::{Seat, Seats, Sticheln, View};

use super::cards::{CardIndex, Cards};
use super::engine::Engine;
use super::memory::Memory;
use super::opponent_model::OpponentModel;
use super::policy::Policy;

/// The maximum number of cards that the seats play in a round: 14 each (`docs/rules/sticheln.md`,
/// section 4).
const MAX_PLAYS: usize = 14 * Seats::MAX;
/// The maximum number of cards in the other hands.
const MAX_UNSEEN: usize = 15 * (Seats::MAX - 1);

/// Everything that one seat knows: its hand and the cards that were played.
#[derive(Clone, Debug)]
pub struct Position {
    edition: Edition,
    seats: Seats,
    /// The seat on turn.
    seat: usize,
    /// Its hand.
    hand: Cards,
    /// The picked card of each seat.
    picks: [CardIndex; Seats::MAX],
    /// The leader of the first trick.
    first_leader: Seat,
    all_zero_trick: AllZeroTrick,
    /// The cards that were played, in order: the first `play_count` entries.
    plays: [CardIndex; MAX_PLAYS],
    play_count: usize,
    /// The cards that each seat has played.
    played: [Cards; Seats::MAX],
    /// All cards in the other hands.
    unseen: Cards,
    /// The number of cards in each hand.
    hand_counts: [usize; Seats::MAX],
}

impl Position {
    /// The position of the seat on turn; `None` if the observer is not on turn to play a card, or
    /// if the memory is of another round.
    pub fn new(view: View<'_, Sticheln>, memory: &Memory) -> Option<Self> {
        let (seat, table, own) = (view.seat()?, view.table()?, view.own()?);
        let Phase::Trick { picks, trick } = &table.phase else {
            return None;
        };
        let seats = table.seats();
        let edition = view.options().edition;
        let index = |card| CardIndex::of(card, edition, seats);
        if trick.turn(seats) != seat || memory.tricks().len() != usize::from(table.tricks_played) {
            return None;
        }

        let mut position = Self {
            edition,
            seats,
            seat: seat.index(),
            hand: own.hand.iter().filter_map(index).collect(),
            picks: [CardIndex::new(0, 0); Seats::MAX],
            first_leader: table.first_leader,
            all_zero_trick: view.options().all_zero_trick(),
            plays: [CardIndex::new(0, 0); MAX_PLAYS],
            play_count: 0,
            played: [Cards::EMPTY; Seats::MAX],
            unseen: Cards::pack(seats),
            hand_counts: [0; Seats::MAX],
        };
        position.unseen = position.unseen.difference(position.hand);
        for (seat, pick) in picks.entries() {
            let pick = index(*pick)?;
            position.picks[seat.index()] = pick;
            position.unseen.remove(pick);
        }
        for (seat, count) in table.hand_counts.entries() {
            position.hand_counts[seat.index()] = usize::from(*count);
        }
        let finished = memory
            .tricks()
            .iter()
            .map(|(leader, cards)| (*leader, cards));
        for (leader, cards) in finished.chain([(trick.leader, &trick.cards)]) {
            for (seat, card) in seats.clockwise_from(leader).zip(cards) {
                let card = index(*card)?;
                *position.plays.get_mut(position.play_count)? = card;
                position.play_count += 1;
                position.played[seat.index()].insert(card);
                position.unseen.remove(card);
            }
        }
        Some(position)
    }

    /// The number of seats.
    pub fn seats(&self) -> Seats {
        self.seats
    }

    /// The action of playing a card of the hand.
    pub fn action(&self, card: CardIndex) -> Action {
        let card = card.card(self.edition, self.seats);
        Action::Play {
            card: card.expect("the edition has the cards of a hand"),
        }
    }

    /// The seat on turn.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// Its hand.
    pub fn hand(&self) -> Cards {
        self.hand
    }

    /// The state of the round in an arbitrary determinization, for properties that all
    /// determinizations share.
    pub fn canonical_engine(&self) -> Engine {
        let (cards, _) = self.unseen_cards();
        self.engine(&self.deal(&cards))
    }

    /// A determinization: the unseen cards are dealt to the other seats at random.
    pub fn determinize(&self, rng: &mut impl Rng) -> Determinization {
        let (mut cards, count) = self.unseen_cards();
        cards[..count].shuffle(rng);
        self.deal(&cards)
    }

    /// The unseen cards as a list, and their number.
    fn unseen_cards(&self) -> ([CardIndex; MAX_UNSEEN], usize) {
        let mut cards = [CardIndex::new(0, 0); MAX_UNSEEN];
        let mut count = 0;
        for card in self.unseen {
            cards[count] = card;
            count += 1;
        }
        (cards, count)
    }

    /// The determinization in which these cards are dealt to the other seats in order.
    fn deal(&self, cards: &[CardIndex]) -> Determinization {
        let mut hands = [Cards::EMPTY; Seats::MAX];
        let mut next = 0;
        for seat in 0..self.seats.count() {
            if seat == self.seat {
                hands[seat] = self.hand;
            } else {
                hands[seat] = cards[next..next + self.hand_counts[seat]]
                    .iter()
                    .copied()
                    .collect();
                next += self.hand_counts[seat];
            }
        }
        Determinization { hands }
    }

    /// The state of the round in this determinization.
    pub fn engine(&self, determinization: &Determinization) -> Engine {
        let mut engine = self.engine_at_start(determinization);
        for card in &self.plays[..self.play_count] {
            replay(&mut engine, *card);
        }
        engine
    }

    /// The state of the round in this determinization, and the likelihoods of the actions of each
    /// seat in each model.
    pub fn engine_and_likelihoods(
        &self,
        determinization: &Determinization,
        policy: &Policy,
    ) -> (Engine, Likelihoods) {
        Arch::new().dispatch(Replay {
            position: self,
            determinization,
            policy,
        })
    }

    /// The state before the first card in this determinization.
    #[inline(always)]
    fn engine_at_start(&self, determinization: &Determinization) -> Engine {
        let mut hands = determinization.hands;
        for (hand, played) in hands.iter_mut().zip(self.played) {
            *hand = hand.union(played);
        }
        Engine::new(
            self.seats,
            hands,
            self.picks,
            self.first_leader,
            self.all_zero_trick,
        )
    }
}

/// Plays a card that was played in the round.
#[inline(always)]
fn replay(engine: &mut Engine, card: CardIndex) {
    let played = engine.play(card);
    debug_assert!(played.is_ok(), "the seat held the card that it played");
}

/// Computes the likelihoods of a determinization with the best vector instructions of the
/// processor.
struct Replay<'a> {
    position: &'a Position,
    determinization: &'a Determinization,
    policy: &'a Policy,
}

impl NullaryFnOnce for Replay<'_> {
    type Output = (Engine, Likelihoods);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self {
            position,
            determinization,
            policy,
        } = self;
        let mut likelihoods = Likelihoods::default();
        for seat in (0..position.seats.count()).filter(|seat| *seat != position.seat) {
            let pick = position.picks[seat];
            let mut hand = determinization.hands[seat].union(position.played[seat]);
            hand.insert(pick);
            likelihoods.picks += policy.picks(hand).log_likelihood(pick);
        }
        let mut engine = position.engine_at_start(determinization);
        for card in &position.plays[..position.play_count] {
            let seat = engine.turn();
            if seat != position.seat {
                for model in OpponentModel::ALL {
                    likelihoods.plays[seat][model as usize] +=
                        model.log_likelihood(&engine, policy, *card);
                }
            }
            replay(&mut engine, *card);
        }
        (engine, likelihoods)
    }
}

/// Log-likelihoods, in parts of a [`UNIT`](super::policy::UNIT).
#[derive(Clone, Copy, Debug, Default)]
pub struct Likelihoods {
    /// The sum for the picks of the other seats.
    pub picks: i32,
    /// For each seat the sum for its plays, by model.
    pub plays: [[i32; OpponentModel::COUNT]; Seats::MAX],
}

/// A determinization: a possible hand of each seat.
#[derive(Clone, Copy, Debug)]
pub struct Determinization {
    hands: [Cards; Seats::MAX],
}
