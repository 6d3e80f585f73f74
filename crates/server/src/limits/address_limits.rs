//! The limits of each client address: connections, sockets, requests, rooms and wrong room codes.

mod code_lookup;
mod waking;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::sync::Semaphore;

pub use self::code_lookup::CodeLookup;
use self::code_lookup::ConcurrentLookups;
use self::waking::MAX_CONCURRENT_WAKINGS;
pub use self::waking::Waking;
use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::limits::request_costs::{CONNECTION_CHECKS_PER_MINUTE, Cost, HEALTH_CHECKS_PER_MINUTE};
use crate::limits::token_bucket::TokenBucket;
use crate::limits::write_budgets::MIB;
use crate::room_code::RoomCode;

/// The units for new sockets that a protocol violation costs; at most as many as the address gets in a minute.
const VIOLATION_COST: u32 = 60;
/// The most requests of one address that are delayed at the same time.
const MAX_DELAYED: usize = 4;
/// The most sockets of one address for connection checks. A page opens one, which stays idle for a while.
pub const MAX_CHECKS: usize = 4;
/// The interval at which addresses without connections and with full buckets are forgotten.
const FORGET_INTERVAL: Duration = Duration::from_secs(60);

/// The reason why a limit does not let a client in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LimitReached {
    /// The server has too many connections or sockets.
    #[error("the server is full")]
    Server,
    /// The address has too many connections, sockets or rooms.
    #[error("the address has too many connections, sockets or rooms")]
    Address,
    /// The address has no unit for a new connection or socket.
    #[error("the address opens connections or sockets too often")]
    TooOften,
}

/// The limits of all client addresses, and what each address uses of them.
#[derive(Debug)]
pub struct AddressLimits {
    limits: Limits,
    addresses: Mutex<AddressTable>,
}

#[derive(Debug, Default)]
struct AddressTable {
    sockets: usize,
    connections: usize,
    /// A B-tree shrinks with the number of addresses, and a hash table does not.
    states: BTreeMap<ClientAddr, AddressState>,
    forgot_at: Option<Instant>,
}

#[derive(Debug)]
struct AddressState {
    sockets: usize,
    connections: usize,
    /// Awake rooms that the address has opened.
    rooms: usize,
    /// Awake rooms that the address has woken.
    woken_rooms: usize,
    /// The turns of rooms that the address wakes.
    waking_turns: Arc<Semaphore>,
    /// Requests that are delayed.
    delayed: usize,
    /// Sockets for connection checks.
    checks: usize,
    buckets: Buckets,
    /// The codes that are being looked up and were not known.
    lookups: BTreeMap<RoomCode, ConcurrentLookups>,
    /// The codes of rooms that the address has entered, the newest last.
    known_codes: VecDeque<RoomCode>,
}

/// The token buckets of an address.
#[derive(Debug)]
struct Buckets {
    connections: TokenBucket,
    new_sockets: TokenBucket,
    requests: TokenBucket,
    files: TokenBucket,
    health_checks: TokenBucket,
    connection_checks: TokenBucket,
    wrong_codes: TokenBucket,
    wakings: TokenBucket,
    written_bytes: TokenBucket,
}

/// The right of an address to one of a limited number of connections, sockets, rooms or other resources. It ends when the
/// permit is dropped.
#[derive(Debug)]
pub struct Permit {
    address_limits: Arc<AddressLimits>,
    client_addr: ClientAddr,
    resource: Resource,
}

#[derive(Clone, Copy, Debug)]
enum Resource {
    Connection,
    Socket,
    Room,
    WokenRoom,
    Delay,
    Check,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut addresses = self.address_limits.addresses();
        let addresses = &mut *addresses;
        let address = addresses.states.get_mut(&self.client_addr);
        let address = address.expect("an address with a permit is not forgotten");
        match self.resource {
            Resource::Connection => {
                addresses.connections -= 1;
                address.connections -= 1;
            }
            Resource::Socket => {
                addresses.sockets -= 1;
                address.sockets -= 1;
            }
            Resource::Room => address.rooms -= 1,
            Resource::WokenRoom => address.woken_rooms -= 1,
            Resource::Delay => address.delayed -= 1,
            Resource::Check => {
                addresses.sockets -= 1;
                address.sockets -= 1;
                address.checks -= 1;
            }
        }
    }
}

