//! What came through of a call: for a page that asks whether the way to its server is in order.
//!
//! Proxies that leave something out are noticed late and far away: a table does not open, or only
//! breaks off when nobody plays for a minute. Here it has a code, and the client has words for it.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use axum::http::{HeaderMap, HeaderName, Uri};
use serde::{Deserialize, Serialize};

use crate::http::proxy::{ProxyConfig, PublicUrl};
use crate::http::routes::AppState;

/// How long the other side may take for what it is sent at the end.
const PARTING: Duration = Duration::from_secs(5);
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What a page asks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionCheck {
    /// The folder in which the browser has the page.
    page: String,
}

/// What the server finds out.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Findings {
    host: Host,
    path: Path,
    scheme: Scheme,
    visitors: ClientAddresses,
    /// The seconds for which the socket of the same address says nothing.
    idle_seconds: u64,
    /// Where the page should be, if that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    public_url: Option<String>,
}

/// Whether a page is where the server expects it: if not, tables refuse it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Host {
    /// It is.
    Ok,
    /// A proxy asks for another host than the browser did.
    Changed,
    /// There is a public address, and the page is elsewhere.
    NotPublic,
}

/// Whether the folder is the public one.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Path {
    /// It is, or none was chosen.
    Ok,
    /// It is another.
    NotPublic,
}

/// How the page came to the browser.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Scheme {
    /// Encrypted.
    Https,
    /// Readable for whoever is on the way.
    Http,
    /// A proxy says something else about it than the browser.
    Changed,
}

/// Whether visitors are told apart.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ClientAddresses {
    /// Each client counts by its own address.
    Apart,
    /// A proxy names their addresses, and is not trusted.
    AsOne,
    /// Proxies are trusted, and name no addresses.
    NotNamed,
}

impl Findings {
    /// What a call shows; `None` if the page is no address.
    pub fn new(
        app: &AppState,
        headers: &HeaderMap,
        uri: &Uri,
        question: &ConnectionCheck,
    ) -> Option<Self> {
        let proxy = &app.proxy;
        let page: PublicUrl = question.page.parse().ok()?;
        let public = proxy.public_url.as_ref();
        Some(Self {
            host: host(proxy, headers, uri, &page),
            path: match public {
                Some(public) if public.path() != page.path() => Path::NotPublic,
                Some(_) | None => Path::Ok,
            },
            scheme: scheme(headers, &page),
            visitors: match (proxy.trusted_proxies, proxy.is_told(headers)) {
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
        None if proxy.is_ours(headers, uri) => Host::Ok,
        None => Host::Changed,
    }
}

fn scheme(headers: &HeaderMap, page: &PublicUrl) -> Scheme {
    let (seen, found) = match page.origin().starts_with("https:") {
        true => ("https", Scheme::Https),
        false => ("http", Scheme::Http),
    };
    // The outermost proxy says it first. Nothing hangs on it, so it need not be trusted.
    let told = headers.get(X_FORWARDED_PROTO);
    let told = told.and_then(|told| told.to_str().ok()?.split(',').next());
    match told {
        Some(told) if !told.trim().eq_ignore_ascii_case(seen) => Scheme::Changed,
        Some(_) | None => found,
    }
}

/// A socket on which nothing is said for as long as at a table where nobody plays; then it says so, and is closed.
pub async fn idle(app: &AppState, mut socket: WebSocket) {
    let seconds = app.services.limits.ping_seconds.get();
    let mut ending = app.ending.subscribe();
    let code = tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(seconds)) => {
            let text = format!("{{\"type\":\"idle\",\"seconds\":{seconds}}}");
            let sent = socket.send(Message::Text(text.into()));
            if !matches!(tokio::time::timeout(PARTING, sent).await, Ok(Ok(()))) {
                return;
            }
            1000
        }
        // Nothing is expected to be said here: whoever does it, or goes, has had enough.
        _ = socket.recv() => 1000,
        () = async { drop(ending.wait_for(Option::is_some).await) } => 4000,
    };
    let frame = CloseFrame {
        code,
        reason: Utf8Bytes::from_static(""),
    };
    let close = async {
        if socket.send(Message::Close(Some(frame))).await.is_ok() {
            // The other side says that it has heard it.
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    // Who does not take it is lost.
    let _ = tokio::time::timeout(PARTING, close).await;
}
