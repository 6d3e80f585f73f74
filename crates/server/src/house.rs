//! All rooms of this server: those that are awake, and the way to wake the others.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sticheln_bots::Player;
use sticheln_protocol::OpenRoom;
use sticheln_room::{Chance, Entry, Output, Password, Refusal, Room, Settings, Timestamp, Title};
use sticheln_rules::{Kind, Nyet, Sticheln};
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

use crate::code::Code;
use crate::door::Pass;
use crate::figures::Figures;
use crate::hashing::Hashing;
use crate::options::Limits;
use crate::room::{self, RoomHandle};
use crate::store::{Found, Store, WriteError};
use crate::thinking::Thinking;

/// What time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
/// Where each room gets its chance from.
pub type Luck = Arc<dyn Fn(&Code) -> Chance + Send + Sync>;

/// The most codes that are tried for a new room. Codes are random, so already the first is free nearly always.
const MAX_CODES: usize = 3;

/// All rooms.
pub struct House {
    store: Store,
    limits: Limits,
    clock: Clock,
    luck: Luck,
    hashing: Hashing,
    thinking: Thinking,
    figures: Arc<Figures>,
    /// A map that takes less memory when there are fewer.
    slots: Mutex<BTreeMap<Code, Slot>>,
    tasks: TaskTracker,
    /// The tasks that open and wake rooms.
    starts: TaskTracker,
}

/// The place of a room among those that count against [`Limits::rooms`]; empty while it is being opened or woken.
type Slot = Arc<OnceCell<RoomHandle>>;

impl fmt::Debug for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "House({} rooms)", self.slots().len())
    }
}

/// The settings of the new room. All that would be refused is refused before the work on a password.
async fn settings<G: Player>(wish: OpenRoom, hashing: &Hashing) -> Result<Settings<G>, NoRoom> {
    if !G::SEATS.contains(&wish.seats) {
        return Err(Refusal::WrongSeats.into());
    }
    let title = wish.title.map(|title| Title::new(&title)).transpose()?;
    let options = match wish.options {
        Some(options) => Settings::<G>::read_options(&options)?,
        None => G::Options::default(),
    };
    let password = wish.password.map(|password| Password::new(&password));
    let lock = match password.transpose()? {
        Some(password) => Some(hashing.sealed(password).await.ok_or(NoRoom::Storage)?),
        None => None,
    };
    Ok(Settings {
        title,
        listed: wish.listed,
        options,
        opening_seat: None,
        turn_seconds: None,
        spectator_chat: true,
        fast_bots: false,
        lock,
    })
}

/// Why there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// There is none of this code.
    Unknown,
    /// What was wished for is refused.
    Refused(Refusal),
    /// As many rooms are awake, being woken or being opened as the server has space for.
    Full,
    /// The disk or the log does not do it.
    Storage,
    /// The server ends.
    Ending,
    /// The task that opens or wakes it has panicked.
    Defect,
}

impl From<Refusal> for NoRoom {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl House {
    /// A house where all rooms sleep.
    pub fn new(store: Store, limits: Limits, clock: Clock, luck: Luck) -> Self {
        let thinking = Thinking::new(limits.thinking_threads);
        Self {
            store,
            limits,
            clock,
            luck,
            hashing: Hashing::start(),
            thinking,
            figures: Arc::default(),
            slots: Mutex::default(),
            tasks: TaskTracker::new(),
            starts: TaskTracker::new(),
        }
    }

    /// The log.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What anybody may ask for.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Where passwords are hashed.
    pub fn hashing(&self) -> &Hashing {
        &self.hashing
    }

    /// Where experts look ahead.
    pub fn thinking(&self) -> &Thinking {
        &self.thinking
    }

    /// What is counted.
    pub fn figures(&self) -> &Arc<Figures> {
        &self.figures
    }

    /// How many watch at the table of this code now: nobody at one that sleeps.
    pub fn spectators(&self, code: &str) -> usize {
        let Some(code) = Code::read(code) else {
            return 0;
        };
        let slots = self.slots();
        let room = slots.get(&code).and_then(|slot| slot.get());
        room.map_or(0, RoomHandle::spectators)
    }

    /// How many tasks open or wake rooms now. Each caller that waits has one.
    pub fn start_tasks(&self) -> usize {
        self.starts.len()
    }

    /// The tasks of rooms.
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// The codes of the rooms that are awake, being woken or being opened.
    pub fn codes_with_slot(&self) -> Vec<String> {
        self.slots()
            .keys()
            .map(|code| code.as_str().to_owned())
            .collect()
    }

