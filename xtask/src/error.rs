//! The error of a command of this program.

use std::io;

use thiserror::Error;

/// The reason why a command failed.
#[derive(Debug, Error)]
pub enum Error {
    /// A file, a folder or a pipe cannot be used.
    #[error("{problem}: {source}.")]
    Io {
        /// The action that failed, without a full stop.
        problem: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program cannot be started.
    #[error("`{program}` cannot be started: {source}.")]
    Start {
        /// The program.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program has failed.
    #[error("`{0}` failed.")]
    Program(String),
    /// Something is missing, and this program cannot install it.
    #[error("{need}, and {reason}.")]
    Installation {
        /// The need, without a full stop.
        need: String,
        /// Why it is still missing, without a full stop.
        reason: String,
    },
    /// A file, an argument or a result is not as it must be. One sentence for each problem.
    #[error("{0}")]
    Problem(String),
    /// The command has printed the reason already.
    #[error("the reason was printed")]
    AlreadyReported,
}

impl Error {
    /// An error of the operating system. `problem` has no full stop.
    pub fn io(problem: impl Into<String>, source: io::Error) -> Self {
        Self::Io {
            problem: problem.into(),
            source,
        }
    }
}
