//! The connection of the bus to NATS: how it begins, and its losses and returns.

use std::future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::{Client, ClientError, ConnectErrorKind, Event};
use sticheln_cluster::NodeId;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::bus::{Bus, MAX_PAYLOAD_BYTES, OUTGOING_MESSAGES, Publisher};
use super::bus_error::BusError;
use super::bus_metrics::{BusMetrics, Direction};
use super::bus_receiver::{Inbox, ReceiverTask, SUBSCRIPTION_MESSAGES, Subjects, WaitingRequests};
use super::bus_settings::BusServer;
use crate::PROGRAM;

/// The longest wait for the first connection, with all addresses of the host.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest wait for one address to accept a connection, its TLS and the user.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(2);
/// The time without traffic after which NATS is asked whether it is there. After the third time the connection is lost.
const PING_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest and the longest back-off between attempts to connect again. It is exponential, with equal jitter.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_millis(500);
/// The shortest time between two log lines about dropped messages.
const LOG_PAUSE: Duration = Duration::from_secs(60);

/// The state of the connection to NATS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusConnection {
    /// Whether there is a connection.
    pub is_connected: bool,
    /// The time since when this is so.
    pub since: Instant,
}

/// Limits the log lines about one kind of trouble.
#[derive(Debug, Default)]
pub(super) struct LogRateLimiter {
    last: Mutex<Option<Instant>>,
}

impl LogRateLimiter {
    /// Whether there may be a line now. Then the next pause begins.
    pub(super) fn try_acquire(&self) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_allowed = last.is_none_or(|last| last.elapsed() >= LOG_PAUSE);
        if is_allowed {
            *last = Some(Instant::now());
        }
        is_allowed
    }
}

/// Follows the state of the connection.
struct Monitor {
    state: watch::Sender<BusConnection>,
    requests: Arc<WaitingRequests>,
    metrics: BusMetrics,
    /// The last problem that was logged since the connection was there.
    problem: Mutex<String>,
    slow: LogRateLimiter,
}

impl Monitor {
    fn note(&self, event: &Event) {
        match event {
            Event::Connected => {
                let before = self.set(true);
                if !before.is_connected {
                    let seconds = before.since.elapsed().as_secs_f64();
                    tracing::info!(seconds, "the connection to NATS is back");
                    self.problem().clear();
                }
            }
            Event::Disconnected => {
                if self.set(false).is_connected {
                    tracing::warn!(
                        "the connection to NATS is lost: other servers cannot be reached"
                    );
                }
            }
            Event::Closed => {
                self.set(false);
            }
            Event::SlowConsumer(_) => {
                self.metrics.count_dropped(Direction::In);
                if self.slow.try_acquire() {
                    tracing::warn!("messages from other servers are dropped: too many arrive");
                }
            }
            Event::ServerError(error) => self.log_problem(&error.to_string()),
            Event::ClientError(ClientError::Other(error)) => {
                // NATS is not there: the loss is logged already.
                let known = [ConnectErrorKind::Io, ConnectErrorKind::TimedOut];
                if !known.iter().any(|kind| *error == kind.to_string()) {
                    self.log_problem(error);
                }
            }
            Event::ClientError(ClientError::MaxReconnects | ClientError::ServerNotInPool)
            | Event::LameDuckMode
            | Event::Draining => {}
        }
    }

    /// Changes the state. Returns the previous one.
    fn set(&self, is_connected: bool) -> BusConnection {
        let before = *self.state.borrow();
        if before.is_connected != is_connected {
            self.state.send_replace(BusConnection {
                is_connected,
                since: Instant::now(),
            });
            self.metrics.set_connected(is_connected);
            if !is_connected {
                // Requests that are registered later see the new state.
                self.requests.fail_all();
            }
        }
        before
    }

    /// Logs a problem, unless it is the same as before.
    fn log_problem(&self, text: &str) {
        let mut last = self.problem();
        if *last != text {
            text.clone_into(&mut last);
            tracing::warn!(problem = text, "NATS has a problem");
        }
    }

