//! Links in the documents are valid, and sentences are short. The files, functions and tests that documents name exist, and
//! so do the types of `docs/glossary.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Folders without documents of the project.
const FOREIGN: [&str; 4] = [".git", "node_modules", "target", "vendor"];

/// All files below a folder with this extension, except those in foreign folders.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_foreign = FOREIGN.iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_foreign {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    found
}

/// The lines of a document outside of code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The most words of a sentence in a document.
const MAX_WORDS: usize = 30;

/// The paragraphs and list items of a document, with a word for each text in code. Headings, tables, quotes, pictures and
/// HTML are left out.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in prose(text).map(str::trim) {
        let is_other = line.is_empty() || line.starts_with(['#', '|', '>', '!', '<']);
        let number = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let is_item = line.starts_with("- ") || (number.starts_with(". ") && number != line);
        if is_other || is_item {
            paragraphs.push(String::new());
        }
        if let (false, Some(last)) = (is_other, paragraphs.last_mut()) {
            *last += line;
            last.push(' ');
        }
    }
    let without_code = |paragraph: String| {
        let parts = paragraph.split('`').enumerate();
        parts
            .map(|(index, part)| if index % 2 == 0 { part } else { "code" })
            .collect()
    };
    paragraphs.into_iter().map(without_code).collect()
}

