//! What one seat knows of a round that it is to act in, and the worlds that agree with it.
//! Sections are those of `docs/rules/nyet.md`.

use rand::Rng;
use rand::seq::SliceRandom;
use sticheln_rules::nyet::{Action, Conditions, Discard, Phase, Space, Table, Teams};
use sticheln_rules::{Card, Nyet, Seat, Seats, View};

use super::board::{self, Free, Place, Terms};
use super::cards::{Cards, Code, Kinds};
use super::engine::{Engine, SEATS, Stakes};
use super::memory::Memory;
use super::policy::Sight;
use super::thumb::{self, Wishes};

/// The most cards that a seat does not see.
const UNSEEN: usize = 60;
/// How often cards are dealt anew to agree with what seats have shown not to hold.
const TRIES: usize = 8;

/// Something that the seat may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Cover a space.
    Cover(Place),
    /// Form teams.
    Team(thumb::Choice),
    /// Lay cards aside, or pass one.
    Discard(Cards),
    /// Play a card.
    Play(Code),
}

/// Where a round stands.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// The spaces are covered.
    Cover(Free),
    /// The start player forms the teams.
    Team(Terms),
    /// Everybody parts with cards.
    Discard(Terms, Stakes),
    /// Tricks are played: so far, with no card in the other hands.
    Tricks(Terms, Engine),
}

/// What one seat knows: its hand, and all that everybody was told.
#[derive(Clone, Debug)]
pub struct Position {
    seats: Seats,
    seat: usize,
    supertrump_loot: bool,
    hand: Cards,
    /// What others hold, have laid aside or were not dealt.
    unseen: Cards,
    /// What a seat surely holds: the card that was passed to it.
    known: [Cards; SEATS],
    /// How many cards each other seat holds, and how many it has laid aside.
    held: [usize; SEATS],
    aside: usize,
    stage: Stage,
    /// All that the seat may do, by what it promises; the best first.
    choices: Vec<Choice>,
    actions: Vec<Action>,
}

impl Position {
    /// What the observer's seat knows; `None` if it has nothing to do, or if the memory is of
    /// another round.
    pub fn new(view: View<'_, Nyet>, memory: &Memory) -> Option<Self> {
        let (seat, table, own) = (view.seat()?, view.table()?, view.own()?);
        let legal = view.legal();
        if legal.is_empty() {
            return None;
        }
        let seats = table.seats();
        let supertrump_loot = view.options().supertrump_loot;
        let mut unseen = Cards::pack(seats);
        let hand = unseen.take_out(own.hand.as_slice())?;
        let mut position = Self {
            seats,
            seat: seat.index(),
            supertrump_loot,
            hand,
            unseen,
            known: [Cards::EMPTY; SEATS],
            held: [0; SEATS],
            aside: 0,
            stage: Stage::Cover(Free::of(table)),
            choices: Vec::new(),
            actions: Vec::new(),
        };
        for (other, count) in table.hand_counts.entries() {
            position.held[other.index()] = usize::from(*count);
        }
        let terms = |conditions: &Conditions| Terms {
            start: conditions.start_seat.index(),
            discard: conditions.discard,
            kinds: Kinds::new(conditions.suits(), supertrump_loot),
            points: conditions.points.value(),
        };
        match &table.phase {
            Phase::Nyet { .. } => {}
            Phase::Team { conditions } => position.stage = Stage::Team(terms(conditions)),
            Phase::Discard {
                conditions, teams, ..
            } => {
                let terms = terms(conditions);
                position.stage = Stage::Discard(terms, Stakes::new(teams, terms.points));
            }
            Phase::Trick {
                conditions,
                teams,
                trick,
            } => {
                let terms = terms(conditions);
                let finished = memory.tricks().iter();
                let finished = finished.map(|(leader, cards)| (*leader, cards.as_slice()));
                let taken: usize = table.tricks_won.iter().map(|won| usize::from(*won)).sum();
                if memory.tricks().len() != taken {
                    return None;
                }
                let tricks = finished.chain([(trick.leader, trick.cards.as_slice())]);
                position.begin_tricks(terms, teams, own.discard.as_slice(), tricks)?;
            }
            Phase::RoundEnd { .. } => return None,
        }
        position.list(view, table, legal)?;
        Some(position)
    }

    /// Enters what has been played and what this seat has parted with.
    fn begin_tricks<'a>(
        &mut self,
        terms: Terms,
        teams: &Teams,
        parted: &[Card],
        tricks: impl Iterator<Item = (Seat, &'a [Card])>,
    ) -> Option<()> {
        if terms.discard.is_laid_aside() {
            self.aside = terms.discard.count();
            self.unseen.take_out(parted)?;
        }
        let mut plays = [(0, Code::FIRST); UNSEEN];
        let mut played = 0;
        let mut shown = [Cards::EMPTY; SEATS];
        shown[self.seat] = self.hand;
        for (leader, cards) in tricks {
            for (seat, card) in self.seats.clockwise_from(leader).zip(cards) {
                let code = self.unseen.first_of(*card)?;
                self.unseen.remove(code);
                shown[seat.index()].insert(code);
                *plays.get_mut(played)? = (seat.index(), code);
                played += 1;
            }
        }
        if terms.discard == Discard::PassLeft {
            let left = self.seats.left_of(Seat::new(self.seat as u8)).index();
            let card = *parted.first()?;
            // As soon as it plays such a card, it is no longer sure to hold one.
            let is_shown = shown[left].first_of(card).is_some();
            if !is_shown {
                self.known[left].insert(self.unseen.first_of(card)?);
            }
        }
        let mut left = shown.into_iter().fold(self.unseen, Cards::with);
        left = left.with(self.hand);
        let leader = Seat::new(terms.start as u8);
        let stakes = Stakes::new(teams, terms.points);
        let mut engine = Engine::new(self.seats, shown, left, terms.kinds, stakes, leader);
        for (seat, code) in &plays[..played] {
            if engine.turn() != *seat || engine.play(*code).is_err() {
                return None;
            }
        }
        self.stage = Stage::Tricks(terms, engine);
        Some(())
    }

