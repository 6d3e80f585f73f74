//! Checks a record by the rules, in the order of `docs/record.md`.

use serde::Serialize;
use serde_json::Value;
use sticheln_rules::{BySeat, Card, Event, Game, GameProgress, Seat, State, Status, TrickPart};

use crate::file::{ContinuedFrom, RecordFile, RecordedMove, RecordedRound, RecordedTrick};
use crate::report::{Fault, Location, Report, Violation};

/// Verifies a record by the rules.
pub fn verify_file<G: Game>(file: &RecordFile<G>) -> Report {
    let from = file.continued_from.as_ref();
    let mut report = Report {
        game: G::ID,
        seats: file.seats,
        earlier_rounds: from.map_or(0, |from| from.scores.len()),
        deals: 0,
        moves: 0,
        tricks: 0,
        scored_rounds: 0,
        ended_early: file.ended_early,
        violation: None,
    };
    report.violation = check_game(file, &mut report).err();
    report
}

/// Checks a game until its first violation. The report counts the parts that are right.
fn check_game<G: Game>(file: &RecordFile<G>, report: &mut Report) -> Result<(), Violation> {
    let at_game = |fault| Violation {
        location: Location::Game,
        fault,
    };
    let state = initial_state(file).map_err(at_game)?;
    let mut verification = Verification { state, report };
    for (index, round) in file.rounds.iter().enumerate() {
        let may_be_abandoned = file.ended_early && index + 1 == file.rounds.len();
        verification.check_round(round, may_be_abandoned)?;
    }
    let state = &mut verification.state;
    if file.ended_early {
        let ended = state.end_early();
        ended.map_err(|why| at_game(Fault::EndedEarly(why)))?;
    }
    match state.status() {
        Status::Over(standings) if standings == file.standings => Ok(()),
        Status::Over(_) => Err(at_game(Fault::Standings)),
        Status::ToDeal | Status::Playing => Err(at_game(Fault::GameUnfinished)),
    }
}

/// The game before the first deal of the file.
fn initial_state<G: Game>(file: &RecordFile<G>) -> Result<State<G>, Fault> {
    let seats = usize::from(file.seats);
    let state = State::new(file.options.clone(), seats, file.opening).map_err(Fault::Setup)?;
    if file.players.seats() != state.seats() {
        return Err(Fault::Players);
    }
    let Some(from) = &file.continued_from else {
        return Ok(state);
    };
    let has_moves = (file.rounds.first()).is_some_and(|round| from.moves <= round.moves.len());
    let progress = GameProgress::new(
        file.options.clone(),
        seats,
        file.opening,
        from.scores.clone(),
    );
    let state = continued_state(progress, from);
    state.filter(|_| has_moves).ok_or(Fault::Continued)
}

/// The game before the deal of the round from which it is played on; `None` if no game can be there.
pub fn continued_state<G: Game>(
    progress: GameProgress<G>,
    from: &ContinuedFrom<G>,
) -> Option<State<G>> {
    let is_next = usize::from(from.round) == from.scores.len() + 1;
    let state = State::from_progress(progress).ok();
    state.filter(|_| is_next)
}

/// The verification of a record until now: the game after the moves that were checked, and their numbers.
struct Verification<'a, G: Game> {
    state: State<G>,
    report: &'a mut Report,
}

