//! A client that always comes back.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::select;
use tokio::time::{Instant, sleep, sleep_until};

use super::chronicle::Chronicle;
use super::tally::Tally;
use super::witness::Witness;
use crate::Failure;
use crate::secret::Secret;
use crate::socket::{Loss, PATIENCE, Socket};
use crate::wire::{Command, Game, Kind, Message, Phase, Room};

/// What the people at a table are called.
const NAMES: [&str; 6] = ["Ann", "Bob", "Cem", "Dora", "Emil", "Fay"];
/// How long somebody waits before he tries to connect again, in milliseconds.
const RETRY: std::ops::Range<u64> = 10..60;
/// One of so many commands is said twice at once.
const DOUBLED: u32 = 16;
/// After one of so many commands the player drops his connection without waiting for the answer.
const DROPPED: u32 = 64;
/// The codes of HTTP and of sockets for a table that does not exist.
const NO_SUCH_ROOM: [Loss; 2] = [Loss::Status(404), Loss::Closed(4004)];
/// The code for somebody who says too much.
const FLOODING: Loss = Loss::Closed(1008);

/// What the players of a drill have in common.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) address: SocketAddr,
    pub(super) tally: Mutex<Tally>,
    /// The longest time a player thinks before he acts.
    pub(super) think: Duration,
    /// How long a table may stand still.
    pub(super) patience: Duration,
}

impl Surroundings {
    /// The figures.
    pub(super) fn tally(&self) -> MutexGuard<'_, Tally> {
        locked(&self.tally)
    }
}

/// A value that nobody panics with in his hands.
pub(super) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().expect("nobody panics while he holds it")
}

/// A scripted client with a seat, a secret and a memory.
pub(super) struct Player {
    surroundings: Arc<Surroundings>,
    chronicle: Arc<Mutex<Chronicle>>,
    room: String,
    seat: usize,
    secret: Secret,
    rng: ChaCha8Rng,
    witness: Witness,
    /// The number of the last message, which is its id.
    said: u64,
    /// Which of the legal actions comes next.
    choice: usize,
}

/// What a player has been told on one connection.
#[derive(Default)]
struct Seen {
    greeted: bool,
    room: Option<Room>,
    game: Option<Game>,
}

/// Why a player is not connected any more.
enum Stop {
    Lost(Loss),
    Failed(Failure),
}

