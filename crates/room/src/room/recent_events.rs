//! The newest public events of the game, for clients that have missed some of them.

use std::collections::{BTreeMap, VecDeque};

use sticheln_protocol::{ActedFor, Encodes, GameEvent, GameEvents};
use sticheln_rules::{Event, Game, TrickPart};

use crate::ConnId;

/// The most events that are kept. It is more than most rounds have.
const MAX_EVENTS: usize = 200;
/// The most bytes of events that are kept: more than [`MAX_EVENTS`] played cards take.
const MAX_BYTES: usize = 15 * 1024;

/// The newest public events of the game, and the revisions that connections have seen before they are admitted.
#[derive(Default)]
pub(super) struct RecentEvents {
    /// The events, the oldest first.
    events: GameEvents,
    /// The metadata of each event.
    infos: VecDeque<EventInfo>,
    /// The events after this revision are complete.
    complete_after: u64,
    /// The tricks of the running round that are finished.
    finished_tricks: u8,
    /// The revisions that connections have named in their `hello`.
    seen: BTreeMap<ConnId, ResumePoint>,
}

/// The point from which a client is sent events: the revision up to which it has seen those that the room log still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResumePoint {
    pub(super) rev: u64,
    /// Whether it has seen later events, which a failover of the database has lost.
    pub(super) has_seen_lost: bool,
}

impl ResumePoint {
    /// The revision comes from another state of the log, so it is after all revisions of this one.
    pub(super) const UNKNOWN: Self = Self {
        rev: u64::MAX,
        has_seen_lost: false,
    };
}

/// The metadata of an event.
struct EventInfo {
    /// The shown revision of its entry.
    rev: u64,
    bytes: u32,
    /// The number of its trick, from 0; `None` outside of a trick, or in a round that was scored.
    trick: Option<u8>,
}

/// The events that a client has missed.
pub(super) struct MissedEvents {
    pub(super) events: GameEvents,
    /// Whether some of them are left out.
    pub(super) has_gap: bool,
}

impl MissedEvents {
    /// All of them are left out, because they are not known.
    pub(super) fn unknown() -> Self {
        Self {
            events: GameEvents::default(),
            has_gap: true,
        }
    }
}

impl RecentEvents {
    /// No events. Those up to this revision are not known.
    pub(super) fn empty_after(rev: u64) -> Self {
        Self {
            complete_after: rev,
            ..Self::default()
        }
    }

    /// Adds the events of the entry with this shown revision, here and to `unsent`. `acted_for` comes before them.
    pub(super) fn add<G: Game>(
        &mut self,
        rev: u64,
        acted_for: Option<&ActedFor>,
        events: &[Event<G>],
        unsent: &mut GameEvents,
    ) {
        if let Some(acted_for) = acted_for {
            let part = events.first().and_then(Event::trick_part);
            self.push(rev, part, acted_for, unsent);
        }
        for event in events {
            let part = event.trick_part();
            self.push(rev, part, event, unsent);
            match event {
                Event::RoundScored { .. } => self.show_all_tricks(),
                Event::Dealt { .. } | Event::GameOver(_) | Event::Fact(_) => {
                    self.finished_tricks += u8::from(part.is_some_and(TrickPart::is_end));
                }
            }
        }
        self.drop_oldest();
    }

    fn push(
        &mut self,
        rev: u64,
        part: Option<TrickPart<'_>>,
        event: &impl Encodes<GameEvent>,
        unsent: &mut GameEvents,
    ) {
        let bytes_before = self.events.bytes();
        self.events.push(event);
        // A comma is before all events but the first one.
        let begin = bytes_before + usize::from(bytes_before > 0);
        let end = self.events.bytes();
        unsent.append(&self.events, begin..end);
        self.infos.push_back(EventInfo {
            rev,
            bytes: (end - begin) as u32,
            trick: part.map(|_| self.finished_tricks),
        });
    }

    /// The round was scored, so all of its tricks are shown.
    fn show_all_tricks(&mut self) {
        self.finished_tricks = 0;
        for info in &mut self.infos {
            info.trick = None;
        }
    }

    fn drop_oldest(&mut self) {
        let mut dropped = 0;
        while self.infos.len() > MAX_EVENTS || self.events.bytes() > MAX_BYTES + dropped {
            let Some(oldest) = self.infos.pop_front() else {
                break;
            };
            dropped += oldest.bytes as usize + 1;
            self.complete_after = oldest.rev;
        }
        if dropped > 0 {
            self.events.drop_front(dropped - 1);
        }
    }

