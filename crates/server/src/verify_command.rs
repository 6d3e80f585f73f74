//! The command `verify`: checks the record of a game by the rules.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use sticheln_record::{MAX_FILE_BYTES, ReadError, Verifier, verify as verify_record};
use thiserror::Error;

use crate::run::print_line;

/// The exit code for a record that is wrong.
const WRONG: u8 = 1;
/// The exit code for a file that cannot be read as a record.
const UNREADABLE: u8 = 2;

/// The reason why a file cannot be verified.
#[derive(Debug, Error)]
enum VerifyError {
    #[error("The file cannot be read: {0}.")]
    File(#[from] io::Error),
    #[error("This is no record: {0}.")]
    Record(#[from] ReadError),
}

/// Verifies a file, or the standard input for the path `-`. It prints what holds and what does not, and returns the exit code.
pub fn verify(path: &Path, games: &[Verifier]) -> ExitCode {
    let report = read(path).and_then(|bytes| Ok(verify_record(&bytes, games)?));
    match report {
        Ok(report) => {
            print_line(&report.to_string());
            ExitCode::from(if report.is_valid() { 0 } else { WRONG })
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(UNREADABLE)
        }
    }
}

/// The bytes of a file, or one more than a record can have.
fn read(path: &Path) -> Result<Vec<u8>, VerifyError> {
    let most = MAX_FILE_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
