//! The readers of the vectors of Nyet!.

use serde::Deserialize;
use serde_json::{Value, json};
use sticheln_rules::nyet::{
    Action, Character, Characters, Conditions, DiscardRule, Fact, Options, Phase, Points, Score,
    Space, Suits, Teams, TrumpSpace, loot,
};
use sticheln_rules::{BySeat, Card, End, Event, FinishedTrick, Game, Hand, Nyet, Seat};

use super::{Part, Replay, ViewOfObserver, check_error, check_game, check_visibility, sorted};

pub fn deck(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        players: usize,
    }

    let Input { players } = given.read();
    let mut game = Replay::<Nyet>::new(Options::default(), players, Seat::new(0));
    let pack = game.state.pack();
    let End::Rounds { rounds } = game.state.view(None).end() else {
        panic!("a game lasts some rounds by default");
    };
    game.deal_deck(&pack);
    let table = game.table();
    let covered = Character::ALL.len() - table.board.start.len();
    expect.check("size", pack.len());
    expect.check("hand_size", Nyet::hand_size(table.seats()));
    expect.check("undealt", table.undealt);
    expect.check("default_rounds", rounds);
    expect.check("covered_characters", covered);
    expect.check("covers_to_finish", table.board.covers_left());
    expect.check_unordered("cards", &pack);
}

pub fn board(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        covers: Vec<(String, String)>,
    }

    let Input { covers } = given.read();
    let mut game = begin(given);
    game.deal_deck(&game.state.pack());
    cover(&mut game, &covers);

    let table = game.table();
    let result = table.board.conditions(&table.characters);
    let turn = match table.phase {
        Phase::Cover { .. } => Some(game.on_turn()),
        Phase::Team { .. }
        | Phase::Discard { .. }
        | Phase::Trick { .. }
        | Phase::RoundEnd { .. } => None,
    };
    let legal = turn.map(|seat| game.state.view(Some(seat)).legal());
    let coverable = legal.unwrap_or_default().into_iter().map(|action| {
        let Action::Cover(space) = action else {
            panic!("something else than a cover is legal: {action:?}");
        };
        row_and_space(space)
    });
    expect.check("complete", turn.is_none());
    expect.check("next_to_act", turn);
    expect.check("result", result.map(free_spaces));
    expect.check("coverable", sorted(coverable.collect::<Vec<_>>()));
}

pub fn legal(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        hand: Hand,
        trick: Vec<Card>,
    }

    let Input { hand, trick } = given.read();
    let suits = suits(given);
    let lead = trick.first().map(|card| suits.suit(*card));
    let legal = hand
        .iter()
        .filter(|card| suits.may_play(&hand, lead, *card));
    expect.check("legal", sorted(legal.collect::<Vec<_>>()));
}

pub fn trick(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        leader: Seat,
        plays: Vec<Card>,
        teams: BySeat<u8>,
        #[serde(default)]
        options: Options,
    }

    let input: Input = given.read();
    let suits = suits(given);
    let seats = input.teams.seats();
    let teams = Teams {
        of: input.teams,
        bonus: None,
    };
    let place = suits
        .winning_place(&input.plays)
        .expect("cards were played");
    let taker = seats.clockwise(input.leader, place);
    let trick = FinishedTrick {
        leader: input.leader,
        cards: input.plays,
        taker: Some(taker),
    };
    let loot = loot(&input.options, suits, &teams, taker, &trick);
    expect.check("winner", taker);
    expect.check("loot", loot);
}

pub fn score(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        teams: BySeat<u8>,
        bonus: Option<Seat>,
        points: i32,
        tricks_won: BySeat<u8>,
        loot_counts: BySeat<u8>,
    }

    let input: Input = given.read();
    let teams = Teams {
        of: input.teams,
        bonus: input.bonus,
    };
    // The space is named by a text, and the case has a number.
    let points: Points =
        serde_json::from_value(json!(input.points.to_string())).expect("points of a space");
    let scores = Score::of_round(&teams, points, &input.tricks_won, &input.loot_counts);
    expect.check("scores", scores.map(|score| score.points));
}

