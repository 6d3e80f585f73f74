//! The generations of a room log. Within one, revisions never go back.

use serde::{Deserialize, Serialize};

use crate::state::CorruptLog;

/// The first timeline of a database, and the only one of SQLite.
pub const FIRST_TIMELINE: u32 = 1;
/// The most generations that are kept.
const MAX_GENERATIONS: usize = 8;

/// The generations of a room log. A new one begins when the room is woken on another timeline: after a failover or a restore. The last
/// entries of the earlier generation may be lost. The first generation is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
#[expect(
    clippy::box_collection,
    reason = "most rooms have none, and the memory of a room is small"
)]
pub(crate) struct Generations(Option<Box<Vec<Generation>>>);

/// A generation after the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Generation {
    number: u32,
    timeline: u32,
    /// The shown revision at its begin. The log has no later one of an earlier generation any more.
    last_common_rev: u64,
}

impl Generations {
    fn newest(&self) -> Option<&Generation> {
        self.0.as_ref()?.last()
    }

    /// The number of the current generation.
    pub(crate) fn current(&self) -> u32 {
        self.newest().map_or(0, |newest| newest.number)
    }

    /// The timeline of the current generation.
    pub(crate) fn timeline(&self) -> u32 {
        self.newest()
            .map_or(FIRST_TIMELINE, |newest| newest.timeline)
    }

    /// Whether there is only the first generation.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Begins the next generation, after this shown revision.
    ///
    /// # Errors
    /// [`CorruptLog`] if the timeline is the current one.
    pub(crate) fn begin(&mut self, timeline: u32, last_common_rev: u64) -> Result<(), CorruptLog> {
        if timeline == self.timeline() {
            return Err(CorruptLog);
        }
        // The begin of a generation can be lost too. The number of the next one is higher nevertheless, because its timeline is.
        let number = (self.current() + 1).max(timeline.saturating_sub(FIRST_TIMELINE));
        let generations = self.0.get_or_insert_default();
        generations.push(Generation {
            number,
            timeline,
            last_common_rev,
        });
        if generations.len() > MAX_GENERATIONS {
            let oldest = generations.remove(0);
            generations[0].last_common_rev = oldest.last_common_rev;
        }
        Ok(())
    }

    /// The newest revision that this earlier generation shares with the current one; `None` if there is no later generation.
    pub(crate) fn last_common_rev_of(&self, generation: u32) -> Option<u64> {
        let mut all = self.0.iter().flat_map(|generations| generations.iter());
        let later = all.find(|later| later.number > generation);
        later.map(|later| later.last_common_rev)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_first_later_generation_tells_what_is_kept() {
        let mut generations = Generations::default();
        assert_eq!(
            (generations.current(), generations.last_common_rev_of(0)),
            (0, None)
        );
        generations.begin(2, 100).unwrap();
        generations.begin(3, 150).unwrap();
        assert_eq!((generations.current(), generations.timeline()), (2, 3));
        let kept = [0, 1, 2, 3].map(|generation| generations.last_common_rev_of(generation));
        assert_eq!(kept, [Some(100), Some(150), None, None]);
        assert_eq!(generations.begin(3, 160), Err(CorruptLog));
    }

    #[test]
    fn a_generation_whose_begin_is_lost_has_a_lower_number_than_the_next_one() {
        let mut generations = Generations::default();
        let mut lost = generations.clone();
        lost.begin(2, 100).unwrap();
        generations.begin(3, 90).unwrap();
        assert!(generations.current() > lost.current());
        assert_eq!(generations.last_common_rev_of(lost.current()), Some(90));
    }

    #[test]
    fn a_backup_on_an_earlier_timeline_begins_a_generation_too() {
        let mut generations = Generations::default();
        generations.begin(5, 100).unwrap();
        generations.begin(1, 80).unwrap();
        assert_eq!((generations.current(), generations.timeline()), (5, 1));
    }

    #[test]
    fn too_many_generations_keep_the_oldest_revision() {
        let mut generations = Generations::default();
        for timeline in 2..40 {
            generations.begin(timeline, u64::from(timeline)).unwrap();
        }
        assert_eq!(generations.0.as_ref().unwrap().len(), MAX_GENERATIONS);
        assert_eq!(generations.last_common_rev_of(0), Some(2));
        assert_eq!(generations.last_common_rev_of(37), Some(39));
    }
}
