//! Who may come in: how many sockets, rooms and wrong guesses of one address.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::call_costs::{Cost, HEALTH_CHECKS_PER_MINUTE};
use crate::room_code::RoomCode;
use crate::settings::Limits;

/// The most codes that are remembered as known at one address. They stay open to it while others there guess.
const MAX_KNOWN_CODES: usize = 64;

/// The most addresses whose wrong passwords are counted at one table. While there are so many, passwords from others are
/// refused.
const MAX_TRYING_ADDRESSES: usize = 4096;

/// The tokens for new sockets that a socket costs its address if it is closed for what was sent on it; at most as many
/// as the address gets in a minute.
const FAULT_COST: u32 = 60;
/// The most calls of one address that are kept waiting at the same time.
const MAX_WAITING: usize = 4;

/// An address as it is counted: IPv4 as it is, IPv6 by its network of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientAddr(IpAddr);

impl ClientAddr {
    /// The address, or the first one of the network.
    pub fn address(self) -> IpAddr {
        self.0
    }
}

impl From<IpAddr> for ClientAddr {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(network.into())
            }
        })
    }
}

/// A token bucket.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    left: f64,
    most: f64,
    per_second: f64,
    at: Instant,
}

impl TokenBucket {
    /// A full one.
    pub fn new(most: u32, per_second: f64, now: Instant) -> Self {
        let most = f64::from(most);
        Self {
            left: most,
            most,
            per_second,
            at: now,
        }
    }

    /// Takes one out; false if none is left.
    pub fn take(&mut self, now: Instant) -> bool {
        self.fill(now);
        let is_left = self.left >= 1.0;
        if is_left {
            self.left -= 1.0;
        }
        is_left
    }

    /// Takes this many tokens, but never more than the bucket can hold. If too few are left, it takes none.
    ///
    /// # Errors
    /// The time until enough are left.
    pub fn take_many(&mut self, count: u32, now: Instant) -> Result<(), Duration> {
        self.fill(now);
        let tokens = f64::from(count).min(self.most);
        let missing = tokens - self.left;
        if missing > 0.0 {
            let wait = Duration::try_from_secs_f64(missing / self.per_second);
            return Err(wait.unwrap_or(Duration::MAX));
        }
        self.left -= tokens;
        Ok(())
    }

    /// Takes this many tokens. The balance may become negative.
    pub fn charge(&mut self, count: usize, now: Instant) {
        self.fill(now);
        self.left -= count as f64;
    }

    /// Puts one back.
    fn give_back(&mut self) {
        self.left = (self.left + 1.0).min(self.most);
    }

    /// How long it takes until nothing is owed.
    pub fn debt(&mut self, now: Instant) -> Duration {
        self.fill(now);
        Duration::try_from_secs_f64(-self.left.min(0.0) / self.per_second).unwrap_or(Duration::MAX)
    }

    fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.left >= self.most
    }

    fn fill(&mut self, now: Instant) {
        let time = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + time * self.per_second).min(self.most);
        self.at = now;
    }
}

/// Counts the wrong passwords that each visitor has said at one table.
#[derive(Debug)]
pub struct PasswordAttempts {
    per_minute: u32,
    of: BTreeMap<ClientAddr, TokenBucket>,
}

impl PasswordAttempts {
    /// Nobody has said any; each may say so many in a minute.
    pub fn new(per_minute: u32) -> Self {
        let of = BTreeMap::new();
        Self { per_minute, of }
    }

    /// Whether a password of this visitor may be looked at. It counts as wrong until
    /// [`PasswordAttempts::forgive`] says otherwise, so that many at the same time are no way round.
    pub fn take(&mut self, client_addr: ClientAddr, now: Instant) -> bool {
        self.of.retain(|_, bucket| !bucket.is_full(now));
        if self.of.len() >= MAX_TRYING_ADDRESSES && !self.of.contains_key(&client_addr) {
            return false;
        }
        let per_second = f64::from(self.per_minute) / 60.0;
        let bucket = self.of.entry(client_addr);
        let bucket = bucket.or_insert_with(|| TokenBucket::new(self.per_minute, per_second, now));
        bucket.take(now)
    }