    /// Lists what is legal, by what it promises.
    fn list(&mut self, view: View<'_, Nyet>, table: &Table, legal: Vec<Action>) -> Option<()> {
        let mut rated = Vec::with_capacity(legal.len());
        let wishes = Wishes::new(self.seat, self.hand, self.seats);
        for action in legal {
            let choice = self.choice(table, &action)?;
            let promise = match (choice, &self.stage) {
                (Choice::Cover(place), Stage::Cover(free)) => {
                    [wishes.promise_of_cover(*free, place), 0, 0]
                }
                (Choice::Team(teams), Stage::Team(terms)) => {
                    let promise = teams.promise(self.hand, terms, self.seats);
                    let [told, total] = told_by_partners(view, table, terms, &action);
                    [promise, told, total]
                }
                (Choice::Discard(cards), Stage::Discard(terms, _)) => [
                    thumb::promise_of_discard(cards, self.hand, terms, self.seats),
                    0,
                    0,
                ],
                (Choice::Play(card), Stage::Tricks(_, engine)) => {
                    [Sight::new(engine).promise(card), 0, 0]
                }
                (
                    Choice::Cover(_) | Choice::Team(_) | Choice::Discard(_) | Choice::Play(_),
                    _,
                ) => return None,
            };
            rated.push((promise, choice, action));
        }
        rated.sort_by_key(|(promise, ..)| promise.map(|part| -part));
        for (_, choice, action) in rated {
            self.choices.push(choice);
            self.actions.push(action);
        }
        Some(())
    }

    fn choice(&self, table: &Table, action: &Action) -> Option<Choice> {
        match action {
            Action::Cover(space) => board::place(table, *space).map(Choice::Cover),
            Action::Team { partners, bonus } => {
                let bits = partners.iter().fold(0, |bits, seat| bits | 1 << seat.index());
                let teams = thumb::Choice::all(self.seat, self.seats).find(|teams| {
                    let is_bonus = bonus.is_none_or(|bonus| teams.bonus == Some(bonus.index()));
                    teams.partners == bits && is_bonus
                });
                teams.map(Choice::Team)
            }
            Action::Discard { cards } => {
                let mut hand = self.hand;
                hand.take_out(cards).map(Choice::Discard)
            }
            Action::Play { card } => self.hand.first_of(*card).map(Choice::Play),
        }
    }

    /// How many seats there are.
    pub fn seats(&self) -> Seats {
        self.seats
    }

    /// The seat that is to act.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// Whether a supertrump can be loot.
    pub fn supertrump_loot(&self) -> bool {
        self.supertrump_loot
    }

    /// Where the round stands.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// All that the seat may do, by what it promises; the best first.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// What is done by the choice at this place of the list.
    pub fn action(&self, place: usize) -> Action {
        self.actions[place].clone()
    }

    /// A world that agrees with what the seat knows: who might hold what. Where the seats have
    /// parted with cards by choice, they did so by the rules of thumb.
    pub fn world(&self, chance: &mut impl Rng) -> [Cards; SEATS] {
        let mut cards = [Code::FIRST; UNSEEN];
        let mut count = 0;
        let known = self.known.into_iter().fold(Cards::EMPTY, Cards::with);
        for card in self.unseen.without(known) {
            cards[count] = card;
            count += 1;
        }
        let cards = &mut cards[..count];
        cards.shuffle(chance);
        for _ in 0..TRIES {
            if let Some(hands) = self.dealt(cards, &self.barred(), chance) {
                return hands;
            }
        }
        self.dealt(cards, &[Cards::EMPTY; SEATS + 1], chance)
            .expect("where nothing is barred, all cards find a place")
    }

    /// What each seat cannot hold as it has not followed suit, and last what cannot be out of the
    /// round.
    fn barred(&self) -> [Cards; SEATS + 1] {
        let mut barred = [Cards::EMPTY; SEATS + 1];
        if let Stage::Tricks(terms, engine) = &self.stage {
            for (seat, barred) in barred[..SEATS].iter_mut().enumerate() {
                *barred = engine.voids(seat);
            }
            if terms.discard == Discard::OneNot1 && self.seats.count() > 2 {
                barred[SEATS] = Cards::ONES;
            }
        }
        barred
    }

    /// Deals these shuffled cards, first those that some may not get; `None` if that fails.
    fn dealt(
        &self,
        cards: &[Code],
        barred: &[Cards; SEATS + 1],
        chance: &mut impl Rng,
    ) -> Option<[Cards; SEATS]> {
        let mut got = self.known_with_nothing_out();
        let mut room = [0; SEATS + 1];
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            room[seat] = self.held[seat] - self.known[seat].len();
        }
        room[SEATS] = cards.len() - room.iter().sum::<usize>();

        let is_open = |room: &[usize; SEATS + 1], place: usize, card| {
            room[place] > 0 && !barred[place].has(card)
        };
        let places = |card| (0..=SEATS).filter(|at| room[*at] > 0 && !barred[*at].has(card)).count();
        let open = room;
        let all = (0..=SEATS).filter(|at| open[*at] > 0).count();
        for narrow in 1..=all {
            for card in cards.iter().filter(|card| places(**card) == narrow) {
                let weights = (0..=SEATS).filter(|at| is_open(&room, *at, *card));
                let sum: usize = weights.map(|at| room[at]).sum();
                if sum == 0 {
                    return None;
                }
            }
        }
        Some(got)
    }
}
