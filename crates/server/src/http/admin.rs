//! What is told to whoever runs the server, on an address of its own: figures for Prometheus.

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
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::http::routes::{AppState, ready};
use crate::storage::FILE;

/// The most connections: few programs ask, and not often.
const CONNECTIONS: usize = 8;
/// How the figures are written.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Tells figures to everybody who asks here, for as long as the program runs.
pub async fn serve(listener: TcpListener, app: Arc<AppState>) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, "figures are told at /metrics");
    }
    let header_time = app.services.limits.header_time();
    let answers = Router::new()
        .route("/metrics", get(metrics))
        .route("/healthz", get(|| async { "ok" }))
        .route("/readyz", get(ready))
        .with_state(app);
    let space = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = space.clone().acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a question for figures could not be accepted");
                tokio::time::sleep(crate::http::listener::BREATH).await;
                continue;
            }
        };
        let answers = answers.clone();
        tokio::spawn(async move {
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(header_time)
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(answers))
                .await;
            if let Err(error) = served {
                tracing::debug!(%error, "a connection for figures ended");
            }
            drop(permit);
        });
    }
}

async fn metrics(State(app): State<Arc<AppState>>) -> Response {
    let mut told = Registry::with_prefix("sticheln");
    about_program(&mut told);
    app.services.metrics.register(&mut told);
    about_sockets(&app, &mut told);
    about_log(&app, &mut told).await;
    about_thoughts(&app, &mut told);
    let mut text = String::new();
    match encode(&mut text, &told) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn about_program(told: &mut Registry) {
    let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    told.register("build", "The program", version);
    if let Some(bytes) = memory() {
        let memory = ConstGauge::new(bytes);
        told.register_with_unit("memory", "Memory in use", Unit::Bytes, memory);
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        let files = ConstGauge::new(files.count() as i64);
        told.register("open_files", "Files and sockets that are open", files);
    }
}

fn about_sockets(app: &AppState, told: &mut Registry) {
    let sockets = ConstGauge::new(app.address_limits.sockets() as i64);
    told.register("sockets", "Sockets that are open", sockets);
}

async fn about_log(app: &AppState, told: &mut Registry) {
    let store = &app.services.store;
    let metrics = store.metrics().clone();
    told.register("commit_group", "Writes in one commit", metrics.group);
    told.register_with_unit(
        "commit",
        "How long a commit takes, the disk included",
        Unit::Seconds,
        metrics.commit,
    );
    told.register("commit_failures", "Commits that failed", metrics.failures);
    let waiting = ConstGauge::new(store.waiting() as i64);
    told.register("writes_waiting", "Writes that wait for a commit", waiting);
    let is_well = ConstGauge::new(i64::from(store.check().await.is_none()));
    told.register(
        "log_writable",
        "1 if the log can be written, else 0",
        is_well,
    );
    if let Ok(rooms) = store.rooms().await {
        let rooms = ConstGauge::new(rooms);
        told.register("rooms_kept", "Tables that are kept, awake or asleep", rooms);
    }
    let size = |end: &str| {
        let about = std::fs::metadata(store.folder().join(format!("{FILE}{end}")));
        about.map_or(0, |about| about.len() as i64)
    };
    for (name, help, bytes) in [
        ("database", "The size of the database", size("")),
        (
            "database_wal",
            "What was written and is not in the database file yet",
            size("-wal"),
        ),
    ] {
        told.register_with_unit(name, help, Unit::Bytes, ConstGauge::new(bytes));
    }
    if let Ok(disk) = rustix::fs::statvfs(store.folder()) {
        let free = ConstGauge::new((disk.f_bavail * disk.f_frsize) as i64);
        told.register_with_unit(
            "disk_free",
            "Space left for the data folder",
            Unit::Bytes,
            free,
        );
    }
}

fn about_thoughts(app: &AppState, told: &mut Registry) {
    let counts = app.services.search_pool.counts();
    let waiting = ConstGauge::new(counts.waiting as i64);
    told.register(
        "thoughts_waiting",
        "Experts that wait for their turn to think",
        waiting,
    );
    let budget = ConstGauge::new(counts.budget.as_secs_f64());
    let help = "How long an expert may think that is asked now";
    told.register_with_unit("thought_budget", help, Unit::Seconds, budget);
    for (name, help, count) in [
        (
            "thoughts_asked",
            "Thoughts that experts were asked for",
            counts.asked,
        ),
        (
            "thoughts_answered",
            "Thoughts that came to their tables",
            counts.answered,
        ),
        (
            "thoughts_refused",
            "Thoughts for which too many waited",
            counts.refused,
        ),
        (
            "thoughts_late",
            "Thoughts that were over before they began",
            counts.late,
        ),
        ("thoughts_failed", "Thoughts that failed", counts.failed),
    ] {
        told.register(name, help, ConstCounter::<u64>::new(count));
    }
}

/// How many bytes of memory the program has in use, where the system tells it.
fn memory() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}
