//! Embeds the files of the page and compresses them. `embedded.rs` in `OUT_DIR` is the list of them, sorted by path.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The files and folders of `web` that are embedded. It is a list, so that cargo watches no file for tests: a new name needs
/// a change of this file, which cargo notices. A test compares the embedded files with those of the folder.
const EMBEDDED: [&str; 12] = [
    "apple-touch-icon.png",
    "css",
    "fonts",
    "i18n",
    "icon-192.png",
    "icon-512.png",
    "icon-maskable-512.png",
    "icon.svg",
    "index.html",
    "js",
    "manifest.webmanifest",
    "vendor",
];
/// Files in these folders that are not embedded: they are for tests and for people who write the page.
const NOT_EMBEDDED_SUFFIXES: [&str; 3] = [".d.ts", ".test.js", "README.md"];
/// Files with these suffixes are compressed, unless they are directly in `web`. Other files are compressed already, or
/// requested seldom.
const COMPRESSED_SUFFIXES: [&str; 3] = [".css", ".js", ".json"];
/// The best quality of Brotli.
const QUALITY: u32 = 11;
/// The window of Brotli: the binary logarithm of its bytes.
const WINDOW: u32 = 22;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web");
    let mut paths = Vec::new();
    for name in EMBEDDED {
        // Cargo watches all files and folders below a folder.
        println!("cargo::rerun-if-changed={}", web.join(name).display());
        add_paths(&web, name.to_owned(), &mut paths)?;
    }
    paths.sort();
    let mut items = String::new();
    for path in paths {
        let file = web.join(&path);
        let compressed = compress(&path, &file, &out)?;
        writeln!(
            items,
            "    EmbeddedFile {{ path: {path:?}, bytes: include_bytes!({file:?}), compressed: {compressed} }},"
        )
        .expect("a write to a string never fails");
    }
    fs::write(out.join("embedded.rs"), format!("&[\n{items}]\n"))
}

fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets the variables of build scripts")
}

/// The names of the files and folders in an embedded folder that are embedded.
fn embedded_names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().into_string();
        let name =
            name.map_err(|name| io::Error::other(format!("the name {name:?} is not UTF-8")))?;
        let is_for_tests = NOT_EMBEDDED_SUFFIXES
            .iter()
            .any(|suffix| name.ends_with(suffix));
        if !is_for_tests {
            names.push(name);
        }
    }
    Ok(names)
}

/// Adds the path of a file, or of all files in a folder.
fn add_paths(web: &Path, path: String, paths: &mut Vec<String>) -> io::Result<()> {
    let file = web.join(&path);
    if !file.is_dir() {
        paths.push(path);
        return Ok(());
    }
    for name in embedded_names(&file)? {
        add_paths(web, format!("{path}/{name}"), paths)?;
    }
    Ok(())
}

/// Compresses a file. Returns a Rust expression of the type `Option<Compressed>`.
fn compress(path: &str, file: &Path, out: &Path) -> io::Result<String> {
    let is_compressed = COMPRESSED_SUFFIXES
        .iter()
        .any(|suffix| path.ends_with(suffix));
    if !path.contains('/') || !is_compressed {
        return Ok("None".to_owned());
    }
    let compressed = out.join("compressed").join(path);
    fs::create_dir_all(compressed.parent().expect("the file is in a folder"))?;
    let text = without_comments(&fs::read_to_string(file)?);
    let (br, gz) = (
        compressed.with_added_extension("br"),
        compressed.with_added_extension("gz"),
    );
    fs::write(&br, brotli(text.as_bytes())?)?;
    fs::write(&gz, gzip(text.as_bytes())?)?;
    Ok(format!(
        "Some(Compressed {{ brotli: include_bytes!({br:?}), gzip: include_bytes!({gz:?}) }})"
    ))
}

/// A text without lines that are comments only. A licence stays.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut comment = String::new();
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if !comment.is_empty() || trimmed.starts_with("/*") {
            comment.push_str(line);
            if trimmed.contains("*/") {
                if !trimmed.ends_with("*/") || comment.contains("@license") {
                    kept.push_str(&comment);
                }
                comment.clear();
            }
        } else if !trimmed.starts_with("//") {
            kept.push_str(line);
        }
    }
    kept.push_str(&comment);
    kept
}

fn brotli(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed =
        brotli::CompressorWriter::new(Vec::new(), bytes.len().max(1), QUALITY, WINDOW);
    compressed.write_all(bytes)?;
    Ok(compressed.into_inner())
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(bytes)?;
    compressed.finish()
}
