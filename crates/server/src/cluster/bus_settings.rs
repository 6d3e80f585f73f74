//! The settings for the bus: the address of NATS, its password or token, and how the connection is secured.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use async_nats::{ConnectOptions, ServerAddr};
use clap::Args;
use rustls::ClientConfig;
use thiserror::Error;

use crate::PROGRAM;
use crate::connection_security::{self, SecurityError};
use crate::storage::postgres::DatabaseSettings;

/// The most letters of the name of a cluster.
const MAX_NAME_LETTERS: usize = 32;

/// The settings for the bus.
#[derive(Args, Clone, Debug, Default)]
#[allow(
    missing_docs,
    reason = "a doc comment here would replace the help of the program"
)]
pub struct BusSettings {
    /// Address of a NATS server, such as `tls://USER@HOST`, by which several servers with one database host the same tables.
    /// Other users of the machine can see flags, so set the variable if the address has a password.
    #[arg(
        id = "bus_url",
        long = "bus-url",
        env = "STICHELN_BUS_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    pub url: Option<BusUrl>,
    /// File with the password for NATS, or with the token if the address has no user. A password in the address is not used
    /// then.
    #[arg(
        id = "bus_password_file",
        long = "bus-password-file",
        env = "STICHELN_BUS_PASSWORD_FILE",
        value_name = "FILE"
    )]
    pub password_file: Option<PathBuf>,
    /// File with the root certificates (PEM) that may sign the certificate of the NATS server. By default these are the
    /// certificates of the system.
    #[arg(
        id = "bus_ca_file",
        long = "bus-ca-file",
        env = "STICHELN_BUS_CA_FILE",
        value_name = "FILE"
    )]
    pub ca_file: Option<PathBuf>,
    /// Name of the cluster, which its servers have in common. Several clusters with different names can share a NATS server.
    #[arg(
        id = "cluster_name",
        long = "cluster-name",
        env = "STICHELN_CLUSTER_NAME",
        value_name = "NAME",
        default_value_t
    )]
    pub cluster: ClusterName,
}

/// An address as the operator has set it. It may have a password, so it is never printed. An invalid one is refused later,
/// because the parser of the command line prints what it refuses.
#[derive(Clone)]
pub struct BusUrl(String);

impl FromStr for BusUrl {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for BusUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BusUrl")
    }
}

/// The name of a cluster: a part of the subjects of its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterName(String);

/// The text is not the name of a cluster.
#[derive(Debug, Error)]
#[error("a name of a cluster has 1 to {MAX_NAME_LETTERS} letters, digits and hyphens")]
pub struct InvalidClusterName;

impl Default for ClusterName {
    fn default() -> Self {
        Self(PROGRAM.to_owned())
    }
}

impl FromStr for ClusterName {
    type Err = InvalidClusterName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Dots, spaces and wildcards have a meaning in subjects.
        let is_valid = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        match (1..=MAX_NAME_LETTERS).contains(&text.len()) && text.chars().all(is_valid) {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidClusterName),
        }
    }
}

impl fmt::Display for ClusterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The reason why the settings for the bus cannot be used, as one sentence. It never has the password.
#[derive(Debug, Error)]
pub enum BusSettingsError {
    /// The text is no address.
    #[error("`--bus-url` is not a valid address of NATS, such as `tls://USER@HOST`.")]
    Invalid,
    /// The database is in the data folder.
    #[error(
        "`--bus-url` connects several servers with one database: set `--database-url` too, to the same database for all."
    )]
    WithoutDatabase,
    /// The connection cannot be secured.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// The connection is not encrypted.
    #[error(
        "`--bus-url` names another machine without TLS: begin it with `tls://`. Everybody on the way could read the cards; \
         `--insecure-bus` accepts that."
    )]
    WithoutTls,
    /// The connection has no password.
    #[error(
        "`--bus-url` names another machine, and there is no password or token: set one in it, or with \
         `--bus-password-file`. `--insecure-bus` accepts that."
    )]
    WithoutPassword,
    /// The address has a user without a password.
    #[error(
        "`--bus-url` has a user without a password: set one in it, or with `--bus-password-file`."
    )]
    UserWithoutPassword,
}

