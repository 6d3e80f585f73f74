//! Whether a call comes from our own page.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, Uri};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether a call comes from a page of this origin, which is [`canonical`], or from no page at all.
pub fn is(headers: &HeaderMap, ours: &str) -> bool {
    match named(headers) {
        Named::Nothing => true,
        Named::One(origin) => canonical(origin).is_some_and(|origin| origin == ours),
        Named::Unclear => false,
    }
}

/// Whether the browser says that a page of another site sends the call. Browsers say so over HTTPS and on the machine
/// itself, also of calls without an origin, such as that for an image.
pub fn is_cross_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.any(|site| site.as_bytes().eq_ignore_ascii_case(b"cross-site"))
}

/// An origin of the web as browsers name it: in small letters, without the port that its scheme implies.
pub fn canonical(origin: &str) -> Option<String> {
    let origin = origin.to_ascii_lowercase();
    let (scheme, host) = origin.split_once("://")?;
    let port = implied(scheme)?;
    let host = host.strip_suffix(port).unwrap_or(host);
    (!host.is_empty()).then(|| format!("{scheme}://{host}"))
}

/// The port that a scheme implies.
fn implied(scheme: &str) -> Option<&'static str> {
    match scheme {
        "http" => Some(":80"),
        "https" => Some(":443"),
        _ => None,
    }
}

/// The origin that a call names.
enum Named<'a> {
    Nothing,
    One(&'a str),
    /// More than one, or no text.
    Unclear,
}

fn named(headers: &HeaderMap) -> Named<'_> {
    let mut origins = headers.get_all(ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => Named::Nothing,
        (Some(origin), None) => origin.to_str().map_or(Named::Unclear, Named::One),
        (Some(_), Some(_)) => Named::Unclear,
    }
}

/// Whether a call comes from a page of the host that was asked, or from no page at all.
///
/// A browser always names the page's origin when it opens a socket or posts. The host and the port
/// have to be those that were asked for; the scheme may be another one, because TLS may end at a
/// proxy. Two origins, or one that is no address of the web, are not ours.
pub fn is_ours(headers: &HeaderMap, uri: &Uri) -> bool {
    let origin = match named(headers) {
        Named::Nothing => return true,
        Named::One(origin) => canonical(origin),
        Named::Unclear => None,
    };
    // Over HTTP/1.1 the host is in its header; an address in the request line has the last word.
    let asked = match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => {
            let mut hosts = headers.get_all(HOST).iter();
            let host = hosts.next().and_then(|host| host.to_str().ok());
            host.filter(|_| hosts.next().is_none())
        }
    };
    let (Some(origin), Some(asked)) = (origin, asked) else {
        return false;
    };
    let scheme = origin.split_once("://").map_or("", |(scheme, _)| scheme);
    canonical(&format!("{scheme}://{asked}")).is_some_and(|asked| asked == origin)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::header::{HOST, ORIGIN};
    use axum::http::{HeaderMap, HeaderValue, Uri};

    use super::is_ours;

    fn check(host: &str, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        is_ours(&headers, &Uri::from_static("/api/rooms"))
    }

    #[test]
    fn only_our_own_page_or_none_at_all() {
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
    fn only_the_public_page_or_none_at_all() {
        let of = |origins: &[&str]| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, HeaderValue::from_static("127.0.0.1:8080"));
            for origin in origins {
                headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            super::is(&headers, "https://table.example")
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
    fn a_port_that_goes_without_saying_need_not_be_named() {
        assert!(check("table.example", &["https://table.example"]));
        assert!(check("table.example:443", &["https://table.example"]));
        assert!(check("table.example", &["http://table.example:80"]));
        assert!(!check("table.example:443", &["http://table.example"]));
        assert!(check("[::1]:8080", &["http://[::1]:8080"]));
    }
}
