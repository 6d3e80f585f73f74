//! Asking a server that runs here whether it is ready.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::settings::Listen;

/// How long an answer is waited for.
const WAIT: Duration = Duration::from_secs(3);
/// The most bytes of an answer that are read.
const ANSWER: u64 = 4096;

/// Why nobody can play here now, in one sentence.
#[derive(Debug)]
pub enum Unready {
    /// With port 0 nobody knows where to ask.
    NoPort,
    /// Nobody listens, or the connection breaks.
    Unreachable(SocketAddr, io::Error),
    /// It takes too long.
    Late(SocketAddr),
    /// It says that it is not.
    Refused(SocketAddr, String),
}

impl fmt::Display for Unready {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPort => f.write_str("A server on port 0 cannot be found; give it a port."),
            Self::Unreachable(address, error) => {
                write!(f, "No server answers at {address}: {error}.")
            }
            Self::Late(address) => {
                let seconds = WAIT.as_secs();
                write!(
                    f,
                    "The server at {address} does not answer within {seconds} s."
                )
            }
            Self::Refused(address, why) => {
                write!(f, "The server at {address} is not ready: {why}.")
            }
        }
    }
}

impl Error for Unready {}

/// Asks the server that listens there, through the machine's own address, whether it is ready.
///
/// # Errors
/// [`Unready`] says why it is not.
pub async fn ask(listen: &Listen) -> Result<(), Unready> {
    if listen.port == 0 {
        return Err(Unready::NoPort);
    }
    let address = SocketAddr::new(nearest(listen.host), listen.port);
    let answer = timeout(WAIT, call(address, "/readyz")).await;
    let answer = answer.map_err(|_| Unready::Late(address))?;
    let answer = answer.map_err(|error| Unready::Unreachable(address, error))?;
    if answer.status == "200" {
        return Ok(());
    }
    Err(Unready::Refused(address, answer.body))
}

/// What a server has answered.
pub(crate) struct Answer {
    pub(crate) status: String,
    pub(crate) body: String,
}

/// Asks for something short.
pub(crate) async fn call(address: SocketAddr, path: &str) -> io::Result<Answer> {
    let mut stream = connect(address).await?;
    let call = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(call.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER).read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head
        .split(' ')
        .nth(1)
        .filter(|_| head.starts_with("HTTP/1.1 "));
    let status = status.ok_or_else(|| io::Error::other("what answers there is something else"))?;
    Ok(Answer {
        status: status.to_owned(),
        // What it says is a few words on one line.
        body: body.lines().next().unwrap_or_default().to_owned(),
    })
}

/// Where a server listens to all addresses, it may listen to those of one kind alone.
async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let other = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port());
    match TcpStream::connect(address).await {
        Err(error) if address.ip() == Ipv4Addr::LOCALHOST => {
            TcpStream::connect(other).await.map_err(|_| error)
        }
        connected => connected,
    }
}

/// The address by which this machine reaches what listens there.
pub(crate) fn nearest(host: IpAddr) -> IpAddr {
    if host.is_unspecified() {
        Ipv4Addr::LOCALHOST.into()
    } else {
        host
    }
}