pub fn round(given: &Part, expect: &Part) {
    let mut game = begin(given);
    let hands = play_round(&mut game, &given.read());

    let mut leaders = Vec::new();
    let mut winners = Vec::new();
    let mut trick_loot = Vec::new();
    for event in &game.events {
        match event {
            Event::Fact(Fact::TrickTaken {
                seat, leader, loot, ..
            }) => {
                leaders.push(leader);
                winners.push(seat);
                trick_loot.push(loot);
            }
            Event::Fact(
                Fact::Covered { .. }
                | Fact::BoardSettled { .. }
                | Fact::TeamsFormed { .. }
                | Fact::Discarded { .. }
                | Fact::DiscardsDone { .. }
                | Fact::CardsRevealed { .. }
                | Fact::Played(_),
            )
            | Event::Dealt { .. }
            | Event::RoundScored { .. }
            | Event::GameOver(_) => {}
        }
    }
    expect.check("hands_after_discard", hands.map(|hand| sorted(hand)));
    expect.check("leaders", leaders);
    expect.check("winners", winners);
    expect.check("trick_loot", trick_loot);

    let table = game.table();
    let Phase::RoundEnd {
        conditions,
        teams,
        scores,
        next_dealer,
        ..
    } = &table.phase
    else {
        panic!("the round is not over");
    };
    expect.check("conditions", free_spaces(*conditions));
    expect.check("start_seat", conditions.start_seat);
    expect.check("teams", &teams.of);
    expect.check("bonus", teams.bonus);
    expect.check("tricks_won", &table.tricks_won);
    expect.check("loot", &table.loot);
    expect.check("scores", scores.map(|score| score.points));
    expect.check("next_dealer", next_dealer);
}

pub fn game(given: &Part, expect: &Part) {
    #[derive(Deserialize)]
    struct Input {
        rounds: Vec<Round>,
    }

    let Input { rounds } = given.read();
    let mut game = begin(given);
    let mut dealers = Vec::new();
    for round in &rounds {
        play_round(&mut game, round);
        dealers.push(game.table().dealer);
    }
    let conditions = game.events.iter().filter_map(|event| match event {
        Event::Fact(Fact::BoardSettled { conditions }) => Some(free_spaces(*conditions)),
        _ => None,
    });
    expect.check("dealers", dealers);
    expect.check("conditions", conditions.collect::<Vec<_>>());
    check_game(expect, &game);
}

pub fn error(given: &Part, expect: &Part) {
    check_error(given, expect, begin(given));
}

pub fn visibility(given: &Part, expect: &Part) {
    check_visibility(given, expect, begin(given), public, own);
}

fn public(expect: &Part, sight: &ViewOfObserver<Nyet>) {
    let table = &sight.table;
    let turn = match &table.phase {
        Phase::Cover { .. } | Phase::Team { .. } | Phase::Trick { .. } => sight.to_act.first(),
        Phase::Discard { .. } | Phase::RoundEnd { .. } => None,
    };
    let teams = match &table.phase {
        Phase::Cover { .. } | Phase::Team { .. } => None,
        Phase::Discard { teams, .. }
        | Phase::Trick { teams, .. }
        | Phase::RoundEnd { teams, .. } => Some(teams),
    };
    let has_discarded = match &table.phase {
        Phase::Cover { .. } | Phase::Team { .. } => BySeat::all(table.seats(), false),
        Phase::Discard { discarded, .. } => discarded.clone(),
        Phase::Trick { conditions, .. } | Phase::RoundEnd { conditions, .. } => {
            BySeat::all(table.seats(), conditions.discard != DiscardRule::None)
        }
    };
    let cards = match &table.phase {
        Phase::Trick { trick, .. } => &trick.cards[..],
        Phase::Cover { .. }
        | Phase::Team { .. }
        | Phase::Discard { .. }
        | Phase::RoundEnd { .. } => &[],
    };
    expect.check("phase", &json!(table)["phase"]);
    expect.check("turn", turn);
    expect.check("teams", teams.map(|teams| &teams.of));
    expect.check("bonus", teams.and_then(|teams| teams.bonus));
    expect.check("has_discarded", has_discarded);
    expect.check("current_trick", cards);
    expect.check("hand_counts", &table.hand_counts);
    expect.check("tricks_won", &table.tricks_won);
    expect.check("loot", &table.loot);
    expect.check("undealt_count", table.undealt);
    if let Phase::RoundEnd { revealed, .. } = &table.phase {
        expect.check("revealed", revealed);
    }
    let rows: Part = expect.at("free_spaces");
    for row in ["start", "discard", "trump", "supertrump", "points"] {
        let free = table.board.free().map(row_and_space);
        let spaces = free.filter(|(of, _)| of == row).map(|(_, space)| space);
        rows.check_unordered(row, spaces.collect::<Vec<_>>());
    }
}

