//! The addresses that hosts in some countries must show: of the imprint and of the privacy policy.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;
use clap::Args;
use thiserror::Error;

/// The most bytes of such an address.
const MAX_BYTES: usize = 2048;

/// The settings for the links in the footer of the page.
#[derive(Args, Clone, Debug, Default)]
pub struct LegalLinks {
    /// Address of your imprint, to which the page links.
    #[arg(long, env = "STICHELN_IMPRINT_URL")]
    pub imprint_url: Option<LinkUrl>,
    /// Address of your privacy policy, to which the page links.
    #[arg(long, env = "STICHELN_PRIVACY_URL")]
    pub privacy_url: Option<LinkUrl>,
}

/// An address to which the page links: `http` or `https`, in ASCII, without characters that mean something in HTML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkUrl(String);

/// The text is not such an address.
#[derive(Debug, Error)]
#[error("it must be an address in ASCII that begins with `http://` or `https://`")]
pub struct InvalidLinkUrl;

impl FromStr for LinkUrl {
    type Err = InvalidLinkUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // `Uri` drops the fragment.
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'<>\\`{}".contains(&byte);
        if text.len() > MAX_BYTES || !text.bytes().all(is_plain) {
            return Err(InvalidLinkUrl);
        }
        let uri: Uri = text.parse().map_err(|_| InvalidLinkUrl)?;
        let has_scheme = matches!(uri.scheme_str(), Some("http" | "https"));
        match has_scheme && uri.host().is_some_and(|host| !host.is_empty()) {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidLinkUrl),
        }
    }
}

impl fmt::Display for LinkUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LegalLinks {
    /// The elements for the head of the page, from which it makes its links.
    pub(super) fn html(&self) -> String {
        let links = [
            ("imprint", &self.imprint_url),
            ("privacy-policy", &self.privacy_url),
        ];
        let element = |(relation, url): (&str, &Option<LinkUrl>)| {
            let url = url.as_ref()?.0.replace('&', "&amp;");
            Some(format!("<link rel=\"{relation}\" href=\"{url}\">\n"))
        };
        links.into_iter().filter_map(element).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_accepted() {
        for url in [
            "https://club.example/imprint",
            "http://192.0.2.1:8080/a?b=c&d=e#f",
            "HTTPS://xn--mnchen-3ya.example",
        ] {
            assert_eq!(url.parse::<LinkUrl>().unwrap().to_string(), url);
        }
        let long = format!("https://a.example/{}", "x".repeat(MAX_BYTES));
        for url in [
            "",
            "imprint.html",
            "/imprint",
            "//club.example/",
            "https://",
            "https:///imprint",
            "javascript:alert(1)",
            "data:text/html,x",
            "ftp://club.example/",
            "https://club.example/\"><script>",
            "https://club.example/it's",
            "https://münchen.example/",
            "https://club.example/a b",
            " https://club.example/",
            &long,
        ] {
            assert!(url.parse::<LinkUrl>().is_err(), "{url}");
        }
    }

    #[test]
    fn the_head_of_the_page_has_the_links() {
        let url = |text: &str| Some(text.parse().unwrap());
        let links = LegalLinks {
            imprint_url: url("https://a.example/?b&c"),
            privacy_url: None,
        };
        let imprint = "<link rel=\"imprint\" href=\"https://a.example/?b&amp;c\">\n";
        assert_eq!(links.html(), imprint);
        let privacy_url = url("https://a.example/p");
        let both = LegalLinks {
            privacy_url,
            ..links
        };
        let privacy = "<link rel=\"privacy-policy\" href=\"https://a.example/p\">\n";
        assert_eq!(both.html(), format!("{imprint}{privacy}"));
        assert_eq!(LegalLinks::default().html(), "");
    }
}
