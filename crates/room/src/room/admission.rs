//! The owners who were admitted to a room, the messages that wait for work on a password, and the waiting room.
//!
//! The work itself, verifying and hashing, is done outside the room.

use std::collections::{BTreeMap, VecDeque};

use sticheln_protocol::SettingsPatch;

use super::PasswordVerdict;
use super::guests::Guests;
use crate::{ConnId, Name, Owner, Password, PasswordHash, Refusal};

/// The most owners who are remembered as admitted: more than the default limits let connect at a time.
const MAX_ADMITTED: usize = 64;

/// The admissions to one room.
#[derive(Default)]
pub(super) struct Admission {
    /// The owners who were admitted, the newest last. They need no password again.
    admitted: VecDeque<Owner>,
    /// The message of each connection that waits for work on its password: at most one.
    pending: BTreeMap<ConnId, Pending>,
    /// The clients that wait until the host lets them in.
    pub(super) guests: Guests,
}

enum Pending {
    Hello(PendingHello),
    Configure(PendingConfigure),
}

/// A `hello` that waits for its password to be verified.
pub(super) struct PendingHello {
    /// The id of the message.
    pub(super) id: String,
    /// The owner who asks to be admitted.
    pub(super) owner: Owner,
    /// The name of the message, if it is usable.
    pub(super) name: Option<Name>,
    /// The hash against which the password is verified.
    password_hash: PasswordHash,
}

/// A `configure` that waits for the hash of its password.
pub(super) struct PendingConfigure {
    /// The id of the message.
    pub(super) id: String,
    /// The rest of the message.
    pub(super) patch: SettingsPatch,
}

/// The next step after a `hello`.
#[derive(Debug)]
pub(super) enum AdmissionStep {
    /// The owner needs no password.
    Admit,
    /// The password has to be verified against this hash.
    Verify(Password, PasswordHash),
}

impl Admission {
    /// Checks that no message of this connection waits: one password follows the other, so that the last one holds.
    ///
    /// # Errors
    /// [`Refusal::Busy`] if one waits.
    pub(super) fn check_idle(&self, conn: ConnId) -> Result<(), Refusal> {
        let is_idle = !self.pending.contains_key(&conn) && self.guests.on(conn).is_none();
        is_idle.then_some(()).ok_or(Refusal::Busy)
    }

    /// Whether the message of this connection with this id waits.
    pub(super) fn waits_for(&self, conn: ConnId, id: &str) -> bool {
        let pending = self.pending.get(&conn).map(Pending::id);
        let guest = self.guests.on(conn).map(|guest| guest.id.as_str());
        pending == Some(id) || guest == Some(id)
    }

    /// Whether this owner was admitted lately.
    pub(super) fn has_admitted(&self, owner: Owner) -> bool {
        self.admitted.contains(&owner)
    }

    /// The next step of a `hello`. If its password must be verified, the message waits for [`Admission::take_hello`].
    /// `password_hash` is the hash for owners that were not admitted before.
    ///
    /// # Errors
    /// [`Refusal::PasswordNeeded`] or [`Refusal::BadPassword`] if the owner needs a password and gives none that could
    /// be right.
    pub(super) fn hello(
        &mut self,
        conn: ConnId,
        id: &str,
        owner: Owner,
        name: Option<Name>,
        password: Option<&str>,
        password_hash: Option<&PasswordHash>,
    ) -> Result<AdmissionStep, Refusal> {
        let Some(password_hash) = self.hash_for(owner, password_hash) else {
            return Ok(AdmissionStep::Admit);
        };
        let password = Password::new(password.ok_or(Refusal::PasswordNeeded)?)?;
        let password_hash = password_hash.clone();
        let pending = Pending::Hello(PendingHello {
            id: id.to_owned(),
            owner,
            name,
            password_hash: password_hash.clone(),
        });
        self.pending.insert(conn, pending);
        Ok(AdmissionStep::Verify(password, password_hash))
    }

    /// Ends the wait of the `hello` of this connection.
    pub(super) fn take_hello(&mut self, conn: ConnId) -> Option<PendingHello> {
        match self.pending.remove(&conn)? {
            Pending::Hello(hello) => Some(hello),
            other @ Pending::Configure(_) => {
                self.pending.insert(conn, other);
                None
            }
        }
    }

