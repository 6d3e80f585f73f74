//! Compresses the files of the page ahead of time: `packed.rs` says for each which it is.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// What of the page is worth compressing. Its other files are compressed by nature, or hardly ever asked for.
const FOLDERS: [&str; 4] = ["css", "i18n", "js", "vendor"];
const ENDINGS: [&str; 3] = [".css", ".js", ".json"];
/// As small as it goes.
const QUALITY: u32 = 11;
const WINDOW: u32 = 22;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let mut arms = String::new();
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web");
    // New files at the top are part of the program, too.
    println!(
        "cargo::rerun-if-changed={}",
        web.join("index.html").display()
    );
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", web.join(folder).display());
        pack_folder(&web, folder, &out, &mut arms)?;
    }
    let code = format!("match path {{\n{arms}    _ => None,\n}}\n");
    fs::write(out.join("packed.rs"), code)
}

fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo tells build scripts where and for what they run")
}

fn pack_folder(web: &Path, folder: &str, out: &Path, arms: &mut String) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(web.join(folder))? {
        let entry = entry?;
        names.push((entry.file_name().into_string(), entry.file_type()?.is_dir()));
    }
    names.sort();
    for (name, is_folder) in names {
        let name = name.map_err(|name| io::Error::other(format!("{name:?} is no text")))?;
        let path = format!("{folder}/{name}");
        if is_folder {
            pack_folder(web, &path, out, arms)?;
        } else if ENDINGS.iter().any(|ending| path.ends_with(ending)) {
            let packed = out.join("packed").join(&path);
            fs::create_dir_all(packed.parent().expect("it lies in a folder"))?;
            let text = spoken(&fs::read_to_string(web.join(&path))?);
            let (br, gz) = (
                packed.with_added_extension("br"),
                packed.with_added_extension("gz"),
            );
            fs::write(&br, brotli(text.as_bytes())?)?;
            fs::write(&gz, gzip(text.as_bytes())?)?;
            writeln!(
                arms,
                "    {path:?} => Some(Packed {{ brotli: include_bytes!({br:?}), gzip: include_bytes!({gz:?}) }}),"
            )
            .expect("a string takes whatever is written");
        }
    }
    Ok(())
}

/// A text without the lines that are nothing but comment; a licence stays.
fn spoken(text: &str) -> String {
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
    let mut packed = brotli::CompressorWriter::new(Vec::new(), bytes.len().max(1), QUALITY, WINDOW);
    packed.write_all(bytes)?;
    Ok(packed.into_inner())
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes)?;
    packed.finish()
}
