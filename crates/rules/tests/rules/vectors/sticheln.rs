//! The readers of the vectors of Sticheln.

use serde::Deserialize;
use serde_json::json;
use sticheln_rules::sticheln::{Edition, Fact, Options, Phase, Score, winning_place, worth};
use sticheln_rules::{
    BySeat, Card, Colour, End, Event, Game, Scored, Seat, Seats, Sheet, Sticheln,
};

use super::{Part, Replay, ViewOfObserver, check_error, check_game, check_visibility};

pub fn deck(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        edition: Edition,
        players: usize,
    }

    let Input { edition, players } = given.read();
    let mut game = begin(edition, players, Seat::new(0), None);
    let seats = game.state.seats();
    let pack = game.state.pack();
    let values = || pack.iter().map(|card| card.value);
    let End::Rounds { rounds } = game.state.view(None).end() else {
        panic!("a game lasts some rounds by default");
    };
    expect.check_unordered("colours", edition.colours(seats));
    expect.check("min_value", values().min());
    expect.check("max_value", values().max());
    expect.check("size", pack.len());
    expect.check("hand_size", Sticheln::hand_size(seats));
    expect.check("default_rounds", rounds);
    expect.check_unordered("cards", &pack);

    game.deal_deck(&pack);
    while let Some(seat) = game.state.view(None).to_act().first().copied() {
        let action = game.state.view(Some(seat)).legal()[0];
        game.play(seat, json!(action));
    }
    expect.check("tricks_per_round", game.table().tricks_played);
}

pub fn trick(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        edition: Edition,
        players: usize,
        leader: Seat,
        plays: Vec<Card>,
        /// The unwanted colour of each seat.
        unwanted_colours: Option<BySeat<Colour>>,
    }

    let input: Input = given.read();
    let seats = Seats::new(input.players).expect("a number of seats");
    let place = winning_place(&input.plays, input.edition.all_zero_trick());
    let taker = place.map(|place| seats.clockwise(input.leader, place));
    expect.check("winner", taker);
    expect.check("winning_card", place.map(|place| input.plays[place]));
    expect.check("next_leader", taker.unwrap_or(input.leader));
    expect.check("set_aside", taker.is_none());
    if expect.has("winner_points") {
        let unwanted = input
            .unwanted_colours
            .expect("points depend on unwanted colours");
        let points = |taker| -> i32 {
            let cards = input.plays.iter();
            cards.map(|card| worth(*card, unwanted[taker])).sum()
        };
        expect.check("winner_points", taker.map(points));
    }
}

pub fn score(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        picked: Card,
        captured: Vec<Card>,
    }

    let Input { picked, captured } = given.read();
    let score = Score::new(picked, &captured);
    expect.check("minus", score.minus());
    expect.check("plus", score.plus());
    expect.check("score", score.points());
}

pub fn round(given: &Part, expect: &Part) {
    let mut game = begin_round(given);
    play_round(&mut game, &given.read());

    let mut leaders = Vec::new();
    let mut winners = Vec::new();
    let mut captured = BySeat::all(game.state.seats(), Vec::<Card>::new());
    let mut set_aside = Vec::new();
    for event in &game.events {
        let (leader, winner, cards) = match event {
            Event::Fact(Fact::TrickTaken {
                seat,
                leader,
                cards,
                ..
            }) => (leader, Some(seat), cards),
            Event::Fact(Fact::SetAside { leader, cards }) => (leader, None, cards),
            Event::Fact(Fact::Picked { .. } | Fact::Revealed { .. } | Fact::Played(_))
            | Event::Dealt { .. }
            | Event::RoundScored { .. }
            | Event::GameOver(_) => continue,
        };
        leaders.push(leader);
        winners.push(winner);
        winner
            .map_or(&mut set_aside, |seat| &mut captured[*seat])
            .extend(cards);
    }
    expect.check("leaders", leaders);
    expect.check("winners", winners);
    expect.check("captured", captured);
    expect.check("set_aside", &set_aside);

    let table = game.table();
    let Phase::RoundEnd {
        scores,
        next_leader,
        ..
    } = &table.phase
    else {
        panic!("the round is not over");
    };
    expect.check("captured_counts", &table.captured);
    expect.check("minus", scores.map(Score::minus));
    expect.check("plus", scores.map(Score::plus));
    expect.check("scores", scores.map(Scored::points));
    expect.check("next_first_leader", next_leader);
    assert_eq!(usize::from(table.set_aside), set_aside.len());
}

