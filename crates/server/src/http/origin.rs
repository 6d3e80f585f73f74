//! Origin checks: whether a request comes from the page of this server.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Uri};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// The headers of requests in advance. Older browsers send the second one.
const PURPOSES: [HeaderName; 2] = [
    HeaderName::from_static("sec-purpose"),
    HeaderName::from_static("purpose"),
];

/// Whether a request comes from a page of this origin, which is [`canonical`], or names no origin.
pub fn is_from_page_of(headers: &HeaderMap, ours: &str) -> bool {
    match origin_header(headers) {
        OriginHeader::Missing => true,
        OriginHeader::Single(origin) => canonical(origin).is_some_and(|origin| origin == ours),
        OriginHeader::Invalid => false,
    }
}

/// Whether the browser says that a page of another site sends the request. Browsers say so over HTTPS
/// and on the machine itself, also for requests without an origin, such as that for an image.
pub fn is_cross_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.any(|site| site.as_bytes().eq_ignore_ascii_case(b"cross-site"))
}

/// Whether the browser says that the request opens a page in a window or tab of its own, as after a click on a link.
/// Images, frames and requests of scripts do not, and neither do pages that are loaded in advance.
pub fn opens_page(headers: &HeaderMap) -> bool {
    let is = |name, value: &str| {
        let found = headers.get(name);
        found.is_some_and(|found| found.as_bytes().eq_ignore_ascii_case(value.as_bytes()))
    };
    // The first browsers with these headers sent no destination.
    let is_document = is(SEC_FETCH_DEST, "document") || !headers.contains_key(SEC_FETCH_DEST);
    let is_in_advance = PURPOSES.iter().any(|name| headers.contains_key(name));
    is(SEC_FETCH_MODE, "navigate") && is_document && !is_in_advance
}

/// An origin as browsers send it: in lower case, without the default port of its scheme.
pub fn canonical(origin: &str) -> Option<String> {
    let origin = origin.to_ascii_lowercase();
    let (scheme, host) = origin.split_once("://")?;
    let port = default_port(scheme)?;
    let host = host.strip_suffix(port).unwrap_or(host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}"))
}

/// The default port of a scheme.
fn default_port(scheme: &str) -> Option<&'static str> {
    match scheme {
        "http" => Some(":80"),
        "https" => Some(":443"),
        _ => None,
    }
}

/// The origin that a request names.
enum OriginHeader<'a> {
    Missing,
    Single(&'a str),
    /// More than one origin, or one that is not text.
    Invalid,
}

fn origin_header(headers: &HeaderMap) -> OriginHeader<'_> {
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => OriginHeader::Missing,
        (Some(origin), None) => origin
            .to_str()
            .map_or(OriginHeader::Invalid, OriginHeader::Single),
        (Some(_), Some(_)) => OriginHeader::Invalid,
    }
}

/// Whether a request comes from a page of the requested host, or names no origin.
///
/// A browser sends the origin of the page with each upgrade and each POST. Its host and port must
/// be the requested ones. The scheme may differ, because TLS may end at a proxy. Two origins and
/// invalid ones are refused.
pub fn is_same_origin(headers: &HeaderMap, uri: &Uri) -> bool {
    let origin = match origin_header(headers) {
        OriginHeader::Missing => return true,
        OriginHeader::Single(origin) => canonical(origin),
        OriginHeader::Invalid => None,
    };
    // In HTTP/1.1 the host is in its header. An absolute request target overrides it.
    let target = match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => {
            let mut hosts = headers.get_all(HOST).iter();
            let host = hosts.next().and_then(|host| host.to_str().ok());
            host.filter(|_| hosts.next().is_none())
        }
    };
    let (Some(origin), Some(target)) = (origin, target) else {
        return false;
    };
    let scheme = origin.split_once("://").map_or("", |(scheme, _)| scheme);
    canonical(&format!("{scheme}://{target}")).is_some_and(|target| target == origin)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::header::{HOST, ORIGIN};
    use axum::http::{HeaderMap, HeaderValue, Uri};

    use super::is_same_origin;

    fn check(host: &str, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        is_same_origin(&headers, &Uri::from_static("/api/rooms"))
    }

    #[test]
    fn only_the_own_page_or_no_origin_is_accepted() {
        let host = "table.example:8080";
        assert!(check(host, &[]));
        for ours in [
            "http://table.example:8080",
            "https://table.example:8080",
            "http://TABLE.example:8080",
        ] {
            assert!(check(host, &[ours]), "{ours}");
        }
        for other in [
            "null",
            "",
            "http://",
            "http://table.example",
            "http://table.example:80",
            "http://table.example:8081",
            "http://table.example:80800",
            "http://sub.table.example:8080",
            "http://able.example:8080",
            "http://table.example:8080.evil.example",
            "http://table.example.evil.example:8080",
            "http://evil.example/table.example:8080",
            "http://table.example:8080@evil.example",
            "http://evil.example#table.example:8080",
            "http://table.example:8080/",
            "ws://table.example:8080",
            "ftp://table.example:8080",
            "file://",
            "http://xn--tble-0qa.example:8080",
            "http://127.0.0.1:8080",
            "table.example:8080",
        ] {
            assert!(!check(host, &[other]), "{other}");
        }
        assert!(!check(
            host,
            &["http://table.example:8080", "http://table.example:8080"]
        ));
    }

    #[test]
    fn only_the_public_page_or_no_origin_is_accepted() {
        let of = |origins: &[&str]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8080"));
            for origin in origins {
                headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            super::is_from_page_of(&headers, "https://table.example")
        };
        assert!(of(&[]));
        assert!(of(&["https://table.example"]));
        assert!(of(&["https://table.example:443"]));
        for other in [
            "null",
            "",
            "https://",
            "http://table.example",
            "http://table.example:443",
            "https://table.example:8080",
            "https://table.example.",
            "https://sub.table.example",
            "https://table.example.evil.example",
            "https://table.example@evil.example",
            "https://table.example/",
            "https://table.example/cards/",
            "wss://table.example",
            "http://127.0.0.1:8080",
            "https://xn--tble-0qa.example",
            "table.example",
        ] {
            assert!(!of(&[other]), "{other}");
        }
        assert!(!of(&["https://table.example", "https://table.example"]));
    }

    #[test]
    fn the_default_port_may_be_left_out() {
        assert!(check("table.example", &["https://table.example"]));
        assert!(check("table.example:443", &["https://table.example"]));
        assert!(check("table.example", &["http://table.example:80"]));
        assert!(!check("table.example:443", &["http://table.example"]));
        assert!(check("[::1]:8080", &["http://[::1]:8080"]));
    }
}
