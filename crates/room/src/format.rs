//! The format of the texts that servers share.

use serde::{Deserialize, Serialize};
use sticheln_protocol::ProtocolVersion;

/// The number of the format of all texts that servers share: the entries and snapshots of room logs, and the messages between nodes.
///
/// A change of these types that an earlier version cannot read has the next number. The version with that change still writes the
/// format before it, until all servers of a cluster can read the new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(pub i64);

/// The formats that a version reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// The oldest one.
    pub oldest: Format,
    /// The newest one.
    pub newest: Format,
}

impl Format {
    /// The oldest format of this version.
    pub const OLDEST: Self = Self(8);
    /// The newest format of this version.
    pub const NEWEST: Self = Self(8);

    /// The newest version of the client protocol that all servers know if they know this format. A leader encodes messages for
    /// the connections of all nodes, so no node chooses a newer version.
    pub fn newest_protocol(self) -> ProtocolVersion {
        #[cfg(feature = "next-format")]
        if self >= next::FORMAT && next::is_selected() {
            return next::PROTOCOL;
        }
        ProtocolVersion::FIRST
    }

    /// The text of a value in this format, which is at least [`Format::OLDEST`]. The texts of these formats are JSON.
    ///
    /// # Errors
    /// If the value has no text form.
    pub fn encode<T: Serialize>(self, value: &T) -> serde_json::Result<String> {
        #[cfg(feature = "next-format")]
        if self >= next::FORMAT && next::is_selected() {
            return next::encode(value);
        }
        serde_json::to_string(value)
    }

    /// The value of a text in any format of this version.
    ///
    /// # Errors
    /// If the text is not that of such a value.
    pub fn decode<'a, T: Deserialize<'a>>(text: &'a str) -> serde_json::Result<T> {
        #[cfg(feature = "next-format")]
        if next::is_selected()
            && let Some(value) = next::decode(text)
        {
            return Ok(value);
        }
        serde_json::from_str(text)
    }
}

impl Formats {
    /// Whether a format is one of these.
    pub fn contains(self, format: Format) -> bool {
        (self.oldest..=self.newest).contains(&format)
    }
}

/// Those of this version.
impl Default for Formats {
    fn default() -> Self {
        #[cfg(feature = "next-format")]
        if next::is_selected() {
            return Self {
                oldest: Format::OLDEST,
                newest: next::FORMAT,
            };
        }
        Self {
            oldest: Format::OLDEST,
            newest: Format::NEWEST,
        }
    }
}

/// The next format, which differs from the current one in each text. A program of the tests uses it, as the next version in a rollout.
#[cfg(feature = "next-format")]
pub mod next {
    use std::sync::atomic::{AtomicBool, Ordering};

    use serde::{Deserialize, Serialize};

    use super::{Format, ProtocolVersion};

    /// Whether this process is the next version.
    static IS_SELECTED: AtomicBool = AtomicBool::new(false);

    /// Makes this process the next version: it knows this format too. Called once, before the server starts.
    pub fn select() {
        IS_SELECTED.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_selected() -> bool {
        IS_SELECTED.load(Ordering::Relaxed)
    }

    pub(super) const FORMAT: Format = Format(9);
    /// It has the messages of version 1.
    pub(super) const PROTOCOL: ProtocolVersion = ProtocolVersion(2);

    /// No reader of the current format finds its fields in it.
    #[derive(Deserialize, Serialize)]
    struct Marked<T> {
        next: T,
    }

    pub(super) fn encode<T: Serialize>(value: &T) -> serde_json::Result<String> {
        serde_json::to_string(&Marked { next: value })
    }

    pub(super) fn decode<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
        let marked: Option<Marked<T>> = serde_json::from_str(text).ok();
        marked.map(|marked| marked.next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_knows_the_formats_from_its_oldest_to_its_newest() {
        let formats = Formats {
            oldest: Format(7),
            newest: Format(8),
        };
        let known = [6, 7, 8, 9].map(|number| formats.contains(Format(number)));
        assert_eq!(known, [false, true, true, false]);
    }
}
