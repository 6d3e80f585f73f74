//! Flow control of one socket: how many sent bytes the client has not read.
//!
//! TCP only knows what the other system or a proxy has received. So each ping contains the number of bytes sent before it.
//! A pong repeats the payload (RFC 6455, section 5.5.3), so it confirms that the client has read them.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The bytes between two pings, at first and for a slow reader.
const MIN_SPACING: u64 = 8 * 1024;
/// The bytes between two pings for a fast reader. Each pong costs the server a wake-up.
const MAX_SPACING: u64 = 4 * MIN_SPACING;
/// A pong within this time shows a fast reader, and doubles the spacing.
const FAST: Duration = Duration::from_secs(1);
/// The time that a client may need for the bytes between two pings: 1 KiB/s at the smallest
/// spacing.
const SPACING_TIME: Duration = Duration::from_secs(8);
/// The most pings that are remembered until they are answered. The window has space for three. More follow only when the
/// server shuts down, because it then sends the waiting messages without flow control.
const MAX_UNANSWERED: usize = 8;

/// The bytes that were sent to a client, and those that it has confirmed.
#[derive(Debug)]
pub struct Flow {
    /// The time that a client has to answer a ping if it has nothing else left to read.
    answer_time: Duration,
    /// The bytes between two pings.
    spacing: u64,
    sent: u64,
    /// The bytes sent before the newest ping.
    pinged: u64,
    /// The time when the newest ping was sent.
    pinged_at: Instant,
    /// The bytes sent before each unanswered ping, the oldest first.
    unanswered: VecDeque<u64>,
    /// The bytes sent before the newest ping that was answered.
    confirmed: u64,
    /// The time when the oldest unanswered ping must be answered.
    answer_due: Option<Instant>,
}

impl Flow {
    /// Nothing is sent yet.
    pub fn new(answer_time: Duration, now: Instant) -> Self {
        Self {
            answer_time,
            spacing: MIN_SPACING,
            sent: 0,
            pinged: 0,
            pinged_at: now,
            unanswered: VecDeque::new(),
            confirmed: 0,
            answer_due: None,
        }
    }

    /// Whether another message may be sent: fewer than two spacings are unconfirmed, or no ping is unanswered.
    ///
    /// One message may exceed the window. A slow pong can shrink the window below the unconfirmed bytes. Then nothing is sent
    /// until all pings are answered; the next message is followed by a ping.
    pub fn has_space(&self) -> bool {
        self.unanswered.is_empty() || self.sent - self.confirmed < 2 * self.spacing
    }

    /// Counts the bytes of a message that is about to be sent. Returns whether a ping is due after it.
    pub fn record_queued(&mut self, bytes: usize) -> bool {
        self.sent += bytes as u64;
        self.sent - self.pinged >= self.spacing
    }

    /// The payload of a new ping.
    pub fn ping(&mut self, now: Instant) -> [u8; 8] {
        self.pinged = self.sent;
        self.pinged_at = now;
        if self.unanswered.len() >= MAX_UNANSWERED {
            self.unanswered.pop_front();
        }
        self.unanswered.push_back(self.pinged);
        let due = self.due(now);
        self.answer_due.get_or_insert(due);
        self.pinged.to_be_bytes()
    }

    /// Notes a pong. Returns whether it answers an unanswered ping; other pongs change nothing. A pong
    /// answers the earlier pings too (RFC 6455, section 5.5.3).
    pub fn record_pong(&mut self, payload: &[u8], now: Instant) -> bool {
        let Ok(payload) = payload.try_into() else {
            return false;
        };
        let read = u64::from_be_bytes(payload);
        let Some(at) = self.unanswered.iter().position(|ping| *ping == read) else {
            return false;
        };
        self.unanswered.drain(..=at);
        let is_newest = self.unanswered.is_empty();
        let is_fast = now.duration_since(self.pinged_at) <= FAST;
        if is_newest && is_fast && read - self.confirmed >= self.spacing {
            self.spacing = MAX_SPACING.min(2 * self.spacing);
        } else if !is_fast {
            self.spacing = MIN_SPACING;
        }
        self.confirmed = read;
        self.answer_due = (!is_newest).then(|| self.due(now));
        true
    }

    /// The time when the client must answer a ping; `None` if it has answered all of them.
    pub fn answer_due(&self) -> Option<Instant> {
        self.answer_due
    }

    fn due(&self, now: Instant) -> Instant {
        let unread = (self.pinged - self.confirmed) as f64 / self.spacing as f64;
        now + self.answer_time + SPACING_TIME.mul_f64(unread)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ANSWER_TIME: Duration = Duration::from_secs(10);

    /// Sends messages of 1000 bytes until the window is full. Returns the pings that are due.
    fn fill(flow: &mut Flow, now: Instant) -> Vec<[u8; 8]> {
        let mut pings = Vec::new();
        while flow.has_space() {
            if flow.record_queued(1000) {
                pings.push(flow.ping(now));
            }
        }
        pings
    }

    #[test]
    fn at_most_one_window_is_sent_before_a_pong() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        let pings = fill(&mut flow, now);
        assert_eq!(flow.sent, 17_000);
        assert_eq!(pings, [9_000_u64.to_be_bytes()]);
        assert!(flow.record_pong(&pings[0], now));
        assert!(flow.has_space());
    }

