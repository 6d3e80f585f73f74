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
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
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

use crate::api_error::ApiError;
use crate::code::Code;
use crate::costs::ROUTES;
use crate::door::{Door, Full, Pass, Visitor};
use crate::front::{Front, Reminder};
use crate::house::{Clock, House, Luck};
use crate::options::Limits;
use crate::pages::{self, Pages};
use crate::selfcheck::{self, Findings, Question};
use crate::socket;
use crate::store::Store;

/// The name of the wire protocol for those who ask for it by name.
const PROTOCOL: &str = "trick.v1";
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
pub struct App {
    /// All rooms.
    pub house: Arc<House>,
    /// Who may come in.
    pub door: Arc<Door>,
    /// How much anybody may ask for.
    pub limits: Limits,
    /// The page and its files.
    pub pages: Pages,
    /// What stands in front of the server.
    pub front: Front,
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

impl App {
    /// A server with this log, clock and chance.
    pub fn new(store: Store, limits: Limits, clock: Clock, luck: Luck) -> Self {
        Self {
            house: Arc::new(House::new(store, limits.clone(), clock, luck)),
            door: Arc::new(Door::new(limits.clone())),
            limits,
            pages: Pages::default(),
            front: Front::default(),
            reminder: Reminder::default(),
            ending: watch::Sender::new(None),
            sockets: TaskTracker::new(),
            cut: CancellationToken::new(),
            conns: AtomicU64::new(0),
        }
    }

    /// The same with something in front of it.
    pub fn behind(self, front: Front) -> Self {
        Self { front, ..self }
    }

    /// The same with other pages than those inside the program.
    pub fn with_pages(self, pages: Pages) -> Self {
        Self { pages, ..self }
    }

    fn next_conn(&self) -> ConnId {
        ConnId(self.conns.fetch_add(1, Ordering::Relaxed))
    }

    fn is_ending(&self) -> bool {
        self.ending.borrow().is_some()
    }
}

/// The whole service. Requests have to carry a [`Peer`].
pub fn app(app: Arc<App>) -> Router {
    let answers = Router::new()
        .route(with_cost("/"), get(pages::home))
        .route(with_cost("/t/{room}"), get(pages::table))
        .route(with_cost("/api/page"), get(pages::current))
        .route(with_cost("/api/selfcheck"), post(check).get(idle))
        .route(with_cost("/api/rooms"), post(open).get(list))
        .route(with_cost("/api/rooms/{room}"), get(summary))
        .route(with_cost("/api/rooms/{room}/socket"), get(enter))
        .route(with_cost("/healthz"), get(|| async { "ok" }))
        .route(with_cost("/readyz"), get(ready))
        .fallback(pages::other)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(app.limits.message_bytes))
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

/// 429 with `Retry-After: wait`, for a call from an address without tokens. The body of the call is not read.
pub(crate) async fn too_many_calls(app: &App, wait: Duration) -> Response {
    let error = ApiError::TooManyCalls;
    app.house.figures().note_refusal(error.code());
    let mut response = guard(error.into_response()).await;
    let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Counts calls that are refused.
async fn count(State(app): State<Arc<App>>, response: Response) -> Response {
    if let Some(error) = response.extensions().get::<ApiError>() {
        app.house.figures().note_refusal(error.code());
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
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    request: Request,
) -> Result<Response, ApiError> {
    if !app.front.is_ours(request.headers(), request.uri()) {
        return Err(ApiError::BadOrigin);
    }
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let body = read_body(&app.limits, request).await?;
    // A list would be read as the fields in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(ApiError::Malformed);
    }
    let wish: OpenRoom = serde_json::from_slice(&body).map_err(|_| ApiError::Malformed)?;
    let pass = app.door.open(Visitor::from(peer));
    let pass = pass.map_err(|_| ApiError::TooManyRooms)?;
    let code = app.house.open(wish, pass).await?;
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

async fn list(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let listed = app.house.store().listed(app.house.now()).await;
    let mut rooms = listed.map_err(|error| {
        tracing::error!(%error, "the list could not be read");
        ApiError::Storage
    })?;
    for room in &mut rooms {
        room.spectators = app.house.spectators(&room.room);
    }
    Ok(Json(RoomList { rooms }).into_response())
}

async fn summary(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    code: Result<Path<String>, PathRejection>,
) -> Result<Response, ApiError> {
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    let visitor = Visitor::from(peer);
    let code = Code::read(&code);
    let lookup = app.door.look_up(visitor, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let summary = match &code {
        Some(code) => app.house.store().summary(code).await,
        None => Ok(None),
    };
    let summary = match summary {
        Ok(Some(summary)) => summary,
        Ok(None) => return Err(ApiError::NoSuchRoom),
        Err(error) => {
            tracing::error!(%error, "a summary could not be read");
            lookup.forgive();
            return Err(ApiError::Storage);
        }
    };
    lookup.forgive();
    // The log does not know: people who come to watch write nothing there.
    let spectators = app.house.spectators(&summary.room);
    Ok(Json(RoomSummary {
        spectators,
        ..summary
    })
    .into_response())
}

async fn enter(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    code: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    uri: Uri,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::NoUpgrade)?;
    let Path(code) = code.map_err(|_| ApiError::NoSuchRoom)?;
    if !app.front.is_ours(&headers, &uri) {
        return Err(ApiError::BadOrigin);
    }
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let visitor = Visitor::from(peer);
    let code = Code::read(&code);
    // The lookup begins last: a socket that is not let in is no guess.
    let pass = let_in(&app, visitor).await?;
    let lookup = app.door.look_up(visitor, code.as_ref());
    let lookup = lookup.ok_or(ApiError::TooManyWrongCodes)?;
    let conn = app.next_conn();
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        pass,
        move |socket| async move {
            let served = socket::serve(&app, conn, visitor, (lookup, code), socket);
            app.cut.run_until_cancelled(served).await;
        },
    ))
}

/// Lets a socket in. A client that comes too often waits, and is looked at once more: so a client that tries over and
/// over is refused at the pace of the server, not at its own.
async fn let_in(app: &App, visitor: Visitor) -> Result<Pass, Full> {
    let entered = app.door.enter(visitor);
    if let Err(Full::TooOften) = entered
        && let Some(_waits) = app.door.keep_waiting(visitor)
    {
        sleep(KEPT_WAITING).await;
        return app.door.enter(visitor);
    }
    entered
}

/// An upgrade to a socket that takes, and keeps, no more than is allowed.
pub fn bounded(upgrade: WebSocketUpgrade, limits: &Limits) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(limits.read_buffer_bytes)
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER)
        .max_message_size(limits.message_bytes)
        .max_frame_size(limits.message_bytes)
}

