//! The list of all checks and of the preparations on which they depend.

use std::fs;
use std::path::Path;

use crate::check::{Check, Kind, Resource, Results, Suite, plain_check};
use crate::error::Error;
use crate::variables::{FUZZ_SECONDS, KILLS, VARIABLES_OF_TESTS};

/// The sources of everything that cargo builds, without the page. So `cargo xtask check` compiles nothing after a
/// change of the page, and the server's tests that read `web` run with `cargo xtask test` only.
const SOURCES_WITHOUT_PAGE: &[&str] = &[
    ".cargo",
    ".config",
    "Cargo.lock",
    "Cargo.toml",
    "clippy.toml",
    "crates",
    "docs",
    "migrations",
    "xtask",
];
/// The sources of everything that cargo builds, without the page, and the files that tests of the repository read.
const SOURCES_AND_DOCUMENTS: &[&str] = &[
    ".cargo",
    ".config",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "clippy.toml",
    "crates",
    "docs",
    "migrations",
    "mutants",
    "xtask",
];
/// The page, and the documents that its unit tests read.
const PAGE_AND_DOCS: &[&str] = &["docs", "web"];
/// The page, the settings of its formatter and linter, and the other files that they read.
const PAGE_AND_LINT_SETTINGS: &[&str] = &[
    "biome.json",
    "crates/load/rivals",
    "crates/rules/tests/vectors",
    "web",
];

/// The preparation that builds every program and test.
pub const BUILD: &str = "build";
/// The preparation that embeds the current page in the server. It is the same command as [`BUILD`], which is skipped
/// after a change of the page alone. Most checks of the server do not need the current page in it.
const EMBED_PAGE: &str = "embed-page";
/// The command of [`BUILD`] and of [`EMBED_PAGE`].
pub const BUILD_COMMAND: &str = "cargo test --locked --workspace --no-run";
/// The preparation that installs packages of the system, rustfmt and Clippy.
const INSTALL_PACKAGES: &str = "install-packages";
/// The preparation that installs the npm packages of `web/test`.
const INSTALL_NPM: &str = "install-npm";
/// The preparation that installs programs in `target/tools`.
const INSTALL_TOOLS: &str = "install-tools";
/// The preparation that unpacks the proxies in `target/tools`.
const INSTALL_PROXIES: &str = "install-proxies";

/// The folder with the browser tests. Each file in it is a check.
const BROWSER_TESTS: &str = "web/test/browser";
/// The browser test of the embedded page.
const EMBEDDED: &str = "embedded";
/// The browser test of several nodes, two versions of which embed two pages.
const NODES: &str = "nodes";

/// A preparation that installs something by this command.
fn installation(name: &str, description: &str, command: &str) -> Check {
    Check {
        kind: Kind::Installation,
        ..plain_check(name, description, command)
    }
}

/// A preparation that runs [`BUILD_COMMAND`].
fn build(name: &str, description: &str) -> Check {
    Check {
        kind: Kind::Build,
        resource: Resource::CargoTarget,
        ..plain_check(name, description, BUILD_COMMAND)
    }
}

/// A check by a cargo command that compiles code.
fn cargo(name: &str, description: &str, command: &str) -> Check {
    Check {
        depends_on: &[BUILD],
        resource: Resource::CargoTarget,
        ..plain_check(name, description, command)
    }
}

/// All commands in the order of the list. Preparations come before the checks that depend on them.
///
/// # Errors
/// If the folder of the browser tests cannot be read.
pub fn all(root: &Path) -> Result<Vec<Check>, Error> {
    let mut all = preparations();
    all.extend(source_checks());
    all.extend(compose_checks());
    all.extend(compiler_checks());
    all.extend(page_checks());
    all.extend(test_checks());
    all.extend(program_checks());
    all.extend(browser_checks(root)?);
    Ok(all)
}

/// The installations and builds on which checks depend.
fn preparations() -> Vec<Check> {
    vec![
        Check {
            seconds: 60,
            ..installation(
                INSTALL_PACKAGES,
                "Installs packages of the system, rustfmt and Clippy.",
                "xtask install packages",
            )
        },
        Check {
            depends_on: &[INSTALL_PACKAGES],
            seconds: 10,
            ..installation(
                INSTALL_NPM,
                "Installs the npm packages of web/test.",
                "xtask install npm",
            )
        },
        Check {
            depends_on: &[INSTALL_PACKAGES],
            seconds: 20,
            ..installation(
                INSTALL_TOOLS,
                "Installs hadolint, cargo-deny and cargo-nextest in target/tools.",
                "xtask install tools",
            )
        },
        Check {
            depends_on: &[INSTALL_PACKAGES],
            seconds: 10,
            ..installation(
                INSTALL_PROXIES,
                "Unpacks nginx and Caddy in target/tools.",
                "xtask install proxies",
            )
        },
        Check {
            seconds: 400,
            inputs: SOURCES_WITHOUT_PAGE,
            ..build(BUILD, "Builds all programs and tests.")
        },
        Check {
            depends_on: &[BUILD],
            ..build(EMBED_PAGE, "Embeds the current page in the server.")
        },
    ]
}

