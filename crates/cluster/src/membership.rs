//! The other nodes: whose leases hold, and which nodes are unreachable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use crate::NodeId;

/// The interval at which the other nodes are pinged. So the end of a node is noticed also by rooms in which nothing happens.
pub const PING_INTERVAL: Duration = Duration::from_millis(250);
/// The time after the connection to the bus was restored in which no node counts as unreachable: others may not be back yet.
pub const BUS_GRACE: Duration = Duration::from_secs(2);
/// The time without a reply to pings after which a node is unreachable. It may be cut off from the bus, which notices that only after
/// minutes, and renew its lease all the same.
const MAX_SILENCE: Duration = Duration::from_secs(3);
/// The renewals between two checks of the claims of this node. A node that has claimed a room may fail to notify its earlier leader.
const RENEWALS_PER_CLAIM_CHECK: u32 = 5;
/// The most expired nodes that are kept. A link needs each only once, so older ones can be dropped.
const MAX_EXPIRED: usize = 64;

/// The other nodes, as far as this one knows.
#[derive(Debug)]
pub struct Membership {
    own: NodeId,
    /// The other nodes whose leases held at the last renewal.
    peers: BTreeSet<NodeId>,
    /// The nodes that have lost their leases, the newest last.
    expired: VecDeque<NodeId>,
    /// The peers that are unreachable.
    unreachable: BTreeSet<NodeId>,
    /// The peers that do not reply to pings, and since when.
    silent: BTreeMap<NodeId, Instant>,
    bus: BusState,
    /// The number of renewals, modulo 2^32.
    renewals: u32,
    /// Whether other nodes may have claimed rooms of this one without notifying it.
    may_have_lost_rooms: bool,
}

/// The connection of this node to the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BusState {
    /// There was none yet.
    New,
    /// There is none.
    Lost,
    /// There is one. From this time on, the bus knows all nodes that live.
    Connected(Instant),
}

/// The result of a ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PingResult {
    /// The node has replied.
    Replied,
    /// The bus has no subscription of the node.
    NoResponders,
    /// No reply has come in time.
    Timeout,
}

/// The changes of the leases at a renewal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembershipChange {
    /// The nodes that have joined.
    pub joined: Vec<NodeId>,
    /// The nodes whose leases are over.
    pub expired: Vec<NodeId>,
}

impl Membership {
    /// Without other nodes, and without a connection to the bus.
    pub fn new(own: NodeId) -> Self {
        Self {
            own,
            peers: BTreeSet::new(),
            expired: VecDeque::new(),
            unreachable: BTreeSet::new(),
            silent: BTreeMap::new(),
            bus: BusState::New,
            renewals: 0,
            may_have_lost_rooms: false,
        }
    }

    /// Records the nodes that have leases at a renewal of the lease of this node. `was_over` says whether it was over before.
    pub fn update_peers(
        &mut self,
        now: Instant,
        was_over: bool,
        nodes: impl IntoIterator<Item = NodeId>,
    ) -> MembershipChange {
        let own = self.own;
        let peers: BTreeSet<_> = nodes.into_iter().filter(|node| *node != own).collect();
        let change = MembershipChange {
            joined: peers.difference(&self.peers).copied().collect(),
            expired: self.peers.difference(&peers).copied().collect(),
        };
        self.expired.retain(|node| !peers.contains(node));
        self.expired.extend(&change.expired);
        let surplus = self.expired.len().saturating_sub(MAX_EXPIRED);
        self.expired.drain(..surplus);
        self.unreachable.retain(|node| peers.contains(node));
        self.silent.retain(|node, _| peers.contains(node));
        self.peers = peers;
        self.renewals = self.renewals.wrapping_add(1);
        self.may_have_lost_rooms |= was_over
            || !self.is_past_bus_grace(now)
            || self.renewals.is_multiple_of(RENEWALS_PER_CLAIM_CHECK);
        change
    }

    /// Whether the claims of this node are to be checked: the rooms whose claims are not valid any more have to end.
    pub fn must_check_claims(&self) -> bool {
        self.may_have_lost_rooms
    }

    /// Records that the claims were checked.
    pub fn record_claim_check(&mut self) {
        self.may_have_lost_rooms = false;
    }

