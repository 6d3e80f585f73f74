//! A game between two rounds is saved and read back.

use serde_json::{Value, from_value, json, to_value};
use sticheln_rules::{CorruptProgress, Game, GameProgress, Nyet, State, Status, Sticheln};

use crate::playout::Playout;

/// Reads a game back from its JSON.
fn read<G: Game>(saved: &Value) -> Result<State<G>, CorruptProgress> {
    let progress: GameProgress<G> = from_value(saved.clone()).unwrap();
    State::from_progress(progress)
}

/// Plays a whole game at random. Before each deal it is read back, and both games go on equally after the same deck.
fn is_read_back_before_each_deal<G: Game>(seats: usize, seed: u64) {
    let mut game = Playout::<G>::new(G::Options::default(), seats, seed);
    let mut deals = 0;
    let mut last = Value::Null;
    while let Some(step) = game.any_step() {
        let progress = game.state.progress();
        let is_deal = game.state.status() == Status::ToDeal;
        assert_eq!(progress.is_some(), is_deal, "seed {seed}");
        let Some(progress) = progress else {
            game.take(step);
            continue;
        };
        last = to_value(&progress).unwrap();
        let mut again = read::<G>(&last).unwrap();
        let deck = game.deck();
        let events = again.deal(&deck).unwrap();
        let expected = game.take(sticheln_rules::Step::Deal(deck));
        assert_eq!(events, expected, "seed {seed}");
        assert!(again == game.state, "seed {seed}, deal {deals}");
        deals += 1;
    }
    assert!(deals > 1, "seed {seed}: {deals}");
    assert!(game.state.progress().is_none(), "the game is over");

    let sheet = game.state.view(None).sheet();
    let rounds = to_value(sheet.rounds()).unwrap();
    let wrong = |field: &str, value: Value| {
        let mut wrong = last.clone();
        wrong[field] = value;
        assert_eq!(read::<G>(&wrong).err(), Some(CorruptProgress), "{field}");
    };
    wrong("rounds", rounds.clone());
    wrong("seats", json!(seats - 1));
    wrong("seats", json!(0));
    wrong("opening", json!(seats));
    let mut huge = json!([rounds[0].clone()]);
    huge[0][0]["points"] = json!(i32::MIN);
    wrong("rounds", huge);
}

#[test]
fn sticheln_is_read_back_before_each_deal() {
    (0..20).for_each(|seed| is_read_back_before_each_deal::<Sticheln>(4, seed));
}

#[test]
fn nyet_is_read_back_before_each_deal() {
    (0..20).for_each(|seed| is_read_back_before_each_deal::<Nyet>(4, seed));
}
