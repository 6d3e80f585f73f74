//! The players of the arena.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use sticheln_bots::{Level, Player, Searchable};
use sticheln_rules::{Event, Seat, View};

use crate::error::{ArenaError, UnknownPlayer};
use crate::program::Program;

/// The time that an expert has for a decision by default.
const DEFAULT_TIME: Duration = Duration::from_millis(10);

/// The longest time that an expert may have for a decision.
const MAX_TIME: Duration = Duration::from_secs(60);

/// A kind of player, as the command line names it.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerKind {
    /// A player of this program.
    BuiltIn(BuiltInPlayer),
    /// An external program with this command.
    Program(String),
}

/// A player of this program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BuiltInPlayer {
    /// Plays random legal actions.
    Random,
    /// Plays by heuristics.
    Heuristic,
    /// A bot without a search.
    Level(Level),
    /// An expert with this time for a decision.
    Timed(Duration),
    /// An expert with this number of playouts.
    Counted(u32),
}

impl FromStr for PlayerKind {
    type Err = UnknownPlayer;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownPlayer(word.to_owned());
        let time = |text: &str, unit: fn(u64) -> Duration| {
            let number = text.parse().ok()?;
            Some(unit(number)).filter(|time| *time <= MAX_TIME)
        };
        let player = match word.split_once(':') {
            None => match word {
                "random" => Some(BuiltInPlayer::Random),
                "heuristic" => Some(BuiltInPlayer::Heuristic),
                "beginner" => Some(BuiltInPlayer::Level(Level::Beginner)),
                "normal" => Some(BuiltInPlayer::Level(Level::Normal)),
                "expert" => Some(BuiltInPlayer::Timed(DEFAULT_TIME)),
                _ => None,
            },
            Some(("run", command)) => return Ok(Self::Program(command.to_owned())),
            Some(("expert", bound)) => {
                if let Some(bound) = bound.strip_suffix("ms") {
                    time(bound, Duration::from_millis).map(BuiltInPlayer::Timed)
                } else if let Some(bound) = bound.strip_suffix("us") {
                    time(bound, Duration::from_micros).map(BuiltInPlayer::Timed)
                } else {
                    bound.parse().ok().map(BuiltInPlayer::Counted)
                }
            }
            Some(_) => None,
        };
        player.map(Self::BuiltIn).ok_or_else(unknown)
    }
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(player) => player.fmt(f),
            Self::Program(command) => f.write_str(command),
        }
    }
}

impl fmt::Display for BuiltInPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.write_str("random"),
            Self::Heuristic => f.write_str("heuristic"),
            Self::Level(Level::Beginner) => f.write_str("beginner"),
            Self::Level(Level::Normal) => f.write_str("normal"),
            Self::Level(Level::Expert) => f.write_str("expert without search"),
            Self::Timed(time) => write!(f, "expert:{time:?}"),
            Self::Counted(playouts) => write!(f, "expert:{playouts}"),
        }
    }
}

impl BuiltInPlayer {
    /// The action for a seat on turn.
    fn action<G: Player>(
        self,
        view: View<'_, G>,
        memory: &G::Memory,
        rng: &mut Xoshiro256PlusPlus,
    ) -> G::Action {
        let action = match self {
            Self::Random => view.legal().choose(rng).cloned(),
            Self::Heuristic => G::heuristic_advice(view, memory),
            Self::Level(level) => G::advice(view, memory, level),
            Self::Timed(time) => {
                let started = Instant::now();
                let should_stop = || started.elapsed() >= time;
                let playouts = G::Position::playout_budget(time);
                search(view, memory, playouts, should_stop, rng)
            }
            Self::Counted(playouts) => search(view, memory, playouts, || false, rng),
        };
        action.expect("a seat on turn has a legal action")
    }
}

/// A player with its state.
pub enum ArenaPlayer {
    /// A player of this program.
    BuiltIn(BuiltInPlayer),
    /// An external program.
    Program(Box<Program>),
}

impl ArenaPlayer {
    /// A player of this kind.
    ///
    /// # Errors
    /// If a program cannot be started.
    pub fn new(kind: &PlayerKind) -> Result<Self, ArenaError> {
        Ok(match kind {
            PlayerKind::BuiltIn(player) => Self::BuiltIn(*player),
            PlayerKind::Program(command) => Self::Program(Box::new(Program::start(command)?)),
        })
    }

    /// Starts a game for the player.
    ///
    /// # Errors
    /// If a program has ended.
    pub fn start_game<G: Player>(
        &mut self,
        seat: Seat,
        seats: usize,
        options: &G::Options,
    ) -> Result<(), ArenaError> {
        match self {
            Self::Program(program) => program.start_game::<G>(seat, seats, options),
            Self::BuiltIn(_) => Ok(()),
        }
    }

    /// Queues events for the player.
    pub fn queue_events<G: Player>(&mut self, events: &[Event<G>]) {
        match self {
            Self::Program(program) => program.queue_events(events),
            Self::BuiltIn(_) => {}
        }
    }

    /// Chooses an action for a seat on turn.
    ///
    /// # Errors
    /// If a program sends no action in time.
    pub fn act<G: Player>(
        &mut self,
        view: View<'_, G>,
        memory: &G::Memory,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<G::Action, ArenaError> {
        match self {
            Self::Program(program) => program.act(view),
            Self::BuiltIn(player) => Ok(player.action(view, memory, rng)),
        }
    }

    /// Ends the game for the player.
    ///
    /// # Errors
    /// If a program has ended.
    pub fn end_game<G: Player>(&mut self, view: View<'_, G>) -> Result<(), ArenaError> {
        match self {
            Self::Program(program) => program.send_view(view),
            Self::BuiltIn(_) => Ok(()),
        }
    }
}

/// Chooses the action of an expert: searches with this number of playouts, or until `should_stop`.
fn search<G: Player>(
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
