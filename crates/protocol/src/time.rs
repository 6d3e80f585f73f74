//! Points in time on the wire.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The point in time after this duration.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time.as_millis() as u64))
    }

    /// This point in time, rounded down to a second.
    #[must_use]
    pub fn to_second(self) -> Self {
        Self(self.0 / 1000 * 1000)
    }

    /// The duration from an earlier point in time to this one; zero if the other one is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}
