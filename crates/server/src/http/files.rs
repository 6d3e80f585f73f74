//! The files of the page, embedded in the program or in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Component, Path, PathBuf};

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT_ENCODING;
use sha2::{Digest, Sha256};
use sticheln_room::Formats;

/// The files that the build script has embedded, sorted by path.
static EMBEDDED: &[EmbeddedFile] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A file in the program.
struct EmbeddedFile {
    path: &'static str,
    bytes: &'static [u8],
    /// `None` if the file is never sent compressed.
    compressed: Option<Compressed>,
}

/// The compressed bytes of a file.
struct Compressed {
    brotli: &'static [u8],
    gzip: &'static [u8],
}

/// A compression of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileCompression {
    /// Brotli, the smallest. Browsers accept it over secure connections only.
    Brotli,
    /// Gzip, which all browsers accept.
    Gzip,
}

impl FileCompression {
    /// The name in headers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The best compression that the browser accepts.
    pub fn best_accepted(headers: &HeaderMap) -> Option<Self> {
        let all = [Self::Brotli, Self::Gzip];
        all.into_iter()
            .find(|compression| compression.is_accepted(headers))
    }

    /// Whether the browser accepts this compression.
    pub fn is_accepted(self, headers: &HeaderMap) -> bool {
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
    /// The MIME type.
    pub mime: String,
    /// The compression.
    pub compression: Option<FileCompression>,
    /// The content.
    pub bytes: Bytes,
}

/// The source of the files of the page.
#[derive(Clone, Debug, Default)]
pub enum Files {
    /// Embedded in the program, compressed at build time.
    #[default]
    Embedded,
    /// A folder from which each request reads them: for work on the page.
    Folder(PathBuf),
}

impl Files {
    /// Whether files can change while the program runs.
    pub fn can_change(&self) -> bool {
        matches!(self, Self::Folder(_))
    }

    /// The file at this path, with the accepted compression if there is one.
    pub fn find(&self, path: &str, accepted: Option<FileCompression>) -> Option<File> {
        let compressed = match self {
            Self::Embedded => embedded(path).and_then(|file| file.compressed.as_ref()),
            Self::Folder(_) => None,
        };
        let (compression, bytes) = match (compressed, accepted) {
            (Some(compressed), Some(compression)) => {
                let bytes = match compression {
                    FileCompression::Brotli => compressed.brotli,
                    FileCompression::Gzip => compressed.gzip,
                };
                (Some(compression), Bytes::from_static(bytes))
            }
            _ => (None, self.bytes(path)?),
        };
        Some(File {
            // Scripts and styles need no charset: the page declares it for them.
            mime: mime_guess::from_path(path)
                .first_or_octet_stream()
                .to_string(),
            compression,
            bytes,
        })
    }

    /// The text of a file; empty if there is no such file.
    pub fn text(&self, path: &str) -> String {
        let bytes = self.bytes(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The SHA-256 of a file; zeros if there is no such file.
    pub fn sha256(&self, path: &str) -> [u8; 32] {
        self.bytes(path)
            .map_or([0; 32], |bytes| Sha256::digest(bytes).into())
    }

    /// The hash of one file, in hexadecimal digits.
    pub fn hash(&self, path: &str) -> String {
        hex(&self.sha256(path))
    }

    /// The hash of all files, in hexadecimal digits. It is the constant `now` for files that can change.
    pub fn hash_of_all(&self) -> String {
        if self.can_change() {
            return "now".to_owned();
        }
        let mut all = DefaultHasher::new();
        // A version with another format counts as one with other files.
        Formats::default().newest.0.hash(&mut all);
        for EmbeddedFile { path, .. } in EMBEDDED {
            (path, self.sha256(path)).hash(&mut all);
        }
        hex(&all.finish().to_be_bytes())
    }

    /// These modules and their static imports, directly or indirectly. Dynamic imports are not
    /// included.
    pub fn modules(&self, first: &[&str]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut to_visit: Vec<String> = first.iter().map(|path| (*path).to_owned()).collect();
        while let Some(path) = to_visit.pop() {
            if found.contains(&path) {
                continue;
            }
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            to_visit.extend(imports(&self.text(&path)).map(|address| join(folder, address)));
            found.insert(path);
        }
        found
    }

    /// The content of a file.
    fn bytes(&self, path: &str) -> Option<Bytes> {
        match self {
            Self::Embedded => embedded(path).map(|file| Bytes::from_static(file.bytes)),
            // A path that leads out of the folder names no file.
            Self::Folder(folder) => {
                let mut parts = Path::new(path).components();
                let stays_inside = parts.all(|part| matches!(part, Component::Normal(_)));
                let file = stays_inside.then(|| folder.join(path))?;
                fs::read(file).ok().map(Bytes::from)
            }
        }
    }
}

/// The addresses of the static imports of a module. Each statement begins and ends its own line.
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

/// Resolves an address relative to a folder.
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

/// The embedded file at this path.
fn embedded(path: &str) -> Option<&'static EmbeddedFile> {
    let at = EMBEDDED
        .binary_search_by_key(&path, |file| file.path)
        .ok()?;
    Some(&EMBEDDED[at])
}

/// The first eight bytes of a hash, in hexadecimal digits.
fn hex(hash: &[u8]) -> String {
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
