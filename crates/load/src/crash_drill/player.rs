//! A client of a drill, which reconnects after each lost connection.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::select;
use tokio::time::{Instant, sleep, sleep_until};

use super::counters::Counters;
use super::event_log::SeenEvents;
use super::gateways::{Gateways, Route};
use super::room_verifier::RoomVerifier;
use super::seat_verifier::SeatVerifier;
use crate::Failure;
use crate::cluster_drill::{StallBoard, StallRecord};
use crate::socket::{ConnectionError, Socket, TIMEOUT};
use crate::sync::locked;
use crate::token::Token;
use crate::wire::{ChairKind, ClientMessage, GameMessage, Phase, RoomMessage, ServerMessage};

/// The names of the players in the order of their seats.
const NAMES: [&str; 6] = ["Ann", "Bob", "Cem", "Dora", "Emil", "Fay"];
/// One in this many commands is sent twice at once.
const DUPLICATE_ONE_IN: u32 = 16;
/// After one in this many commands the player closes the connection without waiting for the answer.
const CLOSE_ONE_IN: u32 = 64;
/// The errors for a room that does not exist, over HTTP and on a socket.
pub(super) const NO_SUCH_ROOM: [ConnectionError; 2] =
    [ConnectionError::Status(404), ConnectionError::Closed(4004)];
/// The error for a client that sends too fast.
const TOO_MANY_MESSAGES: ConnectionError = ConnectionError::Closed(1008);

/// The data that all players of a drill share.
#[derive(Debug)]
pub(crate) struct DrillContext {
    pub(crate) gateways: Gateways,
    pub(crate) counters: Mutex<Counters>,
    /// The longest pause of a player before a command.
    pub(crate) max_pause: Duration,
    /// The time for which a room may make no progress.
    pub(crate) stall_limit: Duration,
    /// The place where players note their stalls, if these are measured for each of them.
    pub(crate) stalls: Option<Arc<StallBoard>>,
}

impl DrillContext {
    /// The counters, locked.
    pub(crate) fn counters(&self) -> MutexGuard<'_, Counters> {
        locked(&self.counters)
    }
}

/// A scripted client with a seat and a token, which verifies all that it receives.
pub(super) struct DrillPlayer {
    context: Arc<DrillContext>,
    room_verifier: Arc<Mutex<RoomVerifier>>,
    room: String,
    seat: usize,
    token: Token,
    rng: ChaCha8Rng,
    seat_verifier: SeatVerifier,
    seen_events: SeenEvents,
    route: Route,
    record: Option<StallRecord>,
    /// The number of the last command, which is its id.
    commands: u64,
    /// The random number that selects the next one of the legal actions.
    choice: usize,
}

/// The messages that a player has received on one connection.
#[derive(Default)]
struct Session {
    /// Whether `hello` was acknowledged.
    is_admitted: bool,
    room: Option<RoomMessage>,
    game: Option<GameMessage>,
}

/// The reason why a connection is over.
enum ConnectionEnd {
    /// The connection was lost.
    Disconnected(ConnectionError),
    /// The player has closed it, and connects again at once.
    Left,
    Failed(Failure),
}

impl From<ConnectionError> for ConnectionEnd {
    fn from(error: ConnectionError) -> Self {
        Self::Disconnected(error)
    }
}

impl From<Failure> for ConnectionEnd {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl DrillPlayer {
    /// A player for this seat. All their choices follow from the seed.
    pub(super) fn new(
        context: Arc<DrillContext>,
        room_verifier: Arc<Mutex<RoomVerifier>>,
        seat: usize,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let room = locked(&room_verifier).room().to_owned();
        let record = context.stalls.as_ref();
        let record = record.map(|stalls| stalls.player(&room, seat));
        Self {
            room_verifier,
            seat,
            token: Token::new(&mut rng),
            seat_verifier: SeatVerifier::new(room.clone(), seat),
            seen_events: SeenEvents::default(),
            route: Route::new(context.gateways.clone(), rng.random_range(0..usize::MAX)),
            record,
            context,
            rng,
            room,
            commands: 0,
            choice: 0,
        }
    }

    /// Plays until the game is over, and reconnects whenever the connection is lost. After the game, this verifies
    /// that everything is still there.
    ///
    /// # Errors
    /// [`Failure`] says which promise was broken, or why the player cannot go on.
    pub(super) async fn play(&mut self) -> Result<(), Failure> {
        loop {
            let error = match self.connect().await {
                Ok(()) => {
                    self.record.iter().for_each(StallRecord::note_end);
                    return self.seat_verifier.verify_end();
                }
                Err(ConnectionEnd::Failed(failure)) => return Err(failure),
                Err(ConnectionEnd::Left) => continue,
                Err(ConnectionEnd::Disconnected(error)) => error,
            };
            self.record.iter().for_each(StallRecord::note_lost);
            self.check_disconnect(&error)?;
            let pause = self.route.advance(&error, &mut self.rng);
            sleep(pause).await;
        }
    }

