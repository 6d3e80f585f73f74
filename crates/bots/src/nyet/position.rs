//! Everything that a seat on turn knows of a round, and determinizations that are consistent with
//! it. Sections are those of `docs/rules/nyet.md`.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use sticheln_rules::nyet::{Action, Conditions, Discard, Phase, Table, Teams};
use sticheln_rules::{Card, Nyet, Seat, Seats, View};

use super::board::{self, FreeSpaces, PlayConditions, SpaceIndex};
use super::cards::{Cards, Code, Kinds};
use super::engine::{Engine, SEATS, Stakes};
use super::evaluation::Evaluator;
use super::heuristics::{self, HandEvaluation};
use super::memory::Memory;

/// The most cards that a seat does not see.
const MAX_UNSEEN: usize = 60;
/// The number of locations of a card: the seats, and out of the round.
const LOCATIONS: usize = SEATS + 1;
const OUT: usize = SEATS;
/// The number of attempts to deal the cards consistently with the known voids.
const MAX_DEAL_ATTEMPTS: usize = 8;

/// The weight of a card for a seat without information from covers.
const NEUTRAL_WEIGHT: f64 = 256.0;
/// The trust in covers: the factor from an evaluation to an exponent of e.
const COVER_TRUST: f64 = 50e-6;
/// The largest exponent.
const MAX_EXPONENT: f64 = 2.0;

/// The weights with which a card is dealt to each seat, and at last to no seat.
#[derive(Clone, Debug)]
pub struct DealWeights([[u32; Code::COUNT]; LOCATIONS]);

/// An action of the seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Covers a space.
    Cover(SpaceIndex),
    /// Forms teams.
    Team(heuristics::TeamChoice),
    /// Lays cards aside, or passes one.
    Discard(Cards),
    /// Plays a card.
    Play(Code),
}

/// The stage of a round.
#[derive(Clone, Copy, Debug)]
pub enum Stage {
    /// The seats cover spaces.
    Cover(FreeSpaces),
    /// The start player forms the teams.
    Team(PlayConditions),
    /// The seats discard.
    Discard(PlayConditions, Stakes),
    /// The seats play tricks. The other hands are empty.
    Tricks(PlayConditions, Engine),
}

/// Everything that one seat knows: its hand and the public events.
#[derive(Clone, Debug)]
pub struct Position {
    seats: Seats,
    seat: usize,
    supertrump_loot: bool,
    hand: Cards,
    /// The cards in other hands, laid aside or not dealt.
    unseen: Cards,
    /// The cards that a seat is known to hold: the card that was passed to it.
    known: [Cards; SEATS],
    /// The number of cards in each other hand, and the number that each seat has laid aside.
    held: [usize; SEATS],
    aside: usize,
    stage: Stage,
    covers: CoverHistory,
    /// All legal choices, the best one by the heuristics first.
    choices: Vec<Choice>,
    actions: Vec<Action>,
}

/// The covers of a round, and the board before them.
#[derive(Clone, Debug)]
struct CoverHistory {
    /// The board before the first remembered cover.
    board: FreeSpaces,
    /// The covers with their seats, in order.
    covers: Vec<(usize, SpaceIndex)>,
}

