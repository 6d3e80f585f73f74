//! The servers of a configuration with a database of their own, and what they and their services have done.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::configuration::Configuration;
use crate::Failure;
use crate::process::{cpu_time, cpu_time_with_children};
use crate::server::{KillableServer, Program, Server};
use crate::services::Services;

/// The database of the servers. Each measurement has a new one.
const DATABASE: &str = "measured";
/// The sum and the count of the writes in a commit.
const WRITES: &str = "sticheln_commit_group_sum";
const COMMITS: &str = "sticheln_commit_group_count";
/// The requests between nodes that were answered.
const REQUESTS: &str = "sticheln_bus_requests_total{outcome=\"replied\"}";

/// Running servers.
pub(super) struct Cluster<'a> {
    configuration: Configuration,
    servers: Vec<Server>,
    services: &'a Services,
}

/// The CPU time of each kind of process, user and system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CpuTimes {
    pub(super) servers: Duration,
    pub(super) bus: Duration,
    pub(super) database: Duration,
    pub(super) generator: Duration,
}

/// Everything that has been counted up to a time, or between two times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) cpu: CpuTimes,
    pub(super) commits: u64,
    pub(super) writes: u64,
    /// The requests between nodes.
    pub(super) requests: u64,
    /// The bytes to and from NATS.
    pub(super) bus_bytes: u64,
    /// The bytes of the WAL of PostgreSQL.
    pub(super) wal_bytes: u64,
}

/// Counts from its creation on.
pub(super) struct Counter {
    begin: Instant,
    before: Counts,
}

impl<'a> Cluster<'a> {
    /// Starts the servers, with a new database.
    pub(super) async fn start(
        configuration: Configuration,
        program: &Program,
        services: &'a Services,
    ) -> Result<Self, Failure> {
        create_database(services).await?;
        let mut variables = Vec::new();
        if configuration.has_postgres() {
            let url = database_url(services);
            variables.push(("STICHELN_DATABASE_URL", url));
        }
        if configuration.has_bus() {
            let url = Services::bus_url(services.bus());
            variables.push(("STICHELN_BUS_URL", url));
        }
        let mut cluster = Self {
            configuration,
            servers: Vec::new(),
            services,
        };
        for _ in 0..configuration.servers() {
            let server = Server::with_variables(program, variables.clone()).await?;
            cluster.servers.push(server);
        }
        Ok(cluster)
    }

    /// The addresses for clients.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.servers.iter().map(Server::address).collect()
    }

    /// Kills the servers.
    pub(super) async fn end(mut self) -> Result<(), Failure> {
        for server in &mut self.servers {
            server.kill().await?;
        }
        Ok(())
    }

    /// Begins to count.
    pub(super) async fn counter(&self) -> Result<Counter, Failure> {
        let before = self.counts().await?;
        Ok(Counter {
            begin: Instant::now(),
            before: Counts {
                // This excludes the time of the questions above.
                cpu: self.cpu()?,
                ..before
            },
        })
    }

    async fn counts(&self) -> Result<Counts, Failure> {
        let mut counts = Counts {
            cpu: self.cpu()?,
            bus_bytes: self.services.bus_bytes().await?,
            wal_bytes: wal_bytes(self.services).await?,
            ..Counts::default()
        };
        for server in &self.servers {
            let metrics = server.metrics().await?;
            counts.commits += metrics.value(COMMITS)?;
            counts.writes += metrics.decimal(WRITES)? as u64;
            if self.configuration.has_bus() {
                // Without requests there is no such line.
                counts.requests += metrics.value(REQUESTS).unwrap_or_default();
            }
        }
        Ok(counts)
    }

    fn cpu(&self) -> Result<CpuTimes, Failure> {
        let mut servers = Duration::ZERO;
        for server in &self.servers {
            servers += cpu_time(server.pid()?)?;
        }
        let [database, bus] = self.services.pids()?;
        Ok(CpuTimes {
            servers,
            bus: cpu_time(bus)?,
            database: cpu_time_with_children(database)?,
            generator: cpu_time(std::process::id())?,
        })
    }
}

impl Counter {
    /// What has been counted since the creation, and the time since then.
    pub(super) async fn read(&self, cluster: &Cluster<'_>) -> Result<(Counts, Duration), Failure> {
        let time = self.begin.elapsed();
        // `counts` reads the CPU times first.
        let after = cluster.counts().await?;
        Ok((after.since(&self.before), time))
    }
}

impl CpuTimes {
    fn since(self, before: Self) -> Self {
        Self {
            servers: self.servers.saturating_sub(before.servers),
            bus: self.bus.saturating_sub(before.bus),
            database: self.database.saturating_sub(before.database),
            generator: self.generator.saturating_sub(before.generator),
        }
    }
}

impl Counts {
    fn since(&self, before: &Self) -> Self {
        Self {
            cpu: self.cpu.since(before.cpu),
            commits: self.commits - before.commits,
            writes: self.writes - before.writes,
            requests: self.requests - before.requests,
            bus_bytes: self.bus_bytes - before.bus_bytes,
            wal_bytes: self.wal_bytes - before.wal_bytes,
        }
    }
}

/// Creates the database anew.
pub(super) async fn create_database(services: &Services) -> Result<(), Failure> {
    let drop = format!("DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)");
    services.query(&drop).await?;
    services
        .query(&format!("CREATE DATABASE {DATABASE}"))
        .await?;
    // The next measurement must not wait for the dirty pages of this one.
    services.query("CHECKPOINT").await?;
    Ok(())
}

/// The URL of the database.
pub(super) fn database_url(services: &Services) -> String {
    Services::database_url(services.database(), DATABASE)
}

/// The bytes that PostgreSQL has written to its WAL.
pub(super) async fn wal_bytes(services: &Services) -> Result<u64, Failure> {
    number(services, "SELECT pg_current_wal_lsn() - '0/0'").await
}

/// The bytes of the database on the disk.
pub(super) async fn database_bytes(services: &Services) -> Result<u64, Failure> {
    number(services, &format!("SELECT pg_database_size('{DATABASE}')")).await
}

async fn number(services: &Services, sql: &str) -> Result<u64, Failure> {
    let rows = services.query(sql).await?;
    let number = rows.first().and_then(|row| row.parse().ok());
    number.ok_or_else(|| Failure::Aborted("PostgreSQL has no such number.".into()))
}