/// The way to the NATS server: its address, the user, and how the connection is secured.
#[derive(Clone)]
pub struct BusServer {
    pub(super) address: ServerAddr,
    credentials: Credentials,
    tls: Option<ClientConfig>,
    pub(super) cluster: ClusterName,
}

#[derive(Clone)]
enum Credentials {
    None,
    Token(String),
    User { name: String, password: String },
}

impl fmt::Debug for BusServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BusServer")
    }
}

impl BusServer {
    /// The options of a connection with this user and this security.
    pub(super) fn options(&self) -> ConnectOptions {
        let options = ConnectOptions::new();
        let options = match self.credentials.clone() {
            Credentials::None => options,
            Credentials::Token(token) => options.token(token),
            Credentials::User { name, password } => options.user_and_password(name, password),
        };
        match self.tls.clone() {
            Some(tls) => options.require_tls(true).tls_client_config(tls),
            None => options,
        }
    }
}

impl BusSettings {
    /// The way to the NATS server; `None` if there is no bus.
    ///
    /// # Errors
    /// [`BusSettingsError`] if the settings cannot be used.
    pub fn server(
        &self,
        database: &DatabaseSettings,
    ) -> Result<Option<BusServer>, BusSettingsError> {
        let Some(BusUrl(text)) = &self.url else {
            return Ok(None);
        };
        if !database.is_set() {
            return Err(BusSettingsError::WithoutDatabase);
        }
        let address: ServerAddr = text.parse().map_err(|_| BusSettingsError::Invalid)?;
        let is_known = ["nats", "tls"].contains(&address.scheme());
        let (address, user, password) = split(address).ok_or(BusSettingsError::Invalid)?;
        if !is_known || address.host().is_empty() || text.contains(',') {
            return Err(BusSettingsError::Invalid);
        }
        let password = match &self.password_file {
            Some(file) => Some(connection_security::read_password(
                "--bus-password-file",
                file,
            )?),
            None => password,
        };
        let credentials = match (user, password) {
            (Some(name), Some(password)) => Credentials::User { name, password },
            (None, Some(token)) => Credentials::Token(token),
            (Some(_), None) => return Err(BusSettingsError::UserWithoutPassword),
            (None, None) => Credentials::None,
        };
        let is_remote = !connection_security::is_this_machine(address.host());
        if is_remote && !database.insecure {
            if !address.tls_required() {
                return Err(BusSettingsError::WithoutTls);
            }
            if let Credentials::None = credentials {
                return Err(BusSettingsError::WithoutPassword);
            }
        }
        let tls = match address.tls_required() {
            true => {
                let roots = self.ca_file.as_ref();
                Some(connection_security::verified_tls("--bus-ca-file", roots)?)
            }
            false => None,
        };
        Ok(Some(BusServer {
            address,
            credentials,
            tls,
            cluster: self.cluster.clone(),
        }))
    }

    /// The problem of the settings, as one sentence.
    pub fn problem(&self, database: &DatabaseSettings) -> Option<String> {
        self.server(database).err().map(|error| error.to_string())
    }
}

/// An address without its user and its password, and these two. `None` if the address has other parts, or invalid ones.
fn split(address: ServerAddr) -> Option<(ServerAddr, Option<String>, Option<String>)> {
    let user = address.username().map(percent_decoded);
    let password = address
        .password()
        .filter(|password| !password.is_empty())
        .map(percent_decoded);
    let mut url = address.into_inner();
    if !["", "/"].contains(&url.path()) || url.query().is_some() || url.fragment().is_some() {
        return None;
    }
    if user.is_some() || password.is_some() {
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
    }
    let address = ServerAddr::from_url(url).ok()?;
    let is_valid = |part: &Option<Option<String>>| part.as_ref().is_none_or(Option::is_some);
    (is_valid(&user) && is_valid(&password)).then(|| (address, user.flatten(), password.flatten()))
}

