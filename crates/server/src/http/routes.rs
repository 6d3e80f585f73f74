//! What the server answers to: the calls over HTTP, and the sockets.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, FailedToBufferBody, PathRejection};
use axum::extract::ws::{WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection};
use axum::extract::{DefaultBodyLimit, Extension, FromRequest, Path, Request, State};
use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{map_response, map_response_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use sticheln_protocol::{OpenRoom, RoomList, RoomOpened, RoomSummary};
use sticheln_room::ConnId;
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http::api_error::ApiError;
use crate::http::connection_check::{self, ConnectionCheck, Findings};
use crate::http::pages::{self, Pages};
use crate::http::proxy::{ProxyConfig, Reminder};
use crate::limits::address_limits::{AddressLimits, LimitReached, Permit};
use crate::limits::call_costs::ROUTES;
use crate::limits::client_addr::ClientAddr;
use crate::room_code::RoomCode;
use crate::rooms::game_list::GameList;
use crate::rooms::registry::RoomRegistry;
use crate::rooms::services::{Clock, EntropySource, Services};
use crate::settings::Limits;
use crate::socket::task::{self, SocketContext};
use crate::storage::Store;

/// The name of the wire protocol for those who ask for it by name.
const PROTOCOL: &str = "trick.v1";
/// The path of the connection check.
pub(crate) const SELF_CHECK: &str = "/api/selfcheck";
/// The most bytes that a socket holds of what is being sent: more than any message has, which is a
/// view with the events that have gathered in it.
const WRITE_BUFFER: usize = 64 * 1024;
/// How long somebody waits who comes too often.
const KEPT_WAITING: Duration = Duration::from_secs(1);

/// Where a call comes from: put into each request by whoever has accepted the connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// Everything the answers need.
#[derive(Debug)]
pub struct AppState {
    /// All rooms.
    pub registry: Arc<RoomRegistry>,
    /// Who may come in.
    pub address_limits: Arc<AddressLimits>,
    /// What the tasks of all rooms share.
    pub services: Arc<Services>,
    /// The page and its files.
    pub pages: Pages,
    /// What stands in front of the server.
    pub proxy: ProxyConfig,
    /// Whether it was said that a setting for that is missing.
    pub reminder: Reminder,
    /// `Some` once the server ends: the time over which sockets are closed.
    pub ending: watch::Sender<Option<Duration>>,
    /// The tasks of sockets.
    pub sockets: TaskTracker,
    /// Ends whatever socket is still open once the server has ended for all others.
    pub cut: CancellationToken,
    conns: AtomicU64,
}

impl AppState {
    /// A server of these games with this log, clock and source of entropy.
    pub fn new(
        games: GameList,
        store: Store,
        limits: Limits,
        clock: Clock,
        entropy_source: EntropySource,
    ) -> Self {
        let address_limits = Arc::new(AddressLimits::new(limits.clone()));
        let services = Arc::new(Services::start(store, limits, clock, entropy_source));
        Self {
            registry: Arc::new(RoomRegistry::new(games, services.clone())),
            address_limits,
            services,
            pages: Pages::default(),
            proxy: ProxyConfig::default(),
            reminder: Reminder::default(),
            ending: watch::Sender::new(None),
            sockets: TaskTracker::new(),
            cut: CancellationToken::new(),
            conns: AtomicU64::new(0),
        }
    }

    /// The same with something in front of it.
    pub fn behind(self, proxy: ProxyConfig) -> Self {
        Self { proxy, ..self }
    }

    /// The same with other pages than those inside the program.
    pub fn with_pages(self, pages: Pages) -> Self {
        Self { pages, ..self }
    }

    /// What the task of a socket needs.
    fn socket_context(&self) -> SocketContext<'_> {
        SocketContext {
            registry: &self.registry,
            address_limits: &self.address_limits,
            services: &self.services,
            ending: self.ending.subscribe(),
        }
    }

    fn next_conn(&self) -> ConnId {
        ConnId(self.conns.fetch_add(1, Ordering::Relaxed))
    }

    fn is_ending(&self) -> bool {
        self.ending.borrow().is_some()
    }
}

