//! The verifier in Python, `docs/verify_record.py`, agrees with the one in Rust about valid and changed records.

use std::fs;
use std::process::Command;

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use crate::env_number::env_number;
use crate::folder::Folder;
use crate::games::{game_of_low_cards, random_game};
use crate::tampered::tampered_records;
use crate::{example, verify};

/// The verifier.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/verify_record.py");

/// A record with a name, which is that of its file.
type Named = (String, String);

/// What one Python process says about these records: its exit code, and the sentences about each of them.
fn python(records: &[Named]) -> (Option<i32>, Vec<String>) {
    let folder = Folder::create();
    for (name, text) in records {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new("/usr/bin/python3");
    command.arg(PROGRAM).current_dir(folder.path());
    let output = command.args(records.iter().map(|(name, _)| name)).output();
    let output = output.unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors, "");
    let mut rest = String::from_utf8(output.stdout).unwrap();
    let mut sentences = Vec::new();
    for (name, _) in records.iter().rev() {
        let head = format!("{name}:\n");
        let begin = match rest.rfind(&format!("\n{head}")) {
            Some(line) => line + 1,
            None => 0,
        };
        let last = rest.split_off(begin);
        sentences.push(last.strip_prefix(&head).unwrap().trim_end().to_owned());
    }
    sentences.reverse();
    (output.status.code(), sentences)
}

/// What the verifier in Rust says.
fn rust(text: &str) -> String {
    match verify(text) {
        Ok(report) => report.to_string(),
        Err(error) => format!("This is no record: {error}."),
    }
}

