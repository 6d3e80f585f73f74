//! Flow control of one socket: how much was sent that the client has not read yet.
//!
//! TCP knows what the other system or a proxy has taken, not what the client has read. So each ping carries the number
//! of bytes sent before it, and its pong says that they were read (RFC 6455, section 5.5.3: the pong repeats the payload).

use std::time::Duration;

use tokio::time::Instant;

/// The most bytes that may be sent and not read before more is sent; one message may exceed it. A newer state takes the
/// place of one that waits, so a small window keeps a slow reader up to date.
const WINDOW: u64 = 16 * 1024;
/// After how many bytes the client is asked whether it has read them: half a window, so that a fast reader never waits.
const PING_BYTES: u64 = WINDOW / 2;
/// The slowest line, in bytes a second, on which what was sent before a ping does not count as silence.
const MIN_RATE: u64 = 1024;

/// What was sent to a client, and what it has read.
#[derive(Debug)]
pub struct Flow {
    /// How long a client may take to answer a ping before which nothing is left to read.
    answer_time: Duration,
    sent: u64,
    /// What was sent before the newest ping.
    pinged: u64,
    /// What was sent before the newest ping that was answered.
    confirmed: u64,
    /// When the oldest ping that is not answered must be.
    answer_due: Option<Instant>,
}

impl Flow {
    /// Nothing is sent yet.
    pub fn new(answer_time: Duration) -> Self {
        Self {
            answer_time,
            sent: 0,
            pinged: 0,
            confirmed: 0,
            answer_due: None,
        }
    }

    /// Whether more may be sent.
    pub fn has_space(&self) -> bool {
        self.sent - self.confirmed < WINDOW
    }

    /// Counts the bytes of a message; whether a ping is to follow it.
    pub fn note_sent(&mut self, bytes: usize) -> bool {
        self.sent += bytes as u64;
        self.sent - self.pinged >= PING_BYTES
    }

    /// The payload of a new ping.
    pub fn ping(&mut self, now: Instant) -> [u8; 8] {
        self.pinged = self.sent;
        let due = self.due(now);
        self.answer_due.get_or_insert(due);
        self.pinged.to_be_bytes()
    }

    /// Whether a pong answers a ping that was not answered before. Pongs without a ping change nothing.
    pub fn note_pong(&mut self, payload: &[u8], now: Instant) -> bool {
        let is_awaited = self.answer_due.is_some();
        let Ok(payload) = payload.try_into() else {
            return false;
        };
        let read = u64::from_be_bytes(payload);
        if !is_awaited || read < self.confirmed || self.pinged < read {
            return false;
        }
        self.confirmed = read;
        self.answer_due = (read < self.pinged).then(|| self.due(now));
        true
    }

    /// Until when the client must answer a ping; `None` if it has answered all of them.
    pub fn answer_due(&self) -> Option<Instant> {
        self.answer_due
    }

    fn due(&self, now: Instant) -> Instant {
        let unread = self.pinged - self.confirmed;
        now + self.answer_time + Duration::from_secs(unread / MIN_RATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER_TIME: Duration = Duration::from_secs(10);

    #[test]
    fn no_more_than_a_window_is_sent_before_a_pong() {
        let mut flow = Flow::new(ANSWER_TIME);
        let now = Instant::now();
        let mut pings = Vec::new();
        while flow.has_space() {
            if flow.note_sent(1000) {
                pings.push(flow.ping(now));
            }
        }
        assert_eq!(flow.sent, 17_000);
        assert_eq!(pings, [9_000_u64.to_be_bytes()]);
        assert!(flow.note_pong(&pings[0], now));
        assert!(flow.has_space());
    }

    #[test]
    fn each_ping_is_answered_once() {
        let mut flow = Flow::new(ANSWER_TIME);
        let now = Instant::now();
        assert!(!flow.note_pong(&0_u64.to_be_bytes(), now));
        flow.note_sent(500);
        let ping = flow.ping(now);
        assert!(!flow.note_pong(b"", now));
        assert!(!flow.note_pong(&501_u64.to_be_bytes(), now));
        assert!(flow.note_pong(&ping, now));
        assert!(!flow.note_pong(&ping, now));
        assert_eq!(flow.answer_due(), None);
    }

    #[test]
    fn a_pong_is_due_once_a_slow_line_could_carry_it() {
        let mut flow = Flow::new(ANSWER_TIME);
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        flow.note_sent(8 * 1024);
        let first = flow.ping(begun);
        assert_eq!(flow.answer_due(), Some(after(18)));
        // The first one stays due.
        flow.note_sent(20 * 1024);
        let second = flow.ping(after(1));
        assert_eq!(flow.answer_due(), Some(after(18)));
        assert!(flow.note_pong(&first, after(8)));
        assert_eq!(flow.answer_due(), Some(after(8 + 10 + 20)));
        assert!(flow.note_pong(&second, after(28)));
        assert_eq!(flow.answer_due(), None);
    }
}
