//! SQL has bound parameters only: no text becomes a part of a statement.

use std::path::Path;

use crate::folders::{SOURCE, code};

const BEGINNINGS: [&str; 12] = [
    "ALTER ", "BEGIN", "CREATE ", "DELETE ", "INSERT ", "PRAGMA ", "REPLACE ", "SELECT ",
    "SELECT(", "UPDATE ", "VACUUM ", "WITH ",
];

/// The string literals of Rust source, each with the code before and after it.
fn literals(code: &str) -> Vec<[&str; 3]> {
    let mut literals = Vec::new();
    let mut at = 0;
    while let Some(begin) = code[at..].find('"').map(|found| at + found + 1) {
        let mut is_escaped = false;
        let end = code[begin..].find(|letter| {
            let is_end = letter == '"' && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            is_end
        });
        let end = begin + end.unwrap();
        literals.push([&code[..begin - 1], &code[begin..end], &code[end + 1..]]);
        at = end + 1;
    }
    literals
}

#[test]
fn no_text_becomes_a_part_of_a_statement() {
    let storage = [format!("{SOURCE}/storage"), format!("{SOURCE}/storage.rs")];
    let code: String = storage.iter().map(|path| code(Path::new(path))).collect();
    // The character would look like the begin of a literal.
    let code = code.replace("'\"'", "' '");
    let mut statements = 0;
    for [before, text, after] in literals(&code) {
        if !BEGINNINGS.iter().any(|begin| text.starts_with(begin)) {
            continue;
        }
        statements += 1;
        let is_argument = ["(", ",", "=", "{", "["]
            .iter()
            .any(|end| before.trim_end().ends_with(end));
        // `concat!` accepts literals only.
        let is_formatted =
            before.trim_end().ends_with("!(") && !before.trim_end().ends_with("concat!(");
        let is_whole = after.trim_start().starts_with([',', ';', ')', '}', ']']);
        assert!(is_argument && !is_formatted && is_whole, "{text}");
    }
    assert!(statements > 50, "{statements} statements");
}
