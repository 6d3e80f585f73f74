//! The task that renews the lease of this node, and finds out which other nodes are lost.

use std::sync::Arc;

use futures_util::future::{join, join_all};
use sticheln_cluster::PING_INTERVAL;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::node::{ClusterNode, LEASE, NodeRequest};
use crate::storage::DatabaseError;

/// The task that renews the lease of a node, and pings the others.
pub(super) struct MembershipTask(Arc<ClusterNode>);

impl MembershipTask {
    /// Begins the lease of this node.
    ///
    /// # Errors
    /// If the database did not confirm it.
    pub(super) async fn join(node: Arc<ClusterNode>) -> Result<Self, DatabaseError> {
        let is_connected = node.bus.connection().borrow().is_connected;
        node.membership().set_bus_connection(now(), is_connected);
        let task = Self(node);
        task.try_renew().await?;
        Ok(task)
    }

    /// Renews the lease and pings the other nodes, until it is stopped.
    pub(super) async fn run(self, stopped: CancellationToken) {
        let mut ping_at = Instant::now();
        let mut connection = self.0.bus.connection();
        loop {
            let renew_at = Instant::from_std(self.0.lease().renew_at());
            tokio::select! {
                () = stopped.cancelled() => return,
                () = sleep_until(renew_at) => self.renew().await,
                Ok(()) = connection.changed() => {
                    let is_connected = connection.borrow_and_update().is_connected;
                    self.note_bus_connection(is_connected);
                }
                () = sleep_until(ping_at) => {
                    ping_at = Instant::now() + PING_INTERVAL;
                    self.ping().await;
                }
            }
        }
    }

    async fn renew(&self) {
        let Err(error) = self.try_renew().await else {
            return;
        };
        let had_lease = self.0.has_lease();
        self.0.lease().record_failure(now());
        if let DatabaseError::UnknownFormat = error {
            // Other nodes may have claimed its rooms, and the end takes a while.
            let _ = self.0.registry.end_rooms_with_lost_claims().await;
            self.0.drain_as_old_version();
        } else if had_lease {
            tracing::warn!(%error, "the lease of this node could not be renewed");
        }
    }

    async fn try_renew(&self) -> Result<(), DatabaseError> {
        let node = &self.0;
        let asked_at = now();
        let nodes = node.services.store.renew_lease(LEASE).await?;
        let was_over = node.lease().record_renewal(asked_at, now());
        if was_over {
            node.metrics.lost_leases.inc();
            // Other nodes may have claimed its rooms.
            tracing::warn!("the lease of this node had expired before it was renewed");
        }
        let change = node.membership().update_peers(now(), was_over, nodes);
        for other in change.expired {
            tracing::info!(node = %other, "the lease of a node is over");
        }
        for other in change.joined {
            tracing::info!(node = %other, "a node has joined");
        }
        node.metrics.format.set(node.services.store.format().0);
        node.metrics.peers.set(node.peers().len() as i64);
        node.publish_lost_nodes();
        self.check_claims().await;
        Ok(())
    }

    /// Ends the rooms whose claims are not valid any more, if there may be some.
    async fn check_claims(&self) {
        if !self.0.membership().must_check_claims() {
            return;
        }
        match self.0.registry.end_rooms_with_lost_claims().await {
            Ok(()) => self.0.membership().record_claim_check(),
            Err(error) => tracing::warn!(%error, "the claims of this node were not checked"),
        }
    }

    /// Records that the connection to the bus was lost, or is there again. Messages in both directions were lost meanwhile, so sessions
    /// are restarted.
    fn note_bus_connection(&self, is_connected: bool) {
        let node = &self.0;
        {
            let mut membership = node.membership();
            // A loss may have been too short to be seen.
            membership.set_bus_connection(now(), false);
            membership.set_bus_connection(now(), is_connected);
        }
        if is_connected {
            node.publish_message_loss(None);
            for peer in node.peers() {
                let reconnected = NodeRequest::BusReconnected { node: node.id };
                tokio::spawn(node.clone().notify(peer, reconnected));
            }
        }
    }

    /// Asks each peer whether it is on the bus.
    async fn ping(&self) {
        let node = &self.0;
        let peers = node.membership().ping_targets(now());
        if peers.is_empty() {
            return;
        }
        let pings = peers.iter().map(|peer| node.ping(*peer));
        let (own, results) = join(node.ping(node.id), join_all(pings)).await;
        for (peer, result) in peers.into_iter().zip(results) {
            let is_new = node.membership().record_ping(now(), peer, result, own);
            if is_new {
                tracing::warn!(
                    node = %peer,
                    "a node is unreachable: it has ended, hangs, or uses another NATS or --cluster-name"
                );
                node.registry.end_gateway_sessions(peer);
            }
        }
        node.publish_lost_nodes();
    }
}

fn now() -> std::time::Instant {
    Instant::now().into_std()
}
