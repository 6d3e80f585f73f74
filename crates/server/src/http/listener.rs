//! The accept loop: connections and their requests, until the shutdown.

use std::convert::Infallible;
use std::net::SocketAddr;
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
use tokio::time::{Instant, sleep};
use tokio_io_timeout::TimeoutWriter;

use crate::http::api_error::ApiError;
use crate::http::origin;
use crate::http::proxy::{PathRewrite, ProxySettings};
use crate::http::routes::{
    AppState, CONNECTION_CHECK, ClientIp, refused, router, too_many_requests,
};
use crate::http::shutdown::shut_down;
use crate::limits::client_addr::ClientAddr;
use crate::limits::operator_limits::Limits;
use crate::limits::request_costs::{self, Cost};
use crate::rooms::sweep::sweep_repeatedly;
use crate::socket::throttled_stream::ThrottledStream;
use crate::storage::WriterHandle;

/// The most headers of a request.
const MAX_HEADERS: usize = 64;
/// The most bytes of all headers of a request.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// The pause after a failed accept, for example with too many open files.
pub(crate) const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);
/// The pause before a refusal of a request that exceeds the rate limit or comes from a page of another site.
pub const REFUSAL_PAUSE: Duration = Duration::from_millis(200);
/// A connection is writable only while fewer than about this many bytes are unsent
/// (`TCP_NOTSENT_LOWAT`). So progress is seen early, and a newer state can replace a waiting one.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 4096;

/// Serves connections until `shutdown` is ready. Then it closes all sockets, completes all writes, and
/// returns.
pub async fn serve(
    listener: TcpListener,
    app: Arc<AppState>,
    writer: WriterHandle,
    shutdown: impl Future<Output = ()>,
) {
    let router = router(app.clone());
    serve_routes(listener, app, router, writer, shutdown).await;
}

/// The same with another router.
pub async fn serve_routes(
    listener: TcpListener,
    app: Arc<AppState>,
    router: Router,
    writer: WriterHandle,
    shutdown: impl Future<Output = ()>,
) {
    let accepting = accept_all(&listener, &app, &router);
    // The sweeps end before the writer does: one that waits for space in its queue would delay it.
    tokio::select! {
        () = shutdown => {}
        () = accepting => {}
        () = sweep_repeatedly(&app.services) => {}
        () = app.registry.end_rooms_of_earlier_timelines() => {}
    }
    drop(listener);
    shut_down(&app, writer).await;
}

/// Accepts connections. Never returns.
async fn accept_all(listener: &TcpListener, app: &Arc<AppState>, router: &Router) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => accept(app, router.clone(), stream, peer),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_RETRY_PAUSE).await;
            }
        }
    }
}

fn accept(app: &Arc<AppState>, router: Router, stream: TcpStream, peer: SocketAddr) {
    let (limits, address_limits) = (&app.services.limits, &app.address_limits);
    let client_addr = ClientAddr::from(peer.ip());
    let now = Instant::now().into_std();
    // Behind a proxy all connections come from one address. Their sockets are counted by the forwarded address.
    let permit = match app.proxy.trusted_proxies {
        0 => address_limits
            .try_charge_connection(client_addr, now)
            .and_then(|()| {
                address_limits.permit_connection(client_addr, limits.sockets_per_address.get())
            }),
        _ => address_limits.permit_connection(client_addr, limits.sockets.get()),
    };
    let Ok(permit) = permit else {
        // Without a free connection not even a refusal is sent.
        return;
    };
    if let Err(error) = set_socket_options(&stream, &app.services.limits) {
        tracing::debug!(%error, "a new connection was lost");
        return;
    }
    let mut stream = TimeoutWriter::new(ThrottledStream::new(stream, &app.services.limits));
    stream.set_timeout(Some(app.services.limits.write_timeout()));
    let stream = Box::pin(stream);
    let header_timeout = app.services.limits.header_timeout();
    let app = app.clone();
    tokio::spawn(async move {
        let service = service_fn(move |request: Request<Incoming>| {
            let request = request.map(Body::new);
            handle(app.clone(), router.clone(), peer, request)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(header_timeout)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a connection failed");
        }
        drop(permit);
    });
}

async fn handle(
    app: Arc<AppState>,
    mut router: Router,
    peer: SocketAddr,
    mut request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    use tower_service::Service;

    let proxy = &app.proxy;
    app.untrusted_proxy_warning.check(proxy, request.headers());
    let client = proxy.client_ip(peer, request.headers());
    request.extensions_mut().insert(ClientIp(client));
    let rewrite_path = proxy.rewrite_path(request.uri());
    let path = match &rewrite_path {
        PathRewrite::Unchanged => Some(request.uri().path()),
        PathRewrite::Stripped(uri) => Some(uri.path()),
        PathRewrite::Redirect(_) => None,
    };
    // Before anything else is done for the request, and before its body is read. A request of another site's page takes no
    // unit: the client did not ask for it.
    if is_foreign(proxy, &request, path.unwrap_or("/")) {
        sleep(REFUSAL_PAUSE).await;
        return Ok(refused(&app, ApiError::BadOrigin).await);
    }
    let cost = path.map_or(Cost::File, |path| {
        request_costs::cost(request.method(), path)
    });
    let now = Instant::now().into_std();
    if let Err(wait) = app
        .address_limits
        .try_charge_request(ClientAddr::from(client), cost, now)
    {
        // A connection carries one request at a time, so the pause bounds the rate of refusals of a
        // client.
        sleep(REFUSAL_PAUSE).await;
        return Ok(too_many_requests(&app, wait).await);
    }
    match rewrite_path {
        PathRewrite::Unchanged => {}
        PathRewrite::Stripped(uri) => *request.uri_mut() = uri,
        PathRewrite::Redirect(folder) => return Ok(Redirect::permanent(&folder).into_response()),
    }
    router.call(request).await
}

/// Whether a page of another site sends this request. It may lead to our pages by a link.
fn is_foreign(proxy: &ProxySettings, request: &Request<Body>, path: &str) -> bool {
    let headers = request.headers();
    if !path.starts_with("/api/") {
        return origin::is_cross_site(headers) && !origin::opens_page(headers);
    }
    // The page sends the connection check also through a proxy that changes the host, to detect it.
    origin::is_cross_site(headers)
        || path != CONNECTION_CHECK && !proxy.is_own_origin(headers, request.uri())
}

fn set_socket_options(stream: &TcpStream, limits: &Limits) -> std::io::Result<()> {
    // Views are small, and people wait for them.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    socket.set_send_buffer_size(limits.send_buffer_bytes.get())?;
    #[cfg(target_os = "linux")]
    {
        socket.set_tcp_user_timeout(Some(limits.tcp_user_timeout()))?;
        socket.set_tcp_notsent_lowat(UNSENT_BYTES)?;
    }
    Ok(())
}
