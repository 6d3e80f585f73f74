//! Settings for reverse proxies: the public address of the page, and the addresses of clients.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::header::FORWARDED;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, Uri};
use clap::{Args, ValueEnum};
use thiserror::Error;

use crate::http::origin;

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

/// The header in which proxies name the address of the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, which nearly all proxies support.
    #[default]
    XForwardedFor,
    /// `Forwarded`, the header of RFC 7239.
    Forwarded,
}

/// The header that nearly all proxies support.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// The first folders of the server's paths. A public address cannot begin with one, because the two
/// could not be distinguished.
const RESERVED_PATHS: [&str; 5] = ["a", "api", "t", "healthz", "readyz"];

/// The public address of the page: an origin and a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    path: String,
}

impl PublicUrl {
    /// The origin as browsers send it.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The folder; it begins and ends with `/`.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let uri: Uri = text.parse().map_err(|_| PublicUrlError::NoUrl)?;
        let scheme = uri
            .scheme_str()
            .filter(|scheme| ["http", "https"].contains(scheme));
        let (Some(scheme), Some(host)) = (scheme, uri.authority()) else {
            return Err(PublicUrlError::NoUrl);
        };
        let origin =
            origin::canonical(&format!("{scheme}://{host}")).ok_or(PublicUrlError::NoUrl)?;
        if host.as_str().contains('@') || uri.query().is_some() || text.contains('#') {
            return Err(PublicUrlError::ExtraParts);
        }
        let folders: Vec<&str> = uri
            .path()
            .split('/')
            .filter(|name| !name.is_empty())
            .collect();
        let plain = |name: &&str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
            name.bytes().all(is_plain) && !name.chars().all(|char| char == '.')
        };
        if !folders.iter().all(plain) {
            return Err(PublicUrlError::Characters);
        }
        if folders
            .first()
            .is_some_and(|first| RESERVED_PATHS.contains(first))
        {
            return Err(PublicUrlError::OwnFolder);
        }
        let path = folders
            .iter()
            .map(|name| format!("/{name}"))
            .collect::<String>()
            + "/";
        Ok(Self { origin, path })
    }
}

/// The reason why a text is no public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PublicUrlError {
    /// It is not an absolute URL of the web.
    #[error("it must be an address such as https://table.example/ or https://table.example/cards/")]
    NoUrl,
    /// It has a user name, a query or a fragment.
    #[error("it must be an address without a user name, a query and a fragment")]
    ExtraParts,
    /// Its path has other characters than the allowed ones.
    #[error("its path may contain letters, digits, `-`, `_`, `.` and `~`")]
    Characters,
    /// Its path begins with a folder of the server.
    #[error("its path begins with a folder that the server uses itself")]
    OwnFolder,
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
        let folder = &public.path;
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        if folder == "/" {
            return PathRewrite::Unchanged;
        }
        if uri.path() == &folder[..folder.len() - 1] {
            return PathRewrite::Redirect(folder.clone());
        }
        let Some(rest) = path.strip_prefix(folder.as_str()) else {
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
            Some(public) => origin::is_from_page_of(headers, &public.origin),
            None => origin::is_same_origin(headers, uri),
        }
    }

    /// The address of the client, as the trusted proxies name it. Without trusted proxies, or if
    /// their header cannot be parsed, it is the address of the connection.
    pub fn client_ip(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let forwarded = || {
            // A backslash makes the pairing of quotes ambiguous, so the header is ignored.
            let is_forwarded = self.forwarded_header == ForwardedHeader::Forwarded;
            if is_forwarded && lines(headers, &FORWARDED).any(|line| line.contains('\\')) {
                return None;
            }
            let list = match self.forwarded_header {
                ForwardedHeader::XForwardedFor => elements(headers, &X_FORWARDED_FOR),
                ForwardedHeader::Forwarded => elements(headers, &FORWARDED),
            };
            // Each proxy appends the address it was called from. All that precedes the trusted
            // proxies can be forged.
            let at = list.len().saturating_sub(self.trusted_proxies);
            let named = list.get(at)?;
            match self.forwarded_header {
                ForwardedHeader::XForwardedFor => address(named),
                ForwardedHeader::Forwarded => address(for_parameter(named)?),
            }
        };
        match self.trusted_proxies {
            0 => peer.ip(),
            _ => forwarded().unwrap_or(peer.ip()),
        }
    }

    /// Whether a proxy in front of the server names the address of the client.
    pub fn names_client(&self, headers: &HeaderMap) -> bool {
        match (self.trusted_proxies, self.forwarded_header) {
            (0, _) => headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED),
            (_, ForwardedHeader::XForwardedFor) => headers.contains_key(X_FORWARDED_FOR),
            (_, ForwardedHeader::Forwarded) => headers.contains_key(FORWARDED),
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

/// The comma-separated elements of all headers with this name.
fn elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    lines(headers, name)
        .flat_map(|line| split_outside_quotes(line, b','))
        .collect()
}

