//! `docs/protocol.md`: what it shows was really sent, and its tables are those of the source.
//!
//! A block that begins with ```` ```jsonc TITLE; TITLE ```` shows the samples of these titles; what
//! stands between `<!-- table: NAME -->` and `<!-- end -->` is a table of doc comments.

use std::collections::BTreeSet;

use sticheln_protocol::{ClientMessage, Reaction};
use sticheln_room::Refusal;
use sticheln_rules::Illegal;
use sticheln_server::http::api_error::ApiError;
use strum::{EnumMessage, VariantNames};

use crate::layout::laid_out;
use crate::samples::{From, Sample, all};
use crate::{check, file};

const PAGE: &str = "docs/protocol.md";
const BLOCK: &str = "```jsonc ";

fn page() -> String {
    std::fs::read_to_string(file(PAGE)).unwrap()
}

#[test]
fn the_page_is_current() {
    let page = page();
    let mut lines = page.lines();
    let mut text = String::new();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        if let Some(titles) = line.strip_prefix(BLOCK) {
            lines
                .by_ref()
                .find(|line| *line == "```")
                .expect("a block has an end");
            text += &block(titles);
            text += "```\n";
        } else if let Some(name) = line.strip_prefix("<!-- table: ") {
            lines
                .by_ref()
                .find(|line| *line == "<!-- end -->")
                .expect("a table has an end");
            text += &table(name.trim_end_matches(" -->"));
            text += "<!-- end -->\n";
        }
    }
    check(PAGE, &text);
}

#[test]
fn the_page_shows_every_type_of_message() {
    let page = page();
    let titles = page.lines().filter_map(|line| line.strip_prefix(BLOCK));
    let shown: BTreeSet<&str> = titles.flat_map(|titles| titles.split("; ")).collect();
    let types = |samples: &mut dyn Iterator<Item = &Sample>| -> BTreeSet<(bool, String)> {
        let types = samples.filter_map(|sample| {
            let kind = sample.value()["type"].as_str()?.to_owned();
            Some((sample.from == From::Client, kind))
        });
        types.collect()
    };
    let of_all = types(
        &mut all()
            .iter()
            .filter(|sample| sample.title != "an unknown type"),
    );
    let of_page = types(&mut all().iter().filter(|sample| shown.contains(sample.title)));
    let missing: Vec<_> = of_all.difference(&of_page).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Samples as a dialogue.
fn block(titles: &str) -> String {
    let lines = titles.split("; ").map(|title| {
        let sample = all().iter().find(|sample| sample.title == title);
        let sample = sample.unwrap_or_else(|| panic!("no sample is called `{title}`"));
        let who = sample.who;
        let by = match (sample.call, sample.from) {
            (None, From::Client) => format!("{who} to the server"),
            (None, From::Server) => format!("the server to {who}"),
            (Some((call, None)), _) => call.to_owned(),
            (Some((call, Some(status))), _) => format!("{call}: {status}"),
        };
        format!("// {by}\n{}\n", laid_out(&sample.text))
    });
    lines.collect()
}

fn table(name: &str) -> String {
    let (head, rows) = match name {
        "refusals" => ("code | meaning", refusals()),
        "rules" => ("code | meaning", rules()),
        "calls" => ("code | status | meaning", calls()),
        "limits" => ("option | default | meaning", limits()),
        other => panic!("no table is called `{other}`"),
    };
    let line = head
        .split('|')
        .map(|_| "---")
        .collect::<Vec<_>>()
        .join(" | ");
    format!("| {head} |\n| {line} |\n{rows}")
}

fn refusals() -> String {
    let rows = Refusal::own().map(|refusal| row(&refusal, &format!("`{}`", refusal.code())));
    rows.collect()
}

fn rules() -> String {
    let rows = Illegal::ALL.iter();
    let rows = rows.map(|illegal| row(illegal, &format!("`{}`", illegal.code())));
    rows.collect()
}

fn calls() -> String {
    let rows = ApiError::own().map(|error| {
        let status = error.status().as_u16();
        row(&error, &format!("`{}` | {status}", error.code()))
    });
    rows.collect()
}

/// A row of a table of codes: its cells, and what its doc comment says.
fn row(code: &impl EnumMessage, cells: &str) -> String {
    let meaning = code.get_documentation().unwrap().replace('\n', " ");
    format!("| {cells} | {meaning} |\n")
}

fn limits() -> String {
    let source = include_str!("../../src/settings.rs");
    let (_, source) = source.split_once("\nlimits! {").unwrap();
    let (source, _) = source.split_once("\n}").unwrap();
    let rows = documented(source, |line| {
        let (name, rest) = line.split_once(": ")?;
        let (_, value) = rest.split_once(" = ")?;
        let (value, _) = value.split_once(',')?;
        Some(format!(
            "`--{}` | {}",
            name.replace('_', "-"),
            value.replace('_', " ")
        ))
    });
    rows.iter()
        .map(|(cells, meaning)| format!("| {cells} | {meaning} |\n"))
        .collect()
}

/// What the doc comments of a source say about what is found in the line after them.
fn documented(source: &str, named: impl Fn(&str) -> Option<String>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    for line in source.lines().map(str::trim) {
        if let Some(line) = line.strip_prefix("///") {
            words.push(line.trim());
        } else if let Some(name) = named(line) {
            found.push((name, words.join(" ")));
            words.clear();
        }
    }
    found
}

/// The words that the page must not forget.
#[test]
fn the_page_names_every_field_of_the_table_of_messages() {
    let page = page();
    for kind in ClientMessage::VARIANTS {
        assert!(page.contains(&format!("`{kind}`")), "{kind}");
    }
    for reaction in Reaction::VARIANTS {
        assert!(page.contains(&format!("`{reaction}`")), "{reaction}");
    }
}
