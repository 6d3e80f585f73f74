//! The bus between nodes, over real NATS servers.

mod connection;
mod messages;
mod refusals;

use std::time::Duration;

use axum::body::Bytes;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use sticheln_cluster::NodeId;
use sticheln_server::cluster::bus::{Bus, BusError, BusMessage, Inbox, RequestError};
use sticheln_server::cluster::bus_metrics::BusMetrics;
use sticheln_server::cluster::bus_settings::{BusServer, BusSettings};

use crate::common::nats::Nats;
use crate::harness::within_timeout;
use crate::store::engine;

/// A limit for requests that end earlier: longer than the timeout of a test.
const LONG: Duration = Duration::from_secs(60);

/// The settings for the bus at this address.
pub fn settings(url: &str) -> BusSettings {
    BusSettings {
        url: Some(url.parse().unwrap()),
        ..BusSettings::default()
    }
}

/// The NATS server of these settings.
pub fn server(settings: &BusSettings) -> BusServer {
    let database = engine::settings("postgres://localhost/d");
    settings.server(&database).unwrap().unwrap()
}

/// A node on the bus.
pub struct Node {
    pub id: NodeId,
    pub bus: Bus,
    inbox: Inbox,
    metrics: BusMetrics,
}

impl Node {
    pub async fn join(nats: &Nats, id: u64) -> Self {
        Self::connect(&settings(&nats.url()), id).await.unwrap()
    }

    async fn connect(settings: &BusSettings, id: u64) -> Result<Self, BusError> {
        let id = NodeId(id);
        let metrics = BusMetrics::default();
        let server = server(settings);
        let connected = Bus::connect(&server, id, metrics.clone());
        let (bus, inbox) = within_timeout("the bus", connected).await?;
        Ok(Self {
            id,
            bus,
            inbox,
            metrics,
        })
    }

    /// The next message.
    async fn receive(&mut self) -> BusMessage {
        let message = within_timeout("a message", self.inbox.receive()).await;
        message.unwrap()
    }

    /// The next message, as text.
    async fn receive_text(&mut self) -> String {
        let message = self.receive().await;
        String::from_utf8(message.payload.to_vec()).unwrap()
    }

    /// Replies to all requests by `reply to` and the request.
    fn reply_to_all(self) {
        let mut inbox = self.inbox;
        let bus = self.bus;
        tokio::spawn(async move {
            while let Some(message) = inbox.receive().await {
                let request = String::from_utf8(message.payload.to_vec()).unwrap();
                let reply = format!("reply to {request}");
                let _ = message.responder.unwrap().reply(reply.into());
            }
            drop(bus);
        });
    }

    async fn request(&self, to: NodeId, payload: &str) -> Result<Bytes, RequestError> {
        let payload = Bytes::from(payload.to_owned());
        within_timeout("a reply", self.bus.request(to, payload, LONG)).await
    }

    /// The text of all metrics.
    pub fn metrics(&self) -> String {
        let mut registry = Registry::with_prefix("sticheln");
        self.metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        text
    }

    /// The value of a metric.
    fn metric(&self, name: &str) -> Option<f64> {
        let text = self.metrics();
        let mut lines = text.lines().filter_map(|line| line.rsplit_once(' '));
        let name = format!("sticheln_{name}");
        lines.find_map(|(key, value)| (key == name).then(|| value.parse().unwrap()))
    }
}