    /// The password of this visitor was right.
    pub fn forgive(&mut self, client_addr: ClientAddr) {
        if let Some(bucket) = self.of.get_mut(&client_addr) {
            bucket.give_back();
        }
    }
}

/// Counts visitors.
#[derive(Debug)]
pub struct AddressLimits {
    limits: Limits,
    addresses: Mutex<AddressTable>,
}

#[derive(Debug, Default)]
struct AddressTable {
    sockets: usize,
    connections: usize,
    /// In a map that takes less memory when there are fewer.
    of: BTreeMap<ClientAddr, AddressState>,
    swept: Option<Instant>,
}

#[derive(Debug)]
struct AddressState {
    sockets: usize,
    /// Connections on which calls are answered.
    connections: usize,
    /// Rooms that were opened and are awake.
    rooms: usize,
    /// A client that comes too often, and waits until it is told so.
    waiting: usize,
    upgrades: TokenBucket,
    calls: TokenBucket,
    files: TokenBucket,
    health_checks: TokenBucket,
    wrong_codes: TokenBucket,
    /// The codes that are looked up at this moment and were not known.
    guesses: BTreeMap<RoomCode, Guess>,
    /// The codes of rooms that were found from here, the newest last.
    known: VecDeque<RoomCode>,
}

/// One lookup of a room by its code. It holds a token for wrong codes, which is spent unless [`CodeLookup::forgive`]
/// gives it back: also if the call is cancelled before the answer.
#[derive(Debug)]
pub struct CodeLookup {
    address_limits: Arc<AddressLimits>,
    client_addr: ClientAddr,
    /// The code, if the visitor did not know it: all lookups of it at the same time share one token. `None`: nothing can
    /// be given back, since the visitor knows the code and no token was taken, or the text is no code and its token stays
    /// spent.
    guess: Option<RoomCode>,
}

/// The lookups of one code by one visitor at the same time. Together they are one guess and take one token.
#[derive(Debug)]
struct Guess {
    lookups: usize,
    is_forgiven: bool,
}

impl CodeLookup {
    /// The code was right, or it could not be looked up.
    pub fn forgive(self) {
        let mut addresses = self.address_limits.addresses();
        let address = self
            .address_limits
            .address(&mut addresses, self.client_addr);
        let guess = self.guess.as_ref();
        let guess = guess.and_then(|code| address.guesses.get_mut(code));
        if let Some(guess) = guess.filter(|guess| !guess.is_forgiven) {
            guess.is_forgiven = true;
            address.wrong_codes.give_back();
        }
    }
}

impl Drop for CodeLookup {
    fn drop(&mut self) {
        let Some(code) = &self.guess else {
            return;
        };
        let mut addresses = self.address_limits.addresses();
        let address = self
            .address_limits
            .address(&mut addresses, self.client_addr);
        if let Some(guess) = address.guesses.get_mut(code) {
            guess.lookups -= 1;
            if guess.lookups == 0 {
                address.guesses.remove(code);
            }
        }
    }
}

/// Why somebody is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// The server has no space for another socket.
    Server,
    /// This address has too many sockets.
    Address,
    /// This address has opened too many sockets in the last minute, or some were closed for what was
    /// sent on them.
    TooOften,
}

/// The right to have a connection, a socket, or a room that is awake, or to wait; given back when it is
/// dropped.
#[derive(Debug)]
pub struct Permit {
    address_limits: Arc<AddressLimits>,
    client_addr: ClientAddr,
    thing: Thing,
}

