//! The decision whether a node claims a room, or follows its leader.

use crate::NodeId;

/// The node that has claimed a room last. The fence makes a further claim safe in any case. The lease tells whether the node is likely
/// to run the room still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leader {
    /// The node that has claimed the room.
    pub node: NodeId,
    /// Whether its lease holds, by the clock of the database.
    pub has_lease: bool,
}

/// The decision about a room that a gateway needs.
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
    leader: Option<Leader>,
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
        let leader = |has_lease| Some(Leader { node, has_lease });
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