impl Position {
    /// The position of the observer's seat; `None` if it is not on turn, or if the memory is of
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
            stage: Stage::Cover(FreeSpaces::of(table)),
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
        let play_conditions = |conditions: &Conditions| PlayConditions {
            start: conditions.start_seat.index(),
            discard: conditions.discard,
            kinds: Kinds::new(conditions.suits(), view.options().supertrump_loot),
            points: conditions.points.value(),
        };
        match &table.phase {
            Phase::Nyet { .. } => {}
            Phase::Team { conditions } => self.stage = Stage::Team(play_conditions(conditions)),
            Phase::Discard {
                conditions, teams, ..
            } => {
                let conditions = play_conditions(conditions);
                self.stage = Stage::Discard(conditions, Stakes::new(teams, conditions.points));
            }
            Phase::Trick {
                conditions,
                teams,
                trick,
            } => {
                let conditions = play_conditions(conditions);
                let finished = memory.tricks().iter();
                let finished = finished.map(|(leader, cards)| (*leader, cards.as_slice()));
                let taken: usize = table.tricks_won.iter().map(|won| usize::from(*won)).sum();
                if memory.tricks().len() != taken {
                    return None;
                }
                let tricks = finished.chain([(trick.leader, trick.cards.as_slice())]);
                self.begin_tricks(conditions, teams, view.own()?.discard.as_slice(), tricks)?;
            }
            Phase::RoundEnd { .. } => return None,
        }
        Some(())
    }

    /// Adds the cards that were played, and those that this seat has discarded.
    fn begin_tricks<'a>(
        &mut self,
        conditions: PlayConditions,
        teams: &Teams,
        discarded: &[Card],
        tricks: impl Iterator<Item = (Seat, &'a [Card])>,
    ) -> Option<()> {
        if conditions.discard.is_laid_aside() {
            self.aside = conditions.discard.count();
            self.unseen.take_out(discarded)?;
        }
        let mut plays = [(0, Code::FIRST); MAX_UNSEEN];
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
        if conditions.discard == Discard::PassLeft {
            let left = self.seats.left_of(Seat::new(self.seat as u8)).index();
            let card = *discarded.first()?;
            // After the seat has played an equal card, it may not hold one any more.
            let is_shown = shown[left].first_of(card).is_some();
            if !is_shown {
                self.known[left].insert(self.unseen.first_of(card)?);
            }
        }
        let mut unplayed = shown.into_iter().fold(self.unseen, Cards::union);
        unplayed = unplayed.union(self.hand);
        let leader = Seat::new(conditions.start as u8);
        let stakes = Stakes::new(teams, conditions.points);
        let mut engine = Engine::new(
            self.seats,
            shown,
            unplayed,
            conditions.kinds,
            stakes,
            leader,
        );
        for (seat, code) in &plays[..played] {
            if engine.turn() != *seat || engine.play(*code).is_err() {
                return None;
            }
        }
        self.stage = Stage::Tricks(conditions, engine);
        Some(())
    }

    /// Lists the legal actions, the best one by the heuristics first.
    fn list(&mut self, view: View<'_, Nyet>, table: &Table, legal: Vec<Action>) -> Option<()> {
        let mut rated = Vec::with_capacity(legal.len());
        let hand_evaluation = HandEvaluation::new(self.seat, self.hand, self.seats);
        for action in legal {
            let choice = self.choice(table, &action)?;
            let evaluation = match (choice, &self.stage) {
                (Choice::Cover(place), Stage::Cover(free)) => {
                    [hand_evaluation.on_board(*free).evaluate(place), 0, 0]
                }
                (Choice::Team(teams), Stage::Team(conditions)) => {
                    let evaluation = teams.evaluate(self.hand, conditions, self.seats);
                    let [covered, total] =
                        partner_preference(view, table, conditions.points, teams.partners);
                    [evaluation, covered, total]
                }
                (Choice::Discard(cards), Stage::Discard(conditions, _)) => [
                    heuristics::evaluate_discard(cards, self.hand, conditions, self.seats),
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
            Action::Cover(space) => board::space_index(table, *space).map(Choice::Cover),
            Action::Team { partners, bonus } => {
                let bits = partners
                    .iter()
                    .fold(0, |bits, seat| bits | 1 << seat.index());
                let teams = heuristics::TeamChoice::all(self.seat, self.seats).find(|teams| {
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

    /// The number of seats.
    pub fn seats(&self) -> Seats {
        self.seats
    }

    /// The seat on turn.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// Whether a supertrump can be loot.
    pub fn supertrump_loot(&self) -> bool {
        self.supertrump_loot
    }

    /// Whether a search may improve the action: not with a single choice, and not for covers with
    /// four or five seats, for which measurements show no gain.
    pub fn is_searchable(&self) -> bool {
        let is_improved = match self.stage {
            Stage::Cover(_) => self.seats.count() <= 3,
            Stage::Team(_) | Stage::Discard(..) | Stage::Tricks(..) => true,
        };
        is_improved && self.choices.len() > 1
    }

    /// The stage of the round.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// All legal choices, the best one by the heuristics first.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The action of the choice at this index.
    pub fn action(&self, place: usize) -> Action {
        self.actions[place].clone()
    }

    /// The weights of the deal that follow from the covers of the other seats. A seat is more
    /// likely to hold a card if its cover is better than the average cover for a hand with this
    /// card. `None` if `should_stop` returns true.
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

        let mut deal_weights = DealWeights([[NEUTRAL_WEIGHT as u32; Code::COUNT]; LOCATIONS]);
        for (deal_weights, evaluations) in deal_weights.0.iter_mut().zip(evaluations) {
            let mean = evaluations.iter().sum::<f64>() / pack.len() as f64;
            for card in pack {
                let power = COVER_TRUST * (evaluations[card.index()] - mean);
                deal_weights[card.index()] =
                    (NEUTRAL_WEIGHT * power.clamp(-MAX_EXPONENT, MAX_EXPONENT).exp()) as u32;
            }
        }
        Some(deal_weights)
    }

    /// A determinization: hands that are consistent with the knowledge of the seat. It assumes that
    /// the other seats have discarded by the heuristics.
    pub fn determinize(&self, deal_weights: &DealWeights, rng: &mut impl Rng) -> [Cards; SEATS] {
        let mut cards = [Code::FIRST; MAX_UNSEEN];
        let mut count = 0;
        let known = self.known.into_iter().fold(Cards::EMPTY, Cards::union);
        for card in self.unseen.difference(known) {
            cards[count] = card;
            count += 1;
        }
        let cards = &mut cards[..count];
        cards.shuffle(rng);
        let excluded = self.excluded();
        let mut dealt =
            (0..MAX_DEAL_ATTEMPTS).find_map(|_| self.try_deal(cards, &excluded, deal_weights, rng));
        if dealt.is_none() {
            dealt = self.try_deal(cards, &[Cards::EMPTY; LOCATIONS], deal_weights, rng);
        }
        let mut places = dealt.expect("all cards can be dealt if no card is excluded");
        if let Stage::Tricks(conditions, _) = &self.stage
            && self.aside > 0
        {
            self.lay_aside(&mut places, &excluded, conditions, rng);
        }
        let mut hands: [Cards; SEATS] = std::array::from_fn(|seat| places[seat]);
        hands[self.seat] = self.hand;
        hands
    }

    /// The cards that each seat cannot hold because it did not follow suit, and at last those that
    /// cannot be out of the round.
    fn excluded(&self) -> [Cards; LOCATIONS] {
        let mut excluded = [Cards::EMPTY; LOCATIONS];
        if let Stage::Tricks(conditions, engine) = &self.stage {
            for (seat, excluded) in excluded[..OUT].iter_mut().enumerate() {
                *excluded = engine.voids(seat);
            }
            if conditions.discard == Discard::OneNot1 && self.seats.count() > 2 {
                excluded[OUT] = Cards::ONES;
            }
        }
        excluded
    }

    /// Deals these cards at random, those with the fewest possible locations first; `None` if a
    /// card has no location.
    fn try_deal(
        &self,
        cards: &[Code],
        excluded: &[Cards; LOCATIONS],
        deal_weights: &DealWeights,
        rng: &mut impl Rng,
    ) -> Option<[Cards; LOCATIONS]> {
        let mut got = [Cards::EMPTY; LOCATIONS];
        let mut room = [0; LOCATIONS];
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            got[seat] = self.known[seat];
            room[seat] = self.held[seat] - self.known[seat].len();
        }
        room[OUT] = cards.len() - room.iter().sum::<usize>();

        let is_open = |room: &[usize; LOCATIONS], at: usize, card| {
            room[at] > 0 && !excluded[at].contains(card)
        };
        let mut widths = [0; MAX_UNSEEN];
        for (width, card) in widths.iter_mut().zip(cards) {
            *width = (0..LOCATIONS)
                .filter(|at| is_open(&room, *at, *card))
                .count();
        }
        for fewest in 0..=LOCATIONS {
            for (card, _) in cards
                .iter()
                .zip(widths)
                .filter(|(_, width)| *width == fewest)
            {
                if !(0..LOCATIONS).any(|at| is_open(&room, at, *card)) {
                    self.make_room(*card, &mut got, &mut room, excluded)?;
                }
                let weights: [u32; LOCATIONS] = std::array::from_fn(|at| {
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

    /// Makes room for `card` by moving another card from one of its locations; `None` if that is
    /// impossible.
    fn make_room(
        &self,
        card: Code,
        got: &mut [Cards; LOCATIONS],
        room: &mut [usize; LOCATIONS],
        excluded: &[Cards; LOCATIONS],
    ) -> Option<()> {
        for from in (0..LOCATIONS).filter(|from| !excluded[*from].contains(card)) {
            let fixed = self.known.get(from).copied().unwrap_or_default();
            for moved in got[from].difference(fixed) {
                let to = (0..LOCATIONS).find(|to| room[*to] > 0 && !excluded[*to].contains(moved));
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

    /// Lets each seat lay cards aside by the heuristics, from all cards that were dealt to it.
    fn lay_aside(
        &self,
        places: &mut [Cards; LOCATIONS],
        excluded: &[Cards; LOCATIONS],
        conditions: &PlayConditions,
        rng: &mut impl Rng,
    ) {
        let mut out = places[OUT].difference(excluded[OUT]);
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            let mut aside = Cards::EMPTY;
            for _ in 0..self.aside.min(out.len()) {
                let card = out.nth(rng.random_range(0..out.len()));
                out.remove(card);
                aside.insert(card);
            }
            let cards = places[seat].union(aside);
            let never_held = aside.intersection(excluded[seat]);
            let free = cards.difference(never_held);
            let count = aside.len() - never_held.len();
            let laid = heuristics::discards(free, count, conditions, self.seats);
            if laid.len() == count {
                places[seat] = free.difference(laid);
            }
        }
    }
}

impl CoverHistory {
    /// The covers of this table; `None` if the memory is of another table.
    fn new(table: &Table, memory: &Memory) -> Option<Self> {
        let mut history = Self {
            board: FreeSpaces::of(table),
            covers: Vec::new(),
        };
        for (seat, space) in memory.covers() {
            let place = board::space_index(table, *space)?;
            history.board.uncover(place);
            history.covers.push((seat.index(), place));
        }
        Some(history)
    }
}

/// The preference among partners with the same evaluation: first by the points that they have
/// covered, because a player who covers low points wants high ones. Then the seat that is behind is
/// the better partner for positive points, and the seat that is ahead for negative ones (section
/// 13, 5).
fn partner_preference(view: View<'_, Nyet>, table: &Table, points: i32, partners: u8) -> [i32; 2] {
    let sign = points.signum();
    let is_partner = |seat: Seat| partners >> seat.index() & 1 == 1;
    let covers = table.board.points.iter();
    let covered = covers
        .filter(|(_, by)| by.is_some_and(is_partner))
        .map(|(points, _)| -points.value());
    let totals = view.sheet().totals().entries();
    let total = totals
        .filter(|(seat, _)| is_partner(*seat))
        .map(|(_, total)| *total);
    [sign * covered.sum::<i32>(), -sign * total.sum::<i32>()]
}
