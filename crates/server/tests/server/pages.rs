//! The page and its files: addresses, caching and compression.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::json;
use sticheln_server::http::files::Files;
use sticheln_server::http::legal_links::LegalLinks;

use crate::common::folder::Folder;
use crate::harness::{Server, Setup};

/// The `cache-control` header of files with a hash in their path.
const KEEP: &str = "public, max-age=31536000, immutable";

/// The addresses in a page.
fn addresses(page: &str) -> Vec<&str> {
    let parts = ["href=\"", "src=\""]
        .into_iter()
        .flat_map(|word| page.split(word).skip(1));
    parts.map(|rest| rest.split_once('"').unwrap().0).collect()
}

/// Whether the program contains this file of `web`. The others are for tests and for people who write the page.
fn is_of_the_page(path: &str) -> bool {
    let suffixes = [".d.ts", ".test.js", "README.md"];
    let has_suffix = suffixes.iter().any(|suffix| path.ends_with(suffix));
    !path.starts_with("test/") && path != "tsconfig.json" && !has_suffix
}

/// Adds the paths of all files in a folder of `web`, without npm packages.
fn add_paths(web: &Path, folder: &str, paths: &mut BTreeSet<String>) {
    for entry in fs::read_dir(web.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = match folder {
            "" => name.clone(),
            _ => format!("{folder}/{name}"),
        };
        if !entry.file_type().unwrap().is_dir() {
            paths.insert(path);
        } else if name != "node_modules" {
            add_paths(web, &path, paths);
        }
    }
}

/// The page makes its links from these elements. Without the settings there are none.
#[tokio::test]
async fn each_page_names_the_addresses_of_the_operator() {
    let setup = Setup {
        legal_links: LegalLinks {
            imprint_url: Some("https://club.example/imprint?a&b".parse().unwrap()),
            privacy_url: Some("https://club.example/privacy".parse().unwrap()),
        },
        ..Setup::default()
    };
    let (with_links, without) = (setup.start().await, Server::start().await);
    for path in ["/", "/t/k7qm2x4p"] {
        let page = with_links.get(path).await.text().to_owned();
        for link in [
            r#"<link rel="imprint" href="https://club.example/imprint?a&amp;b">"#,
            r#"<link rel="privacy-policy" href="https://club.example/privacy">"#,
        ] {
            assert!(page.contains(link), "{page}");
        }
        let page = without.get(path).await.text().to_owned();
        assert!(!page.contains("imprint") && !page.contains("privacy-policy"));
        assert!(!page.contains("{legal}"), "{page}");
    }
}

#[test]
fn the_program_contains_all_files_of_the_page_and_no_others() {
    let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
    let mut paths = BTreeSet::new();
    add_paths(web, "", &mut paths);
    for path in [
        "icon.svg",
        "js/main.js",
        "js/store.test.js",
        "test/package.json",
    ] {
        assert!(paths.contains(path), "{path} is found");
    }
    for path in paths {
        let embedded = Files::Embedded.find(&path, None);
        if is_of_the_page(&path) {
            let file = embedded.unwrap_or_else(|| panic!("{path} is not embedded"));
            assert!(
                file.bytes == fs::read(web.join(&path)).unwrap(),
                "{path} is embedded as it is"
            );
        } else {
            assert!(embedded.is_none(), "{path} is embedded");
        }
    }
}

#[tokio::test]
async fn the_page_finds_its_files_below_any_path() {
    let server = Server::start().await;
    let current = server.get("/api/page").await;
    assert_eq!(current.header("cache-control"), Some("no-store"));
    let hash = current.json()["files"].as_str().unwrap().to_owned();
    assert_eq!(current.json(), json!({"files": hash}));
    for (path, home, first) in [
        ("/", "./", "js/home.js"),
        ("/t/k7qm2x4p", "../", "js/lobby.js"),
        ("/g/AbCdEfGhIjKlMnOpQrStUv", "../", "js/main.js"),
    ] {
        let page = server.get(path).await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        let addresses = addresses(page.text());
        assert!(addresses.len() > 10, "{addresses:?}");
        let mut files = Vec::new();
        for address in addresses {
            // An absolute address would be wrong below another path.
            let file = address.strip_prefix(home).unwrap();
            let reply = server.get(&format!("/{file}")).await;
            assert_eq!(reply.status, 200, "{file}");
            let has_hash = file.starts_with(&format!("a/{hash}/"));
            assert_eq!(has_hash, file.contains('/'), "{file}");
            let keep = if has_hash { KEEP } else { "no-cache" };
            assert_eq!(reply.header("cache-control"), Some(keep), "{file}");
            files.push(file.to_owned());
        }
        for file in ["js/main.js", first] {
            assert!(files.contains(&format!("a/{hash}/{file}")), "{file}");
        }
    }
}

