//! Codes by which people move their seats to another device.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Owner, Timestamp};

/// The time for which a code is valid.
const VALIDITY: Duration = Duration::from_secs(120);
/// The characters of codes: no two of them look alike.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";
/// The length of a code. There are 2^40 codes. While one is valid, the rate limit for messages bounds the codes that a
/// connection can try, and the limit of spectators from one address bounds the connections.
const LENGTH: usize = 8;

/// The codes that are valid at one room. Each owner has at most one.
#[derive(Default)]
pub(super) struct Handovers(BTreeMap<Owner, Handover>);

struct Handover {
    code: String,
    expires_at: Timestamp,
}

impl Handovers {
    /// Makes a code of random bits for an owner, in the place of their older one. Returns it, and when it expires.
    /// Codes that have expired are forgotten, and those of owners who are not seated.
    pub(super) fn offer(
        &mut self,
        owner: Owner,
        bits: [u8; 32],
        now: Timestamp,
        is_seated: impl Fn(Owner) -> bool,
    ) -> (String, Timestamp) {
        let character = |byte: &u8| char::from(ALPHABET[usize::from(byte % 32)]);
        let code: String = bits.iter().take(LENGTH).map(character).collect();
        let expires_at = now.after(VALIDITY);
        self.0
            .retain(|owner, handover| now < handover.expires_at && is_seated(*owner));
        let handover = Handover {
            code: code.clone(),
            expires_at,
        };
        self.0.insert(owner, handover);
        (code, expires_at)
    }

    /// The owner who has offered their seat under this code.
    pub(super) fn owner_of(&self, code: &str, now: Timestamp) -> Option<Owner> {
        let is_valid = |handover: &Handover| handover.code == code && now < handover.expires_at;
        let mut handovers = self.0.iter();
        handovers.find_map(|(owner, handover)| is_valid(handover).then_some(*owner))
    }

    /// Ends the validity of the code of an owner.
    pub(super) fn remove(&mut self, owner: Owner) {
        self.0.remove(&owner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn a_code_is_valid_until_it_expires() {
        let mut handovers = Handovers::default();
        let (code, expires_at) = handovers.offer(Owner::numbered(0), [33; 32], NOON, |_| true);
        assert_eq!(code, "33333333");
        let last = Timestamp(expires_at.0 - 1);
        assert_eq!(handovers.owner_of(&code, last), Some(Owner::numbered(0)));
        assert_eq!(handovers.owner_of(&code, expires_at), None);
        assert_eq!(handovers.owner_of("22222222", NOON), None);
    }

    #[test]
    fn a_newer_code_of_an_owner_takes_the_place_of_the_older() {
        let mut handovers = Handovers::default();
        let (old, _) = handovers.offer(Owner::numbered(0), [0; 32], NOON, |_| true);
        let (new, _) = handovers.offer(Owner::numbered(0), [1; 32], NOON, |_| true);
        assert_eq!(handovers.owner_of(&old, NOON), None);
        assert_eq!(handovers.owner_of(&new, NOON), Some(Owner::numbered(0)));
        handovers.remove(Owner::numbered(0));
        assert_eq!(handovers.owner_of(&new, NOON), None);
    }

    #[test]
    fn codes_that_nobody_can_use_are_forgotten() {
        let mut handovers = Handovers::default();
        handovers.offer(Owner::numbered(0), [0; 32], NOON, |_| true);
        handovers.offer(Owner::numbered(1), [1; 32], NOON.after(VALIDITY), |_| true);
        assert_eq!(handovers.0.len(), 1);
        let now = NOON.after(VALIDITY);
        handovers.offer(Owner::numbered(2), [2; 32], now, |other| {
            other != Owner::numbered(1)
        });
        assert_eq!(handovers.0.len(), 1);
    }
}
