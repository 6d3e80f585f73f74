//! What one seat knows of a round that it is to act in, and the determinizations that agree with it.
//! Sections are those of `docs/rules/nyet.md`.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use sticheln_rules::nyet::{Action, Conditions, Discard, Phase, Table, Teams};
use sticheln_rules::{Card, Nyet, Seat, Seats, View};

use super::board::{self, Free, Place, Terms};
use super::cards::{Cards, Code, Kinds};
use super::engine::{Engine, SEATS, Stakes};
use super::evaluation::Evaluator;
use super::heuristics::{self, HandEvaluation};
use super::memory::Memory;

/// The most cards that a seat does not see.
const UNSEEN: usize = 60;
/// Where a card may be: with a seat, or out of the round.
const PLACES: usize = SEATS + 1;
const OUT: usize = SEATS;
/// How often cards are dealt anew to agree with what seats have shown not to hold.
const TRIES: usize = 8;

/// How easily a seat gets a card of which its covers tell nothing.
const EVEN: f64 = 256.0;
/// How much covers tell: for each unit of promise, as a power of e.
const TRUST: f64 = 50e-6;
/// The power of e up to which they make a card likelier.
const MOST: f64 = 2.0;

/// How easily each seat gets each card, and last how easily it is out of the round.
#[derive(Clone, Debug)]
pub struct DealWeights([[u32; Code::COUNT]; PLACES]);

/// Something that the seat may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Cover a space.
    Cover(Place),
    /// Form teams.
    Team(heuristics::Choice),
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
    covers: CoverHistory,
    /// All that the seat may do, by what it promises; the best first.
    choices: Vec<Choice>,
    actions: Vec<Action>,
}