    /// Records that this node has got a connection to the bus, or has lost it. Without one no node counts as unreachable.
    pub fn set_bus_connection(&mut self, now: Instant, is_connected: bool) {
        if !is_connected {
            self.silent.clear();
            self.unreachable.clear();
        }
        self.bus = match (is_connected, self.bus) {
            (false, _) => BusState::Lost,
            // A node that starts trusts the bus at once.
            (true, BusState::New) => BusState::Connected(now),
            (true, BusState::Lost) => BusState::Connected(now + BUS_GRACE),
            (true, connected @ BusState::Connected(_)) => connected,
        };
    }

    /// Whether *no responders* proves that a node has ended. After the bus was lost, others may come back later than this node.
    pub fn is_past_bus_grace(&self, now: Instant) -> bool {
        matches!(self.bus, BusState::Connected(settled_at) if settled_at <= now)
    }

    /// The nodes that are to be pinged now.
    pub fn ping_targets(&self, now: Instant) -> Vec<NodeId> {
        match self.is_past_bus_grace(now) {
            true => self.peers.iter().copied().collect(),
            false => Vec::new(),
        }
    }

    /// Records the result of a ping of a node, and of one of this node to itself at the same time. If this node does not receive its own
    /// ping, missing replies of others are ignored. Returns whether the node is unreachable from now on: then its sessions end.
    #[must_use]
    pub fn record_ping(
        &mut self,
        now: Instant,
        node: NodeId,
        result: PingResult,
        own: PingResult,
    ) -> bool {
        if !self.is_past_bus_grace(now) || !self.peers.contains(&node) {
            return false;
        }
        let is_unreachable = match result {
            PingResult::Replied | PingResult::NoResponders => {
                self.silent.remove(&node);
                result == PingResult::NoResponders
            }
            PingResult::Timeout if own == PingResult::Replied => {
                let since = *self.silent.entry(node).or_insert(now);
                now >= since + MAX_SILENCE || self.unreachable.contains(&node)
            }
            PingResult::Timeout => self.unreachable.contains(&node),
        };
        if !is_unreachable {
            // This node may have been unreachable for it too.
            self.may_have_lost_rooms |= self.unreachable.remove(&node);
            return false;
        }
        self.unreachable.insert(node)
    }

    /// The peers: the other nodes with a lease.
    pub fn peers(&self) -> &BTreeSet<NodeId> {
        &self.peers
    }

    /// Whether a node is unreachable.
    pub fn is_unreachable(&self, node: NodeId) -> bool {
        self.unreachable.contains(&node)
    }

    /// Whether a node is unreachable or expired.
    pub fn is_lost(&self, node: NodeId) -> bool {
        self.unreachable.contains(&node) || self.expired.contains(&node)
    }

    /// The nodes that are unreachable or expired.
    pub fn lost(&self) -> BTreeSet<NodeId> {
        self.expired
            .iter()
            .chain(&self.unreachable)
            .copied()
            .collect()
    }

