//! Transcripts: whole games as text, written from their events and compared with the files in
//! `tests/transcripts`.
//!
//! All seats play at random; the seeds were chosen for rare cases. The lines `hidden:` come from
//! the record, and the JSON is that of the wire. `UPDATE_TRANSCRIPTS=1` writes the files; review
//! the difference.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use serde::Serialize;
use serde_json::{Value, json};
use sticheln_rules::nyet::{self, DiscardRule, Nyet};
use sticheln_rules::sticheln::{self, Sticheln};
use sticheln_rules::{BySeat, Card, Event, Game, Played, Scored, Seat, Standings, State, Step};

use self::Piece::{Lead, Line, Then};
use crate::playout::Playout;

/// A trick of zeros is set aside; two seats share the win.
#[test]
fn sticheln_nsv_4_seats_follow_their_transcript() {
    check::<Sticheln>("sticheln-nsv-4", 4, 29_293, json!({}));
}

/// The leader takes a trick of zeros; two seats share the second rank.
#[test]
fn sticheln_amigo_1993_3_seats_follow_their_transcript() {
    let options = json!({
        "edition": "amigo-1993",
        "end": {"type": "rounds", "rounds": 3},
        "show_history": "all",
        "show_running_score": true,
    });
    check::<Sticheln>("sticheln-amigo-1993-3", 3, 165, options);
}

/// The target is reached before the last round.
#[test]
fn nyet_2_seats_follow_their_transcript() {
    let options = json!({"end": {"type": "target", "target": 60, "max_rounds": 5}});
    check::<Nyet>("nyet-2", 2, 681, options);
}

/// A passed card, a round without trump, a lone start player, -2 doubled.
#[test]
fn nyet_3_seats_follow_their_transcript() {
    let options = json!({"end": {"type": "rounds", "rounds": 3}, "no_trump_space": true});
    check::<Nyet>("nyet-3", 3, 841, options);
}

/// Cards laid aside, trump and supertrump of one colour, a team that shares the win.
#[test]
fn nyet_4_seats_follow_their_transcript() {
    let options = json!({"end": {"type": "rounds", "rounds": 3}});
    check::<Nyet>("nyet-4", 4, 248, options);
}

/// Start players in the pair and in the trio, three loot cards at once, supertrumps that are not
/// loot.
#[test]
fn nyet_5_seats_follow_their_transcript() {
    let options = json!({
        "end": {"type": "rounds", "rounds": 3},
        "characters": ["eagle", "crane", "bear", "wolf", "tiger"],
        "supertrump_loot": false,
    });
    check::<Nyet>("nyet-5", 5, 206, options);
}

/// Compares a game with its transcript.
fn check<G: Transcribed>(name: &str, seats: usize, seed: u64, options: Value) {
    let played = transcript::<G>(seats, seed, options);
    let file = format!("tests/transcripts/{name}.txt");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
    if env::var("UPDATE_TRANSCRIPTS").is_ok_and(|value| value == "1") {
        fs::write(&path, &played).expect("the transcript can be written");
    }

    let kept = fs::read_to_string(&path).unwrap_or_default();
    if kept == played {
        return;
    }
    let same = kept.lines().zip(played.lines());
    let same = same.take_while(|(kept, played)| kept == played).count();
    let from_there = |text: &str| -> String {
        let lines = text.lines().skip(same).take(3);
        lines.map(|line| format!("    {line}\n")).collect()
    };
    panic!(
        "{file} differs from line {} on.\n  The file:\n{}  This run:\n{}\
         If this run is right: UPDATE_TRANSCRIPTS=1 cargo test -p sticheln-rules transcripts",
        same + 1,
        from_there(&kept),
        from_there(&played),
    );
}

/// A game played at random, as text.
fn transcript<G: Transcribed>(seats: usize, seed: u64, options: Value) -> String {
    let options: G::Options = serde_json::from_value(options).expect("these are options");
    let mut game = Playout::<G>::new(options, seats, seed);
    let view = game.state.view(None);
    let mut log = Log {
        text: format!("{} with {seats} seats, seed {seed}", G::ID),
        ..Log::default()
    };
    log.line(format!("options: {}", wire(view.options())));
    log.line(format!("end: {}", wire(&view.end())));
    log.line(format!("opening seat: {}", game.record.opening));

    while let Some(step) = game.any_step() {
        match &step {
            Step::Deal(deck) => log.deck(deck, seats, G::hand_size(game.state.seats())),
            Step::Act(seat, action) => log.action::<G>(*seat, action),
            Step::EndEarly => unreachable!("a playout plays to the end"),
        }
        for event in game.take(step) {
            log.event(&event, &game.state);
        }
    }
    log.finish()
}

