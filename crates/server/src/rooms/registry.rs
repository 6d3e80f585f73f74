//! All rooms of this server: those that are awake, and the way to wake the others.

mod import;
mod slot_reservation;

use std::collections::BTreeMap;
use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::future::join_all;
use sticheln_bots::Player;
use sticheln_cluster::NodeId;
use sticheln_protocol::{OpenRoom, RoomSummary};
use sticheln_room::{Notice, Room};
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

pub(super) use self::slot_reservation::SlotReservation;
use crate::limits::address_limits::{LimitReached, Permit, WakeUp};
use crate::limits::client_addr::ClientAddr;
use crate::limits::disk_reserve::GameReservation;
use crate::room_code::RoomCode;
use crate::rooms::damaged_rooms::DamagedRooms;
use crate::rooms::game_list::{GameDescriptor, GameList};
use crate::rooms::read_back::{ReadBackError, read_back};
use crate::rooms::replays::StoredPosition;
use crate::rooms::room_handle::RoomHandle;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::rooms::task::{RoomPermits, RoomTask};
use crate::storage::{Claim, ClaimNumber, DatabaseError, FoundRoom, ListedRooms, WriteError};

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

/// A room of this code in this process.
#[derive(Debug)]
pub enum LocalRoom<Waking> {
    /// It is awake.
    Awake(RoomHandle),
    /// It is being opened or woken. The future has the room, unless that fails.
    Waking(Waking),
    /// It does not run here.
    Asleep,
}

/// The decision about a room that does not run in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeDecision {
    /// It is claimed and woken here.
    Wake,
    /// Another node leads it.
    LedBy(NodeId),
}

/// The place where a room runs.
#[derive(Debug)]
pub enum Located {
    /// It runs in this process.
    Here(RoomHandle),
    /// This node leads it.
    Elsewhere(NodeId),
}

/// The reason why a room was not woken here.
#[derive(Clone, Copy, Debug)]
pub(super) enum NotWoken {
    LedBy(NodeId),
    Unavailable(RoomUnavailable),
}

impl From<RoomUnavailable> for NotWoken {
    fn from(reason: RoomUnavailable) -> Self {
        Self::Unavailable(reason)
    }
}

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
    claim: ClaimNumber,
}

impl Registration {
    /// Notes that the task of the room has panicked.
    pub(super) fn record_panic(&self) {
        record_panic(&self.damaged_rooms, &self.code, "the task of a room");
    }
}

