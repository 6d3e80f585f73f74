//! Admits people to a table, and waits for slow work on passwords.

use sticheln_bots::Player;
use sticheln_protocol::{PROTOCOL_VERSION, ServerMessage, SettingsPatch};

use super::{Output, Room};
use crate::{ConnId, Eviction, Owner, Password, PasswordHash, Refusal};

/// The most owners who are remembered as admitted: more than are ever connected at a time.
const ADMITTED: usize = 64;

/// How far the admission of a connection has come. Rare parts are boxed, as there are many connections.
#[derive(Default)]
pub(super) enum ConnectionState {
    /// No `hello` was accepted yet.
    #[default]
    Unidentified,
    /// A `hello` has come, and its password is being verified.
    Verifying(Box<PendingHello>),
    /// The owner was admitted. A password that they set may be waiting for its hash.
    Admitted(Owner, Option<Box<PendingPassword>>),
}

/// A `hello` that waits for its password to be verified.
pub(super) struct PendingHello {
    id: String,
    owner: Owner,
    /// What the password is verified against.
    password_hash: PasswordHash,
}

/// A `configure` that waits for the hash of its password.
pub(super) struct PendingPassword {
    id: String,
    patch: SettingsPatch,
}

/// What an owner needs to be admitted.
enum Way {
    Open(Owner),
    Locked(Owner, Password, PasswordHash),
}

impl ConnectionState {
    /// The owner, once they were admitted.
    pub(super) fn owner(&self) -> Option<Owner> {
        match self {
            Self::Unidentified | Self::Verifying(_) => None,
            Self::Admitted(owner, _) => Some(*owner),
        }
    }

    /// Whether the message with this id waits to be answered.
    pub(super) fn waits_for(&self, id: &str) -> bool {
        match self {
            Self::Verifying(pending) => pending.id == id,
            Self::Admitted(_, Some(pending)) => pending.id == id,
            Self::Unidentified | Self::Admitted(_, None) => false,
        }
    }

    fn take_pending_hello(&mut self) -> Option<PendingHello> {
        match std::mem::take(self) {
            Self::Verifying(pending) => Some(*pending),
            other => {
                *self = other;
                None
            }
        }
    }
}

impl<G: Player> Room<G> {
    /// Admits an owner, or has their password verified first; `None`: the message is answered when that is done.
    pub(super) fn hello(
        &mut self,
        conn: ConnId,
        id: &str,
        token: &str,
        password: Option<&str>,
    ) -> Option<Result<(), Refusal>> {
        match self.way_in(conn, token, password) {
            Ok(Way::Open(owner)) => {
                self.welcome(conn, owner);
                Some(Ok(()))
            }
            Ok(Way::Locked(owner, password, password_hash)) => {
                let id = id.to_owned();
                let output = Output::VerifyPassword(conn, password, password_hash.clone());
                let connection = ConnectionState::Verifying(Box::new(PendingHello {
                    id,
                    owner,
                    password_hash,
                }));
                self.presence.set_state(conn, connection);
                self.outputs.push(output);
                None
            }
            Err(refusal) => Some(Err(refusal)),
        }
    }

    fn way_in(&self, conn: ConnId, token: &str, password: Option<&str>) -> Result<Way, Refusal> {
        if let Some(ConnectionState::Verifying(_)) = self.presence.state(conn) {
            return Err(Refusal::Busy);
        }
        let owner = Owner::of_token(token)?;
        self.space_for(conn, owner)?;
        match self.password_hash_for(owner) {
            None => Ok(Way::Open(owner)),
            Some(password_hash) => {
                let password = password.ok_or(Refusal::PasswordNeeded)?;
                Ok(Way::Locked(
                    owner,
                    Password::new(password)?,
                    password_hash.clone(),
                ))
            }
        }
    }

    /// The hash of the password that this owner needs: none if they hold a seat or were admitted before.
    fn password_hash_for(&self, owner: Owner) -> Option<&PasswordHash> {
        let is_known = self.state.seat_of(owner).is_some() || self.admitted.contains(&owner);
        self.state
            .settings
            .password_hash
            .as_ref()
            .filter(|_| !is_known)
    }

