//! Rooms in which only bots play while people watch.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::stalls::StallRecord;
use crate::Failure;
use crate::crash_drill::{DrillContext, RoomVerifier, Route, SeenEvents, joined, open_room};
use crate::driven_room::BEGINNER;
use crate::socket::{ConnectionError, Socket, TIMEOUT};
use crate::sync::locked;
use crate::token::Token;
use crate::wire::{ChairKind, ClientMessage, GameMessage, Phase, RoomMessage, ServerMessage};

/// The number of clients that watch. The first one sits down, lets bots play, and stands up.
const WATCHERS: usize = 3;
/// The interval at which a client looks whether the drill is over.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Lets bots play, one game after another, until the drill stops.
pub(super) async fn run(
    context: Arc<DrillContext>,
    seats: u8,
    mut rng: ChaCha8Rng,
    stop: Arc<AtomicBool>,
) -> Result<(), Failure> {
    while !stop.load(Ordering::Relaxed) {
        let first = rng.random_range(0..context.gateways.addresses.len());
        let code = open_room(&context, first, seats, 1).await?;
        let verifier = Arc::new(Mutex::new(RoomVerifier::new(code.clone())));
        let mut watching = JoinSet::new();
        for index in 0..WATCHERS {
            let mut rng = ChaCha8Rng::seed_from_u64(rng.random());
            let watcher = Watcher {
                token: Token::new(&mut rng),
                route: Route::new(context.gateways.clone(), first + index),
                record: context.stalls.as_ref().map(|stalls| stalls.watcher(&code)),
                context: context.clone(),
                verifier: verifier.clone(),
                seen: SeenEvents::default(),
                pending: None,
                commands: 0,
                is_host: index == 0,
                rng,
            };
            watching.spawn(watcher.run(stop.clone()));
        }
        while let Some(watcher) = watching.join_next().await {
            joined(watcher)?;
        }
    }
    Ok(())
}

struct Watcher {
    context: Arc<DrillContext>,
    verifier: Arc<Mutex<RoomVerifier>>,
    token: Token,
    route: Route,
    record: Option<StallRecord>,
    seen: SeenEvents,
    /// The command without an answer.
    pending: Option<(String, ClientMessage)>,
    commands: u64,
    is_host: bool,
    rng: ChaCha8Rng,
}

/// The state of a connection.
#[derive(Default)]
struct Session {
    /// The id of the `hello`.
    hello: String,
    is_admitted: bool,
    /// The newest revision of the room.
    room: u64,
    /// The newest revision of the game.
    game: u64,
}

enum End {
    Over,
    Lost(ConnectionError),
    Failed(Failure),
}

impl From<ConnectionError> for End {
    fn from(error: ConnectionError) -> Self {
        Self::Lost(error)
    }
}

impl Watcher {
    async fn run(mut self, stop: Arc<AtomicBool>) -> Result<(), Failure> {
        loop {
            let error = match self.connect(&stop).await {
                End::Over => {
                    self.record.iter().for_each(StallRecord::note_end);
                    return Ok(());
                }
                End::Failed(failure) => return Err(failure),
                End::Lost(error) => error,
            };
            self.record.iter().for_each(StallRecord::note_lost);
            let room = locked(&self.verifier).room().to_owned();
            let gone = [ConnectionError::Status(404), ConnectionError::Closed(4004)];
            if gone.contains(&error) || matches!(error, ConnectionError::Malformed(_)) {
                return Err(Failure::Violation(format!("Room {room} of bots: {error}.")));
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let pause = self.route.advance(&error, &mut self.rng);
            sleep(pause).await;
        }
    }

    /// Watches on one connection until the game is over.
    async fn connect(&mut self, stop: &AtomicBool) -> End {
        match self.try_connect(stop).await {
            Ok(()) => End::Over,
            Err(end) => end,
        }
    }

    async fn try_connect(&mut self, stop: &AtomicBool) -> Result<(), End> {
        let code = locked(&self.verifier).room().to_owned();
        if let Some(record) = &self.record {
            record.note_connecting(self.route.index());
        }
        let mut socket = Socket::open(self.route.address(), &code).await?;
        let hello = self.next_id();
        let message = ClientMessage::hello_again(&self.token, self.seen.rev);
        socket.send(message.text(&hello)).await?;
        let mut session = Session {
            hello,
            ..Session::default()
        };
        let mut silent = Duration::ZERO;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Ok(received) = timeout(CHECK_INTERVAL, socket.receive()).await else {
                silent += CHECK_INTERVAL;
                let expects = !session.is_admitted || self.pending.is_some();
                self.check_progress().map_err(End::Failed)?;
                if expects && silent >= TIMEOUT {
                    return Err(ConnectionError::Timeout.into());
                }
                continue;
            };
            silent = Duration::ZERO;
            if self.take(&mut socket, &mut session, received?).await? {
                return Ok(());
            }
        }
    }

