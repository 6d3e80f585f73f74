//! Fuzzing: arbitrary bytes as the course of a game. The rules must keep their promises for all of
//! them.
//!
//! [`fuzz`] is also the target of `crates/rules/fuzz`, which finds inputs by coverage. The test
//! below tries random ones.

use std::ops::AddAssign;

use serde_json::{Value, json};
use sticheln_rules::nyet::{self, Character, Characters};
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition, History};
use sticheln_rules::{
    Card, Colour, DealError, End, Event, Game, Nyet, Seat, State, Status, Step, Sticheln, UpTo,
    Wire,
};

use crate::playout::Playout;

/// Plays a game as `bytes` say, then the rest of it with the first legal actions. Panics if the
/// rules break a promise.
///
/// The first bytes choose the game, its options, its seats and its decks. Each step then reads as
/// many bytes as it needs, to do something legal or to try an arbitrary action.
pub fn fuzz(bytes: &[u8]) -> Tally {
    let mut bytes = Bytes(bytes);
    let games: [fn(Bytes<'_>) -> Tally; 2] = [
        |mut bytes| FuzzGame::<Sticheln>::new(sticheln_options(&mut bytes), bytes).run(),
        |mut bytes| FuzzGame::<Nyet>::new(nyet_options(&mut bytes), bytes).run(),
    ];
    let play = bytes.one_of(&games);
    play(bytes)
}

/// The number of steps of an input, by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Actions that were done.
    pub accepted: u64,
    /// Actions that were refused.
    pub refused: u64,
    /// Texts that cannot be parsed as an action of the game.
    pub unreadable: u64,
    /// Decks that were dealt.
    pub dealt: u64,
    /// Decks that were refused.
    pub undealt: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.unreadable += other.unreadable;
        self.dealt += other.dealt;
        self.undealt += other.undealt;
    }
}

/// A game in progress, and the unread bytes.
struct FuzzGame<'a, G: Game> {
    game: Playout<G>,
    bytes: Bytes<'a>,
    tally: Tally,
}

impl<'a, G: Game> FuzzGame<'a, G> {
    /// The most steps of a game. No option here has more than 10 rounds, and no round has more than
    /// a deal and 15 cards for 6 seats.
    const STEPS: usize = 10 * (1 + 15 * 6);

    fn new(options: G::Options, mut bytes: Bytes<'a>) -> Self {
        let counts: Vec<usize> = G::SEATS.collect();
        let seats = bytes.one_of(&counts);
        let seed = u64::from(bytes.byte()) << 8 | u64::from(bytes.byte());
        Self {
            game: Playout::new(options, seats, seed),
            bytes,
            tally: Tally::default(),
        }
    }

    fn run(mut self) -> Tally {
        while !self.bytes.is_empty() {
            match self.bytes.below(16) {
                0..=8 => {
                    self.step();
                }
                9 => {
                    let text = self.bytes.text();
                    self.send(text);
                }
                10 => {
                    let text = self.damaged_text();
                    self.send(&text);
                }
                11 => self.change(),
                12..=14 => {
                    let text = self.invented_action().to_string();
                    self.send(text.as_bytes());
                }
                _ => {
                    let deck = self.any_deck();
                    self.deal(deck);
                }
            }
        }
        let tally = self.tally;
        self.end();
        tally
    }

    /// Does something legal: a deal, or an action of one of the seats that are to act. Without
    /// bytes it takes the first of each. Returns false if the game is over.
    fn step(&mut self) -> bool {
        match self.game.state.status() {
            Status::ToDeal => {
                let deck = self.game.deck();
                self.deal(deck);
                true
            }
            Status::Playing => {
                let (seat, action) = self.legal_action();
                self.act(seat, action);
                true
            }
            Status::Over(_) => false,
        }
    }

    /// Lets a seat that has chosen make another choice, if there is one.
    fn change(&mut self) {
        let chosen = self.game.state.view(None).chosen();
        if chosen.is_empty() {
            return;
        }
        let seat = self.bytes.one_of(&chosen);
        let changes = self.game.state.view(Some(seat)).changes();
        if !changes.is_empty() {
            let at = self.bytes.below(changes.len());
            self.act(seat, changes[at].clone());
        }
    }

    /// Plays the game to the end.
    fn end(mut self) {
        let mut steps = 0..Self::STEPS;
        while self.step() {
            steps.next().expect("each game ends");
        }
        let state = self.game.state;
        let view = state.view(None);
        assert_eq!(state.status(), Status::Over(view.sheet().standings()));
        assert!(view.sheet().reaches(view.end()));
        assert!(view.to_act().is_empty());
        assert_eq!(self.game.record.replay(), Ok(state));
    }

