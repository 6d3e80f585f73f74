//! Strict reading of a file.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sticheln_rules::{Game, GameId};
use thiserror::Error;

use crate::file::{
    MAX_FILE_BYTES, MAX_LEVEL_CHARACTERS, MAX_MOVES, MAX_NAME_CHARACTERS, MAX_REPLAY_CHARACTERS,
    MAX_ROUNDS, MAX_SECONDS, RecordFile, RecordFormat, RecordedPlayer,
};

/// The reason why a file cannot be read as a record.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It has more than [`MAX_FILE_BYTES`].
    #[error("the file has more than {MAX_FILE_BYTES} bytes")]
    TooLong,
    /// It is not an object of JSON with a format and a game.
    #[error("the file is not a record in JSON: {0}")]
    NotARecord(#[source] serde_json::Error),
    /// It has another format.
    #[error("the format of the file is not {}", RecordFormat::V1.as_str())]
    UnknownFormat,
    /// No game has its id.
    #[error("no game has the id of the file")]
    UnknownGame,
    /// It is the record of another game than the one to read.
    #[error("the file is a record of {0}, another game")]
    OtherGame(GameId),
    /// A field is missing, unknown or has another type.
    #[error("the file does not have the form of a record: {0}")]
    Form(#[source] serde_json::Error),
    /// The value at this JSON pointer is not the one that a program would write, such as a hand that is not sorted.
    #[error("the value at {0} is not written as in a record")]
    NotCanonical(String),
    /// A time is after [`MAX_SECONDS`].
    #[error("a time is after {MAX_SECONDS}")]
    TimeTooLarge,
    /// There are more of these than allowed.
    #[error("the file has more than {1} {0}")]
    TooMany(&'static str, usize),
    /// It has no round.
    #[error("the file has no round")]
    NoRound,
}

/// The fields that decide how the others are read.
#[derive(Deserialize)]
struct Head {
    format: String,
    game: GameId,
}

/// The id of the game of a file. The rest of the file is not checked.
///
/// # Errors
/// [`ReadError`] if it cannot be a record.
pub fn game_of(bytes: &[u8]) -> Result<GameId, ReadError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ReadError::TooLong);
    }
    let head: Head = serde_json::from_slice(bytes).map_err(ReadError::NotARecord)?;
    let is_known = head.format == RecordFormat::V1.as_str();
    is_known
        .then_some(head.game)
        .ok_or(ReadError::UnknownFormat)
}

impl<G: Game> RecordFile<G> {
    /// Reads a file. There is one way to write each record, apart from white space and the order of fields.
    ///
    /// # Errors
    /// [`ReadError`] if it is not a record of this game. A record can be read although it violates the rules.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let game = game_of(bytes)?;
        if game != G::ID {
            return Err(ReadError::OtherGame(game));
        }
        let file: Self = serde_json::from_slice(bytes).map_err(ReadError::Form)?;
        file.check_bounds()?;
        let given = serde_json::from_slice(bytes).map_err(ReadError::Form)?;
        match difference(&given, &value(&file)) {
            None => Ok(file),
            Some(pointer) => Err(ReadError::NotCanonical(pointer)),
        }
    }

    fn check_bounds(&self) -> Result<(), ReadError> {
        if self.rounds.is_empty() {
            return Err(ReadError::NoRound);
        }
        let replay = (self.continued_from.as_ref()).and_then(|from| from.replay.as_deref());
        let earlier = (self.continued_from.as_ref()).map_or(0, |from| from.scores.len());
        at_most("rounds", self.rounds.len(), MAX_ROUNDS)?;
        at_most("rounds", earlier, MAX_ROUNDS)?;
        at_most("characters of an id", length(replay), MAX_REPLAY_CHARACTERS)?;
        for player in &self.players {
            let (name, level) = match player {
                RecordedPlayer::Person { name } => (name, None),
                RecordedPlayer::Bot { level, name } => (name, Some(level.as_str())),
            };
            let name = length(name.as_deref());
            at_most("characters of a name", name, MAX_NAME_CHARACTERS)?;
            at_most("characters of a level", length(level), MAX_LEVEL_CHARACTERS)?;
        }
        for round in &self.rounds {
            at_most("moves of a round", round.moves.len(), MAX_MOVES)?;
            at_most("tricks of a round", round.tricks.len(), MAX_MOVES)?;
            let times = round.moves.iter().map(|recorded| recorded.at);
            if times.chain([round.at]).any(|at| at > MAX_SECONDS) {
                return Err(ReadError::TimeTooLarge);
            }
        }
        Ok(())
    }
}

/// The number of characters of a text that may be missing.
fn length(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.chars().count())
}

fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), ReadError> {
    if count > limit {
        return Err(ReadError::TooMany(what, limit));
    }
    Ok(())
}

fn value(file: &impl Serialize) -> Value {
    serde_json::to_value(file).expect("a record can be serialised")
}

/// A JSON pointer to the first value in which a file differs from the text that a program would write for it. Options may be left out.
fn difference(given: &Value, written: &Value) -> Option<String> {
    let mut given = given.clone();
    let options = given.get_mut("options").and_then(Value::as_object_mut);
    if let (Some(given), Some(all)) = (options, written["options"].as_object()) {
        for (name, value) in all {
            given.entry(name).or_insert_with(|| value.clone());
        }
    }
    first_difference(&given, written, String::new())
}

fn first_difference(given: &Value, written: &Value, pointer: String) -> Option<String> {
    match (given, written) {
        (Value::Object(given), Value::Object(written)) => {
            let names = given.keys().chain(written.keys());
            names.into_iter().find_map(|name| {
                let pointer = format!("{pointer}/{name}");
                match (given.get(name), written.get(name)) {
                    (Some(given), Some(written)) => first_difference(given, written, pointer),
                    (Some(_), None) | (None, Some(_)) => Some(pointer),
                    (None, None) => None,
                }
            })
        }
        (Value::Array(given), Value::Array(written)) if given.len() == written.len() => {
            let pairs = given.iter().zip(written).enumerate();
            pairs.into_iter().find_map(|(index, (given, written))| {
                first_difference(given, written, format!("{pointer}/{index}"))
            })
        }
        (given, written) => (given != written).then_some(pointer),
    }
}
