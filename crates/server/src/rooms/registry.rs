//! All rooms of this server: those that are awake, and the way to wake the others.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use sticheln_bots::Player;
use sticheln_protocol::{OpenRoom, RoomSummary};
use sticheln_room::{Password, Refusal, Room, RoomSettings, Title};
use thiserror::Error;
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

use crate::limits::address_limits::{Permit, WakeUp};
use crate::limits::client_addr::ClientAddr;
use crate::limits::disk_reserve::GameReservation;
use crate::room_code::RoomCode;
use crate::rooms::damaged_rooms::DamagedRooms;
use crate::rooms::game_list::{GameDescriptor, GameList};
use crate::rooms::read_back::{ReadBackError, read_back};
use crate::rooms::retention;
use crate::rooms::room_handle::RoomHandle;
use crate::rooms::services::Services;
use crate::rooms::task::{self, RoomPermits, RoomTask};
use crate::storage::{Claim, DatabaseError, FoundRoom, ListedRooms, WriteError};

/// The log line when all codes that were tried have a room.
const NO_FREE_CODE: &str = "no free code was found for a new room";
/// The most codes that are tried for a new room. Codes are random, so already the first is free nearly always.
const MAX_CODES: usize = 3;

/// All rooms of this server.
pub struct RoomRegistry {
    games: GameList,
    services: Arc<Services>,
    slots: Arc<Slots>,
    damaged_rooms: Arc<DamagedRooms>,
    /// The tasks of rooms.
    tasks: TaskTracker,
    /// The tasks that open and wake rooms.
    room_starts: TaskTracker,
}

/// The place of a room among those that count against [`Limits::rooms`](crate::limits::operator_limits::Limits); empty
/// while it is being opened or woken.
type Slot = Arc<OnceCell<RoomHandle>>;

/// The slots of all rooms. A B-tree shrinks when rooms go; a hash map keeps its capacity.
#[derive(Default)]
struct Slots(Mutex<BTreeMap<RoomCode, Slot>>);

impl Slots {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RoomCode, Slot>> {
        // A map is never half changed when a thread panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps the task of a room in the registry. When it is dropped, the registry forgets the task, unless another one has
/// taken its place.
pub(super) struct Registration {
    slots: Arc<Slots>,
    damaged_rooms: Arc<DamagedRooms>,
    code: RoomCode,
    epoch: i64,
}

impl Registration {
    /// Notes that the task of the room has panicked.
    pub(super) fn record_panic(&self) {
        record_panic(&self.damaged_rooms, &self.code, "the task of a room");
    }
}

/// Notes and logs a panic of the task of a room, or of the task that wakes it.
fn record_panic(rooms: &DamagedRooms, code: &RoomCode, task: &str) {
    if rooms.record_panic(code, Instant::now()) {
        tracing::error!(
            room = %code,
            "{task} panicked again: the room is damaged, and is not woken until the server restarts or many others are damaged"
        );
    } else {
        tracing::error!(room = %code, "{task} panicked: the next visit reads the room back from its entries");
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut slots = self.slots.lock();
        let is_of_this_task = |slot: &Slot| {
            slot.get()
                .is_some_and(|handle| handle.epoch() == self.epoch)
        };
        if slots.get(&self.code).is_some_and(is_of_this_task) {
            slots.remove(&self.code);
        }
    }
}

impl fmt::Debug for RoomRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RoomRegistry({} rooms)", self.slots().len())
    }
}

/// The settings of the new room. They are validated before a password is hashed, which takes long.
async fn settings<G: Player>(
    request: OpenRoom,
    services: &Services,
    client_addr: ClientAddr,
) -> Result<RoomSettings<G>, RoomUnavailable> {
    if !G::SEATS.contains(&request.seats) {
        return Err(Refusal::WrongSeats.into());
    }
    let title = request.title.map(|title| Title::new(&title)).transpose()?;
    let options = match request.options {
        Some(options) => RoomSettings::<G>::read_options(&options)?,
        None => G::Options::default(),
    };
    let password = request.password.map(|password| Password::new(&password));
    let password_hash = match password.transpose()? {
        Some(password) => {
            let _turn = services.address_limits.turn_to_hash(client_addr).await;
            let hash = services.password_hashing.hash(password).await;
            Some(hash.ok_or_else(|| internal("the password of a new room could not be hashed"))?)
        }
        None => None,
    };
    Ok(RoomSettings {
        title,
        listed: request.listed,
        options,
        opening_seat: None,
        turn_seconds: None,
        spectator_chat: true,
        fast_bots: false,
        password_hash,
    })
}

