//! The upgrade of a request to a WebSocket (RFC 6455, section 4.2).

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sticheln_room::ProtocolVersion;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use crate::http::api_error::ApiError;
use crate::socket::web_socket::{ClientStream, SocketSizes, WebSocket};

const VERSION: &str = "13";

/// A request that can be upgraded to a WebSocket.
#[derive(Debug)]
pub struct WebSocketUpgrade {
    on_upgrade: OnUpgrade,
    /// The answer to the key of the request.
    accept_key: String,
    /// The names of subprotocols that the client offers, separated by commas.
    offered: String,
    /// The chosen subprotocol; `None` if the client offers none.
    protocol: Option<ProtocolVersion>,
}

impl<S: Sync> FromRequestParts<S> for WebSocketUpgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let headers = &parts.headers;
        let is_upgrade = parts.method == Method::GET
            && lists(headers, &CONNECTION, |value| {
                value.eq_ignore_ascii_case("upgrade")
            })
            && equals(headers, &UPGRADE, "websocket")
            && equals(headers, &SEC_WEBSOCKET_VERSION, VERSION);
        let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| is_upgrade);
        let accept_key = derive_accept_key(key.ok_or(ApiError::NoUpgrade)?.as_bytes());
        let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
        let offered: Vec<_> = offered.filter_map(|value| value.to_str().ok()).collect();
        let offered = offered.join(",");
        let on_upgrade = parts.extensions.remove::<OnUpgrade>();
        Ok(Self {
            on_upgrade: on_upgrade.ok_or(ApiError::NoUpgrade)?,
            accept_key,
            offered,
            protocol: None,
        })
    }
}

impl WebSocketUpgrade {
    /// Chooses the highest version of the protocol, up to this one, that the client offers. A client that offers none has the first
    /// version.
    ///
    /// # Errors
    /// [`ApiError::UnknownProtocol`] if it offers other versions only.
    pub fn with_protocol(
        mut self,
        newest: ProtocolVersion,
    ) -> Result<(Self, ProtocolVersion), ApiError> {
        let names = self.offered.split(',').map(str::trim_ascii);
        let names = names.filter(|name| !name.is_empty());
        let offers_none = names.clone().next().is_none();
        self.protocol = newest.highest_of(names);
        match self.protocol {
            Some(protocol) => Ok((self, protocol)),
            None if offers_none => Ok((self, ProtocolVersion::FIRST)),
            None => Err(ApiError::UnknownProtocol),
        }
    }

    /// Answers the request, and calls `serve` in a new task once the connection is upgraded.
    ///
    /// The task has no space for the parts of the upgrade, because it lives as long as the socket. For the same reason the
    /// socket is boxed: each future that takes it by value would have space for it.
    pub fn on_upgrade<Served: Future<Output = ()> + Send + 'static>(
        self,
        sizes: SocketSizes,
        serve: impl FnOnce(Box<WebSocket>) -> Served + Send + 'static,
    ) -> Response {
        let on_upgrade = self.on_upgrade;
        tokio::spawn(async move {
            match on_upgrade.await {
                Ok(upgraded) => {
                    let parts = upgraded
                        .downcast::<TokioIo<ClientStream>>()
                        .expect("the accept loop serves such streams");
                    let stream = parts.io.into_inner();
                    // The buffer of the HTTP connection is not kept.
                    let read = parts.read_buf.to_vec();
                    tokio::spawn(serve(Box::new(WebSocket::new(stream, read, sizes))));
                }
                Err(error) => tracing::debug!(%error, "a connection was lost before its upgrade"),
            }
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        let accept_key = self.accept_key.try_into().expect("base64 is a valid value");
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept_key);
        if let Some(protocol) = self.protocol {
            let name = HeaderValue::try_from(protocol.to_string());
            let name = name.expect("the name of a version is a valid value");
            headers.insert(SEC_WEBSOCKET_PROTOCOL, name);
        }
        response
    }
}

/// Whether the only or first header of this name has this value, in any case.
fn equals(headers: &HeaderMap, name: &HeaderName, value: &str) -> bool {
    let header = headers.get(name);
    header.is_some_and(|header| header.as_bytes().eq_ignore_ascii_case(value.as_bytes()))
}

/// Whether a header of this name lists such a value.
fn lists(headers: &HeaderMap, name: &HeaderName, is_wanted: impl Fn(&str) -> bool) -> bool {
    let values = headers.get_all(name).iter();
    let mut values = values.filter_map(|value| value.to_str().ok());
    values.any(|value| value.split(',').any(|value| is_wanted(value.trim_ascii())))
}
