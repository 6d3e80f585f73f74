//! The options of accepted connections, read back from their sockets.

use std::net::SocketAddr;
use std::time::Duration;

use rustix::fs::{FileType, fstat};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
use socket2::Socket;
use sticheln_server::limits::operator_limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::common::skip;
use crate::harness::{Server, limits, within_timeout};

/// A copy of the accepted socket of the connection from this address. The server runs in this
/// process.
fn accepted(from: SocketAddr) -> rustix::io::Result<Socket> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    for file in std::fs::read_dir("/proc/self/fd").unwrap() {
        let number = file.unwrap().file_name();
        let number = number.to_str().unwrap().parse().unwrap();
        // Other tests may close files in the meantime.
        let copy = match pidfd_getfd(&own, number, PidfdGetfdFlags::empty()) {
            Err(rustix::io::Errno::BADF) => continue,
            copy => copy?,
        };
        let mode = fstat(&copy)?.st_mode;
        if FileType::from_raw_mode(mode) != FileType::Socket {
            continue;
        }
        let socket = Socket::from(copy);
        let peer = socket.peer_addr().ok().and_then(|peer| peer.as_socket());
        if peer == Some(from) {
            return Ok(socket);
        }
    }
    panic!("the connection from {from} is not accepted");
}

#[tokio::test]
async fn accepted_connections_have_the_options_of_the_server() {
    const SEND_BUFFER: usize = 12_345;

    let server = Server::with(Limits {
        send_buffer_bytes: limit!(SEND_BUFFER),
        tcp_user_timeout_seconds: limit!(17),
        ..limits()
    })
    .await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // After the answer, the connection is accepted.
    let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request).await.unwrap();
    within_timeout("an answer", stream.read_u8()).await.unwrap();
    let socket = match accepted(stream.local_addr().unwrap()) {
        Ok(socket) => socket,
        Err(error) => {
            skip(&format!("the files of a process cannot be copied: {error}"));
            return;
        }
    };
    let user_timeout = socket.tcp_user_timeout().unwrap();
    assert_eq!(user_timeout, Some(Duration::from_secs(17)));
    assert_eq!(socket.tcp_notsent_lowat().unwrap(), 4096);
    assert!(socket.tcp_nodelay().unwrap());
    // The system doubles the value.
    assert_eq!(socket.send_buffer_size().unwrap(), 2 * SEND_BUFFER);
}
