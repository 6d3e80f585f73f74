//! The variables that tests read and documents name, compared with those that the runner knows.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{OTHER_VARIABLES_OF_TESTS, VARIABLES_OF_TESTS, is_variable_of_tests};
use crate::folders;

/// The texts before the name of a variable, where the crates, the load generator and the tests of the page read it.
const READS: [&str; 5] = [
    "env_number(\"",
    "env::var(\"",
    "env::var_os(\"",
    "env = \"",
    "process.env.",
];
/// The variables of the system and of cargo. Tests may depend on them.
const SYSTEM: [&str; 2] = ["CARGO_TARGET_DIR", "RUSTC"];
/// The variables that are not read by a literal of their name.
const READ_OTHERWISE: [&str; 3] = ["PROPTEST_CASES", "REPLAY_FOLDER", "REPLAY_MOVES"];

#[test]
fn the_runner_knows_the_variables_that_tests_read() {
    let read = variables_that_are_read();
    assert!(
        read.contains("GAMES") && read.contains("SCENES"),
        "{read:?}"
    );
    let unknown = |name: &&String| !is_variable_of_tests(name) && !SYSTEM.contains(&name.as_str());
    let unknown: Vec<_> = read.iter().filter(unknown).collect();
    assert!(unknown.is_empty(), "`variables.rs` lacks {unknown:?}");
}

#[test]
fn tests_read_the_variables_that_the_runner_knows() {
    let read = variables_that_are_read();
    let known = VARIABLES_OF_TESTS.iter().chain(OTHER_VARIABLES_OF_TESTS);
    let unread = known.filter(|name| !read.contains(**name) && !READ_OTHERWISE.contains(name));
    let unread: Vec<_> = unread.collect();
    assert!(unread.is_empty(), "no test reads {unread:?}");
}

#[test]
fn the_runner_knows_the_variables_in_documents() {
    let documents = ["CONTRIBUTING.md", "docs/testing.md", "docs/security.md"];
    let texts = documents.map(|path| fs::read_to_string(folders().root.join(path)).unwrap());
    let words = texts
        .iter()
        .flat_map(|text| text.split(['`', ' ', '\n', '(']));
    let named: BTreeSet<_> = words
        .filter_map(|word| word.split_once('=').map(|(name, _)| name))
        .filter(|name| !name.is_empty() && leading_name(name) == *name)
        .collect();
    assert!(named.contains("SLOW_CLIENTS"), "{named:?}");
    let unknown = |name: &&&str| !is_variable_of_tests(name) && !name.starts_with("STICHELN_");
    let unknown: Vec<_> = named.iter().filter(unknown).collect();
    assert!(unknown.is_empty(), "the runner does not know {unknown:?}");
}

/// The variables that the tests of the crates and of the page read, and those of the options of the load generator.
fn variables_that_are_read() -> BTreeSet<String> {
    let root = folders().root;
    let crates = fs::read_dir(root.join("crates")).unwrap();
    let tests = crates.map(|entry| entry.unwrap().path().join("tests"));
    let others = ["crates/load/src", "web/test"].map(|folder| root.join(folder));
    let mut names = BTreeSet::new();
    for folder in tests.filter(|folder| folder.exists()).chain(others) {
        add_variables(&folder, &mut names);
    }
    names.retain(|name| !name.starts_with("STICHELN_"));
    names
}

/// Adds the variables that this file, or the files in this folder read.
fn add_variables(path: &Path, names: &mut BTreeSet<String>) {
    if path.ends_with("node_modules") {
        return;
    }
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            add_variables(&entry.unwrap().path(), names);
        }
    } else if path
        .extension()
        .is_some_and(|ending| ending == "rs" || ending == "js")
    {
        let text = fs::read_to_string(path).unwrap();
        for read in READS {
            let found = text.split(read).skip(1).map(leading_name);
            names.extend(found.filter(|name| !name.is_empty()).map(str::to_owned));
        }
    }
}

/// The name of a variable at the beginning of a text.
fn leading_name(text: &str) -> &str {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter == '_';
    let end = text.find(|letter| !is_part(letter));
    &text[..end.unwrap_or(text.len())]
}
