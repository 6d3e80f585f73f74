//! The wire protocol, sample by sample: real exchanges are written to `docs/wire/samples.json`, the
//! schema and the pages about the protocol are held against them.
//!
//! `cargo xtask wire` writes the samples, what the page shows of them, and the schema anew; the
//! difference is what is to be reviewed.
#![allow(clippy::unwrap_used)]

mod http;
mod layout;
mod page;
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

/// Holds a file against what it should be, or writes it.
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
        "{} is not current: `cargo xtask wire` writes it anew. First difference: {differs:#?}",
        path.display()
    );
}
