//! The record of a game that plays itself.

use sticheln_record::{RecordFile, RecordedActor, RecordedPlayer, Recorder};
use sticheln_rules::{BySeat, Game, Seat, Seats, Status};

/// The record of a game in which all seats play their first legal action.
pub fn played<G: Game>(
    options: G::Options,
    seats: usize,
    player: RecordedPlayer,
    actor: RecordedActor,
) -> RecordFile<G> {
    let players = BySeat::all(Seats::new(seats).unwrap(), player);
    let mut game = Recorder::<G>::new(options, players, Seat::new(1)).unwrap();
    while !matches!(game.state().status(), Status::Over(_)) {
        match game.state().view(None).to_act().first().copied() {
            None => {
                let deck = game.state().pack();
                game.deal(1, &deck).unwrap();
            }
            Some(seat) => {
                let action = game.state().view(Some(seat)).legal().remove(0);
                game.act(2, seat, actor, action).unwrap();
            }
        }
    }
    game.finish().unwrap()
}
