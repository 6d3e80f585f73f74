//! The servers to which the clients of a drill connect, and the way back after a lost connection.

use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;

use rand::{Rng, RngExt};

use crate::socket::ConnectionError;

/// The pause of a client that comes back soon, in milliseconds.
const SHORT_PAUSE_MS: Range<u64> = 10..60;
/// The first and the longest back-off of the page, in milliseconds.
const FIRST_BACK_OFF_MS: u64 = 500;
const LONGEST_BACK_OFF_MS: u64 = 10_000;
/// The back-off of the page is multiplied by a random number in this range.
const JITTER: Range<f64> = 0.75..1.25;
/// The time over which the page spreads attempts after `closing`, in milliseconds.
const ANNOUNCED_JITTER_MS: u64 = 500;
/// The reason of `closing` if another server goes on with the room.
const MOVING: &str = "moving";
/// The close code after which a client connects again when it was told to.
const RECONNECT: ConnectionError = ConnectionError::Closed(4000);

/// The delays of a client before it connects again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pauses {
    /// Short ones.
    Short,
    /// Those of the page: `web/js/connection.js`.
    Page,
}

/// The servers to which the clients of a drill connect.
#[derive(Clone, Debug)]
pub(crate) struct Gateways {
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) pauses: Pauses,
}

/// The way of one client through the servers: after a lost connection it takes the next one.
#[derive(Debug)]
pub(crate) struct Route {
    gateways: Gateways,
    current: usize,
    /// The number of attempts since a `hello` was acknowledged.
    attempts: u32,
    announced: Announced,
}

/// The content of the `closing` message of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Announced {
    /// There was none.
    #[default]
    Nothing,
    /// The client is to come back after this many milliseconds.
    After(u64),
    /// The client is to come back at once.
    AtOnce,
}

impl Route {
    /// A route that begins at the server with this index.
    pub(crate) fn new(gateways: Gateways, first: usize) -> Self {
        let current = first % gateways.addresses.len().max(1);
        Self {
            gateways,
            current,
            attempts: 0,
            announced: Announced::Nothing,
        }
    }

    /// The index of the current server.
    pub(crate) fn index(&self) -> usize {
        self.current
    }

    /// The address of the current server.
    pub(crate) fn address(&self) -> SocketAddr {
        self.gateways.addresses[self.current]
    }

    /// Continues with this server.
    pub(crate) fn go_to(&mut self, index: usize) {
        self.current = index % self.gateways.addresses.len();
    }

    /// Notes that `hello` was acknowledged.
    pub(crate) fn note_admitted(&mut self) {
        self.attempts = 0;
    }

    /// Notes a `closing` message with this reason.
    ///
    /// # Errors
    /// [`ConnectionError::Closed`] if the client does not wait for the end of the connection, because another server goes on.
    pub(crate) fn note_closing(
        &mut self,
        reason: &str,
        retry_after_ms: Option<u64>,
    ) -> Result<(), ConnectionError> {
        self.announced = match reason {
            MOVING => Announced::AtOnce,
            _ => Announced::After(retry_after_ms.unwrap_or(FIRST_BACK_OFF_MS)),
        };
        match self.announced {
            Announced::AtOnce => Err(RECONNECT),
            Announced::After(_) | Announced::Nothing => Ok(()),
        }
    }

    /// Goes on to the next server. Returns the pause before.
    pub(crate) fn advance(&mut self, error: &ConnectionError, rng: &mut impl Rng) -> Duration {
        self.go_to(self.current + 1);
        let mut announced = std::mem::take(&mut self.announced);
        if announced == Announced::Nothing && *error == RECONNECT {
            announced = Announced::After(FIRST_BACK_OFF_MS);
        }
        let pause = match (self.gateways.pauses, announced) {
            (Pauses::Short, _) => rng.random_range(SHORT_PAUSE_MS),
            (Pauses::Page, Announced::AtOnce) => 0,
            (Pauses::Page, Announced::After(ms)) => ms + rng.random_range(0..ANNOUNCED_JITTER_MS),
            (Pauses::Page, Announced::Nothing) => {
                let doubled = FIRST_BACK_OFF_MS << self.attempts.min(5);
                self.attempts += 1;
                let pause = doubled.min(LONGEST_BACK_OFF_MS) as f64 * rng.random_range(JITTER);
                pause as u64
            }
        };
        Duration::from_millis(pause)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_client_takes_the_next_server_and_waits_longer_each_time() {
        let address = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let gateways = Gateways {
            addresses: vec![address(1), address(2), address(3)],
            pauses: Pauses::Page,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut route = Route::new(gateways, 1);
        let mut advance = |route: &mut Route| {
            let pause = route.advance(&ConnectionError::Timeout, &mut rng);
            (route.address().port(), pause.as_millis())
        };
        let (first, pause) = advance(&mut route);
        assert!(
            first == 3 && (375..=625).contains(&pause),
            "{first} {pause}"
        );
        let (second, pause) = advance(&mut route);
        assert!(
            second == 1 && (750..=1250).contains(&pause),
            "{second} {pause}"
        );
        route.note_admitted();
        assert_eq!(route.note_closing("restarting", Some(2000)), Ok(()));
        let (_, pause) = advance(&mut route);
        assert!((2000..2500).contains(&pause), "{pause}");
        assert!(route.note_closing("moving", Some(0)).is_err());
        assert_eq!(advance(&mut route).1, 0);
        let (_, pause) = advance(&mut route);
        assert!((375..=625).contains(&pause), "{pause}");
    }
}
