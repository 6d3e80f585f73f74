//! Compresses the files of the page. `compressed.rs` maps each path to its compressed files.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// The folders with files to compress. Other files are compressed already, or requested seldom.
const FOLDERS: [&str; 4] = ["css", "i18n", "js", "vendor"];
const SUFFIXES: [&str; 3] = [".css", ".js", ".json"];
/// The tests next to modules, which are not embedded.
const TEST_SUFFIX: &str = ".test.js";
/// The best quality of Brotli.
const QUALITY: u32 = 11;
const WINDOW: u32 = 22;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let mut arms = String::new();
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web");
    // A change of files at the top level embeds them again.
    println!(
        "cargo::rerun-if-changed={}",
        web.join("index.html").display()
    );
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", web.join(folder).display());
        compress_folder(&web, folder, &out, &mut arms)?;
    }
    let code = format!("match path {{\n{arms}    _ => None,\n}}\n");
    fs::write(out.join("compressed.rs"), code)
}

fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets the variables of build scripts")
}

fn compress_folder(web: &Path, folder: &str, out: &Path, arms: &mut String) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(web.join(folder))? {
        let entry = entry?;
        names.push((entry.file_name().into_string(), entry.file_type()?.is_dir()));
    }
    names.sort();
    for (name, is_folder) in names {
        let name =
            name.map_err(|name| io::Error::other(format!("the name {name:?} is not UTF-8")))?;
        let path = format!("{folder}/{name}");
        if is_folder {
            compress_folder(web, &path, out, arms)?;
        } else if SUFFIXES.iter().any(|suffix| path.ends_with(suffix))
            && !path.ends_with(TEST_SUFFIX)
        {
            let compressed = out.join("compressed").join(&path);
            fs::create_dir_all(compressed.parent().expect("the file is in a folder"))?;
            let text = without_comments(&fs::read_to_string(web.join(&path))?);
            let (br, gz) = (
                compressed.with_added_extension("br"),
                compressed.with_added_extension("gz"),
            );
            fs::write(&br, brotli(text.as_bytes())?)?;
            fs::write(&gz, gzip(text.as_bytes())?)?;
            writeln!(
                arms,
                "    {path:?} => Some(Compressed {{ brotli: include_bytes!({br:?}), gzip: include_bytes!({gz:?}) }}),"
            )
            .expect("a write to a string never fails");
        }
    }
    Ok(())
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