impl AddressLimits {
    /// All addresses have these limits, and use nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            addresses: Mutex::default(),
        }
    }

    /// Takes the units for a request.
    ///
    /// # Errors
    /// The time until there are enough units.
    pub fn try_request(
        &self,
        client_addr: ClientAddr,
        cost: Cost,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut addresses = self.addresses();
        let buckets = &mut self.address(&mut addresses, client_addr).buckets;
        match cost {
            Cost::Request(units) => buckets.requests.try_acquire(units, now),
            Cost::File => buckets.files.try_acquire(1, now),
            Cost::HealthCheck => buckets.health_checks.try_acquire(1, now),
            Cost::ConnectionCheck => buckets.connection_checks.try_acquire(1, now),
        }
    }

    /// Takes the unit for a new connection.
    ///
    /// # Errors
    /// [`LimitReached::TooOften`] if the address has none.
    pub fn try_connection(
        &self,
        client_addr: ClientAddr,
        now: Instant,
    ) -> Result<(), LimitReached> {
        let mut addresses = self.addresses();
        let buckets = &mut self.address(&mut addresses, client_addr).buckets;
        let acquired = buckets.connections.try_acquire(1, now);
        acquired.map_err(|_| LimitReached::TooOften)
    }

    /// Permits a connection if the address has fewer than `max`. The limit of all connections is that of all sockets,
    /// because a connection can become a socket.
    ///
    /// # Errors
    /// [`LimitReached::Server`] or [`LimitReached::Address`].
    pub fn open_connection(
        self: &Arc<Self>,
        client_addr: ClientAddr,
        max: usize,
    ) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        if addresses.connections >= self.limits.sockets.get() {
            return Err(LimitReached::Server);
        }
        let address = self.address(&mut addresses, client_addr);
        if address.connections >= max {
            return Err(LimitReached::Address);
        }
        address.connections += 1;
        addresses.connections += 1;
        Ok(self.permit(client_addr, Resource::Connection))
    }

    /// Permits a socket.
    ///
    /// # Errors
    /// [`LimitReached`] names the limit.
    pub fn open_socket(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        let address = self.address_with_space(&mut addresses, client_addr)?;
        let acquired = address.buckets.new_sockets.try_acquire(1, Instant::now());
        acquired.map_err(|_| LimitReached::TooOften)?;
        address.sockets += 1;
        addresses.sockets += 1;
        Ok(self.permit(client_addr, Resource::Socket))
    }

    /// The state of an address, if the server and the address have space for another socket.
    fn address_with_space<'a>(
        &self,
        addresses: &'a mut AddressTable,
        client_addr: ClientAddr,
    ) -> Result<&'a mut AddressState, LimitReached> {
        if addresses.sockets >= self.limits.sockets.get() {
            return Err(LimitReached::Server);
        }
        let address = self.address(addresses, client_addr);
        if address.sockets >= self.limits.sockets_per_address.get() {
            return Err(LimitReached::Address);
        }
        Ok(address)
    }

    /// Charges an address for a protocol violation on a socket.
    pub fn charge_violation(&self, client_addr: ClientAddr) {
        let mut addresses = self.addresses();
        let new_sockets = &mut self
            .address(&mut addresses, client_addr)
            .buckets
            .new_sockets;
        let now = Instant::now();
        // A debt does not grow, so that other clients at the address can connect soon.
        if new_sockets.time_until_nonnegative(now).is_zero() {
            let cost = VIOLATION_COST.min(self.limits.new_sockets_per_minute.get());
            new_sockets.charge(cost as usize, now);
        }
    }

    /// Permits a delayed request; `None` if the address has enough of them.
    pub fn delay(self: &Arc<Self>, client_addr: ClientAddr) -> Option<Permit> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        if address.delayed >= MAX_DELAYED {
            return None;
        }
        address.delayed += 1;
        Some(self.permit(client_addr, Resource::Delay))
    }

    /// Permits a socket for a connection check. It takes no unit for new sockets: its request took one for checks.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if the address has [`MAX_CHECKS`] of them or too many sockets, [`LimitReached::Server`]
    /// if the server has too many.
    pub fn open_check(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        let address = self.address_with_space(&mut addresses, client_addr)?;
        if address.checks >= MAX_CHECKS {
            return Err(LimitReached::Address);
        }
        address.checks += 1;
        address.sockets += 1;
        addresses.sockets += 1;
        Ok(self.permit(client_addr, Resource::Check))
    }

    /// Permits a new room.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if too many rooms of the address are awake.
    pub fn open_room(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        if address.rooms >= self.limits.rooms_per_address.get() {
            return Err(LimitReached::Address);
        }
        address.rooms += 1;
        Ok(self.permit(client_addr, Resource::Room))
    }

    /// The bytes that an address may still add to the database.
    pub(super) fn bytes_left(&self, client_addr: ClientAddr, now: Instant) -> u64 {
        let mut addresses = self.addresses();
        let buckets = &mut self.address(&mut addresses, client_addr).buckets;
        buckets.written_bytes.balance(now).max(0.0) as u64
    }

    /// Charges an address for bytes. Its balance can become negative.
    pub(super) fn charge_bytes(&self, client_addr: ClientAddr, bytes: usize, now: Instant) {
        let mut addresses = self.addresses();
        let buckets = &mut self.address(&mut addresses, client_addr).buckets;
        buckets.written_bytes.charge(bytes, now);
    }

    fn permit(self: &Arc<Self>, client_addr: ClientAddr, resource: Resource) -> Permit {
        Permit {
            address_limits: self.clone(),
            client_addr,
            resource,
        }
    }

    /// The number of open connections. Only tests call it.
    pub fn connections(&self) -> usize {
        self.addresses().connections
    }

    /// The number of open sockets.
    pub fn sockets(&self) -> usize {
        self.addresses().sockets
    }

    fn addresses(&self) -> MutexGuard<'_, AddressTable> {
        // A panic never leaves the counters half changed.
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn address<'a>(
        &self,
        addresses: &'a mut AddressTable,
        client_addr: ClientAddr,
    ) -> &'a mut AddressState {
        let now = Instant::now();
        let is_due = |forgot_at| now.duration_since(forgot_at) > FORGET_INTERVAL;
        if addresses.forgot_at.is_none_or(is_due) {
            addresses.forgot_at = Some(now);
            addresses
                .states
                .retain(|_, address| !address.can_be_forgotten(now));
        }
        let state = addresses.states.entry(client_addr);
        state.or_insert_with(|| AddressState::new(&self.limits, now))
    }
}