    /// Drops all events: a game begins, or the room has none any more.
    pub(super) fn clear(&mut self) {
        if let Some(newest) = self.infos.back() {
            self.complete_after = newest.rev;
        }
        self.events = GameEvents::default();
        self.infos.clear();
        self.finished_tricks = 0;
    }

    /// The events after this revision. While a round is played, it leaves out its finished tricks, except the last
    /// `shown_tricks`.
    pub(super) fn after(&self, rev: u64, shown_tricks: usize) -> MissedEvents {
        let mut missed = MissedEvents {
            events: GameEvents::default(),
            has_gap: rev < self.complete_after,
        };
        let mut begin = 0;
        for info in &self.infos {
            let range = begin..begin + info.bytes as usize;
            begin = range.end + 1;
            if info.rev <= rev {
                continue;
            }
            let age = info.trick.map(|trick| self.finished_tricks - trick);
            if age.is_none_or(|age| usize::from(age) <= shown_tricks) {
                missed.events.append(&self.events, range);
            } else {
                missed.has_gap = true;
            }
        }
        missed
    }

    /// Notes the revision that a connection has seen, until it is admitted.
    pub(super) fn set_seen(&mut self, conn: ConnId, seen: Option<ResumePoint>) {
        match seen {
            Some(seen) => _ = self.seen.insert(conn, seen),
            None => self.forget(conn),
        }
    }

    /// The revision after which everything is lost that a connection has seen; `None` if nothing is lost. The connection is being
    /// admitted.
    pub(super) fn lost_after(&self, conn: ConnId) -> Option<u64> {
        let seen = self.seen.get(&conn)?;
        seen.has_seen_lost.then_some(seen.rev)
    }

    /// The revisions that these connections have seen, which are admitted now.
    pub(super) fn take_seen(&mut self, conns: &[ConnId]) -> BTreeMap<ConnId, u64> {
        let seen = conns.iter().filter_map(|conn| self.seen.remove_entry(conn));
        seen.map(|(conn, seen)| (conn, seen.rev)).collect()
    }

    /// Drops a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.seen.remove(&conn);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use sticheln_protocol::Actor;
    use sticheln_rules::sticheln::{Fact, Score};
    use sticheln_rules::{BySeat, Played, Seat, Seats, Sticheln};

    use super::*;

    const ANN: Seat = Seat::new(0);
    const CONN: ConnId = ConnId(1);
    fn seen(rev: u64) -> Option<ResumePoint> {
        Some(ResumePoint {
            rev,
            has_seen_lost: false,
        })
    }

    const CLOCK: ActedFor = ActedFor {
        seat: ANN,
        by: Actor::Clock,
    };

    fn played(card: &str) -> Event<Sticheln> {
        Event::Fact(Fact::Played(Played {
            seat: ANN,
            card: card.parse().unwrap(),
            leads: false,
            winning: false,
        }))
    }

    fn taken() -> Event<Sticheln> {
        Event::Fact(Fact::TrickTaken {
            seat: ANN,
            leader: ANN,
            cards: vec![],
            points: 0,
        })
    }

    fn picked() -> Event<Sticheln> {
        Event::Fact(Fact::Picked { seat: ANN })
    }

    fn scored() -> Event<Sticheln> {
        let seats = Seats::new(3).unwrap();
        let pick = "red-7".parse().unwrap();
        Event::RoundScored {
            round: 1,
            scores: BySeat::from_fn(seats, |_| Score::new(pick, &[])),
            totals: BySeat::all(seats, 0),
        }
    }

    fn add(recent: &mut RecentEvents, rev: u64, events: &[Event<Sticheln>]) {
        recent.add(rev, None, events, &mut GameEvents::default());
    }

    /// The text of these events.
    fn list(events: &[Event<Sticheln>]) -> GameEvents {
        let mut list = GameEvents::default();
        events.iter().for_each(|event| list.push(event));
        list
    }

    #[track_caller]
    fn check(
        recent: &RecentEvents,
        rev: u64,
        shown_tricks: usize,
        events: &[Event<Sticheln>],
        has_gap: bool,
    ) {
        let missed = recent.after(rev, shown_tricks);
        assert_eq!((missed.events, missed.has_gap), (list(events), has_gap));
    }

    #[test]
    fn events_after_a_revision_are_those_of_later_entries() {
        let mut recent = RecentEvents::empty_after(3);
        add(&mut recent, 4, &[picked()]);
        add(&mut recent, 6, &[played("red-7"), taken()]);
        let all = [picked(), played("red-7"), taken()];
        check(&recent, 2, 1, &all, true);
        check(&recent, 3, 1, &all, false);
        check(&recent, 4, 1, &all[1..], false);
        check(&recent, 5, 1, &all[1..], false);
        check(&recent, 6, 1, &[], false);
    }

