//! An external program that plays for a seat. It reads and writes one JSON object per line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sticheln_bots::Player;
use sticheln_rules::{Event, Game, GameId, Seat, View};

use crate::error::ArenaError;

/// The longest time for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer.
const MAX_ANSWER_BYTES: u64 = 4096;

/// A message to a program, with the names of the wire protocol.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case", bound = "")]
enum ProgramMessage<'a, G: Game> {
    /// A new game.
    Room {
        game: GameId,
        seats: usize,
        you: You,
        options: &'a G::Options,
    },
    /// A view, with the events since the last one.
    Game {
        rev: u64,
        events: Vec<Box<RawValue>>,
        view: View<'a, G>,
        legal: Vec<G::Action>,
    },
}

/// The place of the program in a game.
#[derive(Serialize)]
struct You {
    seat: Seat,
}

/// A running program, which is killed when it is dropped.
pub struct Program {
    command: String,
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// The events that have not been sent yet.
    events: Vec<Box<RawValue>>,
    /// The number of messages that were sent in this game.
    rev: u64,
}

impl Program {
    /// Starts a program. The command is split at white space.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &str) -> Result<Self, ArenaError> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or(ArenaError::EmptyCommand)?;
        let started = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|source| ArenaError::Start {
            command: command.to_owned(),
            source,
        })?;
        let input = child.stdin.take().expect("it is piped");
        let output = child.stdout.take().expect("it is piped");
        // A thread reads the lines, so that the wait for an answer can have a time-out.
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = String::new();
                match output.by_ref().take(MAX_ANSWER_BYTES).read_line(&mut line) {
                    Ok(1..) if sender.send(line).is_ok() => {}
                    _ => return,
                }
            }
        });
        Ok(Self {
            command: command.to_owned(),
            child,
            input,
            answers,
            events: Vec::new(),
            rev: 0,
        })
    }

    /// Starts a game: sends the game, the seat and the options.
    ///
    /// # Errors
    /// If the program does not read.
    pub fn start_game<G: Player>(
        &mut self,
        seat: Seat,
        seats: usize,
        options: &G::Options,
    ) -> Result<(), ArenaError> {
        self.events.clear();
        self.rev = 0;
        self.send::<G>(&ProgramMessage::Room {
            game: G::ID,
            seats,
            you: You { seat },
            options,
        })
    }

    /// Queues events, which are sent with the next view.
    pub fn queue_events<G: Player>(&mut self, events: &[Event<G>]) {
        let events = events
            .iter()
            .map(|event| to_raw_value(event).expect("an event can be serialised"));
        self.events.extend(events);
    }

    /// Sends a view and reads the answer.
    ///
    /// # Errors
    /// If there is no answer in time, or if it is not an action.
    pub fn act<G: Player>(&mut self, view: View<'_, G>) -> Result<G::Action, ArenaError> {
        self.send_view(view)?;
        let answer = self.answers.recv_timeout(ANSWER_TIMEOUT);
        let answer = answer.map_err(|_| ArenaError::NoAnswer(self.command.clone()))?;
        serde_json::from_str(&answer).map_err(|source| ArenaError::BadAnswer {
            command: self.command.clone(),
            answer: answer.trim_end().to_owned(),
            source,
        })
    }

    /// Sends a view.
    ///
    /// # Errors
    /// If the program does not read.
    pub fn send_view<G: Player>(&mut self, view: View<'_, G>) -> Result<(), ArenaError> {
        let events = std::mem::take(&mut self.events);
        self.rev += 1;
        self.send(&ProgramMessage::Game {
            rev: self.rev,
            events,
            view,
            legal: view.legal(),
        })
    }

    fn send<G: Game>(&mut self, message: &ProgramMessage<'_, G>) -> Result<(), ArenaError> {
        let message = serde_json::to_string(message).expect("a message can be serialised");
        let sent = writeln!(self.input, "{message}").and_then(|()| self.input.flush());
        sent.map_err(|source| ArenaError::Send {
            command: self.command.clone(),
            source,
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, from_str, to_value};
    use sticheln_rules::{State, Sticheln};

    use super::*;

    const SCHEMA: &str = include_str!("../../../../../docs/wire/schema.json");

    #[test]
    fn a_view_for_a_program_has_the_fields_of_the_protocol() {
        let opening = Seat::new(0);
        let mut state = State::<Sticheln>::new(Default::default(), 3, opening).expect("a game");
        state.deal(&state.pack()).expect("a deal");
        let view = state.view(Some(opening));
        let message = ProgramMessage::Game {
            rev: 1,
            events: Vec::new(),
            view,
            legal: view.legal(),
        };
        let message = to_value(message).expect("a message can be serialised");
        let schema: Value = from_str(SCHEMA).expect("the schema is JSON");
        let fields = message.as_object().expect("an object").keys();
        let required = schema["$defs"]["Game"]["required"].as_array();
        let required = required.expect("a list").iter().filter_map(Value::as_str);
        assert_eq!(
            fields.map(String::as_str).collect::<BTreeSet<_>>(),
            required.collect()
        );
    }
}