    /// Takes a message. Returns whether the game is over.
    async fn take(
        &mut self,
        socket: &mut Socket,
        session: &mut Session,
        message: ServerMessage,
    ) -> Result<bool, End> {
        match message {
            ServerMessage::Ok { id } => {
                if id == session.hello {
                    session.is_admitted = true;
                    self.route.note_admitted();
                    if let Some((id, command)) = &self.pending {
                        socket.send(command.text(id)).await?;
                    }
                }
                self.pending.take_if(|(pending, _)| *pending == id);
            }
            ServerMessage::Refused { code, .. } => {
                return Err(self.violation(&format!("a command was refused as {code}")));
            }
            ServerMessage::Room(room) => {
                if self.take_room(session, &room)? {
                    return Ok(true);
                }
                if let Some(command) = self.next_command(session, &room) {
                    let id = self.next_id();
                    socket.send(command.text(&id)).await?;
                    self.pending = Some((id, command));
                }
            }
            ServerMessage::Game(game) => self.take_game(session, &game)?,
            ServerMessage::Closing {
                reason,
                retry_after_ms,
            } => self.route.note_closing(&reason, retry_after_ms)?,
            ServerMessage::Welcome { .. } | ServerMessage::Sheet(_) | ServerMessage::Other => {}
        }
        Ok(false)
    }

    /// Verifies a `game` message.
    fn take_game(&mut self, session: &mut Session, game: &GameMessage) -> Result<(), End> {
        if game.rev < session.game {
            return Err(self.violation("a revision of the game came after a later one"));
        }
        if game.view.own.is_some() && game.view.seat.is_none() {
            return Err(self.violation("a spectator sees a hand"));
        }
        session.game = game.rev;
        let is_new = self.seen.rev.is_none_or(|rev| rev < game.rev);
        let verified = locked(&self.verifier).verify_game(game, &mut self.seen);
        verified.map_err(End::Failed)?;
        if is_new {
            self.record.iter().for_each(StallRecord::note_progress);
        }
        Ok(())
    }

    /// Verifies a `room` message. Returns whether the game is over.
    fn take_room(&mut self, session: &mut Session, room: &RoomMessage) -> Result<bool, End> {
        if room.rev < session.room {
            return Err(self.violation("a revision of the room came after a later one"));
        }
        session.room = room.rev;
        locked(&self.verifier).note_room(room, &mut self.seen);
        Ok(room.table.phase == Phase::Over)
    }

    /// The next command of the host, who gives all seats to bots.
    fn next_command(&self, session: &Session, room: &RoomMessage) -> Option<ClientMessage> {
        if !self.is_host || !session.is_admitted || self.pending.is_some() {
            return None;
        }
        let has_free_chair = room
            .table
            .chairs
            .iter()
            .any(|chair| chair.kind == ChairKind::Free);
        match (room.table.phase, room.you.seat) {
            (Phase::Lobby, None) => Some(ClientMessage::Sit {
                name: "Ann".into(),
                seat: 0,
            }),
            (Phase::Lobby, Some(_)) if has_free_chair => Some(ClientMessage::AddBot {
                level: BEGINNER.into(),
            }),
            (Phase::Lobby, Some(_)) => Some(ClientMessage::Start),
            (Phase::Playing, Some(_)) => Some(ClientMessage::Stand),
            _ => None,
        }
    }

    fn check_progress(&self) -> Result<(), Failure> {
        let verifier = locked(&self.verifier);
        if verifier.stalled_for() < self.context.stall_limit {
            return Ok(());
        }
        let (room, rev) = (verifier.room(), verifier.newest());
        Err(Failure::Violation(format!(
            "Room {room}, in which bots play, makes no progress after revision {rev}."
        )))
    }

    fn next_id(&mut self) -> String {
        self.commands += 1;
        self.commands.to_string()
    }

    fn violation(&self, what: &str) -> End {
        let room = locked(&self.verifier).room().to_owned();
        End::Failed(Failure::Violation(format!(
            "Room {room}, in which bots play: {what}."
        )))
    }
}
