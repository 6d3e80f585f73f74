//! A beginner of Nyet!: simple rules without probabilities and without memory. Sections are those
//! of `docs/rules/nyet.md`.

use sticheln_rules::nyet::{Action, Conditions, Phase, Points, Space, Suit, Teams, TrumpSpace};
use sticheln_rules::{Card, Hand, Nyet, Seat, Trick, View};

/// Chooses the legal action with the highest score; `None` if there is none.
pub(crate) fn action(view: View<'_, Nyet>) -> Option<Action> {
    let (seat, table, own) = (view.seat()?, view.table()?, view.own()?);
    let hand = &own.hand;
    let score = |action: &Action| match (action, &table.phase) {
        (Action::Cover(space), _) => {
            let is_own = *space == Space::Start(table.characters[seat]);
            if is_own {
                i32::MIN
            } else {
                cover(hand, *space)
            }
        }
        (Action::Team { partners, bonus }, Phase::Team { conditions }) => {
            // The nearest partner is best, and the x2 card for itself unless points are negative.
            let keeps = *bonus == Some(seat);
            let steps = |other: &Seat| {
                let mut clockwise = table.seats().clockwise_from(seat);
                clockwise
                    .position(|next| next == *other)
                    .map_or(0, |steps| steps as i32)
            };
            let far: i32 = partners.iter().map(steps).sum();
            let alone = if partners.is_empty() { 100 } else { 0 };
            let wanted = keeps == (conditions.points.value() > 0);
            (if wanted { 50 } else { 0 }) - far - alone
        }
        (Action::Discard { cards }, Phase::Discard { conditions, .. }) => {
            let values: i32 = cards.iter().map(|card| value(*card, conditions)).sum();
            -conditions.points.value().signum() * values
        }
        (
            Action::Play { card },
            Phase::Trick {
                conditions,
                teams,
                trick,
            },
        ) => play(seat, conditions, teams, trick, *card),
        (Action::Team { .. } | Action::Discard { .. } | Action::Play { .. }, _) => i32::MIN,
    };
    view.legal().into_iter().max_by_key(score)
}

/// The score of a cover. Colours with few cards in the hand score high, and so do negative points.
fn cover(hand: &Hand, space: Space) -> i32 {
    let count =
        |wanted: &dyn Fn(Card) -> bool| hand.iter().filter(|card| wanted(*card)).count() as i32;
    match space {
        Space::Trump(trump) => 12 - 3 * count(&|card| trump.colour() == Some(card.colour)),
        Space::Supertrump(TrumpSpace::None) => 0,
        Space::Supertrump(trump) => {
            4 - 6 * count(&|card| card.value == 1 && trump.colour() == Some(card.colour))
        }
        Space::Points(Points::MinusTwo) => 5,
        Space::Points(points) => -points.value(),
        Space::Start(_) => 3,
        Space::Discard(_) => 1,
    }
}

/// The value of a card, with trumps above all others.
fn value(card: Card, conditions: &Conditions) -> i32 {
    let suits = conditions.suits();
    let above = match suits.suit(card) {
        Suit::Trump if suits.is_supertrump(card) => 40,
        Suit::Trump => 20,
        Suit::Colour(_) => 0,
    };
    above + i32::from(card.value)
}

/// The score of a card. With positive points the beginner wins as cheaply as possible and leaves
/// tricks to a partner. It leads its highest plain card, and otherwise plays its lowest card. With
/// negative points it ducks as high as possible and leads its lowest card.
fn play(
    seat: Seat,
    conditions: &Conditions,
    teams: &Teams,
    trick: &Trick<Suit>,
    card: Card,
) -> i32 {
    let value = value(card, conditions);
    let wants_tricks = conditions.points.value() > 0;
    let mut cards = trick.cards.clone();
    cards.push(card);
    let wins = conditions.suits().winning_place(&cards) == Some(cards.len() - 1);
    let is_own_team_winning = trick
        .winning
        .is_some_and(|winning| !teams.are_opponents(winning, seat));
    match (trick.lead.is_none(), wants_tricks) {
        (true, true) if value > 20 => 0,
        (true, true) => value,
        (true, false) => -value,
        (false, true) if wins && !is_own_team_winning => 100 - value,
        (false, true) => -value,
        (false, false) if wins => -100 + value,
        (false, false) => value,
    }
}
