//! Executes the commands `export` and `import` in the server.

use serde_json::Value;
use sticheln_record::game_of;
use sticheln_room::ReplayId;

use super::listener::ControlContext;
use super::messages::{ControlError, ControlResult};
use crate::rooms::imported_room::ImportError;
use crate::rooms::replays::{ReplayError, StoredGame};
use crate::rooms::room_unavailable::RoomUnavailable;

/// The seconds of a day.
const DAY_SECONDS: u64 = 24 * 60 * 60;

/// Makes the record of a game. Games are read from the database, so each node can do it.
pub(super) async fn export(
    replay: &str,
    with_names: bool,
    context: &ControlContext,
) -> Result<ControlResult, ControlError> {
    let services = &context.services;
    let id = ReplayId::parse(replay).ok_or(ControlError::NoSuchGame)?;
    let game = StoredGame::find_for_operator(services, id).await;
    let game = game.map_err(export_error)?;
    let games = context.registry.games();
    let record = game.record(services, games, with_names).await;
    let record = record.map_err(export_error)?;
    tracing::info!("the operator has exported a game");
    Ok(ControlResult::Export { record })
}

/// Opens a room with the game of a record.
pub(super) async fn import(
    record: &Value,
    context: &ControlContext,
) -> Result<ControlResult, ControlError> {
    let record = serde_json::to_vec(record).map_err(|_| ControlError::NotARecord)?;
    let game = game_of(&record).map_err(|_| ControlError::NotARecord)?;
    let game = context.registry.games().find(&game);
    let game = game.ok_or(ControlError::NotARecord)?;
    let imported = context.registry.import(game, record).await;
    let imported = imported.map_err(import_error)?;
    Ok(ControlResult::Import {
        room: imported.code.as_str().to_owned(),
        replay: imported.replay.to_string(),
        page: context.page.clone(),
        days: imported.retention.as_secs() / DAY_SECONDS,
    })
}

fn export_error(error: ReplayError) -> ControlError {
    match error {
        ReplayError::NoSuchGame => ControlError::NoSuchGame,
        ReplayError::NoRecord => ControlError::GameNotOver,
        ReplayError::Forbidden
        | ReplayError::NoRound
        | ReplayError::UnknownGame
        | ReplayError::Database(_)
        | ReplayError::Invalid
        | ReplayError::TimedOut
        | ReplayError::Panicked => {
            tracing::warn!(%error, "a game could not be exported");
            ControlError::Unreadable
        }
    }
}

fn import_error(error: ImportError) -> ControlError {
    match error {
        ImportError::NotARecord(_) => ControlError::NotARecord,
        ImportError::Wrong => ControlError::WrongRecord,
        ImportError::TooLong => ControlError::GameTooLong,
        ImportError::Room(RoomUnavailable::Full | RoomUnavailable::NoSpaceForGame) => {
            ControlError::NoSpace
        }
        ImportError::Room(RoomUnavailable::Storage) => ControlError::Storage,
        ImportError::Room(error) => {
            tracing::warn!(%error, "a game could not be imported");
            ControlError::NotOpened
        }
    }
}
