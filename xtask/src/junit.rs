//! Parses the JUnit files of cargo-nextest and of the test runner of Node.js.

use std::fs;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use crate::error::Error;
use crate::runner::skip_reason;

/// The result of one test.
#[derive(Clone, Debug)]
pub struct TestResult {
    /// The name.
    pub name: String,
    /// The duration in seconds.
    pub seconds: f64,
    /// The outcome.
    pub outcome: JunitOutcome,
}

/// The outcome of a test.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum JunitOutcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It could not run on this machine, for this reason.
    Skipped(String),
}

/// Parses the tests in a file.
///
/// # Errors
/// If there is no such file, if it is not XML, or if it has no test: a command without tests has not
/// passed. Likewise for a file or a `describe` without tests, which Node.js counts as a test that passed.
pub fn read(file: &Path) -> Result<Vec<TestResult>, Error> {
    let text = fs::read_to_string(file)
        .map_err(|error| Error::io(format!("There are no results in {}", file.display()), error))?;
    // The outputs of tests can contain characters that XML does not allow.
    let text: String = text.chars().filter(|one| is_xml(*one)).collect();
    let options = ParsingOptions {
        allow_dtd: false,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| Error::Problem(format!("{} is not XML: {error}.", file.display())))?;
    let cases = document.descendants();
    let cases = cases.filter(|node| node.has_tag_name("testcase"));
    let results: Vec<_> = cases.map(parse_test).collect();
    if results.is_empty() {
        return Err(Error::Problem(format!(
            "There is no test in {}.",
            file.display()
        )));
    }
    if let Some(empty) = results.iter().find(|test| test.name.ends_with(".test.js")) {
        return Err(Error::Problem(format!(
            "There is no test in {}.",
            empty.name
        )));
    }
    let suites = document.descendants();
    let suites = suites.filter(|node| node.has_tag_name("testsuite")).count();
    // Node.js writes the number of all `describe` blocks in a comment, and elements only for those that contain something.
    match suite_count(&document) {
        Some(all) if all != suites => Err(Error::Problem(format!(
            "{} has {all} suites, and {suites} of them have tests.",
            file.display()
        ))),
        _ => Ok(results),
    }
}

/// The number in the comment `suites` of Node.js.
fn suite_count(document: &Document<'_>) -> Option<usize> {
    let mut comments = document.descendants().filter(Node::is_comment);
    comments.find_map(|comment| comment.text()?.trim().strip_prefix("suites ")?.parse().ok())
}

/// Parses the element of one test.
fn parse_test(case: Node<'_, '_>) -> TestResult {
    let attribute = |name| case.attribute(name).unwrap_or_default();
    let has = |name| case.children().find(|child| child.has_tag_name(name));
    let texts = case.children().filter_map(|child| child.text());
    let failures = ["failure", "error", "flakyFailure", "flakyError"];
    let outcome = if failures.into_iter().any(|name| has(name).is_some()) {
        JunitOutcome::Failed
    } else if let Some(skipped) = has("skipped") {
        JunitOutcome::Skipped(
            skipped
                .attribute("message")
                .unwrap_or("no reason")
                .to_owned(),
        )
    } else if let Some(reason) = texts.into_iter().find_map(skip_reason) {
        JunitOutcome::Skipped(reason)
    } else {
        JunitOutcome::Passed
    };
    TestResult {
        name: attribute("name").to_owned(),
        seconds: attribute("time").parse().unwrap_or(0.0),
        outcome,
    }
}

/// Whether XML 1.0 allows this character.
fn is_xml(one: char) -> bool {
    matches!(one, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
