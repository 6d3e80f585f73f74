//! Makes the replay of a finished round from its entries.
//!
//! This file returns views, never a [`State`]. The cards of a finished round are public, so the replay has the
//! views of all seats.

use sticheln_bots::Player;
use sticheln_protocol::{GameOwn, GameTable, Raw, ReplayFormat, ReplayStep, RoundReplay};
use sticheln_rules::{BySeat, Event, Seat, State};

use crate::game_outline::{Names, SeatPlayer};
use crate::round_log::MAX_ACTS;
use crate::round_playback::{AppliedEntry, RoundPlayback};
use crate::snapshot::Snapshot;
use crate::state::CorruptLog;
use crate::{Entry, PersonId, Shuffle};

/// A finished round, without the names of people.
#[derive(Debug)]
pub struct FinishedRoundReplay {
    round: u8,
    players: Vec<SeatPlayer>,
    totals: BySeat<i32>,
    steps: Vec<ReplayStep>,
}

impl FinishedRoundReplay {
    /// The ids of the people whose names the replay needs.
    pub fn persons(&self) -> impl Iterator<Item = PersonId> {
        self.players.iter().filter_map(SeatPlayer::person)
    }

    /// The replay with these names.
    pub fn with_names(self, names: &Names) -> RoundReplay {
        RoundReplay {
            format: ReplayFormat::V1,
            round: self.round,
            players: self
                .players
                .iter()
                .map(|player| player.player(names))
                .collect(),
            totals: self.totals,
            steps: self.steps,
        }
    }
}

/// The replay of the round that begins after this snapshot; `None` if the round is not over. The entries are those of its segment of
/// the room log, or the first ones of them.
///
/// # Errors
/// [`CorruptLog`] if they are not those of a round.
pub fn round_replay<G: Player>(
    snapshot: Snapshot<G>,
    entries: impl IntoIterator<Item = Entry<G>>,
    shuffle: &Shuffle,
) -> Result<Option<FinishedRoundReplay>, CorruptLog> {
    let mut playback = RoundPlayback::new(snapshot, entries, shuffle)?;
    let sheet = playback.state().sheet().ok_or(CorruptLog)?;
    let round = u8::try_from(sheet.rounds().len() + 1).map_err(|_| CorruptLog)?;
    let totals = sheet.totals().clone();
    let chairs = &playback.state().chairs;
    let players = playback.game()?.header.players(chairs);
    let mut steps = Steps::default();
    while let Some(applied) = playback.apply_next()? {
        steps.add(&playback, applied)?;
    }
    Ok(playback.is_over().then(|| FinishedRoundReplay {
        round,
        players,
        totals,
        steps: steps.without_old_acts(),
    }))
}

/// The steps so far, and the views after the last one.
#[derive(Default)]
struct Steps {
    done: Vec<ReplayStep>,
    table: Option<Raw<GameTable>>,
    own: Vec<Raw<GameOwn>>,
}

impl Steps {
    /// Adds a step if the entry that was applied last has changed something for people.
    fn add<G: Player>(
        &mut self,
        playback: &RoundPlayback<'_, G>,
        applied: AppliedEntry<G>,
    ) -> Result<(), CorruptLog> {
        let AppliedEntry {
            entry, events, act, ..
        } = applied;
        // An act changes neither the table nor a hand.
        let has_events = !events.is_empty();
        if act.is_none() && !has_events {
            return Ok(());
        }
        let state = playback.state();
        let game = &playback.game()?.state;
        let acted_for = state.acted_for(&entry.change).filter(|_| has_events);
        let acted_for = acted_for.iter().map(Raw::new);
        let step = ReplayStep {
            rev: state.shown_rev(),
            at: entry.at.to_second(),
            act,
            events: acted_for.chain(events.iter().map(encoded)).collect(),
            table: has_events.then(|| self.update_table(game)).flatten(),
            own: match has_events {
                true => self.update_own(game),
                false => Vec::new(),
            },
            to_act: game.view(None).to_act(),
        };
        self.done.push(step);
        Ok(())
    }

    /// Updates the public part of the round. Returns it if it has changed.
    fn update_table<G: Player>(&mut self, game: &State<G>) -> Option<Raw<GameTable>> {
        let table = Raw::new(&game.view(None).table());
        let is_new = self.table.as_ref() != Some(&table);
        self.table = Some(table.clone());
        is_new.then_some(table)
    }

    /// Updates the parts of the round that only one seat knew. Returns those that have changed.
    fn update_own<G: Player>(&mut self, game: &State<G>) -> Vec<(Seat, Raw<GameOwn>)> {
        let seats = game.seats().iter();
        let own = seats.filter_map(|seat| Some((seat, Raw::new(game.view(Some(seat)).own()?))));
        let own: Vec<(Seat, Raw<GameOwn>)> = own.collect();
        let is_new = |(seat, own): &&(Seat, Raw<GameOwn>)| self.own.get(seat.index()) != Some(own);
        let changed = own.iter().filter(is_new).cloned().collect();
        self.own = own.into_iter().map(|(_, own)| own).collect();
        changed
    }

    /// The steps without the oldest acts at the table, if there are too many.
    fn without_old_acts(self) -> Vec<ReplayStep> {
        let is_act = |step: &ReplayStep| {
            step.events.is_empty() && step.table.is_none() && step.own.is_empty()
        };
        let acts = self.done.iter().filter(|step| is_act(step)).count();
        let mut left_out = acts.saturating_sub(MAX_ACTS);
        let mut steps = self.done;
        steps.retain(|step| {
            let is_left_out = is_act(step) && left_out > 0;
            left_out -= usize::from(is_left_out);
            !is_left_out
        });
        steps
    }
}

/// An event as it was sent.
fn encoded<G: Player>(event: &Event<G>) -> Raw<sticheln_protocol::GameEvent> {
    Raw::new(event)
}
