//! Accepting connections, and ending in order.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Redirect};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, interval_at, sleep, timeout};
use tokio_io_timeout::TimeoutWriter;

use crate::http::api_error::ApiError;
use crate::http::origin;
use crate::http::proxy::{PathRewrite, ProxyConfig};
use crate::http::routes::{AppState, Peer, SELF_CHECK, refused, router, too_many_calls};
use crate::limits::call_costs::{self, Cost};
use crate::limits::client_addr::ClientAddr;
use crate::settings::Limits;
use crate::socket::throttled_stream::ThrottledStream;
use crate::storage::Writer;

/// The most headers of a call.
const HEADERS: usize = 64;
/// The most bytes of all headers of a call.
const HEADER_BYTES: usize = 16 * 1024;
/// How long to wait after a failure to accept, such as too many open files.
pub(crate) const BREATH: Duration = Duration::from_millis(100);
/// How long a socket that was closed is waited for, once the server ends: it may not take what it
/// is sent, and then nothing can be told it.
const PARTING: Duration = Duration::from_millis(1500);
/// How long a call that comes too often, or from a page of another site, waits for its refusal.
pub const REFUSAL_PAUSE: Duration = Duration::from_millis(200);
/// A connection is writable only while fewer than about this many bytes are unsent (`TCP_NOTSENT_LOWAT`). So progress is
/// seen early, and a newer state can take the place of one that waits.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 4096;
/// How often rooms are cleared away whose time is over.
const SWEEP: Duration = Duration::from_secs(60);

/// Serves everybody who connects, until `ended` comes; then tells and closes every socket,
/// finishes what is to be written, and returns.
pub async fn serve(
    listener: TcpListener,
    state: Arc<AppState>,
    writer: Writer,
    ended: impl Future<Output = ()>,
) {
    let router = router(state.clone());
    serve_routes(listener, state, router, writer, ended).await;
}

/// The same for other answers than those of [`router`].
pub async fn serve_routes(
    listener: TcpListener,
    state: Arc<AppState>,
    router: Router,
    writer: Writer,
    ended: impl Future<Output = ()>,
) {
    let mut ended = pin!(ended);
    let mut sweep = interval_at(Instant::now() + SWEEP, SWEEP);
    loop {
        tokio::select! {
            () = &mut ended => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => accept(&state, router.clone(), stream, peer),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(BREATH).await;
                }
            },
            _ = sweep.tick() => {
                let state = state.clone();
                tokio::spawn(async move { clear_away(&state).await });
            }
        }
    }
    drop(listener);
    end(&state, writer).await;
}

fn accept(state: &Arc<AppState>, router: Router, stream: TcpStream, peer: SocketAddr) {
    // Behind a proxy all connections come from one address. Their sockets are counted by the forwarded address.
    let max = match state.proxy.trusted_proxies {
        0 => state.services.limits.sockets_per_address.get(),
        _ => state.services.limits.sockets.get(),
    };
    let Ok(permit) = state
        .address_limits
        .open_connection(ClientAddr::from(peer.ip()), max)
    else {
        // There is no space even for an answer.
        return;
    };
    if let Err(error) = prepare(&stream, &state.services.limits) {
        tracing::debug!(%error, "a connection was lost at once");
        return;
    }
    let mut stream = TimeoutWriter::new(ThrottledStream::new(stream, &state.services.limits));
    stream.set_timeout(Some(state.services.limits.write_time()));
    let stream = Box::pin(stream);
    let header_time = state.services.limits.header_time();
    let state = state.clone();
    tokio::spawn(async move {
        let service = service_fn(move |request: Request<Incoming>| {
            let request = request.map(Body::new);
            answer(state.clone(), router.clone(), peer, request)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_time)
            .max_headers(HEADERS)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection ended");
        }
        drop(permit);
    });
}

