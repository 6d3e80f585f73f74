//! The program does not use the store that discards entries.

use std::path::Path;

use crate::folders::{SOURCE, code};

#[test]
fn the_program_never_discards_entries() {
    const NAME: &str = "discarding_entries";

    let storage = code(Path::new(&format!("{SOURCE}/storage.rs")));
    assert_eq!(storage.matches(NAME).count(), 1, "it is defined there");
    let all = code(Path::new(SOURCE));
    assert_eq!(all.matches(NAME).count(), 1, "only the example uses it");
}
