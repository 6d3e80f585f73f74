//! The parts of the server that rooms use.

use std::fmt;
use std::sync::Arc;

use sticheln_cluster::{NodeId, Update};
use sticheln_room::{Entropy, Timestamp};

use crate::limits::address_limits::AddressLimits;
use crate::limits::disk_reserve::DiskReserve;
use crate::limits::operator_limits::Limits;
use crate::limits::write_budgets::WriteBudgets;
use crate::ops::metrics::ServerMetrics;
use crate::ops::planned_restart::PlannedRestart;
use crate::room_code::RoomCode;
use crate::storage::Store;
use crate::workers::password_hashing::PasswordHashing;
use crate::workers::search_pool::SearchPool;

/// A clock. Tests have one that they set.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
/// The clocks of a server.
#[derive(Clone)]
pub struct Clocks {
    /// The time of timers and entries.
    pub wall: Clock,
    /// The time by which rooms expire.
    pub retention: Clock,
}

impl fmt::Debug for Clocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clocks").finish_non_exhaustive()
    }
}

impl Clocks {
    /// One clock for both.
    pub fn same(clock: Clock) -> Self {
        Self {
            wall: clock.clone(),
            retention: clock,
        }
    }
}

/// Gives each room its entropy. Tests give each room a seed.
pub type EntropySource = Arc<dyn Fn(&RoomCode) -> Entropy + Send + Sync>;

/// Sends the updates of rooms to gateways. It never waits, and may lose an update.
pub trait UpdateSender: fmt::Debug + Send + Sync {
    /// Sends an update to a gateway.
    fn send(&self, gateway: NodeId, update: Update);
}

/// The parts of a cluster that the tasks of rooms use.
#[derive(Clone, Debug)]
pub struct ClusterServices {
    /// The id of this node.
    pub node: NodeId,
    /// The sender of updates.
    pub updates: Arc<dyn UpdateSender>,
}

/// The services that the tasks of rooms use. They know neither sockets nor HTTP.
pub struct Services {
    /// The database of all rooms and their entries.
    pub store: Store,
    /// The limits of the settings.
    pub limits: Limits,
    /// The limits of client addresses.
    pub address_limits: Arc<AddressLimits>,
    /// The bytes that each client address may add to the database.
    pub write_budgets: WriteBudgets,
    /// The space that is reserved for running games.
    pub disk_reserve: Arc<DiskReserve>,
    /// The threads that hash passwords.
    pub password_hashing: PasswordHashing,
    /// The threads on which bots of level `expert` search.
    pub search_pool: SearchPool,
    /// The metrics.
    pub metrics: Arc<ServerMetrics>,
    /// The plan of a restart.
    pub planned_restart: Arc<PlannedRestart>,
    /// The cluster of which this server is a node; `None` if the server is alone.
    pub cluster: Option<ClusterServices>,
    clocks: Clocks,
    entropy_source: EntropySource,
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").finish_non_exhaustive()
    }
}

impl Services {
    /// Starts the threads that the services need.
    pub fn start(
        store: Store,
        limits: Limits,
        clocks: Clocks,
        entropy_source: EntropySource,
    ) -> Self {
        let address_limits = Arc::new(AddressLimits::new(limits.clone()));
        let disk_reserve = Arc::new(DiskReserve::new(&limits, store.disk_usage()));
        Self {
            write_budgets: WriteBudgets::new(address_limits.clone(), disk_reserve.clone()),
            address_limits,
            disk_reserve,
            store,
            password_hashing: PasswordHashing::start(),
            search_pool: SearchPool::new(limits.search_threads),
            metrics: Arc::default(),
            cluster: None,
            planned_restart: Arc::default(),
            limits,
            clocks,
            entropy_source,
        }
    }

    /// The same in this cluster, if there is one.
    #[must_use]
    pub fn in_cluster(self, cluster: Option<ClusterServices>) -> Self {
        Self { cluster, ..self }
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        (self.clocks.wall)()
    }

    /// The time now by the retention clock.
    pub fn retention_now(&self) -> Timestamp {
        (self.clocks.retention)()
    }

    /// The entropy of a room.
    pub fn entropy_for(&self, code: &RoomCode) -> Entropy {
        (self.entropy_source)(code)
    }
}