/// The reason why a room cannot be found, woken or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RoomUnavailable {
    /// No room has this code.
    #[error("no room has this code")]
    Unknown,
    /// The settings of the new room are refused.
    #[error("the settings of the room are refused: {0}")]
    Refused(Refusal),
    /// The server has too many rooms that are awake, waking up or being opened.
    #[error("too many rooms are awake")]
    Full,
    /// The address has woken too many rooms, or wakes them too often.
    #[error("the address wakes too many rooms")]
    TooManyWakeUps,
    /// The game of the room cannot go on: too little space is left for it on the disk, or to the address.
    #[error("too little space is left for the game of the room")]
    NoSpaceForGame,
    /// The database cannot be read or written, or does not respond in time.
    #[error("the database cannot be read or written, or does not respond in time")]
    Storage,
    /// The room could not be opened: no free code or no random number was found, or a password was not hashed. The program
    /// log has the reason.
    #[error("the room could not be opened; the program log has the reason")]
    OpeningFailed,
    /// The task of the room has ended at each attempt to enter it.
    #[error("the task of the room has ended at each attempt to enter it")]
    TaskEnded,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The task that opens or wakes the room has panicked.
    #[error("the task that opens or wakes the room has panicked")]
    Panicked,
    /// The room cannot be read back, or its task has panicked too often in a short time.
    #[error("the room is damaged")]
    Damaged,
}

impl From<Refusal> for RoomUnavailable {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl RoomRegistry {
    /// A registry of rooms for these games, in which all rooms sleep.
    pub fn new(games: GameList, services: Arc<Services>) -> Self {
        Self {
            games,
            services,
            slots: Arc::default(),
            damaged_rooms: Arc::default(),
            tasks: TaskTracker::new(),
            room_starts: TaskTracker::new(),
        }
    }

    /// The games that are played in the rooms.
    pub fn games(&self) -> &GameList {
        &self.games
    }

    /// The number of spectators in the room of this code. A room that sleeps has none.
    pub fn spectators(&self, code: &str) -> usize {
        let Some(code) = RoomCode::parse(code) else {
            return 0;
        };
        let slots = self.slots();
        let room = slots.get(&code).and_then(|slot| slot.get());
        room.map_or(0, RoomHandle::spectators)
    }

    /// The public summaries of the newest listed rooms, the most recently active first. A sleeping room with an invalid
    /// summary is left out, and is damaged from then on. An awake one is only left out, because its task writes the summary
    /// again.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn listed(&self) -> Result<Vec<RoomSummary>, DatabaseError> {
        let listed = self.services.store.listed(self.services.retention_now());
        let ListedRooms {
            mut summaries,
            unreadable,
        } = listed.await?;
        for code in unreadable {
            self.record_invalid_summary(&code);
        }
        for summary in &mut summaries {
            summary.spectators = self.spectators(&summary.room);
        }
        Ok(summaries)
    }

    /// The public summary of a room; `None` if there is no such room. An invalid one is treated as in
    /// [`RoomRegistry::listed`].
    ///
    /// # Errors
    /// If the database cannot be read, or the summary is invalid.
    pub async fn summary(&self, code: &RoomCode) -> Result<Option<RoomSummary>, DatabaseError> {
        let summary = self.services.store.summary(code).await;
        if summary.as_ref().is_err_and(DatabaseError::is_corruption) {
            self.record_invalid_summary(code);
        }
        let summary = summary?.map(|summary| RoomSummary {
            spectators: self.spectators(&summary.room),
            ..summary
        });
        Ok(summary)
    }

    fn record_invalid_summary(&self, code: &RoomCode) {
        let is_recorded = self.slots().contains_key(code) || self.damaged_rooms.is_damaged(code);
        if !is_recorded {
            self.record_damaged(code, &ReadBackError::Summary);
        }
    }

    /// The number of damaged rooms. Only a limited number of them is remembered.
    pub fn damaged_room_count(&self) -> usize {
        self.damaged_rooms.count()
    }

    /// The number of tasks that open or wake rooms now.
    pub fn room_start_count(&self) -> usize {
        self.room_starts.len()
    }

    /// The codes of the rooms that are awake, being woken or being opened.
    pub fn codes_with_slot(&self) -> Vec<String> {
        self.slots()
            .keys()
            .map(|code| code.as_str().to_owned())
            .collect()
    }

