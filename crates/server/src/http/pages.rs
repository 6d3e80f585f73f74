//! The page and its files as HTTP responses.
//!
//! The page itself is never cached. Files in folders have paths with the hash of all files, and are
//! cached for ever. Files beside the page (icons, manifest) have fixed paths, and browsers
//! revalidate them.

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
use crate::http::files::{File, FileCompression, Files};
use crate::http::legal_links::LegalLinks;
use crate::http::routes::AppState;

/// The first modules of each view. `web/js/parts.js` imports the others later.
const HOME: [&str; 2] = ["js/main.js", "js/home.js"];
const ROOM: [&str; 3] = ["js/main.js", "js/lobby.js", "js/session.js"];

/// The inline script of the page. It runs even if no other file arrives.
const PREFLIGHT: &str = "js/preflight.js";

/// The content security policy of all responses but the page: nothing from other origins, and no inline script. The policy of
/// the page also allows `PREFLIGHT`, by its hash.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The languages of the page. The first one is the default.
const LANGUAGES: [&str; 2] = ["en", "de"];

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The page at `/`.
pub async fn home(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    app.pages.page().home.send(&headers)
}

/// The page at `/t/{room}` and `/g/{id}`: the same with relative addresses one folder higher.
pub async fn room(State(app): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    app.pages.page().room.send(&headers)
}

/// The hash of the current files.
pub async fn current(State(app): State<Arc<AppState>>) -> Response {
    let headers = [(CACHE_CONTROL, "no-store")];
    (
        headers,
        Json(CurrentPage {
            files: &app.pages.page().hash,
        }),
    )
        .into_response()
}

/// A file in a folder, at a path with the hash of all files.
pub async fn immutable_file(
    State(app): State<Arc<AppState>>,
    Path((hash, path)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let pages = &app.pages;
    // Files with another hash are not known. The hash of files that can change is not checked.
    let is_current = pages.files.can_change() || hash == pages.page().hash;
    let file = pages
        .files
        .find(&path, FileCompression::best_accepted(&headers));
    let Some(file) = file.filter(|_| is_current && path.contains('/')) else {
        return ApiError::NotFound.into_response();
    };
    let cache_control = if pages.files.can_change() {
        "no-store"
    } else {
        IMMUTABLE
    };
    let mut response = send(file, cache_control);
    set(&mut response, VARY, "accept-encoding");
    response
}

/// A file beside the page.
pub async fn root_file(State(app): State<Arc<AppState>>, uri: Uri, headers: HeaderMap) -> Response {
    let files = &app.pages.files;
    let path = uri.path().trim_start_matches('/');
    let file = files.find(path, None);
    let Some(file) = file.filter(|_| !path.contains('/') && path != "index.html") else {
        return ApiError::NotFound.into_response();
    };
    let etag = format!("\"{}\"", files.hash(path));
    let known = headers.get(IF_NONE_MATCH);
    let mut response = if known.is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
        (StatusCode::NOT_MODIFIED, [(CACHE_CONTROL, "no-cache")]).into_response()
    } else {
        send(file, "no-cache")
    };
    set(&mut response, ETAG, &etag);
    response
}

fn send(file: File, cache_control: &str) -> Response {
    let mut response = Body::from(file.bytes).into_response();
    set(&mut response, CONTENT_TYPE, &file.mime);
    set(&mut response, CACHE_CONTROL, cache_control);
    if let Some(compression) = file.compression {
        set(&mut response, CONTENT_ENCODING, compression.name());
    }
    response
}

fn set(response: &mut Response, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("the headers of files are plain text");
    response.headers_mut().insert(name, value);
}

/// The page and its files.
#[derive(Debug, Default)]
pub struct Pages {
    files: Files,
    legal_links: LegalLinks,
    /// The rendered page. It stays empty until the first request, and if files can change.
    rendered: OnceLock<Arc<RenderedPage>>,
}

impl Pages {
    /// A page of these files.
    pub fn new(files: Files) -> Self {
        Self {
            files,
            legal_links: LegalLinks::default(),
            rendered: OnceLock::new(),
        }
    }

    /// The same with these links.
    pub fn with_legal_links(self, legal_links: LegalLinks) -> Self {
        Self {
            legal_links,
            ..self
        }
    }

    /// The current page.
    fn page(&self) -> Arc<RenderedPage> {
        let page = || Arc::new(RenderedPage::new(&self.files, &self.legal_links));
        if self.files.can_change() {
            page()
        } else {
            Arc::clone(self.rendered.get_or_init(page))
        }
    }
}

/// The page with the addresses of its files.
#[derive(Debug)]
struct RenderedPage {
    /// The hash of all files.
    hash: String,
    home: LocalizedPage,
    room: LocalizedPage,
}

impl RenderedPage {
    fn new(files: &Files, legal_links: &LegalLinks) -> Self {
        let hash = files.hash_of_all();
        let preflight_hash = BASE64.encode(&files.sha256(PREFLIGHT));
        let policy = POLICY.replace(
            "script-src",
            &format!("script-src 'sha256-{preflight_hash}'"),
        );
        let localized = |first: &[&str], home: &str| {
            let mut modules: Vec<_> = files.modules(first).into_iter().collect();
            // The longest module first, so that the short ones share the bandwidth at the end.
            modules.sort_by_key(|path| Reverse(files.text(path).len()));
            let modules: String = modules
                .iter()
                .map(|path| format!("<link rel=\"modulepreload\" href=\"{{files}}/{path}\">\n"))
                .collect();
            let html = files.text("index.html").replace("{modules}\n", &modules);
            let html = html.replace("{legal}\n", &legal_links.html());
            let html = html.replace("{files}", &format!("{{home}}/a/{hash}"));
            let html = html.replace("{home}", home);
            let preflight = files.text(PREFLIGHT);
            let in_language = |language| {
                html.replace("{language}", language)
                    .replace("{preflight}", &preflight)
            };
            LocalizedPage {
                texts: LANGUAGES.map(|language| HtmlText::new(in_language(language))),
                policy: policy.clone(),
            }
        };
        Self {
            home: localized(&HOME, "."),
            room: localized(&ROOM, ".."),
            hash,
        }
    }
}

/// A page in each language. It preloads the texts of its own language.
#[derive(Debug)]
struct LocalizedPage {
    texts: [HtmlText; LANGUAGES.len()],
    policy: String,
}

impl LocalizedPage {
    fn send(&self, headers: &HeaderMap) -> Response {
        let mut response = self.texts[language(headers)].send(headers);
        set(&mut response, CONTENT_SECURITY_POLICY, &self.policy);
        set(&mut response, VARY, "accept-encoding, accept-language");
        response
    }
}

/// The index of the first known language that the browser asks for. Browsers name the best one
/// first.
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

/// An HTML text, plain and compressed.
#[derive(Debug)]
struct HtmlText {
    plain: Bytes,
    gzip: Bytes,
}

impl HtmlText {
    fn new(text: String) -> Self {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let gzip = gzip.write_all(text.as_bytes()).and_then(|()| gzip.finish());
        Self {
            plain: text.into(),
            gzip: gzip.expect("a write to a vector never fails").into(),
        }
    }

    fn send(&self, headers: &HeaderMap) -> Response {
        let accepts_gzip = FileCompression::Gzip.is_accepted(headers);
        let file = File {
            mime: "text/html; charset=utf-8".to_owned(),
            compression: accepts_gzip.then_some(FileCompression::Gzip),
            bytes: if accepts_gzip {
                &self.gzip
            } else {
                &self.plain
            }
            .clone(),
        };
        send(file, "no-store")
    }
}