async fn answer(
    state: Arc<AppState>,
    mut router: Router,
    peer: SocketAddr,
    mut request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    use tower_service::Service;

    let proxy = &state.proxy;
    state.reminder.look(proxy, request.headers());
    let client = proxy.client(peer, request.headers());
    request.extensions_mut().insert(Peer(client));
    let rewrite_path = proxy.rewrite_path(request.uri());
    let path = match &rewrite_path {
        PathRewrite::Same => Some(request.uri().path()),
        PathRewrite::At(uri) => Some(uri.path()),
        PathRewrite::Enter(_) => None,
    };
    // Before anything else is done for the call, and before its body is read. A call of another site's page takes no
    // token: the visitor of that page has not asked for it.
    if path.is_some_and(|path| is_foreign(proxy, &request, path)) {
        sleep(REFUSAL_PAUSE).await;
        return Ok(refused(&state, ApiError::BadOrigin).await);
    }
    let cost = path.map_or(Cost::File, |path| call_costs::cost(request.method(), path));
    let now = Instant::now().into_std();
    if let Err(wait) = state
        .address_limits
        .try_call(ClientAddr::from(client), cost, now)
    {
        // A connection carries one call at a time, so the pause bounds how many refusals a visitor can ask for.
        sleep(REFUSAL_PAUSE).await;
        return Ok(too_many_calls(&state, wait).await);
    }
    match rewrite_path {
        PathRewrite::Same => {}
        PathRewrite::At(uri) => *request.uri_mut() = uri,
        PathRewrite::Enter(folder) => return Ok(Redirect::permanent(&folder).into_response()),
    }
    router.call(request).await
}

/// Whether a page of another site sends this call below `/api/`.
fn is_foreign(proxy: &ProxyConfig, request: &Request<Body>, path: &str) -> bool {
    if !path.starts_with("/api/") {
        return false;
    }
    // Our own page asks the connection check also behind a proxy that changes the host, to find that out.
    origin::is_cross_site(request.headers())
        || path != SELF_CHECK && !proxy.is_ours(request.headers(), request.uri())
}

fn prepare(stream: &TcpStream, limits: &Limits) -> std::io::Result<()> {
    // Views are small, and somebody waits for each of them.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    socket.set_send_buffer_size(limits.send_buffer_bytes.get())?;
    #[cfg(target_os = "linux")]
    {
        socket.set_tcp_user_timeout(Some(limits.unacknowledged_time()))?;
        socket.set_tcp_notsent_lowat(UNSENT_BYTES)?;
    }
    Ok(())
}

async fn clear_away(state: &AppState) {
    let services = &state.services;
    let mut rooms = 0;
    loop {
        let awake = state.registry.codes_with_slot();
        match services.store.sweep(services.now(), awake).await {
            Ok(swept) => {
                rooms += swept.rooms;
                if swept.is_done {
                    break;
                }
            }
            Err(error) => {
                tracing::error!(%error, "no room could be cleared away");
                break;
            }
        }
    }
    if rooms > 0 {
        tracing::info!(rooms, "rooms were cleared away");
    }
}

async fn end(state: &AppState, writer: Writer) {
    let limits = &state.services.limits;
    let sockets = state.address_limits.sockets();
    let spread = if sockets <= limits.closed_at_once {
        Duration::ZERO
    } else {
        Duration::from_secs(limits.closing_seconds)
    };
    tracing::info!(sockets, "the server ends");
    state.services.search_pool.close();
    state.ending.send_replace(Some(spread));
    state.sockets.close();
    let in_order = async {
        if timeout(spread + PARTING, state.sockets.wait())
            .await
            .is_err()
        {
            state.cut.cancel();
            state.sockets.wait().await;
        }
        state.registry.close().await;
        state.services.store.close().await;
        writer.finish().await;
    };
    let most = Duration::from_secs(limits.ending_seconds);
    if timeout(most, in_order).await.is_err() {
        tracing::warn!("not everything could be closed in time; what was acknowledged is safe");
    }
}
