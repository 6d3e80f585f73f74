//! Everything that a seat on turn knows of a round, and determinizations that are consistent with
//! it. Sections are those of `docs/rules/nyet.md`.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use sticheln_rules::nyet::{self, Action, Conditions, DiscardRule, Table, Teams};
use sticheln_rules::{Card, Nyet, Seat, Seats, View};

use super::board::{self, FreeSpaces, PlayConditions, SpaceIndex};
use super::cards::{CardIndex, Cards, SpecialCards};
use super::engine::{Engine, SEATS, Scoring};
use super::evaluation::Evaluator;
use super::heuristics::{self, SpaceValues};
use super::memory::Memory;

/// The maximum number of cards that a seat does not see.
const MAX_UNSEEN: usize = 60;
/// The number of locations of a card: the seats, and out of the round.
const LOCATIONS: usize = SEATS + 1;
/// The location of cards that are laid aside or not dealt.
const OUT_OF_ROUND: usize = SEATS;
/// The number of attempts to deal the cards consistently with the known voids.
const MAX_DEAL_ATTEMPTS: usize = 8;

/// The weight of a card for a seat without information from covers.
const NEUTRAL_WEIGHT: f64 = 256.0;
/// The trust in covers: the factor from an evaluation to an exponent of e.
const COVER_TRUST: f64 = 50e-6;
/// The largest exponent.
const MAX_EXPONENT: f64 = 2.0;

/// The weights with which a card is dealt to each location. The last location is out of the round.
#[derive(Clone, Debug)]
pub struct DealWeights([[u32; CardIndex::COUNT]; LOCATIONS]);

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
    Play(CardIndex),
}

/// The phase of a round.
#[derive(Clone, Copy, Debug)]
pub enum Phase {
    /// The seats cover spaces.
    Cover(FreeSpaces),
    /// The start player forms the teams.
    Team(PlayConditions),
    /// The seats discard.
    Discard(PlayConditions, Scoring),
    /// The seats play tricks. The other hands are empty.
    Tricks(PlayConditions, Engine),
}

