//! The folders of the server's source have no circular dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The Rust source below a path, without comments.
fn code(path: &Path) -> String {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap();
        return entries.map(|entry| code(&entry.unwrap().path())).collect();
    }
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The other folders that each folder uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let entries = fs::read_dir(SOURCE)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folders: BTreeSet<String> = entries
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    let of = |folder: &String| {
        let file = format!("{SOURCE}/{folder}.rs");
        let code = code(Path::new(&format!("{SOURCE}/{folder}"))) + &code(Path::new(&file));
        let named = code.split("crate::").skip(1).filter_map(|rest| {
            let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = name.into_iter().next()?;
            (name != folder && folders.contains(name)).then(|| name.to_owned())
        });
        (folder.clone(), named.collect())
    };
    folders.iter().map(of).collect()
}

#[test]
fn folders_have_no_circular_dependencies() {
    let mut left = uses();
    assert!(left["http"].contains("socket"), "uses are found: {left:?}");
    assert!(left["socket"].contains("rooms"), "uses are found: {left:?}");
    // Topological sort: a folder is removed after all folders that it uses.
    while let Some(lowest) = left.iter().find(|(_, used)| used.is_empty()) {
        let lowest = lowest.0.clone();
        left.remove(&lowest);
        for used in left.values_mut() {
            used.remove(&lowest);
        }
    }
    assert!(
        left.is_empty(),
        "these folders have circular dependencies: {left:?}"
    );
}
