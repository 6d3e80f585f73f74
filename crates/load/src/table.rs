//! A table of scripted players who are all played by one hand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tokio::time::sleep_until;

use crate::http;
use crate::route::Route;
use crate::secret::Secret;
use crate::socket::{Loss, Socket};
use crate::wire::{Command, Game, Message};

/// The most rounds that a game can have: scripted players do not stop of themselves.
const ROUNDS: u8 = 30;

/// A table, with the sockets of all its players.
pub(crate) struct Table {
    /// Its code.
    pub(crate) room: String,
    players: Vec<Player>,
    rng: ChaCha8Rng,
    said: u64,
}

struct Player {
    socket: Socket,
    /// The newest revision of the game that this player has seen.
    rev: u64,
    legal: Vec<Value>,
    /// Whether anybody was to act then.
    is_waited: bool,
}

/// A move that all have seen.
#[derive(Debug)]
pub(crate) struct Move {
    /// When it was said.
    pub(crate) said: Instant,
    /// How long it took until the last one saw it.
    pub(crate) took: Duration,
    /// The bytes of the message with it that each player got, and whether he is on turn then.
    pub(crate) letters: Vec<(usize, bool)>,
}

/// Opens a table as it is wished: its code.
///
/// # Errors
/// [`Loss::Refused`] if the server does not want it.
pub(crate) async fn room(route: impl Into<Route>, wish: &Value) -> Result<String, Loss> {
    let answer = http::post(route, "/api/rooms", wish).await;
    let answer = answer.map_err(|error| Loss::Broken(error.to_string()))?;
    let refused = answer.field("code").map(Loss::Refused);
    let room = answer.field("room");
    room.ok_or_else(|| refused.unwrap_or(Loss::Status(answer.status)))
}

impl Table {
    /// Opens a table with this number of players, and begins a game with the usual options but
    /// as long as can be. All are dealt their hands.
    pub(crate) async fn open(
        route: impl Into<Route>,
        seats: usize,
        rng: ChaCha8Rng,
    ) -> Result<Self, Loss> {
        Self::with_experts(route, seats, 0, rng).await
    }

