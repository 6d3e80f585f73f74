//! What stands in front of the server: where the page is for those who open it, and whose word counts about who they are.

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

/// What stands in front of the server.
#[derive(Args, Clone, Debug, Default)]
pub struct ProxyConfig {
    /// Public address of the page, such as `https://table.example/cards/`. The server then refuses requests from pages at other addresses.
    #[arg(long, env = "STICHELN_PUBLIC_URL", help_heading = "Behind a proxy")]
    pub public_url: Option<PublicUrl>,
    /// Number of proxies in a chain in front of the server. The outermost names the address of the client. With 1 or more, clients must not be able to reach the server directly.
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

/// What nearly all proxies know.
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Folders of our own: a public address cannot end in one of them, as it could not be told from what lies in it.
const OWN: [&str; 5] = ["a", "api", "t", "healthz", "readyz"];

/// Where the page is for those who open it: an origin, and a folder there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
    path: String,
}

impl PublicUrl {
    /// The origin as browsers name it.
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
        if folders.first().is_some_and(|first| OWN.contains(first)) {
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

/// Why a text is no public address.
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

/// What to do with the address of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRewrite {
    /// It is answered as it is.
    Same,
    /// The folder in front of it is the public one, and goes away.
    At(Uri),
    /// It is the public folder without its last stroke; relative addresses need that.
    Enter(String),
}

impl ProxyConfig {
    /// What a call asks for, inside of the public folder. A proxy may have taken that away or not.
    pub fn rewrite_path(&self, uri: &Uri) -> PathRewrite {
        let Some(public) = &self.public_url else {
            return PathRewrite::Same;
        };
        let folder = &public.path;
        let path = uri.path_and_query().map_or("/", PathAndQuery::as_str);
        if folder == "/" {
            return PathRewrite::Same;
        }
        if uri.path() == &folder[..folder.len() - 1] {
            return PathRewrite::Enter(folder.clone());
        }
        let Some(rest) = path.strip_prefix(folder.as_str()) else {
            return PathRewrite::Same;
        };
        let mut parts = uri.clone().into_parts();
        // Beginning with a stroke, the rest of a path is one; if not, nothing is there anyway.
        parts.path_and_query = format!("/{rest}").parse().ok();
        Uri::from_parts(parts).map_or(PathRewrite::Same, PathRewrite::At)
    }

    /// Whether a call comes from our own page, or from no page at all.
    pub fn is_ours(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        match &self.public_url {
            Some(public) => origin::is(headers, &public.origin),
            None => origin::is_ours(headers, uri),
        }
    }

    /// Where a call comes from: the proxies say it, if any are trusted. What they do not say, or
    /// not in a way that can be understood, is where the connection comes from.
    pub fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let told = || {
            let list: Vec<&str> = match self.forwarded_header {
                ForwardedHeader::XForwardedFor => elements(headers, &X_FORWARDED_FOR).collect(),
                ForwardedHeader::Forwarded => elements(headers, &FORWARDED).collect(),
            };
            // Each proxy adds at the end who has asked it; what stands before that anybody can make up.
            let at = list.len().saturating_sub(self.trusted_proxies);
            let named = list.get(at)?;
            match self.forwarded_header {
                ForwardedHeader::XForwardedFor => address(named),
                ForwardedHeader::Forwarded => address(for_in(named)?),
            }
        };
        match self.trusted_proxies {
            0 => peer.ip(),
            _ => told().unwrap_or(peer.ip()),
        }
    }

    /// Whether somebody in front of the server says where a call comes from.
    pub fn is_told(&self, headers: &HeaderMap) -> bool {
        match (self.trusted_proxies, self.forwarded_header) {
            (0, _) => headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED),
            (_, ForwardedHeader::XForwardedFor) => headers.contains_key(X_FORWARDED_FOR),
            (_, ForwardedHeader::Forwarded) => headers.contains_key(FORWARDED),
        }
    }
}

/// Says once what is usually a forgotten setting.
#[derive(Debug, Default)]
pub struct Reminder(AtomicBool);

impl Reminder {
    /// Looks at a call; says something if proxies tell where it comes from, and none is trusted.
    pub fn look(&self, proxy: &ProxyConfig, headers: &HeaderMap) {
        let is_forgotten = proxy.trusted_proxies == 0 && proxy.is_told(headers);
        if is_forgotten && !self.0.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a proxy tells where calls come from, and none is trusted: all who come through it count as one \
                 visitor, and share one visitor's limits. If there is a proxy in front of the server, set \
                 --trusted-proxies (STICHELN_TRUSTED_PROXIES) to how many there are."
            );
        }
    }
}

