//! Whether a call comes from our own page.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// Whether a call comes from a page of the host that was asked, or from no page at all.
///
/// A browser always names the page's origin when it opens a socket or posts. The host and the port
/// have to be those that were asked for; the scheme may be another one, because TLS may end at a
/// proxy. Two origins, or one that is no address of the web, are not ours.
pub fn is_ours(headers: &HeaderMap, uri: &Uri) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else {
        return true;
    };
    if origins.next().is_some() {
        return false;
    }
    // Over HTTP/1.1 the host is in its header; an address in the request line has the last word.
    let asked = match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => {
            let mut hosts = headers.get_all(HOST).iter();
            let host = hosts.next().and_then(|host| host.to_str().ok());
            host.filter(|_| hosts.next().is_none())
        }
    };
    let (Ok(origin), Some(asked)) = (origin.to_str(), asked) else {
        return false;
    };
    let (page, port) = match origin.split_once("://") {
        Some(("http", page)) => (page, ":80"),
        Some(("https", page)) => (page, ":443"),
        Some(_) | None => return false,
    };
    // Neither has to name the port that its scheme implies.
    let named = |host: &str| {
        let host = host.to_ascii_lowercase();
        host.strip_suffix(port).map(str::to_owned).unwrap_or(host)
    };
    !page.is_empty() && named(page) == named(asked)
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
    fn a_port_that_goes_without_saying_need_not_be_named() {
        assert!(check("table.example", &["https://table.example"]));
        assert!(check("table.example:443", &["https://table.example"]));
        assert!(check("table.example", &["http://table.example:80"]));
        assert!(!check("table.example:443", &["http://table.example"]));
        assert!(check("[::1]:8080", &["http://[::1]:8080"]));
    }
}
