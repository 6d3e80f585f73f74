//! Only the folders of games name a game, and the lists of games.
//!
//! This holds for the programs and the page. Tests, benchmarks and documents may name the games that they are about.

use std::fs;
use std::path::Path;

use sticheln_server::games;

const CRATES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const XTASK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/src");
const WEB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");

/// The files outside the folders of games that may name games.
const LISTS: [&str; 2] = [
    "bots/src/games.rs",
    // The load generator knows no other crate, and plays one game.
    "load/src/game.rs",
];

/// The name of the product where it stands for itself: the program, its files, variables and metrics.
/// [`CRATES_OF_PRODUCT`] has its crates. The last text begins a command line in a comment.
const PRODUCT: [&str; 19] = [
    "sticheln/replay/1",
    "PROGRAM: &str = \"sticheln\"",
    "PROGRAMS: [&str; 2] = [\"sticheln\"",
    "debug/sticheln\"",
    "release/sticheln ",
    "localhost/sticheln:",
    "\"warn,sticheln=info\"",
    "sticheln.db",
    "sticheln-data",
    "\"sticheln-echo-",
    "\"sticheln_search",
    "\"sticheln_database_",
    "\"sticheln_refused_appends_",
    "\"sticheln_commit_group_",
    "\"sticheln_bus_requests_",
    "sticheln/record/1",
    "STICHELN_",
    "\"STICHELN\"",
    "`sticheln ",
];

/// The crates of the product, which are called `sticheln_rules` in code and `sticheln-rules` elsewhere.
const CRATES_OF_PRODUCT: [&str; 8] = [
    "bots", "cluster", "load", "protocol", "record", "room", "rules", "server",
];

/// The files of the page outside the folders of games that may name games. The types are generated.
const PAGE_LISTS: [&str; 2] = ["js/games.js", "js/protocol.d.ts"];

/// The endings of the text files of the page.
const PAGE_FILES: [&str; 6] = ["js", "ts", "css", "json", "html", "webmanifest"];

/// The name of the product in the page: the keys of its storage, its title, and its name in sentences.
const PAGE_PRODUCT: [&str; 6] = [
    "'sticheln.",
    "name\": \"Sticheln\"",
    "\"Sticheln – ",
    "<title>Sticheln</title>",
    "Sticheln needs ",
    "Sticheln braucht ",
];

/// The ids of the games.
fn ids() -> Vec<String> {
    let games = games::all();
    games.iter().map(|game| game.id().to_string()).collect()
}

/// The files below a folder with these endings.
fn sources(folder: &Path, endings: &[&str], found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if path.is_dir() {
            sources(&path, endings, found);
        } else if ending.is_some_and(|ending| endings.contains(&ending)) {
            found.push(path.to_str().unwrap().to_owned());
        }
    }
}

/// The Rust files of all crates and of `xtask`, without their tests and benchmarks.
pub fn all_sources() -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(CRATES).unwrap() {
        let folder = entry.unwrap().path();
        sources(&folder.join("src"), &["rs"], &mut found);
        if folder.join("examples").is_dir() {
            sources(&folder.join("examples"), &["rs"], &mut found);
        }
    }
    sources(Path::new(XTASK), &["rs"], &mut found);
    found.sort();
    found
}

/// The text files of the page, without its tests and the modules of others.
fn page_sources() -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(WEB).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("test") && !path.ends_with("vendor") {
                sources(&path, &PAGE_FILES, &mut found);
            }
        } else if PAGE_FILES
            .iter()
            .any(|ending| path.extension() == Some(ending.as_ref()))
        {
            found.push(path.to_str().unwrap().to_owned());
        }
    }
    // Tests are no files of the page, and play the games.
    found.retain(|path| !path.ends_with(".test.js"));
    found.sort();
    found
}

/// Whether a file belongs to a game: `src/<id>.rs`, or in `src/<id>/` or `web/js/<id>/`.
fn is_of_game(path: &str, ids: &[String]) -> bool {
    ids.iter().any(|id| {
        path.contains(&format!("/src/{id}/"))
            || path.ends_with(&format!("/src/{id}.rs"))
            || path.contains(&format!("/web/js/{id}/"))
    })
}

