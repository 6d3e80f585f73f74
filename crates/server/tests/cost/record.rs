//! The recorded numbers, and their comparison with new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::common::folder::Folder;

/// The file of the numbers.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cost.json");
/// With this environment variable set to 1, the tests record the numbers.
const UPDATE: &str = "UPDATE_COST";
/// The command of these tests.
const COMMAND: &str = "cargo test -p sticheln-server --test cost";
/// The numbers of instructions.
pub const INSTRUCTIONS: &str = "instructions";
/// The relative change that is tolerated.
const TOLERANCE: f64 = 0.1;
/// The same for `waking`, the calls by which threads wake each other: twice the measured maximum. On
/// a busy machine there were up to 12 % more of them.
const TOLERANCE_OF_WAKING: f64 = 0.25;
/// An absolute change that is tolerated in addition, for rare calls.
const SLACK: f64 = 0.1;

/// The file. Each number is for one move.
#[derive(Default, Serialize, Deserialize)]
struct Record {
    /// The compiler and its target, on which instructions depend.
    rustc: String,
    numbers: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Checks that the instructions of this build can be compared with the record. Panics if none are recorded.
///
/// # Errors
/// The reason why not.
pub fn is_comparable() -> Result<(), String> {
    if !cfg!(debug_assertions) {
        return Err("the record is that of the dev profile".to_owned());
    }
    let recorded = read(&mut open()).rustc;
    if is_update() {
        return Ok(());
    }
    assert!(
        !recorded.is_empty(),
        "no instructions are recorded\n{}",
        hint()
    );
    let here = rustc();
    match recorded == here {
        true => Ok(()),
        false => Err(format!("recorded with {recorded}, built with {here}")),
    }
}

/// Compares numbers with the record, or records them if the variable for an update is set.
///
/// Panics if a number has grown by more than the tolerance, or if instructions have fallen by more than it.
pub fn compare(kind: &str, counts: &BTreeMap<String, f64>) {
    let mut file = open();
    if is_update() {
        update(&mut file, kind, counts);
        return;
    }
    let record = read(&mut file);
    let empty = BTreeMap::new();
    let recorded = record.numbers.get(kind).unwrap_or(&empty);
    let mut changed = Vec::new();
    let names: BTreeSet<_> = counts.keys().chain(recorded.keys()).collect();
    for name in names {
        let [old, new] = [recorded, counts].map(|numbers| numbers.get(name).copied());
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let tolerance = match name.as_str() {
            "waking" => TOLERANCE_OF_WAKING,
            _ => TOLERANCE,
        };
        let change = format!("{kind} of a move, {name}: {old:.2} recorded, {new:.2} now");
        let slack = if name == "fsync" { 0.0 } else { SLACK };
        let has_grown = new > old * (1.0 + tolerance) + slack;
        // Otherwise a fall would allow a later growth. The calls of a busy machine vary too much for this.
        let has_fallen = kind == INSTRUCTIONS && new < old * (1.0 - tolerance);
        if has_grown || has_fallen {
            changed.push(change);
        }
    }
    assert!(changed.is_empty(), "{}\n{}", changed.join("\n"), hint());
}

fn update(file: &mut File, kind: &str, counts: &BTreeMap<String, f64>) {
    let mut record = read(file);
    if kind == INSTRUCTIONS {
        record.rustc = rustc();
    }
    let rounded = counts.iter().map(|(name, number)| {
        let number = (number * 100.0).round() / 100.0;
        (name.clone(), number)
    });
    record.numbers.insert(kind.to_owned(), rounded.collect());
    let text = serde_json::to_string_pretty(&record).unwrap();
    file.set_len(0).unwrap();
    file.rewind().unwrap();
    writeln!(file, "{text}").unwrap();
}

/// The file, locked against the other test until it is closed. Panics if there is none and the run records no numbers:
/// without the numbers nothing would be compared.
fn open() -> File {
    let file = open_or_create(Path::new(FILE), is_update());
    let file = file.unwrap_or_else(|reason| panic!("{reason}"));
    file.lock().unwrap();
    file
}

/// Opens the file. Creates a missing one if the run records numbers.
///
/// # Errors
/// A text with the command that records the numbers, if there is no such file or it is empty.
fn open_or_create(path: &Path, is_update: bool) -> Result<File, String> {
    let mut options = File::options();
    options.read(true).write(true);
    options.create(is_update).truncate(false);
    match options.open(path) {
        Ok(file) if is_update || file.metadata().unwrap().len() > 0 => Ok(file),
        Ok(_) => Err(format!("{} is empty\n{}", path.display(), hint())),
        Err(error) => Err(format!("{}: {error}\n{}", path.display(), hint())),
    }
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

/// The command that records the numbers.
fn hint() -> String {
    format!("to record the numbers: {UPDATE}=1 {COMMAND}")
}

fn is_update() -> bool {
    std::env::var_os(UPDATE).is_some_and(|value| value == "1")
}

fn rustc() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    format!("{} for {}", version.trim(), std::env::consts::ARCH)
}

#[test]
fn a_missing_record_is_an_error_unless_it_is_recorded() {
    let folder = Folder::create();
    let path = folder.path().join("cost.json");
    let reason = open_or_create(&path, false).unwrap_err();
    assert!(reason.contains("UPDATE_COST=1"), "{reason}");
    assert!(!path.exists());
    assert!(open_or_create(&path, true).is_ok());
    // An update that was interrupted leaves an empty file.
    assert!(open_or_create(&path, false).is_err());
}
