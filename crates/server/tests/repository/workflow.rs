//! The workflow runs no code that others can change.

use std::fs;

const WORKFLOW: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../.github/workflows/ci.yml"
);

#[test]
fn actions_are_pinned_by_commit() {
    let workflow = fs::read_to_string(WORKFLOW).unwrap();
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
