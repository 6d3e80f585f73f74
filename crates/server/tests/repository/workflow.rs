//! The workflow runs no code that others can change, and all files name the same version of Rust.

use std::fs;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn actions_are_pinned_by_commit() {
    let workflow = read(".github/workflows/ci.yml");
    let uses = workflow
        .lines()
        .filter_map(|line| line.split_once("uses: "));
    let actions: Vec<_> = uses.map(|(_, action)| action).collect();
    assert!(actions.len() >= 4, "{actions:?}");
    for action in actions {
        let (_, version) = action.split_once('@').unwrap();
        let commit = version.split(' ').next().unwrap();
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        assert!(
            commit.len() == 40 && commit.bytes().all(is_digit),
            "{action}"
        );
    }
}

#[test]
fn all_files_name_the_same_version_of_rust() {
    let manifest = read("Cargo.toml");
    let (_, version) = manifest.split_once("rust-version = \"").unwrap();
    let version = version.split('"').next().unwrap();
    for (file, before) in [
        ("README.md", "You need Rust "),
        ("CONTRIBUTING.md", "rustup with Rust "),
        ("docker/Dockerfile", "library/rust:"),
        (".github/workflows/ci.yml", "library/rust:"),
    ] {
        let text = read(file);
        let (_, named) = text.split_once(before).unwrap();
        assert!(named.starts_with(version), "{file} does not name {version}");
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{file}")).unwrap()
}