    #[test]
    fn tricks_that_are_not_shown_are_a_gap_until_the_round_is_scored() {
        let mut recent = RecentEvents::empty_after(0);
        let (one, two, three) = (played("red-1"), played("red-2"), played("red-3"));
        add(&mut recent, 1, &[picked()]);
        add(&mut recent, 2, &[one.clone(), taken()]);
        add(&mut recent, 3, &[two.clone(), taken()]);
        add(&mut recent, 4, std::slice::from_ref(&three));
        let all = [picked(), one, taken(), two, taken(), three];
        check(&recent, 0, usize::MAX, &all, false);
        let last = [picked(), all[3].clone(), taken(), all[5].clone()];
        check(&recent, 0, 1, &last, true);
        check(&recent, 0, 0, &[picked(), all[5].clone()], true);
        check(&recent, 2, 1, &all[3..], false);
        check(&recent, 3, 0, &all[5..], false);
        add(&mut recent, 5, &[taken(), scored()]);
        let scored: Vec<_> = all.into_iter().chain([taken(), scored()]).collect();
        check(&recent, 0, 0, &scored, false);
        add(&mut recent, 6, &[played("red-4"), taken()]);
        check(&recent, 5, 0, &[], true);
    }

    #[test]
    fn the_actor_of_a_hidden_move_is_left_out_with_it() {
        let mut recent = RecentEvents::empty_after(0);
        let events = [played("red-1"), taken()];
        recent.add(1, Some(&CLOCK), &events, &mut GameEvents::default());
        check(&recent, 0, 0, &[], true);
        let mut all = GameEvents::default();
        all.push(&CLOCK);
        events.iter().for_each(|event| all.push(event));
        assert_eq!(recent.after(0, 1).events, all);
    }

    #[test]
    fn the_same_text_is_given_out_to_be_sent() {
        let mut recent = RecentEvents::empty_after(0);
        let mut unsent = GameEvents::default();
        recent.add(1, None, &[picked()], &mut unsent);
        recent.add(2, None, &[played("red-1"), taken()], &mut unsent);
        assert_eq!(unsent, list(&[picked(), played("red-1"), taken()]));
    }

    #[test]
    fn the_oldest_events_are_dropped() {
        let mut recent = RecentEvents::empty_after(0);
        let count = MAX_EVENTS as u64 + 3;
        for rev in 1..=count {
            add(&mut recent, rev, &[picked()]);
        }
        let kept = vec![picked(); MAX_EVENTS];
        check(&recent, 3, 1, &kept, false);
        check(&recent, 2, 1, &kept, true);
        check(&recent, count - 1, 1, &[picked()], false);
    }

    #[test]
    fn the_bytes_of_events_are_bounded() {
        let mut recent = RecentEvents::empty_after(0);
        for rev in 1..=100 {
            add(&mut recent, rev, &[scored()]);
        }
        let bytes = recent.events.bytes();
        assert!((MAX_BYTES * 9 / 10..=MAX_BYTES).contains(&bytes), "{bytes}");
        let one = list(&[scored()]).bytes() + 1;
        let kept = MAX_BYTES.div_ceil(one) - 1;
        assert!(kept.abs_diff(recent.infos.len()) <= 1, "{kept}");
        let events = vec![scored(); recent.infos.len()];
        check(&recent, 0, 1, &events, true);
    }

    #[test]
    fn an_earlier_game_that_was_seen_to_its_end_is_no_gap() {
        let mut recent = RecentEvents::empty_after(0);
        add(&mut recent, 1, &[picked()]);
        add(&mut recent, 4, &[played("red-1"), taken(), scored()]);
        recent.clear();
        add(&mut recent, 7, &[picked()]);
        check(&recent, 4, 1, &[picked()], false);
        check(&recent, 3, 1, &[picked()], true);
        recent.clear();
        recent.clear();
        check(&recent, 7, 1, &[], false);
        check(&recent, 6, 1, &[], true);
    }

    #[test]
    fn the_newest_revision_of_a_connection_counts_until_it_is_closed() {
        let mut recent = RecentEvents::empty_after(0);
        recent.set_seen(CONN, seen(3));
        recent.set_seen(CONN, None);
        assert!(recent.take_seen(&[CONN]).is_empty());
        recent.set_seen(CONN, seen(3));
        recent.forget(CONN);
        assert!(recent.take_seen(&[CONN]).is_empty());
        recent.set_seen(CONN, seen(3));
        recent.set_seen(ConnId(2), seen(4));
        assert_eq!(recent.take_seen(&[CONN]), BTreeMap::from([(CONN, 3)]));
        assert!(recent.take_seen(&[CONN]).is_empty());
    }
}
