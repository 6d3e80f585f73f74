//! Each dependency is used, and docs/dependencies.md gives its reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The folders that may use each kind of dependency.
const PLACES: [(Option<&str>, &[&str]); 3] = [
    (None, &["src"]),
    (Some("dev"), &["src", "tests", "benches", "examples"]),
    (Some("build"), &["build.rs"]),
];

/// The metadata of the packages in a workspace.
fn packages(manifest: &str) -> Vec<Value> {
    let words = [
        "metadata",
        "--no-deps",
        "--offline",
        "--format-version",
        "1",
    ];
    let metadata = Command::new(env!("CARGO"))
        .args(words)
        .args(["--manifest-path", &format!("{ROOT}/{manifest}")])
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The code in a file or below a folder, if it exists, without fetched packages.
fn code(place: &Path) -> String {
    if place.ends_with("node_modules") {
        return String::new();
    }
    if place.is_dir() {
        let entries = fs::read_dir(place).unwrap();
        return entries.map(|entry| code(&entry.unwrap().path())).collect();
    }
    let is_code = place
        .extension()
        .is_some_and(|end| end == "rs" || end == "js" || end == "mjs");
    match is_code && place.exists() {
        true => fs::read_to_string(place).unwrap(),
        false => String::new(),
    }
}

/// Whether code uses a crate.
fn names(code: &str, package: &str) -> bool {
    let name = package.replace('-', "_");
    let begins = |at: usize| {
        let before = code[..at].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
    };
    let path = format!("{name}::");
    code.match_indices(&path).any(|(at, _)| begins(at)) || code.contains(&format!("use {name}"))
}

/// The names in the table of docs/dependencies.md with this head.
fn justified(head: &str) -> BTreeSet<String> {
    let page = fs::read_to_string(format!("{ROOT}/docs/dependencies.md")).unwrap();
    let head = format!("| {head} | why |\n| --- | --- |\n");
    let (_, table) = page.split_once(&head).unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('|').nth(1).unwrap().split(','))
        .map(|cell| cell.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn every_crate_is_used_and_justified() {
    let justified = justified("crate");
    let mut used = BTreeSet::new();
    for package in packages("Cargo.toml") {
        let folder = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = folder.parent().unwrap();
        if package["name"] == "sticheln-rules-fuzz" {
            // Its target includes a file of the tests of the rules, which uses its other crates.
            used.insert("libfuzzer-sys".to_owned());
            continue;
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            let kind = dependency["kind"].as_str();
            let (_, places) = PLACES.iter().find(|(each, _)| *each == kind).unwrap();
            let code: String = places
                .iter()
                .map(|place| code(&folder.join(place)))
                .collect();
            let by = &package["name"];
            assert!(names(&code, name), "{by} does not use {name} ({kind:?})");
            if dependency["path"].is_null() {
                used.insert(name.to_owned());
            }
        }
    }
    assert_eq!(justified, used);
}

/// The names of the npm packages that a folder of the repository depends on.
fn npm_packages(folder: &str) -> Vec<String> {
    let metadata = fs::read_to_string(format!("{ROOT}/{folder}/package.json")).unwrap();
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let kinds = metadata.as_object().unwrap().iter();
    let kinds = kinds.filter(|(kind, _)| kind.to_lowercase().ends_with("dependencies"));
    kinds
        .flat_map(|(_, packages)| packages.as_object().unwrap().keys().cloned())
        .collect()
}

#[test]
fn every_package_is_used_and_justified() {
    /// The type packages have one common reason.
    const TYPES: &str = "@types/";

    let justified = justified("package");
    let mut used = BTreeSet::new();
    let page = code(Path::new(&format!("{ROOT}/web/js")));
    for folder in fs::read_dir(format!("{ROOT}/web/vendor")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(page.contains(&format!("/vendor/{name}/")), "{name}");
        used.insert(name);
    }
    let tests = code(Path::new(&format!("{ROOT}/web/test")));
    let commands = code(Path::new(&format!("{ROOT}/xtask/src/checks.rs")));
    let is_used = |name: &str| {
        let ways = ["from '", "import('", "resolve('"];
        let ends = ["'", "/", ":"];
        let mut imports = ways
            .iter()
            .flat_map(|way| ends.map(|end| format!("{way}{name}{end}")));
        imports.any(|import| tests.contains(&import))
            || commands.contains(&format!("/node_modules/{name}/"))
    };
    for name in npm_packages("web/test") {
        assert!(is_used(name.trim_start_matches(TYPES)), "{name}");
        used.insert(match name.starts_with(TYPES) {
            true => format!("{TYPES}…"),
            false => name,
        });
    }
    assert_eq!(justified, used);
}

#[test]
fn every_package_of_the_rivals_is_used_and_justified() {
    /// Node.js is started by its path.
    const NODE: &str = "node-linux-";

    let programs = code(Path::new(&format!("{ROOT}/crates/load/rivals")));
    let packages: BTreeSet<_> = npm_packages("crates/load/rivals").into_iter().collect();
    for name in packages.iter().filter(|name| !name.starts_with(NODE)) {
        let mut imports = ["'", "/"]
            .map(|end| format!("from '{name}{end}"))
            .into_iter();
        assert!(imports.any(|import| programs.contains(&import)), "{name}");
    }
    assert_eq!(justified("package of the rivals"), packages);
}

#[test]
fn lock_files_of_npm_have_hashes_and_no_addresses() {
    for folder in ["web/test", "crates/load/rivals"] {
        let lock = fs::read_to_string(format!("{ROOT}/{folder}/package-lock.json")).unwrap();
        let lock: Value = serde_json::from_str(&lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        // The package without a name is the folder itself.
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(package["integrity"].is_string(), "{folder}: {name}");
            assert!(package["resolved"].is_null(), "{folder}: {name}");
        }
        assert!(packages.len() > 10, "{folder}");
    }
}