    /// Whether there is space for another spectator at the table, and from this address.
    fn space_for(&self, conn: ConnId, owner: Owner) -> Result<(), Refusal> {
        if self.state.seat_of(owner).is_some() || self.presence.is_here(owner) {
            return Ok(());
        }
        let has_space = self.spectators() < self.limits.spectators
            && self.spectators_among(&self.presence.owners_beside(conn))
                < self.limits.spectators_per_address;
        has_space.then_some(()).ok_or(Refusal::RoomFull)
    }

    /// The password of a `hello` was verified: its owner is admitted if it was right. If the table has another password
    /// by now, it counts as wrong.
    pub(super) fn password_verified(&mut self, conn: ConnId, is_right: bool) {
        let connection = self.presence.state_mut(conn);
        let Some(PendingHello {
            id,
            owner,
            password_hash,
        }) = connection.and_then(ConnectionState::take_pending_hello)
        else {
            return;
        };
        let answer = match self.password_hash_for(owner) {
            Some(now) if !is_right || *now != password_hash => Err(Refusal::WrongPassword),
            Some(_) | None => self.space_for(conn, owner),
        };
        if answer.is_ok() {
            self.welcome(conn, owner);
        }
        self.answer(conn, Some(&id), answer);
    }

    /// The password of a `hello` is not verified: too many wrong ones have come from its address.
    pub(super) fn password_not_tried(&mut self, conn: ConnId) {
        let connection = self.presence.state_mut(conn);
        if let Some(pending) = connection.and_then(ConnectionState::take_pending_hello) {
            self.answer(conn, Some(&pending.id), Err(Refusal::TooManyTries));
        }
    }

    /// Admits the owner of a connection, and welcomes them.
    fn welcome(&mut self, conn: ConnId, owner: Owner) {
        self.presence.attend(self.now);
        if self.state.seat_of(owner).is_some() {
            self.close_all(owner, None, Eviction::TakenUpElsewhere);
        }
        self.presence.admit(conn, owner);
        self.newcomers.push(conn);
        self.stale = true;
        self.admitted.retain(|other| *other != owner);
        self.admitted.push_back(owner);
        if self.admitted.len() > ADMITTED {
            self.admitted.pop_front();
        }
        let you = self.you(owner);
        let code = self.code.clone();
        let welcome = ServerMessage::Welcome {
            protocol: PROTOCOL_VERSION,
            server: env!("CARGO_PKG_VERSION"),
            room: &code,
            you,
        };
        self.send(conn, &welcome);
    }

    /// The password has changed: only people who are connected stay admitted.
    pub(super) fn let_in_anew(&mut self) {
        let here = self.presence.owners();
        self.admitted.retain(|owner| here.contains(owner));
    }

    /// Has the new password of a `configure` hashed. The rest of the message is done with it.
    pub(super) fn hash_password(
        &mut self,
        conn: ConnId,
        owner: Owner,
        id: &str,
        patch: SettingsPatch,
        password: &str,
    ) -> Result<(), Refusal> {
        // What would be refused afterwards is refused before the work.
        self.configured(owner, &patch, None)?;
        let password = Password::new(password)?;
        self.not_hashing(conn)?;
        let id = id.to_owned();
        let connection =
            ConnectionState::Admitted(owner, Some(Box::new(PendingPassword { id, patch })));
        self.presence.set_state(conn, connection);
        self.outputs.push(Output::HashPassword(conn, password));
        Ok(())
    }

    /// One password after the other, so that the last one holds.
    pub(super) fn not_hashing(&self, conn: ConnId) -> Result<(), Refusal> {
        match self.presence.state(conn) {
            Some(ConnectionState::Admitted(_, Some(_))) => Err(Refusal::Busy),
            Some(
                ConnectionState::Admitted(_, None)
                | ConnectionState::Unidentified
                | ConnectionState::Verifying(_),
            )
            | None => Ok(()),
        }
    }

    /// The new password of a `configure` was hashed: the message is done, if the host may do so now.
    pub(super) fn password_hashed(&mut self, conn: ConnId, password_hash: PasswordHash) {
        let Some(ConnectionState::Admitted(owner, pending)) = self.presence.state_mut(conn) else {
            return;
        };
        let (owner, Some(pending)) = (*owner, pending.take()) else {
            return;
        };
        let PendingPassword { id, patch } = *pending;
        let decided = self.configured(owner, &patch, Some(password_hash));
        let answer = self.settle(conn, owner, &id, decided);
        self.answer(conn, Some(&id), answer);
    }
}