    /// Restarts the time in which the room has to make progress.
    pub(super) fn restart_stall_timer(&self) {
        locked(&self.room_verifier).restart_stall_timer();
    }

    /// The number of acknowledged actions.
    pub(super) fn acknowledged(&self) -> usize {
        self.seat_verifier.acknowledged()
    }

    /// A lost connection is allowed, unless the room is gone or makes no progress.
    fn check_disconnect(&self, error: &ConnectionError) -> Result<(), Failure> {
        let (room, seat) = (&self.room, self.seat);
        if NO_SUCH_ROOM.contains(error) {
            let words = format!("Room {room} was opened and is gone: {error}.");
            return Err(Failure::Violation(words));
        }
        if matches!(error, ConnectionError::Malformed(_)) {
            return Err(Failure::Violation(format!(
                "Room {room}, seat {seat}: {error}."
            )));
        }
        if *error == TOO_MANY_MESSAGES {
            let words = format!("{error}: the limits of the server are too low for a drill.");
            return Err(Failure::Aborted(words));
        }
        self.check_progress(&format!("; the last error was: {error}"))
    }

    fn check_progress(&self, details: &str) -> Result<(), Failure> {
        let room_verifier = locked(&self.room_verifier);
        if room_verifier.stalled_for() < self.context.stall_limit {
            return Ok(());
        }
        let (room, seat) = (&self.room, self.seat);
        let (rev, pending) = (room_verifier.newest(), self.seat_verifier.pending());
        let waits = match pending {
            Some(pending) => format!("waits for an answer to `{}`", pending.id),
            None => "waits for nothing".into(),
        };
        Err(Failure::Violation(format!(
            "Room {room} makes no progress after revision {rev}; seat {seat} {waits}{details}."
        )))
    }

    /// Plays on one connection until the game is over.
    async fn connect(&mut self) -> Result<(), ConnectionEnd> {
        let newest = locked(&self.room_verifier).newest();
        if let Some(gateway) = self.record.as_ref().and_then(StallRecord::target_gateway) {
            self.route.go_to(gateway);
        }
        if let Some(record) = &self.record {
            record.note_connecting(self.route.index());
        }
        let mut socket = Socket::open(self.route.address(), &self.room).await?;
        self.context.counters().connections += 1;
        self.seat_verifier.note_connection(newest);
        let hello = self.next_id();
        let message = ClientMessage::hello_again(&self.token, self.seen_events.rev);
        self.send(&mut socket, &hello, &message).await?;

        let mut session = Session::default();
        // The time of the next command, if there is one.
        let mut due = None;
        let mut receive_by = Instant::now() + TIMEOUT;
        loop {
            if self.is_over(&session) {
                return Ok(());
            }
            match self.next_command(&session) {
                None => due = None,
                Some(_) if due.is_some() => {}
                Some(_) => due = Some(Instant::now() + self.random_pause()),
            }
            let expects_message = !session.is_admitted || self.seat_verifier.pending().is_some();
            select! {
                received = socket.receive() => {
                    let message = received?;
                    self.apply(&mut socket, &mut session, &hello, message).await?;
                    receive_by = Instant::now() + TIMEOUT;
                }
                () = sleep_until(due.unwrap_or(receive_by)), if due.is_some() => {
                    due = None;
                    if let Some(command) = self.next_command(&session) {
                        self.send_new(&mut socket, command).await?;
                    }
                }
                () = sleep_until(receive_by) => {
                    self.check_progress("")?;
                    if expects_message {
                        return Err(ConnectionError::Timeout.into());
                    }
                    receive_by = Instant::now() + TIMEOUT;
                }
            }
        }
    }

    /// Verifies a message and applies it to the session.
    async fn apply(
        &mut self,
        socket: &mut Socket,
        session: &mut Session,
        hello: &str,
        message: ServerMessage,
    ) -> Result<(), ConnectionEnd> {
        match message {
            ServerMessage::Welcome { you } => self.seat_verifier.verify_welcome(you)?,
            ServerMessage::Ok { id } => {
                let was_pending = self
                    .seat_verifier
                    .pending()
                    .is_some_and(|pending| pending.id == id);
                let is_action = self.seat_verifier.verify_ok(&id)?;
                if was_pending {
                    self.context.counters().note_acknowledged(is_action);
                    self.record.iter().for_each(StallRecord::note_progress);
                }
                if id == hello {
                    session.is_admitted = true;
                    self.route.note_admitted();
                    self.resend(socket).await?;
                }
            }
            ServerMessage::Refused { id, code } => {
                self.seat_verifier.verify_refused(id.as_deref(), &code)?;
            }
            ServerMessage::Room(room) => {
                locked(&self.room_verifier).note_room(&room, &mut self.seen_events);
                self.seat_verifier.verify_room(&room)?;
                session.room = Some(room);
            }
            ServerMessage::Game(game) => {
                let seen = self.seen_events.rev;
                locked(&self.room_verifier).verify_game(&game, &mut self.seen_events)?;
                self.seat_verifier.verify_game(&game)?;
                if seen.is_none_or(|rev| rev < game.rev) {
                    self.record.iter().for_each(StallRecord::note_progress);
                }
                session.game = Some(game);
            }
            ServerMessage::Sheet(sheet) => {
                locked(&self.room_verifier).verify_sheet(&sheet)?;
                self.seat_verifier.note_sheet(&sheet);
            }
            ServerMessage::Closing {
                reason,
                retry_after_ms,
            } => self.route.note_closing(&reason, retry_after_ms)?,
            ServerMessage::Other => {}
        }
        Ok(())
    }

