//! The format of a database, which decides whether this version can read it.

/// The version of the text of entries. It changes with [`sticheln_room::Entry`].
pub(crate) const ENTRY_FORMAT: i64 = 7;

/// The format of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseFormat {
    /// There are no tables yet.
    Empty,
    /// This version of the server can read it.
    Known,
    /// Another version of the server has written it.
    Unknown,
    /// It is not a database of this server in any version.
    Foreign,
}
