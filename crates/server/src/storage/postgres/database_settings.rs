//! The settings for a database in PostgreSQL: its address, its password, and how the connection is secured.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use sticheln_room::Formats;
use thiserror::Error;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::pg_connection::Connector;
use crate::PROGRAM;
use crate::connection_security::{self, SecurityError};

/// The settings for a database in PostgreSQL.
#[derive(Args, Clone, Debug, Default)]
#[allow(
    missing_docs,
    reason = "a doc comment here would replace the help of the program"
)]
pub struct DatabaseSettings {
    #[command(flatten)]
    pub address: DatabaseAddress,
    /// File with the password for the database in PostgreSQL. A password in the address is not used then.
    #[arg(
        id = "database_password_file",
        long = "database-password-file",
        env = "STICHELN_DATABASE_PASSWORD_FILE",
        value_name = "FILE"
    )]
    pub password_file: Option<PathBuf>,
    /// File with the root certificates (PEM) that may sign the certificate of the database server. By default these are the
    /// certificates of the system.
    #[arg(
        id = "database_ca_file",
        long = "database-ca-file",
        env = "STICHELN_DATABASE_CA_FILE",
        value_name = "FILE"
    )]
    pub ca_file: Option<PathBuf>,
    /// Accept a connection to a database or to NATS on another machine without TLS, and without a password. Everybody on the
    /// way can read the cards then.
    #[arg(
        id = "insecure_bus",
        long = "insecure-bus",
        env = "STICHELN_INSECURE_BUS"
    )]
    pub insecure: bool,
    /// The formats in which this server reads and writes. Only tests have others than those of this version.
    #[arg(skip)]
    pub formats: Formats,
}

/// The address of a database in PostgreSQL.
#[derive(Args, Clone, Debug, Default)]
pub struct DatabaseAddress {
    /// Address of a database in PostgreSQL 13 or newer, such as `postgres://USER@HOST/DATABASE`. Without it the database is a
    /// file in the data folder. Other users of the machine can see flags, so set the variable if the address has a password.
    #[arg(
        id = "database_url",
        long = "database-url",
        env = "STICHELN_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    pub url: Option<DatabaseUrl>,
}

/// An address as the operator has set it. It may have a password, so it is never printed. An invalid one is refused later,
/// because the parser of the command line prints what it refuses.
#[derive(Clone)]
pub struct DatabaseUrl(String);

impl FromStr for DatabaseUrl {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl")
    }
}

/// The reason why the settings for the database cannot be used, as one sentence. It never has the password.
#[derive(Debug, Error)]
pub enum DatabaseSettingsError {
    /// The text is no address.
    #[error("`--database-url` is not a valid address of PostgreSQL.")]
    Invalid,
    /// The address has no host.
    #[error("`--database-url` has no host.")]
    WithoutHost,
    /// The connection cannot be secured.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// The connection is not encrypted.
    #[error(
        "`--database-url` names another machine, and switches TLS off. Everybody on the way could read the cards; \
         `--insecure-bus` accepts that."
    )]
    WithoutTls,
    /// The connection has no password.
    #[error(
        "`--database-url` names another machine, and there is no password: set one in it, or with \
         `--database-password-file`. `--insecure-bus` accepts that."
    )]
    WithoutPassword,
}

