//! The limits of each client address: connections, sockets, requests, awake rooms, wake-ups, wrong room codes and written bytes.
//!
//! The larger networks of an IPv6 address have larger limits of the same kinds. A client takes a resource in all its networks
//! or in none. So a client that is refused takes nothing from the other clients of these networks.

mod code_lookup;
mod concurrency;
mod wake_up;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use thiserror::Error;

pub use self::code_lookup::CodeLookup;
use self::code_lookup::ConcurrentLookups;
use self::concurrency::ConcurrencyLimits;
pub use self::concurrency::WorkPermit;
pub use self::wake_up::WakeUp;
use crate::limits::client_addr::{ClientAddr, Network};
use crate::limits::operator_limits::{Limits, MIB};
use crate::limits::request_costs::{CONNECTION_CHECKS_PER_MINUTE, Cost, HEALTH_CHECKS_PER_MINUTE};
use crate::limits::token_bucket::TokenBucket;
use crate::room_code::RoomCode;

/// The units for new sockets that a protocol violation costs; at most as many as the address gets in a minute.
const VIOLATION_COST: u32 = 60;
/// The minutes in which the bucket of files refills. So the people of a club can load the page at the same time, and over a longer
/// time an address gets no more files.
pub const FILE_BURST_MINUTES: u32 = 3;
/// The most requests of one address that are delayed at the same time.
const MAX_DELAYED: usize = 4;
/// The most sockets of one address for connection checks. A page opens one, which stays idle for a while.
pub const MAX_CONNECTION_CHECK_SOCKETS: usize = 4;
/// The interval at which idle networks are removed from the table.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(60);

/// The reason why a limit does not let a client in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LimitReached {
    /// The server has too many connections or sockets.
    #[error("the server is full")]
    Server,
    /// The address has too many connections, sockets or rooms.
    #[error("the address has too many connections, sockets or rooms")]
    Address,
    /// The token bucket for this action is empty.
    #[error("the address does this too often")]
    TooOften,
}

/// The limits of all client addresses, and how much of them each network uses.
#[derive(Debug)]
pub struct AddressLimits {
    limits: Limits,
    table: Mutex<NetworkTable>,
}

#[derive(Debug, Default)]
struct NetworkTable {
    sockets: usize,
    connections: usize,
    /// A B-tree shrinks with the number of networks, and a hash table does not.
    states: BTreeMap<Network, NetworkState>,
    /// The time at which idle networks were last removed.
    removed_at: Option<Instant>,
}

/// The resources that the clients of a network use.
#[derive(Debug)]
struct NetworkState {
    network: Network,
    sockets: usize,
    connections: usize,
    /// Awake rooms that they have opened.
    rooms: usize,
    /// Awake rooms that they have woken.
    woken_rooms: usize,
    concurrency: ConcurrencyLimits,
    /// Requests that are delayed.
    delayed: usize,
    /// Sockets for connection checks.
    connection_check_sockets: usize,
    buckets: Buckets,
    /// The codes that are being looked up and were not known.
    lookups: BTreeMap<RoomCode, ConcurrentLookups>,
    /// The codes of rooms that a client has entered, the newest last.
    known_codes: VecDeque<RoomCode>,
}

/// The token buckets of a network.
#[derive(Debug)]
struct Buckets {
    connections: TokenBucket,
    new_sockets: TokenBucket,
    requests: TokenBucket,
    files: TokenBucket,
    health_checks: TokenBucket,
    connection_checks: TokenBucket,
    wrong_codes: TokenBucket,
    wake_ups: TokenBucket,
    written_bytes: TokenBucket,
}

impl Buckets {
    /// The bucket of requests of this cost.
    fn of(&mut self, cost: Cost) -> &mut TokenBucket {
        match cost {
            Cost::Request(_) => &mut self.requests,
            Cost::File => &mut self.files,
            Cost::HealthCheck => &mut self.health_checks,
            Cost::ConnectionCheck => &mut self.connection_checks,
        }
    }