/// Upgrades a call, and serves its socket for as long as it is open.
fn serve_socket<Served: Future<Output = ()> + Send + 'static>(
    app: &App,
    upgrade: WebSocketUpgrade,
    pass: Pass,
    serve: impl FnOnce(WebSocket) -> Served + Send + 'static,
) -> Response {
    let upgrade = bounded(upgrade, &app.limits).protocols([PROTOCOL]);
    let tracker = app.sockets.clone();
    upgrade.on_upgrade(move |socket| {
        tracker.track_future(async move {
            serve(socket).await;
            drop(pass);
        })
    })
}

/// Tells a page what came through of its call.
async fn check(State(app): State<Arc<App>>, request: Request) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let request = Request::from_parts(parts.clone(), body);
    let body = read_body(&app.limits, request).await?;
    let question: Question = serde_json::from_slice(&body).map_err(|_| ApiError::Malformed)?;
    let findings = Findings::new(&app, &parts.headers, &parts.uri, &question);
    Ok(Json(findings.ok_or(ApiError::Malformed)?).into_response())
}

/// A socket that says nothing for a while. Whoever may ask what came through may have it.
async fn idle(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::NoUpgrade)?;
    if app.is_ending() {
        return Err(ApiError::Restarting);
    }
    let pass = let_in(&app, Visitor::from(peer)).await?;
    Ok(serve_socket(
        &app.clone(),
        upgrade,
        pass,
        move |socket| async move {
            let served = selfcheck::idle(&app, socket);
            app.cut.run_until_cancelled(served).await;
        },
    ))
}

/// Whether people can play: `ready`, or why not.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_ending() {
        return (StatusCode::SERVICE_UNAVAILABLE, "ending").into_response();
    }
    match app.house.store().check().await {
        None => "ready".into_response(),
        Some(trouble) => (StatusCode::SERVICE_UNAVAILABLE, trouble.words()).into_response(),
    }
}