impl DatabaseSettings {
    /// The way to the database; `None` if it is in the data folder.
    ///
    /// # Errors
    /// [`DatabaseSettingsError`] if the settings cannot be used.
    pub(super) fn connector(&self) -> Result<Option<Connector>, DatabaseSettingsError> {
        let Some(DatabaseUrl(url)) = &self.address.url else {
            return Ok(None);
        };
        let mut config: Config = url.parse().map_err(|_| DatabaseSettingsError::Invalid)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(DatabaseSettingsError::WithoutHost);
        }
        if let Some(file) = &self.password_file {
            let flag = "--database-password-file";
            config.password(connection_security::read_password(flag, file)?);
        }
        let is_remote = is_remote(&config);
        if is_remote && !self.insecure {
            if config.get_ssl_mode() == SslMode::Disable {
                return Err(DatabaseSettingsError::WithoutTls);
            }
            if config.get_password().is_none_or(<[u8]>::is_empty) {
                return Err(DatabaseSettingsError::WithoutPassword);
            }
            config.ssl_mode(SslMode::Require);
        }
        config.application_name(application_name());
        let tls = match config.get_ssl_mode() {
            SslMode::Require => {
                let roots = self.ca_file.as_ref();
                let tls = connection_security::verified_tls("--database-ca-file", roots)?;
                Some(Arc::new(tls))
            }
            _ => None,
        };
        Ok(Some(Connector::new(config, tls)))
    }

    /// The problem of the settings, as one sentence.
    pub fn problem(&self) -> Option<String> {
        self.connector().err().map(|error| error.to_string())
    }

    /// Whether the database is in PostgreSQL.
    pub fn is_set(&self) -> bool {
        self.address.url.is_some()
    }
}

/// Whether bytes to one of the hosts leave this machine.
fn is_remote(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        return !addresses.iter().all(IpAddr::is_loopback);
    }
    config.get_hosts().iter().any(|host| match host {
        Host::Tcp(name) => !connection_security::is_this_machine(name),
        #[cfg(unix)]
        Host::Unix(_) => false,
    })
}

/// The name of the connections of this process.
fn application_name() -> String {
    let mut bytes = [0; 4];
    // Without random numbers the server does not start.
    let _ = getrandom::fill(&mut bytes);
    format!("{PROGRAM}-{:08x}", u32::from_le_bytes(bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn settings(url: &str) -> DatabaseSettings {
        DatabaseSettings {
            address: DatabaseAddress {
                url: Some(url.parse().unwrap()),
            },
            // The certificates of the system may be missing where the tests run.
            ca_file: Some(
                concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/src/storage/postgres/test_ca.pem"
                )
                .into(),
            ),
            ..DatabaseSettings::default()
        }
    }

    #[test]
    fn another_machine_needs_tls_and_a_password() {
        for (url, problem) in [
            ("postgres://u:geheim@db.example/d", None),
            ("postgres://u:geheim@db.example/d?sslmode=require", None),
            (
                "postgres://u:geheim@10.0.0.7/d?sslmode=disable",
                Some("TLS"),
            ),
            ("postgres://u@db.example/d", Some("password")),
            (
                "postgres://u:geheim@localhost,db.example/d?sslmode=disable",
                Some("TLS"),
            ),
            (
                "postgres://u:geheim@localhost/d?hostaddr=10.0.0.7&sslmode=disable",
                Some("TLS"),
            ),
            ("postgres://u@localhost/d", None),
            ("postgres://u@127.0.0.1/d?sslmode=disable", None),
            ("postgres://u@[::1]/d", None),
            ("postgres://u@%2Frun%2Fpostgresql/d", None),
            ("postgres:///d", Some("host")),
            ("postgres://u:geheim@db.example:x/d", Some("valid")),
            ("mysql://u:geheim@db.example/d", Some("valid")),
        ] {
            let found = settings(url).problem();
            let found = found.as_deref();
            assert_eq!(found.is_some(), problem.is_some(), "{url}: {found:?}");
            if let (Some(found), Some(problem)) = (found, problem) {
                assert!(found.contains(problem), "{url}: {found}");
                assert!(!found.contains("geheim"), "{found}");
            }
        }
    }

    #[test]
    fn a_flag_accepts_an_insecure_connection() {
        let settings = DatabaseSettings {
            insecure: true,
            ..settings("postgres://u@db.example/d?sslmode=disable")
        };
        assert_eq!(settings.problem(), None);
    }

    #[test]
    fn the_password_is_not_in_debug_output() {
        let settings = settings("postgres://u:geheim@db.example/d");
        assert!(!format!("{settings:?}").contains("geheim"));
        let connector = settings.connector().unwrap().unwrap();
        assert!(!format!("{connector:?}").contains("geheim"));
    }
}
