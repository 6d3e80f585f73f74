//! The handle of a room that is awake.

use crate::rooms::mailbox_sender::MailboxSender;
use crate::storage::ClaimNumber;

/// The handle of a room that is awake: the sender to the mailbox of its task, and the claim of the task.
#[derive(Clone, Debug)]
pub struct RoomHandle {
    mailbox: MailboxSender,
    claim: ClaimNumber,
}

impl RoomHandle {
    pub(super) fn new(mailbox: MailboxSender, claim: ClaimNumber) -> Self {
        Self { mailbox, claim }
    }

    /// The sender to the mailbox of the task of the room.
    pub fn mailbox(&self) -> &MailboxSender {
        &self.mailbox
    }

    /// The number of the claim under which the room runs.
    pub fn claim(&self) -> ClaimNumber {
        self.claim
    }
}
