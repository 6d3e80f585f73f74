//! The headers in which proxies name the address of the client.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, HeaderName};
use clap::ValueEnum;

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

impl ForwardedHeader {
    /// Whether a request has this header.
    pub(super) fn is_in(self, headers: &HeaderMap) -> bool {
        headers.contains_key(self.name())
    }

    /// The address that the outermost of the trusted proxies names; `None` if the header cannot be parsed.
    pub(super) fn client_ip(self, headers: &HeaderMap, trusted_proxies: usize) -> Option<IpAddr> {
        match self {
            Self::XForwardedFor => x_forwarded_for(headers, trusted_proxies),
            Self::Forwarded => forwarded(headers, trusted_proxies),
        }
    }

    /// The name of the header.
    pub(super) fn name(self) -> HeaderName {
        match self {
            Self::XForwardedFor => X_FORWARDED_FOR,
            Self::Forwarded => FORWARDED,
        }
    }
}

/// The address of the client in `X-Forwarded-For`.
fn x_forwarded_for(headers: &HeaderMap, trusted_proxies: usize) -> Option<IpAddr> {
    let element = outermost_element(headers, &X_FORWARDED_FOR, trusted_proxies)?;
    address(element)
}

/// The address of the client in `Forwarded`.
fn forwarded(headers: &HeaderMap, trusted_proxies: usize) -> Option<IpAddr> {
    // A backslash makes the pairing of quotes ambiguous, so the header is ignored.
    if lines(headers, &FORWARDED).any(|line| line.contains('\\')) {
        return None;
    }
    let element = outermost_element(headers, &FORWARDED, trusted_proxies)?;
    address(for_parameter(element)?)
}

/// The element that the outermost trusted proxy has appended to the headers with this name.
fn outermost_element<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
    trusted_proxies: usize,
) -> Option<&'a str> {
    let elements = elements(headers, name);
    // Each proxy appends the address it was called from. All that precedes the trusted proxies can be forged.
    let at = elements.len().saturating_sub(trusted_proxies);
    elements.get(at).copied()
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
