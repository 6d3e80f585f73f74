//! The generated parts of `docs/protocol.md` and of the pages beside it. Their examples are samples,
//! and their tables come from the source.
//!
//! A block that begins with ```` ```jsonc TITLE; TITLE ```` shows the samples with these titles. A table between
//! `<!-- table: NAME -->` and `<!-- end -->` shows codes with their meanings.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sticheln_protocol::{CloseCode, Reaction};
use sticheln_room::Refusal;
use sticheln_server::http::api_error::ApiError;
use strum::{EnumMessage, VariantNames};

use crate::layout::formatted;
use crate::samples::all;
use crate::{check, file, of_games};

const PAGE: &str = "docs/protocol.md";
const OTHER_PAGES: [&str; 4] = [
    "docs/wire/codes.md",
    "docs/wire/connection-check.md",
    "docs/wire/delivery.md",
    "docs/wire/seats.md",
];
const BLOCK: &str = "```jsonc ";

fn page() -> String {
    text(PAGE)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(file(path)).unwrap()
}

/// The page of a game.
fn page_of(game: &str) -> String {
    format!("docs/wire/{game}.md")
}

/// The paths of all pages. Each game has a page.
fn pages() -> Vec<String> {
    let games = sticheln_server::games::all();
    let of_games = games.iter().map(|game| page_of(game.id().as_str()));
    let others = OTHER_PAGES.into_iter().chain([PAGE]);
    others.map(str::to_owned).chain(of_games).collect()
}

#[test]
fn the_pages_are_current() {
    for path in pages() {
        check(&path, &current(&path));
    }
}

/// The text of a page with its generated parts updated.
fn current(path: &str) -> String {
    let page = text(path);
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
    // The subprotocol `trick.v1`.
    known.extend(["trick", "v1"].map(str::to_owned));
    let mut found = 0;
    let mut unknown = Vec::new();
    for path in pages() {
        let page = text(&path);
        for line in page.lines() {
            for name in names_in_code(line) {
                found += 1;
                if !known.contains(name) {
                    unknown.push(format!("{path} has `{name}` in: {line}"));
                }
            }
        }
    }
    assert!(found > 300, "{found} names");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// A new message or event has to be described, and a new field of one.
#[test]
fn every_message_and_event_has_a_row_with_its_fields() {
    let schema = schema();
    let page = page();
    let (before, server) = page.split_once("\n## Messages of the server\n").unwrap();
    let mut tables = vec![
        ("ClientMessage".to_owned(), before.to_owned()),
        ("ServerMessage".to_owned(), server.to_owned()),
    ];
    for game in sticheln_server::games::all().iter() {
        let id = game.id().as_str();
        tables.push((definition(id, "Event"), text(&page_of(id)) + server));
    }
    let (mut found, mut described_below) = (0, 0);
    let mut missing = Vec::new();
    for (definition, page) in tables {
        let variants = &schema["$defs"][&definition];
        let variants = variants["oneOf"]
            .as_array()
            .or(variants["anyOf"].as_array());
        for variant in variants.unwrap() {
            let pointer = &variant["$ref"].as_str().unwrap()[1..];
            let message = schema.pointer(pointer).unwrap();
            let properties = &message["properties"];
            let kind = properties["type"]["const"].as_str().unwrap();
            let mut fields: BTreeSet<&str> = properties
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            fields.remove("type");
            if definition == "ClientMessage" {
                // The page describes it above the table, for all messages.
                fields.remove("id");
            }
            found += 1;
            let has_row = rows(&page).any(|[names, described]| {
                names_in_code(names).any(|name| name == kind)
                    && (fields.is_subset(&names_in_code(described).collect())
                        || described.contains(&format!("[below](#{kind})")))
            });
            if !has_row {
                missing.push(format!("{definition}: `{kind}` with {fields:?}"));
            }
            if let Some((_, section)) = page.split_once(&format!("\n### `{kind}`\n"))
                && ["configure", "room", "game", "sheet"].contains(&kind)
            {
                described_below += 1;
                let section = section.split("\n##").next().unwrap();
                let undescribed = fields_without_row(&schema, message, section);
                missing.extend(undescribed.map(|field| format!("`{field}` of `{kind}`")));
            }
        }
    }
    assert!(found > 40, "{found} messages and events");
    assert_eq!(
        described_below, 4,
        "`configure`, `room`, `game` and `sheet`"
    );
    assert!(missing.is_empty(), "no row for {missing:#?}");
}

/// The name of a definition of a game in the schema, such as `NyetEvent`.
fn definition(game: &str, of: &str) -> String {
    let (first, rest) = game.split_at(1);
    format!("{}{rest}{of}", first.to_uppercase())
}

/// Each phase of a game has a row with its fields, and there is no other row. The text above the rows has the fields of all
/// phases.
#[test]
fn every_phase_has_a_row_with_its_fields() {
    let schema = schema();
    let resolved = |reference: &Value| {
        let pointer = &reference["$ref"].as_str().unwrap()[1..];
        schema.pointer(pointer).unwrap().clone()
    };
    let fields = |object: &Value| -> BTreeSet<String> {
        let properties = object["properties"].as_object().unwrap();
        properties.keys().cloned().collect()
    };
    let owned = |names: &str| names_in_code(names).map(str::to_owned).collect();
    for game in sticheln_server::games::all().iter() {
        let id = game.id().as_str();
        let page = text(&page_of(id));
        let (_, section) = page.split_once("\nAll phases have ").unwrap();
        let (of_all, table) = section
            .split_once("\n| phase | further fields |\n")
            .unwrap();
        let of_all: BTreeSet<String> = owned(of_all.split("\n\n").next().unwrap());
        let mut described: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for [phase, names] in rows(table.split("\n\n").next().unwrap()) {
            if let Some(phase) = names_in_code(phase).next() {
                described.insert(phase.to_owned(), owned(names));
            }
        }
        let variants = &schema["$defs"][&definition(id, "Table")]["oneOf"];
        for variant in variants.as_array().unwrap() {
            let variant = resolved(variant);
            let phase = variant["properties"]["phase"]["const"].as_str().unwrap();
            let described = described.remove(phase);
            let described = described.unwrap_or_else(|| panic!("{id} has no row for `{phase}`"));
            let mut own = fields(&variant);
            own.remove("phase");
            assert!(own.is_subset(&described), "{id}, {phase}: {own:?}");
            let [common] = variant["allOf"].as_array().unwrap().as_slice() else {
                panic!("the fields of all phases are one object");
            };
            assert_eq!(fields(&resolved(common)), of_all, "{id}");
        }
        assert!(described.is_empty(), "{id} has no phases {described:?}");
    }
}

/// The fields of a message without a row in the tables of its section. The fields of an object in it have rows too, or are
/// named in the row of the object.
fn fields_without_row<'a>(
    schema: &'a Value,
    message: &'a Value,
    section: &str,
) -> impl Iterator<Item = &'a str> {
    let rows: Vec<_> = rows(section).collect();
    let has_row = |field: &str| {
        let mut names = rows.iter().flat_map(|[names, _]| names_in_code(names));
        names.any(|name| name == field)
    };
    let is_named_by = |parent: &str, field: &str| {
        rows.iter().any(|[names, described]| {
            names_in_code(names).any(|name| name == parent)
                && names_in_code(described).any(|name| name == field)
        })
    };
    let mut missing = BTreeSet::new();
    for (name, property) in message["properties"].as_object().unwrap() {
        let is_of_all = ["type", "id"].contains(&name.as_str());
        if !is_of_all && !has_row(name) {
            missing.insert(name.as_str());
        }
        // The options of each game have a page of their own.
        let is_of_game = name == "options";
        for object in objects(schema, property)
            .into_iter()
            .filter(|_| !is_of_game)
        {
            let fields = object.keys().map(String::as_str);
            missing.extend(fields.filter(|field| !has_row(field) && !is_named_by(name, field)));
        }
    }
    missing.into_iter()
}

