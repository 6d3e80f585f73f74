//! The rate limit for wrong passwords in one room.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::Instant;

use crate::limits::client_addr::{ClientAddr, Network};
use crate::limits::token_bucket::TokenBucket;

/// The most networks whose wrong passwords are counted in one room. While there are so many, passwords from other
/// networks are refused.
const MAX_COUNTED_NETWORKS: usize = 4096;

/// Counts the wrong passwords of each address in one room.
#[derive(Debug)]
pub struct PasswordAttempts {
    per_minute: NonZero<u32>,
    buckets: BTreeMap<Network, TokenBucket>,
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
        let mut networks = client_addr.networks();
        let all_have_one = networks.all(|network| match self.buckets.get_mut(&network) {
            Some(bucket) => bucket.check(1, now).is_ok(),
            None => self.buckets.len() + ClientAddr::NETWORKS_PER_CLIENT <= MAX_COUNTED_NETWORKS,
        });
        if all_have_one {
            for network in client_addr.networks() {
                let full = || TokenBucket::per_minute(network.scale_units(self.per_minute), now);
                let bucket = self.buckets.entry(network).or_insert_with(full);
                bucket.take(1, now);
            }
        }
        all_have_one
    }

    /// Puts the unit of a right password back.
    pub fn refund(&mut self, client_addr: ClientAddr) {
        for network in client_addr.networks() {
            if let Some(bucket) = self.buckets.get_mut(&network) {
                bucket.refund();
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
    use std::time::Duration;

    use super::*;

    const LIMIT: u32 = 3;

    fn attempts() -> PasswordAttempts {
        PasswordAttempts::new(NonZero::new(LIMIT).unwrap())
    }

    fn client(number: u32) -> ClientAddr {
        ClientAddr::from(IpAddr::from(Ipv4Addr::from_bits(number)))
    }

    #[test]
    fn an_address_has_this_many_attempts_in_a_minute() {
        let (mut attempts, now) = (attempts(), Instant::now());
        for _ in 0..LIMIT {
            assert!(attempts.try_acquire(client(1), now));
        }
        assert!(!attempts.try_acquire(client(1), now));
        let later = now + Duration::from_secs(60) / LIMIT;
        assert!(attempts.try_acquire(client(1), later));
        assert!(!attempts.try_acquire(client(1), later));
    }

    #[test]
    fn a_right_password_costs_no_attempt() {
        let (mut attempts, now) = (attempts(), Instant::now());
        for _ in 0..2 * LIMIT {
            assert!(attempts.try_acquire(client(1), now));
            attempts.refund(client(1));
        }
        for _ in 0..LIMIT {
            assert!(attempts.try_acquire(client(1), now));
        }
        attempts.refund(client(1));
        assert!(attempts.try_acquire(client(1), now));
        assert!(!attempts.try_acquire(client(1), now));
    }

    #[test]
    fn the_attempts_of_another_address_are_counted_apart() {
        let (mut attempts, now) = (attempts(), Instant::now());
        for _ in 0..LIMIT {
            assert!(attempts.try_acquire(client(1), now));
        }
        assert!(!attempts.try_acquire(client(1), now));
        attempts.refund(client(2));
        assert!(!attempts.try_acquire(client(1), now));
        assert!(attempts.try_acquire(client(2), now));
    }

    #[test]
    fn passwords_are_refused_while_the_table_is_full() {
        let (mut attempts, now) = (attempts(), Instant::now());
        let bound =
            u32::try_from(MAX_COUNTED_NETWORKS + 1 - ClientAddr::NETWORKS_PER_CLIENT).unwrap();
        for number in 0..bound {
            assert!(attempts.try_acquire(client(number), now));
        }
        assert!(!attempts.try_acquire(client(bound), now));
        // An address that is counted already keeps its attempts.
        assert!(attempts.try_acquire(client(0), now));
        let refilled = now + Duration::from_secs(60) / LIMIT;
        assert!(attempts.try_acquire(client(bound), refilled));
    }

    /// Otherwise a client with a /48 network could fill the table, and lock all others out.
    #[test]
    fn the_clients_of_a_48_network_share_larger_limits() {
        let (mut attempts, now) = (attempts(), Instant::now());
        let first = "2001:db8::".parse::<Ipv6Addr>().unwrap().to_bits();
        let client = |network: u128| {
            ClientAddr::from(IpAddr::from(Ipv6Addr::from_bits(first | network << 64)))
        };
        let granted = (0..1000).filter(|network| attempts.try_acquire(client(*network), now));
        assert_eq!(granted.count(), 16 * LIMIT as usize);
        assert!(attempts.buckets.len() < 100);
        for network in 1000..1100 {
            assert!(attempts.try_acquire(client(network << 8), now + Duration::from_secs(60)));
            attempts.refund(client(network << 8));
        }
        let in_other_48 = ClientAddr::from("2001:db8:1::1".parse::<IpAddr>().unwrap());
        assert!(attempts.try_acquire(in_other_48, now));
    }
}
