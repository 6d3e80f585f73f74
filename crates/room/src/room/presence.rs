//! The connections to a room, and the absences of owners.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use sticheln_protocol::{PresenceState, ProtocolVersion};

use super::activity::Activity;
use super::admission_order::{AdmissionOrder, AdmissionRecord};
use super::spectators::Spectators;
use crate::state::MAX_REMEMBERED_OWNERS;
use crate::{ConnId, Owner, PasswordHash, Timestamp};

/// A person whose connection is lost for less is not shown as away.
pub(super) const AWAY_AFTER: Duration = Duration::from_secs(5);
/// The most connections of an owner without a seat. Each message to everybody is sent on all of them.
const MAX_CONNECTIONS: usize = 8;

/// The connections to one room, and the absences of owners.
pub(super) struct Presence {
    connections: BTreeMap<ConnId, ConnectionPresence>,
    /// The time when the room was opened or woken. An owner without a connection since then counts as lost at that time.
    woken: Timestamp,
    /// Since when somebody has been connected without interruption. The room did not wait for anybody before.
    occupied_since: Timestamp,
    /// The time when each owner without a connection lost the last one.
    disconnected_at: BTreeMap<Owner, Timestamp>,
    /// The time when each seated owner first lost the last connection after their last message.
    first_disconnected_at: BTreeMap<Owner, Timestamp>,
    /// The activity of seated people.
    pub(super) activity: Activity,
    /// The numbers and names of owners without a seat.
    pub(super) spectators: Spectators,
    /// The order in which connections were admitted.
    pub(super) admission_order: AdmissionOrder,
}

/// A connection to the room.
pub(super) struct ConnectionPresence {
    address: IpAddr,
    protocol: ProtocolVersion,
    /// The owner, once they were admitted.
    pub(super) owner: Option<Owner>,
}