    fn legal_action(&mut self) -> (Seat, G::Action) {
        let seat = self.bytes.one_of(&self.game.state.view(None).to_act());
        let legal = self.game.state.view(Some(seat)).legal();
        let at = self.bytes.below(legal.len());
        (seat, legal[at].clone())
    }

    /// The text of a legal action; in some cases with one or two changed bytes.
    fn damaged_text(&mut self) -> Vec<u8> {
        if self.game.state.status() != Status::Playing {
            return Vec::new();
        }
        let (_, action) = self.legal_action();
        let mut text = serde_json::to_vec(&action).expect("an action has a text");
        for _ in 0..self.bytes.one_of(&[0, 0, 1, 2]) {
            let at = self.bytes.below(text.len());
            text[at] = self.bytes.byte();
        }
        text
    }

    /// An action of either game: a legal one with one changed part, or arbitrary parts together.
    fn invented_action(&mut self) -> Value {
        const SHAPES: [(&str, &[&str]); 7] = [
            ("pick", &["card"]),
            ("play", &["card"]),
            ("cover", &["row", "space"]),
            ("team", &["partners", "bonus"]),
            ("team", &["partners"]),
            ("discard", &["cards"]),
            ("play", &["card", "space"]),
        ];
        let cards = self.likely_cards();
        if self.game.state.status() == Status::Playing && self.bytes.is_odd() {
            let (_, legal) = self.legal_action();
            let mut action = serde_json::to_value(legal).expect("an action has a text");
            let parts = action.as_object_mut().expect("every action has a type");
            let at = self.bytes.below(parts.len());
            let (name, part) = parts.iter_mut().nth(at).expect("one of the parts");
            match part.as_array_mut().map(Vec::as_mut_slice) {
                Some([first, .., last]) if self.bytes.is_odd() => *last = first.clone(),
                _ => *part = self.bytes.part(name, &cards),
            }
            return action;
        }
        let (kind, names) = self.bytes.one_of(&SHAPES);
        let mut action = json!({"type": kind});
        for name in names {
            action[*name] = self.bytes.part(name, &cards);
        }
        action
    }

    /// The hand of a seat that is to act, or the pack: cards that an action is likely to name.
    fn likely_cards(&mut self) -> Vec<Card> {
        let state = &self.game.state;
        let to_act = state.view(None).to_act();
        if to_act.is_empty() || self.bytes.is_odd() {
            return state.pack();
        }
        let view = state.view(Some(self.bytes.one_of(&to_act)));
        let mut view = serde_json::to_value(view).expect("a view has a text");
        let hand = view["own"]["hand"].take();
        serde_json::from_value(hand).expect("a seat that is to act has a hand")
    }

    /// A deck: the shuffled pack, or one with a few changes.
    fn any_deck(&mut self) -> Vec<Card> {
        let mut deck = self.game.deck();
        let (one, other) = (self.bytes.below(deck.len()), self.bytes.below(deck.len()));
        match self.bytes.below(6) {
            0 => {}
            1 => deck.truncate(one),
            2 => deck.push(deck[one]),
            3 => deck[one] = deck[other],
            4 => deck[one].colour = self.bytes.one_of(&Colour::ALL),
            _ => deck[one].value = self.bytes.byte(),
        }
        deck
    }

    /// Sends a text as an action for any seat: one that is to act, another one, or none.
    fn send(&mut self, text: &[u8]) {
        let to_act = self.game.state.view(None).to_act();
        let seat = match self.bytes.below(4) {
            1.. if !to_act.is_empty() => self.bytes.one_of(&to_act),
            _ => Seat::new(self.bytes.seat()),
        };
        match serde_json::from_slice::<G::Action>(text) {
            Ok(action) => {
                assert_eq!(read_back(&action), action);
                self.act(seat, action);
            }
            Err(_) => self.tally.unreadable += 1,
        }
    }

    /// Lets `seat` act if the rules allow it.
    fn act(&mut self, seat: Seat, action: G::Action) {
        let view = self.game.state.view(Some(seat));
        let legal = [view.legal(), view.changes()].concat();
        if let Err(why) = view.check(&action) {
            assert!(!legal.contains(&action), "{action:?} is listed, and {why}");
            self.refuse(|state| assert_eq!(state.act(seat, action), Err(why)));
            self.tally.refused += 1;
            return;
        }

        let is_change = view.chosen().contains(&seat);
        assert!(
            view.to_act().contains(&seat) != is_change,
            "{seat} is not to act"
        );
        let before = (!legal.contains(&action)).then(|| self.game.state.clone());
        let events = self.game.take(Step::Act(seat, action));
        if let Some(before) = before {
            // Several actions can mean the same; the list contains one of them.
            let same = |action: &G::Action| {
                let mut twin = before.clone();
                twin.act(seat, action.clone()).is_ok() && twin == self.game.state
            };
            assert!(legal.iter().any(same), "not listed: {events:?}");
        }
        assert_eq!(events.is_empty(), is_change, "all but a change have events");
        self.confirm(&events);
        self.tally.accepted += 1;
    }

