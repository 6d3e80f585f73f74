//! How the page and its files are sent.
//!
//! The page is never kept by anybody. What lies in folders is found below a path that carries the mark of all
//! files, so that it can be kept for ever. What lies beside the page (its icons, its manifest) keeps its
//! address, and is asked for again.

use std::cmp::Reverse;
use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use sticheln_protocol::CurrentPage;

use crate::http::api_error::ApiError;
use crate::http::files::{File, Files, Packing};
use crate::http::routes::AppState;

/// What the first view of each page imports: `web/js/parts.js` tells what comes later.
const HOME: [&str; 2] = ["js/main.js", "js/home.js"];
const TABLE: [&str; 3] = ["js/main.js", "js/lobby.js", "js/session.js"];

/// The script that is written into the page itself: whatever does not come, it is there.
const PREFLIGHT: &str = "js/preflight.js";

/// What a document may use: nothing from elsewhere, and no script that is written into it.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// What the page is written in; the first is for those who read none of them.
const LANGUAGES: [&str; 2] = ["en", "de"];

const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The page as it is at `/`.
pub async fn home(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    app.pages.page().home.send(&headers)
}

/// The page as it is at `/t/{room}`: the same, one folder further down.
pub async fn table(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    app.pages.page().table.send(&headers)
}

/// Which files the page is made of now.
pub async fn current(State(app): State<Arc<AppState>>) -> Response {
    let headers = [(CACHE_CONTROL, "no-store")];
    (
        headers,
        Json(CurrentPage {
            files: &app.pages.page().mark,
        }),
    )
        .into_response()
}

/// A file in a folder, below the mark of all files.
pub async fn kept(
    State(app): State<Arc<AppState>>,
    Path((mark, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let pages = &app.pages;
    // Of other files than these nothing is known; what can change is not asked for its mark each time.
    let is_current = pages.files.can_change() || mark == pages.page().mark;
    let file = pages.files.find(&path, Packing::wanted(&headers));
    let Some(file) = file.filter(|_| is_current && path.contains('/')) else {
        return ApiError::NotFound.into_response();
    };
    let keep = if pages.files.can_change() {
        "no-store"
    } else {
        FOR_EVER
    };
    let mut response = send(file, keep);
    set(&mut response, VARY, "accept-encoding");
    response
}

/// A file beside the page.
pub async fn other(State(app): State<Arc<AppState>>, uri: Uri, headers: HeaderMap) -> Response {
    let files = &app.pages.files;
    let path = uri.path().trim_start_matches('/');
    let file = files.find(path, None);
    let Some(file) = file.filter(|_| !path.contains('/') && path != "index.html") else {
        return ApiError::NotFound.into_response();
    };
    let tag = format!("\"{}\"", files.mark_of(path));
    let known = headers.get(IF_NONE_MATCH);
    let mut response = if known.is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        (StatusCode::NOT_MODIFIED, [(CACHE_CONTROL, "no-cache")]).into_response()
    } else {
        send(file, "no-cache")
    };
    set(&mut response, ETAG, &tag);
    response
}

fn send(file: File, keep: &str) -> Response {
    let mut response = Body::from(file.bytes).into_response();
    set(&mut response, CONTENT_TYPE, &file.mime);
    set(&mut response, CACHE_CONTROL, keep);
    if let Some(packing) = file.packing {
        set(&mut response, CONTENT_ENCODING, packing.name());
    }
    response
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("what is said of our files is plain text");
    response.headers_mut().insert(name, value);
}

/// The page and its files.
#[derive(Debug, Default)]
pub struct Pages {
    files: Files,
    /// The page with its files as they are; empty as long as nobody has asked, and if they can change.
    kept: OnceLock<Arc<Page>>,
}

impl Pages {
    /// A page of these files.
    pub fn new(files: Files) -> Self {
        Self {
            files,
            kept: OnceLock::new(),
        }
    }

    /// The page as it is now.
    fn page(&self) -> Arc<Page> {
        let page = || Arc::new(Page::new(&self.files));
        if self.files.can_change() {
            page()
        } else {
            Arc::clone(self.kept.get_or_init(page))
        }
    }
}

/// The page, with the addresses of its files in it.
#[derive(Debug)]
struct Page {
    mark: String,
    home: View,
    table: View,
}

impl Page {
    fn new(files: &Files) -> Self {
        let mark = files.mark();
        let hash = BASE64.encode(&files.hash(PREFLIGHT));
        let policy = POLICY.replace("script-src", &format!("script-src 'sha256-{hash}'"));
        let view = |first: &[&str], home: &str| {
            let mut modules: Vec<_> = files.modules(first).into_iter().collect();
            // The longest first: the short ones share the line at the end, and none is waited for alone.
            modules.sort_by_key(|path| Reverse(files.text(path).len()));
            let modules: String = modules
                .iter()
                .map(|path| format!("<link rel=\"modulepreload\" href=\"{{files}}/{path}\">\n"))
                .collect();
            let page = files.text("index.html").replace("{modules}\n", &modules);
            let page = page.replace("{files}", &format!("{{home}}/a/{mark}"));
            let page = page.replace("{home}", home);
            let preflight = files.text(PREFLIGHT);
            let page = |language| {
                page.replace("{language}", language)
                    .replace("{preflight}", &preflight)
            };
            View {
                texts: LANGUAGES.map(|language| Text::new(page(language))),
                policy: policy.clone(),
            }
        };
        Self {
            home: view(&HOME, "."),
            table: view(&TABLE, ".."),
            mark,
        }
    }
}

/// A view in each of the languages. It names the words of its own, so that they are fetched with the modules.
#[derive(Debug)]
struct View {
    texts: [Text; LANGUAGES.len()],
    policy: String,
}

impl View {
    fn send(&self, headers: &HeaderMap) -> Response {
        let mut response = self.texts[language(headers)].send(headers);
        set(&mut response, CONTENT_SECURITY_POLICY, &self.policy);
        set(&mut response, VARY, "accept-encoding, accept-language");
        response
    }
}

/// The place of the language that this browser asks for: browsers name the best first.
fn language(headers: &HeaderMap) -> usize {
    let named = headers.get(ACCEPT_LANGUAGE);
    let named = named.and_then(|named| named.to_str().ok()).unwrap_or("");
    let mut known = named.split(',').filter_map(|tag| {
        let short = tag.trim().get(..2)?;
        let mut languages = LANGUAGES.iter();
        languages.position(|language| short.eq_ignore_ascii_case(language))
    });
    known.next().unwrap_or(0)
}

/// A text of HTML, as it is and packed.
#[derive(Debug)]
struct Text {
    plain: Bytes,
    gzip: Bytes,
}

impl Text {
    fn new(text: String) -> Self {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = gzip.write_all(text.as_bytes()).and_then(|()| gzip.finish());
        Self {
            plain: text.into(),
            gzip: gzip.expect("a list takes whatever is written").into(),
        }
    }

    fn send(&self, headers: &HeaderMap) -> Response {
        let takes_gzip = Packing::Gzip.is_taken(headers);
        let file = File {
            mime: "text/html; charset=utf-8".to_owned(),
            packing: takes_gzip.then_some(Packing::Gzip),
            bytes: if takes_gzip { &self.gzip } else { &self.plain }.clone(),
        };
        send(file, "no-store")
    }
}
