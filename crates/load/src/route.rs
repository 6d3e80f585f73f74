//! The two ends of connections to a server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// The receive buffer of a client that reads slowly. The system raises it to its minimum.
const SMALL_RECEIVE_BUFFER: u32 = 1024;

/// The two ends of connections to a server.
///
/// Every address of the loopback network (127.0.0.0/8) belongs to this machine. So one program can be many
/// clients with different addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    from: Option<Ipv4Addr>,
    pub(crate) to: SocketAddr,
    /// The size of the receive buffer, if the system does not choose it.
    receive_buffer: Option<u32>,
}

impl Route {
    /// Connections from this address of the machine.
    pub(crate) fn new(from: Ipv4Addr, to: SocketAddr) -> Self {
        Self {
            from: Some(from),
            to,
            receive_buffer: None,
        }
    }

    /// The same route with the smallest possible receive buffer.
    pub(crate) fn with_small_receive_buffer(self) -> Self {
        let receive_buffer = Some(SMALL_RECEIVE_BUFFER);
        Self {
            receive_buffer,
            ..self
        }
    }

    /// Connects.
    ///
    /// # Errors
    /// If the connection fails.
    pub(crate) async fn connect(self) -> io::Result<TcpStream> {
        let stream = match self.from {
            None => TcpStream::connect(self.to).await?,
            Some(from) => {
                let socket = TcpSocket::new_v4()?;
                if let Some(bytes) = self.receive_buffer {
                    socket.set_recv_buffer_size(bytes)?;
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
    /// Connections from an address that the system chooses.
    fn from(to: SocketAddr) -> Self {
        Self {
            from: None,
            to,
            receive_buffer: None,
        }
    }
}
