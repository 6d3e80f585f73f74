//! The last decisions of the host about owners without a seat.

use std::collections::VecDeque;

use crate::Owner;

/// The most owners who are remembered as let in by the host: as many as the usual limit of spectators.
const MAX_ADMITTED_OWNERS: usize = 16;
/// The most owners who are remembered as removed: more than the default limits let be in a room at a time.
const MAX_REMOVED_OWNERS: usize = 32;

/// The last decisions of the host about who may be in the room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostDecisions {
    /// The owners whom the host has let in from the waiting room since the last removal, the newest last.
    pub(crate) admitted: VecDeque<Owner>,
    /// The owners whom the host has removed since the waiting room began, and has not let in again, the newest last.
    pub(crate) removed: VecDeque<Owner>,
}

impl HostDecisions {
    /// The host has let an owner in. The oldest one is forgotten if there are too many.
    pub(crate) fn admit(&mut self, owner: Owner) {
        self.removed.retain(|other| *other != owner);
        push_newest(&mut self.admitted, owner, MAX_ADMITTED_OWNERS);
    }

    /// The host has removed an owner. Owners who were let in are new again, because a removed person may have prepared other tokens.
    pub(crate) fn remove(&mut self, owner: Owner) {
        self.admitted.clear();
        push_newest(&mut self.removed, owner, MAX_REMOVED_OWNERS);
    }

    /// An owner has sat down.
    pub(crate) fn sit(&mut self, owner: Owner) {
        self.removed.retain(|other| *other != owner);
    }

    /// Newcomers need not wait any more.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Adds an owner once, as the newest. The oldest one is removed if there are more than this number.
fn push_newest(owners: &mut VecDeque<Owner>, owner: Owner, most: usize) {
    owners.retain(|other| *other != owner);
    if owners.len() >= most {
        owners.pop_front();
    }
    owners.push_back(owner);
}
