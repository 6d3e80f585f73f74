//! Conformance: what each game must do with each number of seats and with all options.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{from_str, json, to_string};
use sticheln_rules::sticheln::{self, AllZeroTrick, Edition, History};
use sticheln_rules::{
    BySeat, Card, Colour, DealError, End, Event, Game, Nyet, Scored, Seat, Seats, SetupError,
    State, Status, Step, Sticheln, View, nyet,
};

use crate::env_number::env_number;
use crate::playout::Playout;

/// The properties of a game that the test needs.
trait Tested: Game {
    /// Options with all values that differ in effect. Each game has a few rounds.
    fn variations() -> Vec<Self::Options>;
    /// Actions of all kinds and shapes, most of them illegal at any time.
    fn action_samples(seats: Seats) -> Vec<Self::Action>;
    /// The action in the list of legal actions that means the same as this one.
    fn canonical(action: Self::Action, seat: Seat, seats: Seats) -> Self::Action;
    /// The cards that lie open and are not taken yet.
    fn on_table(table: &Self::Table) -> Vec<Card>;
    /// The cards that a seat has not played.
    fn held(table: &Self::Table, own: &Self::Own) -> Vec<Card>;
    /// The cards of a trick that has just ended.
    fn finished(fact: &Self::Fact) -> Option<&[Card]>;
    /// The cards that are turned up at the end of a round without having been played.
    fn turned_up(_table: &Self::Table) -> Vec<Card> {
        vec![]
    }
}

fn all_cards() -> impl Iterator<Item = Card> {
    let values = |colour| (0..=15).map(move |value| Card::new(colour, value));
    Colour::ALL.into_iter().flat_map(values)
}

