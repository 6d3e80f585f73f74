//! The passwords of a room: their rate limits, and the work on them.

use std::num::NonZero;

use sticheln_bots::Player;
use sticheln_room::{ConnId, NotHashed, Password, PasswordHash, PasswordVerdict};
use tokio::time::Instant;

use super::RoomTask;
use crate::limits::address_limits::WorkPermit;
use crate::limits::client_addr::ClientAddr;
use crate::limits::password_attempts::PasswordAttempts;
use crate::limits::token_bucket::TokenBucket;
use crate::rooms::mailbox::MailboxMessage;

/// The most new passwords that a room gets in a minute.
const CHANGES_PER_MINUTE: NonZero<u32> = NonZero::new(5).expect("5 is not 0");

/// The rate limits of passwords in a room. They are here and not in the room, because they protect the processor of the
/// server and count client addresses.
pub(super) struct PasswordLimits {
    /// Of wrong passwords.
    pub(super) attempts: PasswordAttempts,
    /// Of new passwords: a hash takes much work.
    changes: TokenBucket,
}

impl PasswordLimits {
    /// Allows each address this many wrong passwords in a minute.
    pub(super) fn new(wrong_passwords_per_minute: NonZero<u32>, now: std::time::Instant) -> Self {
        Self {
            attempts: PasswordAttempts::new(wrong_passwords_per_minute),
            changes: TokenBucket::per_minute(CHANGES_PER_MINUTE, now),
        }
    }
}

impl<G: Player> RoomTask<G> {
    /// Verifies a password, unless too many wrong ones have come from the address of the connection.
    pub(super) fn verify_password(&mut self, conn: ConnId, password: Password, hash: PasswordHash) {
        let Some((client_addr, permit)) = self.permit_hash(conn) else {
            return;
        };
        let now = Instant::now().into_std();
        let may_try = self.password_limits.attempts.try_acquire(client_addr, now);
        let reply = self.mailbox.reply();
        let reply =
            move |verdict| reply(MailboxMessage::PasswordVerified(conn, client_addr, verdict));
        if !may_try {
            return reply(PasswordVerdict::NotTried);
        }
        let password_hashing = self.services.password_hashing.clone();
        tokio::spawn(async move {
            let Some(_permit) = permit.await else {
                return reply(PasswordVerdict::Failed);
            };
            reply(match password_hashing.verify(password, hash).await {
                Some(true) => PasswordVerdict::Right,
                Some(false) => PasswordVerdict::Wrong,
                None => PasswordVerdict::Failed,
            });
        });
    }

    /// Hashes a new password, unless the room has got too many of them. The room gets an answer in each case.
    pub(super) fn hash_password(&mut self, conn: ConnId, password: Password) {
        let Some((_, permit)) = self.permit_hash(conn) else {
            return;
        };
        let now = Instant::now().into_std();
        let reply = self.mailbox.reply();
        let reply = move |hash| reply(MailboxMessage::PasswordHashed(conn, hash));
        if self.password_limits.changes.try_acquire(1, now).is_err() {
            return reply(Err(NotHashed::TooMany));
        }
        let password_hashing = self.services.password_hashing.clone();
        tokio::spawn(async move {
            let Some(_permit) = permit.await else {
                return reply(Err(NotHashed::Failed));
            };
            let hash = password_hashing.hash(password).await;
            reply(hash.ok_or(NotHashed::Failed));
        });
    }

    /// The address of a connection, and a future of its permit to hash a password. Its output is `None` if the connection is closed
    /// meanwhile. The room has forgotten the message of a connection that is closed already.
    fn permit_hash(
        &self,
        conn: ConnId,
    ) -> Option<(
        ClientAddr,
        impl Future<Output = Option<WorkPermit>> + Send + use<G>,
    )> {
        let connection = self.connections.get(conn)?;
        let (client_addr, closed) = (connection.client_addr, connection.closed.clone());
        let address_limits = self.services.address_limits.clone();
        let permit = async move {
            let permit = address_limits.permit_hash(client_addr);
            closed.run_until_cancelled(permit).await
        };
        Some((client_addr, permit))
    }
}
