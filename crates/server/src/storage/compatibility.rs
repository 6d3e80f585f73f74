//! Whether this version can use a database, and the format in which it writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use sticheln_room::{Format, Formats};

/// Whether this version can use a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compatibility {
    /// There are no tables yet.
    Empty,
    /// This version of the server can read and write it.
    Compatible,
    /// Another version of the server has written it, in a format that this one does not know.
    UnknownFormat,
    /// It is not a database of this server in any version.
    Foreign,
}

/// The format in which this server writes, one of those that it knows. Its clones share it.
#[derive(Clone, Debug)]
pub struct WriteFormat {
    known: Formats,
    current: Arc<AtomicI64>,
}

impl WriteFormat {
    pub(super) fn new(known: Formats, format: Format) -> Self {
        Self {
            known,
            current: Arc::new(AtomicI64::new(format.0)),
        }
    }

    /// The formats that this server reads.
    pub fn known(&self) -> Formats {
        self.known
    }

    /// The format.
    pub fn get(&self) -> Format {
        Format(self.current.load(Ordering::Relaxed))
    }

    pub(super) fn set(&self, format: Format) {
        self.current.store(format.0, Ordering::Relaxed);
    }
}

/// Whether the tables of a database are those of this version, or of a later one: the migrations that both have are equal. A later
/// version may add migrations while this one runs, so they change nothing that this one uses. Otherwise the format differs too.
pub(super) fn are_migrations_known(applied: &[String], known: &[&str]) -> bool {
    let mut common = applied.iter().zip(known);
    !applied.is_empty() && common.all(|(applied, known)| applied == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_migrations_are_accepted_and_changed_ones_are_not() {
        let are_migrations_known = |applied: &[&str]| {
            let applied: Vec<_> = applied.iter().map(|sql| (*sql).to_owned()).collect();
            are_migrations_known(&applied, &["a", "b"])
        };
        assert!(
            are_migrations_known(&["a"])
                && are_migrations_known(&["a", "b"])
                && are_migrations_known(&["a", "b", "c"])
        );
        assert!(
            !are_migrations_known(&[])
                && !are_migrations_known(&["b"])
                && !are_migrations_known(&["a", "c"])
        );
    }
}
