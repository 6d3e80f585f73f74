//! `docs/hosting.md` says what the image contains, and what Compose limits.

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

#[test]
fn the_documents_name_the_limits_of_compose() {
    let page = read("docs/hosting.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let named = "limits the memory to 512 MiB, the processes to 256 and the open files to 20,000:";
    assert!(page.contains(named));
    for file in ["docker/compose.yaml", "docker/compose.proxy.yaml"] {
        let text = read(file);
        let (_, service) = text.split_once("\n  sticheln:\n").unwrap();
        let service = service.split("\n\n").next().unwrap();
        for limit in ["mem_limit: 512m", "pids_limit: 256", "nofile: 20000"] {
            assert!(service.contains(limit), "{file}: {limit}");
        }
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(format!("{ROOT}/{file}")).unwrap()
}