/// Checks of source and configuration files, which compile nothing.
fn source_checks() -> Vec<Check> {
    vec![
        Check {
            inputs: SOURCES_WITHOUT_PAGE,
            suite: Suite::Both,
            ..plain_check(
                "format",
                "The Rust code is formatted.",
                "cargo fmt --all --check",
            )
        },
        Check {
            depends_on: &[INSTALL_TOOLS],
            ..plain_check(
                "dockerfile",
                "hadolint finds no fault in the Dockerfile.",
                "target/tools/hadolint/bin/hadolint docker/Dockerfile",
            )
        },
        Check {
            depends_on: &[INSTALL_PACKAGES],
            ..plain_check(
                "scripts",
                "shellcheck finds no fault in the shell scripts.",
                "shellcheck .ci/run .githooks/commit-msg crates/server/examples/autobahn.sh",
            )
        },
        Check {
            depends_on: &[INSTALL_TOOLS],
            ..plain_check(
                "dependencies",
                "The licences, sources and versions of all crates are allowed.",
                "target/tools/cargo-deny/bin/cargo-deny --locked check bans licenses sources",
            )
        },
    ]
}

/// Checks of the files for Compose.
fn compose_checks() -> Vec<Check> {
    let check = |name: &str, file: &str, variables: &[(&'static str, &str)]| Check {
        depends_on: &[INSTALL_PACKAGES],
        variables: variables
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()))
            .collect(),
        ..plain_check(
            name,
            &format!("docker/{file} is valid."),
            &format!("docker-compose --file docker/{file} config --quiet"),
        )
    };
    let domain = ("DOMAIN", "table.example");
    vec![
        check("compose", "compose.yaml", &[]),
        check("compose-proxy", "compose.proxy.yaml", &[domain]),
        check(
            "compose-cluster",
            "compose.cluster.yaml",
            &[domain, ("PASSWORD", "secret")],
        ),
    ]
}

/// Checks by the compiler and its lints.
fn compiler_checks() -> Vec<Check> {
    vec![
        Check {
            inputs: SOURCES_WITHOUT_PAGE,
            suite: Suite::Both,
            ..cargo(
                "lints",
                "Clippy finds no fault in the workspace, with the fuzz target.",
                "cargo clippy --locked --workspace --all-targets --features sticheln-rules-fuzz/target -- -D warnings",
            )
        },
        // It lists the tests, so it comes after the build.
        cargo(
            "mutants-apply",
            "Each patch in mutants/ applies, and the test that it names exists.",
            "xtask mutants --apply-only",
        ),
        // Private items are included, because a broken link to one is an error too. With `--examples`, cargo selects the
        // features of the tests too, as for the lints. Without it, it compiles 36 libraries again for other features.
        Check {
            variables: vec![("RUSTDOCFLAGS", "-D warnings".to_owned())],
            seconds: 15,
            ..cargo(
                "docs",
                "The documentation of the crates and of their examples builds without a warning.",
                "cargo doc --locked --workspace --no-deps --document-private-items --lib --bins --examples",
            )
        },
    ]
}

/// Checks of the page that need no browser.
fn page_checks() -> Vec<Check> {
    vec![
        Check {
            depends_on: &[INSTALL_NPM],
            inputs: PAGE_AND_LINT_SETTINGS,
            suite: Suite::Both,
            ..plain_check(
                "page-lint",
                "Biome finds no fault in JavaScript, JSON and CSS, and all of it is formatted.",
                "node web/test/node_modules/@biomejs/biome/bin/biome ci --error-on-warnings",
            )
        },
        Check {
            depends_on: &[INSTALL_NPM],
            seconds: 2,
            inputs: PAGE_AND_DOCS,
            suite: Suite::Both,
            ..plain_check(
                "protocol-types",
                "web/js/protocol.d.ts is current with docs/wire/schema.json.",
                "node web/test/types.mjs --check",
            )
        },
        Check {
            depends_on: &[INSTALL_NPM],
            seconds: 2,
            inputs: PAGE_AND_DOCS,
            suite: Suite::Both,
            ..plain_check(
                "page-types",
                "TypeScript finds no type error in the page and in its tests.",
                "node web/test/node_modules/typescript/bin/tsc --noEmit -p web",
            )
        },
        Check {
            results: Results::Node,
            depends_on: &[INSTALL_NPM],
            seconds: 3,
            inputs: PAGE_AND_DOCS,
            suite: Suite::Both,
            ..plain_check(
                "page-tests",
                "The unit tests of the page pass, in Node.js without a browser.",
                "node --test web/js/ web/test/unit/",
            )
        },
    ]
}

