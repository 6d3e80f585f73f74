//! Claims to seats: a person whose browser has lost its token asks the others for their seat.

use std::collections::{BTreeMap, BTreeSet};

use super::reference_numbers::ReferenceNumbers;
use super::rejections::Rejections;
use crate::{Owner, PersonId, Refusal, Timestamp};

/// The claims in one room: at most one to the seat of each person, and one of each claimant.
#[derive(Default)]
pub(super) struct SeatClaims {
    by_person: BTreeMap<PersonId, SeatClaim>,
    rejections: Rejections,
    numbers: ReferenceNumbers,
}

/// The claim to a seat.
pub(super) struct SeatClaim {
    /// Its number. No two claims in a room have the same one.
    pub(super) number: u64,
    /// The owner who claims it.
    pub(super) claimant: Owner,
    /// The owners who have agreed.
    agreed: BTreeSet<Owner>,
}

impl SeatClaims {
    /// Adds a claim to the seat of a person, in the place of an earlier one of this claimant. Returns whether it is new.
    ///
    /// # Errors
    /// [`Refusal::ClaimPending`] if somebody else claims it. [`Refusal::TooSoon`] if a claim of this claimant was rejected
    /// lately.
    pub(super) fn add(
        &mut self,
        person: PersonId,
        claimant: Owner,
        now: Timestamp,
    ) -> Result<bool, Refusal> {
        self.rejections.check(claimant, now)?;
        match self.by_person.get(&person) {
            Some(claim) if claim.claimant == claimant => return Ok(false),
            Some(_) => return Err(Refusal::ClaimPending),
            None => {}
        }
        self.by_person.retain(|_, claim| claim.claimant != claimant);
        let claim = SeatClaim {
            number: self.numbers.next(now),
            claimant,
            agreed: BTreeSet::new(),
        };
        self.by_person.insert(person, claim);
        Ok(true)
    }

    /// The person whose seat is claimed by the claim with this number.
    pub(super) fn person_of(&self, number: u64) -> Option<PersonId> {
        let mut claims = self.by_person.iter();
        claims.find_map(|(person, claim)| (claim.number == number).then_some(*person))
    }

    /// The claim to the seat of a person.
    pub(super) fn to(&self, person: PersonId) -> Option<&SeatClaim> {
        self.by_person.get(&person)
    }

    /// The person whose seat an owner claims.
    pub(super) fn of(&self, claimant: Owner) -> Option<PersonId> {
        let mut claims = self.by_person.iter();
        claims.find_map(|(person, claim)| (claim.claimant == claimant).then_some(*person))
    }

    /// An owner agrees to the claim to the seat of a person.
    pub(super) fn agree(&mut self, person: PersonId, owner: Owner) {
        if let Some(claim) = self.by_person.get_mut(&person) {
            claim.agreed.insert(owner);
        }
    }

    /// Removes the claim to the seat of a person, because somebody has rejected it.
    pub(super) fn reject(&mut self, person: PersonId, now: Timestamp) {
        if let Some(claim) = self.by_person.remove(&person) {
            self.rejections.add(claim.claimant, now);
        }
    }

    /// Keeps the claims for which `is_valid` is true, which gets the person and the claimant. Returns whether one was
    /// dropped.
    pub(super) fn retain(&mut self, is_valid: impl Fn(PersonId, Owner) -> bool) -> bool {
        let before = self.by_person.len();
        self.by_person
            .retain(|person, claim| is_valid(*person, claim.claimant));
        self.by_person.len() != before
    }
}

impl SeatClaim {
    /// Whether this owner has agreed.
    pub(super) fn is_agreed_by(&self, owner: Owner) -> bool {
        self.agreed.contains(&owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: PersonId = PersonId(1);
    const BOB: PersonId = PersonId(2);
    const NOON: Timestamp = Timestamp(1_000_000);

    #[test]
    fn a_seat_has_one_claim_and_a_claimant_too() {
        let (one, other) = (Owner::numbered(1), Owner::numbered(2));
        let mut claims = SeatClaims::default();
        assert_eq!(claims.add(ANN, one, NOON), Ok(true));
        assert_eq!(claims.add(ANN, one, NOON), Ok(false));
        assert_eq!(claims.add(ANN, other, NOON), Err(Refusal::ClaimPending));
        let first = claims.to(ANN).map(|claim| claim.number).unwrap_or_default();
        assert_eq!(claims.person_of(first), Some(ANN));
        claims.agree(ANN, other);
        assert!(
            claims
                .to(ANN)
                .is_some_and(|claim| claim.is_agreed_by(other))
        );
        assert_eq!(claims.add(BOB, one, NOON), Ok(true));
        assert!(claims.to(ANN).is_none());
        assert_eq!(
            (claims.person_of(first), claims.person_of(first + 1)),
            (None, Some(BOB))
        );
        assert_eq!(claims.of(one), Some(BOB));
        assert!(
            claims
                .to(BOB)
                .is_some_and(|claim| !claim.is_agreed_by(other))
        );
        assert!(claims.retain(|_, claimant| claimant != one));
        assert!(!claims.retain(|_, claimant| claimant != one));
        assert_eq!(claims.of(one), None);
    }
}
