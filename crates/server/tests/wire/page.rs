//! The generated parts of `docs/protocol.md` and of the pages beside it. Their examples are samples,
//! and their tables come from the source.
//!
//! A block that begins with ```` ```jsonc TITLE; TITLE ```` shows the samples with these titles. A table between
//! `<!-- table: NAME -->` and `<!-- end -->` shows codes with their meanings; `limits` is followed by the names of
//! the settings that it shows.

use std::collections::BTreeSet;

use clap::CommandFactory;
use serde_json::Value;
use sticheln_protocol::{ClientMessage, CloseCode, Reaction};
use sticheln_room::Refusal;
use sticheln_server::http::api_error::ApiError;
use sticheln_server::settings::Cli;
use strum::{EnumMessage, VariantNames};

use crate::layout::formatted;
use crate::samples::{From, Sample, all};
use crate::{check, file, schema};

const PAGE: &str = "docs/protocol.md";
const OTHER_PAGES: [&str; 3] = [
    "docs/wire/codes.md",
    "docs/wire/nyet.md",
    "docs/wire/sticheln.md",
];
const BLOCK: &str = "```jsonc ";

fn page() -> String {
    std::fs::read_to_string(file(PAGE)).unwrap()
}

#[test]
fn the_pages_are_current() {
    for path in OTHER_PAGES.into_iter().chain([PAGE]) {
        check(path, &current(path));
    }
}

/// The text of a page with its generated parts updated.
fn current(path: &str) -> String {
    let page = std::fs::read_to_string(file(path)).unwrap();
    let mut lines = page.lines();
    let mut text = String::new();
    while let Some(line) = lines.next() {
        text += line;
        text.push('\n');
        if let Some(titles) = line.strip_prefix(BLOCK) {
            lines
                .by_ref()
                .find(|line| *line == "```")
                .expect("the block is closed");
            text += &block(titles);
            text += "```\n";
        } else if let Some(name) = line.strip_prefix("<!-- table: ") {
            lines
                .by_ref()
                .find(|line| *line == "<!-- end -->")
                .expect("the table is closed");
            text += &table(name.trim_end_matches(" -->"));
            text += "<!-- end -->\n";
        }
    }
    text
}

#[test]
fn the_page_lists_all_close_codes() {
    let page = page();
    let rows = page.lines().filter_map(|line| {
        let cell = line.strip_prefix("| ")?.split(" |").next()?;
        cell.parse().ok()
    });
    let mut rows: BTreeSet<u16> = rows.collect();
    // The end of a connection check, which has no reaction.
    rows.insert(CloseCode::Normal.number());
    assert_eq!(rows, close_codes());
}