/// The part of a report that both verifiers must have: not the reason why a file cannot be read, and not the meaning of a code.
fn common(report: &str) -> String {
    if report.starts_with("This is no record: ") {
        return "no record".to_owned();
    }
    let lines = report.lines().map(|line| match line.split_once("). ") {
        Some((begin, _)) => begin,
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Asserts that both verifiers say the same about these records. Returns what they say.
#[track_caller]
fn agree(records: &[Named]) -> Vec<String> {
    let (_, by_python) = python(records);
    let by_rust: Vec<String> = records.iter().map(|(_, text)| rust(text)).collect();
    for (((name, _), python), rust) in records.iter().zip(&by_python).zip(&by_rust) {
        assert_eq!(common(python), common(rust), "{name}: {python}");
    }
    by_rust
}

/// The places of all values in a value, as JSON pointers.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    found.push(place.to_owned());
    match value {
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                places(value, &format!("{place}/{at}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, &format!("{place}/{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Changes one value of a record at random. It may still be valid then.
fn change(record: &mut Value, rng: &mut ChaCha8Rng) {
    let mut found = Vec::new();
    places(record, "", &mut found);
    // Times are seldom wrong.
    found.retain(|place| !place.ends_with("/at"));
    let cards = ["red-1", "red-7", "yellow-2", "green-1", "blue-5", "blue-12"];
    let other_texts = ["none", "red", "two", "pass_left", "play", "nsv", "pink-3"];
    let value = record.pointer_mut(found.choose(rng).unwrap()).unwrap();
    match value {
        Value::Null => *value = json!(rng.random_range(0..5)),
        Value::Bool(truth) => *truth = !*truth,
        Value::Number(number) => {
            let change = rng.random_range(1..=2) * if rng.random() { 1 } else { -1 };
            *value = json!(number.as_i64().unwrap() + change);
        }
        Value::String(text) => {
            let texts = if text.contains('-') {
                &cards[..]
            } else {
                &other_texts
            };
            *text = (*texts.choose(rng).unwrap()).to_owned();
        }
        Value::Array(values) => change_list(values, rng),
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            fields.remove(names.choose(rng).unwrap());
        }
    }
}

fn change_list(values: &mut Vec<Value>, rng: &mut ChaCha8Rng) {
    if values.is_empty() {
        values.push(json!("red-5"));
        return;
    }
    let at = rng.random_range(0..values.len());
    match rng.random_range(0..4) {
        0 => drop(values.remove(at)),
        1 => values.insert(at, values[at].clone()),
        2 => values.swap(0, at),
        _ => values.shuffle(rng),
    }
}

#[test]
fn both_verifiers_accept_random_games() {
    let seed = env_number("SEED", 1);
    println!("SEED={seed}");
    let games = seed..seed + env_number("GAMES", 100);
    let records: Vec<Named> = games
        .map(|seed| (format!("{seed}.json"), random_game(seed).to_string()))
        .chain([("example.json".to_owned(), example().to_owned())])
        .collect();
    let reports = agree(&records);
    for report in &reports {
        assert!(report.starts_with("The record is valid: "), "{report}");
    }
    for kind in [
        "of sticheln with 3",
        "of sticheln with 6",
        "of nyet with 2",
        "of nyet with 5",
        "ended early",
    ] {
        assert!(reports.iter().any(|report| report.contains(kind)), "{kind}");
    }
}

#[test]
fn both_verifiers_find_the_same_violation_in_changed_records() {
    let seed = env_number("SEED", 1);
    println!("SEED={seed}");
    let games = seed..seed + env_number("GAMES", 100);
    let records: Vec<Named> = games
        .map(|seed| {
            let mut record = random_game(seed);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            change(&mut record, &mut rng);
            (format!("{seed}.json"), record.to_string())
        })
        .collect();
    let reports = agree(&records);
    let is_wrong = |report: &&String| report.starts_with("The record is wrong: ");
    let wrong = reports.iter().filter(is_wrong).count();
    println!("{wrong} of {} records are wrong", reports.len());
    assert!(wrong * 4 > reports.len(), "many changes violate a rule");
}

#[test]
fn both_verifiers_know_which_tricks_of_zeros_are_set_aside() {
    let is_of_zeros = |trick: &Value| {
        let cards = trick["cards"].as_array().unwrap();
        cards
            .iter()
            .all(|card| card.as_str().unwrap().ends_with("-0"))
    };
    for (edition, all_zero_trick, is_set_aside) in [
        ("nsv", json!(null), true),
        ("nsv", json!("leader"), false),
        ("amigo-1993", json!(null), false),
        ("amigo-1993", json!("nobody"), true),
    ] {
        let options = json!({"edition": edition, "all_zero_trick": all_zero_trick});
        let games = (0..3).map(|seed| game_of_low_cards(&options, seed));
        let games: Vec<Value> = games.collect();
        let rounds = games
            .iter()
            .flat_map(|game| game["rounds"].as_array().unwrap());
        let tricks = rounds.flat_map(|round| round["tricks"].as_array().unwrap());
        let of_zeros: Vec<&Value> = tricks.filter(|trick| is_of_zeros(trick)).collect();
        assert!(!of_zeros.is_empty(), "{options}");
        for trick in of_zeros {
            assert_eq!(trick["taker"].is_null(), is_set_aside, "{options}: {trick}");
        }
        let named = games.iter().zip(["0.json", "1.json", "2.json"]);
        let records: Vec<Named> = named
            .map(|(game, name)| (name.to_owned(), game.to_string()))
            .collect();
        for report in agree(&records) {
            assert!(report.starts_with("The record is valid: "), "{report}");
        }
    }
}

#[test]
fn both_verifiers_refuse_the_same_forms() {
    let changes = [
        (r#""seats": 3"#, r#""seats": 3.0"#),
        (r#""seats": 3"#, r#""seats": 3e0"#),
        (r#""seats": 3"#, r#""seats": NaN"#),
        (r#""seats": 3"#, r#""seats": 3, "seats": 3"#),
        (r#""opening": 0"#, r#""opening": -0"#),
        (r#""Anna""#, r#""\ud800""#),
        (r#""Anna""#, "\"A\u{1}\""),
        (r#"{"kind": "person"}"#, r#"["person"]"#),
        (r#""by": "bot""#, r#""by": {"bot": null}"#),
        (r#""minus": 9"#, r#""minus": 9, "minus": 9"#),
        (r#""end": null"#, r#""end": {"type": "target"}"#),
        (
            r#""end": null"#,
            r#""end": {"type": "rounds", "rounds": 31}"#,
        ),
        (r#""green-8""#, r#""green-256""#),
        (r#""green-8""#, r#""green-08""#),
        (r#""moves": ["#, r#""undealt": [], "moves": ["#),
        (r#", "taker": 0}"#, "}"),
        ("{\n", "\u{feff}{\n"),
    ];
    let records: Vec<Named> = changes
        .into_iter()
        .enumerate()
        .map(|(at, (given, other))| {
            assert!(example().contains(given), "{given}");
            let changed = example().replacen(given, other, 1);
            (format!("{at}.json"), changed)
        })
        .collect();
    let reports = agree(&records);
    for (report, (_, other)) in reports.iter().zip(changes) {
        assert!(
            report.starts_with("This is no record: "),
            "{other}: {report}"
        );
    }
}

/// A list of a file can have more values than any game has.
#[test]
fn both_verifiers_read_long_lists() {
    let mut record: Value = serde_json::from_str(example()).unwrap();
    let trick = &mut record["rounds"][0]["tricks"][0]["cards"];
    *trick = json!(vec!["green-8"; 300]);
    let reports = agree(&[
        ("long.json".to_owned(), record.to_string()),
        ("example.json".to_owned(), example().to_owned()),
    ]);
    assert!(reports[0].contains("Failed check: tricks"), "{reports:?}");
}

/// The names of fields of a file are printed, so they can neither change a terminal nor look like other lines.
#[test]
fn the_verifier_in_python_prints_no_control_characters() {
    let field = r#""seats": 3, "\u001b[2J\nThe record is valid": 1"#;
    let forged = example().replacen(r#""seats": 3"#, field, 1);
    let surrogate = example().replacen(r#""seats": 3"#, r#""seats": 3, "\ud800": 1"#, 1);
    let (_, reports) = python(&[
        ("forged.json".to_owned(), forged),
        ("surrogate.json".to_owned(), surrogate),
    ]);
    for report in &reports {
        assert!(
            report.starts_with("This is no record: the field "),
            "{report}"
        );
        assert!(!report.chars().any(char::is_control), "{report:?}");
    }
    assert_eq!(reports.len(), 2);
}

#[test]
fn both_verifiers_find_each_tampering() {
    let records: Vec<Named> = tampered_records()
        .map(|(name, record)| (format!("{name}.json"), record.to_string()))
        .collect();
    let reports = agree(&records);
    assert!(
        reports
            .iter()
            .all(|report| report.contains("\nFailed check: "))
    );
}

#[test]
fn the_exit_code_of_python_is_that_of_the_worst_file() {
    let valid = ("valid.json".to_owned(), random_game(1).to_string());
    let (name, wrong) = tampered_records().next().unwrap();
    let wrong = (name.to_owned(), wrong.to_string());
    let other = ("other.json".to_owned(), "{}".to_owned());
    for (records, code) in [
        (vec![valid.clone()], 0),
        (vec![valid.clone(), wrong.clone()], 1),
        (vec![other, wrong, valid], 2),
    ] {
        let named = [
            records,
            vec![("last.json".to_owned(), random_game(1).to_string())],
        ]
        .concat();
        assert_eq!(python(&named).0, Some(code));
    }
}
