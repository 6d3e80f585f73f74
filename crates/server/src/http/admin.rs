//! The admin listener: metrics for Prometheus and health checks, on an address of its own.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry as MetricsRegistry, Unit};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::PROGRAM;
use crate::http::routes::{AppState, ready};
use crate::storage::{Store, with_suffix};
use crate::workers::search_pool::SearchPool;

/// The most connections. Few programs read metrics, and not often.
const MAX_CONNECTIONS: usize = 8;
/// The content type of the metrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Serves the admin listener until the program ends.
pub async fn serve(listener: TcpListener, app: Arc<AppState>) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "the metrics are served at /metrics");
    }
    let header_timeout = app.services.limits.header_timeout();
    let router = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .with_state(app);
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "an admin connection could not be accepted");
                tokio::time::sleep(crate::http::listener::ACCEPT_RETRY_PAUSE).await;
                continue;
            }
        };
        let router = router.clone();
        tokio::spawn(async move {
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(header_timeout)
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
                .await;
            if let Err(error) = served {
                tracing::debug!(%error, "an admin connection failed");
            }
            drop(permit);
        });
    }
}

async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let mut registry = MetricsRegistry::with_prefix(PROGRAM);
    register_program(&mut registry);
    app.services.metrics.register(&mut registry);
    let sockets = ConstGauge::new(app.address_limits.sockets() as i64);
    registry.register("sockets", "Open sockets", sockets);
    let damaged = ConstGauge::new(app.registry.damaged_room_count() as i64);
    let help = "Rooms that are not woken, because they cannot be read back or have panicked";
    registry.register("damaged_rooms", help, damaged);
    if let Some(node) = &app.node {
        node.metrics.register(&mut registry);
    }
    register_storage(&app.services.store, &mut registry).await;
    let left = ConstGauge::new(
        i64::try_from(app.services.disk_reserve.unreserved_bytes()).unwrap_or(i64::MAX),
    );
    let help = "Space for new rooms and games; that for the games of awake rooms is reserved";
    registry.register_with_unit("data_left", help, Unit::Bytes, left);
    register_search_pool(&app.services.search_pool, &mut registry);
    let mut text = String::new();
    match encode(&mut text, &registry) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn register_program(registry: &mut MetricsRegistry) {
    let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "The version of the program", version);
    if let Some(bytes) = resident_memory() {
        let memory = ConstGauge::new(bytes);
        let help = "Resident memory of the process";
        registry.register_with_unit("memory", help, Unit::Bytes, memory);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        let files = ConstGauge::new(files.count() as i64);
        registry.register("open_files", "Open file descriptors", files);
    }
}

async fn register_storage(store: &Store, registry: &mut MetricsRegistry) {
    store.metrics().register(registry);
    let waiting = ConstGauge::new(store.queued_requests() as i64);
    registry.register("writes_waiting", "Writes that wait for a commit", waiting);
    let is_writable = ConstGauge::new(i64::from(store.check().await.is_none()));
    let help = "1 if the database can be written, otherwise 0";
    registry.register("database_writable", help, is_writable);
    if let Ok(rooms) = store.rooms().await {
        let rooms = ConstGauge::new(rooms);
        registry.register(
            "rooms_stored",
            "Rooms in the database, awake or asleep",
            rooms,
        );
    }
    let mut register_bytes = |name: &str, help: &str, bytes: u64| {
        registry.register_with_unit(name, help, Unit::Bytes, ConstGauge::new(bytes as i64));
    };
    let help = "Size of the database file, or of the database in PostgreSQL";
    match store.database_file() {
        Some(file) => {
            let size = |file: &Path| file.metadata().map_or(0, |metadata| metadata.len());
            register_bytes("database", help, size(&file));
            let help = "Size of the write-ahead log (WAL) of the database";
            register_bytes("database_wal", help, size(&with_suffix(&file, "-wal")));
        }
        None => register_bytes("database", help, store.disk_usage().database_bytes()),
    }
    if let Ok(disk) = rustix::fs::statvfs(store.folder()) {
        let free = ConstGauge::new((disk.f_bavail * disk.f_frsize) as i64);
        let help = "Free space on the disk of the data folder";
        registry.register_with_unit("disk_free", help, Unit::Bytes, free);
    }
}

fn register_search_pool(search_pool: &SearchPool, registry: &mut MetricsRegistry) {
    search_pool.metrics().register(registry);
    let waiting = ConstGauge::new(search_pool.waiting() as i64);
    registry.register(
        "searches_waiting",
        "Searches that wait for a thread",
        waiting,
    );
    let budget = ConstGauge::new(search_pool.budget().as_secs_f64());
    let help = "Time budget of a search that is requested now";
    registry.register_with_unit("search_budget", help, Unit::Seconds, budget);
}

/// The resident memory of the process, in bytes, if the system provides it.
fn resident_memory() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}
