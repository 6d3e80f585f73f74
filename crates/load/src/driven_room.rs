//! A room in which one task drives all players: they make random legal moves.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::select_all;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use tokio::time::sleep_until;

use crate::connector::Connector;
use crate::http;
use crate::placement::Placement;
use crate::socket::{ConnectionError, Socket};
use crate::token::Token;
use crate::wire::{BriefMessage, ClientMessage, OpenRoom, act_text};

/// The most rounds of a game: a driven room never ends by itself.
const ROUNDS: u8 = 30;
/// The path of the requests that open and list rooms.
pub(crate) const ROOMS_PATH: &str = "/api/rooms";
/// The level of the bots that search.
pub(crate) const EXPERT: &str = "expert";
/// The level of the bots that play without a search.
pub(crate) const BEGINNER: &str = "beginner";
/// The names of the players in the order of their seats.
const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

/// A room with the sockets of all its players.
pub(crate) struct DrivenRoom {
    pub(crate) code: String,
    players: Vec<DrivenPlayer>,
    rng: ChaCha8Rng,
    /// The number of commands sent, from which ids are made.
    commands: u64,
}

struct DrivenPlayer {
    socket: Socket,
    /// The newest revision of the game that the player has received.
    rev: u64,
    /// The legal actions at that revision, as JSON.
    legal: Vec<String>,
    /// Whether any seat was to act at that revision.
    is_pending: bool,
}

/// A move that all players have received.
#[derive(Debug)]
pub(crate) struct Move {
    /// The time when it was due.
    pub(crate) due_at: Instant,
    /// The time when it was sent.
    pub(crate) sent_at: Instant,
    /// The time until the last player received it.
    pub(crate) latency: Duration,
    /// For each player, the bytes of the message with the move, and whether the player is to act after it.
    pub(crate) messages: Vec<(usize, bool)>,
}

/// Opens a room and returns its code.
///
/// # Errors
/// [`ConnectionError::Refused`] if the server refuses it.
pub(crate) async fn open_room(
    connector: impl Into<Connector>,
    room: &OpenRoom,
) -> Result<String, ConnectionError> {
    let response = http::post(connector, ROOMS_PATH, room).await?;
    let refused = response.field("code").map(ConnectionError::Refused);
    let code = response.field("room");
    code.ok_or_else(|| refused.unwrap_or(ConnectionError::Status(response.status)))
}

impl DrivenRoom {
    /// Opens a room with this number of people, and starts a game with as many rounds as possible. All players
    /// have received their hands.
    pub(crate) async fn open(
        servers: impl Into<Placement>,
        seats: usize,
        rng: ChaCha8Rng,
    ) -> Result<Self, ConnectionError> {
        Self::with_bots(servers, seats, 0, EXPERT, rng).await
    }

