//! The bodies of the connection check: the request of a page, the findings, and the message of its socket.

use serde::{Deserialize, Serialize};

/// Asks the server to compare the address of the page with the request that it receives.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConnectionCheck {
    /// The address of the page in the browser.
    pub page: String,
}

/// The findings of the connection check.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConnectionFindings {
    /// The host of the page.
    pub host: HostFinding,
    /// The folder of the page.
    pub path: PathFinding,
    /// The scheme of the page.
    pub scheme: SchemeFinding,
    /// The addresses of clients.
    pub client_addresses: AddressFinding,
    /// The time without a message on the socket of the check, in seconds.
    pub idle_seconds: u64,
    /// The public address of the page, if one is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_url: Option<String>,
}

/// The only message on the socket of the connection check, sent after the idle time.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename = "idle")]
#[cfg_attr(feature = "schema", schemars(rename = "IdleMessage"))]
pub struct IdleMessage {
    /// The idle time, in seconds.
    pub seconds: u64,
}

/// Whether the page has the host that the server expects. Otherwise rooms refuse it.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HostFinding {
    /// The host is the expected one.
    Ok,
    /// A proxy sends another host than the browser.
    Changed,
    /// The page has another host than the public address.
    NotPublic,
}

/// Whether the page is in the public folder.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PathFinding {
    /// The folder is the public one, or none is set.
    Ok,
    /// The folder is another one.
    NotPublic,
}

/// The scheme by which the browser has loaded the page.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SchemeFinding {
    /// HTTPS.
    Https,
    /// HTTP without encryption.
    Http,
    /// A proxy names another scheme than the browser.
    Changed,
}

/// Whether clients are counted by their own addresses.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AddressFinding {
    /// Each client is counted by its own address.
    Apart,
    /// A proxy names the addresses and is not trusted, so all clients share one.
    AsOne,
    /// Proxies are trusted and name no addresses.
    NotNamed,
}