/// A part of an address without percent encoding; `None` if it is invalid.
fn percent_decoded(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let (code, rest) = piece.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::storage::postgres::DatabaseAddress;

    fn database() -> DatabaseSettings {
        DatabaseSettings {
            address: DatabaseAddress {
                url: Some("postgres://localhost/d".parse().unwrap()),
            },
            ..DatabaseSettings::default()
        }
    }

    fn settings(url: &str) -> BusSettings {
        BusSettings {
            url: Some(url.parse().unwrap()),
            // The certificates of the system may be missing where the tests run.
            ca_file: Some(
                concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/src/storage/postgres/test_ca.pem"
                )
                .into(),
            ),
            ..BusSettings::default()
        }
    }

    #[test]
    fn another_machine_needs_tls_and_credentials() {
        for (url, problem) in [
            ("tls://u:geheim@nats.example", None),
            ("tls://u:geheim@nats.example:4333/", None),
            ("tls://:geheim@nats.example", None),
            ("nats://u:geheim@nats.example", Some("`tls://`")),
            ("nats.example", Some("`tls://`")),
            ("nats://10.0.0.7", Some("`tls://`")),
            ("tls://nats.example", Some("no password or token")),
            ("tls://u@nats.example", Some("user without a password")),
            ("nats://u@localhost", Some("user without a password")),
            ("nats://localhost", None),
            ("nats://127.0.0.1:4222", None),
            ("nats://[::1]:4222", None),
            ("nats://127.0.0.1.example", Some("`tls://`")),
            ("nats://localhost@nats.example", Some("user without")),
            ("tls://u:ge%heim@nats.example", Some("valid")),
            ("tls://u:geheim@nats.example/path", Some("valid")),
            ("tls://u:geheim@nats.example?tls=off", Some("valid")),
            ("tls://u:geheim@nats.example:x", Some("valid")),
            ("tls://u:geheim@a.example,tls://b.example", Some("valid")),
            ("ws://u:geheim@nats.example", Some("valid")),
            ("http://localhost", Some("valid")),
            ("nats://", Some("valid")),
        ] {
            let found = settings(url).problem(&database());
            let found = found.as_deref();
            assert_eq!(found.is_some(), problem.is_some(), "{url}: {found:?}");
            if let (Some(found), Some(problem)) = (found, problem) {
                assert!(found.contains(problem), "{url}: {found}");
                assert!(!found.contains("geheim"), "{found}");
            }
        }
    }

    #[test]
    fn a_flag_accepts_an_insecure_bus() {
        let database = DatabaseSettings {
            insecure: true,
            ..database()
        };
        assert_eq!(settings("nats://nats.example").problem(&database), None);
    }

    #[test]
    fn a_bus_needs_a_database_for_all() {
        let problem = settings("nats://localhost").problem(&DatabaseSettings::default());
        assert!(problem.unwrap().contains("`--database-url`"));
        let none = BusSettings::default().server(&database());
        assert!(none.unwrap().is_none());
    }

    #[test]
    fn secrets_are_decoded_and_not_in_debug_output() {
        let settings = settings("tls://an%20user:ge%25he%69m%3A@nats.example:4333");
        assert!(!format!("{settings:?}").contains("ge%25"));
        let server = settings.server(&database()).unwrap().unwrap();
        assert_eq!(server.address.as_url_str(), "tls://nats.example:4333");
        assert!(!format!("{server:?} {:?}", server.options()).contains("heim"));
        let Credentials::User { name, password } = server.credentials else {
            panic!("no user");
        };
        assert_eq!((name.as_str(), password.as_str()), ("an user", "ge%heim:"));
    }

    #[test]
    fn names_of_clusters_fit_into_subjects() {
        for name in ["sticheln", "Club-2"] {
            assert_eq!(name.parse::<ClusterName>().unwrap().to_string(), name);
        }
        let long = "a".repeat(MAX_NAME_LETTERS + 1);
        for name in ["", "a.b", "*", ">", "a b", "ä", long.as_str()] {
            assert!(name.parse::<ClusterName>().is_err(), "{name}");
        }
    }
}
