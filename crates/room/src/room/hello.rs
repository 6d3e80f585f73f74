//! The message `hello`, with or without a password. It comes before all commands.

use std::collections::BTreeSet;

use sticheln_bots::Player;
use sticheln_protocol::ServerMessage;

use super::admission::AdmissionStep;
use super::guests::Guest;
use super::recent_events::ResumePoint;
use super::{Effect, PasswordVerdict, Room};
use crate::{Change, ConnId, Eviction, Hello, Name, Owner, Refusal};

impl<G: Player> Room<G> {
    /// Admits an owner. Their password may have to be verified first, and the host may have to let them in. Returns the
    /// answer; `None` if it has to wait.
    pub(super) fn hello(
        &mut self,
        conn: ConnId,
        id: &str,
        hello: &Hello,
    ) -> Option<Result<(), Refusal>> {
        let Some(owner) = hello.owner else {
            return Some(Err(Refusal::BadToken));
        };
        let name = match self.name_of_guest(conn, owner, hello.name.as_deref()) {
            Ok(name) => name,
            Err(refusal) => return Some(Err(refusal)),
        };
        let password = hello.password.as_deref();
        match self.admission_step(conn, id, owner, name.clone(), password) {
            Ok(AdmissionStep::Admit) => self.admit_or_wait(conn, id, owner, name),
            Ok(AdmissionStep::Verify(password, password_hash)) => {
                let verify = Effect::VerifyPassword(conn, password, password_hash);
                self.outputs.effects.push(verify);
                None
            }
            Err(refusal) => Some(Err(refusal)),
        }
    }

    /// The revision up to which a client has seen the events that the room log still has; `None` if it has told none.
    pub(super) fn seen_by(&self, hello: &Hello) -> Option<ResumePoint> {
        let rev = hello.rev?;
        let generations = &self.state.generations;
        let generation = hello.generation.unwrap_or_default();
        let last_common_rev = generations.last_common_rev_of(generation).unwrap_or(rev);
        Some(match generation <= generations.current() {
            true => ResumePoint {
                rev: rev.min(last_common_rev),
                has_seen_lost: rev > last_common_rev,
            },
            false => ResumePoint::UNKNOWN,
        })
    }

    /// What the `hello` of this owner needs.
    fn admission_step(
        &mut self,
        conn: ConnId,
        id: &str,
        owner: Owner,
        name: Option<Name>,
        password: Option<&str>,
    ) -> Result<AdmissionStep, Refusal> {
        self.admission.check_idle(conn)?;
        self.check_space(conn, owner)?;
        // A leader before this one has admitted the connection, and the password is still that of then.
        let order = &self.presence.admission_order;
        let password_hash = self.state.password_hash_for(owner);
        let password_hash = password_hash.filter(|hash| !order.is_of_password(conn, hash));
        self.admission
            .hello(conn, id, owner, name, password, password_hash)
    }

    /// The name for the waiting room, and as a spectator. An owner who need not wait may be without a usable one.
    fn name_of_guest(
        &self,
        conn: ConnId,
        owner: Owner,
        name: Option<&str>,
    ) -> Result<Option<Name>, Refusal> {
        if !self.must_wait(conn, owner) {
            return Ok(name.and_then(|name| Name::new(name).ok()));
        }
        if self.state.has_seen_all_hands(owner) {
            // The name of a guest could be a message to the host.
            return Err(Refusal::WatchesHands);
        }
        Name::new(name.ok_or(Refusal::NameNeeded)?).map(Some)
    }

    /// Whether the host has to let this owner in: they are new to the room, and newcomers wait.
    fn must_wait(&self, conn: ConnId, owner: Owner) -> bool {
        let is_known = self.state.has_place(owner)
            || self.presence.is_here(owner)
            || self.admission.has_admitted(owner)
            || self.state.host_decisions.admitted.contains(&owner)
            || self.state.sees_all_hands(owner)
            || self.has_stayed(conn, owner);
        self.newcomers_wait() && !is_known
    }

    /// Whether a leader before this one has admitted the connection, and the host has not removed its owner since. A full log may lack
    /// a removal.
    fn has_stayed(&self, conn: ConnId, owner: Owner) -> bool {
        self.presence.admission_order.is_repeated(conn)
            && !self.state.host_decisions.removed.contains(&owner)
            && !self.is_log_full()
    }

    /// Whether newcomers wait for the host. A room in which nobody has a chair and nobody is connected is open to everybody,
    /// because no host could let them in.
    fn newcomers_wait(&self) -> bool {
        let has_people = self.state.people().next().is_some() || self.presence.is_occupied();
        self.state.settings.waiting_room && has_people
    }

    /// Admits an owner, or lets them wait for the host. Returns the answer; `None` if it has to wait.
    fn admit_or_wait(
        &mut self,
        conn: ConnId,
        id: &str,
        owner: Owner,
        name: Option<Name>,
    ) -> Option<Result<(), Refusal>> {
        let is_seated = self.state.seat_of(owner).is_some();
        if self.presence.is_superseded(conn, owner, is_seated) {
            // The owner has come on another connection since this one was admitted.
            self.presence.turn_away(conn);
            self.close(vec![conn], Eviction::TakenUpElsewhere);
            return None;
        }
        if !self.must_wait(conn, owner) {
            self.admit(conn, owner, name);
            return Some(Ok(()));
        }
        // The waiting room may have begun, and they may have been removed, while the password was verified.
        if self.state.has_seen_all_hands(owner) {
            return Some(Err(Refusal::WatchesHands));
        }
        let Some(name) = name else {
            return Some(Err(Refusal::NameNeeded));
        };
        // A client that has reconnected waits once.
        for older in self.admission.guests.conns_of(owner) {
            self.presence.turn_away(older);
            self.close(vec![older], Eviction::TakenUpElsewhere);
        }
        let address = self.presence.address_of(conn);
        let now = self.timers.now();
        let guests = &mut self.admission.guests;
        let added = guests.add(conn, address, id, owner, name, now);
        if let Err(refusal) = added {
            return Some(Err(refusal));
        }
        self.send(conn, &ServerMessage::Waiting {});
        self.ask_host_for_guest();
        None
    }

