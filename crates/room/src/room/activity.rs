//! Signs that seated people are there: their accepted commands. A host without any is replaced when others wait for them.

use crate::{Owner, Timestamp};

/// The activity of seated people, and since when the others have waited for the host.
#[derive(Default)]
pub(super) struct Activity {
    /// The time of the last accepted command of each seated owner.
    last_command_at: Vec<(Owner, Timestamp)>,
    /// The host for whom the others wait or waited last.
    host: Option<Owner>,
    /// The time when somebody asked for an act of the host, unless the host has been active since then.
    asked_at: Option<Timestamp>,
    /// Since when all others have been ready.
    others_ready_since: Option<Timestamp>,
}

impl Activity {
    /// Records an accepted command of an owner who has a seat. Owners who have lost theirs are forgotten when somebody else
    /// comes. Returns whether the others have waited for this command.
    pub(super) fn record_command(
        &mut self,
        owner: Owner,
        now: Timestamp,
        is_seated: impl Fn(Owner) -> bool,
    ) -> bool {
        let was_awaited = self.host_awaited_since(owner).is_some();
        let mut all = self.last_command_at.iter_mut();
        if let Some((_, at)) = all.find(|(other, _)| *other == owner) {
            *at = now;
        } else if is_seated(owner) {
            self.last_command_at.retain(|(other, _)| is_seated(*other));
            self.last_command_at.push((owner, now));
        }
        if self.host == Some(owner) {
            self.asked_at = None;
        }
        was_awaited
    }

    /// The time of the last accepted command of a seated owner; `None` if there was none.
    pub(super) fn last_command_at(&self, owner: Owner) -> Option<Timestamp> {
        let mut all = self.last_command_at.iter();
        all.find(|(other, _)| *other == owner).map(|(_, at)| *at)
    }

    /// Records that somebody has asked for an act of this host.
    pub(super) fn record_request(&mut self, host: Owner, now: Timestamp) {
        self.set_host(Some(host));
        self.asked_at.get_or_insert(now);
    }

    /// Records who is the host, and whether all others are ready. Returns whether that has changed.
    pub(super) fn set_others_ready(
        &mut self,
        host: Option<Owner>,
        others_ready: bool,
        now: Timestamp,
    ) -> bool {
        self.set_host(host);
        let has_changed = self.others_ready_since.is_some() != others_ready;
        if has_changed {
            self.others_ready_since = others_ready.then_some(now);
        }
        has_changed
    }

    /// A new host has not been waited for yet.
    fn set_host(&mut self, host: Option<Owner>) {
        if self.host != host {
            self.host = host;
            self.asked_at = None;
            self.others_ready_since = None;
        }
    }

    /// Since when the others have waited for this host without any command of theirs; `None` if nobody waits.
    pub(super) fn host_awaited_since(&self, host: Owner) -> Option<Timestamp> {
        if self.host != Some(host) {
            return None;
        }
        let waits = self.asked_at.into_iter().chain(self.others_ready_since);
        let began = waits.min()?;
        let last = self.last_command_at(host);
        Some(last.map_or(began, |last| began.max(last)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    fn at(seconds: u64) -> Timestamp {
        NOON.after(Duration::from_secs(seconds))
    }

    #[test]
    fn a_request_ends_with_the_next_command_of_the_host() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut activity = Activity::default();
        activity.record_command(ann, at(0), |_| true);
        assert_eq!(activity.host_awaited_since(ann), None);
        activity.record_request(ann, at(1));
        activity.record_request(ann, at(2));
        activity.record_command(bob, at(3), |_| true);
        assert_eq!(activity.host_awaited_since(ann), Some(at(1)));
        assert_eq!(activity.host_awaited_since(bob), None, "Bob is no host");
        activity.record_command(ann, at(4), |_| true);
        assert_eq!(activity.host_awaited_since(ann), None);
    }

    #[test]
    fn people_who_are_ready_wait_from_the_last_command_of_the_host() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut activity = Activity::default();
        activity.set_others_ready(Some(ann), true, at(1));
        activity.set_others_ready(Some(ann), true, at(2));
        assert_eq!(activity.host_awaited_since(ann), Some(at(1)));
        activity.record_command(ann, at(3), |_| true);
        assert_eq!(activity.host_awaited_since(ann), Some(at(3)));
        activity.set_others_ready(Some(ann), false, at(4));
        assert_eq!(activity.host_awaited_since(ann), None);
        activity.set_others_ready(Some(ann), true, at(5));
        activity.set_others_ready(Some(bob), true, at(6));
        assert_eq!(activity.host_awaited_since(bob), Some(at(6)), "a new host");
    }

    #[test]
    fn only_commands_of_seated_owners_are_remembered() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut activity = Activity::default();
        activity.record_command(ann, at(1), |_| true);
        activity.record_command(bob, at(2), |owner| owner == bob);
        assert_eq!(activity.last_command_at(ann), None);
        assert_eq!(activity.last_command_at(bob), Some(at(2)));
    }
}