    /// Opens a room for a game of [`RoomRegistry::games`], and keeps the permit as long as it is awake.
    ///
    /// A caller that gives up waiting does not stop it: a room in the database without a task would not count against
    /// `--rooms-per-address`.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why not.
    pub async fn open(
        self: &Arc<Self>,
        game: &GameDescriptor,
        request: OpenRoom,
        permit: Permit,
    ) -> Result<RoomCode, RoomUnavailable> {
        let slot = SlotReservation::for_new_room(self)?;
        self.spawn_start((game.open)(slot, request, permit)).await
    }

    /// The room of this code. If it sleeps, it is woken when it is the turn of the address. A caller that gives up waiting
    /// does not stop the wake-up.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why there is none.
    pub async fn find(
        self: &Arc<Self>,
        code: &RoomCode,
        client_addr: ClientAddr,
    ) -> Result<RoomHandle, RoomUnavailable> {
        if let Some(room) = self.awake(code) {
            return Ok(room);
        }
        let Ok(wake_up) = self
            .services
            .address_limits
            .permit_wake_up(client_addr)
            .await
        else {
            return Err(self
                .unavailable_or_unknown(code, RoomUnavailable::TooManyWakeUps)
                .await);
        };
        // Another caller may have woken it meanwhile.
        if let Some(room) = self.awake(code) {
            return Ok(room);
        }
        let Some(slot) = SlotReservation::for_code(self, code) else {
            return Err(self
                .unavailable_or_unknown(code, RoomUnavailable::Full)
                .await);
        };
        // Bounds the tasks that callers have left behind while the disk does not respond.
        if self.room_starts.len() >= self.services.limits.sockets.get() {
            return Err(RoomUnavailable::Storage);
        }
        self.spawn_start(slot.wake(wake_up)).await
    }

    /// `reason` if a room has this code, otherwise [`RoomUnavailable::Unknown`], which takes a unit of
    /// `--wrong-codes-per-minute`. Otherwise codes could be guessed freely once a limit is reached.
    async fn unavailable_or_unknown(
        &self,
        code: &RoomCode,
        reason: RoomUnavailable,
    ) -> RoomUnavailable {
        match self.services.store.find(code).await {
            Ok(Some(_)) => reason,
            Ok(None) => RoomUnavailable::Unknown,
            Err(error) => self.unavailable_after_read_error(code, error),
        }
    }