impl From<Loss> for Stop {
    fn from(loss: Loss) -> Self {
        Self::Lost(loss)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Player {
    /// Somebody who will sit here; his choices follow from the seed.
    pub(super) fn new(
        surroundings: Arc<Surroundings>,
        chronicle: Arc<Mutex<Chronicle>>,
        seat: usize,
        seed: u64,
    ) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let room = locked(&chronicle).room().to_owned();
        Self {
            surroundings,
            chronicle,
            seat,
            secret: Secret::new(&mut rng),
            rng,
            witness: Witness::new(room.clone(), seat),
            room,
            said: 0,
            choice: 0,
        }
    }

    /// Plays until the game is over, however often the connection is lost. Who has done so can do
    /// it again: then he looks whether everything is still there.
    pub(super) async fn play(&mut self) -> Result<(), Failure> {
        loop {
            match self.connect().await {
                Ok(()) => return self.witness.finish(),
                Err(Stop::Failed(failure)) => return Err(failure),
                Err(Stop::Lost(loss)) => self.bear(loss)?,
            }
            let pause = self.rng.random_range(RETRY);
            sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Begins to wait for something to happen.
    pub(super) fn begin(&self) {
        locked(&self.chronicle).wait_anew();
    }

    /// How many actions were acknowledged.
    pub(super) fn acknowledged(&self) -> usize {
        self.witness.acknowledged()
    }

    /// A lost connection is nothing special; but the table must not be gone, nor stand still.
    fn bear(&self, loss: Loss) -> Result<(), Failure> {
        let (room, seat) = (&self.room, self.seat);
        if NO_SUCH_ROOM.contains(&loss) {
            let words = format!("Table {room} was opened and is gone: {loss}.");
            return Err(Failure::Broken(words));
        }
        if matches!(loss, Loss::Unreadable(_)) {
            return Err(Failure::Broken(format!(
                "Table {room}, seat {seat}: {loss}."
            )));
        }
        if loss == FLOODING {
            let words = format!("{loss}: its limits have to be raised.");
            return Err(Failure::Trouble(words));
        }
        self.be_patient(&format!("; the last loss was: {loss}"))
    }

    fn be_patient(&self, more: &str) -> Result<(), Failure> {
        let chronicle = locked(&self.chronicle);
        if chronicle.quiet_for() < self.surroundings.patience {
            return Ok(());
        }
        let (room, seat) = (&self.room, self.seat);
        let (rev, pending) = (chronicle.newest(), self.witness.pending());
        let waits = match pending {
            Some(pending) => format!("waits for an answer to `{}`", pending.id),
            None => "waits for nothing".into(),
        };
        Err(Failure::Broken(format!(
            "Table {room} stands still at revision {rev}; seat {seat} {waits}{more}."
        )))
    }

    /// One connection, until the game is over.
    async fn connect(&mut self) -> Result<(), Stop> {
        let newest = locked(&self.chronicle).newest();
        let mut socket = Socket::open(self.surroundings.address, &self.room).await?;
        self.surroundings.tally().connections += 1;
        self.witness.arrive(newest);
        let token = self.secret.text().to_owned();
        let hello = self.next_id();
        self.say(&mut socket, &hello, &Command::Hello { token })
            .await?;

        let mut seen = Seen::default();
        // When the next command is said, if there is one.
        let mut due = None;
        let mut heard_by = Instant::now() + PATIENCE;
        loop {
            if self.is_over(&seen) {
                return Ok(());
            }
            match self.wish(&seen) {
                None => due = None,
                Some(_) if due.is_some() => {}
                Some(_) => due = Some(Instant::now() + self.thought()),
            }
            let waits = !seen.greeted || self.witness.pending().is_some();
            select! {
                heard = socket.hear() => {
                    self.take_in(&mut socket, &mut seen, &hello, heard?.message).await?;
                    heard_by = Instant::now() + PATIENCE;
                }
                () = sleep_until(due.unwrap_or(heard_by)), if due.is_some() => {
                    due = None;
                    if let Some(command) = self.wish(&seen) {
                        self.ask(&mut socket, command).await?;
                    }
                }
                () = sleep_until(heard_by) => {
                    self.be_patient("")?;
                    if waits {
                        return Err(Loss::Late.into());
                    }
                    heard_by = Instant::now() + PATIENCE;
                }
            }
        }
    }

    /// Takes in a message.
    async fn take_in(
        &mut self,
        socket: &mut Socket,
        seen: &mut Seen,
        hello: &str,
        message: Message,
    ) -> Result<(), Stop> {
        match message {
            Message::Welcome { you } => self.witness.welcome(you)?,
            Message::Ok { id } => {
                let was_pending = self
                    .witness
                    .pending()
                    .is_some_and(|pending| pending.id == id);
                let is_action = self.witness.ok(&id)?;
                if was_pending {
                    self.surroundings.tally().acknowledge(is_action);
                }
                if id == hello {
                    seen.greeted = true;
                    self.say_again(socket).await?;
                }
            }
            Message::Refused { id, code } => self.witness.refused(id.as_deref(), &code)?,
            Message::Room(room) => {
                locked(&self.chronicle).room_told(&room)?;
                self.witness.room(&room)?;
                seen.room = Some(room);
            }
            Message::Game(game) => {
                locked(&self.chronicle).game(&game)?;
                self.witness.game(&game)?;
                seen.game = Some(game);
            }
            Message::Other => {}
        }
        Ok(())
    }

    /// Whether there is nothing more to come.
    fn is_over(&self, seen: &Seen) -> bool {
        let is_over = |room: &Room| room.table.phase == Phase::Over;
        seen.room.as_ref().is_some_and(is_over)
            && self.witness.pending().is_none()
            && seen
                .game
                .as_ref()
                .is_some_and(|game| round_over(game).is_some())
            && self.witness.is_current()
    }

    /// What the player wants to do now. One command at a time: the next one comes when the last
    /// one was answered.
    fn wish(&self, seen: &Seen) -> Option<Command> {
        let witness = &self.witness;
        let room = seen.room.as_ref()?;
        if !seen.greeted || witness.pending().is_some() {
            return None;
        }
        if !witness.is_seated() {
            return Some(Command::Sit {
                name: NAMES[self.seat].into(),
                seat: self.seat,
            });
        }
        match room.table.phase {
            Phase::Lobby => {
                let is_taken = room
                    .table
                    .chairs
                    .iter()
                    .all(|chair| chair.kind == Kind::Person);
                let starts = room.you.host && is_taken && !witness.has_started();
                starts.then_some(Command::Start)
            }
            Phase::Playing => {
                let game = seen.game.as_ref().filter(|_| witness.is_current())?;
                match round_over(game) {
                    Some(round) if witness.is_ready_after(round) => None,
                    Some(_) => Some(Command::Ready { ready: true }),
                    None => {
                        let place = self.choice.checked_rem(game.legal.len())?;
                        let action = game.legal[place].clone();
                        Some(Command::Act { action })
                    }
                }
            }
            Phase::Paused | Phase::Over => None,
        }
    }
}

// What a player says.
impl Player {
    fn next_id(&mut self) -> String {
        self.said += 1;
        self.said.to_string()
    }

    /// How long he thinks about what he does next.
    fn thought(&mut self) -> Duration {
        let micros = self.surroundings.think.as_micros() as u64;
        Duration::from_micros(self.rng.random_range(0..=micros))
    }

    async fn say(&mut self, socket: &mut Socket, id: &str, command: &Command) -> Result<(), Loss> {
        self.witness.say(id);
        socket.say(command.text(id)).await
    }

    /// Says something new, now and then twice, and now and then leaves before it is answered.
    async fn ask(&mut self, socket: &mut Socket, command: Command) -> Result<(), Loss> {
        let id = self.next_id();
        self.choice = self.rng.random_range(0..usize::from(u16::MAX));
        self.witness.ask(id.clone(), command.clone());
        self.say(socket, &id, &command).await?;
        if self.rng.random_ratio(1, DOUBLED) {
            self.say(socket, &id, &command).await?;
            self.surroundings.tally().doubled += 1;
        }
        if self.rng.random_ratio(1, DROPPED) {
            self.surroundings.tally().dropped += 1;
            return Err(Loss::Broken("the player has left".into()));
        }
        Ok(())
    }

    /// Says again what was not answered.
    async fn say_again(&mut self, socket: &mut Socket) -> Result<(), Loss> {
        let Some(pending) = self.witness.pending().cloned() else {
            return Ok(());
        };
        self.surroundings.tally().again += 1;
        self.say(socket, &pending.id, &pending.command).await
    }
}

/// The number of the round that is over in this view, if one is.
fn round_over(game: &Game) -> Option<u16> {
    let table = &game.view.table;
    let is_over = table.get("phase")? == "round_end";
    let round = table.get("round")?.as_u64()?;
    is_over.then_some(round.try_into().ok()?)
}