/// A full bucket of bytes, which an empty one reaches again in an hour.
fn written_bytes(limits: &Limits, now: Instant) -> TokenBucket {
    let bytes = limits.written_mib_per_hour.get().saturating_mul(MIB);
    TokenBucket::new(bytes, f64::from(bytes) / 3600.0, now)
}

impl AddressState {
    fn new(limits: &Limits, now: Instant) -> Self {
        let bucket = |per_minute| TokenBucket::per_minute(per_minute, now);
        Self {
            sockets: 0,
            connections: 0,
            rooms: 0,
            woken_rooms: 0,
            waking_turns: Arc::new(Semaphore::new(MAX_CONCURRENT_WAKINGS)),
            delayed: 0,
            checks: 0,
            buckets: Buckets {
                connections: bucket(limits.connections_per_minute),
                new_sockets: bucket(limits.new_sockets_per_minute),
                requests: bucket(limits.requests_per_minute),
                files: bucket(limits.files_per_minute),
                health_checks: bucket(HEALTH_CHECKS_PER_MINUTE),
                connection_checks: bucket(CONNECTION_CHECKS_PER_MINUTE),
                wrong_codes: bucket(limits.wrong_codes_per_minute),
                wakings: bucket(limits.wakings_per_minute),
                written_bytes: written_bytes(limits, now),
            },
            lookups: BTreeMap::new(),
            known_codes: VecDeque::new(),
        }
    }

