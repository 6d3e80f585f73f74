//! The slot of a room that is opened or woken.

use std::collections::btree_map;
use std::sync::Arc;
use std::thread;

use sticheln_bots::Player;
use sticheln_protocol::OpenRoom;
use sticheln_room::{Password, Refusal, Room, RoomSettings, Title};
use tokio::task::spawn_blocking;

use super::{RoomRegistry, Slot, record_panic};
use crate::limits::address_limits::{Permit, WakeUp};
use crate::limits::client_addr::ClientAddr;
use crate::room_code::RoomCode;
use crate::rooms::replays::StoredPosition;
use crate::rooms::retention;
use crate::rooms::room_handle::RoomHandle;
use crate::rooms::room_unavailable::RoomUnavailable;
use crate::rooms::services::Services;
use crate::rooms::task::{self, RoomPermits};
use crate::storage::{FoundRoom, WriteError};

/// The log line when all codes that were tried have a room.
pub(super) const NO_FREE_CODE: &str = "no free code was found for a new room";
/// The most codes that are tried for a new room. Codes are random, so already the first is free nearly always.
pub(super) const MAX_CODES: usize = 3;

/// A guard of the slot of a room that a task opens or wakes. The room counts against `--rooms` while the guard exists.
///
/// Dropping it frees the slot if it is still empty and no other task waits for it.
pub(in crate::rooms) struct SlotReservation {
    pub(super) registry: Arc<RoomRegistry>,
    pub(super) code: RoomCode,
    slot: Slot,
}

impl SlotReservation {
    /// Takes a slot for a room that is to be opened, under a random code.
    ///
    /// # Errors
    /// [`RoomUnavailable::Full`] if no space is left, [`RoomUnavailable::OpeningFailed`] if there is no code for it.
    pub(super) fn for_new_room(registry: &Arc<RoomRegistry>) -> Result<Self, RoomUnavailable> {
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
    pub(super) fn for_code(registry: &Arc<RoomRegistry>, code: &RoomCode) -> Option<Self> {
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

    /// Wakes the room, unless another task has done so or `check` refuses it.
    ///
    /// # Errors
    /// That of `check`, or [`RoomUnavailable`].
    pub(super) async fn wake<E: From<RoomUnavailable>>(
        self,
        wake_up: WakeUp,
        check: impl FnOnce(&FoundRoom) -> Result<(), E>,
    ) -> Result<RoomHandle, E> {
        let _recorder = WakeUpPanicRecorder(&self);
        let wake = || self.registry.wake(&self.code, wake_up, check);
        self.slot.get_or_try_init(wake).await.cloned()
    }

    pub(in crate::rooms) async fn open<G: Player>(
        mut self,
        request: OpenRoom,
        position: Option<StoredPosition>,
        permit: Permit,
    ) -> Result<RoomCode, RoomUnavailable> {
        let registry = self.registry.clone();
        let seats = request.seats;
        let replays = position.as_ref().and_then(StoredPosition::replay_access);
        let continuation = match position {
            Some(position) => {
                let made = spawn_blocking(move || position.continuation::<G>(seats)).await;
                Some(made.unwrap_or(Err(RoomUnavailable::Panicked))?)
            }
            None => None,
        };
        let settings = settings::<G>(request, &registry.services, permit.client_addr()).await?;
        let settings = RoomSettings {
            replays,
            ..settings
        };
        let mut permit = Some(permit);
        for _ in 0..MAX_CODES {
            let code = self.code.clone();
            let now = registry.services.now();
            let entropy = registry.services.entropy_for(&code);
            let settings = settings.clone();
            let (room, entry) = match continuation.clone() {
                Some(from) => Room::open_continuation(code.as_str(), now, settings, from, entropy),
                None => Room::open(code.as_str(), now, seats, settings, entropy),
            }?;
            let listing = retention::listing(&registry.services, room.summary());
            let write = async {
                let store = &registry.services.store;
                let serialized = task::serialize_entry(&entry, None, Vec::new(), store.format());
                let claim = store
                    .open_room(code.clone(), G::ID, serialized, listing)
                    .await?;
                let permit = permit.take().expect("the room is opened once");
                let permits = RoomPermits {
                    game: None,
                    round: None,
                    _awake: permit,
                };
                Ok(registry.spawn(&code, room, claim, permits))
            };
            // `find_or_wake` waits for the write, so that nobody wakes the room a second time.
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
            let _permit = services.address_limits.permit_hash(client_addr).await;
            let hash = services.password_hashing.hash(password).await;
            Some(hash.ok_or_else(|| internal("the password of a new room could not be hashed"))?)
        }
        None => None,
    };
    Ok(RoomSettings {
        title,
        listed: request.listed,
        options,
        password_hash,
        ..RoomSettings::default()
    })
}

/// Logs why the server has failed at something else than the database.
pub(super) fn internal(reason: &'static str) -> RoomUnavailable {
    tracing::error!("{reason}");
    RoomUnavailable::OpeningFailed
}
