//! The reason why a run fails.

use thiserror::Error;

/// The reason why a run fails, as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// The server has broken a promise.
    #[error("A promise was broken: {0}")]
    Violation(String),
    /// The run could not be carried out. This says nothing about the promises of the server.
    #[error("{0}")]
    Aborted(String),
}
