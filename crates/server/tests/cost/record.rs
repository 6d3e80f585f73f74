//! The recorded numbers, and what is said of a number that has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::say;

/// Where the numbers are kept.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cost.json");
/// The environment variable with which these tests write the numbers anew: it is 1.
const UPDATE: &str = "UPDATE_COST";
/// The command of these tests.
const COMMAND: &str = "cargo test -p sticheln-server --test cost";
/// The part by which a number may change.
const TOLERANCE: f64 = 0.1;
/// The same for the number `waking`, the calls by which threads wake each other: twice the most that was measured. On a busy
/// machine there were up to 12 % more of them. They are half of `all`, which then grows by 6 % and has the usual tolerance.
const TOLERANCE_OF_WAKING: f64 = 0.25;
/// A number may change by this much beyond its tolerance, so that a few rare calls do not fail the test.
const SLACK: f64 = 0.1;

/// The file. Each number is that of one move.
#[derive(Default, Serialize, Deserialize)]
struct Record {
    /// The compiler, and what it compiles for: instructions depend on both.
    rustc: String,
    numbers: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Whether the instructions of this build can be compared with the record; otherwise why not.
pub fn is_comparable() -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Err("the record is that of the dev profile".to_owned());
    }
    let recorded = read(&mut open()).rustc;
    let here = rustc();
    match is_update() || recorded == here {
        true => Ok(()),
        false => Err(format!("recorded with {recorded}, built with {here}")),
    }
}

/// Fails if a number has grown by more than the tolerance; says which have fallen. If numbers are to be recorded anew,
/// records them instead.
pub fn compare(kind: &str, gauge: &BTreeMap<String, f64>) {
    let mut file = open();
    if is_update() {
        update(&mut file, kind, gauge);
        return;
    }
    let record = read(&mut file);
    let empty = BTreeMap::new();
    let recorded = record.numbers.get(kind).unwrap_or(&empty);
    let mut grown = Vec::new();
    let names: BTreeSet<_> = gauge.keys().chain(recorded.keys()).collect();
    for name in names {
        let [old, new] = [recorded, gauge].map(|numbers| numbers.get(name).copied());
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let tolerance = match name.as_str() {
            "waking" => TOLERANCE_OF_WAKING,
            _ => TOLERANCE,
        };
        let change = format!("{kind} of a move, {name}: {old:.2} recorded, {new:.2} now");
        if new > old * (1.0 + tolerance) + SLACK {
            grown.push(format!("grown: {change}"));
        } else if new < old * (1.0 - tolerance) - SLACK {
            say(&format!(
                "fallen: {change}; to record it: {UPDATE}=1 {COMMAND}"
            ));
        }
    }
    assert!(grown.is_empty(), "{}", grown.join("\n"));
}

fn update(file: &mut File, kind: &str, gauge: &BTreeMap<String, f64>) {
    let mut record = read(file);
    if kind == "instructions" {
        record.rustc = rustc();
    }
    let rounded = gauge.iter().map(|(name, number)| {
        let number = (number * 100.0).round() / 100.0;
        (name.clone(), number)
    });
    record.numbers.insert(kind.to_owned(), rounded.collect());
    let text = serde_json::to_string_pretty(&record).unwrap();
    file.set_len(0).unwrap();
    file.rewind().unwrap();
    writeln!(file, "{text}").unwrap();
}

/// The file, locked against the other test until it is closed.
fn open() -> File {
    let mut options = File::options();
    let file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(FILE)
        .unwrap();
    file.lock().unwrap();
    file
}

fn read(file: &mut File) -> Record {
    let mut text = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut text).unwrap();
    if text.is_empty() {
        return Record::default();
    }
    serde_json::from_str(&text).unwrap()
}

fn is_update() -> bool {
    std::env::var_os(UPDATE).is_some_and(|value| value == "1")
}

fn rustc() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let told = Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8(told.stdout).unwrap();
    format!("{} for {}", version.trim(), std::env::consts::ARCH)
}
