//! Helpers that several test binaries share. `schema.rs` in this folder is not a part: two binaries include it by its path.

pub mod certificates;
#[path = "../../../room/tests/room/entropy.rs"]
pub mod entropy;
pub mod folder;
pub mod http;
pub mod nats;
pub mod ordinary_user;
pub mod postgres;
pub mod record;
pub mod server;
pub mod websocket;

use std::io::{self, Write};

/// The token of the person with this name: 43 characters of base64url.
pub fn token(name: &str) -> String {
    format!("{name:A<43}")
}

/// Reports why a check cannot run on this machine, on a line of its own. A test run counts these
/// lines. The output of `println` is only shown for failed tests.
pub fn skip(reason: &str) {
    print_line(&format!("skipped: {}", reason.replace('\n', " ")));
}

/// Prints a line even if the test passes. The previous line may be the unfinished one with the name
/// of the test.
pub fn print_line(line: &str) {
    io::stdout()
        .write_all(format!("\n{line}\n").as_bytes())
        .unwrap();
}
