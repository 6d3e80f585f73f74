//! The commands about seats whose owners have lost their tokens: `claim` and `answer_claim`.

use super::{CommandOutcome, Decision};
use crate::room::Room;
use crate::room::claims::SeatClaim;
use crate::room::timers::Timeout;
use crate::{Change, Eviction, Name, Owner, PersonId, Refusal};
use sticheln_bots::Player;

impl<G: Player> Room<G> {
    /// Asks the others for the seat of the person with this name, who must have been absent for a while: a lost connection is
    /// no lost token.
    pub(super) fn claim(&mut self, owner: Owner, name: &str) -> Decision<G> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        let name = Name::new(name)?;
        let has_name = |other: &Name| other.resembles(&name);
        let mut people = self.state.people();
        let found = people.find(|(_, person)| person.name.as_ref().is_some_and(has_name));
        let (_, person) = found.ok_or(Refusal::NobodyOfThatName)?;
        let absent_since = self.absent_since(person).ok_or(Refusal::StillHere)?;
        if !self.timers.has_expired(Timeout::AbsentPerson, absent_since) {
            return Err(Refusal::StillHere);
        }
        let (id, now) = (person.id, self.timers.now());
        if self.transfers.claims.of(owner) != Some(id) {
            self.talk.try_charge(owner, now)?;
        }
        if self.transfers.claims.add(id, owner, now)? {
            self.broadcast.invalidate_table();
        }
        Ok(CommandOutcome::Nothing)
    }

    /// Agrees to the claim with this number, or rejects it. The seat changes hands when all people with a vote have agreed. A
    /// person may agree again: then those who have lost their vote since are not asked any more.
    pub(super) fn answer_claim(&mut self, owner: Owner, number: u64, agree: bool) -> Decision<G> {
        self.seat(owner)?;
        let claims = &self.transfers.claims;
        let person = claims.person_of(number).ok_or(Refusal::NoSuchClaim)?;
        let claim = claims.to(person).ok_or(Refusal::NoSuchClaim)?;
        let mut people = self.state.people();
        let found = people.find(|(_, other)| other.id == person);
        let (seat, _) = found.ok_or(Refusal::NoSuchClaim)?;
        if agree && self.have_others_agreed(claim, owner) {
            // The change may be refused. So the claim is not changed, and becomes void with the change.
            let owner = claim.claimant;
            return Ok(CommandOutcome::Change(Change::Claimed { seat, owner }));
        }
        match agree {
            true => self.transfers.claims.agree(person, owner),
            false => self.transfers.claims.reject(person, self.timers.now()),
        }
        self.broadcast.invalidate_table();
        Ok(CommandOutcome::Nothing)
    }

    /// Whether all people with a vote have agreed to a claim, except this one.
    fn have_others_agreed(&self, claim: &SeatClaim, except: Owner) -> bool {
        let now = self.timers.now();
        let others = self.state.people().map(|(_, other)| other);
        let mut others = others.filter(|other| other.owner != except);
        others.all(|other| claim.is_agreed_by(other.owner) || !self.may_vote_at(other, now))
    }

    /// A claimed seat belongs to the claimant now. A seat has one connection: the newest.
    pub(super) fn settle_claim(&mut self, claimant: Owner) {
        let newest = self.presence.newest_connection_of(claimant);
        self.close_all(claimant, newest, Eviction::TakenUpElsewhere);
    }
}

// Claims that have become void.
impl<G: Player> Room<G> {
    /// Drops the claims to the seats of people who have returned or left their chair, and those of claimants who have left or
    /// have a seat.
    pub(in crate::room) fn drop_void_claims(&mut self) {
        let (state, presence) = (&self.state, &self.presence);
        let is_absent = |id: PersonId| {
            let mut people = state.people();
            people.any(|(_, person)| person.id == id && !presence.is_here(person.owner))
        };
        let may_claim = |owner| {
            presence.is_here(owner)
                && state.seat_of(owner).is_none()
                && !state.has_seen_all_hands(owner)
        };
        let is_valid = |person, claimant| is_absent(person) && may_claim(claimant);
        if self.transfers.claims.retain(is_valid) {
            self.broadcast.invalidate_table();
        }
    }
}