#[test]
fn the_client_uses_close_codes_of_the_server() {
    let client = std::fs::read_to_string(file("web/js/connection.js")).unwrap();
    let (_, list) = client.split_once("const CLOSE_CODES = ").unwrap();
    let (list, _) = list.split_once("});").unwrap();
    let numbers = list.split(|c: char| !c.is_ascii_digit());
    let numbers: BTreeSet<u16> = numbers.filter_map(|number| number.parse().ok()).collect();
    assert!(numbers.len() > 5, "{numbers:?}");
    let unknown: Vec<_> = numbers.difference(&close_codes()).copied().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

fn close_codes() -> BTreeSet<u16> {
    CloseCode::ALL.iter().map(|code| code.number()).collect()
}

/// The descriptions of messages are written by hand: a renamed field must not stay in them.
#[test]
fn the_pages_name_only_what_the_schema_has() {
    let mut known = BTreeSet::new();
    collect_names(&schema(), &mut known);
    let mut found = 0;
    let mut unknown = Vec::new();
    for path in OTHER_PAGES.into_iter().chain([PAGE]) {
        let page = std::fs::read_to_string(file(path)).unwrap();
        // The sections before these messages are about HTTP, with names of headers.
        let messages = page.split_once("\n## Messages of the client\n");
        let described = messages.map_or(page.as_str(), |(_, messages)| messages);
        for line in described.lines() {
            for name in names_in_code(line) {
                found += 1;
                if !known.contains(name) {
                    unknown.push(format!("{path} has `{name}` in: {line}"));
                }
            }
        }
    }
    assert!(found > 200, "{found} names");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// A new message or event has to be described.
#[test]
fn the_pages_name_every_message_and_event() {
    let pages = OTHER_PAGES.into_iter().chain([PAGE]);
    let pages: Vec<String> = pages
        .map(|path| std::fs::read_to_string(file(path)).unwrap())
        .collect();
    let lines = || pages.iter().flat_map(|page| page.lines());
    let is_named = |kind: &str| {
        let written_out = format!("\"type\":\"{kind}\"");
        lines().any(|line| {
            names_in_code(line).any(|name| name == kind)
                || texts_in_code(line).any(|text| text.contains(&written_out))
        })
    };
    let mut types = BTreeSet::new();
    collect_types(&schema(), &mut types);
    assert!(types.len() > 40, "{types:?}");
    let missing: Vec<_> = types.iter().filter(|kind| !is_named(kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn schema() -> Value {
    let text = std::fs::read_to_string(file("docs/wire/schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The names of fields and values that a line has in code.
fn names_in_code(line: &str) -> impl Iterator<Item = &str> {
    texts_in_code(line).filter(|text| {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// What a line has between backticks.
fn texts_in_code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Adds the values of `type`: they tell messages and events apart.
fn collect_types(schema: &Value, types: &mut BTreeSet<String>) {
    match schema {
        Value::Object(parts) => {
            let kind = &schema["properties"]["type"]["const"];
            types.extend(kind.as_str().map(str::to_owned));
            parts.values().for_each(|part| collect_types(part, types));
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_types(part, types)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds the names of fields and the constant texts of a schema.
fn collect_names(schema: &Value, names: &mut BTreeSet<String>) {
    let texts = |values: &mut dyn Iterator<Item = &Value>| -> Vec<String> {
        values
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    match schema {
        Value::Object(parts) => {
            for (key, part) in parts {
                match (key.as_str(), part) {
                    ("properties", Value::Object(fields)) => names.extend(fields.keys().cloned()),
                    ("enum", Value::Array(values)) => names.extend(texts(&mut values.iter())),
                    ("const", value) => names.extend(texts(&mut [value].into_iter())),
                    _ => {}
                }
                collect_names(part, names);
            }
        }
        Value::Array(parts) => parts.iter().for_each(|part| collect_names(part, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_page_shows_every_message_type() {
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

/// The samples with these titles, each below its sender.
fn block(titles: &str) -> String {
    let lines = titles.split("; ").map(|title| {
        let sample = all().iter().find(|sample| sample.title == title);
        let sample = sample.unwrap_or_else(|| panic!("no sample with the title `{title}`"));
        format!("// {}\n{}\n", sample.sender(), formatted(&sample.text))
    });
    lines.collect()
}

fn table(name: &str) -> String {
    let (head, rows) = match name {
        "refusals" => ("code | meaning", refusals()),
        "rules" => ("code | meaning", rules()),
        "calls" => ("code | status | meaning", calls()),
        _ => match name.strip_prefix("limits ") {
            Some(names) => ("option | default | meaning", limits(names)),
            None => panic!("no table with the name `{name}`"),
        },
    };
    let line = head
        .split('|')
        .map(|_| "---")
        .collect::<Vec<_>>()
        .join(" | ");
    format!("| {head} |\n| {line} |\n{rows}")
}

fn refusals() -> String {
    let rows = Refusal::own().map(|refusal| row(refusal.code(), documentation(&refusal)));
    rows.collect()
}

fn rules() -> String {
    let rows = schema::illegal().map(|illegal| row(illegal.code(), illegal.meaning()));
    rows.collect()
}

fn calls() -> String {
    let rows = ApiError::own().map(|error| {
        let status = error.status().as_u16();
        let meaning = format!("{status} | {}", documentation(&error));
        row(error.code(), &meaning)
    });
    rows.collect()
}

/// A row of a table of codes.
fn row(code: &str, meaning: &str) -> String {
    format!("| `{code}` | {} |\n", meaning.replace('\n', " "))
}

/// The doc comment of a code.
fn documentation(code: &impl EnumMessage) -> &'static str {
    code.get_documentation().unwrap()
}

/// The settings of these names, separated by spaces, with their defaults.
fn limits(names: &str) -> String {
    let program = Cli::command();
    let row = |name| {
        let settings = program.get_arguments();
        let mut named = settings.filter(|setting| setting.get_long() == Some(name));
        let setting = named.next();
        let setting = setting.unwrap_or_else(|| panic!("no setting with the name `--{name}`"));
        let default = setting.get_default_values()[0].to_str().unwrap();
        let meaning = setting.get_help().unwrap();
        format!("| `--{name}` | {default} | {meaning}. |\n")
    };
    names.split(' ').map(row).collect()
}

#[test]
fn the_page_names_every_message_of_a_client_and_every_reaction() {
    let page = page();
    for kind in ClientMessage::VARIANTS {
        assert!(page.contains(&format!("`{kind}`")), "{kind}");
    }
    for reaction in Reaction::VARIANTS {
        assert!(page.contains(&format!("`{reaction}`")), "{reaction}");
    }
}
