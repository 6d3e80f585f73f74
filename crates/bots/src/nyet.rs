//! Nyet! by rules of thumb; sections are those of `docs/rules/nyet.md`.

pub mod cards;
pub mod engine;

use sticheln_rules::nyet::{
    Action, Board, Conditions, Discard, Phase, Space, Suit, Suits, Table, Teams,
};
use sticheln_rules::{Card, Game, Hand, Nyet, Seat, Trick, View};

/// Tricks and chances are counted in parts: this many are a whole trick, or certainty.
const WHOLE: i32 = 1000;

/// How many parts of a trick it is worth to be the start player and to form the teams (section 4).
const TO_FORM_TEAMS: i32 = 300;

/// How many parts of a trick it is worth to play one place later to the first trick.
const TO_PLAY_LATER: i32 = 20;

/// How many parts of a trick it is worth to get rid of a card, for each 1 in the hand above the
/// average: where it is laid aside or passed on, a 1 is no loot for opponents (section 6).
const TO_DISCARD: i32 = 100;

/// How good an action is: the first number decides, the next ones break ties.
type Promise = [i32; 3];

/// Chooses the legal action that promises most; `None` if there is none.
pub(crate) fn beginner(view: View<'_, Nyet>) -> Option<Action> {
    let bot = Beginner::new(view)?;
    view.legal()
        .into_iter()
        .max_by_key(|action| bot.promise(action))
}

/// What a seat makes of its view.
struct Beginner<'a> {
    view: View<'a, Nyet>,
    table: &'a Table,
    seat: Seat,
    hand: &'a Hand,
    pack: Vec<Card>,
    /// The highest value in the pack.
    highest: u8,
    /// For each trump and supertrump that may still come, how many parts of a trick this hand is
    /// worth more than the average hand.
    edges: Vec<(Suits, i32)>,
}

impl<'a> Beginner<'a> {
    /// `None` for a spectator and before the first deal.
    fn new(view: View<'a, Nyet>) -> Option<Self> {
        let table = view.table()?;
        let pack = Nyet::pack(view.options(), table.seats());
        let mut bot = Self {
            view,
            table,
            seat: view.seat()?,
            hand: &view.own()?.hand,
            highest: pack.iter().map(|card| card.value).max()?,
            pack,
            edges: Vec::new(),
        };
        bot.edges = free_suits(&table.board)
            .map(|suits| {
                (
                    suits,
                    bot.worth_of_hand(suits) - bot.worth_of_average(suits),
                )
            })
            .collect();
        Some(bot)
    }

    fn promise(&self, action: &Action) -> Promise {
        match (action, &self.table.phase) {
            (Action::Cover(space), Phase::Nyet { .. }) => self.cover(*space),
            (Action::Team { partners, bonus }, Phase::Team { conditions }) => {
                self.team(conditions, partners, *bonus)
            }
            (Action::Discard { cards }, Phase::Discard { conditions, .. }) => {
                self.discard(conditions, cards)
            }
            (
                Action::Play { card },
                Phase::Trick {
                    conditions,
                    teams,
                    trick,
                },
            ) => self.play(conditions, teams, trick, *card),
            (
                Action::Cover(_)
                | Action::Team { .. }
                | Action::Discard { .. }
                | Action::Play { .. },
                _,
            ) => unreachable!("what is legal belongs to the phase"),
        }
    }

    /// What the round is worth if `covered` is covered and all other free spaces stay equally
    /// likely: tricks times points. A strong hand thus keeps high points, its trump and its
    /// supertrump; a weak one keeps low points or -2 (section 13, 1 to 4). A row with two free
    /// spaces counts most, since one cover decides it.
    fn cover(&self, covered: Space) -> Promise {
        let mean_of = |worth: &dyn Fn(Space) -> Option<i32>| {
            let free = self.table.board.free();
            mean(free.filter(|space| *space != covered).filter_map(worth))
        };
        let points = |space| match space {
            Space::Points(points) => Some(points.value() * WHOLE),
            Space::Start(_) | Space::Discard(_) | Space::Trump(_) | Space::Supertrump(_) => None,
        };
        let edges = self.edges.iter().filter(|(suits, _)| {
            Space::Trump(suits.trump) != covered && Space::Supertrump(suits.supertrump) != covered
        });
        let edge = mean(edges.map(|(_, edge)| *edge));
        let discard = mean_of(&|space| self.worth_of_discard(space));
        let start = mean_of(&|space| self.worth_of_start(space));
        // To form the teams is as good when points are lost as when they are won.
        let stakes = mean_of(&|space| points(space).map(i32::abs));
        [(edge + discard) * mean_of(&points) + start * stakes, 0, 0]
    }

