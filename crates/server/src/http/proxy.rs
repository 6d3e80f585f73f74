//! Settings for reverse proxies, and their effects on the path, the origin and the client address of a request.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, Uri};
use clap::{Args, ValueEnum};

use crate::http::forwarded::ForwardedHeader;
use crate::http::origin;
use crate::http::public_url::PublicUrl;

/// Settings for reverse proxies in front of the server.
#[derive(Args, Clone, Debug, Default)]
pub struct ProxySettings {
    /// Public address of the page, such as `https://table.example/cards/`. The server then refuses requests from pages at
    /// other addresses.
    #[arg(long, env = "STICHELN_PUBLIC_URL", help_heading = "Behind a proxy")]
    pub public_url: Option<PublicUrl>,
    /// Number of proxies in a chain in front of the server. The outermost names the address of the client. With 1 or more,
    /// clients must not be able to reach the server directly.
    #[arg(
        long,
        env = "STICHELN_TRUSTED_PROXIES",
        default_value_t = 0,
        help_heading = "Behind a proxy"
    )]
    pub trusted_proxies: usize,
    /// Header in which the proxies name the address of the client.
    #[arg(
        long,
        env = "STICHELN_FORWARDED_HEADER",
        default_value = "x-forwarded-for",
        help_heading = "Behind a proxy"
    )]
    pub forwarded_header: ForwardedHeader,
}

/// The treatment of the path of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRewrite {
    /// Nothing.
    Unchanged,
    /// Remove the public folder.
    Stripped(Uri),
    /// Redirect to the public folder with a slash at the end, which relative addresses need.
    Redirect(String),
}

impl ProxySettings {
    /// The path of a request inside the public folder. A proxy may have removed the folder already.
    pub fn rewrite_path(&self, uri: &Uri) -> PathRewrite {
        let Some(public) = &self.public_url else {
            return PathRewrite::Unchanged;
        };
        let folder = public.path();
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        if folder == "/" {
            return PathRewrite::Unchanged;
        }
        if uri.path() == &folder[..folder.len() - 1] {
            return PathRewrite::Redirect(folder.to_owned());
        }
        let Some(rest) = path.strip_prefix(folder) else {
            return PathRewrite::Unchanged;
        };
        let mut parts = uri.clone().into_parts();
        // The rest is a valid path if it begins with a slash. Otherwise nothing has this path.
        parts.path_and_query = format!("/{rest}").parse().ok();
        Uri::from_parts(parts).map_or(PathRewrite::Unchanged, PathRewrite::Stripped)
    }

    /// Whether a request comes from the page of this server, or names no origin.
    pub fn is_own_origin(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        match &self.public_url {
            Some(public) => origin::is_from_page_of(headers, public.origin()),
            None => origin::is_same_origin(headers, uri),
        }
    }

    /// The address of the client, as the trusted proxies name it. Without trusted proxies, or if
    /// their header cannot be parsed, it is the address of the connection.
    pub fn client_ip(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        match self.trusted_proxies {
            0 => peer.ip(),
            count => {
                let named = self.forwarded_header.client_ip(headers, count);
                named.unwrap_or(peer.ip())
            }
        }
    }

    /// Whether a proxy in front of the server names the address of the client.
    pub fn names_client(&self, headers: &HeaderMap) -> bool {
        match self.trusted_proxies {
            0 => ForwardedHeader::value_variants()
                .iter()
                .any(|header| header.is_in(headers)),
            _ => self.forwarded_header.is_in(headers),
        }
    }
}

/// Logs once that `--trusted-proxies` is probably missing.
#[derive(Debug, Default)]
pub struct UntrustedProxyWarning(AtomicBool);

impl UntrustedProxyWarning {
    /// Checks a request, and logs a warning if proxies name addresses and none is trusted.
    pub fn check(&self, proxy: &ProxySettings, headers: &HeaderMap) {
        let is_missing = proxy.trusted_proxies == 0 && proxy.names_client(headers);
        if is_missing && !self.0.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a proxy names client addresses, but no proxy is trusted: all its clients share the limits of one address. \
                 If there is a proxy in front of the server, set --trusted-proxies (STICHELN_TRUSTED_PROXIES) to the \
                 number of proxies."
            );
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn proxy(url: &str, trusted_proxies: usize) -> ProxySettings {
        ProxySettings {
            public_url: Some(url.parse().unwrap()),
            trusted_proxies,
            ..ProxySettings::default()
        }
    }

    #[track_caller]
    fn check_rewrite(url: &str, path: &str, rewrite_path: Option<&str>) {
        let uri: Uri = path.parse().unwrap();
        let expected = rewrite_path.map_or(PathRewrite::Unchanged, |path| {
            PathRewrite::Stripped(path.parse().unwrap())
        });
        assert_eq!(proxy(url, 0).rewrite_path(&uri), expected, "{path}");
    }

