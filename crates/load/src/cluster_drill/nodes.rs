//! The nodes of a drill, with PostgreSQL and NATS, and proxies between them if connections are cut.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::time::sleep;

use super::proxy::{Proxy, ProxyState};
use crate::server::{KillableServer, Program, Server, free_addresses};
use crate::services::{MAIN_DATABASE, Services};
use crate::{Failure, http};

/// The line of the log with which a server says its id as a node.
const ID_LINE: &str = "this server is a node of a cluster";
const REFUSED_APPENDS: &str = "sticheln_refused_appends_total";
/// The pause between two questions whether a node is ready.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A node.
struct Node {
    server: Server,
    proxies: Option<(Proxy, Proxy)>,
    /// The id in the database.
    id: i64,
    /// The refused appends of the process at the last count.
    refused: u64,
}

/// The nodes, and the services that they share.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    pub(super) services: Services,
}

impl Nodes {
    /// Starts all.
    pub(super) async fn start(
        program: &Program,
        count: usize,
        has_proxies: bool,
    ) -> Result<Self, Failure> {
        program.check()?;
        let services = Services::start(&program.parent_folder()).await?;
        let mut nodes = Self {
            nodes: Vec::new(),
            services,
        };
        for _ in 0..count {
            let node = nodes.add(program, has_proxies).await;
            match node {
                Ok(node) => nodes.nodes.push(node),
                Err(failure) => {
                    nodes.end().await;
                    return Err(failure);
                }
            }
        }
        Ok(nodes)
    }

    async fn add(&self, program: &Program, has_proxies: bool) -> Result<Node, Failure> {
        let (mut database, mut bus) = (self.services.database(), self.services.bus());
        let mut proxies = None;
        if has_proxies {
            let [for_database, for_bus] = free_addresses()?;
            proxies = Some((
                proxy(for_database, database).await?,
                proxy(for_bus, bus).await?,
            ));
            (database, bus) = (for_database, for_bus);
        }
        let variables = vec![
            (
                "STICHELN_DATABASE_URL",
                Services::database_url(database, MAIN_DATABASE),
            ),
            ("STICHELN_BUS_URL", Services::bus_url(bus)),
        ];
        let mut node = Node {
            server: Server::with_variables(program, variables).await?,
            proxies,
            id: 0,
            refused: 0,
        };
        node.read_id()?;
        Ok(node)
    }

    /// The addresses for clients.
    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.nodes
            .iter()
            .map(|node| node.server.address())
            .collect()
    }

    /// The leaders of all rooms that have one. The index is that of the node.
    pub(super) async fn leaders(&self) -> Result<BTreeMap<String, usize>, Failure> {
        let sql = "SELECT code, leader FROM room WHERE leader IS NOT NULL";
        let rows = self.services.query(sql).await?;
        let leaders = rows.iter().filter_map(|row| {
            let (code, leader) = row.split_once(' ')?;
            let leader: i64 = leader.parse().ok()?;
            let node = self.nodes.iter().position(|node| node.id == leader)?;
            Some((code.to_owned(), node))
        });
        Ok(leaders.collect())
    }

    /// The appends that were refused since the last call. Those of a process that has ended since are unknown.
    pub(super) async fn refused_appends(&mut self) -> Result<u64, Failure> {
        let mut refused = 0;
        for node in &mut self.nodes {
            let value = node.server.metrics().await?.value(REFUSED_APPENDS)?;
            refused += value - node.refused.min(value);
            node.refused = value;
        }
        Ok(refused)
    }

    /// Kills a node.
    pub(super) async fn kill(&mut self, index: usize) -> Result<(), Failure> {
        self.nodes[index].server.kill().await
    }

    /// Asks a node to end, and waits until it has.
    pub(super) async fn terminate(&mut self, index: usize) -> Result<Duration, Failure> {
        self.nodes[index].server.terminate().await
    }

    /// Starts a node that has ended, and waits until it is ready.
    pub(super) async fn restart(&mut self, index: usize) -> Result<(), Failure> {
        let node = &mut self.nodes[index];
        node.server.start().await?;
        node.server.ready().await?;
        node.refused = 0;
        node.read_id()
    }

    /// Stops a node, or lets it go on.
    pub(super) fn freeze(&self, index: usize, is_frozen: bool) -> Result<(), Failure> {
        let signal = if is_frozen {
            Signal::STOP
        } else {
            Signal::CONT
        };
        self.nodes[index].server.signal(signal)
    }

    /// Changes the connection of a node to the database, or to the bus.
    pub(super) fn cut(&self, index: usize, database: ProxyState, bus: ProxyState) {
        if let Some((for_database, for_bus)) = &self.nodes[index].proxies {
            for_database.set(database);
            for_bus.set(bus);
        }
    }

    /// Waits until all nodes are ready. A node that has exited by itself is a failure.
    pub(super) async fn ready(&mut self, limit: Duration) -> Result<(), Failure> {
        let begun = Instant::now();
        for (index, node) in self.nodes.iter_mut().enumerate() {
            loop {
                node.server.check_running()?;
                let ready = http::get(node.server.address(), "/readyz").await;
                if ready.is_ok_and(|response| response.status == 200) {
                    break;
                }
                if begun.elapsed() > limit {
                    return Err(Failure::Violation(format!(
                        "Node {index} does not become ready."
                    )));
                }
                sleep(POLL_INTERVAL).await;
            }
        }
        Ok(())
    }

    /// Keeps all folders, and returns their paths.
    pub(super) fn keep_folders(&mut self) -> Vec<String> {
        let mut folders: Vec<_> = self
            .nodes
            .iter_mut()
            .map(|node| node.server.keep_folder().display().to_string())
            .collect();
        folders.push(self.services.keep_folder().display().to_string());
        folders
    }

    /// Kills everything.
    pub(super) async fn end(&mut self) {
        for node in &mut self.nodes {
            // It may have ended.
            let _ = node.server.kill().await;
        }
        let _ = self.services.stop_database().await;
        let _ = self.services.stop_bus().await;
    }
}

impl Node {
    /// Reads the id of the process from its log.
    fn read_id(&mut self) -> Result<(), Failure> {
        let log = self.server.log();
        let mut lines = log.lines().rev();
        let line = lines.find(|line| line.contains(ID_LINE));
        let id = line
            .and_then(|line| line.split_once("node="))
            .map(|(_, id)| id.trim());
        let id = id.and_then(|id| u64::from_str_radix(id, 16).ok());
        let id = id.ok_or_else(|| Failure::Aborted("The server is not a node.".into()))?;
        self.id = id.cast_signed();
        Ok(())
    }
}

async fn proxy(listen: SocketAddr, service: SocketAddr) -> Result<Proxy, Failure> {
    let started = Proxy::start(listen, service).await;
    started.map_err(|error| Failure::Aborted(format!("A proxy cannot be started: {error}.")))
}