    /// Whether all buckets are full.
    fn are_full(&mut self, now: Instant) -> bool {
        // Without `..`, so that no new bucket is missing here.
        let Self {
            connections,
            new_sockets,
            requests,
            files,
            health_checks,
            connection_checks,
            wrong_codes,
            wake_ups,
            written_bytes,
        } = self;
        let buckets = [
            connections,
            new_sockets,
            requests,
            files,
            health_checks,
            connection_checks,
            wrong_codes,
            wake_ups,
            written_bytes,
        ];
        buckets.into_iter().all(|bucket| bucket.is_full(now))
    }
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
    ConnectionCheck,
}

impl Permit {
    /// The address that has the permit.
    pub fn client_addr(&self) -> ClientAddr {
        self.client_addr
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut table = self.address_limits.table();
        match self.resource {
            Resource::Connection => table.connections -= 1,
            Resource::Socket | Resource::ConnectionCheck => table.sockets -= 1,
            Resource::Room | Resource::WokenRoom | Resource::Delay => {}
        }
        for network in self.client_addr.networks() {
            let state = table.states.get_mut(&network);
            let state = state.expect("a network with a permit is not idle");
            match self.resource {
                Resource::Connection => state.connections -= 1,
                Resource::Socket => state.sockets -= 1,
                Resource::Room => state.rooms -= 1,
                Resource::WokenRoom => state.woken_rooms -= 1,
                Resource::Delay => state.delayed -= 1,
                Resource::ConnectionCheck => {
                    state.sockets -= 1;
                    state.connection_check_sockets -= 1;
                }
            }
        }
    }
}

