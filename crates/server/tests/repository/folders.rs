//! The folders of the server's source, and the files beside them, have no circular dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The source of the server.
pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// The Rust source below a path, without comments.
pub fn code(path: &Path) -> String {
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

/// The parts of the source: each folder, and each file that has no folder. `lib` and `main` use all of them.
fn parts() -> BTreeSet<String> {
    let entries = fs::read_dir(SOURCE).unwrap();
    let names = entries.map(|entry| entry.unwrap().path());
    let names = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    names
        .filter(|name| name != "lib" && name != "main")
        .collect()
}

/// The other parts that each part uses.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let parts = parts();
    let of = |part: &String| {
        let folder = format!("{SOURCE}/{part}");
        let file = format!("{SOURCE}/{part}.rs");
        let paths = [Path::new(&folder), Path::new(&file)];
        let code: String = paths
            .into_iter()
            .filter(|path| path.exists())
            .map(code)
            .collect();
        let named = code.split("crate::").skip(1).filter_map(|rest| {
            let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = name.into_iter().next()?;
            (name != part && parts.contains(name)).then(|| name.to_owned())
        });
        (part.clone(), named.collect())
    };
    parts.iter().map(of).collect()
}

#[test]
fn folders_and_files_have_no_circular_dependencies() {
    let mut left = uses();
    assert!(left["http"].contains("socket"), "uses are found: {left:?}");
    assert!(left["socket"].contains("rooms"), "uses are found: {left:?}");
    assert!(
        left["settings"].contains("http"),
        "uses are found: {left:?}"
    );
    // Topological sort: a part is removed after all parts that it uses.
    while let Some(lowest) = left.iter().find(|(_, used)| used.is_empty()) {
        let lowest = lowest.0.clone();
        left.remove(&lowest);
        for used in left.values_mut() {
            used.remove(&lowest);
        }
    }
    assert!(
        left.is_empty(),
        "these parts have circular dependencies: {left:?}"
    );
}
