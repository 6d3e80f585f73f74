//! `sticheln health`: asks a server on this machine whether it is ready. `storage/probe.rs` has the test that the server
//! makes.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The time limit for a response.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The most bytes of a response.
const MAX_RESPONSE_BYTES: u64 = 4096;

/// The reason why a server is not ready, as one sentence.
#[derive(Debug, Error)]
pub enum Unready {
    /// With port 0 the address of the server is unknown.
    #[error("A server on port 0 cannot be found; give it a port.")]
    NoPort,
    /// The connection failed.
    #[error("No server answers at {0}: {1}.")]
    Unreachable(SocketAddr, #[source] io::Error),
    /// The response did not arrive in time.
    #[error("The server at {0} does not answer within {seconds} s.", seconds = TIMEOUT.as_secs())]
    Timeout(SocketAddr),
    /// The server says that it is not ready.
    #[error("The server at {0} is not ready: {1}.")]
    NotReady(SocketAddr, String),
}

/// Asks the server on this machine with this address and port whether it is ready.
///
/// # Errors
/// [`Unready`] says why it is not.
pub async fn ask(host: IpAddr, port: u16) -> Result<(), Unready> {
    if port == 0 {
        return Err(Unready::NoPort);
    }
    let address = SocketAddr::new(local(host), port);
    let response = timeout(TIMEOUT, get(address, "/readyz")).await;
    let response = response.map_err(|_| Unready::Timeout(address))?;
    let response = response.map_err(|error| Unready::Unreachable(address, error))?;
    if response.status == "200" {
        return Ok(());
    }
    Err(Unready::NotReady(address, response.body))
}

/// A response of a server.
pub(crate) struct Response {
    pub(crate) status: String,
    pub(crate) body: String,
}

/// Sends a GET request.
pub(crate) async fn get(address: SocketAddr, path: &str) -> io::Result<Response> {
    let mut stream = connect(address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream
        .take(MAX_RESPONSE_BYTES)
        .read_to_end(&mut response)
        .await?;
    let response = String::from_utf8_lossy(&response);
    let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
    let status = head
        .split(' ')
        .nth(1)
        .filter(|_| head.starts_with("HTTP/1.1 "));
    let status = status.ok_or_else(|| io::Error::other("the response is not HTTP"))?;
    Ok(Response {
        status: status.to_owned(),
        // The body of a health check is one line.
        body: body.lines().next().unwrap_or_default().to_owned(),
    })
}

/// Connects by IPv4 or, if that fails on the loopback address, by IPv6: a server may listen on one of them only.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let other = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port());
    match TcpStream::connect(address).await {
        Err(error) if address.ip() == Ipv4Addr::LOCALHOST => {
            TcpStream::connect(other).await.map_err(|_| error)
        }
        connected => connected,
    }
}

/// The address by which this machine reaches a server that listens on `host`.
pub(crate) fn local(host: IpAddr) -> IpAddr {
    if host.is_unspecified() {
        Ipv4Addr::LOCALHOST.into()
    } else {
        host
    }
}
