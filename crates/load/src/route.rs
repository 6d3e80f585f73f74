//! Where a connection comes from and goes to.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// Both ends of connections to a server. Every address of the loopback network (127.0.0.0/8) is
/// this machine's own, so that one program can be many visitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    from: Option<Ipv4Addr>,
    pub(crate) to: SocketAddr,
}

impl Route {
    /// Connections from an address of this machine.
    pub(crate) fn new(from: Ipv4Addr, to: SocketAddr) -> Self {
        let from = Some(from);
        Self { from, to }
    }

    /// A connection.
    ///
    /// # Errors
    /// If there is none to be had.
    pub(crate) async fn connect(self) -> io::Result<TcpStream> {
        let stream = match self.from {
            None => TcpStream::connect(self.to).await?,
            Some(from) => {
                let socket = TcpSocket::new_v4()?;
                socket.bind(SocketAddr::from((from, 0)))?;
                socket.connect(self.to).await?
            }
        };
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl From<SocketAddr> for Route {
    /// Connections from wherever the system likes.
    fn from(to: SocketAddr) -> Self {
        Self { from: None, to }
    }
}