/// The whole service. Requests have to carry a [`Peer`].
pub fn router(app: Arc<AppState>) -> Router {
    let answers = Router::new()
        .route(with_cost("/"), get(pages::home))
        .route(with_cost("/t/{room}"), get(pages::table))
        .route(with_cost("/api/page"), get(pages::current))
        .route(with_cost(SELF_CHECK), post(check).get(idle))
        .route(with_cost("/api/rooms"), post(open).get(list))
        .route(with_cost("/api/rooms/{room}"), get(summary))
        .route(with_cost("/api/rooms/{room}/socket"), get(enter))
        .route(with_cost("/healthz"), get(|| async { "ok" }))
        .route(with_cost("/readyz"), get(ready))
        .fallback(pages::other)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.services.limits.message_bytes))
        .layer(map_response_with_state(app.clone(), count))
        .layer(map_response(guard))
        .with_state(app.clone());
    // These are many and small, and no documents: they go without what is said of documents.
    let kept = get(pages::kept).layer(map_response(guard_file));
    let kept = Router::new()
        .route(with_cost("/a/{mark}/{*path}"), kept)
        .method_not_allowed_fallback(wrong_method)
        .layer(map_response_with_state(app.clone(), count));
    answers.merge(kept.with_state(app))
}

async fn wrong_method() -> ApiError {
    ApiError::WrongMethod
}

