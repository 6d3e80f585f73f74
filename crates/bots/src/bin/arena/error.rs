//! The errors of the arena.

use std::io;

use sticheln_rules::GameId;
use thiserror::Error;

/// The reason why a match cannot be played to its end.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// The options of the game are not valid.
    #[error("Options: {0}.")]
    Options(#[from] serde_json::Error),
    /// The options of the game are JSON, but no object.
    #[error("Options are an object.")]
    OptionsAreNoObject,
    /// The options name the end of the game.
    #[error("Each game has one round: leave out `end`.")]
    EndGiven,
    /// The game cannot be played with these seats.
    #[error("{game} is not played with {seats} seats.")]
    Seats {
        /// The id of the game.
        game: GameId,
        /// The number of seats.
        seats: usize,
    },
    /// The match has no players.
    #[error("There are no players.")]
    NoPlayers,
    /// The match has more players than seats.
    #[error("There are more players than seats.")]
    TooManyPlayers,
    /// A thread has panicked.
    #[error("A thread has panicked.")]
    Panicked,
    /// The rules refuse an action.
    #[error("{player} did {action}, which is refused: {code}.")]
    Refused {
        /// The kind of the player.
        player: String,
        /// The action as JSON.
        action: String,
        /// The code of the refusal.
        code: &'static str,
    },
    /// The command of a program is empty.
    #[error("The command of a program is empty.")]
    EmptyCommand,
    /// A program cannot be started.
    #[error("{command}: {source}.")]
    Start {
        /// The command.
        command: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program does not read its input.
    #[error("{command} does not read: {source}.")]
    Send {
        /// The command.
        command: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program has sent no answer in time.
    #[error("{0} does not answer.")]
    NoAnswer(String),
    /// The answer of a program is no action.
    #[error("{command} has answered {answer:?}: {source}.")]
    BadAnswer {
        /// The command.
        command: String,
        /// The line that the program has written.
        answer: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
}

/// No game has this id.
#[derive(Debug, Error)]
#[error("the games are: {0}")]
pub struct UnknownGame(pub String);

/// No kind of player has this name.
#[derive(Debug, Error)]
#[error("unknown player {0:?}")]
pub struct UnknownPlayer(pub String);
