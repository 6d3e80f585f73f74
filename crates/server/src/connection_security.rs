//! The security of connections to the database and to the bus: passwords in files, verified TLS, and which hosts are this machine.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;

/// The most bytes of a file with a password.
const MAX_PASSWORD_BYTES: usize = 1024;

/// The reason why a connection cannot be secured, as one sentence. It begins with the flag, and never has the password.
#[derive(Debug, Error)]
pub enum SecurityError {
    /// A file cannot be read.
    #[error("`{0}`: {file} cannot be read: {2}.", file = .1.display())]
    File(&'static str, PathBuf, #[source] std::io::Error),
    /// The file is empty or too long.
    #[error("`{0}` must have 1 to {MAX_PASSWORD_BYTES} bytes.")]
    PasswordLength(&'static str),
    /// There are no root certificates.
    #[error(
        "`{0}`: there is no root certificate in PEM. Without the flag, the system must have some."
    )]
    WithoutRoots(&'static str),
    /// TLS cannot be used.
    #[error("TLS cannot be used: {0}.")]
    Tls(#[source] rustls::Error),
}

/// The password in the file that this flag names, without the end of its line.
///
/// # Errors
/// [`SecurityError`] if it cannot be read, is empty, or is too long.
pub(crate) fn read_password(flag: &'static str, file: &Path) -> Result<String, SecurityError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| SecurityError::File(flag, file.to_owned(), error))?;
    let password = text.trim_end_matches(['\r', '\n']);
    match password.len() {
        1..=MAX_PASSWORD_BYTES => Ok(password.to_owned()),
        _ => Err(SecurityError::PasswordLength(flag)),
    }
}

/// TLS that verifies the certificate of the server and its name. The roots are those of the system, or in the file that this
/// flag names.
///
/// # Errors
/// [`SecurityError`] if there are no roots, or TLS cannot be used.
pub(crate) fn verified_tls(
    flag: &'static str,
    ca_file: Option<&PathBuf>,
) -> Result<ClientConfig, SecurityError> {
    let mut roots = RootCertStore::empty();
    match ca_file {
        Some(file) => {
            let pem = std::fs::read(file)
                .map_err(|error| SecurityError::File(flag, file.clone(), error))?;
            let certificates = CertificateDer::pem_slice_iter(&pem).flatten();
            roots.add_parsable_certificates(certificates);
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if roots.is_empty() {
        return Err(SecurityError::WithoutRoots(flag));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(SecurityError::Tls)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Whether bytes to the host with this name or address stay on this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback())
}
