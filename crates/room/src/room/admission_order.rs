//! The order in which connections were admitted, also if several servers run the room one after the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ConnId, PasswordHash};

/// The number of an admission. A later admission to a room has a higher one, whichever server runs the room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct AdmissionNumber {
    /// The epoch of the claim of the server that runs the room.
    epoch: u64,
    /// The number among the admissions by that server.
    count: u64,
}

/// An admission, as the gateway of its connection keeps it. It returns it with the `hello` that it sends again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AdmissionRecord {
    #[serde(flatten)]
    number: AdmissionNumber,
    /// The fingerprint of the password that the room had, at the admission or later while the connection was admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<u64>,
}

/// The numbers of admissions. A room that one server alone runs has none, and takes no space for them.
#[derive(Default)]
pub(super) struct AdmissionOrder(Option<Box<Numbers>>);

/// The numbers of admissions to a room that several servers run one after the other.
struct Numbers {
    last: AdmissionNumber,
    /// Those of admitted connections, and of those that say `hello` again.
    by_conn: BTreeMap<ConnId, AdmissionRecord>,
}

impl AdmissionOrder {
    /// Sets the epoch of the claim under which a server runs the room from now on.
    pub(super) fn begin(&mut self, epoch: u64) {
        let last = AdmissionNumber { epoch, count: 0 };
        self.0 = Some(Box::new(Numbers {
            last,
            by_conn: BTreeMap::new(),
        }));
    }

    /// Stores the record of an earlier admission of a connection that says `hello`, or removes it if there is none.
    pub(super) fn set_earlier_admission(&mut self, conn: ConnId, earlier: Option<AdmissionRecord>) {
        let Some(numbers) = &mut self.0 else {
            return;
        };
        match earlier {
            Some(earlier) => _ = numbers.by_conn.insert(conn, earlier),
            None => _ = numbers.by_conn.remove(&conn),
        }
    }

    /// The number of a connection; the lowest one if it has none.
    pub(super) fn of(&self, conn: ConnId) -> AdmissionNumber {
        let numbers = self.0.as_ref();
        let record = numbers.and_then(|numbers| numbers.by_conn.get(&conn));
        record.map(|record| record.number).unwrap_or_default()
    }

    /// Whether a connection was admitted while the room had this password.
    pub(super) fn is_of_password(&self, conn: ConnId, password: &PasswordHash) -> bool {
        let numbers = self.0.as_ref();
        let record = numbers.and_then(|numbers| numbers.by_conn.get(&conn));
        record.is_some_and(|record| record.password == Some(password.fingerprint()))
    }

    /// Whether a connection was admitted before.
    pub(super) fn is_repeated(&self, conn: ConnId) -> bool {
        let numbers = self.0.as_ref();
        numbers.is_some_and(|numbers| numbers.by_conn.contains_key(&conn))
    }

    /// The record of a connection that is or stays admitted to a room with this password. Its number is the one that it had before, or
    /// a new one.
    pub(super) fn admit(
        &mut self,
        conn: ConnId,
        password: Option<&PasswordHash>,
    ) -> AdmissionRecord {
        let new = |number| AdmissionRecord {
            number,
            password: None,
        };
        let Some(numbers) = &mut self.0 else {
            return new(AdmissionNumber::default());
        };
        let Numbers { last, by_conn } = &mut **numbers;
        let record = by_conn.entry(conn).or_insert_with(|| {
            last.count += 1;
            new(*last)
        });
        record.password = password.map(PasswordHash::fingerprint);
        *record
    }

    /// Whether a gateway may repeat admissions, so that it needs their records.
    pub(super) fn has_records(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn forget(&mut self, conn: ConnId) {
        if let Some(numbers) = &mut self.0 {
            numbers.by_conn.remove(&conn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: ConnId = ConnId(1);
    const NEW: ConnId = ConnId(2);

    #[test]
    fn later_admissions_have_higher_numbers_also_at_the_next_server() {
        let mut order = AdmissionOrder::default();
        order.begin(7);
        let (first, second) = (order.admit(OLD, None), order.admit(NEW, None));
        assert!(first < second);
        let mut next = AdmissionOrder::default();
        next.begin(8);
        next.set_earlier_admission(OLD, Some(second));
        assert!(next.is_repeated(OLD) && !next.is_repeated(NEW));
        assert_eq!(next.admit(OLD, None), second, "it keeps its number");
        assert!(next.admit(NEW, None) > second);
        next.forget(OLD);
        assert!(!next.is_repeated(OLD));
    }

    #[test]
    fn a_server_that_is_alone_keeps_no_numbers() {
        let mut order = AdmissionOrder::default();
        let record = order.admit(NEW, None);
        order.set_earlier_admission(OLD, Some(record));
        order.admit(OLD, None);
        assert!(order.0.is_none());
    }

    #[test]
    fn an_admission_is_of_the_last_password_that_the_room_had_meanwhile() {
        let [one, two] = ["one", "two"].map(|text| PasswordHash::new(text.to_owned()));
        let mut order = AdmissionOrder::default();
        order.begin(7);
        let before = order.admit(OLD, None);
        let first = order.admit(OLD, Some(&one));
        let second = order.admit(OLD, Some(&two));
        for (record, is_of) in [
            (before, [false, false]),
            (first, [true, false]),
            (second, [false, true]),
        ] {
            let mut next = AdmissionOrder::default();
            next.begin(8);
            next.set_earlier_admission(NEW, Some(record));
            let passwords = [&one, &two];
            assert_eq!(
                passwords.map(|password| next.is_of_password(NEW, password)),
                is_of
            );
            assert_eq!(record.number, before.number);
        }
        assert!(!order.is_of_password(NEW, &two));
    }
}
