//! The commands about spectators: `mute_spectator`, `remove_spectator`, `queue`, `watch_hands` and `allow_watching`.

use std::collections::BTreeSet;

use sticheln_bots::Player;
use sticheln_protocol as protocol;
use sticheln_rules::Seat;

use super::{CommandOutcome, Decision};
use crate::chair::Sitter;
use crate::room::Room;
use crate::room::timers::Timeout;
use crate::{Change, Eviction, Name, Owner, Refusal, Timestamp};

impl<G: Player> Room<G> {
    pub(super) fn mute_spectator(
        &mut self,
        owner: Owner,
        number: u64,
        is_muted: bool,
    ) -> Decision<G> {
        self.check_host(owner)?;
        let spectator = self.spectator(number)?;
        if self.presence.spectators.mute(spectator, is_muted) {
            self.broadcast.invalidate_table();
        }
        Ok(CommandOutcome::Nothing)
    }

    pub(super) fn remove_spectator(&mut self, owner: Owner, number: u64) -> Decision<G> {
        self.check_host(owner)?;
        let owner = self.spectator(number)?;
        // A full log takes the change. So it is written only if it changes the saved state, or the log could grow without a bound.
        let is_saved = !self.state.settings.waiting_room
            || !self.state.host_decisions.admitted.is_empty()
            || self.state.sees_all_hands(owner)
            || self.may_come_back(owner);
        if is_saved {
            return Ok(CommandOutcome::Change(Change::SpectatorRemoved { owner }));
        }
        self.evict(owner, Eviction::Removed);
        self.broadcast.invalidate_table();
        Ok(CommandOutcome::Nothing)
    }

    /// Whether a gateway that has missed the removal of an owner could bring them back to the next leader, if the log did not have it.
    fn may_come_back(&self, owner: Owner) -> bool {
        let is_known = self.state.host_decisions.removed.contains(&owner);
        self.presence.admission_order.has_records() && !is_known && !self.is_log_full()
    }

    pub(super) fn queue(&mut self, owner: Owner, waits: bool) -> Decision<G> {
        if self.state.seat_of(owner).is_some() {
            return Err(Refusal::AlreadySeated);
        }
        let is_new = waits && self.presence.spectators.queue.place_of(owner).is_none();
        if is_new {
            // Everybody is sent the queue, so it costs as much as a line of chat.
            self.talk.try_charge(owner, self.timers.now())?;
        }
        if self.presence.spectators.queue.set(owner, waits) {
            self.broadcast.invalidate_table();
        }
        Ok(CommandOutcome::Nothing)
    }

    /// The owner of the listed spectator with this number.
    fn spectator(&self, number: u64) -> Result<Owner, Refusal> {
        let owner = self.presence.spectators.owner_of(number);
        let owner = owner.filter(|owner| self.shown_spectators().contains(owner));
        owner.ok_or(Refusal::NoSuchSpectator)
    }

    /// Renames a spectator. A name costs as much as a line of chat, because everybody is sent it.
    pub(super) fn rename_spectator(&mut self, owner: Owner, name: &str) -> Decision<G> {
        let name = self.name_of_spectator(owner, name)?;
        if self.spectator_name(owner) == Some(&name) {
            return Ok(CommandOutcome::Nothing);
        }
        // A name is a text that everybody reads too.
        if self.is_muted(owner) {
            return Err(Refusal::Muted);
        }
        self.talk.try_charge(owner, self.timers.now())?;
        self.set_spectator_name(owner, Some(name));
        self.broadcast.invalidate_table();
        Ok(CommandOutcome::Nothing)
    }

    /// Asks the people with a seat whether an owner may see all hands of the next round.
    pub(super) fn watch_hands(&mut self, owner: Owner, asks: bool) -> Decision<G> {
        if self.state.has_place(owner) {
            return Err(Refusal::AlreadySeated);
        }
        if asks && self.spectator_name(owner).is_none() {
            return Err(Refusal::NameNeeded);
        }
        if asks && self.is_muted(owner) {
            return Err(Refusal::Muted);
        }
        let requests = &mut self.presence.spectators.watch_requests;
        let is_new = match asks {
            true if requests.of(owner).is_some() => false,
            true => {
                let now = self.timers.now();
                requests.check(owner, now)?;
                // Everybody is asked, so a request costs as much as a line of chat.
                self.talk.try_charge(owner, now)?;
                requests.add(owner, now);
                true
            }
            false => requests.withdraw(owner),
        };
        if is_new {
            self.broadcast.invalidate_table();
        }
        Ok(CommandOutcome::Nothing)
    }

