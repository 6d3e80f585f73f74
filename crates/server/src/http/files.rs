//! The files of the page: those inside the program, or those of a folder.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use rust_embed::utils::read_file_from_fs;
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "../../web/"]
#[exclude = "test/*"]
#[exclude = "node_modules/*"]
#[exclude = "*.md"]
#[exclude = "*.d.ts"]
#[exclude = "package*.json"]
#[exclude = "tsconfig.json"]
struct Embedded;

/// What was compressed ahead of time.
struct Packed {
    brotli: &'static [u8],
    gzip: &'static [u8],
}

/// What a browser takes its files packed in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Packing {
    /// The smallest; browsers take it over secure connections only.
    Brotli,
    /// What every browser takes.
    Gzip,
}

impl Packing {
    /// Its name in headers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The best that this browser takes.
    pub fn wanted(headers: &HeaderMap) -> Option<Self> {
        let all = [Self::Brotli, Self::Gzip];
        all.into_iter().find(|packing| packing.is_taken(headers))
    }

    /// Whether this browser takes it.
    pub fn is_taken(self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(ACCEPT_ENCODING).into_iter();
        let mut entries = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        entries.any(|entry| {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, "q=1"));
            let weight: Option<f32> = weight
                .trim()
                .strip_prefix("q=")
                .and_then(|q| q.parse().ok());
            name.trim().eq_ignore_ascii_case(self.name()) && weight.is_some_and(|q| q > 0.0)
        })
    }
}

/// A file as it is sent.
#[derive(Debug)]
pub struct File {
    /// What it is.
    pub mime: String,
    /// What it is packed in.
    pub packing: Option<Packing>,
    /// Its content.
    pub bytes: Bytes,
}

/// Where the files of the page are.
#[derive(Clone, Debug, Default)]
pub enum Files {
    /// Inside the program, compressed ahead of time.
    #[default]
    Embedded,
    /// In a folder, from which they are read at each request: for work on the page.
    Folder(PathBuf),
}

impl Files {
    /// Whether files can change while the program runs.
    pub fn can_change(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// The file at this path below the page's folder, in the packing that is wanted if there is such a one.
    pub fn find(&self, path: &str, wanted: Option<Packing>) -> Option<File> {
        let file = self.get(path)?;
        // Scripts and styles are read as the page is, which says what it is written in.
        let mime = file.metadata.mimetype().to_owned();
        let packed = (!self.can_change()).then(|| packed(path)).flatten();
        let (packing, bytes) = match (packed, wanted) {
            (Some(packed), Some(packing)) => {
                let bytes = match packing {
                    Packing::Brotli => packed.brotli,
                    Packing::Gzip => packed.gzip,
                };
                (Some(packing), Bytes::from_static(bytes))
            }
            _ => (None, bytes(file)),
        };
        Some(File {
            mime,
            packing,
            bytes,
        })
    }

    /// The text of a file; empty if there is none.
    pub fn text(&self, path: &str) -> String {
        let bytes = self.get(path).map(bytes).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The SHA-256 of a file; zeros, if there is none.
    pub fn hash(&self, path: &str) -> [u8; 32] {
        self.get(path)
            .map_or([0; 32], |file| file.metadata.sha256_hash())
    }

    /// A mark of one file: it differs if its content does.
    pub fn mark_of(&self, path: &str) -> String {
        hex(&self.hash(path))
    }

    /// One mark for all files: it differs if any file does. Files that can change have always the same.
    pub fn mark(&self) -> String {
        if self.can_change() {
            return "now".to_owned();
        }
        let mut paths: Vec<_> = Embedded::iter().collect();
        paths.sort();
        let mut all = DefaultHasher::new();
        for path in paths {
            let hash = self.hash(&path);
            (path, hash).hash(&mut all);
        }
        hex(&all.finish().to_be_bytes())
    }

    /// These modules and all that they import, as the static imports of the code tell: what is imported only when
    /// it is needed is not among them.
    pub fn modules(&self, first: &[&str]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut open: Vec<String> = first.iter().map(|path| (*path).to_owned()).collect();
        while let Some(path) = open.pop() {
            if found.contains(&path) {
                continue;
            }
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            open.extend(imports(&self.text(&path)).map(|address| join(folder, address)));
            found.insert(path);
        }
        found
    }

    fn get(&self, path: &str) -> Option<EmbeddedFile> {
        match self {
            Self::Embedded => Embedded::get(path),
            // A path that leads out of the folder names no file.
            Self::Folder(folder) => {
                let mut parts = Path::new(path).components();
                let stays_inside = parts.all(|part| matches!(part, Component::Normal(_)));
                let file = stays_inside.then(|| folder.join(path))?;
                read_file_from_fs(&file).ok()
            }
        }
    }
}

/// The addresses of a module's static imports. They begin at the beginning of a line, and stand at its end.
fn imports(code: &str) -> impl Iterator<Item = &str> {
    let statements = code.lines().filter(|line| {
        let beginnings = ["import ", "export ", "} from "];
        beginnings.iter().any(|word| line.starts_with(word))
    });
    statements.filter_map(|line| {
        let (_, address) = line.strip_suffix("';")?.rsplit_once('\'')?;
        address.starts_with('.').then_some(address)
    })
}

/// A relative address, seen from a folder.
fn join(folder: &str, address: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in address.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn packed(path: &str) -> Option<Packed> {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"))
}

fn bytes(file: EmbeddedFile) -> Bytes {
    match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    }
}

/// The beginning of a hash, as long as it needs to be.
fn hex(hash: &[u8]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