    /// Opens or wakes a room in a task of its own, so that no caller can cancel it. The shutdown waits for it.
    async fn spawn_start<T: Send + 'static>(
        &self,
        start: impl Future<Output = Result<T, RoomUnavailable>> + Send + 'static,
    ) -> Result<T, RoomUnavailable> {
        // The task is registered before the check: either `close` waits for this task, or it is seen here.
        let tracked = self.room_starts.token();
        if self.room_starts.is_closed() {
            return Err(RoomUnavailable::ShuttingDown);
        }
        let task = tokio::spawn(async move {
            let started = start.await;
            drop(tracked);
            started
        });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a room could not be opened or woken because of a bug");
            Err(RoomUnavailable::Panicked)
        })
    }

    /// Ends all rooms: waits for those that are being opened or woken, and for the tasks of all rooms. These end when
    /// nobody is connected any more.
    pub async fn close(&self) {
        self.room_starts.close();
        self.room_starts.wait().await;
        self.slots().clear();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// The room of this code if it is awake.
    fn awake(&self, code: &RoomCode) -> Option<RoomHandle> {
        self.slots().get(code).and_then(|slot| slot.get()).cloned()
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<RoomCode, Slot>> {
        self.slots.lock()
    }

    /// Starts the task of a room.
    fn spawn<G: Player>(
        &self,
        code: &RoomCode,
        room: Room<G>,
        claim: Claim,
        permits: RoomPermits,
    ) -> RoomHandle {
        let registration = Registration {
            slots: self.slots.clone(),
            damaged_rooms: self.damaged_rooms.clone(),
            code: code.clone(),
            epoch: claim.epoch(),
        };
        let (task, handle) =
            RoomTask::with_handle(self.services.clone(), registration, room, claim, permits);
        self.tasks.spawn(task);
        handle
    }

    /// Finds the room and its game in the database, and wakes it for that game.
    async fn wake(
        self: &Arc<Self>,
        code: &RoomCode,
        wake_up: WakeUp,
    ) -> Result<RoomHandle, RoomUnavailable> {
        if self.damaged_rooms.is_damaged(code) {
            return Err(RoomUnavailable::Damaged);
        }
        let found = self
            .services
            .store
            .find(code)
            .await
            .map_err(|error| self.unavailable_after_read_error(code, error))?;
        let found = found.ok_or(RoomUnavailable::Unknown)?;
        let Some(game) = self.games.find(&found.game) else {
            return Err(self.record_damaged(code, &ReadBackError::GameNotHosted));
        };
        (game.wake)(self.clone(), code.clone(), found, wake_up).await
    }

    /// Reads a room of this game back from the last segment of its log, and starts its task.
    pub(super) async fn wake_as<G: Player>(
        self: &Arc<Self>,
        code: &RoomCode,
        found: FoundRoom,
        wake_up: WakeUp,
    ) -> Result<RoomHandle, RoomUnavailable> {
        let store = &self.services.store;
        let claimed = store.claim(found).await.map_err(|error| match error {
            WriteError::Corrupt => self.record_damaged(code, &error.into()),
            error => unwritable(error),
        })?;
        let segment = store.last_segment(&claimed).await;
        let segment = segment.map_err(|error| self.unavailable_after_read_error(code, error))?;
        let claim = claimed.claim;
        let entropy = self.services.entropy_for(code);
        let room = read_back::<G>(code, self.services.now(), &segment, entropy);
        let room = room.map_err(|error| self.record_damaged(code, &error))?;
        let client_addr = wake_up.client_addr();
        let permit = wake_up.charge_and_release(segment.bytes());
        let reservation = self.resume_game(&room, client_addr)?;
        tracing::info!(room = %code, entries = segment.entries.len(), "a room was woken");
        let permits = RoomPermits {
            game: reservation,
            _awake: permit,
        };
        Ok(self.spawn(code, room, claim, permits))
    }

    /// Reserves the space for the game of a room that is woken; `None` if no game is on. If its last move or deal is older than
    /// `--room-idle-timeout-minutes`, there must be space for it, and the address that wakes it is charged again. A game that was
    /// played shortly before goes on in any case, for example after a restart of the server.
    ///
    /// So an address cannot prepare games on many days and play all of them on one: between two moves of a game, its room was
    /// awake for most of the time, or the game is charged again. The awake rooms of an address are limited.
    fn resume_game<G: Player>(
        &self,
        room: &Room<G>,
        client_addr: ClientAddr,
    ) -> Result<Option<GameReservation>, RoomUnavailable> {
        let Some(game) = room.running_game() else {
            return Ok(None);
        };
        let services = &self.services;
        let prepaid_until = game.waits_since.after(services.limits.room_idle_timeout());
        if prepaid_until <= services.now() {
            // This is refused too if no space is left.
            let (bytes, now) = (game.max_bytes as usize, Instant::now());
            let charged = services.write_budgets.try_charge(client_addr, bytes, now);
            charged.map_err(|_| RoomUnavailable::NoSpaceForGame)?;
        }
        Ok(Some(services.disk_reserve.reserve_game()))
    }

    /// The reason why the rows of a room were not read: it is damaged, or the database does not respond.
    fn unavailable_after_read_error(
        &self,
        code: &RoomCode,
        error: DatabaseError,
    ) -> RoomUnavailable {
        if error.is_corruption() {
            return self.record_damaged(code, &error.into());
        }
        tracing::error!(room = %code, %error, "the rows of a room could not be read");
        RoomUnavailable::Storage
    }

    /// Records that a room cannot be read back. It is logged here once, because the room is not woken again.
    fn record_damaged(&self, code: &RoomCode, error: &ReadBackError) -> RoomUnavailable {
        self.damaged_rooms.record_unreadable(code, Instant::now());
        tracing::error!(
            room = %code,
            %error,
            "a room is damaged: it cannot be read back, and is not woken until the server restarts or many others are damaged"
        );
        RoomUnavailable::Damaged
    }
}

/// A guard of the slot of a room that a task opens or wakes. The room counts against `--rooms` while the guard exists.
///
/// Dropping it frees the slot if it is still empty and no other task waits for it.
pub(super) struct SlotReservation {
    registry: Arc<RoomRegistry>,
    code: RoomCode,
    slot: Slot,
}

impl SlotReservation {
    /// Takes a slot for a room that is to be opened, under a random code.
    ///
    /// # Errors
    /// [`RoomUnavailable::Full`] if no space is left, [`RoomUnavailable::OpeningFailed`] if there is no code for it.
    fn for_new_room(registry: &Arc<RoomRegistry>) -> Result<Self, RoomUnavailable> {
        for _ in 0..MAX_CODES {
            let code =
                RoomCode::random().map_err(|_| internal("the system gives no random numbers"))?;
            let mut slots = registry.slots();
            if slots.len() >= registry.services.limits.rooms.get() {
                return Err(RoomUnavailable::Full);
            }
            if let btree_map::Entry::Vacant(vacant) = slots.entry(code.clone()) {
                let slot = vacant.insert(Slot::default()).clone();
                drop(slots);
                return Ok(Self {
                    registry: registry.clone(),
                    code,
                    slot,
                });
            }
        }
        Err(internal(NO_FREE_CODE))
    }

    /// Takes the slot of this code; `None` if it has none and no space is left.
    fn for_code(registry: &Arc<RoomRegistry>, code: &RoomCode) -> Option<Self> {
        let mut slots = registry.slots();
        if slots.len() >= registry.services.limits.rooms.get() && !slots.contains_key(code) {
            return None;
        }
        let slot = slots.entry(code.clone()).or_default().clone();
        drop(slots);
        Some(Self {
            registry: registry.clone(),
            code: code.clone(),
            slot,
        })
    }

    async fn wake(self, wake_up: WakeUp) -> Result<RoomHandle, RoomUnavailable> {
        let _recorder = WakeUpPanicRecorder(&self);
        let wake = || self.registry.wake(&self.code, wake_up);
        self.slot.get_or_try_init(wake).await.cloned()
    }

    pub(super) async fn open<G: Player>(
        mut self,
        request: OpenRoom,
        permit: Permit,
    ) -> Result<RoomCode, RoomUnavailable> {
        let registry = self.registry.clone();
        let seats = request.seats;
        let settings = settings::<G>(request, &registry.services, permit.client_addr()).await?;
        let mut permit = Some(permit);
        for _ in 0..MAX_CODES {
            let code = self.code.clone();
            let now = registry.services.now();
            let entropy = registry.services.entropy_for(&code);
            let (room, entry) = Room::open(code.as_str(), now, seats, settings.clone(), entropy)?;
            let listing = retention::listing(&registry.services, room.summary());
            let write = async {
                let store = &registry.services.store;
                let serialized = task::serialize_entry(&entry, None, Vec::new());
                let claim = store
                    .open_room(code.clone(), G::ID, serialized, listing)
                    .await?;
                let permit = permit.take().expect("the room is opened once");
                let permits = RoomPermits {
                    game: None,
                    _awake: permit,
                };
                Ok(registry.spawn(&code, room, claim, permits))
            };
            // `find` waits for the write, so that nobody wakes the room a second time.
            let written = self.slot.get_or_try_init(|| write).await.map(|_| ());
            let has_opened = permit.is_none();
            match written {
                Ok(()) if has_opened => {
                    tracing::info!(room = %code, game = %G::ID, seats, "a room was opened");
                    return Ok(code);
                }
                // Under this code another room sleeps, or has just been woken in the slot.
                Ok(()) | Err(WriteError::CodeTaken) => self = Self::for_new_room(&registry)?,
                Err(WriteError::ClaimLost | WriteError::Corrupt | WriteError::Failed) => {
                    return Err(RoomUnavailable::Storage);
                }
            }
        }
        Err(internal(NO_FREE_CODE))
    }
}

/// Records a panic of the task that wakes a room, also if nobody waits for the task any more.
struct WakeUpPanicRecorder<'a>(&'a SlotReservation);

impl Drop for WakeUpPanicRecorder<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let SlotReservation { registry, code, .. } = self.0;
            record_panic(&registry.damaged_rooms, code, "the task that wakes a room");
        }
    }
}

impl Drop for SlotReservation {
    fn drop(&mut self) {
        // The strong count of an empty slot changes only under this lock, so it is exact here. `take` moves the clone of
        // this reservation out, so that it is dropped before the lock is released.
        let mut slots = self.registry.slots();
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

/// Logs why the server has failed at something else than the database.
fn internal(reason: &'static str) -> RoomUnavailable {
    tracing::error!("{reason}");
    RoomUnavailable::OpeningFailed
}

fn unwritable(error: WriteError) -> RoomUnavailable {
    // The writer has logged the reason.
    tracing::debug!(%error, "a room could not be claimed");
    RoomUnavailable::Storage
}
