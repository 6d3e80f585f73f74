//! The public address of the page, behind a proxy.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use thiserror::Error;

use crate::http::origin;

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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
}