/// What stands between the commas of a header, and of all of its name.
fn elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).iter();
    // What is no text is somebody of whom nothing is known.
    lines.flat_map(|line| line.to_str().unwrap_or("").split(','))
}

/// The address in an element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn for_in(element: &str) -> Option<&str> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    Some(value.trim().trim_matches('"'))
}

/// An address, with a port or without.
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

    fn proxy(url: &str, trusted_proxies: usize) -> ProxyConfig {
        ProxyConfig {
            public_url: Some(url.parse().unwrap()),
            trusted_proxies,
            ..ProxyConfig::default()
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
    fn goes_in(url: &str, path: &str, rewrite_path: Option<&str>) {
        let uri: Uri = path.parse().unwrap();
        let expected = rewrite_path.map_or(PathRewrite::Same, |path| {
            PathRewrite::At(path.parse().unwrap())
        });
        assert_eq!(proxy(url, 0).rewrite_path(&uri), expected, "{path}");
    }

    #[test]
    fn the_public_folder_is_taken_away_if_the_proxy_has_not_done_it() {
        let url = "https://table.example/cards/";
        goes_in(url, "/cards/", Some("/"));
        goes_in(url, "/cards/t/k7qm2x4p?x=1", Some("/t/k7qm2x4p?x=1"));
        goes_in(url, "/cards/cards/", Some("/cards/"));
        goes_in(url, "/cards//t", Some("//t"));
        goes_in(url, "/", None);
        goes_in(url, "/t/k7qm2x4p", None);
        goes_in(url, "/cardsharp/", None);
        goes_in("https://table.example/", "/cards/", None);
        let bare = "/cards".parse().unwrap();
        assert_eq!(
            proxy(url, 0).rewrite_path(&bare),
            PathRewrite::Enter("/cards/".into())
        );
    }

    #[track_caller]
    fn comes_from(trusted: usize, header: ForwardedHeader, lines: &[&str], client: &str) {
        let name = match header {
            ForwardedHeader::XForwardedFor => X_FORWARDED_FOR,
            ForwardedHeader::Forwarded => FORWARDED,
        };
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(&name, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let proxy = ProxyConfig {
            trusted_proxies: trusted,
            forwarded_header: header,
            ..ProxyConfig::default()
        };
        let peer = SocketAddr::from(([10, 0, 0, 1], 4711));
        let found = proxy.client(peer, &headers);
        assert_eq!(found.to_string(), client, "{trusted} {lines:?}");
    }

    #[test]
    fn only_what_trusted_proxies_have_added_counts() {
        use ForwardedHeader::{Forwarded, XForwardedFor};

        let peer = "10.0.0.1";
        comes_from(0, XForwardedFor, &["192.0.2.1"], peer);
        comes_from(1, XForwardedFor, &[], peer);
        comes_from(1, XForwardedFor, &["192.0.2.1"], "192.0.2.1");
        comes_from(1, XForwardedFor, &["192.0.2.9, 192.0.2.1"], "192.0.2.1");
        comes_from(1, XForwardedFor, &["192.0.2.9", "192.0.2.1"], "192.0.2.1");
        comes_from(
            2,
            XForwardedFor,
            &["192.0.2.9, 192.0.2.1, 10.0.0.2"],
            "192.0.2.1",
        );
        // Who comes to the inner proxy past the outer one is named by it alone.
        comes_from(2, XForwardedFor, &["192.0.2.1"], "192.0.2.1");
        comes_from(1, XForwardedFor, &["192.0.2.1:4711"], "192.0.2.1");
        comes_from(1, XForwardedFor, &["2001:db8::1"], "2001:db8::1");
        comes_from(1, XForwardedFor, &["[2001:db8::1]:4711"], "2001:db8::1");
        comes_from(1, XForwardedFor, &["[2001:db8::1]"], "2001:db8::1");
        for nothing in [
            "unknown",
            "",
            "192.0.2.1,",
            "192.0.2.1, _hidden",
            "192.0.2.1, \u{e9}",
        ] {
            comes_from(1, XForwardedFor, &[nothing], peer);
        }

        comes_from(1, Forwarded, &["for=192.0.2.1"], "192.0.2.1");
        comes_from(
            1,
            Forwarded,
            &["for=192.0.2.9, proto=https;For=\"192.0.2.1:99\""],
            "192.0.2.1",
        );
        comes_from(
            1,
            Forwarded,
            &["for=\"[2001:db8::1]:4711\";by=_x"],
            "2001:db8::1",
        );
        comes_from(1, Forwarded, &["by=192.0.2.1"], peer);
        comes_from(1, Forwarded, &["for=unknown"], peer);
    }
}