    #[test]
    fn the_public_folder_is_removed_unless_the_proxy_has_done_it() {
        let url = "https://table.example/cards/";
        check_rewrite(url, "/cards/", Some("/"));
        check_rewrite(url, "/cards/t/k7qm2x4p?x=1", Some("/t/k7qm2x4p?x=1"));
        check_rewrite(url, "/cards/cards/", Some("/cards/"));
        check_rewrite(url, "/cards//t", Some("//t"));
        check_rewrite(url, "/", None);
        check_rewrite(url, "/t/k7qm2x4p", None);
        check_rewrite(url, "/cardsharp/", None);
        check_rewrite("https://table.example/", "/cards/", None);
        let bare = "/cards".parse().unwrap();
        assert_eq!(
            proxy(url, 0).rewrite_path(&bare),
            PathRewrite::Redirect("/cards/".into())
        );
    }

    #[track_caller]
    fn check_client(trusted: usize, header: ForwardedHeader, lines: &[&str], client_ip: &str) {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(
                header.name(),
                HeaderValue::from_bytes(line.as_bytes()).unwrap(),
            );
        }
        let proxy = ProxySettings {
            trusted_proxies: trusted,
            forwarded_header: header,
            ..ProxySettings::default()
        };
        let peer = SocketAddr::from(([10, 0, 0, 1], 4711));
        let found = proxy.client_ip(peer, &headers);
        assert_eq!(found.to_string(), client_ip, "{trusted} {lines:?}");
    }

    #[test]
    fn only_addresses_added_by_trusted_proxies_count() {
        use ForwardedHeader::{Forwarded, XForwardedFor};

        let peer = "10.0.0.1";
        check_client(0, XForwardedFor, &["192.0.2.1"], peer);
        check_client(1, XForwardedFor, &[], peer);
        check_client(1, XForwardedFor, &["192.0.2.1"], "192.0.2.1");
        check_client(1, XForwardedFor, &["192.0.2.9, 192.0.2.1"], "192.0.2.1");
        check_client(1, XForwardedFor, &["192.0.2.9", "192.0.2.1"], "192.0.2.1");
        check_client(
            2,
            XForwardedFor,
            &["192.0.2.9, 192.0.2.1, 10.0.0.2"],
            "192.0.2.1",
        );
        // A client that reaches the inner proxy directly is named by that proxy alone.
        check_client(2, XForwardedFor, &["192.0.2.1"], "192.0.2.1");
        check_client(1, XForwardedFor, &["192.0.2.1:4711"], "192.0.2.1");
        check_client(1, XForwardedFor, &["2001:db8::1"], "2001:db8::1");
        check_client(1, XForwardedFor, &["[2001:db8::1]:4711"], "2001:db8::1");
        check_client(1, XForwardedFor, &["[2001:db8::1]"], "2001:db8::1");
        for nothing in [
            "unknown",
            "",
            "192.0.2.1,",
            "192.0.2.1, _hidden",
            "192.0.2.1, \u{e9}",
        ] {
            check_client(1, XForwardedFor, &[nothing], peer);
        }

        check_client(1, Forwarded, &["for=192.0.2.1"], "192.0.2.1");
        check_client(
            1,
            Forwarded,
            &["for=192.0.2.9, proto=https;For=\"192.0.2.1:99\""],
            "192.0.2.1",
        );
        check_client(
            1,
            Forwarded,
            &["for=\"[2001:db8::1]:4711\";by=_x"],
            "2001:db8::1",
        );
        check_client(1, Forwarded, &["by=192.0.2.1"], peer);
        // A proxy quotes the header `Host` of a client, in which these characters are valid.
        for host in ["a;for=192.0.2.9", "a,for=192.0.2.9", "a;for=192.0.2.9,b"] {
            for element in [
                format!("host=\"{host}\";for=192.0.2.1"),
                format!("for=192.0.2.1;host=\"{host}\""),
                format!("for=\"192.0.2.8, for=192.0.2.1;host=\"{host}\""),
            ] {
                check_client(1, Forwarded, &[&element], "192.0.2.1");
            }
        }
        // With a backslash it is unknown which quotes belong together.
        for element in [
            r#"for=192.0.2.9;x=", for=192.0.2.1;host="a\""#,
            r#"for=192.0.2.8, for=192.0.2.1;host="\"a;for=192.0.2.9\\""#,
        ] {
            check_client(1, Forwarded, &[element], peer);
        }
        check_client(1, Forwarded, &["for=unknown"], peer);
    }
}
