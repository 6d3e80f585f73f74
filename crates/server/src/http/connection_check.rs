//! The connection check: a page sends a request and learns what a proxy has changed in it.
//!
//! The faults of a proxy show up late: a room does not open, or the connection breaks after a
//! minute without a move. Here each fault has a code, and the client has a text for it.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, Uri};
use futures_util::{SinkExt, StreamExt};
use sticheln_protocol::{
    AddressFinding, CloseCode, ConnectionCheck, ConnectionFindings, HostFinding, IdleMessage,
    PathFinding, SchemeFinding,
};
use tokio_tungstenite::tungstenite::Message;

use crate::http::proxy::ProxySettings;
use crate::http::public_url::PublicUrl;
use crate::http::routes::AppState;
use crate::socket::closing::close;
use crate::socket::web_socket::WebSocket;

/// The time limit for sending the message.
const IDLE_MESSAGE_TIMEOUT: Duration = Duration::from_secs(5);
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Checks a request; `None` if the page is not an address.
pub fn findings(
    app: &AppState,
    headers: &HeaderMap,
    uri: &Uri,
    request: &ConnectionCheck,
) -> Option<ConnectionFindings> {
    let proxy = &app.proxy;
    let page: PublicUrl = request.page.parse().ok()?;
    let public = proxy.public_url.as_ref();
    Some(ConnectionFindings {
        host: host(proxy, headers, uri, &page),
        path: match public {
            Some(public) if public.path() != page.path() => PathFinding::NotPublic,
            Some(_) | None => PathFinding::Ok,
        },
        scheme: scheme(headers, &page),
        client_addresses: match (proxy.trusted_proxies, proxy.names_client(headers)) {
            (0, true) => AddressFinding::AsOne,
            (0, false) => AddressFinding::Apart,
            (_, true) => AddressFinding::Apart,
            (_, false) => AddressFinding::NotNamed,
        },
        idle_seconds: app.services.limits.ping_seconds.get(),
        public_url: public.map(PublicUrl::to_string),
    })
}
fn host(proxy: &ProxySettings, headers: &HeaderMap, uri: &Uri, page: &PublicUrl) -> HostFinding {
    match &proxy.public_url {
        Some(public) if public.origin() == page.origin() => HostFinding::Ok,
        Some(_) => HostFinding::NotPublic,
        None if proxy.is_own_origin(headers, uri) => HostFinding::Ok,
        None => HostFinding::Changed,
    }
}

fn scheme(headers: &HeaderMap, page: &PublicUrl) -> SchemeFinding {
    let (seen, found) = match page.origin().starts_with("https:") {
        true => ("https", SchemeFinding::Https),
        false => ("http", SchemeFinding::Http),
    };
    // The first value is that of the outermost proxy. The server does not act on it, so the proxy
    // need not be trusted.
    let forwarded = headers.get(X_FORWARDED_PROTO);
    let forwarded = forwarded.and_then(|forwarded| forwarded.to_str().ok()?.split(',').next());
    match forwarded {
        Some(forwarded) if !forwarded.trim().eq_ignore_ascii_case(seen) => SchemeFinding::Changed,
        Some(_) | None => found,
    }
}

/// Sends nothing for as long as the socket of an idle room, then says so and closes.
pub async fn idle(app: &AppState, mut socket: Box<WebSocket>) {
    let seconds = app.services.limits.ping_seconds.get();
    let mut shutdown = app.shutdown.subscribe();
    let code = tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(seconds)) => {
            let message = IdleMessage { seconds };
            let text = serde_json::to_string(&message).expect("the message has only plain fields");
            let sent = socket.send(Message::Text(text.into()));
            if !matches!(tokio::time::timeout(IDLE_MESSAGE_TIMEOUT, sent).await, Ok(Ok(()))) {
                return;
            }
            CloseCode::Normal
        }
        // The client does not send anything during the check. If it does, the check ends.
        _ = socket.next() => CloseCode::Normal,
        () = async { drop(shutdown.wait_for(Option::is_some).await) } => CloseCode::Reconnect,
    };
    close(&mut socket, code).await;
}
