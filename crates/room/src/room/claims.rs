//! Claims to seats: a person whose browser has lost its token asks the others for their seat.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Owner, PersonId, Refusal};

/// The claims in one room: at most one to the seat of each person, and one of each claimant.
#[derive(Default)]
pub(super) struct Claims(BTreeMap<PersonId, SeatClaim>);

/// The claim to a seat.
pub(super) struct SeatClaim {
    /// The owner who claims it.
    pub(super) claimant: Owner,
    /// The owners who have agreed.
    agreed: BTreeSet<Owner>,
}

impl Claims {
    /// Adds a claim to the seat of a person, in the place of an earlier one of this claimant. Returns whether it is new.
    ///
    /// # Errors
    /// [`Refusal::ClaimPending`] if somebody else claims it.
    pub(super) fn add(&mut self, person: PersonId, claimant: Owner) -> Result<bool, Refusal> {
        match self.0.get(&person) {
            Some(claim) if claim.claimant == claimant => return Ok(false),
            Some(_) => return Err(Refusal::ClaimPending),
            None => {}
        }
        self.0.retain(|_, claim| claim.claimant != claimant);
        let agreed = BTreeSet::new();
        self.0.insert(person, SeatClaim { claimant, agreed });
        Ok(true)
    }

    /// The claim to the seat of a person.
    pub(super) fn to(&self, person: PersonId) -> Option<&SeatClaim> {
        self.0.get(&person)
    }

    /// The person whose seat an owner claims.
    pub(super) fn of(&self, claimant: Owner) -> Option<PersonId> {
        let mut claims = self.0.iter();
        claims.find_map(|(person, claim)| (claim.claimant == claimant).then_some(*person))
    }

    /// An owner agrees to the claim to the seat of a person.
    pub(super) fn agree(&mut self, person: PersonId, owner: Owner) {
        if let Some(claim) = self.0.get_mut(&person) {
            claim.agreed.insert(owner);
        }
    }

    /// Removes the claim to the seat of a person.
    pub(super) fn remove(&mut self, person: PersonId) {
        self.0.remove(&person);
    }

    /// Keeps the claims for which `is_valid` is true, which gets the person and the claimant. Returns whether one was
    /// dropped.
    pub(super) fn retain(&mut self, is_valid: impl Fn(PersonId, Owner) -> bool) -> bool {
        let before = self.0.len();
        self.0
            .retain(|person, claim| is_valid(*person, claim.claimant));
        self.0.len() != before
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

    #[test]
    fn a_seat_has_one_claim_and_a_claimant_too() {
        let (one, other) = (Owner::numbered(1), Owner::numbered(2));
        let mut claims = Claims::default();
        assert_eq!(claims.add(ANN, one), Ok(true));
        assert_eq!(claims.add(ANN, one), Ok(false));
        assert_eq!(claims.add(ANN, other), Err(Refusal::ClaimPending));
        claims.agree(ANN, other);
        assert!(
            claims
                .to(ANN)
                .is_some_and(|claim| claim.is_agreed_by(other))
        );
        assert_eq!(claims.add(BOB, one), Ok(true));
        assert!(claims.to(ANN).is_none());
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
