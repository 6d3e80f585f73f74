//! The playback of a finished round: its entries, applied one by one to the snapshot before its deal.

use std::vec;

use sticheln_bots::Player;
use sticheln_protocol::TableAct;
use sticheln_rules::{Card, Event, Status};

use crate::current_game::CurrentGame;
use crate::round_log::table_act;
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{Change, Entry, Shuffle};

/// The entries of a round that are not applied yet, and the room after the others.
pub(crate) struct RoundPlayback<'a, G: Player> {
    state: RoomState<G>,
    entries: vec::IntoIter<EntryWithFinalChoice<G>>,
    shuffle: &'a Shuffle,
    is_over: bool,
}

/// An entry of a round. A choice has the action of the last choice of its seat.
struct EntryWithFinalChoice<G: Player> {
    entry: Entry<G>,
    /// Whether the owner of the seat has replaced its choice.
    is_replaced: bool,
}

/// An entry that was applied.
pub(crate) struct AppliedEntry<G: Player> {
    pub(crate) entry: Entry<G>,
    /// The events of the game that follow from it.
    pub(crate) events: Vec<Event<G>>,
    /// Its act at the table, if it is one.
    pub(crate) act: Option<TableAct>,
    /// The whole deck, if it is the deal.
    pub(crate) deck: Option<Vec<Card>>,
}

impl<'a, G: Player> RoundPlayback<'a, G> {
    /// The playback of the round that begins after this snapshot. The entries are those of its segment of the room log, or the
    /// first ones of them.
    ///
    /// # Errors
    /// [`CorruptLog`] if the snapshot is not that of a room.
    pub(crate) fn new(
        snapshot: Snapshot<G>,
        entries: impl IntoIterator<Item = Entry<G>>,
        shuffle: &'a Shuffle,
    ) -> Result<Self, CorruptLog> {
        Ok(Self {
            // A playback has no room code.
            state: RoomState::from_snapshot("", snapshot)?,
            entries: with_final_choices(entries).into_iter(),
            shuffle,
            is_over: false,
        })
    }

    /// The room after the entries that were applied.
    pub(crate) fn state(&self) -> &RoomState<G> {
        &self.state
    }

    /// The game of the round.
    ///
    /// # Errors
    /// [`CorruptLog`] if the room has none.
    pub(crate) fn game(&self) -> Result<&CurrentGame<G>, CorruptLog> {
        self.state.game.as_ref().ok_or(CorruptLog)
    }

    /// Whether the round is scored or abandoned.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Applies the next entry of the round. `None` after the last entry, or at an entry that begins or clears a game.
    ///
    /// # Errors
    /// [`CorruptLog`] if it cannot follow on the others.
    pub(crate) fn apply_next(&mut self) -> Result<Option<AppliedEntry<G>>, CorruptLog> {
        let Some(EntryWithFinalChoice { entry, is_replaced }) = self.entries.next() else {
            return Ok(None);
        };
        if entry.change.begins_or_clears_game() {
            self.is_over = true;
            self.entries = Vec::new().into_iter();
            return Ok(None);
        }
        let act = table_act(&self.state, &entry);
        let deck = match &entry.change {
            Change::Dealt { seed, .. } => Some(self.game()?.next_deck(seed, self.shuffle)),
            _ => None,
        };
        if let Change::Acted { action, .. } = &entry.change
            && is_replaced
        {
            self.state.replace_repeated_action(action);
        }
        let events = match &entry.change {
            // `with_final_choices` has put this action into the first choice of the seat.
            Change::ChoiceReplaced { .. } => {
                self.state.skip_private_entry();
                Vec::new()
            }
            _ => self.state.apply(&entry, self.shuffle)?,
        };
        self.is_over = self.game()?.state.status() != Status::Playing;
        Ok(Some(AppliedEntry {
            entry,
            events,
            act,
            deck,
        }))
    }
}

/// Replaces each choice by the last choice of its seat. A replay must not show that a choice was replaced, because nobody else may
/// notice it.
fn with_final_choices<G: Player>(
    entries: impl IntoIterator<Item = Entry<G>>,
) -> Vec<EntryWithFinalChoice<G>> {
    let entries = entries.into_iter().map(|entry| EntryWithFinalChoice {
        entry,
        is_replaced: false,
    });
    let mut entries: Vec<_> = entries.collect();
    for index in 0..entries.len() {
        let (before, from_here) = entries.split_at_mut(index);
        let Change::ChoiceReplaced { seat, action } = &from_here[0].entry.change else {
            continue;
        };
        for earlier in before.iter_mut().rev() {
            match &mut earlier.entry.change {
                Change::Acted {
                    seat: other,
                    action: choice,
                    ..
                } if other == seat => {
                    choice.clone_from(action);
                    earlier.is_replaced = true;
                    break;
                }
                _ => {}
            }
        }
    }
    entries
}