    /// The nodes whose leases hold and that are not unreachable, without this one.
    pub fn reachable(&self) -> impl Iterator<Item = NodeId> {
        self.peers.difference(&self.unreachable).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: NodeId = NodeId(1);
    const A: NodeId = NodeId(2);
    const B: NodeId = NodeId(3);

    /// A membership that has lost its connection to the bus, and has got it again.
    fn connected(now: Instant) -> Membership {
        let mut membership = Membership::new(OWN);
        membership.set_bus_connection(now, false);
        membership.set_bus_connection(now, true);
        membership
    }

    fn ping(membership: &mut Membership, now: Instant, result: PingResult) -> bool {
        membership.record_ping(now, A, result, PingResult::Replied)
    }

    #[test]
    fn a_node_whose_lease_is_over_is_lost_until_it_joins_again() {
        let now = Instant::now();
        let mut membership = Membership::new(OWN);
        let change = membership.update_peers(now, false, [OWN, A, B]);
        assert_eq!(change.joined, [A, B]);
        assert_eq!(membership.update_peers(now, false, [OWN, B]).expired, [A]);
        assert_eq!(membership.lost(), [A].into());
        assert_eq!(membership.update_peers(now, false, [OWN, A, B]).joined, [A]);
        assert!(!membership.is_lost(A));
    }

    #[test]
    fn a_node_is_unreachable_only_if_the_bus_has_been_there_for_a_while() {
        let now = Instant::now();
        let mut membership = connected(now);
        let _ = membership.update_peers(now, false, [A]);
        assert_eq!(membership.ping_targets(now), []);
        assert!(!ping(&mut membership, now, PingResult::NoResponders));
        let later = now + BUS_GRACE;
        assert_eq!(membership.ping_targets(later), [A]);
        assert!(ping(&mut membership, later, PingResult::NoResponders));
        assert!(
            !ping(&mut membership, later, PingResult::NoResponders),
            "it is told once"
        );
        assert_eq!(membership.reachable().count(), 0);
        assert!(!ping(&mut membership, later, PingResult::Replied));
        assert!(!membership.is_lost(A));
        // It may have claimed rooms meanwhile.
        assert!(membership.must_check_claims());
    }

    /// NATS closes the connections one after the other when it ends, so a node may seem to be unreachable just before.
    #[test]
    fn without_the_bus_no_node_is_unreachable() {
        let now = Instant::now();
        let settled = now + BUS_GRACE;
        let mut membership = connected(now);
        let _ = membership.update_peers(now, false, [A]);
        assert!(ping(&mut membership, settled, PingResult::NoResponders));
        membership.set_bus_connection(settled, false);
        assert!(!membership.is_lost(A));
        membership.set_bus_connection(settled, true);
        assert!(!membership.is_lost(A));
    }

    #[test]
    fn a_node_that_starts_trusts_the_bus_at_once() {
        let now = Instant::now();
        let mut membership = Membership::new(OWN);
        assert!(!membership.is_past_bus_grace(now));
        membership.set_bus_connection(now, true);
        assert!(membership.is_past_bus_grace(now));
    }

    #[test]
    fn a_silent_node_is_unreachable_after_a_while_if_the_bus_works() {
        let start = Instant::now();
        let now = start + BUS_GRACE;
        let mut membership = connected(start);
        let _ = membership.update_peers(now, false, [A]);
        let late = now + MAX_SILENCE;
        assert!(!membership.record_ping(now, A, PingResult::Timeout, PingResult::Timeout));
        assert!(!membership.record_ping(late, A, PingResult::Timeout, PingResult::Timeout));
        assert!(!ping(&mut membership, now, PingResult::Timeout));
        assert!(!ping(
            &mut membership,
            late - Duration::from_millis(1),
            PingResult::Timeout
        ));
        assert!(ping(&mut membership, late, PingResult::Timeout));
        // It stays unreachable until it answers.
        assert!(!membership.record_ping(late, A, PingResult::Timeout, PingResult::Timeout));
        assert!(membership.is_unreachable(A));
        assert!(!ping(&mut membership, late, PingResult::Replied));
        assert!(!ping(&mut membership, late, PingResult::Timeout));
        assert!(!membership.is_unreachable(A), "its silence begins anew");
    }

    #[test]
    fn claims_are_checked_now_and_then_and_after_a_time_without_lease_or_bus() {
        let now = Instant::now();
        let settled = now + BUS_GRACE;
        let mut membership = connected(now);
        let check = |membership: &mut Membership, at, was_over| {
            let _ = membership.update_peers(at, was_over, [OWN]);
            let must_check = membership.must_check_claims();
            membership.record_claim_check();
            must_check
        };
        assert!(check(&mut membership, now, false), "the bus was lost");
        assert!(check(&mut membership, settled, true), "the lease was over");
        let checks: Vec<_> = (0..RENEWALS_PER_CLAIM_CHECK)
            .map(|_| check(&mut membership, settled, false))
            .collect();
        assert_eq!(checks.iter().filter(|must_check| **must_check).count(), 1);
    }

    #[test]
    fn the_nodes_that_are_remembered_are_bounded() {
        let now = Instant::now();
        let mut membership = Membership::new(OWN);
        for number in 10..20 + MAX_EXPIRED as u64 {
            let _ = membership.update_peers(now, false, [NodeId(number)]);
        }
        assert_eq!(membership.lost().len(), MAX_EXPIRED);
        assert!(!membership.is_lost(NodeId(10)));
    }
}