/// The tests of the crates.
fn test_checks() -> Vec<Check> {
    vec![
        Check {
            results: Results::Nextest,
            overridable_variables: VARIABLES_OF_TESTS,
            depends_on: &[BUILD, INSTALL_TOOLS, INSTALL_PACKAGES],
            seconds: 110,
            ..plain_check(
                "tests",
                "All unit and integration tests of the crates pass.",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --bins --tests --test-threads 2",
            )
        },
        Check {
            results: Results::Nextest,
            overridable_variables: VARIABLES_OF_TESTS,
            depends_on: &[INSTALL_TOOLS],
            resource: Resource::CargoTarget,
            seconds: 40,
            inputs: SOURCES_AND_DOCUMENTS,
            suite: Suite::Quick,
            ..plain_check(
                "tests-quick",
                "The tests of the crates pass that start no server process.",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --bin xtask --test rules --test bots --test room --test server --test repository --test third_game --test wire",
            )
        },
        Check {
            results: Results::Libtest,
            depends_on: &[BUILD],
            seconds: 10,
            ..cargo(
                "doc-tests",
                "The examples in the documentation of the crates compile and pass.",
                "cargo test --locked --workspace --doc",
            )
        },
        Check {
            results: Results::Libtest,
            depends_on: &[BUILD],
            variables: vec![(FUZZ_SECONDS, "10".to_owned())],
            overridable_variables: &[FUZZ_SECONDS],
            seconds: 12,
            ..plain_check(
                "fuzzing",
                "Random bytes and moves break no invariant of the rules, for 10 seconds.",
                "cargo test --locked --workspace --test rules fuzz -- --nocapture",
            )
        },
    ]
}

/// Checks that run the programs without a browser.
fn program_checks() -> Vec<Check> {
    vec![
        Check {
            depends_on: &[BUILD],
            variables: vec![(KILLS, "20".to_owned())],
            overridable_variables: &[KILLS],
            seconds: 30,
            ..plain_check(
                "crash-recovery",
                "After each of 20 SIGKILLs, every acknowledged move is still there.",
                "target/debug/load drill",
            )
        },
        Check {
            depends_on: &[BUILD],
            variables: vec![("HOSTILE_SECONDS", "10".to_owned())],
            seconds: 45,
            ..plain_check(
                "hostile-clients",
                "Hostile clients attack the server for 10 seconds, and honest players are still served.",
                "target/debug/load hostile",
            )
        },
        Check {
            depends_on: &[BUILD],
            seconds: 5,
            ..plain_check(
                "room-existence-timing",
                "Response times do not reveal whether a room exists.",
                "target/debug/load timing --requests 1000 --max-difference-ms 1",
            )
        },
        Check {
            results: Results::NodeOrSkipped,
            depends_on: &[BUILD, EMBED_PAGE, INSTALL_NPM],
            resource: Resource::ChangingNetwork,
            seconds: 40,
            ..plain_check(
                "container",
                "The image runs as docker/compose.yaml says, and a game survives a restart.",
                "xtask container --last-stage",
            )
        },
        Check {
            results: Results::Node,
            depends_on: &[BUILD, EMBED_PAGE, INSTALL_NPM, INSTALL_PROXIES],
            resource: Resource::StableNetwork,
            seconds: 60,
            ..plain_check(
                "proxies",
                "The proxy recipes of docs/hosting.md work with nginx and Caddy.",
                "node --test web/test/hosting/proxies.test.js",
            )
        },
    ]
}

/// The browser tests, one check for each file. The first line of a file is a comment that describes its tests.
fn browser_checks(root: &Path) -> Result<Vec<Check>, Error> {
    let folder = root.join(BROWSER_TESTS);
    let unreadable =
        |path: &Path, error| Error::io(format!("{} cannot be read", path.display()), error);
    let mut subjects = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))? {
        let path = entry.map_err(|error| unreadable(&folder, error))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(subject) = name.and_then(|name| name.strip_suffix(".test.js")) else {
            continue;
        };
        let source = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        let description = source.lines().next().unwrap_or_default();
        let description = description.trim_start_matches("// ");
        subjects.push((subject.to_owned(), description.to_owned()));
    }
    subjects.sort();
    let checks = subjects.into_iter().map(|(subject, description)| Check {
        results: Results::Node,
        // In all other tests the server reads the page from its folder.
        depends_on: match subject.as_str() {
            EMBEDDED | NODES => &[BUILD, EMBED_PAGE, INSTALL_NPM],
            _ => &[BUILD, INSTALL_NPM],
        },
        resource: Resource::StableNetwork,
        seconds: 20,
        ..plain_check(
            &format!("browser-{subject}"),
            &description,
            &format!("node --test {BROWSER_TESTS}/{subject}.test.js"),
        )
    });
    Ok(checks.collect())
}

/// The checks of `cargo xtask test`.
pub fn full(all: &[Check]) -> Vec<Check> {
    let is_wanted = |check: &&Check| check.suite != Suite::Quick;
    all.iter().filter(is_wanted).cloned().collect()
}

/// The checks of `cargo xtask check`, with all installations. Each cargo command builds what it runs, so there is no
/// build step.
pub fn quick(all: &[Check]) -> Vec<Check> {
    let is_wanted = |check: &&Check| check.suite != Suite::Full || check.kind == Kind::Installation;
    all.iter().filter(is_wanted).cloned().collect()
}