/// Whether a line declares the module of a game, or exports the type of the game.
fn is_declaration(line: &str, ids: &[String]) -> bool {
    ids.iter().any(|id| {
        let export = line.strip_prefix(&format!("pub use crate::{id}::"));
        let name = export.and_then(|name| name.strip_suffix(';'));
        let is_module = [format!("mod {id};"), format!("pub mod {id};")].contains(&line.to_owned());
        is_module || name.is_some_and(|name| name.eq_ignore_ascii_case(id))
    })
}

/// The lines of a source that name a game and not only the product, without its unit tests: they play any game. A name
/// counts also inside a word, such as `NyetBoard`.
fn naming_lines<'a>(source: &'a str, ids: &[String], product: &[&str]) -> Vec<&'a str> {
    let is_named = |line: &str| {
        let mut line = line.to_owned();
        for name in product {
            line = line.replace(name, "");
        }
        for name in CRATES_OF_PRODUCT {
            line = line.replace(&format!("sticheln_{name}"), "");
            line = line.replace(&format!("sticheln-{name}"), "");
        }
        let line = line.to_lowercase();
        ids.iter().any(|id| line.contains(id))
    };
    let program = source.split("\nmod tests {").next().unwrap();
    let lines = program.lines().map(str::trim);
    lines
        .filter(|line| is_named(line) && !is_declaration(line, ids))
        .collect()
}

#[test]
fn nothing_shared_names_a_game() {
    let ids = ids();
    let mut found = Vec::new();
    for path in all_sources() {
        if is_of_game(&path, &ids) || LISTS.iter().any(|list| path.ends_with(list)) {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for line in naming_lines(&source, &ids, &PRODUCT) {
            found.push(format!("{path}: {line}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_shared_in_the_page_names_a_game() {
    let ids = ids();
    let paths = page_sources();
    for file in [
        "index.html",
        "manifest.webmanifest",
        "css/app.css",
        "i18n/de.json",
        "js/main.js",
    ] {
        assert!(
            paths.iter().any(|path| path.ends_with(file)),
            "{file} is read"
        );
    }
    let mut found = Vec::new();
    for path in paths {
        if is_of_game(&path, &ids) || PAGE_LISTS.iter().any(|list| path.ends_with(list)) {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        for line in naming_lines(&source, &ids, &PAGE_PRODUCT) {
            found.push(format!("{path}: {line}"));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn names_of_games_in_the_page_are_found() {
    let named = [
        "\"home.tagline\": \"A small game, and its cousin *Nyet!* Open a table.\",",
        "// As in Sticheln, the leader takes the trick.",
        "\"name\": \"Sticheln and Nyet!\",",
        "import { nyet } from './nyet/game.js';",
    ];
    let others = [
        "settings: 'sticheln.settings',",
        "\"short_name\": \"Sticheln\",",
        "<title>Sticheln</title>",
        "\"title.home\": \"Sticheln – trick-taking games for friends\",",
    ];
    let source = [&named[..], &others].concat().join("\n");
    assert_eq!(naming_lines(&source, &ids(), &PAGE_PRODUCT), named);
}

#[test]
fn names_of_games_are_found() {
    let ids = ids();
    let named = [
        "use sticheln_rules::Nyet;",
        "/// As in Sticheln, but not in sticheln_rules.",
        "let id = \"nyet\";",
        "/// See `docs/rules/sticheln.md`.",
        "pub use crate::nyet::Board;",
        "struct NyetBoard;",
        "let is_nyet = true;",
        "fn sticheln_score() {}",
    ];
    let others = [
        "pub mod nyet;",
        "mod nyet;",
        "pub use crate::nyet::Nyet;",
        "use sticheln_rules::Game;",
        "/// cargo run -p sticheln-load",
        "//! `sticheln health`: asks a server.",
        "const PROGRAM: &str = \"sticheln\";",
    ];
    let source = [&named[..], &others].concat().join("\n")
        + "\n\n#[cfg(test)]\n#[allow(x)]\nmod tests {\nNyet";
    assert_eq!(naming_lines(&source, &ids, &PRODUCT), named);
    for list in LISTS {
        let source = fs::read_to_string(format!("{CRATES}/{list}")).unwrap();
        assert!(
            !naming_lines(&source, &ids, &PRODUCT).is_empty(),
            "{list} names no game"
        );
    }
    let sources = all_sources();
    assert!(sources.len() > 100);
    for file in ["/xtask/src/main.rs", "/load/examples/bare.rs"] {
        assert!(
            sources.iter().any(|path| path.ends_with(file)),
            "{file} is read"
        );
    }
}
