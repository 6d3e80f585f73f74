//! Sticheln by rules of thumb; sections are those of `docs/rules/sticheln.md`.

pub mod cards;
pub mod engine;
pub mod memory;
pub mod policy;
pub mod position;
pub mod search;

use sticheln_rules::sticheln::{Action, AllZeroTrick, Phase, winner, worth};
use sticheln_rules::{BySeat, Card, Colour, Game, Hand, Seat, Sticheln, Trick, View};

use self::cards::Code;
use self::memory::Memory;
use self::policy::Policy;
use self::position::Position;

/// Points and chances are counted in parts: this many are a whole point, or certainty.
const WHOLE: i32 = 1000;

/// How many parts of a point it is worth to part with a card of the own unwanted colour, for each
/// point of its value. Some day it has to be played, and late in the round, when few hold its
/// colour, it would win a trick (section 12, 7). To lead it is nearly safe (section 12, 5).
const RELIEF: i32 = 250;

/// How many parts of a point it costs to part with another card, for each point of its value: a
/// high trump is better kept for a trick that is worth taking.
const REGRET: i32 = 50;

/// What the policy likes best; `None` if there is nothing to do, or if the memory is of another
/// round.
pub(crate) fn normal(view: View<'_, Sticheln>, memory: &Memory) -> Option<Action> {
    let table = view.table()?;
    let (edition, seats) = (view.options().edition, table.seats());
    let policy = Policy::of(seats);
    match &table.phase {
        Phase::Pick { .. } => {
            view.to_act().contains(&view.seat()?).then_some(())?;
            let hand = &view.own()?.hand;
            let hand = hand.iter().map(|card| Code::of(card, edition, seats));
            let card = policy.picks(hand.collect::<Option<_>>()?).best();
            let card = card.card(edition, seats)?;
            Some(Action::Pick { card })
        }
        Phase::Trick { .. } => {
            let position = Position::new(view, memory)?;
            Some(position.action(policy.plays(&position.sight()).best()))
        }
        Phase::RoundEnd { .. } => None,
    }
}

/// The card that looks best after so many playouts, or when it is over.
pub(crate) fn ponder(
    position: &Position,
    seed: u64,
    playouts: u32,
    is_over: &mut dyn FnMut() -> bool,
) -> Action {
    let policy = Policy::of(position.seats());
    position.action(search::best_play(position, policy, seed, playouts, is_over))
}

/// Chooses the legal action that promises most; `None` if there is none.
pub(crate) fn beginner(view: View<'_, Sticheln>) -> Option<Action> {
    let (seat, table, own) = (view.seat()?, view.table()?, view.own()?);
    let legal = view.legal().into_iter();
    match &table.phase {
        Phase::Pick { .. } => legal.max_by_key(|action| promise_of_pick(&own.hand, card(action))),
        Phase::Trick { picks, trick } => {
            let mut unseen = Sticheln::pack(view.options(), table.seats());
            unseen.retain(|card| {
                let mut open = picks.iter().chain(&trick.cards);
                !own.hand.contains(*card) && open.all(|other| other != card)
            });
            let position = Scene {
                seat,
                picks,
                trick,
                unseen: &unseen,
                all_zero_trick: view.options().all_zero_trick(),
            };
            legal.max_by_key(|action| position.promise(card(action)))
        }
        Phase::RoundEnd { .. } => None,
    }
}

/// The card that an action is about.
fn card(action: &Action) -> Card {
    match action {
        Action::Pick { card } | Action::Play { card } => *card,
    }
}

/// How good it is to pick `card`.
///
/// The more cards of a colour one holds, the fewer others have to throw; its high ones, of which
/// section 12, 2 warns, can be led. The picked card itself costs its value (section 12, 3). One
/// card more outweighs two points.
fn promise_of_pick(hand: &Hand, card: Card) -> i32 {
    let same = hand.iter().filter(|held| held.colour == card.colour);
    2 * same.count() as i32 - i32::from(card.value)
}

/// A trick that waits for a card, as the seat on turn sees it.
struct Scene<'a> {
    seat: Seat,
    picks: &'a BySeat<Card>,
    trick: &'a Trick<Colour>,
    /// The cards that others may hold. A beginner does not remember what has been played.
    unseen: &'a [Card],
    all_zero_trick: AllZeroTrick,
}

impl Scene<'_> {
    /// How good it is to play `card`, in parts of a point.
    fn promise(&self, card: Card) -> i32 {
        let mut cards = self.trick.cards.clone();
        cards.push(card);
        self.outcome(cards) + self.parting(card)
    }

    /// What the trick with these cards will bring, if each seat behind plays any card not seen
    /// yet; the last seat decides with full knowledge (section 12, 10).
    ///
    /// What another seat gains is lost to this one, shared among all others. So a bot takes what
    /// is clearly good, ducks what is painful, and hurts the winning seat with cards of the
    /// colour that seat does not want (section 12, 12).
    fn outcome(&self, mut cards: Vec<Card>) -> i32 {
        let seats = self.picks.seats();
        let Some(winning) = winner(&cards, self.all_zero_trick) else {
            return 0;
        };
        let taker = seats.clockwise(self.trick.leader, winning);
        let unwanted = self.picks[taker].colour;
        let points: i32 = cards.iter().map(|card| worth(*card, unwanted)).sum();
        let behind = (seats.count() - cards.len()) as i32;

        let mut lower_count = 0;
        let mut thrown = 0;
        for other in self.unseen {
            cards.push(*other);
            if winner(&cards, self.all_zero_trick) == Some(winning) {
                lower_count += 1;
                thrown += worth_if_thrown(*other, unwanted);
            }
            cards.pop();
        }
        let unseen_count = self.unseen.len() as i32;
        let stays = (0..behind).fold(WHOLE, |chance, _| chance * lower_count / unseen_count);

        if taker == self.seat {
            // Where no card is lower, the chance to stay is 0 unless nobody is behind.
            stays * points + stays * behind * thrown / lower_count.max(1)
        } else {
            -stays * points / (seats.count() as i32 - 1)
        }
    }

    /// How good it is to be rid of `card`, whatever becomes of the trick.
    fn parting(&self, card: Card) -> i32 {
        let value = i32::from(card.value);
        if card.colour == self.picks[self.seat].colour {
            RELIEF * value
        } else {
            -REGRET * value
        }
    }
}

/// What a card from behind is worth to the seat that is winning. One that it does not want counts
/// twice: others play it on purpose (section 12, 8).
fn worth_if_thrown(card: Card, unwanted: Colour) -> i32 {
    let worth = worth(card, unwanted);
    if card.colour == unwanted {
        2 * worth
    } else {
        worth
    }
}
