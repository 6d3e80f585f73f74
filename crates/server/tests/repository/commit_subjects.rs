//! The hook for commit messages limits the length of a subject.

use std::process::Command;

const HOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.githooks/commit-msg");

/// Whether the hook accepts a message with this subject.
fn is_accepted(subject: &str) -> bool {
    let file = format!("{}/message", env!("CARGO_TARGET_TMPDIR"));
    let body = "b".repeat(200);
    std::fs::write(&file, format!("{subject}\n\n{body}\n")).unwrap();
    let output = Command::new("sh").args([HOOK, &file]).output();
    output.unwrap().status.success()
}

#[test]
fn a_subject_has_at_most_72_characters() {
    assert!(is_accepted(&"ü".repeat(72)));
    assert!(!is_accepted(&"s".repeat(73)));
}
