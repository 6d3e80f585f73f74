//! Where a connection comes from and goes to.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// The bytes of a narrow end; the system makes them as many as it needs at least.
const NARROW: u32 = 1024;

/// Both ends of connections to a server. Every address of the loopback network (127.0.0.0/8) is
/// this machine's own, so that one program can be many visitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    from: Option<Ipv4Addr>,
    pub(crate) to: SocketAddr,
    /// The bytes that may lie at the near end until they are read, if they are to be few.
    buffer: Option<u32>,
}

impl Route {
    /// Connections from an address of this machine.
    pub(crate) fn new(from: Ipv4Addr, to: SocketAddr) -> Self {
        let from = Some(from);
        Self {
            from,
            to,
            buffer: None,
        }
    }

    /// The same for somebody at whose end nearly nothing can lie unread.
    pub(crate) fn narrow(self) -> Self {
        let buffer = Some(NARROW);
        Self { buffer, ..self }
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
                if let Some(buffer) = self.buffer {
                    socket.set_recv_buffer_size(buffer)?;
                }
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
        Self {
            from: None,
            to,
            buffer: None,
        }
    }
}
