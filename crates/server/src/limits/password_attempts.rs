//! The rate limit for wrong passwords in one room.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Instant;

use crate::limits::client_addr::ClientAddr;
use crate::limits::token_bucket::TokenBucket;

/// The most addresses whose wrong passwords are counted in one room. While there are so many, passwords from other
/// addresses are refused.
const MAX_ADDRESSES: usize = 4096;

/// Counts the wrong passwords of each address in one room.
#[derive(Debug)]
pub struct PasswordAttempts {
    per_minute: NonZero<u32>,
    buckets: BTreeMap<ClientAddr, TokenBucket>,
}

impl PasswordAttempts {
    /// Allows each address this many wrong passwords in a minute.
    pub fn new(per_minute: NonZero<u32>) -> Self {
        Self {
            per_minute,
            buckets: BTreeMap::new(),
        }
    }

    /// Takes a unit for a password that is about to be verified. Returns false if none is left.
    ///
    /// The password counts as wrong until [`PasswordAttempts::refund`] is called. So concurrent attempts do not exceed
    /// the limit.
    pub fn try_acquire(&mut self, client_addr: ClientAddr, now: Instant) -> bool {
        self.buckets.retain(|_, bucket| !bucket.is_full(now));
        if self.buckets.len() >= MAX_ADDRESSES && !self.buckets.contains_key(&client_addr) {
            return false;
        }
        let bucket = self.buckets.entry(client_addr);
        let bucket = bucket.or_insert_with(|| TokenBucket::per_minute(self.per_minute, now));
        bucket.try_acquire(1, now).is_ok()
    }

    /// Puts the unit of a right password back.
    pub fn refund(&mut self, client_addr: ClientAddr) {
        if let Some(bucket) = self.buckets.get_mut(&client_addr) {
            bucket.refund();
        }
    }
}