/// A part of the transcript of a trick.
enum Piece {
    /// A line of its own.
    Line(String),
    /// The beginning of a trick, which is numbered.
    Lead(String),
    /// A continuation of a trick.
    Then(String),
}

/// A game with transcripts.
trait Transcribed: Game {
    /// The text of a fact.
    fn piece(fact: &Self::Fact) -> Piece;
    /// The cards of an action that no other seat sees.
    fn face_down(action: &Self::Action) -> &[Card];
    /// The calculation of a score.
    fn sum(score: &Self::Score) -> String;
}

impl Transcribed for Sticheln {
    fn piece(fact: &sticheln::Fact) -> Piece {
        use sticheln::Fact;
        match fact {
            Fact::Picked { seat } => Line(format!("seat {seat} picks a card")),
            Fact::Revealed { picks, leader } => {
                Line(format!("revealed: {}; seat {leader} leads", each(picks)))
            }
            Fact::Played(card) => played(card),
            Fact::TrickTaken { seat, points, .. } => {
                Then(format!(" -> seat {seat} takes it, {points:+} points"))
            }
            Fact::SetAside { .. } => Then(" -> set aside".to_owned()),
        }
    }

    fn face_down(action: &sticheln::Action) -> &[Card] {
        use sticheln::Action;
        match action {
            Action::Pick { card } => std::slice::from_ref(card),
            Action::Play { .. } => &[],
        }
    }

    fn sum(score: &sticheln::Score) -> String {
        let minus_cards = list(score.minus_cards().as_slice());
        format!(
            "plus {}, minus {} ({minus_cards})",
            score.plus(),
            score.minus()
        )
    }
}

impl Transcribed for Nyet {
    fn piece(fact: &nyet::Fact) -> Piece {
        use nyet::Fact;
        match fact {
            Fact::Covered {
                seat,
                space,
                covers_left,
            } => {
                let space = json!(space);
                let (row, space) = (word(&space["row"]), word(&space["space"]));
                Line(format!(
                    "seat {seat} covers {row} {space}, {covers_left} left"
                ))
            }
            Fact::BoardSettled { conditions } => Line(format!(
                "settled: {} (seat {}) starts, discard {}, trump {}, supertrump {}, points {}",
                word(&conditions.start),
                conditions.start_seat,
                word(&conditions.discard),
                word(&conditions.trump),
                word(&conditions.supertrump),
                conditions.points.value(),
            )),
            Fact::TeamsFormed { seat, teams } => {
                let team = |number| {
                    let members = teams.of.entries().filter(|(_, team)| **team == number);
                    list(members.map(|(seat, _)| seat))
                };
                let bonus = teams.bonus.map(|seat| format!(", x2 for seat {seat}"));
                Line(format!(
                    "seat {seat} forms the teams: {} against {}{}",
                    team(0),
                    team(1),
                    bonus.unwrap_or_default(),
                ))
            }
            Fact::Discarded { seat } => Line(format!("seat {seat} has chosen")),
            Fact::DiscardsDone { discard } => Line(match discard {
                DiscardRule::None => unreachable!("there is nothing to choose"),
                DiscardRule::One => "all lay a card aside".to_owned(),
                DiscardRule::Two => "all lay two cards aside".to_owned(),
                DiscardRule::OneNot1 => "all lay a card aside that is not a 1".to_owned(),
                DiscardRule::PassLeft => "all pass to the left".to_owned(),
            }),
            Fact::Played(card) => played(card),
            Fact::TrickTaken { seat, loot, .. } if loot.is_empty() => {
                Then(format!(" -> seat {seat} takes it"))
            }
            Fact::TrickTaken { seat, loot, .. } => {
                Then(format!(" -> seat {seat} takes it, loot {}", list(loot)))
            }
            Fact::CardsRevealed { discard, cards } => {
                let discards = each(&cards.discards.map(|hand| list(hand.as_slice())));
                let mut parts = match discard {
                    DiscardRule::None => vec![],
                    DiscardRule::One | DiscardRule::Two | DiscardRule::OneNot1 => {
                        vec![format!("laid aside: {discards}")]
                    }
                    DiscardRule::PassLeft => vec![format!("passed: {discards}")],
                };
                if !cards.undealt.is_empty() {
                    parts.push(format!("not dealt: {}", list(&cards.undealt)));
                }
                Line(parts.join("; "))
            }
        }
    }

    fn face_down(action: &nyet::Action) -> &[Card] {
        use nyet::Action;
        match action {
            Action::Discard { cards } => cards,
            Action::Cover(_) | Action::Team { .. } | Action::Play { .. } => &[],
        }
    }

    fn sum(score: &nyet::Score) -> String {
        let nyet::Score {
            tricks, loot, each, ..
        } = score;
        let doubled = if score.doubled { " x 2" } else { "" };
        format!("({tricks} tricks + {loot} loot) x {each}{doubled}")
    }
}

