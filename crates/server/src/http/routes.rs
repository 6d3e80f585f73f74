//! The routes of the server: HTTP requests, and the upgrade to a socket.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, PathRejection};
use axum::extract::{DefaultBodyLimit, Extension, FromRequest, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{map_response, map_response_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sticheln_protocol::{OpenRoom, RoomList, RoomOpened, read_shallow_value};
use sticheln_room::{ConnId, Refusal};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cluster::node::{BusUpdateSender, ClusterNode};
use crate::http::api_error::ApiError;
use crate::http::connection_check;
use crate::http::open_password::{NewOpenPassword, OpenPassword};
use crate::http::pages::{self, Pages};
use crate::http::proxy::{ProxySettings, UntrustedProxyWarning};
use crate::http::replays;
use crate::http::upgrade::WebSocketUpgrade;
use crate::limits::address_limits::{AddressLimits, LimitReached, Permit};
use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::limits::request_costs::ROUTES;
use crate::room_code::RoomCode;
use crate::rooms::game_list::GameList;
use crate::rooms::registry::RoomRegistry;
use crate::rooms::replays::StoredPosition;
use crate::rooms::services::{Clocks, ClusterServices, EntropySource, Services};
use crate::socket::closing::Shutdown;
use crate::socket::task::{self, SocketContext};
use crate::socket::web_socket::{SocketSizes, WebSocket};
use crate::storage::Store;

/// The path of the connection check.
pub(crate) const CONNECTION_CHECK: &str = "/api/connection-check";
/// The delay of a client that opens sockets too often.
const UPGRADE_DELAY: Duration = Duration::from_secs(1);
/// The bytes of a new room in the database besides its settings.
const ROOM_BYTES: usize = 2048;

/// The address of the client behind all proxies. The accept loop adds it to each request. Limits count it as a
/// [`ClientAddr`].
#[derive(Clone, Copy, Debug)]
pub struct ClientIp(pub IpAddr);

/// The state that all handlers share.
#[derive(Debug)]
pub struct AppState {
    /// All rooms of this server.
    pub registry: Arc<RoomRegistry>,
    /// The cluster of which this server is a node; `None` if the server is alone.
    pub node: Option<Arc<ClusterNode>>,
    /// The limits of client addresses.
    pub address_limits: Arc<AddressLimits>,
    /// The parts of the server that rooms use too.
    pub services: Arc<Services>,
    /// The page and its files.
    pub pages: Pages,
    /// The settings for reverse proxies.
    pub proxy: ProxySettings,
    /// Logs once that a setting for proxies is missing.
    pub untrusted_proxy_warning: UntrustedProxyWarning,
    /// `Some` once the server shuts down.
    pub shutdown: watch::Sender<Option<Shutdown>>,
    /// The tasks of sockets.
    pub sockets: TaskTracker,
    /// Aborts the sockets that are still open when the time limit of the shutdown is over.
    pub abort: CancellationToken,
    /// The password for opening rooms; `None` if everybody may open them.
    open_password: Option<OpenPassword>,
    conns: AtomicU64,
}

impl AppState {
    /// A server of these games with this store, clock and source of entropy.
    pub fn new(
        games: GameList,
        store: Store,
        limits: Limits,
        clocks: Clocks,
        entropy_source: EntropySource,
    ) -> Self {
        let services = Services::start(store, limits, clocks, entropy_source);
        Self::with_services(games, services, None)
    }

    /// A server of these games with these services. With `updates` it is a node of a cluster.
    pub fn with_services(
        games: GameList,
        services: Services,
        updates: Option<BusUpdateSender>,
    ) -> Self {
        let cluster = updates.as_ref().map(|updates| ClusterServices {
            node: updates.node,
            updates: Arc::new(updates.clone()),
        });
        let services = Arc::new(services.in_cluster(cluster));
        let registry = Arc::new(RoomRegistry::new(games, services.clone()));
        let node = updates.map(|updates| {
            Arc::new(ClusterNode::new(
                updates,
                registry.clone(),
                services.clone(),
            ))
        });
        Self {
            registry,
            node,
            address_limits: services.address_limits.clone(),
            services,
            pages: Pages::default(),
            proxy: ProxySettings::default(),
            untrusted_proxy_warning: UntrustedProxyWarning::default(),
            shutdown: watch::Sender::new(None),
            sockets: TaskTracker::new(),
            abort: CancellationToken::new(),
            open_password: None,
            conns: AtomicU64::new(0),
        }
    }

    /// The same with these settings for reverse proxies.
    pub fn with_proxy(self, proxy: ProxySettings) -> Self {
        Self { proxy, ..self }
    }

    /// The same with these pages.
    pub fn with_pages(self, pages: Pages) -> Self {
        Self { pages, ..self }
    }

    /// The same with a password for opening rooms; `None` if it cannot be hashed.
    pub async fn with_open_password(self, password: NewOpenPassword) -> Option<Self> {
        let open_password = Some(OpenPassword::new(password, &self.services).await?);
        Some(Self {
            open_password,
            ..self
        })
    }

    /// The context of a socket task.
    fn socket_context(&self) -> SocketContext<'_> {
        SocketContext {
            registry: &self.registry,
            node: self.node.as_ref(),
            address_limits: &self.address_limits,
            services: &self.services,
            shutdown: self.shutdown.subscribe(),
        }
    }

    fn next_conn(&self) -> ConnId {
        ConnId(self.conns.fetch_add(1, Ordering::Relaxed))
    }

    fn is_shutting_down(&self) -> bool {
        self.shutdown.borrow().is_some()
    }
}

/// The router of the server. Each request must have a [`ClientIp`].
pub fn router(app: Arc<AppState>) -> Router {
    let router = Router::new()
        .route(with_cost("/"), get(pages::home))
        .route(with_cost("/t/{room}"), get(pages::room))
        .route(with_cost("/g/{id}"), get(pages::room))
        .route(with_cost("/api/page"), get(pages::current))
        .route(
            with_cost(CONNECTION_CHECK),
            post(check_connection).get(idle_socket),
        )
        .route(with_cost("/api/rooms"), post(open_room).get(list_rooms))
        .route(with_cost("/api/rooms/{room}"), get(room_summary))
        .route(with_cost("/api/rooms/{room}/socket"), get(room_socket))
        .route(with_cost("/api/games/{game}"), get(replays::game))
        .route(
            with_cost("/api/games/{game}/rounds/{round}"),
            get(replays::round),
        )
        .route(with_cost("/api/games/{game}/record"), get(replays::record))
        .route(with_cost("/healthz"), get(|| async { "ok" }))
        .route(with_cost("/readyz"), get(ready))
        .fallback(pages::root_file)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.services.limits.message_bytes))
        .layer(map_response_with_state(app.clone(), count_refusal))
        .layer(map_response(with_document_headers))
        .with_state(app.clone());
    // Files need fewer headers than documents. There are many of them, and they are small.
    let file_routes = get(pages::immutable_file).layer(map_response(with_file_headers));
    let file_routes = Router::new()
        .route(with_cost("/a/{hash}/{*path}"), file_routes)
        .method_not_allowed_fallback(wrong_method)
        .layer(map_response_with_state(app.clone(), count_refusal));
    router.merge(file_routes.with_state(app))
}

