//! The files for Compose contain what `docs/hosting.md` says about them.

use std::fs;

const DOCKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docker");

/// The lines of the service or volume with this name, which is indented by two spaces.
fn block<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!("  {name}:");
    let lines = text.lines().skip_while(|line| *line != head).skip(1);
    let lines = lines.take_while(|line| line.starts_with("    "));
    lines.map(str::trim).collect()
}

#[test]
fn both_files_run_the_server_with_the_same_name_volume_and_rights() {
    for file in ["compose.yaml", "compose.proxy.yaml"] {
        let text = fs::read_to_string(format!("{DOCKER}/{file}")).unwrap();
        let server = block(&text, "sticheln");
        for line in [
            "container_name: sticheln",
            "- data:/data",
            "restart: unless-stopped",
            "read_only: true",
            "cap_drop:",
            "- ALL",
            "- no-new-privileges:true",
            "mem_limit: 512m",
            "pids_limit: 256",
            "nofile: 20000",
        ] {
            assert!(server.contains(&line), "{file}: {line}");
        }
        assert_eq!(block(&text, "data"), ["name: sticheln"], "{file}");
        // Behind Caddy nobody can reach the server directly.
        let is_published = server.contains(&"- \"8080:8080\"") && server.contains(&"ports:");
        assert_eq!(is_published, file == "compose.yaml");
        assert_eq!(server.contains(&"ports:"), is_published);
    }
}

#[test]
fn the_file_with_a_proxy_needs_a_domain_and_sets_the_address_and_one_proxy() {
    let text = fs::read_to_string(format!("{DOCKER}/compose.proxy.yaml")).unwrap();
    let server = block(&text, "sticheln");
    let url = "STICHELN_PUBLIC_URL: \"https://${DOMAIN:?";
    let url = server.iter().find(|line| line.starts_with(url)).unwrap();
    assert!(url.ends_with("}/\""), "{url}");
    assert!(server.contains(&"STICHELN_TRUSTED_PROXIES: \"1\""));
    let caddy = block(&text, "sticheln-caddy");
    for line in [
        "command: [\"caddy\", \"reverse-proxy\", \"--from\", \"${DOMAIN}\", \"--to\", \"sticheln:8080\"]",
        "- \"80:80\"",
        "- \"443:443\"",
    ] {
        assert!(caddy.contains(&line), "{line}");
    }
}
