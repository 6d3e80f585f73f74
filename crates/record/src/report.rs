//! The result of a verification.

use std::fmt;

use sticheln_rules::{EndEarlyError, GameId, Illegal, Seat, SetupError};
use thiserror::Error;

/// A group of faults, named in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The game can begin with these options, seats, players and earlier scores.
    Setup,
    /// Each round has its number and the whole pack, and each seat its hand.
    Deal,
    /// Each move is legal.
    Moves,
    /// Hidden choices are in the order of seats, and times do not decrease in phases with turns.
    Order,
    /// Each finished trick has its leader, cards and taker.
    Tricks,
    /// Each scored round has the score of each seat.
    Scores,
    /// Each scored round has the total of each seat.
    Totals,
    /// The game is over, and nothing follows.
    End,
    /// The standings are those of the last totals.
    Standings,
}

impl Check {
    /// The name in the sentences of a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Deal => "deal",
            Self::Moves => "moves",
            Self::Order => "order",
            Self::Tricks => "tricks",
            Self::Scores => "scores",
            Self::Totals => "totals",
            Self::End => "end",
            Self::Standings => "standings",
        }
    }
}

/// The location of a violation. Rounds, moves and tricks are counted from 1, the latter two within their round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The game as a whole.
    Game,
    /// A round.
    Round(u8),
    /// A move.
    Move {
        /// The round.
        round: u8,
        /// The number of the move.
        number: usize,
    },
    /// A trick.
    Trick {
        /// The round.
        round: u8,
        /// The number of the trick.
        number: usize,
    },
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Game => write!(f, "Game"),
            Self::Round(round) => write!(f, "Round {round}"),
            Self::Move { round, number } => write!(f, "Round {round}, move {number}"),
            Self::Trick { round, number } => write!(f, "Round {round}, trick {number}"),
        }
    }
}

/// The way in which a record is wrong. Its text continues the sentence that begins with the [`Location`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the texts describe the variants")]
pub enum Fault {
    #[error("the game cannot begin: {0}")]
    Setup(SetupError),
    #[error("there must be one player for each seat")]
    Players,
    #[error("the game cannot be continued from this position")]
    Continued,
    #[error("the number of the round must be {0}")]
    RoundNumber(u8),
    #[error("each seat must have a hand of {0} cards")]
    Hands(usize),
    #[error("the dealt and undealt cards are not the pack of the game")]
    Pack,
    #[error("seat {seat} cannot {action} ({}). {}", .illegal.code(), .illegal.meaning().trim_end_matches('.'))]
    Illegal {
        seat: Seat,
        action: String,
        illegal: Illegal,
    },
    #[error(
        "the hidden choices must be in the order of seats, but seat {0} has chosen after a later seat or twice"
    )]
    ChoiceOrder(Seat),
    #[error("the time is before that of an earlier move")]
    Time,
    #[error("the trick must be: {0}")]
    Trick(String),
    #[error("the record has more tricks than were finished")]
    TrickTooMany,
    #[error("the score of seat {0} is wrong")]
    Score(Seat),
    #[error("a scored round must have a score of each seat")]
    ScoresMissing,
    #[error("a round that was abandoned has no scores")]
    ScoresOfAbandoned,
    #[error("the total of seat {0} is wrong")]
    Total(Seat),
    #[error("a scored round must have a total of each seat")]
    TotalsMissing,
    #[error("a round that was abandoned has no totals")]
    TotalsOfAbandoned,
    #[error("the moves end before the round is over")]
    RoundUnfinished,
    #[error("the game was over before this round")]
    RoundAfterEnd,
    #[error("the game is not over after the last round")]
    GameUnfinished,
    #[error("the game cannot be ended early: {0}")]
    EndedEarly(EndEarlyError),
    #[error("the standings are not those of the last totals")]
    Standings,
}

impl Fault {
    /// The check that finds it.
    pub fn check(&self) -> Check {
        match self {
            Self::Setup(_) | Self::Players | Self::Continued => Check::Setup,
            Self::RoundNumber(_) | Self::Hands(_) | Self::Pack => Check::Deal,
            Self::Illegal { .. } => Check::Moves,
            Self::ChoiceOrder(_) | Self::Time => Check::Order,
            Self::Trick(_) | Self::TrickTooMany => Check::Tricks,
            Self::Score(_) | Self::ScoresMissing | Self::ScoresOfAbandoned => Check::Scores,
            Self::Total(_) | Self::TotalsMissing | Self::TotalsOfAbandoned => Check::Totals,
            Self::RoundUnfinished
            | Self::RoundAfterEnd
            | Self::GameUnfinished
            | Self::EndedEarly(_) => Check::End,
            Self::Standings => Check::Standings,
        }
    }
}

/// The first violation of a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{location}: {fault}.\nFailed check: {}.", .fault.check().name())]
pub struct Violation {
    /// The location.
    pub location: Location,
    /// The fault.
    pub fault: Fault,
}

/// The result of a verification. Its text is plain sentences, one on each line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The id of the game.
    pub game: GameId,
    /// The number of seats.
    pub seats: u8,
    /// The number of earlier rounds of which only the scores are known.
    pub earlier_rounds: usize,
    /// The number of rounds whose deal is right.
    pub deals: usize,
    /// The number of moves that are right.
    pub moves: usize,
    /// The number of tricks that are right.
    pub tricks: usize,
    /// The number of rounds whose scores and totals are right.
    pub scored_rounds: usize,
    /// Whether the game was ended early.
    pub ended_early: bool,
    /// The first violation; `None` if the record is right.
    pub violation: Option<Violation>,
}

impl Report {
    /// Whether all checks hold.
    pub fn is_valid(&self) -> bool {
        self.violation.is_none()
    }

    /// The sentences about the checks that hold in the whole record.
    fn held(&self) -> Vec<String> {
        let mut held = vec![format!(
            "The record is valid: a game of {} with {} seats.",
            self.game, self.seats
        )];
        if self.earlier_rounds > 0 {
            held.push(format!(
                "It continues another game after {}, whose scores cannot be checked.",
                count(self.earlier_rounds, "round")
            ));
        }
        held.extend([
            format!(
                "{}, {}: every deal has the whole pack, and every move was legal.",
                count(self.deals, "round"),
                count(self.moves, "move")
            ),
            format!(
                "{}: every trick has the right leader, cards and taker.",
                count(self.tricks, "trick")
            ),
            format!(
                "{}: every score and total is right.",
                count(self.scored_rounds, "scored round")
            ),
        ]);
        held.push(match (self.ended_early, self.deals > self.scored_rounds) {
            (true, true) => {
                "The game was ended early, and its last round was abandoned.".to_owned()
            }
            (true, false) => "The game was ended early.".to_owned(),
            (false, _) => "The game ended as its options say.".to_owned(),
        });
        held.push("The standings are right.".to_owned());
        held
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.violation {
            None => f.write_str(&self.held().join("\n")),
            Some(violation) => write!(
                f,
                "The record is wrong: a game of {} with {} seats.\n{violation}\nCorrect until then: {}, {}, {}, {}.",
                self.game,
                self.seats,
                count(self.deals, "deal"),
                count(self.moves, "move"),
                count(self.tricks, "trick"),
                count(self.scored_rounds, "scored round"),
            ),
        }
    }
}

/// A number with its noun.
fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}