fn own(expect: &Part, sight: &ViewOfObserver<Nyet>) {
    expect.check_unordered("own_hand", sight.own.as_ref().map(|own| own.hand));
}

/// A game before its first deal, as a case describes it.
fn begin(given: &Part) -> Replay<Nyet> {
    #[derive(Deserialize)]
    struct Input {
        players: usize,
        dealer: Seat,
        characters: Vec<Character>,
        end: Option<End>,
        #[serde(default)]
        options: Options,
    }

    let input: Input = given.read();
    let seated = input.characters;
    assert_eq!(seated.len(), input.players, "characters");
    let missing = Character::ALL.iter().filter(|one| !seated.contains(one));
    let order: Vec<_> = seated.iter().chain(missing).copied().collect();
    let characters = order.try_into().ok().and_then(Characters::new);
    let options = Options {
        end: input.end,
        characters: characters.expect("every character sits down once at most"),
        ..input.options
    };
    Replay::new(options, input.players, input.dealer)
}

/// The actions of a round.
#[derive(Deserialize)]
struct Round {
    hands: Vec<Vec<Card>>,
    covers: Vec<(String, String)>,
    team: Option<Team>,
    discards: Option<BySeat<Vec<Card>>>,
    plays: Vec<Vec<Card>>,
}

#[derive(Deserialize)]
struct Team {
    partners: Vec<Seat>,
    bonus: Option<Seat>,
}

/// Plays a round. Returns what each seat holds before the first trick.
fn play_round(game: &mut Replay<Nyet>, round: &Round) -> BySeat<Hand> {
    game.deal(&round.hands);
    cover(game, &round.covers);
    if let Some(Team { partners, bonus }) = &round.team {
        let action = json!({ "type": "team", "partners": partners, "bonus": bonus });
        game.play(game.on_turn(), action);
    }
    for (seat, cards) in round.discards.iter().flat_map(BySeat::entries) {
        game.play(seat, json!({ "type": "discard", "cards": cards }));
    }
    let hands = BySeat::from_fn(game.state.seats(), |seat| {
        let own = game.state.view(Some(seat)).own();
        own.expect("a seat knows its hand").hand
    });
    game.play_tricks(&round.plays);
    hands
}

/// Covers spaces, each for the seat on turn.
fn cover(game: &mut Replay<Nyet>, covers: &[(String, String)]) {
    for (row, space) in covers {
        let action = json!({ "type": "cover", "row": row, "space": space });
        game.play(game.on_turn(), action);
    }
}

/// The suits of a case with a trump and a supertrump.
fn suits(given: &Part) -> Suits {
    #[derive(Deserialize)]
    struct Input {
        trump: TrumpSpace,
        supertrump: TrumpSpace,
    }

    let Input { trump, supertrump } = given.read();
    Suits { trump, supertrump }
}

/// The free space of each row.
fn free_spaces(conditions: Conditions) -> Value {
    json!({
        "start": conditions.start,
        "discard": conditions.discard,
        "trump": conditions.trump,
        "supertrump": conditions.supertrump,
        "points": conditions.points,
    })
}

/// The names of the row and of the space.
fn row_and_space(space: Space) -> (String, String) {
    #[derive(Deserialize)]
    struct Named {
        row: String,
        space: String,
    }

    let Named { row, space } =
        serde_json::from_value(json!(space)).expect("a space is named with its row");
    (row, space)
}