impl Tested for Sticheln {
    fn variations() -> Vec<Self::Options> {
        let target = from_str(r#"{"type":"target","target":5,"max_rounds":3}"#).unwrap();
        let of_edition = |edition| {
            let canonical = sticheln::Options {
                edition,
                end: End::rounds(2),
                ..Default::default()
            };
            [
                canonical.clone(),
                sticheln::Options {
                    all_zero_trick: Some(AllZeroTrick::Nobody),
                    show_history: History::All,
                    ..canonical.clone()
                },
                sticheln::Options {
                    all_zero_trick: Some(AllZeroTrick::Leader),
                    show_running_score: true,
                    ..canonical.clone()
                },
                sticheln::Options {
                    show_last_trick: false,
                    ..canonical.clone()
                },
                sticheln::Options {
                    end: Some(target),
                    show_history: History::Off,
                    ..canonical
                },
            ]
        };
        [Edition::Nsv, Edition::Amigo1993]
            .into_iter()
            .flat_map(of_edition)
            .collect()
    }

    fn action_samples(_seats: Seats) -> Vec<Self::Action> {
        let picks = all_cards().map(|card| sticheln::Action::Pick { card });
        let plays = all_cards().map(|card| sticheln::Action::Play { card });
        picks.chain(plays).collect()
    }

    fn canonical(action: Self::Action, _seat: Seat, _seats: Seats) -> Self::Action {
        action
    }

    fn on_table(table: &Self::Table) -> Vec<Card> {
        let picks = table.picks().into_iter().flatten();
        let trick = match &table.phase {
            sticheln::Phase::Trick { trick, .. } => trick.cards.as_slice(),
            sticheln::Phase::Pick { .. } | sticheln::Phase::RoundEnd { .. } => &[],
        };
        picks.chain(trick).copied().collect()
    }

    fn held(_table: &Self::Table, own: &Self::Own) -> Vec<Card> {
        own.hand.iter().chain(own.pick).collect()
    }

    fn finished(fact: &Self::Fact) -> Option<&[Card]> {
        match fact {
            sticheln::Fact::TrickTaken { cards, .. } | sticheln::Fact::SetAside { cards, .. } => {
                Some(cards)
            }
            sticheln::Fact::Picked { .. }
            | sticheln::Fact::Revealed { .. }
            | sticheln::Fact::Played(_) => None,
        }
    }
}

impl Tested for Nyet {
    fn variations() -> Vec<Self::Options> {
        let canonical = nyet::Options {
            end: End::rounds(2),
            ..Default::default()
        };
        let target = from_str(r#"{"type":"target","target":20,"max_rounds":3}"#).unwrap();
        let characters = json!(["eagle", "crane", "bear", "tiger", "wolf"]);
        vec![
            canonical.clone(),
            nyet::Options {
                no_trump_space: true,
                ..canonical.clone()
            },
            nyet::Options {
                supertrump_loot: false,
                characters: serde_json::from_value(characters).unwrap(),
                ..canonical.clone()
            },
            nyet::Options {
                end: Some(target),
                ..canonical
            },
        ]
    }

    fn action_samples(seats: Seats) -> Vec<Self::Action> {
        use nyet::{Character, DiscardRule, Points, Space, TrumpSpace};
        let covers = (Character::ALL.map(Space::Start).into_iter())
            .chain(
                [
                    DiscardRule::None,
                    DiscardRule::One,
                    DiscardRule::Two,
                    DiscardRule::OneNot1,
                    DiscardRule::PassLeft,
                ]
                .map(Space::Discard),
            )
            .chain(TrumpSpace::ALL.map(Space::Trump))
            .chain(TrumpSpace::ALL.map(Space::Supertrump))
            .chain(
                [
                    Points::One,
                    Points::Two,
                    Points::Three,
                    Points::Four,
                    Points::MinusTwo,
                ]
                .map(Space::Points),
            )
            .map(nyet::Action::Cover);

        // One seat more than the game has.
        let seat_or_stranger: Vec<_> = (0..=seats.count() as u8).map(Seat::new).collect();
        let mut partners = vec![vec![]];
        for one in &seat_or_stranger {
            partners.push(vec![*one]);
            partners.extend(seat_or_stranger.iter().map(|two| vec![*one, *two]));
            partners.extend(seat_or_stranger.iter().map(|two| vec![*one, *two, *two]));
        }
        let bonuses = seat_or_stranger.iter().copied().map(Some).chain([None]);
        let teams = bonuses.flat_map(|bonus| {
            partners.iter().map(move |partners| nyet::Action::Team {
                partners: partners.clone(),
                bonus,
            })
        });

        let singles = all_cards().map(|card| vec![card]);
        let pairs = all_cards()
            .step_by(3)
            .flat_map(|one| all_cards().step_by(2).map(move |two| vec![one, two]));
        let discards = singles
            .chain(pairs)
            .chain([vec![], vec![Card::new(Colour::Red, 1); 4]])
            .map(|cards| nyet::Action::Discard { cards });

        let plays = all_cards().map(|card| nyet::Action::Play { card });
        covers.chain(teams).chain(discards).chain(plays).collect()
    }

    fn canonical(action: Self::Action, seat: Seat, seats: Seats) -> Self::Action {
        match action {
            nyet::Action::Discard { mut cards } => {
                cards.sort_unstable();
                nyet::Action::Discard { cards }
            }
            nyet::Action::Team {
                mut partners,
                bonus,
            } => {
                partners.sort_unstable();
                // With three seats the lone player may be named, but need not be.
                let in_pair = |other| other == seat || partners.contains(&other);
                let is_lone = |other: &Seat| match partners.len() {
                    0 => *other == seat,
                    _ => seats.contains(*other) && !in_pair(*other),
                };
                let bonus = bonus.filter(|holder| seats.count() != 3 || !is_lone(holder));
                nyet::Action::Team { partners, bonus }
            }
            cover_or_play => cover_or_play,
        }
    }

    fn on_table(table: &Self::Table) -> Vec<Card> {
        match &table.phase {
            nyet::Phase::Trick { trick, .. } => trick.cards.clone(),
            nyet::Phase::Cover { .. }
            | nyet::Phase::Team { .. }
            | nyet::Phase::Discard { .. }
            | nyet::Phase::RoundEnd { .. } => vec![],
        }
    }

    fn held(table: &Self::Table, own: &Self::Own) -> Vec<Card> {
        let aside = match &table.phase {
            nyet::Phase::Trick { conditions, .. } | nyet::Phase::RoundEnd { conditions, .. }
                if conditions.discard != nyet::DiscardRule::PassLeft =>
            {
                own.discard.as_slice()
            }
            _ => &[],
        };
        own.hand.iter().chain(aside.iter().copied()).collect()
    }

    fn finished(fact: &Self::Fact) -> Option<&[Card]> {
        match fact {
            nyet::Fact::TrickTaken { cards, .. } => Some(cards),
            nyet::Fact::Covered { .. }
            | nyet::Fact::BoardSettled { .. }
            | nyet::Fact::TeamsFormed { .. }
            | nyet::Fact::Discarded { .. }
            | nyet::Fact::DiscardsDone { .. }
            | nyet::Fact::CardsRevealed { .. }
            | nyet::Fact::Played(_) => None,
        }
    }

    /// The cards that were laid aside or not dealt. A passed card was played.
    fn turned_up(table: &Self::Table) -> Vec<Card> {
        let nyet::Phase::RoundEnd {
            conditions,
            revealed: Some(cards),
            ..
        } = &table.phase
        else {
            return vec![];
        };
        let is_passing = conditions.discard == nyet::DiscardRule::PassLeft;
        let discards = cards.discards.iter().filter(|_| !is_passing);
        let aside = discards.flat_map(|discard| discard.iter());
        aside.chain(cards.undealt.iter().copied()).collect()
    }
}

/// The views of all observers as JSON: those of all seats and of a spectator, with their legal
/// actions.
pub fn seen_by_all<G: Game>(state: &State<G>) -> String {
    let observers = state.seats().iter().map(Some).chain([None]);
    let seen = observers.map(|observer| {
        let view = state.view(observer);
        to_string(&(view, view.legal(), view.changes())).unwrap()
    });
    seen.collect()
}

fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = to_string(value).unwrap();
    assert_eq!(&from_str::<T>(&text).unwrap(), value, "{text}");
}

/// Plays one random game, and checks it after each step.
fn conforms<G: Tested>(options: G::Options, seats: usize, seed: u64) {
    // The longest round is one of Sticheln with six seats: 6 picks, 84 cards, and a few changed picks.
    const STEPS_OF_A_ROUND: usize = 160;
    const ROUNDS: usize = 3;

    let mut game = Playout::<G>::new(options.clone(), seats, seed);
    let action_samples = samples_of_seats::<G>(game.state.seats());
    let mut dealt: Vec<Card> = vec![];
    let mut finished: Vec<Card> = vec![];
    survives(&options);

    while let Some(step) = game.any_step_or_change() {
        assert!(game.record.steps.len() < ROUNDS * STEPS_OF_A_ROUND);
        check_actions(&mut game, &action_samples);

        if let Step::Deal(deck) = &step {
            let size = G::hand_size(game.state.seats());
            dealt = deck[..size * seats].to_vec();
            dealt.sort_unstable();
            finished.clear();
        }
        let events = game.take(step);

        for event in &events {
            survives(event);
            if let Event::Fact(fact) = event {
                finished.extend(G::finished(fact).into_iter().flatten());
            }
        }
        check_cards(&game.state, &dealt, &finished);
        for observer in game.state.seats().iter().map(Some).chain([None]) {
            check_view(&game.state.view(observer));
        }
    }

    check_end(&game.state);
    check_actions(&mut game, &action_samples);
    let replayed = game.record.replay().expect("the record is one of a game");
    assert!(replayed == game.state, "a replay gives an equal state");
}

/// Each sample of an action, and its canonical form as JSON.
type Samples<G> = Vec<(<G as Game>::Action, String)>;

/// The samples of actions for each seat, and for one that does not exist.
fn samples_of_seats<G: Tested>(seats: Seats) -> Vec<Samples<G>> {
    let of_seat = |seat| {
        let samples = G::action_samples(seats).into_iter();
        let with_canonical = samples.map(|action| {
            let canonical = G::canonical(action.clone(), seat, seats);
            (action, to_string(&canonical).unwrap())
        });
        with_canonical.collect()
    };
    let stranger = Seat::new(seats.count() as u8);
    seats.iter().chain([stranger]).map(of_seat).collect()
}

/// While a round is played, some seat can act. Listed actions are accepted; all others are refused
/// and change nothing. A seat that has chosen has other choices listed, which have no event.
fn check_actions<G: Tested>(game: &mut Playout<G>, action_samples: &[Samples<G>]) {
    let seats = game.state.seats();
    let playing = game.state.status() == Status::Playing;
    let to_act = game.state.view(None).to_act();
    assert_eq!(playing, !to_act.is_empty());
    let chosen = game.state.view(None).chosen();

    let before = game.state.clone();
    let seen_before = seen_by_all(&before);
    let stranger = Seat::new(seats.count() as u8);
    for seat in seats.iter().chain([stranger]) {
        let view = before.view(Some(seat));
        let is_change = chosen.contains(&seat);
        assert_eq!(to_act.contains(&seat), !view.legal().is_empty(), "{seat}");
        assert_eq!(is_change, !view.changes().is_empty(), "seat {seat}");
        assert!(!is_change || !to_act.contains(&seat), "seat {seat}");
        let legal = [view.legal(), view.changes()].concat();
        for (at, action) in legal.iter().enumerate() {
            assert!(!legal[..at].contains(action), "{action:?} is listed twice");
            let mut after = before.clone();
            let events = after.act(seat, action.clone());
            assert!(
                events.is_ok_and(|events| events.is_empty() == is_change),
                "{action:?}"
            );
            survives(action);
        }

        let listed: BTreeSet<String> = legal
            .iter()
            .map(|action| to_string(action).unwrap())
            .collect();
        for (action, canonical) in &action_samples[seat.index()] {
            if listed.contains(canonical) {
                assert_eq!(before.view(Some(seat)).check(action), Ok(()), "{action:?}");
            } else {
                let refused = game.state.act(seat, action.clone());
                assert!(refused.is_err(), "{action:?} of seat {seat} is not listed");
            }
        }
    }

    if before.status() != Status::ToDeal {
        let deck = game.deck();
        assert_eq!(game.state.deal(&deck), Err(DealError::NotNow));
    } else {
        let mut deck = game.deck();
        assert_eq!(game.state.deal(&deck[1..]), Err(DealError::WrongDeck));
        deck[0] = deck[1];
        deck[2] = deck[1];
        deck[3] = deck[1];
        assert_eq!(game.state.deal(&deck), Err(DealError::WrongDeck));
    }
    assert!(game.state == before, "a refusal changes nothing");
    assert_eq!(seen_by_all(&game.state), seen_before);
}

/// No card is lost or duplicated: each is in a hand, open on the table, or in a finished trick.
fn check_cards<G: Tested>(state: &State<G>, dealt: &[Card], finished: &[Card]) {
    let Some(table) = state.view(None).table() else {
        assert!(dealt.is_empty());
        return;
    };
    let mut cards = G::on_table(table);
    cards.extend(finished);
    for seat in state.seats().iter() {
        let own = state.view(Some(seat)).own().expect("a seat has its own");
        cards.extend(G::held(table, own));
    }
    cards.sort_unstable();
    assert_eq!(cards, dealt);
    if G::scores(table).is_some() {
        check_all_are_public(state, table, finished);
    }
}

/// At the end of a round each card of the pack is public.
fn check_all_are_public<G: Tested>(state: &State<G>, table: &G::Table, finished: &[Card]) {
    let mut public = [G::on_table(table), finished.to_vec(), G::turned_up(table)].concat();
    let mut pack = state.pack();
    public.sort_unstable();
    pack.sort_unstable();
    assert_eq!(public, pack);
}

/// A view names its observer, survives a round trip through JSON, and has hints for the seat on
/// turn only.
fn check_view<G: Game>(view: &View<'_, G>) {
    let text = to_string(view).unwrap();
    let read: serde_json::Value = from_str(&text).unwrap();
    let part = |name: &str| to_string(&read[name]).unwrap();
    let table: Option<G::Table> = from_str(&part("table")).unwrap();
    let own: Option<G::Own> = from_str(&part("own")).unwrap();
    let to_act: Vec<Seat> = from_str(&part("to_act")).unwrap();
    assert_eq!(table.as_ref(), view.table());
    assert_eq!(own.as_ref(), view.own());
    assert_eq!(to_act, view.to_act());
    assert_eq!(read["seat"], json!(view.seat()));

    let hints = view.hints();
    assert_eq!(
        read.get("hints"),
        hints.as_ref().map(|hints| json!(hints)).as_ref()
    );
    if let Some(hints) = hints {
        let seat = view.seat().expect("a spectator gets no hints");
        assert_eq!(to_act, [seat]);
        let cards = read["own"]["hand"].as_array().unwrap().len();
        assert_eq!((hints.winning.len(), hints.points.len()), (cards, cards));
    }
}

/// The sheet adds up, and ranks are 1 + the number of seats with more points.
fn check_end<G: Game>(state: &State<G>) {
    let Status::Over(standings) = state.status() else {
        panic!("the game is over");
    };
    let sheet = state.view(None).sheet();
    assert!(sheet.reaches(state.view(None).end()));
    for seat in state.seats().iter() {
        let points = sheet.rounds().iter().map(|scores| scores[seat].points());
        assert_eq!(standings.totals[seat], points.sum::<i32>());
        let better = standings
            .totals
            .iter()
            .filter(|other| **other > standings.totals[seat]);
        assert_eq!(usize::from(standings.ranks[seat]), 1 + better.count());
    }
    assert!(standings.winners().count() > 0);
}

/// All numbers of seats with all variations; `GAMES` games of each.
fn all_conform<G: Tested>() {
    for seed in 0..env_number("GAMES", 1) {
        for seats in G::SEATS {
            for options in G::variations() {
                println!("{}, {seats} seats, seed {seed}, {options:?}", G::ID);
                conforms::<G>(options, seats, seed);
            }
        }
    }
}

#[test]
fn sticheln_conforms() {
    all_conform::<Sticheln>();
}

#[test]
fn nyet_conforms() {
    all_conform::<Nyet>();
}

#[test]
fn a_game_begins_only_with_valid_seats() {
    fn begin<G: Game>(seats: usize, opening: u8) -> Result<Status, SetupError> {
        State::<G>::new(G::Options::default(), seats, Seat::new(opening))
            .map(|state| state.status())
    }

    for seats in 0..10 {
        let fits = |range: bool| {
            if range {
                Ok(Status::ToDeal)
            } else {
                Err(SetupError::Seats)
            }
        };
        assert_eq!(begin::<Sticheln>(seats, 0), fits((3..=6).contains(&seats)));
        assert_eq!(begin::<Nyet>(seats, 0), fits((2..=5).contains(&seats)));
    }
    assert_eq!(begin::<Sticheln>(4, 3), Ok(Status::ToDeal));
    assert_eq!(begin::<Sticheln>(4, 4), Err(SetupError::OpeningSeat));
    assert_eq!(begin::<Nyet>(2, 255), Err(SetupError::OpeningSeat));
}

/// A table of four with default options needs only short messages.
#[test]
fn a_view_in_mid_trick_has_at_most_700_bytes() {
    const BYTES: usize = 700;
    for seed in 0..env_number("GAMES", 20) {
        let mut game = Playout::<Sticheln>::new(Default::default(), 4, seed);
        while let Some(step) = game.any_step() {
            game.take(step);
            let in_trick = matches!(
                game.state.view(None).table().map(|table| &table.phase),
                Some(sticheln::Phase::Trick { .. })
            );
            for observer in game.state.seats().iter().map(Some).chain([None]) {
                let text = to_string(&game.state.view(observer)).unwrap();
                assert!(
                    !in_trick || text.len() <= BYTES,
                    "{} bytes: {text}",
                    text.len()
                );
            }
        }
    }
}

/// A log may contain neither a state nor a view that names what only one seat knows.
#[test]
fn debug_names_no_hidden_card() {
    let mut game = Playout::<Sticheln>::new(Default::default(), 3, 7);
    for _ in 0..3 {
        let step = game.any_step().unwrap();
        game.take(step);
        let views = game
            .state
            .seats()
            .iter()
            .map(|seat| game.state.view(Some(seat)));
        let views: Vec<_> = views.collect();
        let text = format!("{:?} {views:?}", game.state);
        assert!(text.contains("first_leader"));
        assert!(!text.contains("Card"), "{text}");
    }
}

/// A list with another number of values than seats is refused.
#[test]
fn lists_of_another_length_than_the_seats_are_refused() {
    assert!(from_str::<BySeat<u8>>("[]").is_err());
    assert!(from_str::<BySeat<u8>>("[1,2,3,4,5,6,7]").is_err());
    survives(&from_str::<BySeat<u8>>("[1,2,3]").unwrap());
}