impl AddressLimits {
    /// All addresses have these limits, and use nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            table: Mutex::default(),
        }
    }

    /// Takes the units for a request.
    ///
    /// # Errors
    /// The time until there are enough units.
    pub fn try_charge_request(
        &self,
        client_addr: ClientAddr,
        cost: Cost,
        now: Instant,
    ) -> Result<(), Duration> {
        let units = match cost {
            Cost::Request(units) => units,
            Cost::File | Cost::HealthCheck | Cost::ConnectionCheck => 1,
        };
        self.take(
            &mut self.table(),
            client_addr,
            |state| state.buckets.of(cost).check(units, now),
            |state| state.buckets.of(cost).take(units, now),
        )
    }

    /// Takes the unit for a new connection.
    ///
    /// # Errors
    /// [`LimitReached::TooOften`] if the address has none.
    pub fn try_charge_connection(
        &self,
        client_addr: ClientAddr,
        now: Instant,
    ) -> Result<(), LimitReached> {
        self.take(
            &mut self.table(),
            client_addr,
            |state| check_unit(&mut state.buckets.connections, now),
            |state| state.buckets.connections.take(1, now),
        )
    }

    /// Permits a connection if the address has fewer than `max`. The limit of all connections is that of all sockets,
    /// because a connection can become a socket.
    ///
    /// # Errors
    /// [`LimitReached::Server`] or [`LimitReached::Address`].
    pub fn permit_connection(
        self: &Arc<Self>,
        client_addr: ClientAddr,
        max: usize,
    ) -> Result<Permit, LimitReached> {
        let mut table = self.table();
        if table.connections >= self.limits.sockets.get() {
            return Err(LimitReached::Server);
        }
        self.take(
            &mut table,
            client_addr,
            |state| state.check_below(state.connections, max),
            |state| state.connections += 1,
        )?;
        table.connections += 1;
        Ok(self.permit(client_addr, Resource::Connection))
    }

    /// Permits a socket.
    ///
    /// # Errors
    /// [`LimitReached`] names the limit.
    pub fn permit_socket(
        self: &Arc<Self>,
        client_addr: ClientAddr,
    ) -> Result<Permit, LimitReached> {
        let mut table = self.table();
        self.check_server_has_space(&table)?;
        let now = Instant::now();
        let max = self.limits.sockets_per_address.get();
        self.take(
            &mut table,
            client_addr,
            |state| {
                state.check_below(state.sockets, max)?;
                check_unit(&mut state.buckets.new_sockets, now)
            },
            |state| {
                state.buckets.new_sockets.take(1, now);
                state.sockets += 1;
            },
        )?;
        table.sockets += 1;
        Ok(self.permit(client_addr, Resource::Socket))
    }

    /// Checks that the server has space for another socket.
    fn check_server_has_space(&self, table: &NetworkTable) -> Result<(), LimitReached> {
        let has_space = table.sockets < self.limits.sockets.get();
        has_space.then_some(()).ok_or(LimitReached::Server)
    }

    /// Charges an address for a protocol violation on a socket.
    pub fn charge_violation(&self, client_addr: ClientAddr) {
        let now = Instant::now();
        let cost = VIOLATION_COST.min(self.limits.new_sockets_per_minute.get());
        // A negative balance is not lowered further, so that other clients at the address can connect soon. Other clients of
        // the /56 are not charged for it either.
        let _was_negative = self.take(
            &mut self.table(),
            client_addr,
            |state| {
                let is_negative = state.buckets.new_sockets.balance(now) < 0.0;
                if is_negative { Err(()) } else { Ok(()) }
            },
            |state| state.buckets.new_sockets.charge(cost as usize, now),
        );
    }

    /// Permits a delayed request; `None` if the address has enough of them.
    pub fn permit_delay(self: &Arc<Self>, client_addr: ClientAddr) -> Option<Permit> {
        let mut table = self.table();
        let delayed = self.take(
            &mut table,
            client_addr,
            |state| state.check_below(state.delayed, MAX_DELAYED),
            |state| state.delayed += 1,
        );
        delayed
            .is_ok()
            .then(|| self.permit(client_addr, Resource::Delay))
    }

    /// Permits a socket for a connection check. It takes no unit for new sockets: its request took one for checks.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if the address has [`MAX_CONNECTION_CHECK_SOCKETS`] of them or too many sockets, [`LimitReached::Server`]
    /// if the server has too many.
    pub fn permit_connection_check(
        self: &Arc<Self>,
        client_addr: ClientAddr,
    ) -> Result<Permit, LimitReached> {
        let mut table = self.table();
        self.check_server_has_space(&table)?;
        let max = self.limits.sockets_per_address.get();
        self.take(
            &mut table,
            client_addr,
            |state| {
                state.check_below(state.sockets, max)?;
                state.check_below(state.connection_check_sockets, MAX_CONNECTION_CHECK_SOCKETS)
            },
            |state| {
                state.connection_check_sockets += 1;
                state.sockets += 1;
            },
        )?;
        table.sockets += 1;
        Ok(self.permit(client_addr, Resource::ConnectionCheck))
    }

    /// Permits a new room.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if too many rooms of the address are awake.
    pub fn permit_room(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let max = self.limits.rooms_per_address.get();
        self.take(
            &mut self.table(),
            client_addr,
            |state| state.check_below(state.rooms, max),
            |state| state.rooms += 1,
        )?;
        Ok(self.permit(client_addr, Resource::Room))
    }

    /// The bytes that an address may still add to the database.
    pub(super) fn address_bytes_left(&self, client_addr: ClientAddr, now: Instant) -> u64 {
        let mut table = self.table();
        let balances = client_addr.networks().map(|network| {
            let buckets = &mut self.state(&mut table, network).buckets;
            buckets.written_bytes.balance(now).max(0.0) as u64
        });
        balances.min().unwrap_or_default()
    }

    /// Charges an address for bytes. Its balance can become negative.
    pub(super) fn charge_bytes(&self, client_addr: ClientAddr, bytes: usize, now: Instant) {
        let mut table = self.table();
        for network in client_addr.networks() {
            let buckets = &mut self.state(&mut table, network).buckets;
            buckets.written_bytes.charge(bytes, now);
        }
    }

    /// Returns the bytes of a charge.
    pub(super) fn refund_bytes(&self, client_addr: ClientAddr, bytes: usize) {
        let mut table = self.table();
        for network in client_addr.networks() {
            let buckets = &mut self.state(&mut table, network).buckets;
            buckets.written_bytes.refund_units(bytes);
        }
    }

    /// Takes a resource in all networks of a client. If `check` fails for one of them, it takes none. The largest network comes
    /// first. So the clients that it refuses add no states of their own.
    fn take<E>(
        &self,
        table: &mut NetworkTable,
        client_addr: ClientAddr,
        check: impl Fn(&mut NetworkState) -> Result<(), E>,
        apply: impl Fn(&mut NetworkState),
    ) -> Result<(), E> {
        for network in client_addr.networks() {
            check(self.state(table, network))?;
        }
        for network in client_addr.networks() {
            apply(self.state(table, network));
        }
        Ok(())
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
        self.table().connections
    }

    /// The number of open sockets.
    pub fn sockets(&self) -> usize {
        self.table().sockets
    }

    fn table(&self) -> MutexGuard<'_, NetworkTable> {
        // A panic never leaves the counters half changed.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state<'a>(&self, table: &'a mut NetworkTable, network: Network) -> &'a mut NetworkState {
        let now = Instant::now();
        let is_due = |removed_at| now.duration_since(removed_at) > REMOVAL_INTERVAL;
        if table.removed_at.is_none_or(is_due) {
            table.removed_at = Some(now);
            table.states.retain(|_, state| !state.is_idle(now));
        }
        let state = table.states.entry(network);
        state.or_insert_with(|| NetworkState::new(network, &self.limits, now))
    }
}