/// Everything that one seat knows: its hand and the public events.
#[derive(Clone, Debug)]
pub struct Position {
    seats: Seats,
    /// The seat on turn.
    seat: usize,
    /// Whether a supertrump can be loot.
    supertrump_loot: bool,
    /// The hand of the seat.
    hand: Cards,
    /// The cards in other hands, laid aside or not dealt.
    unseen: Cards,
    /// The cards that a seat is known to hold: the card that was passed to it.
    known: [Cards; SEATS],
    /// The number of cards in each hand.
    hand_counts: [usize; SEATS],
    /// The number of cards that each seat has laid aside.
    aside_count: usize,
    phase: Phase,
    covers: CoverHistory,
    /// All legal choices, the best one by the heuristics first.
    choices: Vec<Choice>,
    /// The action of each choice.
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
            hand_counts: [0; SEATS],
            aside_count: 0,
            phase: Phase::Cover(FreeSpaces::of(table)),
            covers: CoverHistory::new(table, memory)?,
            choices: Vec::new(),
            actions: Vec::new(),
        };
        for (other, count) in table.hand_counts.entries() {
            position.hand_counts[other.index()] = usize::from(*count);
        }
        position.enter_phase(view, table, memory)?;
        position.list_choices(view, table, legal)?;
        Some(position)
    }

    /// Sets the phase; `None` if the round is over, or if the memory is of another round.
    fn enter_phase(&mut self, view: View<'_, Nyet>, table: &Table, memory: &Memory) -> Option<()> {
        let play_conditions = |conditions: &Conditions| PlayConditions {
            start: conditions.start_seat.index(),
            discard: conditions.discard,
            special_cards: SpecialCards::new(conditions.suits(), view.options().supertrump_loot),
            points: conditions.points.value(),
        };
        match &table.phase {
            nyet::Phase::Cover { .. } => {}
            nyet::Phase::Team { conditions } => {
                self.phase = Phase::Team(play_conditions(conditions))
            }
            nyet::Phase::Discard {
                conditions, teams, ..
            } => {
                let conditions = play_conditions(conditions);
                self.phase = Phase::Discard(conditions, Scoring::new(teams, conditions.points));
            }
            nyet::Phase::Trick {
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
            nyet::Phase::RoundEnd { .. } => return None,
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
            self.aside_count = conditions.discard.count();
            self.unseen.take_out(discarded)?;
        }
        let mut plays = [(0, CardIndex::FIRST); MAX_UNSEEN];
        let mut played = 0;
        let mut played_or_held = [Cards::EMPTY; SEATS];
        played_or_held[self.seat] = self.hand;
        for (leader, cards) in tricks {
            for (seat, card) in self.seats.clockwise_from(leader).zip(cards) {
                let index = self.unseen.first_of(*card)?;
                self.unseen.remove(index);
                played_or_held[seat.index()].insert(index);
                *plays.get_mut(played)? = (seat.index(), index);
                played += 1;
            }
        }
        if conditions.discard == DiscardRule::PassLeft {
            let left = self.seats.left_of(Seat::new(self.seat as u8)).index();
            let card = *discarded.first()?;
            // After the seat has played an equal card, it may not hold one any more.
            let has_played = played_or_held[left].first_of(card).is_some();
            if !has_played {
                self.known[left].insert(self.unseen.first_of(card)?);
            }
        }
        let mut unplayed = played_or_held.into_iter().fold(self.unseen, Cards::union);
        unplayed = unplayed.union(self.hand);
        let leader = Seat::new(conditions.start as u8);
        let scoring = Scoring::new(teams, conditions.points);
        let mut engine = Engine::new(
            self.seats,
            played_or_held,
            unplayed,
            conditions.special_cards,
            scoring,
            leader,
        );
        for (seat, index) in &plays[..played] {
            if engine.turn() != *seat || engine.play(*index).is_err() {
                return None;
            }
        }
        self.phase = Phase::Tricks(conditions, engine);
        Some(())
    }

    /// Lists the legal actions, the best one by the heuristics first.
    fn list_choices(
        &mut self,
        view: View<'_, Nyet>,
        table: &Table,
        legal: Vec<Action>,
    ) -> Option<()> {
        let mut rated = Vec::with_capacity(legal.len());
        let space_values = SpaceValues::new(self.seat, self.hand, self.seats);
        for action in legal {
            let choice = self.choice(table, &action)?;
            let evaluation = match (choice, &self.phase) {
                (Choice::Cover(place), Phase::Cover(free)) => {
                    [space_values.on_board(*free).evaluate(place), 0, 0]
                }
                (Choice::Team(teams), Phase::Team(conditions)) => {
                    let evaluation = teams.evaluate(self.hand, conditions, self.seats);
                    let [covered, total] =
                        partner_preference(view, table, conditions.points, teams.partners);
                    [evaluation, covered, total]
                }
                (Choice::Discard(cards), Phase::Discard(conditions, _)) => [
                    heuristics::evaluate_discard(cards, self.hand, conditions, self.seats),
                    0,
                    0,
                ],
                (Choice::Play(card), Phase::Tricks(_, engine)) => {
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

    /// The choice that stands for this action; `None` if the table does not have it.
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
        let is_improved = match self.phase {
            Phase::Cover(_) => self.seats.count() <= 3,
            Phase::Team(_) | Phase::Discard(..) | Phase::Tricks(..) => true,
        };
        is_improved && self.choices.len() > 1
    }

    /// The phase of the round.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// All legal choices, the best one by the heuristics first.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The action of the choice at this index.
    pub fn action(&self, index: usize) -> Action {
        self.actions[index].clone()
    }

    /// The weights of the deal that follow from the covers of the other seats. A seat is more
    /// likely to hold a card if its cover is better than the average cover for a hand with this
    /// card. `None` if `should_stop` returns true.
    pub fn deal_weights(&self, should_stop: &mut dyn FnMut() -> bool) -> Option<DealWeights> {
        let pack = Cards::pack(self.seats);
        let space_values = |card| SpaceValues::new(self.seat, Cards::from_iter([card]), self.seats);
        let space_values: Vec<(CardIndex, SpaceValues)> =
            pack.map(|card| (card, space_values(card))).collect();
        let mut evaluations = [[0.0; CardIndex::COUNT]; SEATS];
        let mut board = self.covers.board;
        for (seat, covered) in &self.covers.covers {
            if *seat != self.seat {
                let count = board.coverable().count() as f64;
                for (card, space_values) in &space_values {
                    if should_stop() {
                        return None;
                    }
                    let on_board = space_values.on_board(board);
                    let evaluation = |place| f64::from(on_board.evaluate(place));
                    let mean = board.coverable().map(evaluation).sum::<f64>() / count;
                    evaluations[*seat][card.as_usize()] += evaluation(*covered) - mean;
                }
            }
            board.cover(*covered);
        }

        let mut deal_weights = DealWeights([[NEUTRAL_WEIGHT as u32; CardIndex::COUNT]; LOCATIONS]);
        for (deal_weights, evaluations) in deal_weights.0.iter_mut().zip(evaluations) {
            let mean = evaluations.iter().sum::<f64>() / pack.len() as f64;
            for card in pack {
                let power = COVER_TRUST * (evaluations[card.as_usize()] - mean);
                deal_weights[card.as_usize()] =
                    (NEUTRAL_WEIGHT * power.clamp(-MAX_EXPONENT, MAX_EXPONENT).exp()) as u32;
            }
        }
        Some(deal_weights)
    }

    /// A determinization: hands that are consistent with the knowledge of the seat. It assumes that
    /// the other seats have discarded by the heuristics.
    pub fn determinize(&self, deal_weights: &DealWeights, rng: &mut impl Rng) -> [Cards; SEATS] {
        let mut cards = [CardIndex::FIRST; MAX_UNSEEN];
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
        let mut locations = dealt.expect("all cards can be dealt if no card is excluded");
        if let Phase::Tricks(conditions, _) = &self.phase
            && self.aside_count > 0
        {
            self.lay_aside(&mut locations, &excluded, conditions, rng);
        }
        let mut hands: [Cards; SEATS] = std::array::from_fn(|seat| locations[seat]);
        hands[self.seat] = self.hand;
        hands
    }

    /// The cards that cannot be at each location. A seat cannot hold a suit that it did not follow.
    /// The last entry has the cards that cannot be out of the round.
    fn excluded(&self) -> [Cards; LOCATIONS] {
        let mut excluded = [Cards::EMPTY; LOCATIONS];
        if let Phase::Tricks(conditions, engine) = &self.phase {
            for (seat, excluded) in excluded[..OUT_OF_ROUND].iter_mut().enumerate() {
                *excluded = engine.voids(seat);
            }
            if conditions.discard == DiscardRule::OneNot1 && self.seats.count() > 2 {
                excluded[OUT_OF_ROUND] = Cards::ONES;
            }
        }
        excluded
    }

    /// Deals these cards at random, those with the fewest possible locations first; `None` if a
    /// card has no location.
    fn try_deal(
        &self,
        cards: &[CardIndex],
        excluded: &[Cards; LOCATIONS],
        deal_weights: &DealWeights,
        rng: &mut impl Rng,
    ) -> Option<[Cards; LOCATIONS]> {
        let mut dealt_to = [Cards::EMPTY; LOCATIONS];
        let mut capacity = [0; LOCATIONS];
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            dealt_to[seat] = self.known[seat];
            capacity[seat] = self.hand_counts[seat] - self.known[seat].len();
        }
        capacity[OUT_OF_ROUND] = cards.len() - capacity.iter().sum::<usize>();

        let is_open = |capacity: &[usize; LOCATIONS], at: usize, card| {
            capacity[at] > 0 && !excluded[at].contains(card)
        };
        let mut location_counts = [0; MAX_UNSEEN];
        for (location_count, card) in location_counts.iter_mut().zip(cards) {
            *location_count = (0..LOCATIONS)
                .filter(|at| is_open(&capacity, *at, *card))
                .count();
        }
        for fewest in 0..=LOCATIONS {
            for (card, _) in cards
                .iter()
                .zip(location_counts)
                .filter(|(_, location_count)| *location_count == fewest)
            {
                if !(0..LOCATIONS).any(|at| is_open(&capacity, at, *card)) {
                    self.free_capacity(*card, &mut dealt_to, &mut capacity, excluded)?;
                }
                let weights: [u32; LOCATIONS] = std::array::from_fn(|at| {
                    if is_open(&capacity, at, *card) {
                        capacity[at] as u32 * deal_weights.0[at][card.as_usize()]
                    } else {
                        0
                    }
                });
                let mut draw = rng.random_range(0..weights.iter().sum());
                let location = weights.iter().position(|weight| {
                    let is_here = draw < *weight;
                    draw = draw.saturating_sub(*weight);
                    is_here
                })?;
                dealt_to[location].insert(*card);
                capacity[location] -= 1;
            }
        }
        Some(dealt_to)
    }

    /// Makes space for `card` by moving another card from one of its locations; `None` if that is
    /// impossible.
    fn free_capacity(
        &self,
        card: CardIndex,
        dealt_to: &mut [Cards; LOCATIONS],
        capacity: &mut [usize; LOCATIONS],
        excluded: &[Cards; LOCATIONS],
    ) -> Option<()> {
        for from in (0..LOCATIONS).filter(|from| !excluded[*from].contains(card)) {
            let fixed = self.known.get(from).copied().unwrap_or_default();
            for moved in dealt_to[from].difference(fixed) {
                let to =
                    (0..LOCATIONS).find(|to| capacity[*to] > 0 && !excluded[*to].contains(moved));
                if let Some(to) = to {
                    dealt_to[from].remove(moved);
                    capacity[from] += 1;
                    dealt_to[to].insert(moved);
                    capacity[to] -= 1;
                    return Some(());
                }
            }
        }
        None
    }

    /// Lets each seat lay cards aside by the heuristics, from all cards that were dealt to it.
    fn lay_aside(
        &self,
        locations: &mut [Cards; LOCATIONS],
        excluded: &[Cards; LOCATIONS],
        conditions: &PlayConditions,
        rng: &mut impl Rng,
    ) {
        let mut out_of_round = locations[OUT_OF_ROUND].difference(excluded[OUT_OF_ROUND]);
        for seat in (0..self.seats.count()).filter(|seat| *seat != self.seat) {
            let mut aside = Cards::EMPTY;
            for _ in 0..self.aside_count.min(out_of_round.len()) {
                let card = out_of_round.nth(rng.random_range(0..out_of_round.len()));
                out_of_round.remove(card);
                aside.insert(card);
            }
            let cards = locations[seat].union(aside);
            let never_held = aside.intersection(excluded[seat]);
            let free = cards.difference(never_held);
            let count = aside.len() - never_held.len();
            let laid = heuristics::discards(free, count, conditions, self.seats);
            if laid.len() == count {
                locations[seat] = free.difference(laid);
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
/// covered, because a player who covers low points prefers high ones. Then the seat that is behind is
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
