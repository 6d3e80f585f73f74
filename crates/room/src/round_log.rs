//! Makes the message `round_log` from the entries of a round.
//!
//! It has only what everybody at the table was sent: the public events of the game, and the acts at the table. A
//! [`State`](sticheln_rules::State) never leaves this file: the entries are applied as in a waking room, and their events are
//! kept.

use sticheln_bots::Player;
use sticheln_protocol::{
    ChangedSetting, GameEvent, MessageText, Raw, RoundLogEntry, RoundLogMessage, ServerMessage,
    TableAct,
};
use sticheln_rules::{Event, Status, TrickPart, shown_events};

use crate::chair::Chair;
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{Change, Entry, RoomSettings, Shuffle, Timestamp};

/// The most acts at the table in the log of a round, the newest ones: people can fill a round with them.
pub(crate) const MAX_ACTS: usize = 200;

/// A read of a round that a room requests: where it begins in the room log, and how its deck is made.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "functions cannot be printed")]
pub struct RoundLogRequest {
    /// The entry number of its deal (`rev` in the database), with which a segment of the room log begins.
    pub deal_entry: u64,
    /// Makes the deck of the deal.
    pub shuffle: Shuffle,
}

/// A public entry before it is known which tricks are shown.
struct PublicEntry<G: Player> {
    rev: u64,
    at: Timestamp,
    act: Option<TableAct>,
    /// The event that a move was made for a person, as JSON.
    acted_for: Option<Raw<GameEvent>>,
    events: Vec<Event<G>>,
}

/// The message `round_log` about the round that begins after this snapshot. The entries are those of its segment of the room
/// log, or the first ones of them.
///
/// # Errors
/// [`CorruptLog`] if they are not those of a round.
pub fn round_log<G: Player>(
    snapshot: Snapshot<G>,
    entries: impl IntoIterator<Item = Entry<G>>,
    shuffle: &Shuffle,
) -> Result<MessageText, CorruptLog> {
    // A log has no room code.
    let mut state = RoomState::from_snapshot("", snapshot)?;
    let rounds_before = state.sheet().ok_or(CorruptLog)?.rounds().len();
    let mut public = Vec::new();
    for entry in entries {
        public.extend(public_entry(&mut state, &entry, shuffle)?);
        if state.game.is_none() || matches!(entry.change, Change::Started { .. }) {
            // The game was cleared, or another one has begun.
            break;
        }
    }
    let round = u8::try_from(rounds_before + 1).map_err(|_| CorruptLog)?;
    let log = round_log_message(&state, round, public);
    Ok(ServerMessage::RoundLog(&log).encode())
}

/// Applies an entry. Returns its public part; `None` if it has none.
fn public_entry<G: Player>(
    state: &mut RoomState<G>,
    entry: &Entry<G>,
    shuffle: &Shuffle,
) -> Result<Option<PublicEntry<G>>, CorruptLog> {
    let act = table_act(state, entry);
    let events = state.apply(entry, shuffle)?;
    let acted_for = state.acted_for(&entry.change);
    let is_public = act.is_some() || !events.is_empty();
    Ok(is_public.then(|| PublicEntry {
        rev: state.shown_rev(),
        at: entry.at.to_second(),
        act,
        acted_for: acted_for.map(|event| Raw::new(&event)),
        events,
    }))
}

/// The message with these entries. While the round is played, tricks that the options do not show are left out.
fn round_log_message<G: Player>(
    state: &RoomState<G>,
    round: u8,
    public: Vec<PublicEntry<G>>,
) -> RoundLogMessage {
    let acts = public.iter().filter(|entry| entry.act.is_some()).count();
    let mut acts_left_out = acts.saturating_sub(MAX_ACTS);
    let mut log = RoundLogMessage {
        round,
        tricks_left_out: 0,
        acts_left_out,
        entries: Vec::with_capacity(public.len()),
    };
    let mut are_shown = shown_flags(state, &public).into_iter();
    for mut entry in public {
        let is_left_out = entry.act.is_some() && acts_left_out > 0;
        if is_left_out {
            acts_left_out -= 1;
            entry.act = None;
        }
        let mut shown = Vec::new();
        for event in &entry.events {
            if are_shown.next().unwrap_or_default() {
                shown.push(Raw::new(event));
            } else if event.trick_part().is_some_and(TrickPart::is_end) {
                log.tricks_left_out += 1;
            }
        }
        if entry.act.is_none() && shown.is_empty() {
            continue;
        }
        let acted_for = entry.acted_for.filter(|_| !shown.is_empty());
        log.entries.push(RoundLogEntry {
            rev: entry.rev,
            at: entry.at,
            act: entry.act,
            events: acted_for.into_iter().chain(shown).collect(),
        });
    }
    log
}