/// Returns the path. Panics if it has no cost: the server does not start then.
fn with_cost(path: &'static str) -> &'static str {
    let has_cost = ROUTES.iter().any(|route| route.path == path);
    assert!(has_cost, "the route {path} has no cost");
    path
}

/// The answer to a call that comes to no route: it is refused with this error. The body of the call is not read.
pub(crate) async fn refused(app: &AppState, error: ApiError) -> Response {
    app.services.metrics.note_refusal(error.code());
    guard(error.into_response()).await
}

/// 429 with `Retry-After: wait`, for a call from an address without tokens. The body of the call is not read.
pub(crate) async fn too_many_calls(app: &AppState, wait: Duration) -> Response {
    let mut response = refused(app, ApiError::TooManyCalls).await;
    let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Counts calls that are refused.
async fn count(State(app): State<Arc<AppState>>, response: Response) -> Response {
    if let Some(error) = response.extensions().get::<ApiError>() {
        app.services.metrics.note_refusal(error.code());
    }
    response
}

/// What every answer tells the browser: be taken by nobody else, be nothing but what is said.
async fn guard_file(response: Response) -> Response {
    const HEADERS: [(&str, &str); 2] = [
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
    ];
    with(response, &HEADERS)
}

/// What else every document tells the browser: take nothing from elsewhere, tell nobody else.
async fn guard(response: Response) -> Response {
    const HEADERS: [(&str, &str); 2] = [
        ("content-security-policy", pages::POLICY),
        ("referrer-policy", "no-referrer"),
    ];
    with(guard_file(response).await, &HEADERS)
}

fn with(mut response: Response, fields: &[(&'static str, &'static str)]) -> Response {
    let headers = response.headers_mut();
    for (name, value) in fields {
        // The page has a policy of its own.
        headers
            .entry(*name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

async fn open(
    State(app): State<Arc<AppState>>,
    Extension(Peer(peer)): Extension<Peer>,
    request: Request,
) -> Result<Response, ApiError> {
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let body = read_body(&app.services.limits, request).await?;
    // A list would be read as the fields in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ApiError::Malformed);
    }
    let wish: OpenRoom = serde_json::from_slice(&body).map_err(|_| ApiError::Malformed)?;
    let game = app.registry.games().find(&wish.game);
    let game = game.ok_or(ApiError::Malformed)?;
    let permit = app.address_limits.open_room(ClientAddr::from(peer));
    let permit = permit.map_err(|_| ApiError::TooManyRooms)?;
    let code = app.registry.open(game, wish, permit).await?;
    // Relative to this call, so that it is right below any path.
    let body = RoomOpened {
        room: code.as_str(),
        url: format!("../t/{code}"),
    };
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

async fn read_body(limits: &Limits, request: Request) -> Result<Bytes, ApiError> {
    let body = Bytes::from_request(request, &());
    let body = tokio::time::timeout(limits.header_time(), body).await;
    body.map_err(|_| ApiError::TooSlow)?
        .map_err(|rejection| match rejection {
            BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
                ApiError::TooLarge
            }
            _ => ApiError::Malformed,
        })
}

async fn list(State(app): State<Arc<AppState>>) -> Result<Response, ApiError> {
    let listed = app.services.store.listed(app.services.now()).await;
    let mut rooms = listed.map_err(|error| {
        tracing::error!(%error, "the list could not be read");
        ApiError::Storage
    })?;
    for room in &mut rooms {
        room.spectators = app.registry.spectators(&room.room);
    }
    Ok(Json(RoomList { rooms }).into_response())
}

async fn summary(
    State(app): State<Arc<AppState>>,
    Extension(Peer(peer)): Extension<Peer>,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    let client_addr = ClientAddr::from(peer);
    let code = RoomCode::read(&code);
    let lookup = app.address_limits.look_up_code(client_addr, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let summary = match &code {
        Some(code) => app.services.store.summary(code).await,
        None => Ok(None),
    };
    let summary = match summary {
        Ok(Some(summary)) => summary,
        Ok(None) => return Err(ApiError::NoSuchRoom),
        Err(error) => {
            tracing::error!(%error, "a summary could not be read");
            lookup.refund();
            return Err(ApiError::Storage);
        }
    };
    lookup.refund();
    // The log does not know: people who come to watch write nothing there.
    let spectators = app.registry.spectators(&summary.room);
    Ok(Json(RoomSummary {
        spectators,
        ..summary
    })
    .into_response())
}

async fn enter(
    State(app): State<Arc<AppState>>,
    Extension(Peer(peer)): Extension<Peer>,
    code: Result<Path<String>, PathRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::NoUpgrade)?;
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let client_addr = ClientAddr::from(peer);
    let code = RoomCode::read(&code);
    // The lookup begins last: a socket that is not let in is no guess.
    let permit = admit(&app, client_addr).await?;
    let lookup = app.address_limits.look_up_code(client_addr, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let conn = app.next_conn();
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        permit,
        move |socket| async move {
            let served = task::serve(
                app.socket_context(),
                conn,
                client_addr,
                (lookup, code),
                socket,
            );
            app.cut.run_until_cancelled(served).await;
        },
    ))
}

/// Lets a socket in. A client that comes too often waits, and is looked at once more: so a client that tries over and
/// over is refused at the pace of the server, not at its own.
async fn admit(app: &AppState, client_addr: ClientAddr) -> Result<Permit, LimitReached> {
    let permit = app.address_limits.open_socket(client_addr);
    if let Err(LimitReached::TooOften) = permit
        && let Some(_delay) = app.address_limits.delay(client_addr)
    {
        sleep(KEPT_WAITING).await;
        return app.address_limits.open_socket(client_addr);
    }
    permit
}

/// An upgrade to a socket that takes, and keeps, no more than is allowed.
pub fn bounded(upgrade: WebSocketUpgrade, limits: &Limits) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(limits.read_buffer_bytes.get())
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(limits.message_bytes)
        .max_frame_size(limits.message_bytes)
}

/// Upgrades a call, and serves its socket for as long as it is open.
fn serve_socket<SocketTask: Future<Output = ()> + Send + 'static>(
    app: &AppState,
    upgrade: WebSocketUpgrade,
    permit: Permit,
    serve: impl FnOnce(WebSocket) -> SocketTask + Send + 'static,
) -> Response {
    let upgrade = bounded(upgrade, &app.services.limits).protocols([PROTOCOL]);
    let tracker = app.sockets.clone();
    upgrade.on_upgrade(move |socket| {
        tracker.track_future(async move {
            serve(socket).await;
            drop(permit);
        })
    })
}

/// Tells a page what came through of its call.
async fn check(State(app): State<Arc<AppState>>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let body = read_body(&app.services.limits, request).await?;
    let question: ConnectionCheck =
        serde_json::from_slice(&body).map_err(|_| ApiError::Malformed)?;
    let findings = Findings::new(&app, &parts.headers, &parts.uri, &question);
    Ok(Json(findings.ok_or(ApiError::Malformed)?).into_response())
}

/// A socket that says nothing for a while. An address may have a few of them.
async fn idle(
    State(app): State<Arc<AppState>>,
    Extension(Peer(peer)): Extension<Peer>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::NoUpgrade)?;
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let client_addr = ClientAddr::from(peer);
    let check = app.address_limits.open_check(client_addr)?;
    let permit = admit(&app, client_addr).await?;
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        permit,
        move |socket| async move {
            let served = connection_check::idle(&app, socket);
            app.cut.run_until_cancelled(served).await;
            drop(check);
        },
    ))
}

/// Whether people can play: `ready`, or why not.
pub(crate) async fn ready(State(app): State<Arc<AppState>>) -> Response {
    if app.is_ending() {
        return (StatusCode::SERVICE_UNAVAILABLE, "ending").into_response();
    }
    match app.services.store.check().await {
        None => "ready".into_response(),
        Some(trouble) => (StatusCode::SERVICE_UNAVAILABLE, trouble.words()).into_response(),
    }
}