    /// Opens a room, and keeps the pass as long as it is awake. A caller that gives up waiting does not stop it:
    /// a room in the log without a task would not count against `--rooms-per-address`.
    ///
    /// # Errors
    /// [`NoRoom`] says why not.
    pub async fn open(self: &Arc<Self>, wish: OpenRoom, pass: Pass) -> Result<Code, NoRoom> {
        let slot = SlotReservation::for_new_room(self)?;
        self.spawn_start(async move {
            match wish.game {
                Kind::Sticheln => slot.open::<Sticheln>(wish, pass).await,
                Kind::Nyet => slot.open::<Nyet>(wish, pass).await,
            }
        })
        .await
    }

    /// The room of this code, which is woken if it sleeps. A caller that gives up waiting does not stop the waking.
    ///
    /// # Errors
    /// [`NoRoom`] says why there is none.
    pub async fn find(self: &Arc<Self>, code: &Code) -> Result<RoomHandle, NoRoom> {
        if let Some(room) = self.slots().get(code).and_then(|slot| slot.get()) {
            return Ok(room.clone());
        }
        let Some(slot) = SlotReservation::for_code(self, code) else {
            // Only a right code is told that the server is full: otherwise wrong ones could be told from it for free.
            let found = self.store.find(code).await.map_err(unreadable)?;
            return Err(found.map_or(NoRoom::Unknown, |_| NoRoom::Full));
        };
        self.spawn_start(slot.wake()).await
    }

