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
pub enum Placement {
    /// This node claims the room.
    Claim,
    /// The room has this leader.
    Follow(NodeId),
}

/// Decides whether a node claims a room. It claims a room without a leader, or whose leader has no lease, is unreachable, or is
/// excluded. A claim is safe in any case: it fences the earlier leader. It only costs the players a pause.
///
/// `is_unreachable` says whether a node is unreachable. `excluded` is a node that is not followed.
pub fn place(
    leader: Option<KnownLeader>,
    is_unreachable: impl Fn(NodeId) -> bool,
    excluded: Option<NodeId>,
) -> Placement {
    match leader {
        Some(leader)
            if leader.has_lease
                && !is_unreachable(leader.node)
                && excluded != Some(leader.node) =>
        {
            Placement::Follow(leader.node)
        }
        Some(_) | None => Placement::Claim,
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
        assert_eq!(place(None, |_| false, None), Placement::Claim);
        assert_eq!(
            place(leader(true), |_| false, None),
            Placement::Follow(node)
        );
        assert_eq!(
            place(leader(true), |_| false, other),
            Placement::Follow(node)
        );
        assert_eq!(place(leader(false), |_| false, None), Placement::Claim);
        assert_eq!(
            place(leader(true), |unreachable| unreachable == node, None),
            Placement::Claim
        );
        assert_eq!(place(leader(true), |_| false, Some(node)), Placement::Claim);
    }
}