/// The values of all headers with this name. One that is not text is empty.
fn lines<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).iter();
    lines.map(|line| line.to_str().unwrap_or(""))
}

/// The parts between these delimiters. A delimiter in a quoted string does not separate (RFC 7239, section 4): a proxy can quote
/// the header `Host` of the client. Quotes are paired from the end, so a quote that a client leaves open cannot hide what a
/// trusted proxy appends.
fn split_outside_quotes(text: &str, delimiter: u8) -> Vec<&str> {
    let (mut parts, mut end, mut is_quoted) = (Vec::new(), text.len(), false);
    for (at, byte) in text.bytes().enumerate().rev() {
        if byte == b'"' {
            is_quoted = !is_quoted;
        } else if byte == delimiter && !is_quoted {
            parts.push(&text[at + 1..end]);
            end = at;
        }
    }
    parts.push(&text[..end]);
    parts.reverse();
    parts
}

/// The address in an element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn for_parameter(element: &str) -> Option<&str> {
    let pairs = split_outside_quotes(element, b';').into_iter();
    let mut pairs = pairs.filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    Some(value.trim().trim_matches('"'))
}

/// Parses an address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let with_port = || text.parse().map(|address: SocketAddr| address.ip());
    bare.unwrap_or(text).parse().or_else(|_| with_port()).ok()
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
    fn refuses(url: &str, why: &str) {
        let error = url.parse::<PublicUrl>().unwrap_err();
        assert!(error.to_string().contains(why), "{url}: {error}");
    }

    #[test]
    fn a_public_address_is_an_origin_and_a_folder() {
        for (url, origin, path) in [
            ("https://table.example", "https://table.example", "/"),
            ("https://Table.Example:443/", "https://table.example", "/"),
            ("http://table.example:80/a1", "http://table.example", "/a1/"),
            (
                "https://t.example:8443//x/y.z//",
                "https://t.example:8443",
                "/x/y.z/",
            ),
            (
                "http://[2001:db8::1]:8080/",
                "http://[2001:db8::1]:8080",
                "/",
            ),
        ] {
            let url: PublicUrl = url.parse().unwrap();
            assert_eq!((url.origin(), url.path()), (origin, path));
        }
        for url in [
            "",
            "/cards/",
            "table.example",
            "ftp://table.example/",
            "https://",
            "https:///x",
        ] {
            refuses(url, "such as https://");
        }
        refuses("https://me@table.example/", "without a user name");
        refuses("https://table.example/?x=1", "without a user name");
        refuses("https://table.example/#x", "without a user name");
        refuses("https://table.example/a%20b/", "letters");
        refuses("https://table.example/../", "letters");
        refuses("https://table.example/t/", "that the server uses itself");
        refuses(
            "https://table.example/api/cards/",
            "that the server uses itself",
        );
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
        let name = match header {
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardedHeader::Forwarded => FORWARDED,
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(&name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
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
