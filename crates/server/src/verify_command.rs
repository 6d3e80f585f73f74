//! The command `verify`: checks the record of a game by the rules. `import` begins with it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use sticheln_record::{MAX_FILE_BYTES, ReadError, Verifier, verify as verify_record};
use thiserror::Error;

use crate::run::{print_line, printable};

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

/// Verifies a file, or the standard input for the path `-`. Prints the report, and returns the exit code.
pub fn verify(path: &Path, games: &[Verifier]) -> ExitCode {
    match verify_and_print(path, games) {
        Ok(_) => ExitCode::SUCCESS,
        Err(code) => code,
    }
}

/// Reads and verifies a file, and prints the report. Returns its bytes if the record is valid.
///
/// # Errors
/// The exit code for a record that is wrong, or for a file that cannot be read as one.
pub fn verify_and_print(path: &Path, games: &[Verifier]) -> Result<Vec<u8>, ExitCode> {
    let verified = read(path).and_then(|bytes| {
        let report = verify_record(&bytes, games)?;
        Ok((bytes, report))
    });
    match verified {
        Ok((bytes, report)) => {
            for line in report.to_string().lines() {
                print_line(&printable(line));
            }
            let is_valid = report.is_valid();
            is_valid.then_some(bytes).ok_or(ExitCode::from(WRONG))
        }
        Err(error) => {
            eprintln!("{}", printable(&error.to_string()));
            Err(ExitCode::from(UNREADABLE))
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