    /// Opens a room as [`Self::open`] does, with this number of bots of this level on the last seats.
    pub(crate) async fn with_bots(
        servers: impl Into<Placement>,
        seats: usize,
        bots: usize,
        level: &str,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, ConnectionError> {
        let servers = servers.into();
        let code = open_room(servers.opener, &OpenRoom::with_rounds(seats, ROUNDS)).await?;
        let mut players = Vec::with_capacity(seats);
        for seat in 0..seats - bots {
            let token = Token::new(&mut rng);
            players.push(DrivenPlayer {
                socket: Socket::open_with_hello(servers.gateway(seat), &code, &token).await?,
                rev: 0,
                legal: Vec::new(),
                is_pending: false,
            });
        }
        let mut room = Self {
            code,
            players,
            rng,
            commands: 0,
        };
        for (seat, name) in NAMES.iter().enumerate().take(seats - bots) {
            let name = format!("Player {name}");
            room.request(seat, ClientMessage::Sit { name, seat })
                .await?;
        }
        for _ in 0..bots {
            let level = level.to_owned();
            room.request(0, ClientMessage::AddBot { level }).await?;
        }
        room.request(0, ClientMessage::Start).await?;
        room.wait_for_all(0).await?;
        Ok(room)
    }

    /// Makes one move: a player who is to act sends an action, and all receive it. If a round or a game is over,
    /// the next one begins before that.
    pub(crate) async fn make_move(&mut self) -> Result<Move, ConnectionError> {
        self.make_due_move(Instant::now()).await
    }

    /// Makes this number of moves, each as [`Self::make_move`] does.
    pub(crate) async fn make_moves(&mut self, count: u64) -> Result<(), ConnectionError> {
        for _ in 0..count {
            self.make_move().await?;
        }
        Ok(())
    }

    /// Makes one move as [`Self::make_move`] does. It was to be sent at this time.
    async fn make_due_move(&mut self, due_at: Instant) -> Result<Move, ConnectionError> {
        if self.actor().is_none() {
            self.start_next().await?;
        }
        let stuck = || ConnectionError::Malformed("no seat can act".to_owned());
        let actor = self.actor().ok_or_else(stuck)?;
        let player = &self.players[actor];
        let rev = player.rev;
        let action = player.legal.choose(&mut self.rng);
        let action = action.ok_or_else(stuck)?.clone();
        let text = act_text(&self.next_id(), &action);

        let sent_at = Instant::now();
        self.players[actor].socket.send(text).await?;
        let mut last = sent_at;
        let mut messages = Vec::with_capacity(self.players.len());
        for player in &mut self.players {
            let (at, bytes) = player.receive_after(rev).await?;
            last = last.max(at);
            messages.push((bytes, !player.legal.is_empty()));
        }
        Ok(Move {
            due_at,
            sent_at,
            latency: last.duration_since(sent_at),
            messages,
        })
    }

    /// Makes a move in each `interval` until `stop` is set. A late move is sent at once; the due times do not shift. The
    /// next round begins as soon as one is over, so that this delays no move.
    pub(crate) async fn play_at_rate(
        &mut self,
        interval: Duration,
        offset: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<Move>, ConnectionError> {
        let mut next = tokio::time::Instant::now() + offset;
        let mut moves = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            sleep_until(next).await;
            moves.push(self.make_due_move(next.into_std()).await?);
            next += interval;
            if self.actor().is_none() {
                self.start_next().await?;
            }
        }
        Ok(moves)
    }

    /// Reads all sockets until `stop` is ready, so that pings are answered. Nobody moves.
    pub(crate) async fn idle_until(
        &mut self,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ConnectionError> {
        let mut stop = pin!(stop);
        loop {
            let players = self.players.iter_mut();
            let received = players.map(|player| Box::pin(player.receive_without_limit()));
            tokio::select! {
                () = &mut stop => return Ok(()),
                (received, ..) = select_all(received) => received?,
            };
        }
    }

    /// Makes one move in a room with bots: a person acts, or the next action of a bot is awaited.
    pub(crate) async fn make_move_among_bots(&mut self) -> Result<(), ConnectionError> {
        let Some(actor) = self.actor() else {
            return if self.players[0].is_pending {
                // A bot is to act.
                let player = &mut self.players[0];
                player.receive_after(player.rev).await?;
                self.catch_up_with(0).await
            } else {
                self.start_next().await
            };
        };
        let action = self.players[actor].legal.choose(&mut self.rng);
        let action = action.expect("an actor has legal actions").clone();
        let id = self.next_id();
        self.request_text(actor, &id, act_text(&id, &action))
            .await?;
        // The answer precedes the view with the move. A bot may have acted before.
        let player = &mut self.players[actor];
        player.receive_after(player.rev).await?;
        self.catch_up_with(actor).await
    }

    /// Waits until all players have received what this one has.
    async fn catch_up_with(&mut self, player: usize) -> Result<(), ConnectionError> {
        let rev = self.players[player].rev;
        self.wait_for_all(rev.saturating_sub(1)).await
    }

    /// The sockets of all players, each with the newest revision that the player has received and the legal actions.
    pub(crate) fn into_players(self) -> impl Iterator<Item = (Socket, u64, Vec<String>)> {
        let players = self.players.into_iter();
        players.map(|player| (player.socket, player.rev, player.legal))
    }

    /// The sockets of all players.
    pub(crate) fn into_sockets(self) -> impl Iterator<Item = Socket> {
        self.players.into_iter().map(|player| player.socket)
    }

    /// Counts the messages that the players receive from now on.
    pub(crate) fn count_messages(&mut self, messages: &Arc<AtomicU64>) {
        for player in &mut self.players {
            player.socket.count_messages(messages.clone());
        }
    }

    /// The revision that all players have received.
    pub(crate) fn rev(&self) -> u64 {
        let revs = self.players.iter().map(|player| player.rev);
        revs.min().unwrap_or_default()
    }

    /// Plays to the end of the round, and begins the next one or a rematch. Returns the number of moves.
    pub(crate) async fn play_round(&mut self) -> Result<u64, ConnectionError> {
        let mut moves = 0;
        while self.actor().is_some() {
            self.make_move().await?;
            moves += 1;
        }
        self.start_next().await?;
        Ok(moves)
    }

    /// Ends the game after one of its rounds, and starts another one.
    pub(crate) async fn restart_game(&mut self) -> Result<(), ConnectionError> {
        for command in [ClientMessage::End, ClientMessage::Rematch] {
            let rev = self.players.iter().map(|player| player.rev).max();
            self.request(0, command).await?;
            self.wait_for_all(rev.unwrap_or_default()).await?;
        }
        Ok(())
    }

    /// A player who can act.
    fn actor(&self) -> Option<usize> {
        let can_act = |player: &DrivenPlayer| !player.legal.is_empty();
        self.players.iter().position(can_act)
    }

    /// Starts the next round or a rematch: all players say that they are ready.
    async fn start_next(&mut self) -> Result<(), ConnectionError> {
        let rev = self.players.iter().map(|player| player.rev).max();
        for seat in 0..self.players.len() {
            self.request(seat, ClientMessage::Ready { ready: true })
                .await?;
        }
        self.wait_for_all(rev.unwrap_or_default()).await
    }

    /// Waits until all players have received a later revision than this one.
    async fn wait_for_all(&mut self, rev: u64) -> Result<(), ConnectionError> {
        for player in &mut self.players {
            if player.rev <= rev {
                player.receive_after(rev).await?;
            }
        }
        Ok(())
    }

    /// Sends a command and waits for its answer.
    async fn request(
        &mut self,
        seat: usize,
        command: ClientMessage,
    ) -> Result<(), ConnectionError> {
        let id = self.next_id();
        self.request_text(seat, &id, command.text(&id)).await
    }

    /// Sends a command with this id and waits for its answer.
    async fn request_text(
        &mut self,
        seat: usize,
        id: &str,
        text: String,
    ) -> Result<(), ConnectionError> {
        let player = &mut self.players[seat];
        player.socket.send(text).await?;
        while player.receive().await?.answered.as_deref() != Some(id) {}
        Ok(())
    }

    fn next_id(&mut self) -> String {
        self.commands += 1;
        self.commands.to_string()
    }
}

/// The parts of a message that a player reads.
struct Received {
    at: Instant,
    bytes: usize,
    is_game: bool,
    /// The id of the command that was answered.
    answered: Option<String>,
}

impl DrivenPlayer {
    /// Receives the next message in time and applies it.
    async fn receive(&mut self) -> Result<Received, ConnectionError> {
        let (at, text) = self.socket.receive_text_in_time().await?;
        self.apply(at, &text)
    }

    /// Receives the next message as [`Self::receive`] does, without a time limit. The future can be dropped.
    async fn receive_without_limit(&mut self) -> Result<Received, ConnectionError> {
        let (at, text) = self.socket.receive_text().await?;
        self.apply(at, &text)
    }

    fn apply(&mut self, at: Instant, text: &str) -> Result<Received, ConnectionError> {
        let malformed = |error| ConnectionError::Malformed(format!("{error}"));
        let message: BriefMessage<'_> = serde_json::from_str(text).map_err(malformed)?;
        let mut received = Received {
            at,
            bytes: text.len(),
            is_game: false,
            answered: None,
        };
        match (message.kind, message.view) {
            ("game", Some(view)) => {
                self.rev = message.rev;
                let legal = message.legal.iter().map(|action| action.get().to_owned());
                self.legal = legal.collect();
                self.is_pending = !view.to_act.is_empty();
                received.is_game = true;
            }
            ("ok", _) => received.answered = message.id.map(str::to_owned),
            ("refused", _) => {
                let code = message.code.unwrap_or_default();
                return Err(ConnectionError::Refused(code.to_owned()));
            }
            _ => {}
        }
        Ok(received)
    }

    /// Waits for a view newer than this revision. Returns when it was received, and its length.
    async fn receive_after(&mut self, rev: u64) -> Result<(Instant, usize), ConnectionError> {
        loop {
            let received = self.receive().await?;
            if received.is_game && self.rev > rev {
                return Ok((received.at, received.bytes));
            }
        }
    }
}