    /// Allows a spectator to see the hand of the sender in the next round, or ends the request, by its number.
    pub(super) fn allow_watching(
        &mut self,
        owner: Owner,
        number: u64,
        allows: bool,
    ) -> Decision<G> {
        self.seat(owner)?;
        let requests = &mut self.presence.spectators.watch_requests;
        let is_new = match allows {
            true => requests.allow(number, owner)?,
            false => {
                requests.reject(number, self.timers.now())?;
                true
            }
        };
        if is_new {
            self.broadcast.invalidate_table();
        }
        Ok(CommandOutcome::Nothing)
    }
}

// Spectators who see the hands.
impl<G: Player> Room<G> {
    /// The spectators who see all hands if a round is dealt now: all people with a seat have allowed it, present or not. Bots
    /// need not be asked.
    pub(in crate::room) fn allowed_watchers(&self) -> Vec<Owner> {
        let people = self.state.people().map(|(_, person)| person.owner);
        let people: Vec<Owner> = people.collect();
        let mut watchers = self
            .presence
            .spectators
            .watch_requests
            .allowed_by_all(&people);
        watchers.retain(|owner| self.may_ask_to_watch(*owner));
        watchers
    }

    /// Whether an owner may ask to see the hands: they are connected, have a name, are not muted, and no seat belongs to them.
    fn may_ask_to_watch(&self, owner: Owner) -> bool {
        self.is_spectator(owner)
            && !self.state.has_place(owner)
            && !self.is_muted(owner)
            && self.spectator_name(owner).is_some()
    }

    /// Drops the requests of those who may not ask any more.
    fn drop_void_watch_requests(&mut self) {
        let mut requests = std::mem::take(&mut self.presence.spectators.watch_requests);
        requests.retain(|owner| self.may_ask_to_watch(owner));
        self.presence.spectators.watch_requests = requests;
    }
}

// Names and numbers of spectators.
impl<G: Player> Room<G> {
    /// Whether an owner is connected and has no seat.
    pub(in crate::room) fn is_spectator(&self, owner: Owner) -> bool {
        self.presence.is_here(owner) && self.state.seat_of(owner).is_none()
    }

    /// Whether the host has muted an owner as a spectator.
    pub(super) fn is_muted(&self, owner: Owner) -> bool {
        let spectator = self.presence.spectators.of(owner);
        spectator.is_some_and(|spectator| spectator.is_muted)
    }

    /// The name of an owner as a spectator.
    pub(in crate::room) fn spectator_name(&self, owner: Owner) -> Option<&Name> {
        self.presence.spectators.of(owner)?.name.as_ref()
    }

    /// The spectators other than this owner who have a name that is confusable with this one.
    pub(super) fn spectators_called(&self, name: &Name, except: Owner) -> Vec<Owner> {
        let owners = self.shown_spectators().into_iter();
        let others = owners.filter(|owner| *owner != except);
        let called = others.filter(|owner| {
            let other = self.spectator_name(*owner);
            other.is_some_and(|other| other.resembles(name))
        });
        called.collect()
    }

    /// Takes a name away from spectators, because an owner with a seat has it now.
    pub(super) fn free_name(&mut self, name: &Name, owner: Owner) {
        for other in self.spectators_called(name, owner) {
            self.set_spectator_name(other, None);
        }
    }

    /// Sets the name of a spectator. People have allowed somebody to watch by name, so another name ends that.
    fn set_spectator_name(&mut self, owner: Owner, name: Option<Name>) {
        let now = self.timers.now();
        let spectator = self.presence.spectators.add(owner, now);
        if std::mem::replace(&mut spectator.name, name.clone()) != name {
            self.presence
                .spectators
                .watch_requests
                .retain(|other| other != owner);
        }
    }

    /// Registers an owner as a spectator. They keep the name of this message, or the one that they had, unless
    /// somebody else has a confusable one.
    pub(in crate::room) fn welcome_spectator(&mut self, owner: Owner, name: Option<Name>) {
        if self.state.has_seen_all_hands(owner) {
            // A new name could be a message to players.
            self.presence.spectators.add(owner, self.timers.now());
            return;
        }
        // Another device of theirs may have an older name. They use `rename` for a new one, which is charged.
        let has_name = self.spectator_name(owner).is_some();
        let given = name.filter(|name| {
            !has_name
                && !self.is_muted(owner)
                && self.name_of_spectator(owner, name.as_str()).is_ok()
        });
        let earlier = || self.spectator_name(owner).cloned();
        let name = given.or_else(|| {
            earlier().filter(|name| self.name_of_spectator(owner, name.as_str()).is_ok())
        });
        self.set_spectator_name(owner, name);
    }

