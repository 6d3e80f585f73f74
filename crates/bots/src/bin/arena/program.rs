//! A program from outside that plays for a seat: one JSON object on a line, both ways.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use sticheln_bots::Player;
use sticheln_rules::{Event, Seat, View};

/// How long an answer is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer.
const MAX_ANSWER_BYTES: u64 = 4096;

/// A program that was started for a player, and ends with it.
pub struct Program {
    command: String,
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// What has happened and was not told yet.
    events: Vec<Value>,
    /// How many messages of a game it has been sent.
    rev: u64,
}

impl Program {
    /// Starts a command of words that are parted by spaces.
    ///
    /// # Errors
    /// In words, why it cannot be started.
    pub fn start(command: &str) -> Result<Self, String> {
        let mut words = command.split_whitespace();
        let program = words.next().ok_or("A program has a name.")?;
        let started = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = started.map_err(|error| format!("{command}: {error}."))?;
        let input = child.stdin.take().expect("it was asked for");
        let output = child.stdout.take().expect("it was asked for");
        // Its lines are read beside, so that nobody waits for ever.
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

    /// A new game: it is told which, and where it sits.
    ///
    /// # Errors
    /// In words, if it does not read any more.
    pub fn start_game<G: Player>(
        &mut self,
        seat: Seat,
        seats: usize,
        options: &G::Options,
    ) -> Result<(), String> {
        self.events.clear();
        self.rev = 0;
        let you = json!({"seat": seat});
        self.send(&json!({
            "type": "room", "game": G::ID, "seats": seats, "you": you, "options": options,
        }))
    }

    /// What it will be told with its next view.
    pub fn queue_events<G: Player>(&mut self, events: &[Event<G>]) {
        let events = events.iter().map(|event| json!(event));
        self.events.extend(events);
    }

    /// Tells it what it may know, and takes its answer.
    ///
    /// # Errors
    /// In words, if there is none in time, or if it is no action.
    pub fn act<G: Player>(&mut self, view: View<'_, G>) -> Result<G::Action, String> {
        self.tell(view)?;
        let answer = self.answers.recv_timeout(ANSWER_TIMEOUT);
        let answer = answer.map_err(|_| format!("{} does not answer.", self.command))?;
        serde_json::from_str(&answer).map_err(|error| {
            let answer = answer.trim_end();
            format!("{} has answered {answer:?}: {error}.", self.command)
        })
    }

    /// Tells it what it may know.
    ///
    /// # Errors
    /// In words, if it does not read any more.
    pub fn tell<G: Player>(&mut self, view: View<'_, G>) -> Result<(), String> {
        let events = std::mem::take(&mut self.events);
        self.rev += 1;
        self.send(&json!({
            "type": "game", "rev": self.rev, "events": events, "view": view, "legal": view.legal(),
        }))
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let sent = writeln!(self.input, "{message}").and_then(|()| self.input.flush());
        sent.map_err(|error| format!("{} does not read: {error}.", self.command))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Whether it has ended by itself makes no difference.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