    /// Deals if the game is to be dealt, and if the deck is one of this game.
    fn deal(&mut self, deck: Vec<Card>) {
        let sorted = |mut cards: Vec<Card>| {
            cards.sort_unstable();
            cards
        };
        let is_pack = sorted(deck.clone()) == sorted(self.game.state.pack());
        let why = match self.game.state.status() {
            Status::ToDeal if is_pack => {
                let events = self.game.take(Step::Deal(deck));
                self.confirm(&events);
                self.tally.dealt += 1;
                return;
            }
            Status::ToDeal => DealError::WrongDeck,
            Status::Playing | Status::Over(_) => DealError::NotNow,
        };
        self.refuse(|state| assert_eq!(state.deal(&deck), Err(why)));
        self.tally.undealt += 1;
    }

    /// Tries what must be refused, and checks that the state and all views are unchanged.
    fn refuse(&mut self, attempt: impl FnOnce(&mut State<G>)) {
        let before = self.game.state.clone();
        attempt(&mut self.game.state);
        assert_eq!(self.game.state, before);
        assert_eq!(views(&self.game.state), views(&before));
    }

    /// Checks what holds after each change. `events` are those of the change.
    fn confirm(&self, events: &[Event<G>]) {
        for event in events {
            assert_eq!(read_back(event), *event);
        }

        let state = &self.game.state;
        let status = state.status();
        let is_end = |event: &Event<G>| matches!(event, Event::GameOver(_));
        assert_eq!(events.iter().any(is_end), matches!(status, Status::Over(_)));

        let to_act = state.view(None).to_act();
        assert_eq!(to_act.is_empty(), status != Status::Playing);
        for seat in state.seats().iter() {
            let can_act = !state.view(Some(seat)).legal().is_empty();
            assert_eq!(can_act, to_act.contains(&seat), "seat {seat}");
            let can_change = !state.view(Some(seat)).changes().is_empty();
            let chosen = state.view(None).chosen();
            assert!(!can_change || chosen.contains(&seat), "seat {seat}");
        }
    }
}

/// The views of all seats and of a spectator, as JSON.
fn views<G: Game>(state: &State<G>) -> Vec<String> {
    let observers = state.seats().iter().map(Some).chain([None]);
    let view = |observer| serde_json::to_string(&state.view(observer)).expect("a view has a text");
    observers.map(view).collect()
}

/// The value after a round trip through JSON.
fn read_back<T: Wire>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("a wire type can be serialised");
    serde_json::from_str(&text).expect("a serialised value can be parsed")
}

fn sticheln_options(bytes: &mut Bytes<'_>) -> sticheln::Options {
    sticheln::Options {
        end: end(bytes),
        edition: bytes.one_of(&[Edition::Nsv, Edition::Amigo1993]),
        all_zero_trick: bytes.one_of(&[
            None,
            Some(AllZeroTrick::Nobody),
            Some(AllZeroTrick::Leader),
        ]),
        show_last_trick: bytes.is_odd(),
        show_history: bytes.one_of(&[History::Off, History::LastTrick, History::All]),
        show_running_score: bytes.is_odd(),
    }
}

fn nyet_options(bytes: &mut Bytes<'_>) -> nyet::Options {
    let mut order = Character::ALL;
    order.rotate_left(bytes.below(Character::ALL.len()));
    nyet::Options {
        end: end(bytes),
        characters: Characters::new(order).expect("no card is lost"),
        no_trump_space: bytes.is_odd(),
        supertrump_loot: bytes.is_odd(),
    }
}

/// The end of a game; mostly an early one, so that an input can reach it.
fn end(bytes: &mut Bytes<'_>) -> Option<End> {
    let target = |target| End::Target {
        target: UpTo::new(target).expect("a number from 1 to 999"),
        max_rounds: UpTo::new(3).expect("a number from 1 to 30"),
    };
    bytes.one_of(&[
        End::rounds(1),
        End::rounds(1),
        End::rounds(1),
        End::rounds(1),
        End::rounds(2),
        Some(target(1)),
        Some(target(20)),
        None,
    ])
}

