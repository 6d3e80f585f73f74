//! The image and the files for Compose contain what `docs/hosting.md` says about them.

use std::fs;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_image_has_one_program_and_its_licences() {
    let dockerfile = read("docker/Dockerfile");
    let (build, image) = dockerfile.rsplit_once("\nFROM ").unwrap();
    assert!(image.starts_with("scratch\n"));
    let copies: Vec<_> = image
        .lines()
        .filter_map(|line| line.strip_prefix("COPY ").or(line.strip_prefix("ADD ")))
        .collect();
    assert_eq!(
        copies,
        [
            "--from=build /out/root/ /",
            "--from=build --chown=10001:10001 /out/data /data"
        ]
    );
    let into_root: Vec<_> = build
        .lines()
        .filter(|line| line.contains("/out/root/"))
        .collect();
    let [into_root] = into_root[..] else {
        panic!("{into_root:?}");
    };
    let (program, licences) = into_root.split_once("/dist/sticheln\" ").unwrap();
    assert!(program.starts_with(" && cp \"target/"), "{program}");
    assert_eq!(licences, "LICENSE-MIT LICENSE-APACHE /out/root/");
}

/// The limits are those of the files for Compose, which the next test reads.
#[test]
fn the_documents_name_the_limits_of_compose() {
    let page = read("docs/hosting.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = "limits the memory to 512 MiB, the processes to 256 and the open files to 20,000:";
    assert!(page.contains(named));
}

#[test]
fn the_documents_name_all_alerts() {
    let (page, alerts) = (read("docs/hosting.md"), read("docker/alerts.yaml"));
    let names = alerts
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let (mut named, mut missing) = (0, Vec::new());
    for name in names {
        named += 1;
        if !page.contains(&format!("`{name}`")) {
            missing.push(name);
        }
    }
    assert!(named > 10 && missing.is_empty(), "{named} {missing:?}");
}

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
        let text = read(&format!("docker/{file}"));
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
    let text = read("docker/compose.proxy.yaml");
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

#[test]
fn the_cluster_has_three_equal_servers_that_only_the_proxy_reaches() {
    let text = read("docker/compose.cluster.yaml");
    let caddyfile = read("docker/Caddyfile.cluster");
    for number in 1..=3 {
        let name = format!("sticheln-{number}");
        let server = block(&text, &name);
        let container = format!("container_name: {name}");
        // `docker cp` copies a backup out of a volume, but not out of a tmpfs.
        let volume = format!("- data-{number}:/data");
        assert_eq!(server, ["<<: *server", &container, "volumes:", &volume]);
        assert!(caddyfile.contains(&format!(" {name}:8080")));
    }
    let published: Vec<_> = text
        .lines()
        .filter(|line| line.contains("ports:"))
        .collect();
    assert_eq!(published.len(), 1, "only Caddy is reached from outside");
    assert_eq!(block(&text, "inner"), ["internal: true"]);
    // Without TLS nobody else may be in the network.
    for inner in ["postgres", "nats"] {
        let service = block(&text, inner);
        assert!(service.contains(&"- inner") && !service.contains(&"- proxy"));
    }
    assert!(caddyfile.contains("health_uri /readyz"));
    // During a rollout two versions of the page are served.
    assert!(caddyfile.contains("@page path / /t/* /g/* /a/* /api/page"));
    assert!(caddyfile.contains("lb_policy ip_hash"));
}

/// All users of the machine can see the flags of a container.
#[test]
fn no_container_gets_a_password_by_a_flag() {
    let text = read("docker/compose.cluster.yaml");
    let uses: Vec<_> = text
        .lines()
        .filter(|line| line.contains("${PASSWORD"))
        .map(str::trim)
        .collect();
    assert_eq!(uses.len(), 4, "{uses:?}");
    for line in uses {
        let (variable, _) = line.split_once(": ").unwrap();
        let names = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
        assert!(variable.bytes().all(names), "{line}");
    }
    // Without quotes NATS takes a password such as 12345 for a number.
    assert!(block(&text, "nats").contains(&"PASSWORD: \"'${PASSWORD}'\""));
    assert!(read("docker/nats.conf").contains("password: $PASSWORD\n"));
}

#[test]
fn the_nodes_wait_for_postgres_and_no_service_except_caddy_is_root() {
    let text = read("docker/compose.cluster.yaml");
    let condition = "    postgres:\n      condition: service_healthy\n";
    assert!(text.contains(condition));
    // Over the Unix socket, the temporary server of the first start would answer.
    let postgres = block(&text, "postgres");
    let probe = "test: [\"CMD\", \"pg_isready\", \"--quiet\", \"--host\", \"127.0.0.1\"";
    assert!(postgres.iter().any(|line| line.starts_with(probe)));
    assert!(postgres.contains(&"user: postgres"));
    assert!(block(&text, "nats").contains(&"user: \"10001:10001\""));
    for service in ["postgres", "nats", "caddy"] {
        let service = block(&text, service);
        assert!(service.contains(&"- ALL") && service.contains(&"- no-new-privileges:true"));
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{file}")).unwrap()
}