    /// Numbers everybody who is a spectator by now, such as people who have stood up.
    pub(in crate::room) fn number_spectators(&mut self) {
        self.drop_void_watch_requests();
        let now = self.timers.now();
        for owner in self.shown_spectators() {
            self.presence.spectators.add(owner, now);
        }
    }

    /// Those whom the table lists: who are here, and who see all hands, so that nobody learns anything from their coming and
    /// going.
    fn shown_spectators(&self) -> BTreeSet<Owner> {
        let here = self.presence.owners().into_iter();
        let shown = here.filter(|owner| self.state.seat_of(*owner).is_none());
        shown.chain(self.state.watchers()).collect()
    }

    /// The spectators as the table shows them.
    pub(in crate::room) fn spectators_message(&self) -> Vec<protocol::Spectator<'_>> {
        let spectators = &self.presence.spectators;
        let waiting = spectators.queue.owners();
        let waiting: Vec<Owner> = waiting.filter(|owner| self.is_spectator(*owner)).collect();
        let shown = self.shown_spectators().into_iter().filter_map(|owner| {
            let spectator = spectators.of(owner)?;
            let request = spectators.watch_requests.of(owner);
            let place = waiting.iter().position(|other| *other == owner);
            Some(protocol::Spectator {
                spectator: spectator.number,
                name: spectator.name.as_ref().map(Name::as_str),
                muted: spectator.is_muted,
                queue_place: place.map(|place| place as u32 + 1),
                offered_until: self.offered_until(owner),
                request: request.map(|request| request.number),
                allowed_by: request.map(|request| self.seats_of(&request.allowed_by)),
                sees_hands: self.state.sees_all_hands(owner),
            })
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort_unstable_by_key(|spectator| spectator.spectator);
        shown
    }
}

impl<G: Player> Room<G> {
    /// The seats of these owners, the lowest first.
    fn seats_of(&self, owners: &BTreeSet<Owner>) -> Vec<Seat> {
        let people = self.state.people();
        let theirs = people.filter(|(_, person)| owners.contains(&person.owner));
        theirs.map(|(seat, _)| seat).collect()
    }
}

// Free seats for the queue.
impl<G: Player> Room<G> {
    /// Offers the free seats to the first in the queue.
    pub(in crate::room) fn offer_free_seats(&mut self) {
        if self.presence.spectators.queue.is_empty() {
            return;
        }
        let seats = self.free_seat_count();
        let state = &self.state;
        let owners = self.presence.owners();
        let may_sit = |owner| owners.contains(&owner) && !state.has_seen_all_hands(owner);
        let timers = &self.timers;
        let is_over = |since| timers.has_expired(Timeout::OfferedSeat, since);
        let queue = &mut self.presence.spectators.queue;
        queue.retain(|owner| state.seat_of(owner).is_none());
        if queue.offer(seats, timers.now(), is_over, may_sit) {
            self.broadcast.invalidate_table();
        }
    }

    /// The number of seats without a person: free ones, and those of bots.
    fn free_seat_count(&self) -> usize {
        let chairs = self.state.chairs.iter();
        chairs
            .filter(|chair| matches!(chair.sitter, Sitter::Free | Sitter::Bot(_)))
            .count()
    }

    /// Checks that a seat is left for this owner: the free seats that are offered to others are kept for them.
    pub(super) fn check_offers(&self, owner: Owner) -> Result<(), Refusal> {
        let offers = self.presence.spectators.queue.offers();
        let offers = offers.filter(|(other, _)| {
            self.is_spectator(*other) && !self.state.has_seen_all_hands(*other)
        });
        let offered: Vec<Owner> = offers.map(|(other, _)| other).collect();
        let is_left = offered.is_empty()
            || offered.contains(&owner)
            || self.free_seat_count() > offered.len();
        is_left.then_some(()).ok_or(Refusal::SeatOffered)
    }

    /// The time until which a free seat is kept for an owner.
    fn offered_until(&self, owner: Owner) -> Option<Timestamp> {
        let mut offers = self.presence.spectators.queue.offers();
        let (_, since) = offers.find(|(other, _)| *other == owner)?;
        Some(self.timers.end_of(Timeout::OfferedSeat, since))
    }

    /// The time when the next offer ends.
    pub(in crate::room) fn next_end_of_offer(&self) -> Option<Timestamp> {
        let offers = self.presence.spectators.queue.offers();
        let ends = offers.map(|(_, since)| self.timers.end_of(Timeout::OfferedSeat, since));
        ends.min()
    }
}
