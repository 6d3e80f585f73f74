//! Who plays in the arena.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::{Level, Player, Searchable};
use sticheln_rules::{Event, Seat, View};

use crate::program::Program;

/// How long an expert ponders, unless it is said otherwise.
const USUAL: Duration = Duration::from_millis(10);

/// The longest that an expert may ponder.
const LONGEST: Duration = Duration::from_secs(60);

/// A kind of player, by the word that names it.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerKind {
    /// Does anything that is legal.
    Random,
    /// A sensible person by heuristics.
    Heuristic,
    /// A bot that answers at once.
    Level(Level),
    /// An expert with so much time.
    Timed(Duration),
    /// An expert with so many playouts.
    Counted(u32),
    /// A program from outside.
    Run(String),
}

impl FromStr for PlayerKind {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let unknown = || format!("nobody is called {word:?}");
        let time = |text: &str, unit: fn(u64) -> Duration| {
            let number = text.parse().ok()?;
            Some(unit(number)).filter(|time| *time <= LONGEST)
        };
        match word.split_once(':') {
            None => match word {
                "random" => Ok(Self::Random),
                "heuristic" => Ok(Self::Heuristic),
                "beginner" => Ok(Self::Level(Level::Beginner)),
                "normal" => Ok(Self::Level(Level::Normal)),
                "expert" => Ok(Self::Timed(USUAL)),
                _ => Err(unknown()),
            },
            Some(("run", command)) => Ok(Self::Run(command.to_owned())),
            Some(("expert", bound)) => {
                let kind = if let Some(bound) = bound.strip_suffix("ms") {
                    time(bound, Duration::from_millis).map(Self::Timed)
                } else if let Some(bound) = bound.strip_suffix("us") {
                    time(bound, Duration::from_micros).map(Self::Timed)
                } else {
                    bound.parse().ok().map(Self::Counted)
                };
                kind.ok_or_else(unknown)
            }
            Some(_) => Err(unknown()),
        }
    }
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Heuristic => f.write_str("heuristic"),
            Self::Level(Level::Beginner) => f.write_str("beginner"),
            Self::Level(Level::Normal) => f.write_str("normal"),
            Self::Level(Level::Expert) => f.write_str("expert at once"),
            Self::Timed(time) => write!(f, "expert:{time:?}"),
            Self::Counted(playouts) => write!(f, "expert:{playouts}"),
            Self::Run(command) => f.write_str(command),
        }
    }
}

/// A player with what it needs to play.
pub enum ArenaPlayer {
    /// Does anything that is legal.
    Random,
    /// A sensible person by heuristics.
    Heuristic,
    /// A bot that answers at once.
    Bot(Level),
    /// An expert with so much time.
    Timed(Duration),
    /// An expert with so many playouts.
    Counted(u32),
    /// A program from outside.
    Program(Box<Program>),
}

impl ArenaPlayer {
    /// A player of this kind.
    ///
    /// # Errors
    /// In words: a program that cannot be started.
    pub fn new(kind: &PlayerKind) -> Result<Self, String> {
        Ok(match kind {
            PlayerKind::Random => Self::Random,
            PlayerKind::Heuristic => Self::Heuristic,
            PlayerKind::Level(level) => Self::Bot(*level),
            PlayerKind::Timed(time) => Self::Timed(*time),
            PlayerKind::Counted(playouts) => Self::Counted(*playouts),
            PlayerKind::Run(command) => Self::Program(Box::new(Program::start(command)?)),
        })
    }

    /// A new game begins for it.
    ///
    /// # Errors
    /// In words: a program that has ended.
    pub fn start_game<G: Player>(
        &mut self,
        seat: Seat,
        seats: usize,
        options: &G::Options,
    ) -> Result<(), String> {
        match self {
            Self::Program(program) => program.start_game::<G>(seat, seats, options),
            Self::Random | Self::Heuristic | Self::Bot(_) | Self::Timed(_) | Self::Counted(_) => {
                Ok(())
            }
        }
    }

    /// It is told what has happened.
    pub fn queue_events<G: Player>(&mut self, events: &[Event<G>]) {
        if let Self::Program(program) = self {
            program.queue_events(events);
        }
    }

    /// What it does in a seat that is waited for.
    ///
    /// # Errors
    /// In words: a program that does not answer, or not with an action.
    pub fn act<G: Player>(
        &mut self,
        view: View<'_, G>,
        memory: &G::Memory,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<G::Action, String> {
        let advice = |level| G::advice(view, memory, level);
        let action = match self {
            Self::Random => view.legal().choose(rng).cloned(),
            Self::Heuristic => G::heuristic_advice(view, memory),
            Self::Bot(level) => advice(*level),
            Self::Timed(time) => {
                let begun = Instant::now();
                let should_stop = || begun.elapsed() >= *time;
                let playouts = G::Position::playouts_within(*time);
                searched(view, memory, playouts, should_stop, rng)
            }
            Self::Counted(playouts) => searched(view, memory, *playouts, || false, rng),
            Self::Program(program) => return program.act(view),
        };
        Ok(action.expect("a seat that is waited for can do something"))
    }

    /// The game is over for it.
    ///
    /// # Errors
    /// In words: a program that has ended.
    pub fn end<G: Player>(&mut self, view: View<'_, G>) -> Result<(), String> {
        match self {
            Self::Program(program) => program.tell(view),
            Self::Random | Self::Heuristic | Self::Bot(_) | Self::Timed(_) | Self::Counted(_) => {
                Ok(())
            }
        }
    }
}

/// What an expert does after so many playouts, or when it is over.
fn searched<G: Player>(
    view: View<'_, G>,
    memory: &G::Memory,
    playouts: u32,
    mut should_stop: impl FnMut() -> bool,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<G::Action> {
    match G::position(view, memory) {
        Some(position) => {
            let seed = rng.random();
            Some(position.search(seed, playouts, &mut should_stop))
        }
        None => G::advice(view, memory, Level::Expert),
    }
}
