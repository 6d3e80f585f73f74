//! Games that come from a file: a room plays the record of a game again, by itself.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sticheln_bots::{Level, Player};
use sticheln_record::{RecordedPlayer, RecordedRound};
use sticheln_rules::Seat;

use crate::chair::Bot;
use crate::game_outline::SeatPlayer;
use crate::{Name, PersonChange, PersonId, RepeatedRound};

/// The players and the end of a game from a file. The room begins it at once, with a bot on each chair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedGame {
    /// The player of each seat in the file. The names of people are saved apart.
    pub(crate) players: Vec<SeatPlayer>,
    /// The bots on the chairs.
    pub(crate) bots: Vec<Bot>,
    /// Whether the game ends early after the last move.
    pub(crate) ends_early: bool,
}

/// The player of a seat of a file, and the name of a person. `bot` is the bot on the chair.
pub(crate) fn imported_player(
    player: &RecordedPlayer,
    bot: &Bot,
    seat: u8,
) -> (SeatPlayer, Option<PersonChange>) {
    let shown = |name: &Option<String>| name.as_ref().and_then(|name| Name::new(name).ok());
    match player {
        RecordedPlayer::Person { name } => {
            let person = PersonId::of_file(Seat::new(seat));
            let name = shown(name).map(|name| PersonChange::Named(person, name));
            (SeatPlayer::Person(person), name)
        }
        RecordedPlayer::Bot { level, name } => {
            let name = shown(name).unwrap_or_else(|| bot.name.clone());
            let level = level.parse().unwrap_or(Level::Normal);
            (SeatPlayer::Bot { name, level }, None)
        }
    }
}

/// The deal and the moves of a round.
pub(crate) fn repeated_round<G: Player>(round: RecordedRound<G>) -> RepeatedRound<G> {
    let deck = round.deck();
    let moves = round.moves.into_iter();
    let moves: VecDeque<_> = moves
        .map(|recorded| (recorded.seat, recorded.action))
        .collect();
    RepeatedRound { deck, moves }
}