#[derive(Clone, Copy, Debug)]
enum Thing {
    Connection,
    Socket,
    Room,
    Waiting,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut addresses = self.address_limits.addresses();
        let addresses = &mut *addresses;
        let address = addresses.of.get_mut(&self.client_addr);
        let address = address.expect("who has a thing is remembered");
        match self.thing {
            Thing::Connection => {
                addresses.connections -= 1;
                address.connections -= 1;
            }
            Thing::Socket => {
                addresses.sockets -= 1;
                address.sockets -= 1;
            }
            Thing::Room => address.rooms -= 1,
            Thing::Waiting => address.waiting -= 1,
        }
    }
}

impl AddressLimits {
    /// How long a visitor who does nothing is remembered, at the least.
    const REMEMBERED: Duration = Duration::from_secs(60);

    /// A door with these limits.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            addresses: Mutex::default(),
        }
    }

    /// Takes what a call costs out of the buckets of this visitor.
    ///
    /// # Errors
    /// The time until there is enough in them.
    pub fn charge(
        &self,
        client_addr: ClientAddr,
        cost: Cost,
        now: Instant,
    ) -> Result<(), Duration> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        match cost {
            Cost::Call(tokens) => address.calls.take_many(tokens, now),
            Cost::File => address.files.take_many(1, now),
            Cost::HealthCheck => address.health_checks.take_many(1, now),
        }
    }

    /// Lets a connection in, if there are fewer than `most` of this visitor. There may be as many
    /// of all as sockets, which they can become.
    ///
    /// # Errors
    /// [`LimitReached`] says why not.
    pub fn connect(
        self: &Arc<Self>,
        client_addr: ClientAddr,
        most: usize,
    ) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        if addresses.connections >= self.limits.sockets {
            return Err(LimitReached::Server);
        }
        let address = self.address(&mut addresses, client_addr);
        if address.connections >= most {
            return Err(LimitReached::Address);
        }
        address.connections += 1;
        addresses.connections += 1;
        Ok(self.permit(client_addr, Thing::Connection))
    }

    /// Lets a socket in.
    ///
    /// # Errors
    /// [`LimitReached`] says why not.
    pub fn enter(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        if addresses.sockets >= self.limits.sockets {
            return Err(LimitReached::Server);
        }
        let address = self.address(&mut addresses, client_addr);
        if address.sockets >= self.limits.sockets_per_address {
            return Err(LimitReached::Address);
        }
        if !address.upgrades.take(Instant::now()) {
            return Err(LimitReached::TooOften);
        }
        address.sockets += 1;
        addresses.sockets += 1;
        Ok(self.permit(client_addr, Thing::Socket))
    }

    /// Notes that a socket of this visitor was closed for what they have sent.
    pub fn note_fault(&self, client_addr: ClientAddr) {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        let now = Instant::now();
        // Who owes something already owes no more: others at that address want to come in, too.
        if address.upgrades.debt(now).is_zero() {
            let cost = FAULT_COST.min(self.limits.upgrades_per_minute);
            address.upgrades.charge(cost as usize, now);
        }
    }

    /// Has a visitor wait who comes too often; `None` if enough of this address do already.
    pub fn keep_waiting(self: &Arc<Self>, client_addr: ClientAddr) -> Option<Permit> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        if address.waiting >= MAX_WAITING {
            return None;
        }
        address.waiting += 1;
        Some(self.permit(client_addr, Thing::Waiting))
    }

    /// Lets a visitor open a room.
    ///
    /// # Errors
    /// [`LimitReached::Address`] if too many of the visitor's rooms are awake.
    pub fn open(self: &Arc<Self>, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        if address.rooms >= self.limits.rooms_per_address {
            return Err(LimitReached::Address);
        }
        address.rooms += 1;
        Ok(self.permit(client_addr, Thing::Room))
    }

    fn permit(self: &Arc<Self>, client_addr: ClientAddr, thing: Thing) -> Permit {
        Permit {
            address_limits: self.clone(),
            client_addr,
            thing,
        }
    }

    /// How many connections are open on which calls are answered.
    pub fn connections(&self) -> usize {
        self.addresses().connections
    }

    /// How many sockets are open.
    pub fn sockets(&self) -> usize {
        self.addresses().sockets
    }

    /// Begins a lookup of this code by this visitor and takes a token for a code that they do not know; `None` if no
    /// token is left. Lookups of one code at the same time share one token. `code` is `None` for a text that is no code.
    pub fn look_up(
        self: &Arc<Self>,
        client_addr: ClientAddr,
        code: Option<&RoomCode>,
    ) -> Option<CodeLookup> {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        let guess = code.filter(|code| !address.known.contains(code)).cloned();
        let is_new = match &guess {
            Some(code) => !address.guesses.contains_key(code),
            None => code.is_none(),
        };
        if is_new && !address.wrong_codes.take(Instant::now()) {
            return None;
        }
        if let Some(code) = &guess {
            let guess = address.guesses.entry(code.clone()).or_insert(Guess {
                lookups: 0,
                is_forgiven: false,
            });
            guess.lookups += 1;
        }
        Some(CodeLookup {
            address_limits: self.clone(),
            client_addr,
            guess,
        })
    }

    /// Notes that a visitor knows the code of a room.
    pub fn note_right_code(&self, client_addr: ClientAddr, code: &RoomCode) {
        let mut addresses = self.addresses();
        let address = self.address(&mut addresses, client_addr);
        if !address.known.contains(code) {
            address.known.push_back(code.clone());
        }
        if address.known.len() > MAX_KNOWN_CODES {
            address.known.pop_front();
        }
    }

    fn addresses(&self) -> MutexGuard<'_, AddressTable> {
        // Counters are never half changed when somebody panics.
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
        if addresses
            .swept
            .is_none_or(|swept| now.duration_since(swept) > Self::REMEMBERED)
        {
            addresses.swept = Some(now);
            addresses
                .of
                .retain(|_, address| !address.are_forgotten(now));
        }
        let limits = &self.limits;
        let in_a_minute = |most: u32| TokenBucket::new(most, f64::from(most) / 60.0, now);
        addresses
            .of
            .entry(client_addr)
            .or_insert_with(|| AddressState {
                sockets: 0,
                connections: 0,
                rooms: 0,
                waiting: 0,
                upgrades: in_a_minute(limits.upgrades_per_minute),
                calls: in_a_minute(limits.calls_per_minute),
                files: in_a_minute(limits.files_per_minute),
                health_checks: in_a_minute(HEALTH_CHECKS_PER_MINUTE),
                wrong_codes: in_a_minute(limits.wrong_codes_per_minute),
                guesses: BTreeMap::new(),
                known: VecDeque::new(),
            })
    }
}

