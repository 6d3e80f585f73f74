//! The program behind a proxy: its output and its routes.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

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

/// Behind a proxy all connections come from one address.
#[test]
fn connections_through_a_trusted_proxy_are_not_limited() {
    let limit = ["--connections-per-minute", "2"];
    let is_served = |settings: &[&str]| {
        let folder = Folder::new();
        let program = start(&folder, settings);
        let address = (Ipv4Addr::LOCALHOST, program.port);
        let mut served = (0..10).map(|_| {
            let mut stream = TcpStream::connect(address).unwrap();
            // A connection beyond the limit is closed, which can also be an error.
            let _ = stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n");
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            answer.starts_with(b"HTTP/1.0 200 ")
        });
        served.all(|is_served| is_served)
    };
    assert!(!is_served(&limit));
    assert!(is_served(
        &[&limit[..], &["--trusted-proxies", "1"]].concat()
    ));
}