/// For each event of these entries, in order, whether it is shown.
fn shown_flags<G: Player>(state: &RoomState<G>, public: &[PublicEntry<G>]) -> Vec<bool> {
    let events = public.iter().flat_map(|entry| entry.events.iter().cloned());
    let events: Vec<_> = events.collect();
    match &state.game {
        Some(game) if game.state.status() == Status::Playing => {
            shown_events(game.state.view(None).options(), &events)
        }
        // The round is scored or abandoned: all tricks are shown.
        Some(_) | None => vec![true; events.len()],
    }
}

/// The act of an entry at the table, before it is applied; `None` for moves, and for changes that the log leaves out.
pub(crate) fn table_act<G: Player>(state: &RoomState<G>, entry: &Entry<G>) -> Option<TableAct> {
    let sender = entry.command.as_ref().map(|(owner, _)| *owner);
    Some(match entry.change {
        Change::Sat { seat, .. } => TableAct::Sat { seat },
        Change::Left { seat, .. } => {
            let person = state.chair(seat).and_then(Chair::person);
            match person.is_some_and(|person| Some(person.owner) == sender) {
                true => TableAct::Stood { seat },
                false => TableAct::Removed { seat },
            }
        }
        Change::BotSeated { seat, level, .. } => TableAct::BotSeated { seat, level },
        Change::Configured { ref settings, .. } => {
            let settings = changed_settings(&state.settings, settings);
            if settings.is_empty() {
                return None;
            }
            TableAct::Configured { settings }
        }
        Change::GuestAdmitted { .. } => TableAct::GuestAdmitted,
        Change::SpectatorRemoved { .. } => TableAct::SpectatorRemoved,
        Change::HostPassed { seat } => TableAct::HostPassed { seat },
        Change::StoodIn { seat } => TableAct::StoodIn { seat },
        Change::Returned { seat } => TableAct::Returned { seat },
        Change::Paused { seat } => TableAct::Paused { seat },
        Change::Resumed => TableAct::Resumed,
        Change::MoreTime { seat } => TableAct::AskedForTime { seat },
        Change::Held { seat } => TableAct::Held { seat },
        Change::EndAgreed { seat, agrees } => TableAct::EndAgreed { seat, agrees },
        Change::EndedEarly => TableAct::EndedEarly,
        Change::HandedOver { seat } => TableAct::HandedOver { seat },
        Change::Claimed { seat, .. } => TableAct::Claimed { seat },
        Change::Restored { seat } => TableAct::Restored { seat },
        // A log has no names, and `ready` has no effect later.
        Change::Renamed { .. } | Change::Ready { .. } => return None,
        // A hidden choice: nobody else may notice that it was replaced.
        Change::ChoiceReplaced { .. } => return None,
        Change::Dealt { .. } | Change::Acted { .. } => return None,
        // The log has only what was kept.
        Change::GenerationBegun { .. } => return None,
        // They happen before the first deal, or end the log.
        Change::Opened { .. }
        | Change::CharacterChosen { .. }
        | Change::Swapped { .. }
        | Change::Started { .. }
        | Change::Ended => return None,
    })
}

/// The public settings that differ. A replaced password is not listed.
fn changed_settings<G: Player>(
    before: &RoomSettings<G>,
    after: &RoomSettings<G>,
) -> Vec<ChangedSetting> {
    let is_locked = |settings: &RoomSettings<G>| settings.password_hash.is_some();
    let changes = [
        (ChangedSetting::Title, before.title != after.title),
        (ChangedSetting::Listed, before.listed != after.listed),
        (
            ChangedSetting::Locked,
            is_locked(before) != is_locked(after),
        ),
        (
            ChangedSetting::TurnSeconds,
            before.turn_seconds != after.turn_seconds,
        ),
        (
            ChangedSetting::SpectatorChat,
            before.spectator_chat != after.spectator_chat,
        ),
        (
            ChangedSetting::FastBots,
            before.fast_bots != after.fast_bots,
        ),
        (
            ChangedSetting::WaitingRoom,
            before.waiting_room != after.waiting_room,
        ),
        (ChangedSetting::Replays, before.replays != after.replays),
    ];
    let changed = changes.into_iter().filter(|(_, is_changed)| *is_changed);
    changed.map(|(setting, _)| setting).collect()
}