/// Checks that a unit is left.
///
/// # Errors
/// [`LimitReached::TooOften`] if none is.
fn check_unit(bucket: &mut TokenBucket, now: Instant) -> Result<(), LimitReached> {
    bucket.check(1, now).map_err(|_| LimitReached::TooOften)
}

/// A full bucket of bytes, which an empty one reaches again in an hour.
fn written_bytes(network: Network, limits: &Limits, now: Instant) -> TokenBucket {
    let mib = network.scale_units(limits.written_mib_per_hour);
    let bytes = mib.get().saturating_mul(MIB);
    TokenBucket::new(bytes, f64::from(bytes) / 3600.0, now)
}

/// The bucket of files of a network.
fn files(network: Network, limits: &Limits, now: Instant) -> TokenBucket {
    let per_minute = network.scale_units(limits.files_per_minute).get();
    let capacity = per_minute.saturating_mul(FILE_BURST_MINUTES);
    TokenBucket::new(capacity, f64::from(per_minute) / 60.0, now)
}

impl NetworkState {
    fn new(network: Network, limits: &Limits, now: Instant) -> Self {
        let bucket = |per_minute| TokenBucket::per_minute(network.scale_units(per_minute), now);
        Self {
            network,
            sockets: 0,
            connections: 0,
            rooms: 0,
            woken_rooms: 0,
            concurrency: ConcurrencyLimits::new(),
            delayed: 0,
            connection_check_sockets: 0,
            buckets: Buckets {
                connections: bucket(limits.connections_per_minute),
                new_sockets: bucket(limits.new_sockets_per_minute),
                requests: bucket(limits.requests_per_minute),
                files: files(network, limits, now),
                health_checks: bucket(HEALTH_CHECKS_PER_MINUTE),
                connection_checks: bucket(CONNECTION_CHECKS_PER_MINUTE),
                wrong_codes: bucket(limits.wrong_codes_per_minute),
                wake_ups: bucket(limits.wake_ups_per_minute),
                written_bytes: written_bytes(network, limits, now),
            },
            lookups: BTreeMap::new(),
            known_codes: VecDeque::new(),
        }
    }

    /// Checks that `count` is below the limit of this network: `max` times its factor.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if it is not below.
    fn check_below(&self, count: usize, max: usize) -> Result<(), LimitReached> {
        let is_left = count < self.network.scale(max);
        is_left.then_some(()).ok_or(LimitReached::Address)
    }

    /// Whether the network uses nothing and its buckets are full. Then its state holds nothing but known codes, which may be
    /// lost.
    fn is_idle(&mut self, now: Instant) -> bool {
        let rooms = self.rooms + self.woken_rooms;
        let permits = self.sockets + self.connections + rooms + self.delayed;
        permits == 0
            && self.concurrency.are_unused()
            && self.lookups.is_empty()
            && self.buckets.are_full(now)
    }
}

#[cfg(test)]
mod tests;