/// The unread bytes of an input. After the last one come zeros.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    fn is_odd(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// A number below `count`.
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// One of the words of a text.
    fn word(&mut self, text: &'static str) -> &'static str {
        let words: Vec<_> = text.split(' ').collect();
        self.one_of(&words)
    }

    /// A text of a few of the next bytes.
    fn text(&mut self) -> &'a [u8] {
        let length = self.below(64).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text
    }

    /// The number of a seat of a game, or of no seat.
    fn seat(&mut self) -> u8 {
        self.one_of(&[0, 1, 2, 3, 4, 5, 6, 255])
    }

    /// A value for the part of an action with this name.
    fn part(&mut self, name: &str, cards: &[Card]) -> Value {
        const TYPES: &str = "pick play cover team discard fold";
        const ROWS: &str = "start discard trump supertrump points end";
        const SPACES: &str = "bear wolf tiger crane eagle none one two one_not_1 pass_left \
                              blue red yellow green 1 2 3 4 -2 5";
        match name {
            "type" => json!(self.word(TYPES)),
            "card" => json!(self.card(cards)),
            "cards" => (0..self.below(4)).map(|_| self.card(cards)).collect(),
            "row" => json!(self.word(ROWS)),
            "space" => json!(self.word(SPACES)),
            "partners" => (0..self.below(4)).map(|_| self.seat()).collect(),
            "bonus" if self.is_odd() => json!(self.seat()),
            _ => Value::Null,
        }
    }

    /// The text of one of these cards, of another one, or of none.
    fn card(&mut self, cards: &[Card]) -> String {
        const COLOURS: &str = "red pink Red";
        const VALUES: &str = "7 16 255 256 -1 07 1.0 x";
        match self.below(16) {
            0 => format!("{}-{}", self.word(COLOURS), self.word(VALUES)),
            1 => format!("{}-{}", self.one_of(&Colour::ALL), self.below(17)),
            _ => self.one_of(cards).to_string(),
        }
    }
}

#[cfg(test)]
mod random {
    use std::time::{Duration, Instant, UNIX_EPOCH};

    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::{Tally, fuzz};
    use crate::env_number::env_number;

    /// The longest input.
    const BYTES: usize = 4096;

    /// The number of inputs that are kept for mutation.
    const KEPT: usize = 64;

    /// Runs random inputs, new ones in each run, for `FUZZ_SECONDS` seconds. `FUZZ_INPUT` runs the
    /// one input with these hexadecimal digits.
    #[test]
    fn rules_hold_for_arbitrary_bytes() {
        if let Ok(digits) = std::env::var("FUZZ_INPUT") {
            println!("{:?}", fuzz(&from_hex(&digits)));
            return;
        }

        let seed = env_number("FUZZ_SEED", UNIX_EPOCH.elapsed().unwrap().as_secs());
        println!("FUZZ_SEED={seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let time = Duration::from_secs(env_number("FUZZ_SECONDS", 1));
        let start = Instant::now();
        let mut far: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut inputs = 0;
        let mut sum = Tally::default();
        while inputs < 100 || start.elapsed() < time {
            let input = match far.choose(&mut rng) {
                Some((_, input)) if rng.random() => mutated(input.clone(), &mut rng),
                _ => any_bytes(BYTES, &mut rng),
            };
            let input = Running(input);
            let tally = fuzz(&input.0);
            inputs += 1;
            sum += tally;

            // An input that got far is mutated further.
            if far.len() == KEPT {
                let shortest = (0..KEPT).min_by_key(|at| far[*at].0).unwrap();
                if far[shortest].0 < tally.accepted {
                    far.swap_remove(shortest);
                }
            }
            if far.len() < KEPT {
                far.push((tally.accepted, input.0.clone()));
            }
        }

        let Tally {
            accepted,
            refused,
            unreadable,
            dealt,
            undealt,
        } = sum;
        let counts = [accepted, refused, unreadable, dealt, undealt];
        let steps: u64 = counts.iter().sum();
        println!("{inputs} inputs, {steps} steps: {sum:?}");
        assert!(counts.iter().all(|count| *count > 0));
    }

    /// The input that runs now. It is printed if the rules panic.
    struct Running(Vec<u8>);

    impl Drop for Running {
        fn drop(&mut self) {
            if std::thread::panicking() {
                println!("FUZZ_INPUT={}", to_hex(&self.0));
            }
        }
    }

    /// Random bytes; short inputs are as likely as long ones.
    fn any_bytes(most: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
        let most = most >> rng.random_range(0..=most.ilog2());
        let length = rng.random_range(0..=most);
        rng.random_iter().take(length).collect()
    }

    /// The same input with a few changes.
    fn mutated(mut input: Vec<u8>, rng: &mut ChaCha8Rng) -> Vec<u8> {
        for _ in 0..rng.random_range(1..=4) {
            let at = rng.random_range(0..=input.len());
            let to = input.len().min(at + rng.random_range(0..=4));
            input.splice(at..to, any_bytes(4, rng));
        }
        input.extend(any_bytes(64, rng));
        input.truncate(BYTES);
        input
    }

    fn to_hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn from_hex(digits: &str) -> Vec<u8> {
        let pairs = digits.as_bytes().chunks(2);
        pairs
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }
}
