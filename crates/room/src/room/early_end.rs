//! The early end of a game by agreement: who has to agree, and when enough do.
//!
//! All people with a vote have to agree: they are connected, or absent for a short time only, and no bot stands in for them.
//! Once somebody has left for good, more than half of them are enough.

use sticheln_bots::Player;

use super::Room;
use super::timers::Timeout;
use crate::chair::Person;
use crate::current_game::CurrentGame;
use crate::{Change, Owner, Timestamp};

impl<G: Player> Room<G> {
    /// The change that ends the game early: [`Change::EndedEarly`]. Without a scored round there are no standings: the game is
    /// cleared ([`Change::Ended`]). The game must be on.
    pub(super) fn early_end(&self) -> Change<G> {
        let game = self.state.game.as_ref();
        match game.is_some_and(CurrentGame::has_scored_round) {
            true => Change::EndedEarly,
            false => Change::Ended,
        }
    }

    /// The time from which enough people agree to end the game early, if nobody does anything until then.
    pub(super) fn early_end_at(&self) -> Option<Timestamp> {
        self.agreements_needed()?;
        let now = self.timers.now();
        let mut times: Vec<_> = self.agreement_changes().filter(|at| *at > now).collect();
        times.push(now);
        times.sort_unstable();
        times.into_iter().find(|at| self.is_agreed_at(*at))
    }

    /// How many people have to agree to end the game early; `None` as long as nobody agrees, and without a running game.
    pub(super) fn agreements_needed(&self) -> Option<usize> {
        let game = self.state.game.as_ref().filter(|_| self.is_game_on())?;
        let agrees = game.requests.iter().any(|requests| requests.agrees_to_end);
        agrees.then(|| self.agreements_needed_at(self.timers.now()))
    }

    /// The next time when the number of people who have to agree may change without an input.
    pub(super) fn next_agreement_change(&self) -> Option<Timestamp> {
        self.agreements_needed()?;
        let now = self.timers.now();
        self.agreement_changes().filter(|at| *at > now).min()
    }

    /// The times when an absent person need not agree any more, or counts as gone.
    fn agreement_changes(&self) -> impl Iterator<Item = Timestamp> {
        let people = self.state.people();
        let absences = people.filter_map(|(_, person)| self.absent_since(person));
        absences.flat_map(|since| {
            [Timeout::AbsentPerson, Timeout::GonePerson]
                .map(|timeout| self.timers.end_of(timeout, since))
        })
    }

    fn is_agreed_at(&self, at: Timestamp) -> bool {
        let Some(game) = &self.state.game else {
            return false;
        };
        let people = self.state.people();
        let agreeing = people.filter(|(seat, person)| {
            game.requests_of(*seat).agrees_to_end && self.may_vote_at(person, at)
        });
        let agreeing = agreeing.count();
        agreeing > 0 && agreeing >= self.agreements_needed_at(at)
    }

    fn agreements_needed_at(&self, at: Timestamp) -> usize {
        let people = self.state.people();
        let voters = people.filter(|(_, person)| self.may_vote_at(person, at));
        let voters = voters.count();
        match self.has_anybody_left_at(at) {
            true => voters / 2 + 1,
            false => voters,
        }
    }

    /// Whether the person is connected, or absent for a short time only, and no bot stands in for them.
    pub(super) fn may_vote_at(&self, person: &Person, at: Timestamp) -> bool {
        let absent_since = self.absent_since(person);
        let is_here =
            absent_since.is_none_or(|since| self.timers.end_of(Timeout::AbsentPerson, since) > at);
        is_here && !person.has_stand_in
    }

    /// Whether somebody has left for good who was there when the game began: they have no seat any more, or have been absent
    /// for long.
    fn has_anybody_left_at(&self, at: Timestamp) -> bool {
        let has_seat = |owner: &Owner| self.state.seat_of(*owner).is_some();
        let game = self.state.game.as_ref();
        let has_left = game.is_some_and(|game| !game.header.starters.iter().all(has_seat));
        let is_gone = |since| self.timers.end_of(Timeout::GonePerson, since) <= at;
        let mut people = self.state.people();
        has_left || people.any(|(_, person)| self.absent_since(person).is_some_and(is_gone))
    }

    /// The time since which the person has been absent while somebody was here; `None` if they are connected. Reconnects
    /// without a message do not end an absence.
    pub(super) fn absent_since(&self, person: &Person) -> Option<Timestamp> {
        let last = self.presence.disconnected_since(person.owner)?;
        let first = self.presence.first_disconnected_at(person.owner);
        let since = first.map_or(last, |first| first.min(last));
        Some(since.max(self.presence.occupied_since()))
    }
}
