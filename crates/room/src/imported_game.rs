//! Games that come from a file: a room plays the record of a game again, by itself.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sticheln_bots::{Level, Player};
use sticheln_protocol::PlayedOn;
use sticheln_record::{RecordFile, RecordedPlayer, RecordedRound};
use sticheln_rules::{GameProgress, Seat};

use crate::chair::{BOT_FOR_PERSON_LEVEL, Bot, bot_names};
use crate::game_outline::SeatPlayer;
use crate::{Continuation, Name, PersonChange, PersonId, RepeatedRound};

/// What a game from a file has besides its deals and moves. The room begins it at once, with a bot on each chair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedGame {
    /// The player of each seat in the file. The names of people are saved apart.
    pub(crate) players: Vec<SeatPlayer>,
    /// The bots on the chairs.
    pub(crate) bots: Vec<Bot>,
    /// Whether the game ends early after the last move.
    pub(crate) ends_early: bool,
}

impl<G: Player> Continuation<G> {
    /// The game of a record that the verifier has accepted. Returns the names of its people too, which are saved with
    /// the first entry.
    ///
    /// A name that nobody can have at a table is left out, and a bot without a name gets one. A level that the program does
    /// not know becomes [`Level::Normal`].
    pub fn of_record(file: RecordFile<G>) -> (Self, Vec<PersonChange>) {
        let from = file.continued_from;
        let played_on = from.as_ref().map(|from| PlayedOn {
            // It is a replay of another server, or one that the reader of this one may not see.
            replay: None,
            round: from.round,
            moves: from.moves,
        });
        let earlier = from.map_or_else(Vec::new, |from| from.scores);
        let seats = file.players.seats().count();
        let bots: Vec<Bot> = bot_names()
            .take(seats)
            .map(|name| Bot {
                level: BOT_FOR_PERSON_LEVEL,
                name,
            })
            .collect();
        let players = file.players.iter().zip(&bots).zip(0..);
        let players = players.map(|((player, bot), seat)| imported_player(player, bot, seat));
        let (players, names): (Vec<_>, Vec<_>) = players.unzip();
        let continuation = Self {
            played_on,
            progress: GameProgress::new(file.options, seats, file.opening, earlier),
            rounds: file.rounds.into_iter().map(repeated_round).collect(),
            imported: Some(Box::new(ImportedGame {
                players,
                bots,
                ends_early: file.ended_early,
            })),
        };
        (continuation, names.into_iter().flatten().collect())
    }
}

/// The player of a seat of a file, and the name of a person. `bot` is the bot on the chair.
fn imported_player(
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
fn repeated_round<G: Player>(round: RecordedRound<G>) -> RepeatedRound<G> {
    let deck = round.deck();
    let moves = round.moves.into_iter();
    let moves: VecDeque<_> = moves.map(|one| (one.seat, one.action)).collect();
    RepeatedRound { deck, moves }
}
