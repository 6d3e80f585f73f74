//! The damaged rooms: those that cannot be read back, and those whose tasks panic again and again.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::room_code::RoomCode;

/// The number of panics within [`PANIC_PERIOD`] that damages a room.
const PANICS_TO_DAMAGE: usize = 3;
/// The time in which panics are counted.
const PANIC_PERIOD: Duration = Duration::from_secs(60);
/// The most rooms that are remembered. If there are more, the oldest is forgotten; rooms that are not damaged go first.
const MAX_ROOMS: usize = 256;

/// The rooms of this server that are damaged, or whose tasks have panicked.
#[derive(Default)]
pub(super) struct DamagedRooms(Mutex<BTreeMap<RoomCode, NotedRoom>>);

/// A room that is damaged, or whose task has panicked.
#[derive(Default)]
struct NotedRoom {
    /// The times of its last panics, or of the attempt to read it back, the newest last.
    times: Vec<Instant>,
    /// It stays damaged until the server restarts, or until too many others are damaged.
    is_damaged: bool,
}

impl DamagedRooms {
    /// Notes a panic of the task of a room. Returns whether the room is damaged now.
    pub(super) fn record_panic(&self, code: &RoomCode, now: Instant) -> bool {
        self.note(code, now, |room| room.times.len() >= PANICS_TO_DAMAGE)
    }

    /// Forgets a room that was deleted.
    pub(super) fn forget(&self, code: &RoomCode) {
        self.rooms().remove(code);
    }

    /// Notes that a room cannot be read back, so it is damaged.
    pub(super) fn record_unreadable(&self, code: &RoomCode, now: Instant) {
        self.note(code, now, |_| true);
    }

    fn note(
        &self,
        code: &RoomCode,
        now: Instant,
        is_damaged: impl FnOnce(&NotedRoom) -> bool,
    ) -> bool {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| room.is_damaged || room.is_recent(now));
        if rooms.len() >= MAX_ROOMS && !rooms.contains_key(code) {
            let oldest = rooms
                .iter()
                .min_by_key(|(_, room)| (room.is_damaged, room.times.last()));
            if let Some(oldest) = oldest.map(|(code, _)| code.clone()) {
                rooms.remove(&oldest);
            }
        }
        let room = rooms.entry(code.clone()).or_default();
        room.times.retain(|time| now < *time + PANIC_PERIOD);
        room.times.push(now);
        room.is_damaged |= is_damaged(room);
        room.is_damaged
    }

    /// Whether a room is damaged, so that it is not woken.
    pub(super) fn is_damaged(&self, code: &RoomCode) -> bool {
        self.rooms().get(code).is_some_and(|room| room.is_damaged)
    }

    /// The number of damaged rooms that are remembered.
    pub(super) fn count(&self) -> usize {
        let rooms = self.rooms();
        rooms.values().filter(|room| room.is_damaged).count()
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomCode, NotedRoom>> {
        // A map is never half changed when a thread panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NotedRoom {
    fn is_recent(&self, now: Instant) -> bool {
        self.times
            .last()
            .is_some_and(|time| now < *time + PANIC_PERIOD)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn code(number: usize) -> RoomCode {
        let letters = b"abcdefgh".map(char::from);
        let digit = |place: u32| letters[number / 8_usize.pow(place) % 8];
        let text: String = (0..8).map(digit).collect();
        RoomCode::parse(&text).unwrap()
    }

    #[test]
    fn three_panics_in_a_minute_damage_a_room() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        assert!(!rooms.record_panic(&code(0), begin));
        assert!(!rooms.record_panic(&code(0), after(30)));
        assert!(
            !rooms.record_panic(&code(0), after(60)),
            "the first is too old"
        );
        assert!(!rooms.record_panic(&code(1), after(61)), "another room");
        assert!(!rooms.is_damaged(&code(0)));
        assert!(rooms.record_panic(&code(0), after(89)));
        assert!(rooms.is_damaged(&code(0)));
        assert!(!rooms.is_damaged(&code(1)));
    }

    #[test]
    fn a_damaged_room_stays_damaged() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        for _ in 0..PANICS_TO_DAMAGE {
            rooms.record_panic(&code(0), begin);
        }
        rooms.record_panic(&code(1), begin + 100 * PANIC_PERIOD);
        assert!(rooms.is_damaged(&code(0)));
    }

    #[test]
    fn an_unreadable_room_is_damaged_at_once() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        rooms.record_panic(&code(0), begin);
        rooms.record_unreadable(&code(1), begin);
        assert!(rooms.is_damaged(&code(1)));
        assert!(!rooms.is_damaged(&code(0)));
        assert_eq!(rooms.count(), 1);
    }

    #[test]
    fn old_panics_are_forgotten() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        rooms.record_panic(&code(0), begin);
        rooms.record_panic(&code(1), begin + PANIC_PERIOD);
        assert_eq!(rooms.rooms().len(), 1);
    }

    #[test]
    fn rooms_that_are_not_damaged_are_forgotten_first() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        rooms.record_unreadable(&code(0), begin);
        for number in 1..2 * MAX_ROOMS {
            rooms.record_panic(&code(number), begin + Duration::from_millis(number as u64));
        }
        assert!(rooms.is_damaged(&code(0)));
        assert_eq!(rooms.rooms().len(), MAX_ROOMS);
    }

    #[test]
    fn a_room_stays_damaged_until_256_others_are() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        for number in 0..=255 {
            rooms.record_unreadable(&code(number), begin + Duration::from_millis(number as u64));
        }
        assert!(rooms.is_damaged(&code(0)), "255 others");
        rooms.record_panic(&code(256), begin + Duration::from_secs(1));
        assert!(!rooms.is_damaged(&code(0)), "another has panicked");
    }

    #[test]
    fn the_number_of_rooms_is_bounded() {
        let rooms = DamagedRooms::default();
        let begin = Instant::now();
        for number in 0..2 * MAX_ROOMS {
            let now = begin + Duration::from_millis(number as u64);
            for _ in 0..PANICS_TO_DAMAGE {
                rooms.record_panic(&code(number), now);
            }
        }
        assert_eq!(rooms.rooms().len(), MAX_ROOMS);
        assert!(!rooms.is_damaged(&code(0)));
        assert!(rooms.is_damaged(&code(2 * MAX_ROOMS - 1)));
    }
}
