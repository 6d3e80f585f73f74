//! Strict reading: there is one way to write each record.

use serde_json::{Value, json};
use sticheln_record::{MAX_FILE_BYTES, ReadError};
use sticheln_rules::Nyet;

use crate::games::{as_json, game};
use crate::{example, verify};

fn record() -> Value {
    let options = json!({"end": {"type": "rounds", "rounds": 1}});
    as_json(&game::<Nyet>(&options, 2, 5, false), &options)
}

/// The error of a record with this change.
fn error(change: impl FnOnce(&mut Value)) -> Option<String> {
    let mut record = record();
    change(&mut record);
    verify(&record.to_string())
        .err()
        .map(|error| error.to_string())
}

/// A change of a record, with a part of the error.
type Change = (fn(&mut Value), &'static str);

/// Changes of a record that cannot be read.
const CHANGES: &[Change] = &[
    (
        |record| record["room"] = json!("k7qm2x4p"),
        "unknown field `room`",
    ),
    (
        |record| record["options"]["speed"] = json!(1),
        "unknown field `speed`",
    ),
    (
        |record| record["ended_early"] = json!(false),
        "/ended_early",
    ),
    (|record| record["seats"] = json!("2"), "invalid type"),
    (|record| record["seats"] = json!(2.0), "invalid type"),
    (
        |record| record["format"] = json!("sticheln/record/2"),
        "format",
    ),
    (|record| record["game"] = json!("whist"), "no game"),
    (|record| record["rounds"] = json!([]), "no round"),
    (
        |record| record["players"][0]["name"] = json!(null),
        "/players/0/name",
    ),
    (
        |record| record["players"][1]["name"] = json!("x".repeat(65)),
        "name",
    ),
    (
        |record| record["rounds"][0]["at"] = json!(1_u64 << 53),
        "time",
    ),
    (
        |record| {
            record["rounds"][0]["hands"][1]
                .as_array_mut()
                .unwrap()
                .reverse()
        },
        "/rounds/0/hands/1/0",
    ),
    (
        |record| {
            record["rounds"][0]["undealt"]
                .as_array_mut()
                .unwrap()
                .reverse()
        },
        "/rounds/0/undealt/0",
    ),
    (
        |record| record["rounds"][0]["moves"][0]["action"]["type"] = json!("bid"),
        "unknown variant `bid`",
    ),
];

#[test]
fn a_record_has_one_form() {
    assert_eq!(error(|_| ()), None);
    for (change, text) in CHANGES {
        let error = error(*change).unwrap_or_else(|| panic!("{text} is not found"));
        assert!(error.contains(text), "{text}: {error}");
    }
}

#[test]
fn the_example_of_the_document_is_valid() {
    let report = verify(example()).unwrap();
    assert_eq!(report.violation, None);
}

#[test]
fn other_texts_are_no_records() {
    let long = " ".repeat(MAX_FILE_BYTES) + "{}";
    assert!(matches!(verify(&long), Err(ReadError::TooLong)));
    for text in ["", "[]", "{}", "\"sticheln/record/1\"", &"[".repeat(10_000)] {
        assert!(matches!(verify(text), Err(ReadError::NotARecord(_))));
    }
    let whole = record().to_string();
    assert!(verify(&whole[..whole.len() - 1]).is_err());
    let twice = whole.replacen("{", "{\"seats\":2,", 1);
    assert!(
        verify(&twice)
            .unwrap_err()
            .to_string()
            .contains("duplicate field")
    );
}
