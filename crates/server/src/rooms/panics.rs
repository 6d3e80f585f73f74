//! Panics of the tasks of rooms: a room whose task panics again and again is damaged.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::room_code::RoomCode;

/// The number of panics within [`PANIC_PERIOD`] that damages a room.
const MAX_PANICS: usize = 3;
/// The time in which panics are counted.
const PANIC_PERIOD: Duration = Duration::from_secs(60);
/// The most rooms whose panics are remembered. If there are more, the one whose panic is the oldest is forgotten.
const MAX_ROOMS: usize = 256;

/// The rooms of this server whose tasks have panicked.
#[derive(Default)]
pub(super) struct Panics(Mutex<BTreeMap<RoomCode, PanickedRoom>>);

/// A room whose task has panicked.
#[derive(Default)]
struct PanickedRoom {
    /// The times of its last panics, the newest last.
    times: Vec<Instant>,
    /// It stays damaged until the server shuts down.
    is_damaged: bool,
}

impl Panics {
    /// Notes a panic of the task of a room. Returns whether the room is damaged now.
    pub(super) fn note(&self, code: &RoomCode, now: Instant) -> bool {
        let mut rooms = self.rooms();
        rooms.retain(|_, room| room.is_damaged || room.is_recent(now));
        if rooms.len() >= MAX_ROOMS && !rooms.contains_key(code) {
            let oldest = rooms.iter().min_by_key(|(_, room)| room.times.last());
            if let Some(oldest) = oldest.map(|(code, _)| code.clone()) {
                rooms.remove(&oldest);
            }
        }
        let room = rooms.entry(code.clone()).or_default();
        room.times.retain(|time| now < *time + PANIC_PERIOD);
        room.times.push(now);
        room.is_damaged |= room.times.len() >= MAX_PANICS;
        room.is_damaged
    }

    /// Whether a room is damaged, so that it is not woken.
    pub(super) fn is_damaged(&self, code: &RoomCode) -> bool {
        self.rooms().get(code).is_some_and(|room| room.is_damaged)
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomCode, PanickedRoom>> {
        // A map is never half changed when a thread panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PanickedRoom {
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
        let panics = Panics::default();
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        assert!(!panics.note(&code(0), begin));
        assert!(!panics.note(&code(0), after(30)));
        assert!(!panics.note(&code(0), after(60)), "the first is too old");
        assert!(!panics.note(&code(1), after(61)), "another room");
        assert!(!panics.is_damaged(&code(0)));
        assert!(panics.note(&code(0), after(89)));
        assert!(panics.is_damaged(&code(0)));
        assert!(!panics.is_damaged(&code(1)));
    }

    #[test]
    fn a_damaged_room_stays_damaged() {
        let panics = Panics::default();
        let begin = Instant::now();
        for _ in 0..MAX_PANICS {
            panics.note(&code(0), begin);
        }
        panics.note(&code(1), begin + 100 * PANIC_PERIOD);
        assert!(panics.is_damaged(&code(0)));
    }

    #[test]
    fn old_panics_are_forgotten() {
        let panics = Panics::default();
        let begin = Instant::now();
        panics.note(&code(0), begin);
        panics.note(&code(1), begin + PANIC_PERIOD);
        assert_eq!(panics.rooms().len(), 1);
    }

    #[test]
    fn the_number_of_rooms_is_bounded() {
        let panics = Panics::default();
        let begin = Instant::now();
        for number in 0..2 * MAX_ROOMS {
            let now = begin + Duration::from_millis(number as u64);
            for _ in 0..MAX_PANICS {
                panics.note(&code(number), now);
            }
        }
        assert_eq!(panics.rooms().len(), MAX_ROOMS);
        assert!(!panics.is_damaged(&code(0)));
        assert!(panics.is_damaged(&code(2 * MAX_ROOMS - 1)));
    }
}
