//! HTTP handlers of replays: overview, round and record of a game, and the position to play on from.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sticheln_protocol::PlayOn;
use sticheln_room::{Owner, Refusal, ReplayId};
use sticheln_rules::GameId;

use crate::http::api_error::ApiError;
use crate::http::routes::AppState;
use crate::rooms::replays::{ReplayError, StoredGame, StoredPosition};

/// The scheme of a token in the header `Authorization`.
const TOKEN_SCHEME: &str = "Bearer ";

/// A game with its finished rounds, without their steps.
pub(super) async fn game(
    State(app): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Path(id) = id.map_err(|_| ApiError::NoSuchGame)?;
    let game = find(&app, &id, &headers).await?;
    let names = game.names(&app.services, game.outline().persons()).await;
    let names = names.map_err(|error| api_error(error.into()))?;
    Ok(answer(&game.replay(&names)))
}

/// A finished round, step by step.
pub(super) async fn round(
    State(app): State<Arc<AppState>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Path((id, round)) = path.map_err(|_| ApiError::NoSuchGame)?;
    let game = find(&app, &id, &headers).await?;
    let round = round_number(&round).ok_or(ApiError::RoundUnavailable)?;
    let games = app.registry.games();
    let replay = game.round(&app.services, games, round).await;
    Ok(answer(&replay.map_err(api_error)?))
}

/// The record of a game that is over, as a file: with the names of the players, or without them.
pub(super) async fn record(
    State(app): State<Arc<AppState>>,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Path(id) = id.map_err(|_| ApiError::NoSuchGame)?;
    let with_names = match query.as_deref() {
        None | Some("names=true") => true,
        Some("names=false") => false,
        Some(_) => return Err(ApiError::Malformed),
    };
    let game = find(&app, &id, &headers).await?;
    let games = app.registry.games();
    let record = game.record(&app.services, games, with_names).await;
    let record = record.map_err(api_error)?;
    let headers = [
        (CONTENT_TYPE, "application/json".to_owned()),
        (CACHE_CONTROL, "no-store".to_owned()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}-record.json\"", game.game_id()),
        ),
    ];
    Ok((headers, record).into_response())
}

/// The position of a replay of this game from which the sender of a request wants to play on.
pub(super) async fn position(
    app: &AppState,
    of_game: &GameId,
    play_on: &PlayOn,
    headers: &HeaderMap,
) -> Result<StoredPosition, ApiError> {
    let game = find(app, &play_on.replay, headers).await?;
    if game.game_id() != of_game {
        return Err(ApiError::Refused(Refusal::NoSuchPosition));
    }
    let position = game.position(&app.services, play_on.round, play_on.rev);
    position.await.map_err(api_error)
}

/// The game with this id, if the sender of the request may see it.
async fn find(app: &AppState, id: &str, headers: &HeaderMap) -> Result<StoredGame, ApiError> {
    let id = ReplayId::parse(id).ok_or(ApiError::NoSuchGame)?;
    let game = StoredGame::find(&app.services, id, owner(headers)?).await;
    game.map_err(api_error)
}

/// The number of a round as in its address: each round has one address only.
fn round_number(text: &str) -> Option<u8> {
    let number: u8 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// The owner of the token in the headers; `None` if there is none.
///
/// # Errors
/// [`ApiError::Malformed`] for anything else than a token.
fn owner(headers: &HeaderMap) -> Result<Option<Owner>, ApiError> {
    let Some(field) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let token = field
        .to_str()
        .ok()
        .and_then(|text| text.strip_prefix(TOKEN_SCHEME));
    let owner = token.and_then(|token| Owner::of_token(token).ok());
    owner.map(Some).ok_or(ApiError::Malformed)
}

/// A response with this body. The option of a room can change at any time, so no cache may store it.
fn answer(body: &impl Serialize) -> Response {
    let mut response = Json(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn api_error(error: ReplayError) -> ApiError {
    match error {
        ReplayError::NoSuchGame => ApiError::NoSuchGame,
        ReplayError::Forbidden => ApiError::ReplayForbidden,
        ReplayError::NoRound => ApiError::RoundUnavailable,
        ReplayError::NoRecord => ApiError::GameNotOver,
        ReplayError::UnknownGame
        | ReplayError::Database(_)
        | ReplayError::Invalid
        | ReplayError::TimedOut
        | ReplayError::Panicked => {
            tracing::warn!(%error, "a replay could not be read");
            ApiError::Storage
        }
    }
}