    /// How far these teams would bring this seat ahead of the mean of all, if the other seats
    /// share evenly what this hand leaves of the tricks (section 7). The x2 card thus goes to the
    /// rival when the points are negative (section 13, 3).
    ///
    /// Of equals it takes the partner whose covers told of the better hand for these points: who
    /// has covered low points wants high ones. Then it shares gains with the seat that is behind,
    /// and losses with the one that is ahead, as a partner scores the same (section 13, 5).
    fn team(&self, conditions: &Conditions, partners: &[Seat], bonus: Option<Seat>) -> Promise {
        let seats = self.table.seats();
        let others = seats.count() as i32 - 1;
        let teams = Teams::formed(self.seat, seats, partners, bonus)
            .expect("only teams that can be formed are legal");
        let suits = conditions.suits();
        let own = self.worth_of_hand(suits);
        let rest = self.worth_of_average(suits) * seats.count() as i32 - own;
        let tricks = |seat| {
            if seat == self.seat {
                own
            } else {
                rest / others
            }
        };
        let points = |seat| {
            let team = seats
                .iter()
                .filter(|mate| teams.of[*mate] == teams.of[seat]);
            team.map(tricks).sum::<i32>() * conditions.points.value() * teams.factor(seat)
        };
        let all: i32 = seats.iter().map(points).sum();

        let sign = conditions.points.value().signum();
        let covers = self.table.board.points.iter();
        let told = covers
            .filter(|(_, by)| by.is_some_and(|by| partners.contains(&by)))
            .map(|(points, _)| -points.value());
        let totals = self.view.sheet().totals();
        let total = partners.iter().map(|partner| totals[*partner]);
        [
            points(self.seat) * seats.count() as i32 - all,
            sign * told.sum::<i32>(),
            -sign * total.sum::<i32>(),
        ]
    }

    /// Parts with what wins least, plain 1s first; with -2 with what wins most (section 13, 3).
    /// Of equals it parts with a card of a short suit, so that it need not follow it.
    fn discard(&self, conditions: &Conditions, cards: &[Card]) -> Promise {
        let suits = conditions.suits();
        let sign = conditions.points.value().signum();
        let length = |card: &Card| {
            let suit = self.hand.iter().map(|held| suits.suit(held));
            suit.filter(|suit| *suit == suits.suit(*card)).count() as i32
        };
        let values = cards.iter().map(|card| i32::from(card.value));
        [
            -sign * self.worth_of_cards(cards, suits),
            -cards.iter().map(length).sum::<i32>(),
            -sign * values.sum::<i32>(),
        ]
    }

    /// What the trick would bring with `card`, less half of what the card might win later; of
    /// equals it plays the lower card. With -2 all of this turns round (section 13, 3).
    fn play(
        &self,
        conditions: &Conditions,
        teams: &Teams,
        trick: &Trick<Suit>,
        card: Card,
    ) -> Promise {
        let suits = conditions.suits();
        let sign = conditions.points.value().signum();
        let mut cards = trick.cards.clone();
        cards.push(card);
        let outcome = self.outcome(suits, teams, trick.leader, cards);
        let later = self.worth_of_card(card, suits) / 2;
        [sign * (outcome - later), -sign * i32::from(card.value), 0]
    }

    /// What a trick with these cards so far is worth, in parts of a trick. Won by the own team it
    /// counts with the opponents' 1s as loot, won by the opponents it counts against the team with
    /// its own 1s (section 6): so a 1 is played where the partner wins.
    fn outcome(&self, suits: Suits, teams: &Teams, leader: Seat, mut cards: Vec<Card>) -> i32 {
        let seats = self.table.seats();
        let winning = suits
            .winner(&cards)
            .expect("a trick with a card has a winner");
        let taker = seats.clockwise(leader, winning);

        // The other team may take over: each of its seats behind plays any card not seen yet.
        let rivals_behind = (seats.clockwise_from(leader).skip(cards.len()))
            .filter(|seat| teams.are_opponents(*seat, taker))
            .count();
        let unseen = self.unseen(&cards);
        let mut beaten = 0;
        for other in &unseen {
            cards.push(*other);
            beaten += i32::from(suits.winner(&cards) != Some(winning));
            cards.pop();
        }
        let all = unseen.len() as i32;
        let stays = (0..rivals_behind).fold(WHOLE, |chance, _| chance * (all - beaten) / all);

        let loot_from = |opponents: bool| {
            let plays = seats.clockwise_from(leader).zip(&cards);
            let loot = plays.filter(|(seat, card)| {
                self.view.options().is_loot(**card, suits)
                    && teams.are_opponents(*seat, self.seat) == opponents
            });
            loot.count() as i32
        };
        let is_ours = !teams.are_opponents(taker, self.seat);
        let ours = if is_ours { stays } else { WHOLE - stays };
        ours * (1 + loot_from(true)) - (WHOLE - ours) * (1 + loot_from(false))
    }

