//! Tests of the documents about the wire protocol: `docs/wire/samples.json` holds recorded messages, and the schema and
//! the pages must agree with them.
//!
//! `cargo xtask wire` writes the samples, the schema and the generated parts of the pages. Review the difference.
#![allow(clippy::unwrap_used, clippy::too_many_lines)]

#[allow(dead_code, reason = "each test binary uses a part of it")]
#[path = "../common/mod.rs"]
mod common;
mod exchanges;
mod http;
mod layout;
#[path = "../common/schema.rs"]
mod of_games;
mod page;
mod record;
mod samples;
mod scene;
mod scenes;
mod schema;
mod strict;

use std::path::{Path, PathBuf};

/// A file of the project.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// Compares a file with its expected text. With the variable `UPDATE_WIRE` it writes the file instead.
fn check(path: &str, expected: &str) {
    let path = file(path);
    if std::env::var_os("UPDATE_WIRE").is_some() {
        std::fs::write(&path, expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found
        .lines()
        .zip(expected.lines())
        .find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{} is not current: `cargo xtask wire` updates it. First difference: {differs:#?}",
        path.display()
    );
}