#[test]
fn sentences_in_documents_are_short() {
    let (mut sentences, mut long) = (0, Vec::new());
    for path in files(Path::new(ROOT), "md") {
        for paragraph in paragraphs(&fs::read_to_string(&path).unwrap()) {
            let words = paragraph.split_whitespace();
            let words: Vec<&str> = words
                .filter(|word| word.contains(char::is_alphanumeric))
                .collect();
            for sentence in words.split_inclusive(|word| {
                let word = word.trim_end_matches(['"', ')', '*', ']']);
                word.ends_with(['.', '!', '?'])
            }) {
                sentences += 1;
                if sentence.len() > MAX_WORDS {
                    long.push(format!("{}: {}", path.display(), sentence.join(" ")));
                }
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
    assert!(sentences > 1000, "{sentences} sentences");
}

/// The anchors of the headings of a document, as code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let allowed = heading
            .chars()
            .filter(|char| char.is_alphanumeric() || [' ', '-', '_'].contains(char));
        allowed
            .map(|char| if char == ' ' { '-' } else { char })
            .collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_between_documents_are_valid() {
    let documents = files(Path::new(ROOT), "md");
    let texts: BTreeMap<PathBuf, String> = documents
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.canonicalize().unwrap(), text)
        })
        .collect();
    let mut broken = Vec::new();
    for (path, text) in &texts {
        let links = prose(text).flat_map(|line| line.split("](").skip(1));
        for link in links.map(|rest| rest.split(')').next().unwrap()) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => Ok(path.clone()),
                file => path.parent().unwrap().join(file).canonicalize(),
            };
            let is_there = target.is_ok_and(|target| {
                anchor.is_empty()
                    || texts
                        .get(&target)
                        .is_some_and(|text| anchors(text).contains(anchor))
            });
            if !is_there {
                broken.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn tests_and_places_in_the_security_page_exist() {
    let page = fs::read_to_string(format!("{ROOT}/docs/security.md")).unwrap();
    let crates = files(&Path::new(ROOT).join("crates"), "rs");
    let paths: Vec<_> = crates.iter().map(|path| path.to_str().unwrap()).collect();
    let sources: String = crates
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let (mut found, mut missing) = (0, Vec::new());
    // The places are functions and types, beside paths of requests.
    let page = page.replace("- **Where:**", "- **Tests:**");
    for section in page.split("- **Tests:**").skip(1) {
        let end = section.find("\n- ").or_else(|| section.find("\n\n"));
        let section = &section[..end.unwrap_or(section.len())];
        for name in section.split('`').skip(1).step_by(2) {
            let is_there = if name.contains(' ') || name.starts_with('/') {
                // A command or a request.
                continue;
            } else if name.contains(['/', '.']) {
                let of_crates = format!("/tests/{name}");
                paths.iter().any(|path| path.ends_with(&of_crates))
                    || Path::new(ROOT).join(name).exists()
            } else {
                let name = name.rsplit("::").next().unwrap();
                let mut kinds = ["fn", "struct"].into_iter();
                kinds.any(|kind| {
                    let definition = format!("{kind} {name}");
                    let mut rest = sources.split(&definition).skip(1);
                    rest.any(|rest| rest.starts_with(['(', '<', ' ', ';']))
                })
            };
            found += 1;
            if !is_there {
                missing.push(name.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found > 50, "{found} names");
}

/// The ends of the names of source files.
const SOURCES: [&str; 11] = [
    "rs", "js", "mjs", "ts", "css", "py", "sh", "md", "json", "toml", "yaml",
];

/// Whether a text in code is the name of a file of the repository, without placeholders.
fn is_file(name: &str) -> bool {
    let (_, end) = name.rsplit_once('.').unwrap_or_default();
    let is_plain = |char: char| char.is_alphanumeric() || "/._-".contains(char);
    SOURCES.contains(&end)
        && name.chars().all(is_plain)
        && !name.starts_with(['.', '/'])
        && !["target/", "SUBJECT"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// The name of a function in a text in code: it has many words and is no metric, or it belongs to a type.
fn function(name: &str) -> Option<&str> {
    let is_snake = |name: &str| {
        let is_plain =
            |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
        name.chars().all(is_plain)
    };
    match name.rsplit_once("::") {
        Some((of, last)) if of.starts_with(char::is_uppercase) => is_snake(last).then_some(last),
        Some(_) => None,
        None => {
            let is_long = name.matches('_').count() > 3 && !name.starts_with("sticheln_");
            (is_snake(name) && is_long).then_some(name)
        }
    }
}

/// Whether a text in code is a type, or a name of the page or of its tests, such as `sitDown` or `Person.open`.
fn is_camel(name: &str) -> bool {
    let has_hump = name.chars().skip(1).any(char::is_uppercase) || name.contains('.');
    has_hump
        && !name.ends_with(".js")
        && name.starts_with(char::is_alphabetic)
        && name.chars().any(char::is_lowercase)
        && name
            .chars()
            .all(|char| char.is_alphanumeric() || char == '.')
}

#[test]
fn files_and_functions_in_documents_exist() {
    let root = Path::new(ROOT);
    let ends = SOURCES.iter();
    let paths: Vec<PathBuf> = ends.flat_map(|end| files(root, end)).collect();
    let sources: String = files(&root.join("crates"), "rs")
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    // Also a field such as `RoomLimits::entries`, and the code of a refusal.
    let is_defined = |name: &str| {
        let mut definitions = ["fn {}(", "fn {}<", "pub {}:", "\"{}\""].into_iter();
        definitions.any(|definition| sources.contains(&definition.replace("{}", name)))
    };
    let page = files(&root.join("web"), "js").into_iter();
    let scripts: String = page
        .chain(files(&root.join("web"), "ts"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let alerts = fs::read_to_string(root.join("docker/alerts.yaml")).unwrap();
    let is_alert = |name: &str| alerts.contains(&format!("alert: {name}\n"));
    let (mut names, mut missing) = (0, Vec::new());
    let documents = files(&root.join("docs"), "md");
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"];
    let documents = documents
        .into_iter()
        .chain(others.map(|name| root.join(name)));
    for path in documents {
        let page = fs::read_to_string(&path).unwrap();
        for name in prose(&page).flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let is_there = if is_file(name) {
                paths.iter().any(|path| path.ends_with(name))
            } else if let Some(name) = function(name) {
                is_defined(name)
            } else if is_camel(name) {
                scripts.contains(name) || sources.contains(name) || is_alert(name)
            } else {
                continue;
            };
            names += 1;
            if !is_there {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(names > 300, "{names} names");
}

#[test]
fn types_and_files_in_the_glossary_exist() {
    let page = fs::read_to_string(format!("{ROOT}/docs/glossary.md")).unwrap();
    let root = Path::new(ROOT);
    let sources: String = files(&root.join("crates"), "rs")
        .iter()
        .chain(&files(&root.join("web/js"), "ts"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let (mut found, mut missing) = (0, Vec::new());
    for name in page.split('`').skip(1).step_by(2) {
        let is_type = name.starts_with(char::is_uppercase);
        let is_there = if let Some((_, function)) = name.split_once("::") {
            sources.contains(&format!("fn {function}("))
        } else if is_type {
            ["struct", "enum", "trait", "interface", "type"]
                .iter()
                .any(|kind| {
                    let definition = format!("{kind} {name}");
                    let mut rest = sources.split(definition.as_str()).skip(1);
                    rest.any(|rest| !rest.starts_with(|char: char| char.is_alphanumeric()))
                })
        } else if name.ends_with(".js") {
            Path::new(ROOT).join("web/js").join(name).exists()
        } else {
            continue;
        };
        found += 1;
        if !is_there {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(found > 40, "{found} names");
}

/// The tests that the lists of promises and of defects name exist: files, functions, tests of the page by their titles, and checks.
/// In "`file.rs`: `one`, `two`" each function is in the file. A name in brackets is a case or another word of the code.
#[test]
fn tests_in_the_lists_of_promises_and_defects_exist() {
    let pages = ["promises.md", "defects.md"];
    let page = pages.map(|name| fs::read_to_string(format!("{ROOT}/docs/{name}")).unwrap());
    let page = page.concat();
    let root = Path::new(ROOT);
    let read = |folder: &str, extension: &str| -> String {
        let paths = files(&root.join(folder), extension).into_iter();
        paths
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    };
    let rust = read("crates", "rs") + &read("xtask", "rs");
    let page_tests = read("web", "js");
    let paths: Vec<_> = files(&root.join("crates"), "rs")
        .into_iter()
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    let rust_file = |name: &str| {
        let of_crates = format!("/tests/{name}");
        let in_crates = paths.iter().find(|path| path.ends_with(&of_crates));
        let path = root.join(name);
        match path.is_file() {
            true => fs::read_to_string(path).ok(),
            false => in_crates.map(|path| fs::read_to_string(path).unwrap()),
        }
    };
    let is_file = |name: &str| {
        let folder = name.split('*').next().unwrap().rsplit_once('/');
        match name.contains('*') {
            true => root.join(folder.unwrap().0).is_dir(),
            false => {
                let of_crates = format!("/tests/{name}");
                root.join(name).exists() || paths.iter().any(|path| path.ends_with(&of_crates))
            }
        }
    };
    let is_test =
        |name: &str| rust.contains(&format!("fn {name}(")) || rust.contains(&format!("\"{name}\""));
    let (mut found, mut missing) = (0, Vec::new());
    for line in page.lines() {
        let Some((_, tests)) = line.trim_matches('|').split_once(" | ") else {
            continue;
        };
        let (mut file, mut is_in_brackets) = (None, false);
        for (index, part) in tests.split('`').enumerate() {
            let is_code = index % 2 == 1;
            if is_code && !part.contains(' ') {
                let is_there = match &file {
                    _ if part.contains(['/', '.']) => {
                        file = rust_file(part).filter(|_| part.ends_with(".rs"));
                        is_file(part)
                    }
                    Some(file) if !is_in_brackets => file.contains(&format!("fn {part}(")),
                    _ => is_test(part),
                };
                found += 1;
                missing.extend((!is_there).then_some(part));
            } else if !is_code {
                is_in_brackets = match part.rfind(['(', ')']) {
                    Some(at) => part[at..].starts_with('('),
                    None => is_in_brackets,
                };
                if part.contains([';', '|']) {
                    file = None;
                }
                // A title can be shortened by an ellipsis.
                for title in part.split('"').skip(1).step_by(2) {
                    let begin = title.split('…').next().unwrap().trim();
                    found += 1;
                    missing.extend((!page_tests.contains(begin)).then_some(title));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(found > 300, "{found} names");
}
