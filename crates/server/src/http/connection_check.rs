//! The connection check: a page sends a request and learns what a proxy has changed in it.
//!
//! The faults of a proxy show up late: a room does not open, or the connection breaks after a
//! minute without a move. Here each fault has a code, and the client has a text for it.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use axum::http::{HeaderMap, HeaderName, Uri};
use serde::{Deserialize, Serialize};
use sticheln_protocol::CloseCode;

use crate::http::proxy::{ProxyConfig, PublicUrl};
use crate::http::routes::AppState;

/// The time limit for closing a socket.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The request of a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionCheck {
    /// The address of the page in the browser.
    page: String,
}

/// The findings of the check.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Findings {
    host: Host,
    path: Path,
    scheme: Scheme,
    client_addresses: ClientAddresses,
    /// The time without a message on the socket of the check, in seconds.
    idle_seconds: u64,
    /// The public address of the page, if one is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
}

/// The message after the idle time.
#[derive(Debug, Serialize)]
struct IdleMessage {
    r#type: &'static str,
    seconds: u64,
}

/// Whether the page has the host that the server expects. Otherwise rooms refuse it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Host {
    /// The host is the expected one.
    Ok,
    /// A proxy sends another host than the browser.
    Changed,
    /// The page has another host than the public address.
    NotPublic,
}

/// Whether the page is in the public folder.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Path {
    /// The folder is the public one, or none is set.
    Ok,
    /// The folder is another one.
    NotPublic,
}

/// The scheme by which the browser has loaded the page.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    /// HTTPS.
    Https,
    /// HTTP without encryption.
    Http,
    /// A proxy names another scheme than the browser.
    Changed,
}

/// Whether clients are counted by their own addresses.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ClientAddresses {
    /// Each client is counted by its own address.
    Apart,
    /// A proxy names the addresses and is not trusted, so all clients share one.
    AsOne,
    /// Proxies are trusted and name no addresses.
    NotNamed,
}

impl Findings {
    /// Checks a request; `None` if the page is not an address.
    pub fn new(
        app: &AppState,
        headers: &HeaderMap,
        uri: &Uri,
        request: &ConnectionCheck,
    ) -> Option<Self> {
        let proxy = &app.proxy;
        let page: PublicUrl = request.page.parse().ok()?;
        let public = proxy.public_url.as_ref();
        Some(Self {
            host: host(proxy, headers, uri, &page),
            path: match public {
                Some(public) if public.path() != page.path() => Path::NotPublic,
                Some(_) | None => Path::Ok,
            },
            scheme: scheme(headers, &page),
            client_addresses: match (proxy.trusted_proxies, proxy.names_client(headers)) {
                (0, true) => ClientAddresses::AsOne,
                (0, false) => ClientAddresses::Apart,
                (_, true) => ClientAddresses::Apart,
                (_, false) => ClientAddresses::NotNamed,
            },
            idle_seconds: app.services.limits.ping_seconds.get(),
            public_url: public.map(PublicUrl::to_string),
        })
    }
}

fn host(proxy: &ProxyConfig, headers: &HeaderMap, uri: &Uri, page: &PublicUrl) -> Host {
    match &proxy.public_url {
        Some(public) if public.origin() == page.origin() => Host::Ok,
        Some(_) => Host::NotPublic,
        None if proxy.is_own_origin(headers, uri) => Host::Ok,
        None => Host::Changed,
    }
}

fn scheme(headers: &HeaderMap, page: &PublicUrl) -> Scheme {
    let (seen, found) = match page.origin().starts_with("https:") {
        true => ("https", Scheme::Https),
        false => ("http", Scheme::Http),
    };
    // The first value is that of the outermost proxy. The server does not act on it, so the proxy
    // need not be trusted.
    let forwarded = headers.get(X_FORWARDED_PROTO);
    let forwarded = forwarded.and_then(|forwarded| forwarded.to_str().ok()?.split(',').next());
    match forwarded {
        Some(forwarded) if !forwarded.trim().eq_ignore_ascii_case(seen) => Scheme::Changed,
        Some(_) | None => found,
    }
}

/// Sends nothing for as long as the socket of an idle room, then says so and closes.
pub async fn idle(app: &AppState, mut socket: WebSocket) {
    let seconds = app.services.limits.ping_seconds.get();
    let mut shutdown = app.shutdown.subscribe();
    let code = tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(seconds)) => {
            let message = IdleMessage { r#type: "idle", seconds };
            let text = serde_json::to_string(&message).expect("the message has only plain fields");
            let sent = socket.send(Message::Text(text.into()));
            if !matches!(tokio::time::timeout(CLOSE_TIMEOUT, sent).await, Ok(Ok(()))) {
                return;
            }
            CloseCode::Normal
        }
        // The client does not send anything during the check. If it does, the check ends.
        _ = socket.recv() => CloseCode::Normal,
        () = async { drop(shutdown.wait_for(Option::is_some).await) } => CloseCode::Restarting,
    };
    let frame = CloseFrame {
        code: code.number(),
        reason: Utf8Bytes::from_static(""),
    };
    let close = async {
        if socket.send(Message::Close(Some(frame))).await.is_ok() {
            // Waits for the close frame of the client.
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    // A client that does not close in time is disconnected.
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, close).await;
}