    fn problem(&self) -> MutexGuard<'_, String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Connects a node to the bus.
pub(super) async fn connect(
    server: &BusServer,
    node: NodeId,
    metrics: BusMetrics,
) -> Result<(Bus, Inbox), BusError> {
    let (state, connection) = watch::channel(BusConnection {
        is_connected: true,
        since: Instant::now(),
    });
    let requests = Arc::new(WaitingRequests::default());
    let monitor = Monitor {
        state,
        requests: requests.clone(),
        metrics: metrics.clone(),
        problem: Mutex::default(),
        slow: LogRateLimiter::default(),
    };
    let client = open(server, node, monitor).await?;
    let max_payload = client.max_payload();
    if max_payload < MAX_PAYLOAD_BYTES {
        return Err(BusError::ShortMessages(max_payload));
    }
    metrics.set_connected(true);
    let subjects = Subjects::new(&server.cluster, node);
    let subscribed = subjects.subscribe(&client).await;
    let subscribed = subscribed.map_err(|error| BusError::Unreachable(error.to_string()))?;
    let publisher = Arc::new(Publisher::new(client, connection, metrics));
    let (leave, leaving) = mpsc::channel(1);
    let (receiving, inbox) = ReceiverTask::new(subscribed, publisher.clone(), requests.clone());
    let receiving = tokio::spawn(receiving.run(leaving)).abort_handle();
    let bus = Bus::new(publisher, requests, subjects, leave, receiving);
    match bus.round_trip().await {
        Ok(()) => Ok((bus, inbox)),
        Err(_) => Err(BusError::NotDelivered(format!(
            "{PROGRAM}.{}.>",
            server.cluster
        ))),
    }
}

/// Opens the connection.
async fn open(server: &BusServer, node: NodeId, monitor: Monitor) -> Result<Client, BusError> {
    let options = server
        .options()
        .name(format!("{PROGRAM}-{node}"))
        .connection_timeout(ADDRESS_TIMEOUT)
        .ping_interval(PING_INTERVAL)
        .client_capacity(OUTGOING_MESSAGES)
        .subscription_capacity(SUBSCRIPTION_MESSAGES)
        // Other addresses would not be checked like that of the settings.
        .ignore_discovered_servers()
        .reconnect_delay_callback(backoff)
        .event_callback(move |event| {
            monitor.note(&event);
            future::ready(())
        });
    let connected = timeout(CONNECT_TIMEOUT, options.connect(server.address.clone())).await;
    Ok(connected.map_err(|_| BusError::Timeout)??)
}

/// The back-off before an attempt to connect.
fn backoff(attempt: usize) -> Duration {
    let Some(failed) = attempt.checked_sub(2) else {
        return Duration::ZERO;
    };
    let doublings = u32::try_from(failed).unwrap_or(u32::MAX).min(16);
    let longest = MIN_BACKOFF.saturating_mul(1 << doublings);
    let mut random = [0; 2];
    // Without random numbers the server does not start.
    let _ = getrandom::fill(&mut random);
    let part = f64::from(u16::from_le_bytes(random)) / f64::from(u16::MAX);
    longest.min(MAX_BACKOFF).mul_f64(1.0 - part / 2.0)
}

/// Checks whether a node could use the bus.
///
/// # Errors
/// [`BusError`] says why it could not.
pub async fn verify(server: &BusServer) -> Result<(), BusError> {
    let mut id = [0; 8];
    // Without random numbers the server does not start.
    let _ = getrandom::fill(&mut id);
    let node = NodeId(u64::from_le_bytes(id));
    let (bus, _inbox) = connect(server, node, BusMetrics::default()).await?;
    bus.close().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_attempts_grow_up_to_a_bound() {
        assert_eq!([backoff(0), backoff(1)], [Duration::ZERO; 2]);
        for (attempt, longest) in [(2, 50), (3, 100), (4, 200), (8, 500), (usize::MAX, 500)] {
            let longest = Duration::from_millis(longest);
            let pauses: Vec<_> = (0..100).map(|_| backoff(attempt)).collect();
            let range = longest / 2..=longest;
            assert!(
                pauses.iter().all(|pause| range.contains(pause)),
                "{pauses:?}"
            );
            assert!(pauses.iter().any(|pause| *pause != pauses[0]), "no jitter");
        }
    }
}