    /// Whether the game is over, and nothing is missing of what was acknowledged.
    fn is_over(&self, session: &Session) -> bool {
        let is_over = |room: &RoomMessage| room.table.phase == Phase::Over;
        session.room.as_ref().is_some_and(is_over)
            && self.seat_verifier.pending().is_none()
            && session
                .game
                .as_ref()
                .is_some_and(|game| finished_round(game).is_some())
            && self.seat_verifier.is_current()
    }

    /// The next command of the player, if it is their turn to do something. A player sends a command only when
    /// the last one was answered.
    fn next_command(&self, session: &Session) -> Option<ClientMessage> {
        let verifier = &self.seat_verifier;
        let room = session.room.as_ref()?;
        if !session.is_admitted || verifier.pending().is_some() {
            return None;
        }
        if !verifier.is_seated() {
            return Some(ClientMessage::Sit {
                name: NAMES[self.seat].into(),
                seat: self.seat,
            });
        }
        match room.table.phase {
            Phase::Lobby => {
                let mut chairs = room.table.chairs.iter();
                let is_full = chairs.all(|chair| chair.kind == ChairKind::Person);
                let starts = room.you.host && is_full && !verifier.has_started();
                starts.then_some(ClientMessage::Start)
            }
            Phase::Playing => {
                let game = session.game.as_ref().filter(|_| verifier.is_current())?;
                match finished_round(game) {
                    Some(round) if verifier.is_ready_after(round) => None,
                    Some(_) => Some(ClientMessage::Ready { ready: true }),
                    None => {
                        let index = self.choice.checked_rem(game.legal.len())?;
                        let action = game.legal[index].clone();
                        Some(ClientMessage::Act { action })
                    }
                }
            }
            Phase::Paused | Phase::Over => None,
        }
    }
}

// Commands of a player.
impl DrillPlayer {
    fn next_id(&mut self) -> String {
        self.commands += 1;
        self.commands.to_string()
    }

    /// The pause before the next command.
    fn random_pause(&mut self) -> Duration {
        let micros = self.context.max_pause.as_micros() as u64;
        Duration::from_micros(self.rng.random_range(0..=micros))
    }

    async fn send(
        &mut self,
        socket: &mut Socket,
        id: &str,
        command: &ClientMessage,
    ) -> Result<(), ConnectionError> {
        self.seat_verifier.note_sent(id);
        socket.send(command.text(id)).await
    }

    /// Sends a new command, some of them twice. Some of them are followed by a disconnect.
    async fn send_new(
        &mut self,
        socket: &mut Socket,
        command: ClientMessage,
    ) -> Result<(), ConnectionEnd> {
        let id = self.next_id();
        self.choice = self.rng.random_range(0..usize::from(u16::MAX));
        self.seat_verifier.note_command(id.clone(), command.clone());
        self.send(socket, &id, &command).await?;
        if self.rng.random_ratio(1, DUPLICATE_ONE_IN) {
            self.send(socket, &id, &command).await?;
            self.context.counters().duplicated += 1;
        }
        let may_leave = self.record.as_ref().is_none_or(StallRecord::may_leave);
        let should_move = self.record.as_ref().is_some_and(StallRecord::should_move);
        if should_move || self.rng.random_ratio(1, CLOSE_ONE_IN) && may_leave {
            self.context.counters().closed_on_purpose += 1;
            return Err(ConnectionEnd::Left);
        }
        Ok(())
    }

    /// Sends the unanswered command again, if there is one.
    async fn resend(&mut self, socket: &mut Socket) -> Result<(), ConnectionError> {
        let Some(pending) = self.seat_verifier.pending().cloned() else {
            return Ok(());
        };
        self.context.counters().resent += 1;
        self.send(socket, &pending.id, &pending.command).await
    }
}

/// The number of the round, if it is over in this view.
fn finished_round(game: &GameMessage) -> Option<u16> {
    let table = &game.view.table;
    let is_over = table.get("phase")? == "round_end";
    let round = table.get("round")?.as_u64()?;
    is_over.then_some(round.try_into().ok()?)
}