impl<G: Game> Verification<'_, G> {
    /// Plays a round, and compares its tricks, scores and totals.
    fn check_round(
        &mut self,
        round: &RecordedRound<G>,
        may_be_abandoned: bool,
    ) -> Result<(), Violation> {
        let number = self.state.view(None).sheet().rounds().len() as u8 + 1;
        let at_round = |fault| Violation {
            location: Location::Round(number),
            fault,
        };
        self.deal(round, number).map_err(at_round)?;
        self.report.deals += 1;
        let mut tricks = round.tricks.iter();
        let mut latest_turn_at = 0;
        for (index, recorded_move) in round.moves.iter().enumerate() {
            let location = Location::Move {
                round: number,
                number: index + 1,
            };
            let at_move = |fault| Violation { location, fault };
            // An illegal move is reported first.
            let order = self.check_order(recorded_move, latest_turn_at);
            let events = self.act(recorded_move).map_err(at_move)?;
            latest_turn_at = order.map_err(at_move)?;
            self.report.moves += 1;
            for trick in events.iter().filter_map(finished_trick) {
                let location = trick_location(round, &tricks, number);
                let is_same = tricks.next() == Some(&trick);
                let fault = Fault::Trick(described(&trick));
                is_same.then_some(()).ok_or(Violation { location, fault })?;
                self.report.tricks += 1;
            }
        }
        if tricks.len() > 0 {
            return Err(Violation {
                location: trick_location(round, &tricks, number),
                fault: Fault::TrickTooMany,
            });
        }
        match self.state.status() {
            Status::Playing if may_be_abandoned => check_abandoned(round).map_err(at_round),
            Status::Playing => Err(at_round(Fault::RoundUnfinished)),
            Status::ToDeal | Status::Over(_) => {
                self.check_scores(round).map_err(at_round)?;
                self.report.scored_rounds += 1;
                Ok(())
            }
        }
    }

    /// Deals the cards of a round.
    fn deal(&mut self, round: &RecordedRound<G>, number: u8) -> Result<(), Fault> {
        if matches!(self.state.status(), Status::Over(_)) {
            return Err(Fault::RoundAfterEnd);
        }
        if round.round != number {
            return Err(Fault::RoundNumber(number));
        }
        let seats = self.state.seats();
        let size = G::hand_size(seats);
        let has_hands = round.hands.seats() == seats;
        if !has_hands || round.hands.iter().any(|hand| hand.len() != size) {
            return Err(Fault::Hands(size));
        }
        self.state.deal(&round.deck()).map_err(|_| Fault::Pack)?;
        Ok(())
    }

    /// Checks the place of a move among the hidden choices of its phase, or its time in a phase with turns. Returns the time of
    /// the latest move with a turn, which was `latest_turn_at` before.
    fn check_order(
        &self,
        recorded_move: &RecordedMove<G>,
        latest_turn_at: u64,
    ) -> Result<u64, Fault> {
        let RecordedMove { at, seat, .. } = recorded_move;
        let view = self.state.view(None);
        let chosen = view.chosen();
        if chosen.is_empty() && view.to_act().len() == 1 {
            return (*at >= latest_turn_at).then_some(*at).ok_or(Fault::Time);
        }
        if chosen.iter().any(|other| other >= seat) {
            return Err(Fault::ChoiceOrder(*seat));
        }
        Ok(latest_turn_at)
    }

    fn act(&mut self, recorded_move: &RecordedMove<G>) -> Result<Vec<Event<G>>, Fault> {
        let RecordedMove { seat, action, .. } = recorded_move;
        let events = self.state.act(*seat, action.clone());
        events.map_err(|illegal| Fault::Illegal {
            seat: *seat,
            action: in_words(action),
            illegal,
        })
    }

    /// Compares the scores and totals of a finished round.
    fn check_scores(&self, round: &RecordedRound<G>) -> Result<(), Fault> {
        let view = self.state.view(None);
        let scores = view.sheet().rounds().last();
        let scores = scores.expect("the round is finished");
        let given = round.scores.as_ref().ok_or(Fault::ScoresMissing)?;
        if let Some(seat) = first_difference(given, scores, Fault::ScoresMissing)? {
            return Err(Fault::Score(seat));
        }
        let given = round.totals.as_ref().ok_or(Fault::TotalsMissing)?;
        match first_difference(given, view.sheet().totals(), Fault::TotalsMissing)? {
            Some(seat) => Err(Fault::Total(seat)),
            None => Ok(()),
        }
    }
}

/// The first seat whose values differ. The fault is that of a list with another number of seats.
fn first_difference<T: PartialEq>(
    given: &BySeat<T>,
    right: &BySeat<T>,
    wrong_length: Fault,
) -> Result<Option<Seat>, Fault> {
    if given.seats() != right.seats() {
        return Err(wrong_length);
    }
    let mut seats = given.seats().iter();
    Ok(seats.find(|seat| given[*seat] != right[*seat]))
}

fn check_abandoned<G: Game>(round: &RecordedRound<G>) -> Result<(), Fault> {
    if round.scores.is_some() {
        Err(Fault::ScoresOfAbandoned)
    } else if round.totals.is_some() {
        Err(Fault::TotalsOfAbandoned)
    } else {
        Ok(())
    }
}

/// The location of the first of the tricks that are left.
fn trick_location<G: Game>(
    round: &RecordedRound<G>,
    left: &std::slice::Iter<'_, RecordedTrick>,
    number: u8,
) -> Location {
    Location::Trick {
        round: number,
        number: round.tricks.len() - left.len() + 1,
    }
}

/// The trick that an event finishes; `None` for other events.
pub fn finished_trick<G: Game>(event: &Event<G>) -> Option<RecordedTrick> {
    match event.trick_part()? {
        TrickPart::Card => None,
        TrickPart::End {
            leader,
            cards,
            taker,
        } => Some(RecordedTrick {
            leader,
            cards: cards.to_vec(),
            taker,
        }),
    }
}

/// A trick in words.
fn described(trick: &RecordedTrick) -> String {
    let cards: Vec<String> = trick.cards.iter().map(Card::to_string).collect();
    let end = match trick.taker {
        Some(taker) => format!("seat {taker} takes it"),
        None => "it is set aside".to_owned(),
    };
    format!("seat {} leads, {}, {end}", trick.leader, cards.join(" "))
}

/// An action in words, such as `play red-7`. Several fields have their names: `cover row trump, space red`.
fn in_words(action: &impl Serialize) -> String {
    let value = serde_json::to_value(action).unwrap_or_default();
    let fields = value.as_object().into_iter().flatten();
    let fields: Vec<_> = fields.filter(|(name, _)| *name != "type").collect();
    let values = fields.iter().map(|(name, value)| match fields.len() {
        1 => value_in_words(value),
        _ => format!("{name} {}", value_in_words(value)),
    });
    let values: Vec<String> = values.collect();
    format!("{} {}", value_in_words(&value["type"]), values.join(", "))
}

fn value_in_words(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(value_in_words).collect();
            values.join(" ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
