//! The links of this node: one for each room of its connections.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sticheln_cluster::Update;
use tokio::sync::mpsc;

use crate::room_code::RoomCode;
use crate::rooms::mailbox_sender::MailboxSender;

/// The most updates that wait for a link. If another one comes, it is lost, and the session is restarted.
pub(super) const UPDATES_CAPACITY: usize = 256;

/// The links of this node.
#[derive(Clone, Debug, Default)]
pub struct Links(Arc<Mutex<BTreeMap<RoomCode, LinkHandle>>>);

/// The way to the task of a link.
#[derive(Clone, Debug)]
pub(super) struct LinkHandle {
    /// For the sockets.
    pub(super) mailbox: MailboxSender,
    /// For updates of the leader.
    pub(super) updates: mpsc::Sender<Update>,
}

/// Keeps a link in the list until it is dropped.
pub(super) struct LinkRegistration {
    links: Links,
    code: RoomCode,
}

impl Drop for LinkRegistration {
    fn drop(&mut self) {
        self.links.lock().remove(&self.code);
    }
}

impl Links {
    /// The link of this room.
    pub(super) fn get(&self, code: &RoomCode) -> Option<MailboxSender> {
        self.lock().get(code).map(|link| link.mailbox.clone())
    }

    /// Adds the link of a room, unless it has one or there are too many.
    pub(super) fn add(
        &self,
        code: &RoomCode,
        limit: usize,
        handle: LinkHandle,
    ) -> Result<LinkRegistration, AddError> {
        let mut links = self.lock();
        let count = links.len();
        match links.entry(code.clone()) {
            Entry::Occupied(other) => Err(AddError::Exists(other.get().mailbox.clone())),
            Entry::Vacant(_) if count >= limit => Err(AddError::Full),
            Entry::Vacant(vacant) => {
                vacant.insert(handle);
                Ok(LinkRegistration {
                    links: self.clone(),
                    code: code.clone(),
                })
            }
        }
    }

    /// Sends an update to the link of its room. It is lost if there is none, or if too many wait.
    pub(super) fn deliver(&self, update: Update) {
        let Some(code) = RoomCode::parse(&update.room) else {
            return;
        };
        let updates = self.lock().get(&code).map(|link| link.updates.clone());
        if let Some(updates) = updates {
            // A lost update is noticed by its number.
            let _ = updates.try_send(update);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RoomCode, LinkHandle>> {
        // A map is never half changed when a thread panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reason why a link was not added.
pub(super) enum AddError {
    /// The room has this one.
    Exists(MailboxSender),
    /// There are too many links.
    Full,
}