/// The properties of the objects that a property of a message can be.
fn objects<'a>(schema: &'a Value, property: &'a Value) -> Vec<&'a Map<String, Value>> {
    let alternatives = property["anyOf"]
        .as_array()
        .or(property["oneOf"].as_array());
    if let Some(alternatives) = alternatives {
        let objects = alternatives.iter().flat_map(|one| objects(schema, one));
        return objects.collect();
    }
    if let Some(reference) = property["$ref"].as_str() {
        return objects(schema, schema.pointer(&reference[1..]).unwrap());
    }
    property["properties"].as_object().into_iter().collect()
}

/// The first two cells of the rows of all tables.
fn rows(page: &str) -> impl Iterator<Item = [&str; 2]> {
    page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split('|');
        Some([cells.next()?, cells.next()?])
    })
}

fn schema() -> Value {
    serde_json::from_str(&text("docs/wire/schema.json")).unwrap()
}

/// The names of fields and values that a line has in code, also those of a path such as `view.table`.
fn names_in_code(line: &str) -> impl Iterator<Item = &str> {
    let codes = line.split('`').skip(1).step_by(2);
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_.".contains(c);
    let paths = codes.filter(move |text| {
        text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(is_part)
    });
    paths.flat_map(|path| path.split('.'))
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
        "requests" => ("code | status | meaning", requests()),
        _ => panic!("no table with the name `{name}`"),
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
    let all = of_games::illegal(&of_games::games());
    let rows = all.iter().map(|one| row(one.code(), one.meaning()));
    rows.collect()
}

fn requests() -> String {
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
    code.get_documentation().unwrap().trim_end()
}

#[test]
fn the_page_names_every_reaction() {
    let page = page();
    for reaction in Reaction::VARIANTS {
        assert!(page.contains(&format!("`{reaction}`")), "{reaction}");
    }
}
