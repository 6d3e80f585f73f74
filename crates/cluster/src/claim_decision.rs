//! The decision whether a node claims a room, or follows its leader.

use crate::NodeId;

/// The leader of a room, as the database has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownLeader {
    /// The node that has claimed the room.
    pub node: NodeId,
    /// Whether its lease holds.
    pub has_lease: bool,
}

/// The place at which a room is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimDecision {
    /// This node claims the room.
    Claim,
    /// The room has this leader.
    Follow(NodeId),
}

/// Decides whether a node claims a room. It claims a room without a leader, or whose leader has no lease, is unreachable, or is
/// excluded. A claim is safe in any case: it fences the earlier leader. It only costs the players a pause.
///
/// `is_unreachable` says whether a node is unreachable. `excluded` is a node that is not followed.
pub fn claim_or_follow(
    leader: Option<KnownLeader>,
    is_unreachable: impl Fn(NodeId) -> bool,
    excluded: Option<NodeId>,
) -> ClaimDecision {
    match leader {
        Some(leader)
            if leader.has_lease
                && !is_unreachable(leader.node)
                && excluded != Some(leader.node) =>
        {
            ClaimDecision::Follow(leader.node)
        }
        Some(_) | None => ClaimDecision::Claim,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_reachable_leader_is_followed() {
        let node = NodeId(1);
        let leader = |has_lease| Some(KnownLeader { node, has_lease });
        let other = Some(NodeId(2));
        assert_eq!(claim_or_follow(None, |_| false, None), ClaimDecision::Claim);
        assert_eq!(
            claim_or_follow(leader(true), |_| false, None),
            ClaimDecision::Follow(node)
        );
        assert_eq!(
            claim_or_follow(leader(true), |_| false, other),
            ClaimDecision::Follow(node)
        );
        assert_eq!(
            claim_or_follow(leader(false), |_| false, None),
            ClaimDecision::Claim
        );
        assert_eq!(
            claim_or_follow(leader(true), |unreachable| unreachable == node, None),
            ClaimDecision::Claim
        );
        assert_eq!(
            claim_or_follow(leader(true), |_| false, Some(node)),
            ClaimDecision::Claim
        );
    }
}
