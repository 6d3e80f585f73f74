//! A WebSocket on the stream of a connection that was upgraded.
//!
//! The library tungstenite parses and checks frames. This type owns the frames that wait to be written, and frees their
//! memory once the system has taken them. The library would keep a buffer for the longest batch of each idle socket.

use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_io_timeout::TimeoutWriter;
use tokio_tungstenite::tungstenite::error::{Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Control, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Message, Role, WebSocketConfig, WebSocketContext};

use crate::limits::operator_limits::Limits;
use crate::socket::sending::MAX_BATCH_BYTES;
use crate::socket::throttled_stream::ThrottledStream;

/// The most bytes that wait to be written. A batch ([`MAX_BATCH_BYTES`]) with one more message and a ping has fewer. The
/// longest message is a view with all events since the last one. A close frame may exceed it.
const MAX_UNSENT_BYTES: usize = 64 * 1024;

/// The stream of a connection: it is read at a limited rate and written with a time limit.
pub type ClientStream = Pin<Box<TimeoutWriter<ThrottledStream<TcpStream>>>>;

/// The sizes of the buffers and messages of a socket, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct SocketSizes {
    /// The read buffer.
    pub read_buffer: usize,
    /// The longest message that is received.
    pub message: usize,
    /// The most bytes that wait to be written.
    pub unsent: usize,
}

impl SocketSizes {
    /// The sizes under these limits.
    pub fn new(limits: &Limits) -> Self {
        Self {
            read_buffer: limits.read_buffer_bytes.get(),
            message: limits.message_bytes,
            unsent: MAX_UNSENT_BYTES,
        }
    }
}

/// A WebSocket, on the side of the server.
#[derive(Debug)]
pub struct WebSocket<S = ClientStream> {
    stream: S,
    /// Parses what is read. It answers pings and close frames.
    context: WebSocketContext,
    unsent: Unsent,
    max_unsent: usize,
    /// Whether nothing more is received.
    has_ended: bool,
}

/// Whole frames that wait to be written.
#[derive(Debug, Default)]
struct Unsent {
    frames: Vec<u8>,
    /// The bytes of them that are written.
    written: usize,
}

impl Unsent {
    fn len(&self) -> usize {
        self.frames.len() - self.written
    }

    fn push(&mut self, opcode: OpCode, payload: &[u8]) -> Result<(), Error> {
        let header = FrameHeader {
            opcode,
            ..FrameHeader::default()
        };
        let length = payload.len() as u64;
        self.frames.reserve(header.len(length) + payload.len());
        header.format(length, &mut self.frames)?;
        self.frames.extend_from_slice(payload);
        Ok(())
    }

