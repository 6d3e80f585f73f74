//! Why a run fails.

use std::error::Error;
use std::fmt;

/// Why a run fails, as one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The server has broken a promise.
    Broken(String),
    /// The run could not be carried out, whatever the server promises.
    Trouble(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(what) => write!(f, "A promise is broken: {what}"),
            Self::Trouble(what) => f.write_str(what),
        }
    }
}

impl Error for Failure {}