    /// Whether a new state would be the same, except for the known codes.
    fn can_be_forgotten(&mut self, now: Instant) -> bool {
        let buckets = [
            &mut self.buckets.connections,
            &mut self.buckets.new_sockets,
            &mut self.buckets.requests,
            &mut self.buckets.files,
            &mut self.buckets.health_checks,
            &mut self.buckets.connection_checks,
            &mut self.buckets.wrong_codes,
            &mut self.buckets.wakings,
            &mut self.buckets.written_bytes,
        ];
        let are_full = buckets.into_iter().all(|bucket| bucket.is_full(now));
        let rooms = self.rooms + self.woken_rooms;
        let permits = self.sockets + self.connections + rooms + self.delayed + self.checks;
        let waits = Arc::strong_count(&self.waking_turns) > 1;
        permits == 0 && !waits && self.lookups.is_empty() && are_full
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::IpAddr;
    use std::num::NonZero;

    use super::*;

    fn client_addr(last: u8) -> ClientAddr {
        ClientAddr::from(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn connections_of_all_addresses_are_bounded() {
        let limits = Limits {
            sockets: NonZero::new(2).unwrap(),
            ..Limits::default()
        };
        let address_limits = Arc::new(AddressLimits::new(limits));
        let open = |last| address_limits.open_connection(client_addr(last), 10);
        let first = open(1).unwrap();
        let _second = open(2).unwrap();
        assert_eq!(open(3).unwrap_err(), LimitReached::Server);
        assert_eq!(open(1).unwrap_err(), LimitReached::Server);
        drop(first);
        assert!(open(3).is_ok());
    }

    #[test]
    fn a_protocol_violation_does_not_increase_a_debt() {
        let address_limits = Arc::new(AddressLimits::new(Limits::default()));
        let debt = || {
            let mut addresses = address_limits.addresses();
            let address = addresses.states.get_mut(&client_addr(1)).unwrap();
            address
                .buckets
                .new_sockets
                .time_until_nonnegative(Instant::now())
        };
        address_limits.charge_violation(client_addr(1));
        while debt().is_zero() {
            address_limits.charge_violation(client_addr(1));
        }
        let first = debt();
        for _ in 0..3 {
            address_limits.charge_violation(client_addr(1));
            assert!(debt() <= first);
        }
    }

    /// Otherwise an address would get new units by waiting until it is forgotten.
    #[test]
    fn an_address_is_forgotten_only_when_its_buckets_are_full() {
        let address_limits = Arc::new(AddressLimits::new(Limits::default()));
        let client_addr = client_addr(1);
        drop(address_limits.open_socket(client_addr).unwrap());
        drop(address_limits.look_up_code(client_addr, None).unwrap());
        let begun = Instant::now();
        let mut addresses = address_limits.addresses();
        let address = addresses.states.get_mut(&client_addr).unwrap();
        assert!(!address.can_be_forgotten(begun));
        assert!(address.can_be_forgotten(begun + Duration::from_secs(60)));
        address.buckets.new_sockets.charge(600, begun);
        assert!(!address.can_be_forgotten(begun + Duration::from_secs(60)));
        address.rooms = 1;
        assert!(!address.can_be_forgotten(begun + Duration::from_secs(600)));
    }
}