    /// Checks the verdict on a `hello`. If the room has another password by now, the password of the message counts as
    /// wrong.
    ///
    /// # Errors
    /// [`Refusal::WrongPassword`]; [`Refusal::TooManyAttempts`] or [`Refusal::Busy`] if the password was not verified.
    pub(super) fn check_verified(
        &self,
        hello: &PendingHello,
        verdict: PasswordVerdict,
        password_hash: Option<&PasswordHash>,
    ) -> Result<(), Refusal> {
        let is_right = match verdict {
            PasswordVerdict::Right => true,
            PasswordVerdict::Wrong => false,
            PasswordVerdict::NotTried => return Err(Refusal::TooManyAttempts),
            PasswordVerdict::Failed => return Err(Refusal::Busy),
        };
        match self.hash_for(hello.owner, password_hash) {
            Some(now) if !is_right || *now != hello.password_hash => Err(Refusal::WrongPassword),
            Some(_) | None => Ok(()),
        }
    }

    /// The hash of the password that this owner needs: none if they were admitted before.
    fn hash_for<'a>(
        &self,
        owner: Owner,
        password_hash: Option<&'a PasswordHash>,
    ) -> Option<&'a PasswordHash> {
        password_hash.filter(|_| !self.admitted.contains(&owner))
    }

    /// Lets a `configure` wait for the hash of its password.
    pub(super) fn await_hash(&mut self, conn: ConnId, id: &str, patch: SettingsPatch) {
        let id = id.to_owned();
        let pending = Pending::Configure(PendingConfigure { id, patch });
        self.pending.insert(conn, pending);
    }

    /// Ends the wait of the `configure` of this connection.
    pub(super) fn take_configure(&mut self, conn: ConnId) -> Option<PendingConfigure> {
        match self.pending.remove(&conn)? {
            Pending::Configure(configure) => Some(configure),
            other @ Pending::Hello(_) => {
                self.pending.insert(conn, other);
                None
            }
        }
    }

    /// Remembers that an owner was admitted. The one who was admitted longest ago goes if there are too many.
    pub(super) fn admit(&mut self, owner: Owner) {
        self.revoke(owner);
        self.admitted.push_back(owner);
        if self.admitted.len() > MAX_ADMITTED {
            self.admitted.pop_front();
        }
    }

    /// Forgets that an owner was admitted.
    pub(super) fn revoke(&mut self, owner: Owner) {
        self.admitted.retain(|admitted| *admitted != owner);
    }

    /// Forgets that all other owners were admitted.
    pub(super) fn retain(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.admitted.retain(|owner| is_kept(*owner));
    }

    /// Drops the messages that wait on a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        self.pending.remove(&conn);
        self.guests.forget(conn);
    }
}

