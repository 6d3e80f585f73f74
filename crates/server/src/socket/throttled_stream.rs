//! A connection that is read at a limited rate.
//!
//! The rate limit for messages counts complete messages only. This limit also covers bytes that
//! never become one, such as empty fragments.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::operator_limits::Limits;
use crate::limits::token_bucket::TokenBucket;

/// The most bytes of a frame header.
const MAX_FRAME_HEADER_BYTES: usize = 14;
/// The smallest burst: enough for the requests of one page, if messages are limited to less.
const MIN_BURST: u32 = 64 * 1024;
/// The shortest pause, so that a client that sends too much causes few wake-ups.
const MIN_PAUSE: Duration = Duration::from_millis(20);

/// A stream that is read no faster than messages may arrive.
#[derive(Debug)]
pub struct ThrottledStream<S> {
    stream: S,
    bucket: TokenBucket,
    /// The pause before the next read.
    pause: Option<Pin<Box<Sleep>>>,
}

impl<S> ThrottledStream<S> {
    /// A stream that allows messages of the largest size at the limited rate.
    pub fn new(stream: S, limits: &Limits) -> Self {
        let message =
            u32::try_from(limits.message_bytes + MAX_FRAME_HEADER_BYTES).unwrap_or(u32::MAX);
        let bytes = |messages: u32| message.saturating_mul(messages).max(MIN_BURST);
        let per_second = f64::from(bytes(limits.messages_per_second.get()));
        let at_once = bytes(limits.message_burst.get());
        Self {
            stream,
            bucket: TokenBucket::new(at_once, per_second, Instant::now().into_std()),
            pause: None,
        }
    }

    /// The time until the next read is allowed. Most polls find neither a negative balance nor bytes, so without one it
    /// reads no clock.
    fn time_until_read(&mut self) -> Duration {
        match self.bucket.is_negative() {
            true => self
                .bucket
                .time_until_nonnegative(Instant::now().into_std()),
            false => Duration::ZERO,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ThrottledStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(pause) = &mut this.pause {
            ready!(pause.as_mut().poll(cx));
            this.pause = None;
        }
        let time_until_read = this.time_until_read();
        if !time_until_read.is_zero() {
            let pause = this
                .pause
                .insert(Box::pin(sleep(time_until_read.max(MIN_PAUSE))));
            ready!(pause.as_mut().poll(cx));
            this.pause = None;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buffer))?;
        // The balance falls below zero by at most one buffer.
        let count = buffer.filled().len() - before;
        this.bucket.charge(count, Instant::now().into_std());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ThrottledStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::num::NonZero;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// A client that sends without a pause is read at the limited rate, to the byte, and no byte is
    /// lost.
    #[tokio::test(start_paused = true)]
    async fn reads_are_limited_to_the_configured_rate() {
        const BYTES: usize = 1024 * 1024;

        let limits = Limits {
            message_bytes: 8192,
            messages_per_second: NonZero::new(10).unwrap(),
            message_burst: NonZero::new(20).unwrap(),
            ..Limits::default()
        };
        let (mut client, server) = tokio::io::duplex(BYTES);
        let mut server = ThrottledStream::new(server, &limits);
        client.write_all(&vec![7; BYTES]).await.unwrap();

        let begun = Instant::now();
        let mut buffer = vec![0; 4096];
        let mut read = 0;
        while read < BYTES {
            let count = server.read(&mut buffer).await.unwrap();
            assert!(count > 0 && buffer[..count].iter().all(|byte| *byte == 7));
            read += count;
            let seconds = begun.elapsed().as_secs_f64();
            let allowed = (20.0 + 10.0 * seconds) * 8206.0 + 4096.0;
            assert!(read as f64 <= allowed, "{read} bytes after {seconds} s");
        }
        let seconds = begun.elapsed().as_secs_f64();
        let needed = (BYTES as f64 / 8206.0 - 20.0) / 10.0;
        assert!(seconds < needed + 1.0, "{seconds} s instead of {needed} s");
    }
}