impl AddressState {
    fn are_forgotten(&mut self, now: Instant) -> bool {
        let buckets = [
            &mut self.upgrades,
            &mut self.calls,
            &mut self.files,
            &mut self.health_checks,
            &mut self.wrong_codes,
        ];
        let are_full = buckets.into_iter().all(|bucket| bucket.is_full(now));
        let is_absent = self.sockets + self.connections + self.rooms + self.waiting == 0;
        is_absent && self.guesses.is_empty() && are_full
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// An address cannot get rid of what it has used up by waiting until it is forgotten.
    #[test]
    fn addresses_are_forgotten_once_their_limits_are_full_again() {
        let address_limits = Arc::new(AddressLimits::new(Limits::default()));
        let client_addr = ClientAddr::from(IpAddr::from([192, 0, 2, 1]));
        drop(address_limits.enter(client_addr).unwrap());
        drop(address_limits.look_up(client_addr, None).unwrap());
        let begun = Instant::now();
        let mut addresses = address_limits.addresses();
        let address = addresses.of.get_mut(&client_addr).unwrap();
        assert!(!address.are_forgotten(begun));
        assert!(address.are_forgotten(begun + Duration::from_secs(60)));
        address.upgrades.charge(600, begun);
        assert!(!address.are_forgotten(begun + Duration::from_secs(60)));
        address.rooms = 1;
        assert!(!address.are_forgotten(begun + Duration::from_secs(600)));
    }
}