pub fn game(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        edition: Edition,
        players: usize,
        opening: Part,
        end: End,
        rounds: Vec<Round>,
    }

    let input: Input = given.read();
    let opening = input.opening.at(match input.edition {
        Edition::Nsv => "first_leader",
        Edition::Amigo1993 => "dealer",
    });
    let mut game = begin(input.edition, input.players, opening, Some(input.end));
    let mut first_leaders = Vec::new();
    let mut dealers = Vec::new();
    for round in &input.rounds {
        play_round(&mut game, round);
        first_leaders.push(game.table().first_leader);
        dealers.extend(game.table().dealer);
    }
    expect.check("first_leaders", first_leaders);
    match input.edition {
        Edition::Nsv => assert!(dealers.is_empty(), "this edition has no dealer"),
        Edition::Amigo1993 => expect.check("dealers", dealers),
    }

    let totals = game.events.iter().filter_map(|event| match event {
        Event::RoundScored { totals, .. } => Some(totals),
        Event::Dealt { .. } | Event::GameOver(_) | Event::Fact(_) => None,
    });
    expect.check("totals_after", totals.collect::<Vec<_>>());
    check_game(expect, &game);
}

pub fn ranking(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        end: End,
        round_scores: Vec<BySeat<i32>>,
    }
    /// A score without parts.
    struct Points(i32);
    impl Scored for Points {
        fn points(&self) -> i32 {
            self.0
        }
    }

    let Input { end, round_scores } = given.read();
    let mut sheet = Sheet::new(round_scores[0].seats());
    for scores in round_scores {
        if !sheet.reaches(end) {
            sheet.enter(scores.map(|points| Points(*points)));
        }
    }
    let ended_after = sheet.reaches(end).then_some(sheet.rounds().len());
    let standings = sheet.standings();
    let winners = ended_after.map(|_| standings.winners().collect::<Vec<_>>());
    expect.check("ended_after", ended_after);
    expect.check("totals", &standings.totals);
    expect.check("ranks", &standings.ranks);
    expect.check("winners", winners);
}

pub fn error(given: &Part, expect: &Part) {
    check_error(given, expect, begin_round(given));
}

pub fn visibility(given: &Part, expect: &Part) {
    check_visibility(given, expect, begin_round(given), public, own);
}

fn public(expect: &Part, sight: &ViewOfObserver<Sticheln>) {
    let table = &sight.table;
    let has_picked = match &table.phase {
        Phase::Pick { picked } => picked.clone(),
        Phase::Trick { .. } | Phase::RoundEnd { .. } => BySeat::all(table.seats(), true),
    };
    let (turn, trick) = match &table.phase {
        Phase::Trick { trick, .. } => (sight.to_act.first(), Some(trick)),
        Phase::Pick { .. } | Phase::RoundEnd { .. } => (None, None),
    };
    expect.check("phase", &json!(table)["phase"]);
    expect.check("has_picked", has_picked);
    expect.check("turn", turn);
    expect.check("leader", trick.map(|trick| trick.leader));
    expect.check("current_trick", trick.map_or(&[][..], |trick| &trick.cards));
    expect.check("tricks_played", table.tricks_played);
    expect.check("hand_counts", &table.hand_counts);
    expect.check("captured_counts", &table.captured);
    expect.check("set_aside_count", table.set_aside);
}

fn own(expect: &Part, sight: &ViewOfObserver<Sticheln>) {
    let own = sight.own.as_ref();
    let pick = |seat| match sight.table.picks() {
        Some(picks) => Some(picks[seat]),
        None => own.filter(|_| sight.seat == Some(seat))?.pick,
    };
    expect.check_unordered("own_hand", own.map(|own| own.hand));
    expect.check("picks", BySeat::from_fn(sight.table.seats(), pick));
}

/// A game of this edition before its first deal.
fn begin(edition: Edition, seats: usize, opening: Seat, end: Option<End>) -> Replay<Sticheln> {
    let options = Options {
        edition,
        end,
        ..Options::default()
    };
    Replay::new(options, seats, opening)
}

/// A game before the round of a case.
fn begin_round(given: &Part) -> Replay<Sticheln> {
    #[derive(Deserialize)]
    struct Input {
        edition: Edition,
        players: usize,
        first_leader: Seat,
    }

    let input: Input = given.read();
    let seats = Seats::new(input.players).expect("a number of seats");
    let opening = match input.edition {
        Edition::Nsv => input.first_leader,
        // The dealer sits to the right of the first leader.
        Edition::Amigo1993 => seats.clockwise(input.first_leader, seats.count() - 1),
    };
    begin(input.edition, input.players, opening, None)
}

/// The actions of a round.
#[derive(Deserialize)]
struct Round {
    hands: Vec<Vec<Card>>,
    picks: BySeat<Card>,
    plays: Vec<Vec<Card>>,
}

fn play_round(game: &mut Replay<Sticheln>, round: &Round) {
    game.deal(&round.hands);
    for (seat, card) in round.picks.entries() {
        game.play(seat, json!({ "type": "pick", "card": card }));
    }
    game.play_tricks(&round.plays);
}