impl Presence {
    /// Nobody is connected.
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            connections: BTreeMap::new(),
            woken: now,
            occupied_since: now,
            disconnected_at: BTreeMap::new(),
            first_disconnected_at: BTreeMap::new(),
            activity: Activity::default(),
            spectators: Spectators::default(),
            admission_order: AdmissionOrder::default(),
        }
    }

    /// Adds a connection whose person is not known yet.
    pub(super) fn connect(&mut self, conn: ConnId, address: IpAddr, protocol: ProtocolVersion) {
        let connection = ConnectionPresence {
            address,
            protocol,
            owner: None,
        };
        self.connections.insert(conn, connection);
    }

    /// The version of the protocol of a connection.
    pub(super) fn protocol(&self, conn: ConnId) -> ProtocolVersion {
        let connection = self.connections.get(&conn);
        connection.map_or(ProtocolVersion::FIRST, |connection| connection.protocol)
    }

    /// Removes a connection. Returns its owner if it was admitted. `is_seated` says whose absences matter.
    pub(super) fn disconnect(
        &mut self,
        conn: ConnId,
        now: Timestamp,
        is_seated: impl Fn(Owner) -> bool,
    ) -> Option<Owner> {
        let owner = self.remove(conn)?.owner?;
        if !self.is_here(owner) {
            self.disconnected_at.insert(owner, now);
            self.first_disconnected_at.entry(owner).or_insert(now);
            self.first_disconnected_at
                .retain(|owner, _| is_seated(*owner));
        }
        Some(owner)
    }

    /// Whether more than [`MAX_REMEMBERED_OWNERS`] absences are remembered: then [`Presence::retain_absences`] is due.
    pub(super) fn remembers_too_many(&self) -> bool {
        self.disconnected_at.len() > MAX_REMEMBERED_OWNERS
    }

    /// Forgets the absences of all but these owners.
    pub(super) fn retain_absences(&mut self, is_kept: impl Fn(Owner) -> bool) {
        self.disconnected_at.retain(|owner, _| is_kept(*owner));
    }

    /// Removes all connections of an owner but one. Returns them.
    pub(super) fn evict(
        &mut self,
        owner: Owner,
        except: Option<ConnId>,
        now: Timestamp,
    ) -> Vec<ConnId> {
        let mut conns = self.connections_of(owner);
        conns.retain(|conn| Some(*conn) != except);
        for conn in &conns {
            self.remove(*conn);
        }
        if !self.is_here(owner) {
            self.disconnected_at.insert(owner, now);
        }
        conns
    }

    /// Removes the oldest connections of an owner until there is space for another one. Returns them.
    pub(super) fn evict_oldest(&mut self, owner: Owner) -> Vec<ConnId> {
        let mut conns = self.connections_of(owner);
        let kept = conns.len().min(MAX_CONNECTIONS - 1);
        conns.truncate(conns.len() - kept);
        for conn in &conns {
            self.remove(*conn);
        }
        conns
    }

    /// The connections of an owner, the oldest first.
    fn connections_of(&self, owner: Owner) -> Vec<ConnId> {
        let conns = self.admitted().filter(|(_, other)| *other == owner);
        let mut conns: Vec<_> = conns.map(|(conn, _)| conn).collect();
        conns.sort_by_key(|conn| self.admission_order.of(*conn));
        conns
    }

    /// Whether newer connections of the owner leave no space for a connection that says `hello` again.
    pub(super) fn is_superseded(&self, conn: ConnId, owner: Owner, is_seated: bool) -> bool {
        if !self.admission_order.is_repeated(conn) {
            return false;
        }
        let number = self.admission_order.of(conn);
        let others = self.connections_of(owner).into_iter();
        let newer = others.filter(|other| self.admission_order.of(*other) > number);
        newer.count() >= if is_seated { 1 } else { MAX_CONNECTIONS }
    }

    fn remove(&mut self, conn: ConnId) -> Option<ConnectionPresence> {
        self.admission_order.forget(conn);
        self.connections.remove(&conn)
    }

    /// Records that somebody is about to be admitted. If they are the first, waits for people begin now: the time without any
    /// connection does not count.
    pub(super) fn record_arrival(&mut self, now: Timestamp) {
        if !self.is_occupied() {
            self.occupied_since = now;
        }
    }

    /// Admits the owner of a connection to a room with this password.
    pub(super) fn admit(
        &mut self,
        conn: ConnId,
        owner: Owner,
        password: Option<&PasswordHash>,
    ) -> AdmissionRecord {
        if let Some(connection) = self.connections.get_mut(&conn) {
            connection.owner = Some(owner);
        }
        self.disconnected_at.remove(&owner);
        self.admission_order.admit(conn, password)
    }

    /// The records of all admitted connections, which stay in a room with another password.
    pub(super) fn renew_admissions(
        &mut self,
        password: Option<&PasswordHash>,
    ) -> Vec<(ConnId, AdmissionRecord)> {
        if !self.admission_order.has_records() {
            return Vec::new();
        }
        let conns: Vec<ConnId> = self.admitted().map(|(conn, _)| conn).collect();
        let order = &mut self.admission_order;
        let renewed = conns
            .into_iter()
            .map(|conn| (conn, order.admit(conn, password)));
        renewed.collect()
    }

    /// An owner has sent a message that shows that they are there.
    pub(super) fn record_message_of(&mut self, owner: Owner) {
        self.first_disconnected_at.remove(&owner);
    }

    /// The connection of this id, if it is open.
    pub(super) fn connection(&self, conn: ConnId) -> Option<&ConnectionPresence> {
        self.connections.get(&conn)
    }

    /// The connections that were admitted, with their owners.
    pub(super) fn admitted(&self) -> impl Iterator<Item = (ConnId, Owner)> {
        let connections = self.connections.iter();
        connections.filter_map(|(conn, connection)| Some((*conn, connection.owner?)))
    }

    /// The address of a connection.
    pub(super) fn address_of(&self, conn: ConnId) -> Option<IpAddr> {
        Some(self.connection(conn)?.address)
    }

    /// The newest connection of an owner.
    pub(super) fn newest_connection_of(&self, owner: Owner) -> Option<ConnId> {
        self.connections_of(owner).pop()
    }

    /// Removes a connection that was not admitted.
    pub(super) fn turn_away(&mut self, conn: ConnId) {
        self.remove(conn);
    }

    /// The number of connections, admitted or not.
    pub(super) fn connection_count(&self) -> usize {
        self.connections.len()
    }

    /// Everybody who is here.
    pub(super) fn owners(&self) -> BTreeSet<Owner> {
        self.admitted().map(|(_, owner)| owner).collect()
    }

    /// Everybody who is connected from the address of this connection.
    pub(super) fn owners_at_address_of(&self, conn: ConnId) -> BTreeSet<Owner> {
        let address = |conn| {
            self.connections
                .get(&conn)
                .map(|connection| connection.address)
        };
        let beside = self
            .admitted()
            .filter(|(other, _)| address(*other) == address(conn));
        beside.map(|(_, owner)| owner).collect()
    }

    /// Whether this owner has an admitted connection.
    pub(super) fn is_here(&self, owner: Owner) -> bool {
        self.admitted().any(|(_, other)| other == owner)
    }

    /// Whether an admitted person is connected.
    pub(super) fn is_occupied(&self) -> bool {
        self.admitted().next().is_some()
    }

    /// Since when somebody has been connected without interruption.
    pub(super) fn occupied_since(&self) -> Timestamp {
        self.occupied_since
    }

    /// The time when an owner lost their last connection; `None` if they are connected.
    pub(super) fn disconnected_since(&self, owner: Owner) -> Option<Timestamp> {
        let since = self
            .disconnected_at
            .get(&owner)
            .copied()
            .unwrap_or(self.woken);
        (!self.is_here(owner)).then_some(since)
    }

    /// Whether an owner has been without a connection for at least this time.
    pub(super) fn is_disconnected_for(&self, owner: Owner, time: Duration, now: Timestamp) -> bool {
        self.disconnected_since(owner)
            .is_some_and(|since| since.after(time) <= now)
    }

    /// The time when an owner first lost the last connection after their last message.
    pub(super) fn first_disconnected_at(&self, owner: Owner) -> Option<Timestamp> {
        self.first_disconnected_at.get(&owner).copied()
    }

    /// Whether an owner is lost who was lost before and has sent no message in between.
    pub(super) fn has_interrupted_absences(&self) -> bool {
        let mut first = self.first_disconnected_at.iter();
        first.any(|(owner, first)| {
            self.disconnected_at
                .get(owner)
                .is_some_and(|last| last > first)
        })
    }

    /// The presence of an owner as the others see it.
    pub(super) fn state_of(&self, owner: Owner, now: Timestamp) -> PresenceState {
        if self.is_here(owner) {
            PresenceState::Here
        } else if self.is_disconnected_for(owner, AWAY_AFTER, now) {
            PresenceState::Away
        } else {
            PresenceState::Lost
        }
    }

    /// The time when the next of these owners turns from lost to away.
    pub(super) fn next_away(
        &self,
        owners: impl Iterator<Item = Owner>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let away =
            owners.filter_map(|owner| Some(self.disconnected_since(owner)?.after(AWAY_AFTER)));
        away.filter(|at| *at > now).min()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const NOON: Timestamp = Timestamp(1_000_000);
    const SECOND: Duration = Duration::from_secs(1);
    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2));

    fn connect(presence: &mut Presence, conn: u64, owner: Owner, address: IpAddr) {
        presence.connect(ConnId(conn), address, ProtocolVersion::FIRST);
        presence.admit(ConnId(conn), owner, None);
    }

    #[test]
    fn an_owner_is_here_while_one_connection_is_left() {
        let ann = Owner::numbered(0);
        let mut presence = Presence::new(NOON);
        assert_eq!(
            presence.disconnected_since(ann),
            Some(NOON),
            "since the wake-up"
        );
        connect(&mut presence, 1, ann, HOME);
        connect(&mut presence, 2, ann, HOME);
        assert_eq!(presence.disconnect(ConnId(1), NOON, |_| true), Some(ann));
        assert_eq!(presence.disconnected_since(ann), None);
        let later = NOON.after(SECOND);
        presence.disconnect(ConnId(2), later, |_| true);
        assert_eq!(presence.disconnected_since(ann), Some(later));
        assert!(!presence.is_disconnected_for(ann, SECOND, later));
        assert!(presence.is_disconnected_for(ann, SECOND, later.after(SECOND)));
    }

    #[test]
    fn a_connection_that_was_not_admitted_is_nobody() {
        let mut presence = Presence::new(NOON);
        presence.connect(ConnId(1), HOME, ProtocolVersion::FIRST);
        assert!(!presence.is_occupied());
        assert_eq!(presence.disconnect(ConnId(1), NOON, |_| true), None);
    }

    #[test]
    fn only_a_message_ends_an_absence_that_the_room_waits_for() {
        let ann = Owner::numbered(0);
        let mut presence = Presence::new(NOON);
        for second in 0..3 {
            connect(&mut presence, second, ann, HOME);
            let now = NOON.after(SECOND * u32::try_from(second).unwrap_or(0));
            presence.disconnect(ConnId(second), now, |_| true);
        }
        assert_eq!(presence.first_disconnected_at(ann), Some(NOON));
        presence.record_message_of(ann);
        assert_eq!(presence.first_disconnected_at(ann), None);
    }

    #[test]
    fn a_reconnect_without_a_message_interrupts_an_absence() {
        let ann = Owner::numbered(0);
        let mut presence = Presence::new(NOON);
        connect(&mut presence, 1, ann, HOME);
        presence.disconnect(ConnId(1), NOON, |_| true);
        assert!(!presence.has_interrupted_absences());
        connect(&mut presence, 2, ann, HOME);
        assert!(!presence.has_interrupted_absences(), "Ann is here");
        presence.disconnect(ConnId(2), NOON.after(SECOND), |_| true);
        assert!(presence.has_interrupted_absences());
        connect(&mut presence, 3, ann, HOME);
        presence.record_message_of(ann);
        presence.disconnect(ConnId(3), NOON.after(SECOND), |_| true);
        assert!(!presence.has_interrupted_absences());
    }

    #[test]
    fn only_absences_of_seated_owners_are_remembered() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut presence = Presence::new(NOON);
        connect(&mut presence, 1, ann, HOME);
        connect(&mut presence, 2, bob, HOME);
        presence.disconnect(ConnId(1), NOON, |_| true);
        presence.disconnect(ConnId(2), NOON, |owner| owner == ann);
        assert_eq!(presence.first_disconnected_at(ann), Some(NOON));
        assert_eq!(presence.first_disconnected_at(bob), None);
        // The absence of an owner who has left their seat is dropped with the next one.
        connect(&mut presence, 3, bob, HOME);
        presence.disconnect(ConnId(3), NOON, |owner| owner == bob);
        assert_eq!(presence.first_disconnected_at(ann), None);
        assert_eq!(presence.first_disconnected_at(bob), Some(NOON));
    }

    #[test]
    fn absences_beyond_the_number_of_owners_are_forgotten() {
        let mut presence = Presence::new(NOON);
        let owner = |number| serde_json::from_value(format!("{number:064x}").into());
        let owners: Vec<Owner> = (0..=MAX_REMEMBERED_OWNERS)
            .map(|number| owner(number).unwrap())
            .collect();
        for (conn, owner) in (0..).zip(&owners) {
            assert!(!presence.remembers_too_many());
            connect(&mut presence, conn, *owner, HOME);
            presence.disconnect(ConnId(conn), NOON.after(SECOND), |_| false);
        }
        assert!(presence.remembers_too_many());
        presence.retain_absences(|owner| owner == owners[0]);
        assert!(!presence.remembers_too_many());
        assert_eq!(
            presence.disconnected_since(owners[0]),
            Some(NOON.after(SECOND))
        );
        // An owner without a remembered absence counts as lost when the room was woken.
        assert_eq!(presence.disconnected_since(owners[1]), Some(NOON));
    }

    #[test]
    fn an_eviction_leaves_one_connection() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut presence = Presence::new(NOON);
        connect(&mut presence, 1, ann, HOME);
        connect(&mut presence, 2, ann, ELSEWHERE);
        connect(&mut presence, 3, bob, HOME);
        assert_eq!(presence.evict(ann, Some(ConnId(2)), NOON), [ConnId(1)]);
        assert!(presence.is_here(ann));
        assert_eq!(presence.evict(ann, None, NOON), [ConnId(2)]);
        assert_eq!(presence.disconnected_since(ann), Some(NOON));
        assert!(presence.is_here(bob));
    }

    #[test]
    fn the_oldest_connections_of_an_owner_make_space() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut presence = Presence::new(NOON);
        connect(&mut presence, 0, bob, HOME);
        for conn in 1..MAX_CONNECTIONS as u64 {
            assert!(presence.evict_oldest(ann).is_empty());
            connect(&mut presence, conn, ann, HOME);
        }
        assert!(presence.evict_oldest(ann).is_empty());
        connect(&mut presence, 100, ann, HOME);
        assert_eq!(presence.evict_oldest(ann), [ConnId(1)]);
        assert!(presence.is_here(ann) && presence.is_here(bob));
    }

    #[test]
    fn people_are_counted_once_for_each_address() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut presence = Presence::new(NOON);
        connect(&mut presence, 1, ann, HOME);
        connect(&mut presence, 2, ann, HOME);
        connect(&mut presence, 3, bob, ELSEWHERE);
        assert_eq!(presence.owners(), BTreeSet::from([ann, bob]));
        assert_eq!(
            presence.owners_at_address_of(ConnId(1)),
            BTreeSet::from([ann])
        );
    }

    #[test]
    fn a_lost_owner_is_away_after_a_while() {
        let (ann, bob) = (Owner::numbered(0), Owner::numbered(1));
        let mut presence = Presence::new(NOON);
        let later = NOON.after(AWAY_AFTER);
        connect(&mut presence, 1, ann, HOME);
        assert_eq!(presence.state_of(ann, NOON), PresenceState::Here);
        presence.disconnect(ConnId(1), NOON.after(SECOND), |_| true);
        assert_eq!(presence.state_of(ann, later), PresenceState::Lost);
        let at = later.after(SECOND);
        assert_eq!(presence.next_away([ann, bob].into_iter(), later), Some(at));
        assert_eq!(presence.state_of(ann, at), PresenceState::Away);
        assert_eq!(presence.next_away([ann, bob].into_iter(), at), None);
    }

    #[test]
    fn the_room_waits_from_the_moment_when_somebody_comes() {
        let mut presence = Presence::new(NOON);
        let later = NOON.after(SECOND);
        presence.record_arrival(later);
        connect(&mut presence, 1, Owner::numbered(0), HOME);
        presence.record_arrival(later.after(SECOND));
        assert_eq!(presence.occupied_since(), later);
    }
}
