//! Makes the replay of a finished round from its entries.
//!
//! A [`State`] leaves this file only as the views that people were sent. The cards of a finished round are
//! public, so the replay has the views of all seats.

use sticheln_bots::Player;
use sticheln_protocol::{GameOwn, GameTable, Raw, ReplayFormat, ReplayStep, RoundReplay};
use sticheln_rules::{BySeat, Event, Seat, State, Status};

use crate::game_outline::{Names, SeatOutline};
use crate::round_log::{MAX_ACTS, table_act};
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{Change, Entry, PersonId, Shuffle};

/// A finished round, without the names of people.
#[derive(Debug)]
pub struct FinishedRoundReplay {
    round: u8,
    seats: Vec<SeatOutline>,
    totals: BySeat<i32>,
    steps: Vec<ReplayStep>,
}

impl FinishedRoundReplay {
    /// The ids of the people whose names the replay needs.
    pub fn persons(&self) -> impl Iterator<Item = PersonId> {
        self.seats.iter().filter_map(SeatOutline::person)
    }

    /// The replay with these names.
    pub fn with_names(self, names: &Names) -> RoundReplay {
        RoundReplay {
            format: ReplayFormat::V1,
            round: self.round,
            players: self.seats.iter().map(|seat| seat.player(names)).collect(),
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
    // A replay has no room code.
    let mut state = RoomState::from_snapshot("", snapshot)?;
    let sheet = state.sheet().ok_or(CorruptLog)?;
    let round = u8::try_from(sheet.rounds().len() + 1).map_err(|_| CorruptLog)?;
    let totals = sheet.totals().clone();
    let seats = state.chairs.iter().filter_map(SeatOutline::of).collect();
    let mut steps = Steps::default();
    let mut is_over = false;
    for entry in with_final_choices(entries) {
        if entry.change.begins_or_clears_game() {
            is_over = true;
            break;
        }
        steps.add(&mut state, &entry, shuffle)?;
        let game = state.game.as_ref().ok_or(CorruptLog)?;
        is_over = game.state.status() != Status::Playing;
    }
    Ok(is_over.then(|| FinishedRoundReplay {
        round,
        seats,
        totals,
        steps: steps.without_old_acts(),
    }))
}

/// The entries of a round, in which each choice is the one that its seat has made at last. A replay must not show that a choice
/// was replaced, because nobody else may notice it.
pub(crate) fn with_final_choices<G: Player>(
    entries: impl IntoIterator<Item = Entry<G>>,
) -> Vec<Entry<G>> {
    let mut entries: Vec<_> = entries.into_iter().collect();
    for at in 0..entries.len() {
        let (before, from_here) = entries.split_at_mut(at);
        let Change::ChoiceReplaced { seat, action } = &from_here[0].change else {
            continue;
        };
        let choice = before
            .iter_mut()
            .rev()
            .find_map(|entry| match &mut entry.change {
                Change::Acted {
                    seat: other,
                    action,
                    ..
                } if other == seat => Some(action),
                _ => None,
            });
        if let Some(choice) = choice {
            choice.clone_from(action);
        }
    }
    entries
}

/// Applies one of the entries [`with_final_choices`]: the replacement of a choice changes nothing.
pub(crate) fn apply<G: Player>(
    state: &mut RoomState<G>,
    entry: &Entry<G>,
    shuffle: &Shuffle,
) -> Result<Vec<Event<G>>, CorruptLog> {
    if matches!(entry.change, Change::ChoiceReplaced { .. }) {
        state.skip_private_entry();
        return Ok(Vec::new());
    }
    state.apply(entry, shuffle)
}

/// The steps so far, and the views after the last one.
#[derive(Default)]
struct Steps {
    steps: Vec<ReplayStep>,
    table: Option<Raw<GameTable>>,
    own: Vec<Raw<GameOwn>>,
}

impl Steps {
    /// Applies an entry, and adds a step if it has changed something for people.
    fn add<G: Player>(
        &mut self,
        state: &mut RoomState<G>,
        entry: &Entry<G>,
        shuffle: &Shuffle,
    ) -> Result<(), CorruptLog> {
        let act = table_act(state, entry);
        let events = apply(state, entry, shuffle)?;
        let acted_for = state.acted_for(&entry.change);
        if act.is_none() && events.is_empty() {
            return Ok(());
        }
        let game = &state.game.as_ref().ok_or(CorruptLog)?.state;
        // An act changes neither the table nor a hand.
        let has_events = !events.is_empty();
        let acted_for = acted_for.filter(|_| has_events);
        let acted_for = acted_for.iter().map(Raw::new);
        let step = ReplayStep {
            rev: state.shown_rev(),
            at: entry.at.to_second(),
            act,
            events: acted_for.chain(events.iter().map(encoded)).collect(),
            table: has_events.then(|| self.changed_table(game)).flatten(),
            own: match has_events {
                true => self.changed_own(game),
                false => Vec::new(),
            },
            to_act: game.view(None).to_act(),
        };
        self.steps.push(step);
        Ok(())
    }

    /// The public part of the round, if it has changed.
    fn changed_table<G: Player>(&mut self, game: &State<G>) -> Option<Raw<GameTable>> {
        let table = Raw::new(&game.view(None).table());
        let is_new = self.table.as_ref() != Some(&table);
        self.table = Some(table.clone());
        is_new.then_some(table)
    }

    /// The parts of the round that only one seat knew and that have changed.
    fn changed_own<G: Player>(&mut self, game: &State<G>) -> Vec<(Seat, Raw<GameOwn>)> {
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
        let acts = self.steps.iter().filter(|step| is_act(step)).count();
        let mut left_out = acts.saturating_sub(MAX_ACTS);
        let mut steps = self.steps;
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
