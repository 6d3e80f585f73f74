//! The verifiers of the games, and the choice of the right one for a file.

use std::fmt;

use sticheln_rules::{Game, GameId};

use crate::file::RecordFile;
use crate::read::{ReadError, game_of};
use crate::report::Report;
use crate::verify::verify_file;

/// The verifier of the records of one game.
#[derive(Clone)]
pub struct Verifier {
    id: GameId,
    verify: fn(&[u8]) -> Result<Report, ReadError>,
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Verifier({})", self.id)
    }
}

impl Verifier {
    /// The verifier of the game `G`.
    pub fn of<G: Game>() -> Self {
        Self {
            id: G::ID,
            verify: |bytes| RecordFile::<G>::read(bytes).map(|file| verify_file(&file)),
        }
    }
}

/// Reads a file as a record of one of these games, and verifies it by the rules.
///
/// # Errors
/// [`ReadError`] if it cannot be read as a record.
pub fn verify(bytes: &[u8], games: &[Verifier]) -> Result<Report, ReadError> {
    let id = game_of(bytes)?;
    let game = games.iter().find(|game| game.id == id);
    let game = game.ok_or(ReadError::UnknownGame)?;
    (game.verify)(bytes)
}
