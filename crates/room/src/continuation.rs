//! Continuations: games that are played on from a position of another one, or that come from a file.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sticheln_bots::Player;
use sticheln_protocol::PlayedOn;
use sticheln_record::RecordFile;
use sticheln_rules::{Card, GameProgress, Seat, State, Status};

use crate::chair::{BOT_FOR_PERSON_LEVEL, Bot, bot_names};
use crate::imported_game::{ImportedGame, imported_player, repeated_round};
use crate::round_playback::RoundPlayback;
use crate::snapshot::Snapshot;
use crate::state::CorruptLog;
use crate::{Change, Entry, PersonChange, ReplayId, Shuffle};

/// A position of a game that was played before, and the way to it. A room repeats the deals and moves, and then people play on.
/// A game from a file is repeated to its end.
///
/// It contains the whole decks, so it is saved and never sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct Continuation<G: Player> {
    /// The position, as people are told it; `None` for a game from a file that continues no other one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played_on: Option<PlayedOn>,
    /// The game before the first deal that is repeated.
    pub progress: GameProgress<G>,
    /// The rounds that are repeated, the first one first. People play on in the last one.
    pub rounds: VecDeque<RepeatedRound<G>>,
    /// The players and the end of a game from a file; `None` for other games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Box<ImportedGame>>,
}

/// A deal that is repeated, with the moves after it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
#[expect(
    missing_debug_implementations,
    reason = "the program log must not contain cards that are hidden"
)]
pub struct RepeatedRound<G: Player> {
    /// The whole deck.
    pub deck: Vec<Card>,
    /// The moves that are repeated, the first one first.
    pub moves: VecDeque<(Seat, G::Action)>,
}

impl<G: Player> Continuation<G> {
    /// The continuation from a position of a finished round: that after the entry with this revision. The snapshot and the entries
    /// are those of the round. Returns `None` if the round is not over, has no such revision, or if the game is over there.
    ///
    /// # Errors
    /// [`CorruptLog`] if they are not those of a round.
    pub fn of_round(
        source: ReplayId,
        snapshot: Snapshot<G>,
        entries: impl IntoIterator<Item = Entry<G>>,
        shuffle: &Shuffle,
        revision: u64,
    ) -> Result<Option<Self>, CorruptLog> {
        let mut playback = RoundPlayback::new(snapshot, entries, shuffle)?;
        let progress = playback.game()?.state.progress().ok_or(CorruptLog)?;
        let mut deck = None;
        let mut moves: VecDeque<(Seat, G::Action)> = VecDeque::new();
        let mut status_at_position = None;
        let mut is_reached = false;
        while let Some(applied) = playback.apply_next()? {
            let reached = playback.state().shown_rev();
            is_reached |= reached == revision;
            if reached > revision {
                continue;
            }
            deck = deck.or(applied.deck);
            if let Change::Acted { seat, action, .. } = applied.entry.change {
                moves.push_back((seat, action));
            }
            status_at_position = Some(playback.game()?.state.status());
        }
        let can_go_on = matches!(status_at_position, Some(Status::Playing | Status::ToDeal));
        let exists = playback.is_over() && is_reached && can_go_on;
        let Some(deck) = deck.filter(|_| exists) else {
            return Ok(None);
        };
        let round = u8::try_from(progress.rounds().len() + 1).map_err(|_| CorruptLog)?;
        Ok(Some(Self {
            played_on: Some(PlayedOn {
                replay: Some(source.to_string()),
                round,
                moves: moves.len(),
            }),
            progress,
            rounds: VecDeque::from([RepeatedRound { deck, moves }]),
            imported: None,
        }))
    }

    /// The game of a record that the verifier has accepted. Returns the names of its people too, which are saved with
    /// the first entry.
    ///
    /// A name that nobody can have at a table is left out, and a bot without a name gets one. A level that the program does
    /// not know becomes `normal`.
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

    /// The game before the first deal.
    ///
    /// # Errors
    /// [`CorruptLog`] if no game can reach this.
    pub(crate) fn initial_state(&self) -> Result<State<G>, CorruptLog> {
        State::from_progress(self.progress.clone()).map_err(|_| CorruptLog)
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.progress.seats()
    }

    /// The deck of the next deal; `None` once all deals are repeated.
    pub(crate) fn next_deck(&self) -> Option<&[Card]> {
        self.rounds.front().map(|round| &*round.deck)
    }

    /// The move that is repeated next in the dealt round.
    pub(crate) fn next_move(&self) -> Option<&(Seat, G::Action)> {
        self.rounds.front()?.moves.front()
    }

    /// Replaces the action of the move that is repeated next.
    pub(crate) fn replace_next_action(&mut self, action: &G::Action) {
        let round = self.rounds.front_mut();
        if let Some((_, next)) = round.and_then(|round| round.moves.front_mut()) {
            next.clone_from(action);
        }
    }

    /// Removes the move that was repeated.
    pub(crate) fn remove_repeated_move(&mut self) {
        if let Some(round) = self.rounds.front_mut() {
            round.moves.pop_front();
        }
    }

    /// Whether the game ends early now: everything is repeated, and the game of the file was ended here.
    pub(crate) fn ends_early(&self) -> bool {
        let imported = self.imported.as_ref();
        self.rounds.is_empty() && imported.is_some_and(|game| game.ends_early)
    }

    /// Removes the dealt round if all its moves are repeated.
    pub(crate) fn drop_repeated_round(&mut self) {
        self.rounds.pop_front_if(|round| round.moves.is_empty());
    }

    /// Whether nothing is left.
    pub(crate) fn is_finished(&self) -> bool {
        self.rounds.is_empty() && !self.ends_early()
    }
}
