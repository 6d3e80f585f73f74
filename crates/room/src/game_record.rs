//! Makes the record of a game from the entries of its rounds.

use sticheln_bots::Player;
use sticheln_record::{ContinuedFrom, MAX_NAME_CHARACTERS, Mover, RecordFile, Recorder};
use sticheln_rules::{BySeat, Card};

use crate::game_outline::{GameOutline, Names, SeatOutline};
use crate::round_replay::{apply, with_final_choices};
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{Actor, Change, Entry, Shuffle, Timestamp};

/// The record of a game with this outline; `None` if the game is not over. Each round is the snapshot before its deal, and the entries of its
/// segment of the room log. Without `names` the record has the seats only.
///
/// # Errors
/// [`CorruptLog`] if they are not those of the rounds of one game.
pub fn game_record<G: Player>(
    rounds: Vec<(Snapshot<G>, Vec<Entry<G>>)>,
    outline: &GameOutline,
    names: Option<&Names>,
    shuffle: &Shuffle,
) -> Result<Option<RecordFile<G>>, CorruptLog> {
    let players = outline.seats().iter().map(|seat| player(seat, names));
    let players = BySeat::new(players.collect()).ok_or(CorruptLog)?;
    let mut recorder = None;
    let mut latest = Timestamp(0);
    for (snapshot, entries) in rounds {
        // A record has no room code.
        let mut state = RoomState::from_snapshot("", snapshot)?;
        let recorder = match &mut recorder {
            Some(recorder) => recorder,
            None => recorder.insert(begin(&state, players.clone())?),
        };
        for entry in with_final_choices(entries) {
            if entry.change.begins_or_clears_game() {
                break;
            }
            // The clock can go back after a restart. The record uses the latest time so far, because moves with a turn must be in
            // the order of their times.
            latest = latest.max(entry.at);
            record(recorder, &state, &entry, latest, shuffle)?;
            apply(&mut state, &entry, shuffle)?;
        }
    }
    Ok(recorder.and_then(Recorder::finish))
}

/// The record of a game before the first deal in its room.
fn begin<G: Player>(
    state: &RoomState<G>,
    players: BySeat<sticheln_record::Player>,
) -> Result<Recorder<G>, CorruptLog> {
    let game = state.game.as_ref().ok_or(CorruptLog)?;
    let progress = game.state.progress().ok_or(CorruptLog)?;
    let options = progress.options().clone();
    let opening = progress.opening();
    match &game.header.played_on {
        None => Recorder::new(options, players, opening).map_err(|_| CorruptLog),
        Some(position) => {
            let from = ContinuedFrom {
                round: position.round,
                moves: position.moves,
                scores: progress.rounds().to_vec(),
                // Readers of the file get no access to the other replay.
                replay: None,
            };
            Recorder::continued(options, players, opening, from).ok_or(CorruptLog)
        }
    }
}

/// Adds an entry to a record, before it is applied to the state.
fn record<G: Player>(
    recorder: &mut Recorder<G>,
    state: &RoomState<G>,
    entry: &Entry<G>,
    at: Timestamp,
    shuffle: &Shuffle,
) -> Result<(), CorruptLog> {
    let at = at.0 / 1000;
    match &entry.change {
        Change::Dealt { seed, .. } => {
            let game = state.game.as_ref().ok_or(CorruptLog)?;
            let repeated = game.continuation.as_ref().and_then(|game| game.deck());
            let deck: Vec<Card> = match repeated {
                Some(deck) => deck.to_vec(),
                None => shuffle(game.state.pack(), seed),
            };
            recorder.deal(at, &deck).map_err(|_| CorruptLog)?;
        }
        Change::Acted { seat, by, action } => {
            let is_person = state
                .chair(*seat)
                .is_some_and(|chair| chair.person().is_some());
            let by = match by {
                Actor::Owner => Mover::Person,
                Actor::Bot if is_person => Mover::StandIn,
                Actor::Bot => Mover::Bot,
                Actor::Clock => Mover::Clock,
                Actor::Continuation => Mover::Repeated,
            };
            let acted = recorder.act(at, *seat, by, action.clone());
            acted.map_err(|_| CorruptLog)?;
        }
        Change::EndedEarly => {
            recorder.end_early().map_err(|_| CorruptLog)?;
        }
        _ => {}
    }
    Ok(())
}

/// The player of a seat in a record.
fn player(seat: &SeatOutline, names: Option<&Names>) -> sticheln_record::Player {
    let shown = |name: &str| name.chars().take(MAX_NAME_CHARACTERS).collect::<String>();
    match seat {
        SeatOutline::Person(person) => sticheln_record::Player::Person {
            name: names
                .and_then(|names| names.get(person))
                .map(|name| shown(name)),
        },
        SeatOutline::Bot { name, level } => sticheln_record::Player::Bot {
            level: <&str>::from(*level).to_owned(),
            name: names.map(|_| shown(name.as_str())),
        },
    }
}