    /// The cards that others may hold when these lie in the trick. A beginner does not remember
    /// what has been played.
    fn unseen(&self, trick: &[Card]) -> Vec<Card> {
        let mut unseen = self.pack.clone();
        for seen in self.hand.as_slice().iter().chain(trick) {
            if let Some(at) = unseen.iter().position(|card| card == seen) {
                unseen.swap_remove(at);
            }
        }
        unseen
    }

    /// What a space of the row of start players is worth: the teams for oneself, and else a late
    /// place in the first trick.
    fn worth_of_start(&self, space: Space) -> Option<i32> {
        let Space::Start(character) = space else {
            return None;
        };
        let seats = self.table.seats();
        let mut characters = self.table.characters.entries();
        let (start, _) = characters.find(|(_, played)| **played == character)?;
        let place = seats
            .clockwise_from(start)
            .position(|seat| seat == self.seat)?;
        let forms_teams = start == self.seat && seats.count() > 2;
        Some(TO_PLAY_LATER * place as i32 + if forms_teams { TO_FORM_TEAMS } else { 0 })
    }

    /// What a space of the row of discards is worth.
    fn worth_of_discard(&self, space: Space) -> Option<i32> {
        let Space::Discard(discard) = space else {
            return None;
        };
        let count = |cards: &[Card]| cards.iter().filter(|card| card.value == 1).count() as i32;
        let (held, size) = (count(self.hand.as_slice()), self.hand.len() as i32);
        let (all, pack) = (count(&self.pack), self.pack.len() as i32);
        let cards = match discard {
            Discard::None | Discard::OneNot1 => 0,
            Discard::One | Discard::Two | Discard::PassLeft => discard.count() as i32,
        };
        Some(cards * TO_DISCARD * (held * pack - all * size) / pack)
    }

    /// How many parts of a trick the hand is worth.
    fn worth_of_hand(&self, suits: Suits) -> i32 {
        self.worth_of_cards(self.hand.as_slice(), suits)
    }

    /// How many parts of a trick the average hand is worth.
    fn worth_of_average(&self, suits: Suits) -> i32 {
        self.worth_of_cards(&self.pack, suits) * self.hand.len() as i32 / self.pack.len() as i32
    }

    fn worth_of_cards(&self, cards: &[Card], suits: Suits) -> i32 {
        let worths = cards.iter().map(|card| self.worth_of_card(*card, suits));
        worths.sum()
    }

    /// How many parts of a trick a card of the hand is worth, roughly. A plain 1 wins nothing and
    /// may become loot of an opponent, which counts as much as a trick (section 6).
    fn worth_of_card(&self, card: Card, suits: Suits) -> i32 {
        const SUPERTRUMP: i32 = 800;
        const TRUMP: i32 = 300;
        const PLAIN_1: i32 = -300;
        /// The highest card of a colour, the one below it, and so on.
        const HIGH: [i32; 4] = [600, 400, 200, 100];

        let below_highest = usize::from(self.highest - card.value);
        let high = HIGH.get(below_highest).copied().unwrap_or(0);
        match suits.suit(card) {
            Suit::Trump if suits.is_supertrump(card) => SUPERTRUMP,
            Suit::Trump => TRUMP + high,
            Suit::Colour(_) if card.value == 1 => PLAIN_1,
            Suit::Colour(_) => high,
        }
    }
}

/// Each trump with each supertrump that is still free.
fn free_suits(board: &Board) -> impl Iterator<Item = Suits> {
    let free = |(trump, by): (&_, &Option<Seat>)| by.is_none().then_some(*trump);
    board.trump.iter().filter_map(free).flat_map(move |trump| {
        let supertrumps = board.supertrump.iter().filter_map(free);
        supertrumps.map(move |supertrump| Suits { trump, supertrump })
    })
}

/// The mean of some numbers, rounded towards 0; 0 if there are none.
fn mean(numbers: impl Iterator<Item = i32>) -> i32 {
    let (sum, count) = numbers.fold((0, 0), |(sum, count), number| (sum + number, count + 1));
    if count == 0 { 0 } else { sum / count }
}