impl Pending {
    fn id(&self) -> &str {
        match self {
            Self::Hello(hello) => &hello.id,
            Self::Configure(configure) => &configure.id,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const CONN: ConnId = ConnId(1);

    fn hash(text: &str) -> PasswordHash {
        PasswordHash::new(text.to_owned())
    }

    /// A `hello` of owner 0 with this password, at a room that asks for the password of this hash.
    fn hello(
        admission: &mut Admission,
        password: Option<&str>,
        asked: Option<&PasswordHash>,
    ) -> Result<AdmissionStep, Refusal> {
        admission.hello(CONN, "a", Owner::numbered(0), None, password, asked)
    }

    fn patch() -> SettingsPatch {
        serde_json::from_str("{}").unwrap()
    }

    #[test]
    fn a_room_without_a_password_admits_everybody() {
        let mut admission = Admission::default();
        assert!(matches!(
            hello(&mut admission, None, None),
            Ok(AdmissionStep::Admit)
        ));
        assert_eq!(admission.check_idle(CONN), Ok(()));
    }

    #[test]
    fn a_password_is_verified_once_at_a_time() {
        let mut admission = Admission::default();
        let asked = hash("one");
        let next = hello(&mut admission, Some("sesame"), Some(&asked)).unwrap();
        assert!(matches!(next, AdmissionStep::Verify(password, of)
            if password.as_str() == "sesame" && of == asked));
        assert_eq!(admission.check_idle(CONN), Err(Refusal::Busy));
        assert!(admission.waits_for(CONN, "a"));
        assert!(!admission.waits_for(CONN, "b"));
        assert!(!admission.waits_for(ConnId(2), "a"));
        assert!(admission.take_configure(CONN).is_none());
        let waited = admission.take_hello(CONN).unwrap();
        assert_eq!((&*waited.id, waited.owner), ("a", Owner::numbered(0)));
        assert!(admission.take_hello(CONN).is_none());
        assert_eq!(admission.check_idle(CONN), Ok(()));
    }

    #[test]
    fn a_hello_without_a_usable_password_does_not_wait() {
        let mut admission = Admission::default();
        for (password, refusal) in [
            (None, Refusal::PasswordNeeded),
            (Some(""), Refusal::BadPassword),
        ] {
            let next = hello(&mut admission, password, Some(&hash("one")));
            assert_eq!(next.unwrap_err(), refusal);
            assert_eq!(admission.check_idle(CONN), Ok(()));
        }
    }

    #[test]
    fn a_password_must_be_right_and_still_be_asked_for() {
        let mut admission = Admission::default();
        let (one, two) = (hash("one"), hash("two"));
        hello(&mut admission, Some("sesame"), Some(&one)).unwrap();
        let waited = admission.take_hello(CONN).unwrap();
        let wrong = Err(Refusal::WrongPassword);
        for (verdict, asked, answer) in [
            (PasswordVerdict::Right, Some(&one), Ok(())),
            (PasswordVerdict::Wrong, Some(&one), wrong),
            (PasswordVerdict::Right, Some(&two), wrong),
            (PasswordVerdict::Wrong, None, Ok(())),
            (
                PasswordVerdict::NotTried,
                Some(&one),
                Err(Refusal::TooManyAttempts),
            ),
            (PasswordVerdict::Failed, Some(&one), Err(Refusal::Busy)),
        ] {
            let checked = admission.check_verified(&waited, verdict, asked);
            assert_eq!(checked, answer);
        }
        admission.admit(waited.owner);
        let checked = admission.check_verified(&waited, PasswordVerdict::Wrong, Some(&two));
        assert_eq!(checked, Ok(()), "admitted on another connection meanwhile");
    }

    #[test]
    fn an_admitted_owner_needs_no_password_until_it_is_revoked() {
        let mut admission = Admission::default();
        let asked = hash("one");
        admission.admit(Owner::numbered(0));
        admission.admit(Owner::numbered(1));
        let next = hello(&mut admission, None, Some(&asked));
        assert!(matches!(next, Ok(AdmissionStep::Admit)));
        admission.retain(|owner| owner == Owner::numbered(0));
        let next = hello(&mut admission, None, Some(&asked));
        assert!(matches!(next, Ok(AdmissionStep::Admit)));
        admission.revoke(Owner::numbered(0));
        let next = hello(&mut admission, None, Some(&asked));
        assert_eq!(next.unwrap_err(), Refusal::PasswordNeeded);
        assert!(admission.admitted.is_empty());
    }

    #[test]
    fn the_owners_who_were_admitted_last_are_remembered() {
        let mut admission = Admission::default();
        for number in 0..=MAX_ADMITTED {
            admission.admit(Owner::numbered(number as u8));
        }
        // Somebody who comes again counts once, as the newest.
        admission.admit(Owner::numbered(1));
        admission.admit(Owner::numbered(0));
        assert_eq!(admission.admitted.len(), MAX_ADMITTED);
        assert!(admission.admitted.contains(&Owner::numbered(1)));
        assert!(!admission.admitted.contains(&Owner::numbered(2)));
    }

    #[test]
    fn a_configure_waits_for_its_hash() {
        let mut admission = Admission::default();
        admission.await_hash(CONN, "a", patch());
        assert!(admission.waits_for(CONN, "a"));
        assert_eq!(admission.check_idle(CONN), Err(Refusal::Busy));
        assert!(admission.take_hello(CONN).is_none());
        assert_eq!(admission.take_configure(CONN).unwrap().id, "a");
        assert!(admission.take_configure(CONN).is_none());
    }

    #[test]
    fn nothing_waits_for_a_closed_connection() {
        let mut admission = Admission::default();
        admission.await_hash(CONN, "a", patch());
        admission.forget(CONN);
        assert!(admission.pending.is_empty());
    }
}
