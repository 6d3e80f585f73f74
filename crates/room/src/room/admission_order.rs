//! The order in which connections were admitted, also if several servers run the room one after the other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ConnId;

/// The number of an admission. A later admission to a room has a higher one, whichever server runs the room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AdmissionNumber {
    /// The epoch of the claim of the server that runs the room.
    epoch: u64,
    /// The number among the admissions by that server.
    count: u64,
}

/// The numbers of admissions. A room that one server alone runs has none, and takes no space for them.
#[derive(Default)]
pub(super) struct AdmissionOrder(Option<Box<Numbers>>);

/// The numbers of admissions to a room that several servers run one after the other.
struct Numbers {
    last: AdmissionNumber,
    /// The numbers of admitted connections, and of those that say `hello` again.
    by_conn: BTreeMap<ConnId, AdmissionNumber>,
}

impl AdmissionOrder {
    /// A server runs the room now whose claim has this epoch.
    pub(super) fn begin(&mut self, epoch: u64) {
        let last = AdmissionNumber { epoch, count: 0 };
        self.0 = Some(Box::new(Numbers {
            last,
            by_conn: BTreeMap::new(),
        }));
    }

    /// A connection was admitted before with this number, if it was.
    pub(super) fn set_earlier(&mut self, conn: ConnId, earlier: Option<AdmissionNumber>) {
        if let (Some(numbers), Some(earlier)) = (&mut self.0, earlier) {
            numbers.by_conn.insert(conn, earlier);
        }
    }

    /// The number of a connection; the lowest one if it has none.
    pub(super) fn of(&self, conn: ConnId) -> AdmissionNumber {
        let numbers = self.0.as_ref();
        let number = numbers.and_then(|numbers| numbers.by_conn.get(&conn));
        number.copied().unwrap_or_default()
    }

    /// Whether a connection was admitted before.
    pub(super) fn is_repeated(&self, conn: ConnId) -> bool {
        let numbers = self.0.as_ref();
        numbers.is_some_and(|numbers| numbers.by_conn.contains_key(&conn))
    }

    /// The number of a connection that is admitted now: the one that it had before, or a new one.
    pub(super) fn admit(&mut self, conn: ConnId) -> AdmissionNumber {
        let Some(numbers) = &mut self.0 else {
            return AdmissionNumber::default();
        };
        let Numbers { last, by_conn } = &mut **numbers;
        *by_conn.entry(conn).or_insert_with(|| {
            last.count += 1;
            *last
        })
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
        let (first, second) = (order.admit(OLD), order.admit(NEW));
        assert!(first < second);
        let mut next = AdmissionOrder::default();
        next.begin(8);
        next.set_earlier(OLD, Some(second));
        assert!(next.is_repeated(OLD) && !next.is_repeated(NEW));
        assert_eq!(next.admit(OLD), second, "it keeps its number");
        assert!(next.admit(NEW) > second);
        next.forget(OLD);
        assert!(!next.is_repeated(OLD));
    }

    #[test]
    fn a_server_that_is_alone_keeps_no_numbers() {
        let mut order = AdmissionOrder::default();
        let number = order.admit(NEW);
        order.set_earlier(OLD, Some(number));
        order.admit(OLD);
        assert!(order.0.is_none());
    }
}