    /// Writes all frames, and then frees their memory.
    fn poll_write(
        &mut self,
        stream: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while self.len() > 0 {
            let unsent = &self.frames[self.written..];
            match Pin::new(&mut *stream).poll_write(cx, unsent)? {
                Poll::Ready(0) => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                Poll::Ready(count) => self.written += count,
                Poll::Pending => {
                    self.frames.drain(..self.written);
                    self.written = 0;
                    return Poll::Pending;
                }
            }
        }
        *self = Self::default();
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> WebSocket<S> {
    /// A WebSocket on a stream from which these bytes were read after the handshake.
    pub fn new(stream: S, read: Vec<u8>, sizes: SocketSizes) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(sizes.read_buffer)
            .write_buffer_size(0)
            .max_message_size(Some(sizes.message))
            .max_frame_size(Some(sizes.message));
        Self {
            stream,
            context: WebSocketContext::from_partially_read(read, Role::Server, Some(config)),
            unsent: Unsent::default(),
            max_unsent: sizes.unsent,
            has_ended: false,
        }
    }

    /// Calls the library with the stream. Without a context, the call only buffers frames and writes nothing.
    fn with_library<'a, 'b, T>(
        &'a mut self,
        cx: Option<&'a mut Context<'b>>,
        call: impl FnOnce(&mut WebSocketContext, &mut LibraryStream<'a, 'b, S>) -> Result<T, Error>,
    ) -> Poll<Result<T, Error>> {
        let mut stream = LibraryStream {
            stream: &mut self.stream,
            unsent: &mut self.unsent,
            max_unsent: self.max_unsent,
            cx,
        };
        match call(&mut self.context, &mut stream) {
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => Poll::Pending,
            result => Poll::Ready(result),
        }
    }

    fn poll_write_unsent(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let written = ready!(self.unsent.poll_write(&mut self.stream, cx));
        Poll::Ready(written.map_err(Error::Io))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for WebSocket<S> {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        match ready!(self.with_library(Some(cx), |library, stream| library.read(stream))) {
            Ok(message) => Poll::Ready(Some(Ok(message))),
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => {
                // The answer to a close frame may still wait. If it cannot be written, the connection is lost.
                let _ = ready!(self.poll_write_unsent(cx));
                self.has_ended = true;
                Poll::Ready(None)
            }
            Err(error) => {
                self.has_ended = true;
                Poll::Ready(Some(Err(error)))
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sink<Message> for WebSocket<S> {
    type Error = Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        match self.unsent.len() > MAX_BATCH_BYTES {
            true => self.poll_write_unsent(cx),
            false => Poll::Ready(Ok(())),
        }
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        if !self.context.can_write() {
            return Err(ProtocolError::SendAfterClosing.into());
        }
        if self.unsent.len() + message.len() > self.max_unsent {
            return Err(Error::WriteBufferFull(message.into()));
        }
        let unsent = &mut self.unsent;
        match message {
            Message::Text(text) => unsent.push(OpCode::Data(Data::Text), text.as_bytes()),
            Message::Binary(bytes) => unsent.push(OpCode::Data(Data::Binary), &bytes),
            Message::Ping(payload) => unsent.push(OpCode::Control(Control::Ping), &payload),
            // The state of the library changes with a close frame.
            message @ (Message::Close(_) | Message::Pong(_) | Message::Frame(_)) => {
                let sent =
                    self.with_library(None, |library, stream| library.write(stream, message));
                match sent {
                    Poll::Ready(sent) => sent,
                    // The frame waits to be written.
                    Poll::Pending => Ok(()),
                }
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        match ready!(self.with_library(Some(cx), |library, stream| library.flush(stream))) {
            Err(Error::ConnectionClosed) => self.poll_write_unsent(cx),
            flushed => Poll::Ready(flushed),
        }
    }

    fn poll_close(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.poll_flush(cx)
    }
}

/// The stream that the library reads and writes. It takes each frame at once, so that none is torn and none waits in the
/// library.
struct LibraryStream<'a, 'b, S> {
    stream: &'a mut S,
    unsent: &'a mut Unsent,
    max_unsent: usize,
    /// `None` if no task can be woken: then nothing is read or written.
    cx: Option<&'a mut Context<'b>>,
}

impl<S: AsyncRead + Unpin> Read for LibraryStream<'_, '_, S> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let cx = self.cx.as_mut().ok_or(ErrorKind::WouldBlock)?;
        let mut buffer = ReadBuf::new(bytes);
        match Pin::new(&mut *self.stream).poll_read(cx, &mut buffer) {
            Poll::Ready(read) => read.map(|()| buffer.filled().len()),
            Poll::Pending => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl<S: AsyncWrite + Unpin> Write for LibraryStream<'_, '_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A client that reads too slowly gets no pong for some of its pings (RFC 6455, section 5.5.3).
        let is_full = self.unsent.len() + bytes.len() > self.max_unsent;
        if !(is_full && is_pong(bytes)) {
            self.unsent.frames.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let cx = self.cx.as_mut().ok_or(ErrorKind::WouldBlock)?;
        match self.unsent.poll_write(self.stream, cx) {
            Poll::Ready(written) => written,
            Poll::Pending => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

/// Whether these are the bytes of a pong.
fn is_pong(frame: &[u8]) -> bool {
    const FIN: u8 = 0x80;
    let pong = FIN | u8::from(OpCode::Control(Control::Pong));
    frame.first() == Some(&pong)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use futures_util::future::join;
    use futures_util::{FutureExt, SinkExt, StreamExt};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::task::yield_now;
    use tokio_tungstenite::tungstenite::protocol::CloseFrame;

    use super::*;

    /// A message with a longer frame than the stream takes at once.
    const TEXT: &str = "a message that is written in parts";
    const PING: [u8; 7] = [0x89, 0x81, 0, 0, 0, 0, b'p'];
    const PONG: [u8; 3] = [0x8a, 1, b'p'];
    const CLOSE: [u8; 8] = [0x88, 0x82, 0, 0, 0, 0, 3, 0xe8];
    const CLOSED: [u8; 4] = [0x88, 2, 3, 0xe8];

    /// A socket whose stream takes this many bytes at once, and the other end of the stream.
    fn socket(stream_bytes: usize) -> (WebSocket<DuplexStream>, DuplexStream) {
        let (client, stream) = duplex(stream_bytes);
        let sizes = SocketSizes {
            read_buffer: 128,
            message: 1024,
            unsent: 64,
        };
        (WebSocket::new(stream, Vec::new(), sizes), client)
    }

    /// The frame of [`TEXT`].
    fn text_frame() -> Vec<u8> {
        [&[0x81, TEXT.len() as u8], TEXT.as_bytes()].concat()
    }

    /// Reads this many bytes while the socket is read and flushed, each without waiting.
    async fn read(
        socket: &mut WebSocket<DuplexStream>,
        client: &mut DuplexStream,
        count: usize,
    ) -> Vec<u8> {
        let mut bytes = vec![0; count];
        let mut read = 0;
        while read < count {
            yield_now().await;
            let _ = socket.next().now_or_never();
            let _ = socket.flush().now_or_never();
            read += client.read(&mut bytes[read..]).await.unwrap();
        }
        bytes
    }

    #[tokio::test]
    async fn a_sent_message_leaves_no_buffer() {
        let (mut socket, mut client) = socket(8);
        socket.feed(Message::text(TEXT)).await.unwrap();
        assert!(socket.flush().now_or_never().is_none());
        let frame = text_frame();
        assert_eq!(read(&mut socket, &mut client, frame.len()).await, frame);
        assert_eq!(socket.unsent.frames.capacity(), 0);
    }

    #[tokio::test]
    async fn a_pong_does_not_tear_a_message() {
        let (mut socket, mut client) = socket(8);
        socket.feed(Message::text(TEXT)).await.unwrap();
        assert!(socket.flush().now_or_never().is_none());
        client.write_all(&PING).await.unwrap();
        let frames = [text_frame(), PONG.to_vec()].concat();
        assert_eq!(read(&mut socket, &mut client, frames.len()).await, frames);
    }

    #[tokio::test]
    async fn a_close_frame_is_answered_after_the_messages_that_wait() {
        let (mut socket, mut client) = socket(8);
        socket.feed(Message::text(TEXT)).await.unwrap();
        client.write_all(&CLOSE).await.unwrap();
        let frames = [text_frame(), CLOSED.to_vec()].concat();
        assert_eq!(read(&mut socket, &mut client, frames.len()).await, frames);
        assert!(socket.next().await.is_none());
        let late = socket.feed(Message::text(TEXT)).await;
        assert!(matches!(
            late,
            Err(Error::Protocol(ProtocolError::SendAfterClosing))
        ));
    }

    #[tokio::test]
    async fn the_bytes_that_wait_are_bounded() {
        let (mut socket, mut client) = socket(8);
        socket.feed(Message::text(TEXT)).await.unwrap();
        let full = socket.feed(Message::text(TEXT)).await;
        assert!(matches!(full, Err(Error::WriteBufferFull(_))));
        // A client that sends more pings than it reads answers gets no more of them than fit.
        for _ in 0..10_000 {
            // The budget of a task would end before the loop does.
            yield_now().await;
            client.write_all(&PING).await.unwrap();
            let _ = socket.next().now_or_never();
            let _ = client.read(&mut [0]).now_or_never();
        }
        let capacity = socket.unsent.frames.capacity();
        assert!(capacity <= 2 * socket.max_unsent);
    }

    #[tokio::test]
    async fn a_close_frame_is_sent_after_many_pongs() {
        let (mut socket, mut client) = socket(8);
        for _ in 0..1_000 {
            yield_now().await;
            client.write_all(&PING).await.unwrap();
            let _ = socket.next().now_or_never();
        }
        let code = 4_000_u16;
        let close = Message::Close(Some(CloseFrame {
            code: code.into(),
            reason: "".into(),
        }));
        let send = async {
            socket.send(close).await.unwrap();
            drop(socket);
        };
        let mut frames = Vec::new();
        let (_, read) = join(send, client.read_to_end(&mut frames)).await;
        read.unwrap();
        let [high, low] = code.to_be_bytes();
        assert!(frames.ends_with(&[0x88, 2, high, low]), "{frames:x?}");
    }
}