    /// Answers the `hello` of a guest: they are admitted, or turned away.
    pub(super) fn answer_guest(&mut self, guest: &Guest, verdict: Result<(), Refusal>) {
        let Guest { conn, owner, .. } = *guest;
        let answer = verdict.and_then(|()| self.check_space(conn, owner));
        if answer.is_ok() {
            self.admit(conn, owner, Some(guest.name.clone()));
        }
        self.answer(conn, Some(&guest.id), answer);
        if answer == Err(Refusal::NotAdmitted) {
            self.presence.turn_away(conn);
            self.close(vec![conn], Eviction::Removed);
        }
    }

    /// A guest asks for an act of the host, as seated people do with `ask_host`. So an idle host is replaced.
    fn ask_host_for_guest(&mut self) {
        let host = self.state.host_owner();
        let Some(host) = host.filter(|host| self.presence.is_here(*host)) else {
            return;
        };
        let now = self.timers.now();
        self.presence.activity.record_request(host, now);
        self.broadcast.invalidate_table();
    }

    /// Lets all guests in if newcomers need not wait any more.
    pub(super) fn admit_guests_if_open(&mut self) {
        if !self.newcomers_wait() {
            for guest in self.admission.guests.take_all() {
                self.answer_guest(&guest, Ok(()));
            }
        }
    }

    /// Checks that the room has space for another spectator, and for one from this address.
    fn check_space(&self, conn: ConnId, owner: Owner) -> Result<(), Refusal> {
        if self.state.has_place(owner) || self.presence.is_here(owner) {
            return Ok(());
        }
        let has_space = self.spectator_count() < self.limits.spectators
            && self.spectator_count_among(&self.presence.owners_at_address_of(conn))
                < self.limits.spectators_per_address;
        has_space.then_some(()).ok_or(Refusal::TooManySpectators)
    }

    /// The number of spectators.
    pub(super) fn spectator_count(&self) -> usize {
        self.spectator_count_among(&self.presence.owners())
    }

    /// The number of these owners who have no seat.
    fn spectator_count_among(&self, owners: &BTreeSet<Owner>) -> usize {
        let is_spectator = |owner: &&Owner| self.state.seat_of(**owner).is_none();
        owners.iter().filter(is_spectator).count()
    }

    /// Ends the wait of a `hello` for its password.
    pub(super) fn password_verified(&mut self, conn: ConnId, verdict: PasswordVerdict) {
        let Some(hello) = self.admission.take_hello(conn) else {
            return;
        };
        let password_hash = self.state.password_hash_for(hello.owner);
        let checked = self
            .admission
            .check_verified(&hello, verdict, password_hash);
        let answer = match checked.and_then(|()| self.check_space(conn, hello.owner)) {
            Ok(()) => self.admit_or_wait(conn, &hello.id, hello.owner, hello.name),
            Err(refusal) => Some(Err(refusal)),
        };
        if let Some(answer) = answer {
            self.answer(conn, Some(&hello.id), answer);
        }
    }

    /// Admits the owner of a connection, and welcomes them. A spectator gets this name if nobody else has it.
    fn admit(&mut self, conn: ConnId, owner: Owner, name: Option<Name>) {
        self.presence.record_arrival(self.timers.now());
        if let Some(seat) = self.state.former_seat_of(owner) {
            // The seat was claimed while they were away.
            let claimant = self.state.chair(seat).and_then(|chair| chair.person());
            let claimant = claimant.map(|person| person.owner);
            self.add_entry(None, Change::Restored { seat }, None);
            if let Some(claimant) = claimant {
                self.transfers.handovers.remove(claimant);
                // Somebody may have taken the name that they had as a spectator.
                self.welcome_spectator(claimant, None);
            }
        }
        if self.state.seat_of(owner).is_some() {
            self.close_all(owner, None, Eviction::TakenUpElsewhere);
        } else {
            let evicted = self.presence.evict_oldest(owner);
            self.close(evicted, Eviction::TakenUpElsewhere);
        }
        let password = self.state.settings.password_hash.as_ref();
        let record = self.presence.admit(conn, owner, password);
        self.admission.admit(owner);
        if self.state.seat_of(owner).is_none() {
            self.welcome_spectator(owner, name);
        }
        self.drop_void_claims();
        self.broadcast.add_newcomer(conn);
        self.outputs
            .effects
            .push(Effect::MarkAdmitted(conn, record));
        let welcome = ServerMessage::Welcome {
            protocol: self.presence.protocol(conn).0,
            server: env!("CARGO_PKG_VERSION"),
            room: &self.state.code,
            now: self.timers.now(),
            you: self.you(owner),
            generation: Some(self.generation()).filter(|generation| *generation > 0),
            lost_after: self.broadcast.recent_events.lost_after(conn),
        };
        self.send_text(conn, welcome.encode());
    }
}
