//! Rooms whose clients play as soon as their views show that they may (closed loop).

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use tokio::task::JoinSet;

use crate::Failure;
use crate::driven_room::DrivenRoom;
use crate::move_tracker::{MoveTracker, RoomCounts};
use crate::placement::Placement;
use crate::rng::fork_rng;
use crate::socket::{ConnectionError, Socket};
use crate::sync::locked;
use crate::wire::{BriefMessage, BriefView, ClientMessage, act_text};

/// The tracker of a room, which its clients share.
pub(crate) type Tracker = Arc<Mutex<MoveTracker>>;

/// Rooms in which a game has begun and nobody has moved.
pub(crate) struct WaitingRooms {
    rooms: Vec<DrivenRoom>,
    seats: usize,
    rng: ChaCha8Rng,
}

/// Rooms in which all clients play.
pub(crate) struct PlayingRooms {
    clients: JoinSet<Result<Infallible, ConnectionError>>,
    trackers: Vec<Tracker>,
    may_move: Arc<AtomicBool>,
}

impl WaitingRooms {
    /// Opens rooms with this number of seats and starts their games. `servers` has the servers of each room.
    pub(crate) async fn open(
        servers: impl Fn(u32) -> Placement,
        count: u32,
        seats: usize,
        mut rng: ChaCha8Rng,
    ) -> Result<Self, Failure> {
        let mut rooms = Vec::new();
        for number in 0..count {
            let room = DrivenRoom::open(servers(number), seats, fork_rng(&mut rng)).await;
            rooms.push(room.map_err(ConnectionError::failed_room)?);
        }
        Ok(Self { rooms, seats, rng })
    }

    /// The number of connections.
    pub(crate) fn connections(&self) -> usize {
        self.rooms.len() * self.seats
    }

    /// Lets all players play.
    pub(crate) fn play(mut self) -> PlayingRooms {
        let may_move = Arc::new(AtomicBool::new(true));
        let mut clients = JoinSet::new();
        let mut trackers = Vec::new();
        for room in self.rooms {
            let players: Vec<_> = room.into_players().collect();
            let received = players.iter().map(|(_, rev, _)| *rev).collect();
            let tracker = Arc::new(Mutex::new(MoveTracker::new(received)));
            for (seat, (socket, rev, legal)) in players.into_iter().enumerate() {
                let client = Client {
                    seat,
                    socket,
                    rev,
                    sent: None,
                    is_ready: false,
                    commands: 0,
                    rng: fork_rng(&mut self.rng),
                    tracker: tracker.clone(),
                    may_move: may_move.clone(),
                };
                clients.spawn(client.play(legal));
            }
            trackers.push(tracker);
        }
        PlayingRooms::new(clients, trackers, may_move)
    }
}

impl PlayingRooms {
    /// Rooms with these clients. The trackers are those of the rooms; `may_move` is shared with all clients.
    pub(crate) fn new(
        clients: JoinSet<Result<Infallible, ConnectionError>>,
        trackers: Vec<Tracker>,
        may_move: Arc<AtomicBool>,
    ) -> Self {
        Self {
            clients,
            trackers,
            may_move,
        }
    }

    /// For each room, the moves and bytes since the last call.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a client has failed.
    pub(crate) fn take_counts(&mut self) -> Result<Vec<RoomCounts>, Failure> {
        if let Some(ended) = self.clients.try_join_next() {
            let panicked = |error| Failure::Aborted(format!("A client panicked: {error}."));
            let Err(error) = ended.map_err(panicked)?;
            return Err(error.failed_room());
        }
        let counts = self.trackers.iter().map(|tracker| locked(tracker).take());
        Ok(counts.collect())
    }

    /// Lets no player make another move.
    pub(crate) fn stop_moves(&self) {
        self.may_move.store(false, Ordering::Relaxed);
    }
}

/// A client of one seat, with a connection of its own.
struct Client {
    seat: usize,
    socket: Socket,
    /// The newest revision of the game that was received.
    rev: u64,
    /// The move that was sent and is not part of a received view.
    sent: Option<SentMove>,
    /// Whether the client has sent that the next round may begin.
    is_ready: bool,
    /// The number of commands sent, from which ids are made.
    commands: u64,
    rng: ChaCha8Rng,
    tracker: Tracker,
    may_move: Arc<AtomicBool>,
}

struct SentMove {
    at: Instant,
    /// The newest revision at that time.
    rev: u64,
    is_pick: bool,
}

#[derive(Deserialize)]
struct Action<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
}

impl Client {
    /// Plays until the connection fails. `legal` has the legal actions at the beginning.
    async fn play(mut self, legal: Vec<String>) -> Result<Infallible, ConnectionError> {
        self.act(&legal).await?;
        loop {
            let (at, text) = self.socket.receive_text().await?;
            locked(&self.tracker).add_bytes(text.len());
            let malformed = |error| ConnectionError::Malformed(format!("{error}"));
            let message: BriefMessage<'_> = serde_json::from_str(&text).map_err(malformed)?;
            match (message.kind, message.view) {
                ("game", Some(view)) => {
                    let legal = message.legal.iter().map(|action| action.get());
                    let legal: Vec<_> = legal.collect();
                    self.receive_view(message.rev, &view, &legal, at).await?;
                }
                ("refused", _) => {
                    let code = message.code.unwrap_or_default();
                    return Err(ConnectionError::Refused(code.to_owned()));
                }
                _ => {}
            }
        }
    }

    /// Receives a view, and sends a move if the seat may act.
    async fn receive_view(
        &mut self,
        rev: u64,
        view: &BriefView,
        legal: &[&str],
        at: Instant,
    ) -> Result<(), ConnectionError> {
        // All seats pick at the same time, so a view after a pick may not contain it yet.
        let may_pick = legal.first().is_some_and(|action| is_pick(action));
        let shows = |sent: &mut SentMove| rev > sent.rev && !(sent.is_pick && may_pick);
        let shown = self.sent.take_if(shows);
        {
            let mut tracker = locked(&self.tracker);
            if let Some(sent) = shown {
                tracker.record_sent(rev, sent.at);
            }
            tracker.record_received(self.seat, rev, at);
        }
        self.rev = self.rev.max(rev);
        if view.to_act.is_empty() {
            self.send_ready().await
        } else {
            self.is_ready = false;
            self.act(legal).await
        }
    }

    /// Sends one of these actions, if there are any and the last one is part of a received view.
    async fn act(&mut self, legal: &[impl AsRef<str>]) -> Result<(), ConnectionError> {
        if self.sent.is_some() || !self.may_move.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some(action) = legal.choose(&mut self.rng) else {
            return Ok(());
        };
        let action = action.as_ref();
        let id = self.next_id();
        let text = act_text(&id, action);
        self.sent = Some(SentMove {
            at: Instant::now(),
            rev: self.rev,
            is_pick: is_pick(action),
        });
        self.socket.send(text).await
    }

    /// Sends once after each round that the next one may begin.
    async fn send_ready(&mut self) -> Result<(), ConnectionError> {
        if self.is_ready {
            return Ok(());
        }
        self.is_ready = true;
        let text = ClientMessage::Ready { ready: true }.text(&self.next_id());
        self.socket.send(text).await
    }

    fn next_id(&mut self) -> String {
        self.commands += 1;
        format!("play-{}", self.commands)
    }
}

fn is_pick(action: &str) -> bool {
    let action: Result<Action<'_>, _> = serde_json::from_str(action);
    action.is_ok_and(|action| action.kind == "pick")
}
