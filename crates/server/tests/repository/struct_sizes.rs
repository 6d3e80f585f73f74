//! No struct in `src` and `examples` has more than 12 fields.

use std::fs;

use crate::game_names::all_sources;

const MAX_FIELDS: usize = 12;
/// The settings and the messages on the wire that may have more.
const EXCEPTIONS: [&str; 2] = ["HostileSettings", "TableState"];

/// The text after `pub`, `pub(crate)` and the like, if there is one.
fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else {
        return line;
    };
    let after_scope = rest
        .strip_prefix('(')
        .and_then(|scope| scope.split_once(')'));
    after_scope.map_or(rest, |(_, rest)| rest).trim_start()
}

/// The structs in formatted source code, with the numbers of their fields. Without structs in macros, and without tuples.
fn structs(code: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let item = line.trim_start();
        let Some(head) = without_visibility(item).strip_prefix("struct ") else {
            continue;
        };
        let mut words = head.split(|letter: char| !letter.is_alphanumeric());
        let name = words.next().unwrap();
        if name.is_empty() || head.ends_with([';', '}']) {
            continue;
        }
        let indent = &line[..line.len() - item.len()];
        let end = format!("{indent}}}");
        let fields = lines.by_ref().take_while(|line| *line != end);
        let fields = fields.filter(|line| {
            let field = line
                .strip_prefix(indent)
                .and_then(|line| line.strip_prefix("    "));
            let field = field.map_or("", without_visibility);
            field.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '_')
                && field.contains(": ")
        });
        found.push((name, fields.count()));
    }
    found
}

#[test]
fn no_struct_has_more_than_12_fields() {
    let mut too_large = Vec::new();
    let mut count = 0;
    for file in all_sources() {
        let code = fs::read_to_string(&file).unwrap();
        let structs = structs(&code);
        count += structs.len();
        let large = structs.iter().filter(|(_, fields)| *fields > MAX_FIELDS);
        too_large.extend(large.map(|(name, _)| (*name).to_owned()));
    }
    too_large.sort();
    assert_eq!(too_large, EXCEPTIONS);
    assert!(count > 200, "only {count} structs were found");
}

#[test]
fn the_fields_of_structs_are_counted() {
    let code = "
pub struct Table<T>
where
    T: Clone,
{
    /// The first: not a field.
    pub first: u8,
    #[serde(default)]
    pub(crate) second_one: Option<Box<dyn Fn() -> u8>>,
    third: (u8, u8),
}

struct Owner(u64);
struct Empty;

mod inner {
    pub(super) struct Small {
        only: [u8; 2],
    }
}
";
    assert_eq!(structs(code), [("Table", 3), ("Small", 1)]);
}