#[tokio::test]
async fn the_modules_of_the_first_view_are_preloaded() {
    let server = Server::start().await;
    let page = server.get("/").await;
    let modules: Vec<&str> = page
        .text()
        .lines()
        .filter(|line| line.contains("rel=\"modulepreload\""))
        .map(|line| addresses(line)[0])
        .collect();
    let different: BTreeSet<_> = modules.iter().collect();
    assert_eq!(different.len(), modules.len(), "each is named once");
    let has = |name: &str| modules.iter().any(|module| module.ends_with(name));
    // The first module, one that it imports, one with an import over several lines, and one in
    // another folder.
    for name in [
        "/js/main.js",
        "/js/page.js",
        "/js/identity.js",
        "/vendor/lit-html/lit-html.js",
    ] {
        assert!(has(name), "{name} in {modules:?}");
    }
    // A module that contains only types.
    assert!(!has("/js/table/types.js"), "{modules:?}");
}

#[tokio::test]
async fn the_page_names_the_texts_in_the_language_of_the_browser() {
    let server = Server::start().await;
    for (asked, language) in [
        ("", "en"),
        ("fr, *;q=0.5", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("fr;q=0.9, EN-GB;q=0.8, de;q=0.7", "en"),
        ("x, de", "de"),
    ] {
        for path in ["/", "/t/k7qm2x4p"] {
            let headers = [("accept-language", asked)];
            let page = server.send_request("GET", path, &headers, "").await;
            assert!(page.text().contains(&format!("<html lang=\"{language}\">")));
            let words: Vec<_> = addresses(page.text())
                .into_iter()
                .filter(|address| address.contains("/i18n/"))
                .collect();
            let [words] = words[..] else {
                panic!("{asked}: {words:?}");
            };
            assert!(
                words.ends_with(&format!("/i18n/{language}.json")),
                "{asked}"
            );
        }
    }
}

#[tokio::test]
async fn files_with_another_hash_are_not_found() {
    let server = Server::start().await;
    let reply = server.get("/a/0000000000000000/js/main.js").await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn files_with_a_fixed_address_are_revalidated() {
    let server = Server::start().await;
    let file = server.get("/icon.svg").await;
    assert_eq!(file.header("cache-control"), Some("no-cache"));
    assert_eq!(file.header("content-type"), Some("image/svg+xml"));
    let etag = file.header("etag").unwrap();
    let known = [("if-none-match", etag)];
    let again = server.send_request("GET", "/icon.svg", &known, "").await;
    assert_eq!(again.status, 304);
    assert!(again.body.is_empty());
    assert_eq!(again.header("etag"), Some(etag));
    let known = [("if-none-match", "\"x\"")];
    let other = server.send_request("GET", "/icon.svg", &known, "").await;
    assert_eq!((other.status, other.body), (200, file.body.clone()));
}

#[tokio::test]
async fn the_page_is_compressed_if_the_browser_accepts_it() {
    let server = Server::start().await;
    let plain = server.get("/t/k7qm2x4p").await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(
        plain.header("vary"),
        Some("accept-encoding, accept-language")
    );
    for taken in [
        "gzip",
        "br, GZIP",
        "deflate,gzip;q=0.5, *;q=0",
        "br;q=1.0, gzip; q=0.001",
    ] {
        let headers = [("accept-encoding", taken)];
        let compressed = server
            .send_request("GET", "/t/k7qm2x4p", &headers, "")
            .await;
        assert_eq!(
            compressed.header("content-encoding"),
            Some("gzip"),
            "{taken}"
        );
        assert_eq!(compressed.header("vary"), plain.header("vary"));
        let mut text = Vec::new();
        GzDecoder::new(&compressed.body[..])
            .read_to_end(&mut text)
            .unwrap();
        assert_eq!(text, plain.body);
        assert!(compressed.body.len() * 2 < text.len());
    }
    for taken in ["", "identity", "gzip;q=0", "gzip;q=x", "xgzip", "br"] {
        let headers = [("accept-encoding", taken)];
        let reply = server
            .send_request("GET", "/t/k7qm2x4p", &headers, "")
            .await;
        assert_eq!(reply.header("content-encoding"), None, "{taken}");
        assert_eq!(reply.body, plain.body);
    }
}

#[tokio::test]
async fn files_have_the_best_compression_that_the_browser_accepts() {
    let server = Server::start().await;
    let current = server.get("/api/page").await.json();
    let address = |path: &str| format!("/a/{}/{path}", current["files"].as_str().unwrap());
    let main = address("js/main.js");
    let plain = server.get(&main).await;
    for (taken, encoding) in [
        ("gzip, deflate", "gzip"),
        ("gzip, deflate, br", "br"),
        ("br;q=0", ""),
    ] {
        let encoding = Some(encoding).filter(|name| !name.is_empty());
        let headers = [("accept-encoding", taken)];
        let reply = server.send_request("GET", &main, &headers, "").await;
        assert_eq!(reply.header("content-encoding"), encoding, "{taken}");
        assert_eq!(reply.header("vary"), Some("accept-encoding"));
        assert_eq!(reply.header("content-type"), Some("text/javascript"));
        assert_eq!(
            reply.body.len() < plain.body.len(),
            encoding.is_some(),
            "{taken}"
        );
        // A HEAD request gets the same headers.
        let head = server.send_request("HEAD", &main, &headers, "").await;
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(
            head.header("content-length"),
            reply.header("content-length")
        );
    }
    // Ranges are not supported, and a font is compressed already.
    let part = server
        .send_request("GET", &main, &[("range", "bytes=0-9")], "")
        .await;
    assert_eq!((part.status, part.body), (200, plain.body));
    let font = address("fonts/caprasimo.woff2");
    let reply = server
        .send_request("GET", &font, &[("accept-encoding", "br")], "")
        .await;
    assert_eq!(reply.header("content-encoding"), None);
    assert_eq!(reply.header("content-type"), Some("font/woff2"));
}

/// During development, a request reads the current files.
#[tokio::test]
async fn the_files_of_a_folder_are_read_at_each_request() {
    let web = Folder::new();
    let write = |path: &str, text: &str| {
        let path = web.path().join("web").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(web.path()).unwrap();
    fs::write(web.path().join("secret.txt"), "no file of the page").unwrap();
    write("index.html", "<html lang=\"{language}\">one {files}");
    write("js/main.js", "one();");
    let setup = Setup {
        files: Files::Folder(web.path().join("web")),
        ..Setup::default()
    };
    let server = setup.start().await;
    let accept_encoding = [("accept-encoding", "gzip, br")];
    for text in ["one", "two"] {
        write("js/main.js", &format!("{text}();"));
        write("index.html", &format!("<html>{text} {{files}}"));
        let page = server.get("/").await;
        assert_eq!(page.text(), format!("<html>{text} ./a/now"));
        let main = server
            .send_request("GET", "/a/now/js/main.js", &accept_encoding, "")
            .await;
        assert_eq!(main.text(), format!("{text}();"));
        assert_eq!(main.header("content-encoding"), None);
        assert_eq!(main.header("cache-control"), Some("no-store"));
        assert_eq!(main.header("content-type"), Some("text/javascript"));
    }
    // No file outside the folder is served.
    for path in [
        "/a/now/../secret.txt",
        "/a/now/js/../../secret.txt",
        "/a/now/%2e%2e/secret.txt",
        "/a/now//etc/passwd",
        "/../secret.txt",
    ] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}