/// The covers of a round, and the board on which they were made.
#[derive(Clone, Debug)]
struct CoverHistory {
    /// The board before the first remembered cover.
    board: Free,
    /// Each cover with the seat that made it, in order.
    covers: Vec<(usize, Place)>,
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
            covers: CoverHistory::new(table, memory)?,
            choices: Vec::new(),
            actions: Vec::new(),
        };
        for (other, count) in table.hand_counts.entries() {
            position.held[other.index()] = usize::from(*count);
        }
        position.enter_phase(view, table, memory)?;
        position.list(view, table, legal)?;
        Some(position)
    }

    /// Sets the stage; `None` if the round is over, or if the memory is of another round.
    fn enter_phase(&mut self, view: View<'_, Nyet>, table: &Table, memory: &Memory) -> Option<()> {
        let terms = |conditions: &Conditions| Terms {
            start: conditions.start_seat.index(),
            discard: conditions.discard,
            kinds: Kinds::new(conditions.suits(), view.options().supertrump_loot),
            points: conditions.points.value(),
        };
        match &table.phase {
            Phase::Nyet { .. } => {}
            Phase::Team { conditions } => self.stage = Stage::Team(terms(conditions)),
            Phase::Discard {
                conditions, teams, ..
            } => {
                let terms = terms(conditions);
                self.stage = Stage::Discard(terms, Stakes::new(teams, terms.points));
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
                self.begin_tricks(terms, teams, view.own()?.discard.as_slice(), tricks)?;
            }
            Phase::RoundEnd { .. } => return None,
        }
        Some(())
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
        let hand_evaluation = HandEvaluation::new(self.seat, self.hand, self.seats);
        for action in legal {
            let choice = self.choice(table, &action)?;
            let evaluation = match (choice, &self.stage) {
                (Choice::Cover(place), Stage::Cover(free)) => {
                    [hand_evaluation.on_board(*free).evaluate(place), 0, 0]
                }
                (Choice::Team(teams), Stage::Team(terms)) => {
                    let evaluation = teams.evaluate(self.hand, terms, self.seats);
                    let [told, total] = fit_of_partners(view, table, terms.points, teams.partners);
                    [evaluation, told, total]
                }
                (Choice::Discard(cards), Stage::Discard(terms, _)) => [
                    heuristics::evaluate_discard(cards, self.hand, terms, self.seats),
                    0,
                    0,
                ],
                (Choice::Play(card), Stage::Tricks(_, engine)) => {
                    [Evaluator::new(engine).evaluate(card), 0, 0]
                }
                (Choice::Cover(_) | Choice::Team(_) | Choice::Discard(_) | Choice::Play(_), _) => {
                    return None;
                }
            };
            rated.push((evaluation, choice, action));
        }
        rated.sort_by_key(|(evaluation, ..)| evaluation.map(|part| -part));
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
                let bits = partners
                    .iter()
                    .fold(0, |bits, seat| bits | 1 << seat.index());
                let teams = heuristics::Choice::all(self.seat, self.seats).find(|teams| {
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

    /// Whether looking ahead may change what the seat does: not if there is but one choice, and
    /// not for covers with four and five seats, which a search has not been found to improve.
    pub fn is_open(&self) -> bool {
        let is_improved = match self.stage {
            Stage::Cover(_) => self.seats.count() <= 3,
            Stage::Team(_) | Stage::Discard(..) | Stage::Tricks(..) => true,
        };
        is_improved && self.choices.len() > 1
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

    /// What the covers tell about the hands of those who made them: who covers what promises more
    /// to a hand with a card than other covers would, rather holds that card. `None` if it is over
    /// before they are found.
    pub fn deal_weights(&self, should_stop: &mut dyn FnMut() -> bool) -> Option<DealWeights> {
        let pack = Cards::pack(self.seats);
        let hand_evaluation =
            |card| HandEvaluation::new(self.seat, Cards::from_iter([card]), self.seats);
        let hand_evaluation: Vec<(Code, HandEvaluation)> =
            pack.map(|card| (card, hand_evaluation(card))).collect();
        let mut evaluations = [[0.0; Code::COUNT]; SEATS];
        let mut board = self.covers.board;
        for (seat, covered) in &self.covers.covers {
            if *seat != self.seat {
                let count = board.coverable().count() as f64;
                for (card, hand_evaluation) in &hand_evaluation {
                    if should_stop() {
                        return None;
                    }
                    let on_board = hand_evaluation.on_board(board);
                    let evaluation = |place| f64::from(on_board.evaluate(place));
                    let mean = board.coverable().map(evaluation).sum::<f64>() / count;
                    evaluations[*seat][card.index()] += evaluation(*covered) - mean;
                }
            }
            board.cover(*covered);
        }

        let mut deal_weights = DealWeights([[EVEN as u32; Code::COUNT]; PLACES]);
        for (deal_weights, evaluations) in deal_weights.0.iter_mut().zip(evaluations) {
            let mean = evaluations.iter().sum::<f64>() / pack.len() as f64;
            for card in pack {
                let power = TRUST * (evaluations[card.index()] - mean);
                deal_weights[card.index()] = (EVEN * power.clamp(-MOST, MOST).exp()) as u32;
            }
        }
        Some(deal_weights)
    }

    /// A determinization that agrees with what the seat knows: who might hold what. Where the seats have
    /// parted with cards by choice, they did so by the heuristics.
    pub fn determinize(&self, deal_weights: &DealWeights, rng: &mut impl Rng) -> [Cards; SEATS] {
        let mut cards = [Code::FIRST; UNSEEN];
        let mut count = 0;
        let known = self.known.into_iter().fold(Cards::EMPTY, Cards::with);
        for card in self.unseen.without(known) {
            cards[count] = card;
            count += 1;
        }
        let cards = &mut cards[..count];
        cards.shuffle(rng);
        let barred = self.barred();
        let mut dealt = (0..TRIES).find_map(|_| self.dealt(cards, &barred, deal_weights, rng));
        if dealt.is_none() {
            dealt = self.dealt(cards, &[Cards::EMPTY; PLACES], deal_weights, rng);
        }
        let mut places = dealt.expect("where nothing is barred, all cards find a place");
        if let Stage::Tricks(terms, _) = &self.stage
            && self.aside > 0
        {
            self.lay_aside(&mut places, &barred, terms, rng);
        }
        let mut hands: [Cards; SEATS] = std::array::from_fn(|seat| places[seat]);
        hands[self.seat] = self.hand;
        hands
    }

    /// What each seat cannot hold as it has not followed suit, and last what cannot be out of the
    /// round.
    fn barred(&self) -> [Cards; PLACES] {
        let mut barred = [Cards::EMPTY; PLACES];
        if let Stage::Tricks(terms, engine) = &self.stage {
            for (seat, barred) in barred[..OUT].iter_mut().enumerate() {
                *barred = engine.voids(seat);
            }
            if terms.discard == Discard::OneNot1 && self.seats.count() > 2 {
                barred[OUT] = Cards::ONES;
            }
        }
        barred
    }

    /// Deals these cards at random, first those that fewest may get; `None` if one of them finds
    /// no place.
    fn dealt(
        &self,
        cards: &[Code],
        barred: &[Cards; PLACES],
        deal_weights: &DealWeights,
        rng: &mut impl Rng,
    ) -> Option<[Cards; PLACES]> {
        let mut got = [Cards::EMPTY; PLACES];
        let mut room = [0; PLACES];
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            got[seat] = self.known[seat];
            room[seat] = self.held[seat] - self.known[seat].len();
        }
        room[OUT] = cards.len() - room.iter().sum::<usize>();

        let is_open =
            |room: &[usize; PLACES], at: usize, card| room[at] > 0 && !barred[at].has(card);
        let mut widths = [0; UNSEEN];
        for (width, card) in widths.iter_mut().zip(cards) {
            *width = (0..PLACES).filter(|at| is_open(&room, *at, *card)).count();
        }
        for wide in 0..=PLACES {
            for (card, _) in cards.iter().zip(widths).filter(|(_, width)| *width == wide) {
                if !(0..PLACES).any(|at| is_open(&room, at, *card)) {
                    self.make_room(*card, &mut got, &mut room, barred)?;
                }
                let weights: [u32; PLACES] = std::array::from_fn(|at| {
                    if is_open(&room, at, *card) {
                        room[at] as u32 * deal_weights.0[at][card.index()]
                    } else {
                        0
                    }
                });
                let mut draw = rng.random_range(0..weights.iter().sum());
                let place = weights.iter().position(|weight| {
                    let is_here = draw < *weight;
                    draw = draw.saturating_sub(*weight);
                    is_here
                })?;
                got[place].insert(*card);
                room[place] -= 1;
            }
        }
        Some(got)
    }

    /// Moves a card to a place with room, from one where `card` may go; `None` if there is none.
    fn make_room(
        &self,
        card: Code,
        got: &mut [Cards; PLACES],
        room: &mut [usize; PLACES],
        barred: &[Cards; PLACES],
    ) -> Option<()> {
        for from in (0..PLACES).filter(|from| !barred[*from].has(card)) {
            let fixed = self.known.get(from).copied().unwrap_or_default();
            for moved in got[from].without(fixed) {
                let to = (0..PLACES).find(|to| room[*to] > 0 && !barred[*to].has(moved));
                if let Some(to) = to {
                    got[from].remove(moved);
                    room[from] += 1;
                    got[to].insert(moved);
                    room[to] -= 1;
                    return Some(());
                }
            }
        }
        None
    }

    /// Lets each seat hold what it would keep by the heuristics, of all it was dealt, and lay
    /// the rest aside.
    fn lay_aside(
        &self,
        places: &mut [Cards; PLACES],
        barred: &[Cards; PLACES],
        terms: &Terms,
        rng: &mut impl Rng,
    ) {
        let mut out = places[OUT].without(barred[OUT]);
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            let mut aside = Cards::EMPTY;
            for _ in 0..self.aside.min(out.len()) {
                let card = out.nth(rng.random_range(0..out.len()));
                out.remove(card);
                aside.insert(card);
            }
            let cards = places[seat].with(aside);
            let never_held = aside.within(barred[seat]);
            let free = cards.without(never_held);
            let count = aside.len() - never_held.len();
            let laid = heuristics::discards(free, count, terms, self.seats);
            if laid.len() == count {
                places[seat] = free.without(laid);
            }
        }
    }
}

impl CoverHistory {
    /// The covers of this table; `None` if the memory is of another table.
    fn new(table: &Table, memory: &Memory) -> Option<Self> {
        let mut history = Self {
            board: Free::of(table),
            covers: Vec::new(),
        };
        for (seat, space) in memory.covers() {
            let place = board::place(table, *space)?;
            history.board.uncover(place);
            history.covers.push((seat.index(), place));
        }
        Some(history)
    }
}

/// How well these partners go with the points, where the teams promise the same: first by what
/// their covers told about their hands, since who has covered low points wants high ones. Then
/// gains are shared with the seat that is behind, and losses with the one that is ahead, as a
/// partner scores the same (section 13, 5).
fn fit_of_partners(view: View<'_, Nyet>, table: &Table, points: i32, partners: u8) -> [i32; 2] {
    let sign = points.signum();
    let is_partner = |seat: Seat| partners >> seat.index() & 1 == 1;
    let covers = table.board.points.iter();
    let told = covers
        .filter(|(_, by)| by.is_some_and(is_partner))
        .map(|(points, _)| -points.value());
    let totals = view.sheet().totals().entries();
    let total = totals
        .filter(|(seat, _)| is_partner(*seat))
        .map(|(_, total)| *total);
    [sign * told.sum::<i32>(), -sign * total.sum::<i32>()]
}
