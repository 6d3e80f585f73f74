//! Continuations: games that are played on from a position of another one, or that come from a file.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use sticheln_bots::Player;
use sticheln_protocol::PlayedOn;
use sticheln_rules::{Card, GameProgress, Seat, State, Status};

use crate::imported_game::ImportedGame;
use crate::round_playback::RoundPlayback;
use crate::snapshot::Snapshot;
use crate::state::CorruptLog;
use crate::{Change, Entry, ReplayId, Shuffle};

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
    /// What a game from a file has besides; `None` for other games.
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
        rev: u64,
    ) -> Result<Option<Self>, CorruptLog> {
        let mut playback = RoundPlayback::new(snapshot, entries, shuffle)?;
        let progress = playback.game()?.state.progress().ok_or(CorruptLog)?;
        let mut deck = None;
        let mut moves: VecDeque<(Seat, G::Action)> = VecDeque::new();
        let mut status_there = None;
        let mut is_reached = false;
        while let Some(applied) = playback.apply_next()? {
            let reached = playback.state().shown_rev();
            is_reached |= reached == rev;
            if reached > rev {
                continue;
            }
            deck = deck.or(applied.deck);
            if let Change::Acted { seat, action, .. } = applied.entry.change {
                moves.push_back((seat, action));
            }
            status_there = Some(playback.game()?.state.status());
        }
        let can_go_on = matches!(status_there, Some(Status::Playing | Status::ToDeal));
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

    /// The game before the first deal.
    ///
    /// # Errors
    /// [`CorruptLog`] if no game can reach this.
    pub(crate) fn state(&self) -> Result<State<G>, CorruptLog> {
        State::from_progress(self.progress.clone()).map_err(|_| CorruptLog)
    }

    /// The number of seats.
    pub fn seats(&self) -> usize {
        self.progress.seats()
    }

    /// The deck of the next deal; `None` once all deals are repeated.
    pub(crate) fn deck(&self) -> Option<&[Card]> {
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
    pub(crate) fn advance(&mut self) {
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
    pub(crate) fn is_repeated(&self) -> bool {
        self.rounds.is_empty() && !self.ends_early()
    }
}