    /// Opens or wakes a room in a task of its own, so that no caller can cancel it. The end of the server waits for it.
    async fn spawn_start<T: Send + 'static>(
        &self,
        start: impl Future<Output = Result<T, NoRoom>> + Send + 'static,
    ) -> Result<T, NoRoom> {
        // The token is taken before the check: either `close` waits for this task, or it is seen here.
        let task_token = self.starts.token();
        if self.starts.is_closed() {
            return Err(NoRoom::Ending);
        }
        let task = tokio::spawn(async move {
            let started = start.await;
            drop(task_token);
            started
        });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a room could not be opened or woken because of a defect");
            Err(NoRoom::Defect)
        })
    }

    /// Takes a room out that goes to sleep, if it is the one that was woken under this epoch.
    pub fn forget(&self, code: &Code, epoch: i64) {
        let mut slots = self.slots();
        let is_it = |slot: &Slot| slot.get().is_some_and(|handle| handle.epoch() == epoch);
        if slots.get(code).is_some_and(is_it) {
            slots.remove(code);
        }
    }

    /// Lets all rooms end, once nobody is connected any more.
    pub async fn close(&self) {
        self.starts.close();
        self.starts.wait().await;
        self.slots().clear();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<Code, Slot>> {
        // A map is never half changed when somebody panics.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a room back from its log.
    async fn wake(self: &Arc<Self>, code: &Code) -> Result<RoomHandle, NoRoom> {
        let found = self.store.find(code).await.map_err(unreadable)?;
        let found = found.ok_or(NoRoom::Unknown)?;
        match found.kind {
            Kind::Sticheln => self.wake_as::<Sticheln>(code, found).await,
            Kind::Nyet => self.wake_as::<Nyet>(code, found).await,
        }
    }

    async fn wake_as<G: Player>(
        self: &Arc<Self>,
        code: &Code,
        found: Found,
    ) -> Result<RoomHandle, NoRoom>
    where
        Room<G>: Send + 'static,
        Output<G>: Send,
        Entry<G>: Send,
    {
        let claim = self.store.claim(found).await.map_err(unwritable)?;
        let lines = self.store.lines(claim).await.map_err(|error| {
            tracing::error!(room = %code, %error, "the log of a room cannot be read");
            NoRoom::Storage
        })?;
        let entries: Result<Vec<Entry<G>>, _> = lines
            .iter()
            .map(|line| serde_json::from_str(line))
            .collect();
        let chance = (self.luck)(code);
        let room = entries
            .ok()
            .and_then(|entries| Room::wake(code.as_str(), self.now(), &entries, chance).ok());
        let room = room.filter(|room| claim.is_at(room.rev()));
        let Some(room) = room else {
            tracing::error!(room = %code, "the log of a room is damaged");
            return Err(NoRoom::Storage);
        };
        tracing::info!(room = %code, entries = lines.len(), "a room was woken");
        Ok(room::spawn(self, code.clone(), room, claim, None))
    }
}

/// The slot of a room that a task opens or wakes. The room counts from now on, and is started once. Dropping the
/// reservation frees the slot if it is still empty and no other task waits for it.
struct SlotReservation {
    house: Arc<House>,
    code: Code,
    slot: Slot,
}

impl SlotReservation {
    /// Takes a slot for a room that is to be opened, under a random code.
    ///
    /// # Errors
    /// [`NoRoom::Full`] if no space is left, [`NoRoom::Storage`] if there is no code for it.
    fn for_new_room(house: &Arc<House>) -> Result<Self, NoRoom> {
        for _ in 0..MAX_CODES {
            let code = Code::random().map_err(|_| NoRoom::Storage)?;
            let mut slots = house.slots();
            if slots.len() >= house.limits.rooms {
                return Err(NoRoom::Full);
            }
            if let btree_map::Entry::Vacant(vacant) = slots.entry(code.clone()) {
                let slot = vacant.insert(Slot::default()).clone();
                drop(slots);
                return Ok(Self {
                    house: house.clone(),
                    code,
                    slot,
                });
            }
        }
        Err(NoRoom::Storage)
    }

    /// Takes the slot of this code; `None` if it has none and no space is left.
    fn for_code(house: &Arc<House>, code: &Code) -> Option<Self> {
        let mut slots = house.slots();
        if slots.len() >= house.limits.rooms && !slots.contains_key(code) {
            return None;
        }
        let slot = slots.entry(code.clone()).or_default().clone();
        drop(slots);
        Some(Self {
            house: house.clone(),
            code: code.clone(),
            slot,
        })
    }

    async fn wake(self) -> Result<RoomHandle, NoRoom> {
        let wake = || self.house.wake(&self.code);
        self.slot.get_or_try_init(wake).await.cloned()
    }

    async fn open<G: Player>(mut self, wish: OpenRoom, pass: Pass) -> Result<Code, NoRoom>
    where
        Room<G>: Send + 'static,
        Output<G>: Send,
        Entry<G>: Send,
        Settings<G>: Send,
    {
        let house = self.house.clone();
        let seats = wish.seats;
        let settings = settings::<G>(wish, &house.hashing).await?;
        let mut pass = Some(pass);
        for _ in 0..MAX_CODES {
            let code = self.code.clone();
            let now = house.now();
            let chance = (house.luck)(&code);
            let (room, entry) = Room::open(code.as_str(), now, seats, settings.clone(), chance)?;
            let card = room::card(&house, room.summary());
            let write = async {
                let store = house.store();
                let line = room::line(&entry);
                let claim = store.open_room(code.clone(), G::KIND, line, card).await?;
                Ok(room::spawn(&house, code.clone(), room, claim, pass.take()))
            };
            // `find` waits for the write, so that nobody wakes the room a second time.
            let written = self.slot.get_or_try_init(|| write).await.map(|_| ());
            let has_opened = pass.is_none();
            match written {
                Ok(()) if has_opened => {
                    tracing::info!(room = %code, game = ?G::KIND, seats, "a room was opened");
                    return Ok(code);
                }
                // Under this code another room sleeps, or has just been woken in the slot.
                Ok(()) | Err(WriteError::CodeTaken) => self = Self::for_new_room(&house)?,
                Err(WriteError::Fenced | WriteError::Failed) => return Err(NoRoom::Storage),
            }
        }
        Err(NoRoom::Storage)
    }
}

impl Drop for SlotReservation {
    fn drop(&mut self) {
        // Empty slots are cloned and dropped only under this lock, so the count is exact. `take` lets this task drop its
        // clone before the lock is released.
        let mut slots = self.house.slots();
        let slot = std::mem::take(&mut self.slot);
        let is_same = |other: &Slot| Arc::ptr_eq(other, &slot);
        let is_in_map = slots.get(&self.code).is_some_and(is_same);
        let is_last = Arc::strong_count(&slot) == 1 + usize::from(is_in_map);
        if is_in_map && is_last && slot.get().is_none() {
            slots.remove(&self.code);
        }
        drop(slot);
    }
}

fn unreadable(error: sqlx::Error) -> NoRoom {
    tracing::error!(%error, "the log could not be read");
    NoRoom::Storage
}

fn unwritable(error: WriteError) -> NoRoom {
    // Why nothing can be written is said by whoever writes.
    tracing::debug!(%error, "a room could not be taken over");
    NoRoom::Storage
}
