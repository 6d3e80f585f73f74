//! Makes the record of a game from the entries of its rounds.

use sticheln_bots::Player;
use sticheln_record::{
    ContinuedFrom, MAX_NAME_CHARACTERS, RecordFile, RecordedActor, RecordedPlayer, Recorder,
};
use sticheln_rules::BySeat;

use crate::current_game::CurrentGame;
use crate::game_outline::{GameOutline, Names, SeatPlayer};
use crate::round_playback::{AppliedEntry, RoundPlayback};
use crate::snapshot::Snapshot;
use crate::state::{CorruptLog, RoomState};
use crate::{Actor, Change, Entry, Shuffle, Timestamp};

/// The record of a game with this outline; `None` if the game is not over. Each round is the snapshot before its deal, and the
/// entries of its segment of the room log. Without `names` the record has the seats only.
///
/// # Errors
/// [`CorruptLog`] if they are not those of the rounds of one game.
pub fn game_record<G: Player>(
    rounds: Vec<(Snapshot<G>, Vec<Entry<G>>)>,
    outline: &GameOutline,
    names: Option<&Names>,
    shuffle: &Shuffle,
) -> Result<Option<RecordFile<G>>, CorruptLog> {
    let players = outline.players().iter().map(|seat| player(seat, names));
    let players = BySeat::new(players.collect()).ok_or(CorruptLog)?;
    let mut recorder = None;
    let mut latest = Timestamp(0);
    for (snapshot, entries) in rounds {
        let mut playback = RoundPlayback::new(snapshot, entries, shuffle)?;
        let recorder = match &mut recorder {
            Some(recorder) => recorder,
            None => recorder.insert(new_recorder(playback.game()?, players.clone())?),
        };
        while let Some(applied) = playback.apply_next()? {
            // The clock can go back after a restart. The record uses the latest time so far, because moves with a turn must be in
            // the order of their times. The time of a private entry would show that a choice was replaced.
            if !applied.entry.change.is_private() {
                latest = latest.max(applied.entry.at);
            }
            add_entry(recorder, playback.state(), applied, latest)?;
        }
    }
    Ok(recorder.and_then(Recorder::finish))
}

/// A recorder for the game, before the first deal in its room.
fn new_recorder<G: Player>(
    game: &CurrentGame<G>,
    players: BySeat<RecordedPlayer>,
) -> Result<Recorder<G>, CorruptLog> {
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

/// Adds an entry to a record, after it was applied to the state.
fn add_entry<G: Player>(
    recorder: &mut Recorder<G>,
    state: &RoomState<G>,
    applied: AppliedEntry<G>,
    at: Timestamp,
) -> Result<(), CorruptLog> {
    let at = at.0 / 1000;
    if let Some(deck) = &applied.deck {
        recorder.deal(at, deck).map_err(|_| CorruptLog)?;
    }
    match applied.entry.change {
        Change::Acted { seat, by, action } => {
            let is_person = state
                .chair(seat)
                .is_some_and(|chair| chair.person().is_some());
            // A replaced choice keeps its first actor: the others must not learn that it was replaced.
            let by = match by {
                Actor::Owner => RecordedActor::Person,
                Actor::Bot if is_person => RecordedActor::StandIn,
                Actor::Bot => RecordedActor::Bot,
                Actor::Clock => RecordedActor::Clock,
                Actor::Continuation => RecordedActor::Repeated,
            };
            let acted = recorder.act(at, seat, by, action);
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
fn player(seat: &SeatPlayer, names: Option<&Names>) -> RecordedPlayer {
    let shown = |name: &str| name.chars().take(MAX_NAME_CHARACTERS).collect::<String>();
    match seat {
        SeatPlayer::Person(person) => RecordedPlayer::Person {
            name: names
                .and_then(|names| names.get(person))
                .map(|name| shown(name)),
        },
        SeatPlayer::Bot { name, level } => RecordedPlayer::Bot {
            level: <&str>::from(*level).to_owned(),
            name: names.map(|_| shown(name.as_str())),
        },
    }
}
