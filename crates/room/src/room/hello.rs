//! The message `hello`, with or without a password. It comes before all commands.

use std::collections::BTreeSet;

use sticheln_bots::Player;
use sticheln_protocol::{PROTOCOL_VERSION, ServerMessage};

use super::admission::AdmissionStep;
use super::{Effect, PasswordVerdict, Room};
use crate::{ConnId, Eviction, Owner, Refusal};

impl<G: Player> Room<G> {
    /// Admits an owner, or has their password verified first. Returns the answer; `None` if it has to wait.
    pub(super) fn hello(
        &mut self,
        conn: ConnId,
        id: &str,
        token: &str,
        password: Option<&str>,
    ) -> Option<Result<(), Refusal>> {
        match self.admission_step(conn, id, token, password) {
            Ok((owner, AdmissionStep::Admit)) => {
                self.admit(conn, owner);
                Some(Ok(()))
            }
            Ok((_, AdmissionStep::Verify(password, password_hash))) => {
                let verify = Effect::VerifyPassword(conn, password, password_hash);
                self.outputs.effects.push(verify);
                None
            }
            Err(refusal) => Some(Err(refusal)),
        }
    }

    /// The owner of this token, and what their `hello` needs.
    fn admission_step(
        &mut self,
        conn: ConnId,
        id: &str,
        token: &str,
        password: Option<&str>,
    ) -> Result<(Owner, AdmissionStep), Refusal> {
        self.admission.check_idle(conn)?;
        let owner = Owner::of_token(token)?;
        self.check_space(conn, owner)?;
        let password_hash = self.state.password_hash_for(owner);
        let next = self
            .admission
            .hello(conn, id, owner, password, password_hash)?;
        Ok((owner, next))
    }

    /// Checks that the room has space for another spectator, and for one from this address.
    fn check_space(&self, conn: ConnId, owner: Owner) -> Result<(), Refusal> {
        if self.state.seat_of(owner).is_some() || self.presence.is_here(owner) {
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
        let answer = checked.and_then(|()| self.check_space(conn, hello.owner));
        if answer.is_ok() {
            self.admit(conn, hello.owner);
        }
        self.answer(conn, Some(&hello.id), answer);
    }

    /// Admits the owner of a connection, and welcomes them.
    fn admit(&mut self, conn: ConnId, owner: Owner) {
        self.presence.record_arrival(self.timers.now());
        if self.state.seat_of(owner).is_some() {
            self.close_all(owner, None, Eviction::TakenUpElsewhere);
        } else {
            let evicted = self.presence.evict_oldest(owner);
            self.close(evicted, Eviction::TakenUpElsewhere);
        }
        self.presence.admit(conn, owner);
        self.admission.admit(owner);
        self.broadcast.add_newcomer(conn);
        self.outputs.effects.push(Effect::MarkAdmitted(conn));
        let welcome = ServerMessage::Welcome {
            protocol: PROTOCOL_VERSION,
            server: env!("CARGO_PKG_VERSION"),
            room: &self.state.code,
            now: self.timers.now(),
            you: self.you(owner),
        };
        self.send_text(conn, welcome.encode());
    }
}
