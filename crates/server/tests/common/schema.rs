//! The schema of the wire for the games of the program, or also for others.

use sticheln_protocol::schema::{Codes, GameSchemas, text};
use sticheln_room::Refusal;
use sticheln_rules::{Illegal, Nyet, Sticheln};
use sticheln_server::http::api_error::ApiError;

/// The games of the program. A new game is a line here.
pub fn games() -> Vec<GameSchemas> {
    vec![GameSchemas::of::<Sticheln>(), GameSchemas::of::<Nyet>()]
}

/// The refusals of the rules: those that games share, then those of each game.
pub fn illegal(games: &[GameSchemas]) -> Vec<Illegal> {
    let of_games = games.iter().flat_map(GameSchemas::refusals);
    Illegal::SHARED.iter().chain(of_games).copied().collect()
}

/// The text of the schema of these games.
pub fn schema(games: &[GameSchemas]) -> String {
    let own = Refusal::own().map(Refusal::code);
    let of_rules = illegal(games).into_iter().map(Illegal::code);
    let codes = Codes {
        messages: own.chain(of_rules).collect(),
        requests: ApiError::own().map(ApiError::code).collect(),
    };
    text(games, &codes)
}