    #[test]
    fn a_fast_reader_gets_fewer_pings_until_it_is_slow() {
        let mut now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        let mut sent_between_pongs = Vec::new();
        for _ in 0..5 {
            let before = flow.sent;
            let newest = fill(&mut flow, now).pop().unwrap();
            now += FAST;
            assert!(flow.record_pong(&newest, now));
            sent_between_pongs.push(flow.sent - before);
        }
        assert_eq!(flow.spacing, MAX_SPACING);
        assert!(sent_between_pongs.is_sorted(), "{sent_between_pongs:?}");
        let newest = fill(&mut flow, now).pop().unwrap();
        assert!(flow.record_pong(&newest, now + 2 * FAST));
        assert_eq!(flow.spacing, MIN_SPACING);
    }

    #[test]
    fn a_ping_is_answered_only_once() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        assert!(!flow.record_pong(&0_u64.to_be_bytes(), now));
        flow.record_queued(500);
        let ping = flow.ping(now);
        assert!(!flow.record_pong(b"", now));
        assert!(!flow.record_pong(&501_u64.to_be_bytes(), now));
        assert!(flow.record_pong(&ping, now));
        assert!(!flow.record_pong(&ping, now));
        assert_eq!(flow.answer_due(), None);
    }

    /// Otherwise a client could send pongs without an end while one ping is not answered.
    #[test]
    fn a_pong_without_its_ping_is_not_accepted() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        flow.record_queued(9_000);
        let first = flow.ping(now);
        flow.record_queued(9_000);
        let second = flow.ping(now);
        let due = flow.answer_due();
        for number in [0_u64, 1, 8_999, 9_001, 17_999, 18_001] {
            assert!(!flow.record_pong(&number.to_be_bytes(), now), "{number}");
        }
        assert_eq!((flow.confirmed, flow.answer_due()), (0, due));
        assert!(flow.record_pong(&first, now));
        let due = flow.answer_due();
        assert!(!flow.record_pong(&first, now + FAST));
        assert_eq!((flow.confirmed, flow.answer_due()), (9_000, due));
        assert!(flow.record_pong(&second, now));
        assert!(!flow.record_pong(&second, now));
    }

    /// Otherwise nothing would be sent until the ping of a silent connection, many seconds later.
    #[test]
    fn a_slow_pong_does_not_close_the_window_without_a_ping() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        for bytes in [9_000, 17_000] {
            assert!(flow.record_queued(bytes));
            let ping = flow.ping(now);
            assert!(flow.record_pong(&ping, now));
        }
        assert!(flow.record_queued(33_000));
        let ping = flow.ping(now);
        assert!(!flow.record_queued(17_000));
        assert!(flow.record_pong(&ping, now + 2 * FAST));
        assert_eq!(flow.answer_due(), None);
        assert!(flow.has_space());
        assert!(
            flow.record_queued(1_000),
            "a ping is due after the next message"
        );
        flow.ping(now + 2 * FAST);
        assert!(!flow.has_space());
    }

    /// A client may answer only the newest ping. Its answers to the older ones come too late.
    #[test]
    fn an_older_pong_does_not_take_the_window_back() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        flow.record_queued(9_000);
        let first = flow.ping(now);
        flow.record_queued(9_000);
        let second = flow.ping(now);
        assert!(flow.record_pong(&second, now));
        assert!(!flow.record_pong(&first, now));
        assert_eq!((flow.confirmed, flow.answer_due()), (18_000, None));
        assert!(flow.has_space());
    }

    #[test]
    fn the_number_of_remembered_pings_is_bounded() {
        let now = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, now);
        let pings: Vec<_> = (0..100)
            .map(|_| {
                flow.record_queued(9_000);
                flow.ping(now)
            })
            .collect();
        assert_eq!(flow.unanswered.len(), MAX_UNANSWERED);
        assert!(!flow.record_pong(&pings[0], now));
        assert!(flow.record_pong(&pings[99], now));
    }

    #[test]
    fn a_pong_is_due_when_a_slow_line_could_have_carried_it() {
        let begun = Instant::now();
        let mut flow = Flow::new(ANSWER_TIME, begun);
        let after = |seconds| begun + Duration::from_secs(seconds);
        flow.record_queued(8 * 1024);
        let first = flow.ping(begun);
        assert_eq!(flow.answer_due(), Some(after(18)));
        // The first ping stays due.
        flow.record_queued(20 * 1024);
        let second = flow.ping(after(1));
        assert_eq!(flow.answer_due(), Some(after(18)));
        assert!(flow.record_pong(&first, after(8)));
        assert_eq!(flow.answer_due(), Some(after(8 + 10 + 20)));
        assert!(flow.record_pong(&second, after(28)));
        assert_eq!(flow.answer_due(), None);
    }
}
