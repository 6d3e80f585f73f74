//! The program behind a proxy: what it prints, and what it answers to.

use crate::{Folder, call, start};

#[test]
fn it_says_where_the_page_is_for_others() {
    let folder = Folder::new();
    let program = start(
        &folder,
        &["--public-url", "https://Table.example:443/cards"],
    );
    let said = program.said.join("\n");
    assert!(
        said.contains("The table is open: https://table.example/cards/\n"),
        "{said}"
    );
    let here = format!("http://127.0.0.1:{}/", program.port);
    assert!(said.contains(&here), "{said}");
    // With the folder in front of it or without, the page is the same.
    let page = |path| {
        let answer = call(program.port, path, "");
        let lines = answer.lines().filter(|line| !line.starts_with("date: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let usual = page("GET /");
    assert!(usual.contains(&"<!doctype html>".into()), "{usual:?}");
    assert_eq!(page("GET /cards/"), usual);
    let bare = call(program.port, "GET /cards", "");
    assert!(bare.starts_with("HTTP/1.1 308"), "{bare}");
    assert!(bare.contains("\r\nlocation: /cards/\r\n"), "{bare}");
}
