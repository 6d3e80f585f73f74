//! The progress of a command that copies rooms.

use std::io::Write;
use std::time::{Duration, Instant};

/// The time between two lines about the progress. A copy that is shorter prints none.
const INTERVAL: Duration = Duration::from_secs(2);

/// A function that prints how many rooms of all are copied, at most every two seconds, beside the output of the command.
pub(crate) fn progress_printer() -> impl FnMut(usize, usize) {
    let mut printed = Instant::now();
    move |copied, rooms| {
        if printed.elapsed() >= INTERVAL {
            printed = Instant::now();
            let _ = writeln!(std::io::stderr(), "{copied} of {rooms} rooms");
        }
    }
}