async fn wrong_method() -> ApiError {
    ApiError::WrongMethod
}

/// Returns the path. Panics if it has no cost, so the server does not start.
fn with_cost(path: &'static str) -> &'static str {
    let has_cost = ROUTES.iter().any(|route| route.path == path);
    assert!(has_cost, "the route {path} has no cost");
    path
}

/// The response to a request that reaches no route: it is refused with this error. The body of the
/// request is not read.
pub(crate) async fn refused(app: &AppState, error: ApiError) -> Response {
    app.services.metrics.count_refusal(error.code());
    with_document_headers(error.into_response()).await
}

/// A 429 response with the header `Retry-After`. The body of the request is not read.
pub(crate) async fn too_many_requests(app: &AppState, wait: Duration) -> Response {
    let mut response = refused(app, ApiError::TooManyRequests).await;
    let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Counts refused requests.
async fn count_refusal(State(app): State<Arc<AppState>>, response: Response) -> Response {
    if let Some(error) = response.extensions().get::<ApiError>() {
        app.services.metrics.count_refusal(error.code());
    }
    response
}

/// Adds the security headers of all responses: no content sniffing, no use by other origins.
async fn with_file_headers(response: Response) -> Response {
    const HEADERS: [(&str, &str); 2] = [
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    add_headers(response, &HEADERS)
}

/// Adds the security headers of documents: nothing from other origins, and no referrer.
async fn with_document_headers(response: Response) -> Response {
    const HEADERS: [(&str, &str); 2] = [
        ("content-security-policy", pages::POLICY),
        ("referrer-policy", "no-referrer"),
    ];
    add_headers(with_file_headers(response).await, &HEADERS)
}

fn add_headers(mut response: Response, fields: &[(&'static str, &'static str)]) -> Response {
    let headers = response.headers_mut();
    for (name, value) in fields {
        // The page has its own policy.
        headers
            .entry(*name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Opens a room, and answers with its code.
async fn open_room(
    State(app): State<Arc<AppState>>,
    Extension(ClientIp(client_ip)): Extension<ClientIp>,
    request: Request,
) -> Result<Response, ApiError> {
    if app.is_shutting_down() {
        return Err(ApiError::ShuttingDown);
    }
    let headers = request.headers().clone();
    let body = read_body(&app.services.limits, request).await?;
    let open_room: OpenRoom = read_object(&body)?;
    let game = app.registry.games().find(&open_room.game);
    let game = game.ok_or(ApiError::Malformed)?;
    if open_room.play_on.is_some() && open_room.options.is_some() {
        return Err(ApiError::Refused(Refusal::PositionGiven));
    }
    let client_addr = ClientAddr::from(client_ip);
    if let Some(required) = &app.open_password {
        let given = open_room.open_password.as_deref();
        required.check(&app.services, client_addr, given).await?;
    }
    let permit = app.address_limits.permit_room(client_addr);
    let permit = permit.map_err(|_| ApiError::TooManyRooms)?;
    let write_budgets = &app.services.write_budgets;
    let bytes = ROOM_BYTES + body.len();
    write_budgets.try_charge(client_addr, bytes, Instant::now())?;
    let position = match &open_room.play_on {
        Some(play_on) => Some(replays::position(&app, game.id(), play_on, &headers).await),
        None => None,
    };
    let position = position.transpose();
    let position = position.inspect_err(|_| write_budgets.refund(client_addr, bytes))?;
    let repeated = position.as_ref().map_or(0, StoredPosition::bytes);
    write_budgets.charge(client_addr, repeated, Instant::now());
    let opened = app.registry.open(game, open_room, position, permit).await;
    let code = opened.inspect_err(|_| write_budgets.refund(client_addr, bytes + repeated))?;
    // The address is relative to this request, so it is valid below any path.
    let body = RoomOpened {
        room: code.as_str(),
        url: format!("../t/{code}"),
    };
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn read_body(limits: &Limits, request: Request) -> Result<Bytes, ApiError> {
    let body = Bytes::from_request(request, &());
    let body = tokio::time::timeout(limits.header_timeout(), body).await;
    body.map_err(|_| ApiError::TooSlow)?
        .map_err(|rejection| match rejection {
            BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
                ApiError::TooLarge
            }
            _ => ApiError::Malformed,
        })
}

/// Reads an object of bounded depth from a body. serde would also accept an array of its fields in their order.
fn read_object<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    let text = str::from_utf8(body).map_err(|_| ApiError::Malformed)?;
    let Ok(Value::Object(_)) = read_shallow_value(text) else {
        return Err(ApiError::Malformed);
    };
    serde_json::from_str(text).map_err(|_| ApiError::Malformed)
}

/// The rooms that the home page lists.
async fn list_rooms(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let rooms = app.registry.listed().await.map_err(|error| {
        tracing::error!(%error, "the list of rooms could not be read");
        ApiError::Storage
    })?;
    Ok(Json(RoomList { rooms }).into_response())
}

/// The summary of a room, for people outside of it.
async fn room_summary(
    State(app): State<Arc<AppState>>,
    Extension(ClientIp(client_ip)): Extension<ClientIp>,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    let client_addr = ClientAddr::from(client_ip);
    let code = RoomCode::parse(&code);
    let lookup = app.address_limits.look_up_code(client_addr, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let summary = match &code {
        Some(code) => app.registry.summary(code).await,
        None => Ok(None),
    };
    let summary = match summary {
        Ok(Some(summary)) => summary,
        Ok(None) => return Err(ApiError::NoSuchRoom),
        Err(error) => {
            // The registry has noted and logged an invalid summary.
            if !error.is_corruption() {
                tracing::error!(%error, "the summary of a room could not be read");
            }
            lookup.refund();
            return Err(ApiError::Storage);
        }
    };
    lookup.refund();
    Ok(Json(summary).into_response())
}

/// Upgrades a request to the socket of a room.
async fn room_socket(
    State(app): State<Arc<AppState>>,
    Extension(ClientIp(client_ip)): Extension<ClientIp>,
    code: Result<Path<String>, PathRejection>,
    upgrade: Result<WebSocketUpgrade, ApiError>,
) -> Result<Response, ApiError> {
    let newest = app.services.store.format().newest_protocol();
    let (upgrade, protocol) = upgrade?.with_protocol(newest)?;
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    if app.is_shutting_down() {
        return Err(ApiError::ShuttingDown);
    }
    let client_addr = ClientAddr::from(client_ip);
    let code = RoomCode::parse(&code);
    // The lookup comes last, so a socket that is refused is not counted as a wrong code.
    let permit = permit_socket_with_retry(&app, client_addr).await?;
    let lookup = app.address_limits.look_up_code(client_addr, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let conn = app.next_conn();
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        permit,
        move |socket| async move {
            let mut context = app.socket_context();
            let served = task::serve(
                &mut context,
                conn,
                client_addr,
                protocol,
                (lookup, code),
                socket,
            );
            // Boxed for the same reason as in `serve_socket`.
            app.abort.run_until_cancelled(Box::pin(served)).await;
        },
    ))
}

/// Permits a socket. A client that opens sockets too often is delayed, and gets one more attempt.
/// The delay bounds how often a client that retries at once is refused.
async fn permit_socket_with_retry(
    app: &AppState,
    client_addr: ClientAddr,
) -> Result<Permit, LimitReached> {
    let permit = app.address_limits.permit_socket(client_addr);
    if let Err(LimitReached::TooOften) = permit
        && let Some(_delay) = app.address_limits.permit_delay(client_addr)
    {
        sleep(UPGRADE_DELAY).await;
        return app.address_limits.permit_socket(client_addr);
    }
    permit
}

/// Upgrades a request, and serves the socket until it is closed.
fn serve_socket<SocketTask: Future<Output = ()> + Send + 'static>(
    app: &AppState,
    upgrade: WebSocketUpgrade,
    permit: Permit,
    serve: impl FnOnce(Box<WebSocket>) -> SocketTask + Send + 'static,
) -> Response {
    let sizes = SocketSizes::new(&app.services.limits);
    let tracker = app.sockets.clone();
    upgrade.on_upgrade(sizes, move |socket| {
        // Boxed, because an async block has space for a future both before and while it is awaited.
        let served = Box::pin(serve(socket));
        tracker.track_future(async move {
            served.await;
            drop(permit);
        })
    })
}

/// Answers a connection check.
async fn check_connection(
    State(app): State<Arc<AppState>>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let body = read_body(&app.services.limits, request).await?;
    let request_body: sticheln_protocol::ConnectionCheck = read_object(&body)?;
    let findings = connection_check::findings(&app, &parts.headers, &parts.uri, &request_body);
    Ok(Json(findings.ok_or(ApiError::Malformed)?).into_response())
}

/// The socket of the connection check, which stays idle for a while. An address may have a few of them.
async fn idle_socket(
    State(app): State<Arc<AppState>>,
    Extension(ClientIp(client_ip)): Extension<ClientIp>,
    upgrade: Result<WebSocketUpgrade, ApiError>,
) -> Result<Response, ApiError> {
    let newest = app.services.store.format().newest_protocol();
    let (upgrade, _) = upgrade?.with_protocol(newest)?;
    if app.is_shutting_down() {
        return Err(ApiError::ShuttingDown);
    }
    let permit = app
        .address_limits
        .permit_connection_check(ClientAddr::from(client_ip))?;
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        permit,
        move |socket| async move {
            let served = connection_check::idle(&app, socket);
            app.abort.run_until_cancelled(served).await;
        },
    ))
}

/// Whether the server is ready, or the reason why it is not.
pub(crate) async fn ready(State(app): State<Arc<AppState>>) -> Response {
    if app.is_shutting_down() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down").into_response();
    }
    if let Some(problem) = app.node.as_ref().and_then(|node| node.problem()) {
        return (StatusCode::SERVICE_UNAVAILABLE, problem).into_response();
    }
    match app.services.store.check().await {
        None => "ready".into_response(),
        Some(fault) => (StatusCode::SERVICE_UNAVAILABLE, fault.description()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So the server does not start.
    #[test]
    #[should_panic(expected = "the route /metrics has no cost")]
    fn a_route_without_a_cost_panics() {
        with_cost("/metrics");
    }
}