/// Ends the task of a room, or the one that wakes it, if its claim is lost.
fn end_if_claim_lost(
    code: RoomCode,
    slot: Slot,
    is_lost: impl Fn(ClaimNumber) -> bool + Send + 'static,
) {
    tokio::spawn(async move {
        if let Ok(room) = slot.get_or_try_init(|| async { Err(()) }).await
            && is_lost(room.claim())
        {
            tracing::info!(room = %code, "the claim of a room is no longer valid; its task ends");
            room.mailbox().end().await;
        }
    });
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
                .is_some_and(|handle| handle.claim() == self.claim)
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
        room.map_or(0, |room| room.mailbox().spectators())
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

    /// The codes of the rooms that are awake, and the number of connections to each.
    pub fn awake_rooms(&self) -> Vec<(RoomCode, usize)> {
        let slots = self.slots();
        let awake = slots
            .iter()
            .filter_map(|(code, slot)| Some((code, slot.get()?)));
        awake
            .map(|(code, room)| (code.clone(), room.mailbox().connections()))
            .collect()
    }

    /// Sends a line of the operator to all rooms that are awake. Returns how many get it.
    pub fn post_notice(&self, notice: &Notice) -> usize {
        let slots = self.slots();
        let awake = slots.values().filter_map(|slot| slot.get());
        awake
            .filter(|room| room.mailbox().post_notice(notice.clone()))
            .count()
    }

    /// Deletes a room: nobody finds it any more, and the next sweep deletes it. Its connections are closed. Returns
    /// whether there was such a room.
    ///
    /// # Errors
    /// If the database did not confirm it. Then the room stays.
    pub async fn delete_room(&self, code: &RoomCode) -> Result<bool, WriteError> {
        if !self.services.store.delete_room(code.clone()).await? {
            return Ok(false);
        }
        tracing::info!(room = %code, "the operator has closed a room");
        self.end_closed_room(code).await;
        Ok(true)
    }

    /// Ends the task of a room that was closed for good.
    pub async fn end_closed_room(&self, code: &RoomCode) {
        self.damaged_rooms.forget(code);
        let slot = self.slots().get(code).cloned();
        if let Some(slot) = slot
            // A task that wakes the room has a claim that is not valid any more, and ends too.
            && let Ok(room) = slot.get_or_try_init(|| async { Err(()) }).await
            && let Err(error) = room.mailbox().close_room().await
        {
            // It cannot write any more, so it ends at the next change.
            tracing::warn!(room = %code, %error, "a closed room still has connections");
        }
    }

    /// Opens a room for a game of [`RoomRegistry::games`], and keeps the permit as long as it is awake. With a position its first game
    /// is played on from there.
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
        position: Option<StoredPosition>,
        permit: Permit,
    ) -> Result<RoomCode, RoomUnavailable> {
        let slot = SlotReservation::for_new_room(self)?;
        let open = (game.open)(slot, request, position, permit);
        self.spawn_start(open).await
    }

    /// The room of this code. If it sleeps, it is woken when it is the turn of the address. A caller that gives up waiting
    /// does not stop the wake-up.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why there is none.
    pub async fn find_or_wake(
        self: &Arc<Self>,
        code: &RoomCode,
        client_addr: ClientAddr,
    ) -> Result<RoomHandle, RoomUnavailable> {
        let permit = self.services.address_limits.permit_wake_up(client_addr);
        self.find_or_wake_if(code, permit, |_| Ok(())).await
    }

    /// As [`RoomRegistry::find_or_wake`]. A room that does not run here is only woken with this permit, and if `decide` says so.
    ///
    /// # Errors
    /// [`RoomUnavailable`] says why the room runs nowhere. It can be the error of `decide`.
    pub async fn find_or_wake_unless_led(
        self: &Arc<Self>,
        code: &RoomCode,
        permit: impl Future<Output = Result<WakeUp, LimitReached>>,
        decide: impl FnOnce(&FoundRoom) -> Result<WakeDecision, RoomUnavailable> + Send + 'static,
    ) -> Result<Located, RoomUnavailable> {
        let must_be_free = |found: &FoundRoom| match decide(found)? {
            WakeDecision::Wake => Ok(()),
            WakeDecision::LedBy(leader) => Err(NotWoken::LedBy(leader)),
        };
        match self.find_or_wake_if(code, permit, must_be_free).await {
            Ok(room) => Ok(Located::Here(room)),
            Err(NotWoken::LedBy(leader)) => Ok(Located::Elsewhere(leader)),
            Err(NotWoken::Unavailable(reason)) => Err(reason),
        }
    }

    /// Finds a room, or wakes it unless `check` refuses that.
    async fn find_or_wake_if<E: From<RoomUnavailable> + Send + 'static>(
        self: &Arc<Self>,
        code: &RoomCode,
        permit: impl Future<Output = Result<WakeUp, LimitReached>>,
        check: impl FnOnce(&FoundRoom) -> Result<(), E> + Send + 'static,
    ) -> Result<RoomHandle, E> {
        if let Some(room) = self.awake(code) {
            return Ok(room);
        }
        let Ok(wake_up) = permit.await else {
            let reason = RoomUnavailable::TooManyWakeUps;
            return Err(self.unavailable_or_unknown(code, reason).await.into());
        };
        // Another caller may have woken it meanwhile.
        if let Some(room) = self.awake(code) {
            return Ok(room);
        }
        let Some(slot) = SlotReservation::for_code(self, code) else {
            let reason = RoomUnavailable::Full;
            return Err(self.unavailable_or_unknown(code, reason).await.into());
        };
        // Bounds the tasks that callers have left behind while the disk does not respond.
        if self.room_starts.len() >= self.services.limits.sockets.get() {
            return Err(RoomUnavailable::Storage.into());
        }
        self.spawn_start(slot.wake(wake_up, check)).await
    }

    /// Checks that a room has this code.
    ///
    /// # Errors
    /// [`RoomUnavailable::Unknown`], or why the database was not read.
    pub async fn check_exists(&self, code: &RoomCode) -> Result<(), RoomUnavailable> {
        if self.is_awake(code) {
            return Ok(());
        }
        self.find_row(code).await.map(drop)
    }

    /// The row of a room in the database.
    ///
    /// # Errors
    /// [`RoomUnavailable::Unknown`], or why the database was not read.
    pub async fn find_row(&self, code: &RoomCode) -> Result<FoundRoom, RoomUnavailable> {
        let found = self.services.store.find(code).await;
        let found = found.map_err(|error| self.unavailable_after_read_error(code, error))?;
        found.ok_or(RoomUnavailable::Unknown)
    }

    /// Whether the room of this code is awake here.
    pub fn is_awake(&self, code: &RoomCode) -> bool {
        self.awake(code).is_some()
    }

    /// The room of this code, as far as it runs here.
    pub fn local_room(
        &self,
        code: &RoomCode,
    ) -> LocalRoom<impl Future<Output = Option<RoomHandle>> + Send + 'static> {
        let Some(slot) = self.slots().get(code).cloned() else {
            return LocalRoom::Asleep;
        };
        match slot.get() {
            Some(room) => LocalRoom::Awake(room.clone()),
            None => LocalRoom::Waking(async move {
                let room = slot.get_or_try_init(|| async { Err(()) }).await;
                room.ok().cloned()
            }),
        }
    }

    /// Ends the tasks of all rooms that are awake. Each releases its room, so that another node can lead it. Waits until they have ended.
    pub async fn release_rooms(&self) {
        let rooms = self.awake_handles();
        join_all(rooms.iter().map(|room| room.mailbox().end())).await;
    }

    /// Ends the tasks of the rooms that another node has claimed, so that their connections follow it. Otherwise a task learns that at
    /// its next append only, and its players may wait for others in vain.
    ///
    /// # Errors
    /// If the database did not say which rooms these are.
    pub async fn end_rooms_with_lost_claims(&self) -> Result<(), DatabaseError> {
        let claims: Vec<_> = {
            let slots = self.slots();
            let awake = slots.iter().filter_map(|(code, slot)| {
                Some((code.as_str().to_owned(), slot.get()?.claim().epoch()))
            });
            awake.collect()
        };
        if claims.is_empty() {
            return Ok(());
        }
        let lost = self.services.store.lost_claims(&claims).await?;
        let epochs: BTreeMap<_, _> = claims.into_iter().collect();
        for code in lost {
            if let (Some(epoch), Some(code)) = (epochs.get(&code), RoomCode::parse(&code)) {
                self.end_room_if_older(&code, epoch + 1);
            }
        }
        Ok(())
    }

    /// Ends the task of a room, or the one that wakes it, if its claim is older than this epoch.
    pub fn end_room_if_older(&self, code: &RoomCode, epoch: i64) {
        let slot = self.slots().get(code).cloned();
        if let Some(slot) = slot {
            end_if_claim_lost(code.clone(), slot, move |claim| claim.epoch() < epoch);
        }
    }

    /// Ends the tasks of rooms that were claimed on an earlier timeline, whenever a new one begins. The database may lack their last
    /// entries. Runs until it is dropped.
    pub async fn end_rooms_of_earlier_timelines(&self) {
        let Some(mut timeline) = self.services.store.timeline() else {
            return pending().await;
        };
        while timeline.changed().await.is_ok() {
            let newest = *timeline.borrow_and_update();
            tracing::warn!(
                timeline = newest,
                "a standby of the database has taken over"
            );
            let slots = self.slots().clone();
            for (code, slot) in slots {
                end_if_claim_lost(code, slot, move |claim| claim.timeline() < newest);
            }
        }
    }

    /// Ends the sessions of a lost gateway with all rooms that are awake.
    pub fn end_gateway_sessions(&self, gateway: NodeId) {
        for room in self.awake_handles() {
            room.mailbox().end_session_of(gateway);
        }
    }

    fn awake_handles(&self) -> Vec<RoomHandle> {
        let slots = self.slots();
        slots
            .values()
            .filter_map(|slot| slot.get().cloned())
            .collect()
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
    async fn spawn_start<T: Send + 'static, E: From<RoomUnavailable> + Send + 'static>(
        &self,
        start: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        // The task is registered before the check: either `shut_down` waits for this task, or it is seen here.
        let tracked = self.room_starts.token();
        if self.room_starts.is_closed() {
            return Err(RoomUnavailable::ShuttingDown.into());
        }
        let task = tokio::spawn(async move {
            let started = start.await;
            drop(tracked);
            started
        });
        task.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a room could not be opened or woken because of a bug");
            Err(RoomUnavailable::Panicked.into())
        })
    }

    /// Ends all rooms: waits for those that are being opened or woken, and for the tasks of all rooms. These end when
    /// nobody is connected any more.
    pub async fn shut_down(&self) {
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
            claim: claim.number(),
        };
        let (task, handle) =
            RoomTask::with_handle(self.services.clone(), registration, room, claim, permits);
        self.tasks.spawn(task);
        handle
    }

    /// Finds the room and its game in the database, and wakes it for that game, unless `check` refuses that.
    async fn wake<E: From<RoomUnavailable>>(
        self: &Arc<Self>,
        code: &RoomCode,
        wake_up: WakeUp,
        check: impl FnOnce(&FoundRoom) -> Result<(), E>,
    ) -> Result<RoomHandle, E> {
        let found = self.find_row(code).await?;
        check(&found)?;
        if self.damaged_rooms.is_damaged(code) {
            return Err(RoomUnavailable::Damaged.into());
        }
        let Some(game) = self.games.find(&found.game) else {
            let reason = match self.services.cluster {
                None => self.record_damaged(code, &ReadBackError::GameNotHosted),
                // Nodes have different versions during a rollout.
                Some(_) => RoomUnavailable::GameNotHosted,
            };
            return Err(reason.into());
        };
        let woken = (game.wake)(self.clone(), code.clone(), found, wake_up).await;
        Ok(woken?)
    }

    /// Reads a room of this game back from the last segment of its log, and starts its task.
    pub(super) async fn wake_as<G: Player>(
        self: &Arc<Self>,
        code: &RoomCode,
        found: FoundRoom,
        wake_up: WakeUp,
    ) -> Result<RoomHandle, RoomUnavailable> {
        let store = &self.services.store;
        let claim = store.claim(found).await.map_err(|error| match error {
            WriteError::Corrupt => self.record_damaged(code, &error.into()),
            error => unwritable(error),
        })?;
        let segment = store.last_segment(&claim).await;
        let segment = segment.map_err(|error| self.unavailable_after_read_error(code, error))?;
        let entropy = self.services.entropy_for(code);
        let room = read_back::<G>(code, self.services.now(), &segment, entropy);
        let room = room.map_err(|error| self.record_damaged(code, &error))?;
        let client_addr = wake_up.client_addr();
        let permit = wake_up.charge_and_release(segment.bytes());
        let reservation = self.resume_game(&room, client_addr)?;
        tracing::info!(room = %code, entries = segment.entries.len(), "a room was woken");
        let permits = RoomPermits {
            game: reservation,
            round: None,
            _awake: permit,
        };
        Ok(self.spawn(code, room, claim, permits))
    }

    /// Reserves the space for the game of a room that is woken; `None` if no game is on. A game that was played shortly before goes on
    /// in any case, for example after a restart of the server. If a game has waited for its next move for longer than
    /// `--room-idle-timeout-minutes`, there must be space for it. Then the address that wakes it is charged again.
    ///
    /// So an address cannot prepare games on many days and play all of them on one. A game that is not charged again was awake until
    /// shortly before, and the awake rooms of an address are limited.
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
        match self.services.cluster {
            None => tracing::error!(room = %code, %error, "the rows of a room could not be read"),
            // A node tries it again and again. The renewal of its lease logs once what is wrong.
            Some(_) => {
                tracing::debug!(room = %code, %error, "the rows of a room could not be read");
            }
        }
        RoomUnavailable::Storage
    }

    /// Records that a room cannot be read back. It is logged here once, because the room is not woken again.
    fn record_damaged(&self, code: &RoomCode, error: &ReadBackError) -> RoomUnavailable {
        if self.damaged_rooms.is_damaged(code) {
            return RoomUnavailable::Damaged;
        }
        self.damaged_rooms.record_unreadable(code, Instant::now());
        tracing::error!(
            room = %code,
            %error,
            "a room is damaged: it cannot be read back, and is not woken until the server restarts or many others are damaged"
        );
        RoomUnavailable::Damaged
    }
}

fn unwritable(error: WriteError) -> RoomUnavailable {
    // The writer has logged the reason.
    tracing::debug!(%error, "a room could not be claimed");
    RoomUnavailable::Storage
}
