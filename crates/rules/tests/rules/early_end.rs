//! A game is ended before its usual end.

use sticheln_rules::{
    DealError, EndEarlyError, Event, Game, Illegal, Nyet, Status, Step, Sticheln,
};

use crate::playout::Playout;

/// Plays a random number of steps, and ends the game after each of them.
fn ends_with_the_rounds_that_were_scored<G: Game>(seats: usize, seed: u64) {
    let mut game = Playout::<G>::new(G::Options::default(), seats, seed);
    let mut scored = 0;
    let mut abandoned = 0;
    while let Some(step) = game.any_step() {
        let events = game.take(step);
        let is_scored = |event: &&Event<G>| matches!(event, Event::RoundScored { .. });
        scored += events.iter().filter(is_scored).count();

        let mut ended = game.state.clone();
        let was_playing = ended.status() == Status::Playing;
        let events = match ended.end_early() {
            Ok(events) => events,
            Err(EndEarlyError::NoRound) => {
                assert_eq!(scored, 0, "seed {seed}");
                assert!(
                    ended == game.state,
                    "a refusal changes nothing, seed {seed}"
                );
                continue;
            }
            Err(EndEarlyError::Over) => {
                assert!(game.any_step().is_none(), "seed {seed}");
                assert!(
                    ended == game.state,
                    "a refusal changes nothing, seed {seed}"
                );
                break;
            }
        };
        assert!(scored > 0, "seed {seed}");
        let standings = game.state.view(None).sheet().standings();
        assert_eq!(events, [Event::GameOver(standings.clone())]);
        assert_eq!(ended.status(), Status::Over(standings));
        assert_eq!(ended.view(None).sheet(), game.state.view(None).sheet());
        assert!(ended.view(None).ended_early() && !game.state.view(None).ended_early());

        // The round stays on the table, and nobody can act in it.
        abandoned += usize::from(was_playing);
        for seat in ended.seats().iter() {
            let (view, before) = (ended.view(Some(seat)), game.state.view(Some(seat)));
            assert_eq!((view.table(), view.own()), (before.table(), before.own()));
            assert!(view.to_act().is_empty() && view.legal().is_empty());
            assert!(view.hints().is_none());
        }
        if let Some(Step::Act(seat, action)) = game.record.steps.last() {
            assert_eq!(ended.act(*seat, action.clone()), Err(Illegal::ROUND_OVER));
        }
        let deck = game.deck();
        assert_eq!(ended.deal(&deck), Err(DealError::NotNow));
        assert_eq!(ended.end_early(), Err(EndEarlyError::Over));
        assert!(ended.progress().is_none(), "no deal is next");

        let mut record = game.record.clone();
        record.steps.push(Step::EndEarly);
        assert!(record.replay() == Ok(ended), "seed {seed}");
    }
    assert!(abandoned > 0, "seed {seed}");
}

#[test]
fn sticheln_ends_with_the_rounds_that_were_scored() {
    (0..3).for_each(|seed| ends_with_the_rounds_that_were_scored::<Sticheln>(3, seed));
}

#[test]
fn nyet_ends_with_the_rounds_that_were_scored() {
    (0..3).for_each(|seed| ends_with_the_rounds_that_were_scored::<Nyet>(4, seed));
}
