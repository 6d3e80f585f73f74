//! The program behind a proxy: its output and its routes.

use crate::common::folder::Folder;
use crate::process::{send_request, start};

#[test]
fn the_program_prints_its_public_address() {
    let folder = Folder::new();
    let program = start(
        &folder,
        &["--public-url", "https://Table.example:443/cards"],
    );
    let output = program.output.join("\n");
    let public = "The server is ready: https://table.example/cards/\n";
    assert!(output.contains(public), "{output}");
    let local = format!("http://127.0.0.1:{}/", program.port);
    assert!(output.contains(&local), "{output}");
    // The page is the same with and without the folder in its path.
    let page = |path| {
        let reply = send_request(program.port, path, "");
        let headers = reply.headers().iter().filter(|(name, _)| name != "date");
        (
            reply.status,
            headers.cloned().collect::<Vec<_>>(),
            reply.body,
        )
    };
    let root = page("GET /");
    assert_eq!(root.0, 200);
    assert_eq!(page("GET /cards/"), root);
    let redirect = send_request(program.port, "GET /cards", "");
    assert_eq!(redirect.status, 308);
    assert_eq!(redirect.header("location"), Some("/cards/"));
}
