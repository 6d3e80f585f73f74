//! The waiting room: clients that wait until the host lets them in.

use std::net::IpAddr;

use sticheln_protocol as protocol;

use super::reference_numbers::ReferenceNumbers;
use crate::{ConnId, Name, Owner, Refusal, Timestamp};

/// The most guests: the host decides on each of them.
const MAX_GUESTS: usize = 8;
/// The most guests from one address, so that one person cannot fill the waiting room.
const MAX_GUESTS_PER_ADDRESS: usize = 2;

/// The guests of one room, the oldest first.
#[derive(Default)]
pub(super) struct Guests {
    waiting: Vec<Guest>,
    numbers: ReferenceNumbers,
    /// Whether the host has to be told.
    have_changed: bool,
}

/// A client in the waiting room.
pub(super) struct Guest {
    pub(super) conn: ConnId,
    /// The id of its `hello`, which is answered when the host has decided.
    pub(super) id: String,
    pub(super) owner: Owner,
    address: Option<IpAddr>,
    pub(super) name: Name,
    number: u64,
}

impl Guests {
    /// Adds a guest.
    ///
    /// # Errors
    /// [`Refusal::TooManyGuests`] if too many wait, in all or from this address.
    pub(super) fn add(
        &mut self,
        conn: ConnId,
        address: Option<IpAddr>,
        id: &str,
        owner: Owner,
        name: Name,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let beside = self.waiting.iter();
        let beside = beside.filter(|guest| guest.address == address).count();
        if self.waiting.len() >= MAX_GUESTS || beside >= MAX_GUESTS_PER_ADDRESS {
            return Err(Refusal::TooManyGuests);
        }
        self.have_changed = true;
        self.waiting.push(Guest {
            conn,
            id: id.to_owned(),
            owner,
            address,
            name,
            number: self.numbers.next(now),
        });
        Ok(())
    }

    /// The guest on this connection.
    pub(super) fn on(&self, conn: ConnId) -> Option<&Guest> {
        self.waiting.iter().find(|guest| guest.conn == conn)
    }

    /// Takes the guest with this number out.
    pub(super) fn take(&mut self, number: u64) -> Option<Guest> {
        let is_it = |guest: &Guest| guest.number == number;
        let place = self.waiting.iter().position(is_it)?;
        self.have_changed = true;
        Some(self.waiting.remove(place))
    }

    /// Takes all guests out.
    pub(super) fn take_all(&mut self) -> Vec<Guest> {
        self.have_changed |= !self.waiting.is_empty();
        std::mem::take(&mut self.waiting)
    }

    /// The connections on which an owner waits.
    pub(super) fn conns_of(&self, owner: Owner) -> Vec<ConnId> {
        let of_owner = self.waiting.iter().filter(|guest| guest.owner == owner);
        of_owner.map(|guest| guest.conn).collect()
    }

    /// Drops the guest on a closed connection.
    pub(super) fn forget(&mut self, conn: ConnId) {
        let before = self.waiting.len();
        self.waiting.retain(|guest| guest.conn != conn);
        self.have_changed |= self.waiting.len() != before;
    }

    /// Whether the guests have changed since the last call.
    pub(super) fn take_change(&mut self) -> bool {
        std::mem::take(&mut self.have_changed)
    }

    /// The guests as the host is shown them.
    pub(super) fn list(&self) -> Vec<protocol::Guest> {
        let shown = self.waiting.iter().map(|guest| protocol::Guest {
            guest: guest.number,
            name: guest.name.as_str().to_owned(),
        });
        shown.collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);

    /// Adds a guest from this address, whose connection and owner have this number.
    fn add(guests: &mut Guests, number: u8, address: u8) -> Result<(), Refusal> {
        let address = Ipv4Addr::new(192, 0, 2, address).into();
        let name = Name::new("Gus").unwrap();
        let owner = Owner::numbered(number);
        guests.add(ConnId(number.into()), Some(address), "a", owner, name, NOON)
    }

    #[test]
    fn the_waiting_room_is_bounded_in_all_and_for_each_address() {
        let mut guests = Guests::default();
        assert_eq!(add(&mut guests, 0, 0), Ok(()));
        assert_eq!(add(&mut guests, 1, 0), Ok(()));
        assert_eq!(add(&mut guests, 2, 0), Err(Refusal::TooManyGuests));
        for number in 2..MAX_GUESTS as u8 {
            assert_eq!(add(&mut guests, number, number), Ok(()));
        }
        assert_eq!(add(&mut guests, 100, 100), Err(Refusal::TooManyGuests));
        guests.forget(ConnId(0));
        assert_eq!(add(&mut guests, 100, 100), Ok(()));
    }

    #[test]
    fn each_guest_has_a_number_of_its_own() {
        let mut guests = Guests::default();
        add(&mut guests, 0, 0).unwrap();
        add(&mut guests, 1, 0).unwrap();
        let first = guests.list()[0].guest;
        assert_eq!(guests.take(first).unwrap().conn, ConnId(0));
        assert!(guests.take(first).is_none());
        add(&mut guests, 0, 0).unwrap();
        let numbers: Vec<_> = guests.list().iter().map(|guest| guest.guest).collect();
        assert_eq!(numbers, [first + 1, first + 2]);
        assert_eq!(guests.conns_of(Owner::numbered(1)), [ConnId(1)]);
    }

    #[test]
    fn a_change_is_told_once() {
        let mut guests = Guests::default();
        assert!(!guests.take_change());
        add(&mut guests, 0, 0).unwrap();
        assert!(guests.take_change());
        assert!(!guests.take_change());
        guests.forget(ConnId(7));
        assert!(!guests.take_change());
        guests.forget(ConnId(0));
        assert!(guests.take_change());
        assert!(guests.take_all().is_empty());
        assert!(!guests.take_change());
    }
}