    /// The same with so many bots of level `expert` on the last of these seats.
    pub(crate) async fn with_experts(
        route: impl Into<Route>,
        seats: usize,
        experts: usize,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Loss> {
        let route = route.into();
        let table = json!({
            "game": "sticheln",
            "seats": seats,
            "options": {"end": {"type": "rounds", "rounds": ROUNDS}},
        });
        let room = room(route, &table).await?;
        let mut players = Vec::with_capacity(seats);
        for _ in experts..seats {
            let mut socket = Socket::open(route, &room).await?;
            let token = Secret::new(&mut rng).text().to_owned();
            socket.say(Command::Hello { token }.text("hello")).await?;
            players.push(Player {
                socket,
                rev: 0,
                legal: Vec::new(),
                is_waited: false,
            });
        }
        let said = 0;
        let mut table = Self {
            room,
            players,
            rng,
            said,
        };
        for seat in 0..table.players.len() {
            let name = format!("Player {}", ["A", "B", "C", "D", "E", "F"][seat]);
            table.ask(seat, Command::Sit { name, seat }).await?;
        }
        for _ in 0..experts {
            let level = "expert".to_owned();
            table.ask(0, Command::AddBot { level }).await?;
        }
        table.ask(0, Command::Start).await?;
        table.see_news(0).await?;
        Ok(table)
    }

    /// Makes one move: somebody who is to act says what he does, and all see it. Before that the
    /// next round begins, or the next game, if one is over.
    pub(crate) async fn make_a_move(&mut self) -> Result<Move, Loss> {
        if self.actor().is_none() {
            self.go_on().await?;
        }
        let actor = self.actor().ok_or(Loss::Late)?;
        let player = &self.players[actor];
        let rev = player.rev;
        let action = player
            .legal
            .choose(&mut self.rng)
            .ok_or(Loss::Late)?
            .clone();
        let text = Command::Act { action }.text(&self.next_id());

        let said = Instant::now();
        self.players[actor].socket.say(text).await?;
        let mut last = said;
        let mut letters = Vec::with_capacity(self.players.len());
        for player in &mut self.players {
            let (at, bytes) = player.see_after(rev).await?;
            last = last.max(at);
            letters.push((bytes, !player.legal.is_empty()));
        }
        let took = last.duration_since(said);
        Ok(Move {
            said,
            took,
            letters,
        })
    }

    /// Makes a move at each of these moments, until it is enough. Who is late makes up for it.
    pub(crate) async fn play(
        mut self,
        pace: Duration,
        offset: Duration,
        is_enough: &AtomicBool,
    ) -> Result<Vec<Move>, Loss> {
        let mut next = tokio::time::Instant::now() + offset;
        let mut moves = Vec::new();
        while !is_enough.load(Ordering::Relaxed) {
            sleep_until(next).await;
            next += pace;
            moves.push(self.make_a_move().await?);
        }
        Ok(moves)
    }

    /// Makes one move at a table where bots play too, and waits until somebody else is to act.
    pub(crate) async fn make_a_move_among_bots(&mut self) -> Result<(), Loss> {
        let Some(actor) = self.actor() else {
            return if self.players[0].is_waited {
                // A bot is to act.
                let player = &mut self.players[0];
                player.see_after(player.rev).await?;
                self.catch_up_with(0).await
            } else {
                self.go_on().await
            };
        };
        let action = self.players[actor].legal.choose(&mut self.rng);
        let action = action.ok_or(Loss::Late)?.clone();
        self.ask(actor, Command::Act { action }).await?;
        // The move itself is told after the answer; a bot may have acted before.
        let player = &mut self.players[actor];
        player.see_after(player.rev).await?;
        self.catch_up_with(actor).await
    }

    /// All see what this player has seen.
    async fn catch_up_with(&mut self, player: usize) -> Result<(), Loss> {
        let rev = self.players[player].rev;
        self.see_news(rev.saturating_sub(1)).await
    }

    /// Waits for nothing more: what comes to its players is read and forgotten.
    pub(crate) fn into_sockets(self) -> impl Iterator<Item = Socket> {
        self.players.into_iter().map(|player| player.socket)
    }

    /// The one who acts next: any of those who can.
    fn actor(&self) -> Option<usize> {
        let can = |player: &Player| !player.legal.is_empty();
        self.players.iter().position(can)
    }

    /// All are ready for the next round, or for a rematch.
    async fn go_on(&mut self) -> Result<(), Loss> {
        let rev = self.players.iter().map(|player| player.rev).max();
        for seat in 0..self.players.len() {
            self.ask(seat, Command::Ready { ready: true }).await?;
        }
        self.see_news(rev.unwrap_or_default()).await
    }

    /// Waits until all have seen what comes after this revision, such as a deal.
    async fn see_news(&mut self, rev: u64) -> Result<(), Loss> {
        for player in &mut self.players {
            if player.rev <= rev {
                player.see_after(rev).await?;
            }
        }
        Ok(())
    }

    /// Says something and waits for its answer.
    async fn ask(&mut self, seat: usize, command: Command) -> Result<(), Loss> {
        let id = self.next_id();
        let player = &mut self.players[seat];
        player.socket.say(command.text(&id)).await?;
        while player.hear().await?.answered.as_ref() != Some(&id) {}
        Ok(())
    }

    fn next_id(&mut self) -> String {
        self.said += 1;
        self.said.to_string()
    }
}

/// What a message was to a player.
struct Heard {
    at: Instant,
    bytes: usize,
    is_game: bool,
    answered: Option<String>,
}

impl Player {
    /// Takes in the next message.
    async fn hear(&mut self) -> Result<Heard, Loss> {
        let heard = self.socket.hear_soon().await?;
        let (mut is_game, mut answered) = (false, None);
        match heard.message {
            Message::Game(Game { rev, legal, view }) => {
                self.rev = rev;
                self.legal = legal;
                self.is_waited = !view.to_act.is_empty();
                is_game = true;
            }
            Message::Ok { id } => answered = Some(id),
            Message::Refused { code, .. } => return Err(Loss::Refused(code)),
            Message::Welcome { .. } | Message::Room(_) | Message::Other => {}
        }
        let (at, bytes) = (heard.at, heard.bytes);
        Ok(Heard {
            at,
            bytes,
            is_game,
            answered,
        })
    }

    /// Waits for a view newer than this revision; tells when it came and how long it was.
    async fn see_after(&mut self, rev: u64) -> Result<(Instant, usize), Loss> {
        loop {
            let heard = self.hear().await?;
            if heard.is_game && self.rev > rev {
                return Ok((heard.at, heard.bytes));
            }
        }
    }
}

/// A random generator for each of many tables, all from one.
pub(crate) fn split(rng: &mut ChaCha8Rng) -> ChaCha8Rng {
    use rand::SeedableRng;
    ChaCha8Rng::seed_from_u64(rng.random())
}