/// The text of a card that is played to a trick.
fn played(played: &Played) -> Piece {
    let Played { seat, card, .. } = played;
    let winning = if played.winning { " (winning)" } else { "" };
    if played.leads {
        Lead(format!("seat {seat} leads {card}{winning}"))
    } else {
        Then(format!("; seat {seat} {card}{winning}"))
    }
}

/// The transcript of a game, and the state that is needed to write it.
#[derive(Default)]
struct Log {
    text: String,
    /// The number of the trick in its round, from 1.
    trick: usize,
    /// The number of cards of the trick.
    cards: usize,
    /// The first action and event of each type, as JSON.
    wire: BTreeMap<String, String>,
}

impl Log {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push('\n');
        self.text.push_str(line.as_ref());
    }

    /// Writes the deck that is dealt.
    fn deck(&mut self, deck: &[Card], seats: usize, size: usize) {
        let (dealt, undealt) = deck.split_at(seats * size);
        self.line("");
        for (seat, hand) in dealt.chunks(size).enumerate() {
            self.line(format!("hidden: seat {seat} is dealt {}", sorted(hand)));
        }
        if !undealt.is_empty() {
            self.line(format!("hidden: not dealt are {}", sorted(undealt)));
        }
    }

    fn action<G: Transcribed>(&mut self, seat: Seat, action: &G::Action) {
        self.first_of_its_type(action);
        let cards = G::face_down(action);
        if !cards.is_empty() {
            self.line(format!("hidden: seat {seat} chooses {}", list(cards)));
        }
    }

    fn event<G: Transcribed>(&mut self, event: &Event<G>, state: &State<G>) {
        self.first_of_its_type(event);
        match event {
            Event::Dealt {
                round,
                opening,
                cards,
            } => {
                self.line(format!(
                    "round {round}: seat {opening} opens, {cards} cards each"
                ));
                self.trick = 0;
            }
            Event::Fact(fact) => self.piece(G::piece(fact), state),
            Event::RoundScored {
                round,
                scores,
                totals,
            } => {
                self.line(format!("scores of round {round}:"));
                for (seat, score) in scores.entries() {
                    let (sum, points, total) = (G::sum(score), score.points(), totals[seat]);
                    self.line(format!("  seat {seat}: {sum} = {points}, total {total}"));
                }
                self.line(format!("spectator: {}", wire(&state.view(None))));
            }
            Event::GameOver(standings) => self.standings(standings),
        }
    }

    fn piece<G: Game>(&mut self, piece: Piece, state: &State<G>) {
        match piece {
            Line(text) => self.line(text),
            Lead(text) => {
                self.trick += 1;
                self.cards = 1;
                self.line(format!("trick {}: {text}", self.trick));
            }
            Then(text) => {
                self.cards += 1;
                self.text.push_str(&text);
            }
        }
        // Once in a game, the view of the seat on turn, after a few tricks of the first round.
        let in_first_round = state.view(None).sheet().rounds().is_empty();
        let half_played = self.cards == state.seats().count() / 2;
        if in_first_round && self.trick == 3 && half_played {
            let view = state.view(state.view(None).to_act().first().copied());
            self.line(format!("  view of the seat on turn: {}", wire(&view)));
            self.line(format!("  legal: {}", wire(&view.legal())));
            self.line("  and on");
        }
    }

    fn standings(&mut self, standings: &Standings) {
        self.line("");
        self.line("game over:");
        for (seat, rank) in standings.ranks.entries() {
            let total = standings.totals[seat];
            let won = standings.winners().any(|winner| winner == seat);
            let won = if won { ", winner" } else { "" };
            self.line(format!(
                "  seat {seat}: rank {rank} with {total} points{won}"
            ));
        }
    }

    fn first_of_its_type(&mut self, value: &impl Serialize) {
        let name = word(&json!(value)["type"]);
        self.wire.entry(name).or_insert_with(|| wire(value));
    }

    fn finish(mut self) -> String {
        self.line("");
        self.line("the first action and event of each type:");
        for json in std::mem::take(&mut self.wire).into_values() {
            self.line(format!("  {json}"));
        }
        self.line("");
        self.text
    }
}

/// The JSON of a value.
fn wire(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it has a text form")
}

/// The JSON of a value that is one word.
fn word(value: &impl Serialize) -> String {
    wire(value).trim_matches('"').to_owned()
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<_> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(" ")
}

fn sorted(cards: &[Card]) -> String {
    let mut cards = cards.to_vec();
    cards.sort_unstable();
    list(cards)
}

fn each<T: ToString>(values: &BySeat<T>) -> String {
    let values = values.entries();
    let values: Vec<_> = values
        .map(|(seat, value)| format!("seat {seat} {}", value.to_string()))
        .collect();
    values.join(", ")
}
