//! The page and its files, which are inside the program.

use std::borrow::Cow;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use crate::refused::Refused;

/// The files of the page.
#[derive(RustEmbed)]
#[folder = "../../web/"]
#[exclude = "test/*"]
#[exclude = "node_modules/*"]
#[exclude = "*.md"]
#[exclude = "package*.json"]
#[exclude = "tsconfig.json"]
struct Files;

/// The page as it is at `/`.
pub async fn home(headers: HeaderMap) -> Response {
    file("index.html", &headers)
}

/// The page as it is at `/t/{room}`: the same, one folder further down.
pub async fn table() -> Response {
    let Some(page) = Files::get("index.html") else {
        return Refused::NOT_FOUND.into_response();
    };
    let page = String::from_utf8_lossy(&page.data);
    let page = page.replace("=\"./", "=\"../");
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, page).into_response()
}

/// Any other file.
pub async fn other(uri: Uri, headers: HeaderMap) -> Response {
    file(uri.path().trim_start_matches('/'), &headers)
}

fn file(path: &str, headers: &HeaderMap) -> Response {
    let Some(file) = Files::get(path) else {
        return Refused::NOT_FOUND.into_response();
    };
    let hash: String = file.metadata.sha256_hash()[..12]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tag = format!("\"{hash}\"");
    let is_known = headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mime = match file.metadata.mimetype() {
        text @ ("text/html" | "text/css" | "text/javascript") => format!("{text}; charset=utf-8"),
        other => other.to_owned(),
    };
    let body = match file.data {
        _ if is_known => Body::empty(),
        Cow::Borrowed(bytes) => Body::from(Bytes::from_static(bytes)),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    let status = if is_known {
        StatusCode::NOT_MODIFIED
    } else {
        StatusCode::OK
    };
    let headers = [
        (CONTENT_TYPE, mime),
        (CACHE_CONTROL, "no-cache".to_owned()),
        (ETAG, tag),
    ];
    (status, headers, body).into_response()
}
