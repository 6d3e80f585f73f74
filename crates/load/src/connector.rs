//! TCP connections to a server, from an address of choice.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// The receive buffer of a client that reads slowly. The system raises it to its minimum.
const SMALL_RECEIVE_BUFFER: u32 = 1024;

/// Makes TCP connections to a server, all with the same settings.
///
/// Every address of the loopback network (127.0.0.0/8) belongs to this machine. So one program can be many
/// clients with different addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connector {
    /// The address of this machine from which it connects, if the system does not choose it.
    local_address: Option<Ipv4Addr>,
    /// The address of the server.
    pub(crate) server: SocketAddr,
    /// The size of the receive buffer in bytes, if the system does not choose it.
    receive_buffer: Option<u32>,
}

impl Connector {
    /// Connects from this address of the machine.
    pub(crate) fn new(local_address: Ipv4Addr, server: SocketAddr) -> Self {
        Self {
            local_address: Some(local_address),
            server,
            receive_buffer: None,
        }
    }

    /// The same connector with the smallest possible receive buffer.
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
        let stream = match self.local_address {
            None => TcpStream::connect(self.server).await?,
            Some(local_address) => {
                let socket = TcpSocket::new_v4()?;
                if let Some(bytes) = self.receive_buffer {
                    socket.set_recv_buffer_size(bytes)?;
                }
                socket.bind(SocketAddr::from((local_address, 0)))?;
                socket.connect(self.server).await?
            }
        };
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

impl From<SocketAddr> for Connector {
    /// Connects from an address that the system chooses.
    fn from(server: SocketAddr) -> Self {
        Self {
            local_address: None,
            server,
            receive_buffer: None,
        }
    }
}
