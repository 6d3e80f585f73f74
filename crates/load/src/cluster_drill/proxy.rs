//! A TCP proxy that can cut a connection: it closes it at once, or lets nothing through.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// The bytes that a connection reads at once.
const BUFFER_BYTES: usize = 16 * 1024;

/// The state of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProxyState {
    /// It lets everything through.
    Open,
    /// It has closed all connections, and closes new ones at once.
    Closed,
    /// Connections stay, and nothing goes through.
    Silent,
}

/// A proxy before one service.
#[derive(Debug)]
pub(super) struct Proxy {
    state: watch::Sender<ProxyState>,
    task: AbortHandle,
}

impl Proxy {
    /// A proxy that listens on one address and connects to another one.
    pub(super) async fn start(listen: SocketAddr, service: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let (state, receiver) = watch::channel(ProxyState::Open);
        let task = tokio::spawn(accept(listener, service, receiver)).abort_handle();
        Ok(Self { state, task })
    }

    pub(super) fn set(&self, state: ProxyState) {
        self.state.send_replace(state);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, service: SocketAddr, state: watch::Receiver<ProxyState>) {
    // A dropped set aborts its tasks.
    let mut connections = JoinSet::new();
    loop {
        select! {
            Ok((stream, _)) = listener.accept() => {
                connections.spawn(connect(stream, service, state.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves one connection until one of its ends closes it, or the proxy does.
async fn connect(
    client: TcpStream,
    service: SocketAddr,
    mut state: watch::Receiver<ProxyState>,
) -> io::Result<()> {
    wait_until_open(&mut state).await?;
    let service = TcpStream::connect(service).await?;
    client.set_nodelay(true)?;
    service.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_service, to_service) = service.into_split();
    let there = forward(from_client, to_service, state.clone());
    let back = forward(from_service, to_client, state);
    // The end of one direction is that of both.
    select! {
        ended = there => ended,
        ended = back => ended,
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<ProxyState>,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        wait_until_open(&mut state).await?;
        let length = select! {
            length = from.read(&mut buffer) => length?,
            _ = state.changed() => continue,
        };
        if length == 0 {
            return Ok(());
        }
        wait_until_open(&mut state).await?;
        to.write_all(&buffer[..length]).await?;
    }
}

/// Waits until the proxy lets something through. An error if it closes connections.
async fn wait_until_open(state: &mut watch::Receiver<ProxyState>) -> io::Result<()> {
    let changed = state.wait_for(|state| *state != ProxyState::Silent).await;
    match changed.map(|state| *state) {
        Ok(ProxyState::Open) => Ok(()),
        Ok(_) | Err(_) => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test]
    async fn a_proxy_holds_bytes_back_and_closes_connections() -> io::Result<()> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let service = TcpListener::bind(any).await?;
        let listen = TcpListener::bind(any).await?.local_addr()?;
        let proxy = Proxy::start(listen, service.local_addr()?).await?;
        let mut client = TcpStream::connect(listen).await?;
        let (mut served, _) = service.accept().await?;
        let mut byte = [0];
        client.write_all(b"a").await?;
        served.read_exact(&mut byte).await?;
        assert_eq!(&byte, b"a");

        proxy.set(ProxyState::Silent);
        client.write_all(b"b").await?;
        select! {
            biased;
            read = served.read_exact(&mut byte) => panic!("{read:?}"),
            () = tokio::task::yield_now() => {}
        }
        proxy.set(ProxyState::Open);
        served.read_exact(&mut byte).await?;
        assert_eq!(&byte, b"b");

        proxy.set(ProxyState::Closed);
        assert_eq!(served.read(&mut byte).await?, 0);
        let mut second = TcpStream::connect(listen).await?;
        assert!(matches!(second.read(&mut byte).await, Ok(0) | Err(_)));
        Ok(())
    }
}
