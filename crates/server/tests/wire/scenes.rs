//! The scenes from which the samples come.

mod absence;
mod nyet;
mod people;
mod replay;
mod round_log;
mod sticheln;

use serde_json::Value;

use crate::exchanges::Section;
use crate::samples::Sample;

/// The scenes of a game, which have the page `docs/wire/round-<id>.md`.
pub struct GameScenes {
    pub id: &'static str,
    pub name: &'static str,
    pub play: fn() -> Vec<Sample>,
    pub sections: &'static [Section],
}

/// The scenes of each game. A new game is a line here.
pub const GAMES: [GameScenes; 2] = [sticheln::SCENES, nyet::SCENES];

/// Plays all scenes.
pub fn play() -> Vec<Sample> {
    let mut samples = people::sitting_down();
    samples.extend(people::spectators());
    samples.extend(people::watching());
    samples.extend(people::watching_nyet());
    samples.extend(people::locked());
    samples.extend(people::nonsense());
    samples.extend(people::planned_restart());
    samples.extend(absence::away());
    samples.extend(absence::idle());
    samples.extend(absence::failover());
    samples.extend(round_log::eventful());
    samples.extend(replay::played_on());
    for game in &GAMES {
        samples.extend((game.play)());
    }
    samples
}

#[test]
fn every_game_of_the_server_has_scenes() {
    let of_server = sticheln_server::games::all();
    let of_server: Vec<&str> = of_server.iter().map(|game| game.id().as_str()).collect();
    let ids: Vec<&str> = GAMES.iter().map(|game| game.id).collect();
    assert_eq!(ids, of_server);
}

/// The first legal action.
fn first<S>(_scene: &S, legal: &[Value]) -> Value {
    legal[0].clone()
}
