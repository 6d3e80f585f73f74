//! The list of all checks, and of the preparations that they need.

use std::fs;
use std::path::Path;

/// One command of the list, and what the runner has to know about it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name by which people select it.
    pub name: String,
    /// The command line; its words are separated by single spaces. `target/` at its beginning is the folder in
    /// which cargo builds, and `xtask` is this program.
    pub command: String,
    /// Environment variables of the command. A longer run replaces the values of those it sets.
    pub variables: Vec<(&'static str, String)>,
    /// How the results of single tests are read.
    pub results: Results,
    /// The names of the checks and preparations that must have passed before.
    pub needs: &'static [&'static str],
    /// The resources that it shares with other checks.
    pub resource: Resource,
    /// The expected duration in seconds on two cores with everything built, until one was measured.
    pub seconds: u64,
    /// Files and folders on which the result depends. `cargo xtask check` skips a check that has passed since
    /// they last changed.
    pub inputs: &'static [&'static str],
    /// The commands that run it.
    pub suite: Suite,
    /// Preparations install or build; they are not counted among the checks.
    pub is_preparation: bool,
}

/// The commands that run a check without being asked for it by name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Suite {
    /// `cargo xtask test`.
    Full,
    /// `cargo xtask check`, since the other command has a check that contains it.
    Quick,
    /// Both.
    Both,
}

/// How the results of single tests are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Results {
    /// The command is one test: it passes if the command exits with 0.
    ExitStatus,
    /// cargo-nextest writes a JUnit file.
    Nextest,
    /// The test runner of Node.js writes a JUnit file.
    Node,
}

/// A resource that not all checks can use at the same time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Resource {
    /// None.
    None,
    /// cargo's folder of artifacts: one command at a time.
    Artifacts,
    /// Network interfaces that must not change meanwhile: browsers then abort what they are loading.
    StableNetwork,
    /// Network interfaces are added and removed: not beside [`Resource::StableNetwork`].
    ChangingNetwork,
}

/// The sources of everything that cargo builds, apart from the page.
const RUST: &[&str] = &[
    ".cargo",
    ".config",
    "Cargo.lock",
    "Cargo.toml",
    "crates",
    "docs",
    "migrations",
    "xtask",
];
/// The client and everything that its tests without a browser read.
const CLIENT: &[&str] = &["docs", "web"];

/// How many seconds the fuzzing check fuzzes; the same test passes quickly in all other checks.
pub const FUZZ_SECONDS: &str = "FUZZ_SECONDS";

/// The preparation that builds every program and test.
pub const BUILD: &str = "build";
/// The preparation that puts the page as it is into the server; without it the server may hold an older one.
const EMBED_PAGE: &str = "embed-page";
const PACKAGES: &str = "install-packages";
const NPM: &str = "install-npm";
const TOOLS: &str = "install-tools";
const PROXIES: &str = "install-proxies";

/// The folder with the tests that need a browser: each of its files is a check.
const BROWSER_TESTS: &str = "web/test/browser";
/// The file among them with the tests of the page inside the program.
const EMBEDDED: &str = "embedded";

/// A check that is one command with nothing special about it.
pub fn check(name: &str, command: &str) -> Check {
    Check {
        name: name.to_owned(),
        command: command.to_owned(),
        variables: Vec::new(),
        results: Results::ExitStatus,
        needs: &[],
        resource: Resource::None,
        seconds: 1,
        inputs: &[],
        suite: Suite::Full,
        is_preparation: false,
    }
}

fn preparation(name: &str, command: &str) -> Check {
    Check {
        is_preparation: true,
        ..check(name, command)
    }
}

/// A check by a cargo command that compiles.
fn cargo(name: &str, command: &str) -> Check {
    Check {
        needs: &[BUILD],
        resource: Resource::Artifacts,
        ..check(name, command)
    }
}

/// Everything in the order of the list; preparations come before the checks that need them.
///
/// # Errors
/// A sentence if the folder of the browser tests cannot be read.
pub fn all(root: &Path) -> Result<Vec<Check>, String> {
    let mut all = preparations();
    all.extend(static_checks());
    all.extend(test_checks());
    all.extend(browser_checks(root)?);
    Ok(all)
}

fn preparations() -> Vec<Check> {
    vec![
        Check {
            seconds: 60,
            ..preparation(PACKAGES, "xtask install packages")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 10,
            ..preparation(NPM, "xtask install npm")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 20,
            ..preparation(TOOLS, "xtask install tools")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 10,
            ..preparation(PROXIES, "xtask install proxies")
        },
        Check {
            resource: Resource::Artifacts,
            seconds: 400,
            inputs: RUST,
            ..preparation(
                BUILD,
                "cargo test --locked --workspace --lib --bins --tests --examples --no-run",
            )
        },
        Check {
            resource: Resource::Artifacts,
            needs: &[BUILD],
            ..preparation(
                EMBED_PAGE,
                "cargo test --locked --workspace --lib --bins --tests --examples --no-run",
            )
        },
    ]
}

/// Checks that run no code of the project.
fn static_checks() -> Vec<Check> {
    vec![
        Check {
            inputs: RUST,
            suite: Suite::Both,
            ..check("format", "cargo fmt --all --check")
        },
        check(
            "format-fuzz",
            "cargo fmt --check --manifest-path crates/rules/fuzz/Cargo.toml",
        ),
        Check {
            needs: &[TOOLS],
            ..check(
                "dockerfile",
                "target/tools/hadolint/bin/hadolint docker/Dockerfile",
            )
        },
        Check {
            needs: &[PACKAGES],
            ..check(
                "scripts",
                "shellcheck .ci/run crates/server/examples/autobahn.sh",
            )
        },
        Check {
            needs: &[PACKAGES],
            ..check(
                "compose",
                "docker-compose --file docker/compose.yaml config --quiet",
            )
        },
        Check {
            needs: &[PACKAGES],
            variables: vec![("DOMAIN", "table.example".to_owned())],
            ..check(
                "compose-proxy",
                "docker-compose --file docker/compose.proxy.yaml config --quiet",
            )
        },
        Check {
            needs: &[TOOLS],
            ..check(
                "dependencies",
                "target/tools/cargo-deny/bin/cargo-deny --locked check bans licenses sources",
            )
        },
        Check {
            inputs: RUST,
            suite: Suite::Both,
            ..cargo(
                "lints",
                "cargo clippy --locked --workspace --all-targets -- -D warnings",
            )
        },
        Check {
            variables: vec![("RUSTDOCFLAGS", "-D warnings".to_owned())],
            seconds: 15,
            ..cargo("docs", "cargo doc --locked --workspace --no-deps")
        },
        Check {
            variables: vec![("RUSTDOCFLAGS", "-D warnings".to_owned())],
            seconds: 15,
            ..cargo(
                "docs-private",
                "cargo doc --locked --workspace --no-deps --document-private-items",
            )
        },
        Check {
            seconds: 10,
            ..cargo(
                "fuzz-target",
                "cargo check --locked --manifest-path crates/rules/fuzz/Cargo.toml --no-default-features",
            )
        },
        check("mutants-apply", "xtask mutants --apply-only"),
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: CLIENT,
            suite: Suite::Both,
            ..check("protocol-types", "node web/test/types.mjs --check")
        },
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: CLIENT,
            suite: Suite::Both,
            ..check(
                "client-types",
                "node web/test/node_modules/typescript/bin/tsc --noEmit -p web",
            )
        },
    ]
}

/// Checks that run code of the project without a browser.
fn test_checks() -> Vec<Check> {
    vec![
        Check {
            results: Results::Nextest,
            needs: &[BUILD, TOOLS, PACKAGES],
            seconds: 110,
            ..check(
                "tests",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --bins --tests --examples --test-threads 1",
            )
        },
        Check {
            results: Results::Nextest,
            needs: &[TOOLS],
            resource: Resource::Artifacts,
            seconds: 40,
            inputs: RUST,
            suite: Suite::Quick,
            ..check(
                "tests-quick",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --test rules --test bots --test room --test server --test wire",
            )
        },
        Check {
            needs: &[BUILD],
            seconds: 10,
            ..cargo("doc-tests", "cargo test --locked --workspace --doc")
        },
        Check {
            results: Results::Node,
            needs: &[NPM],
            seconds: 3,
            inputs: CLIENT,
            suite: Suite::Both,
            ..check("client-tests", "node --test web/test/unit/")
        },
        Check {
            needs: &[BUILD],
            variables: vec![("KILLS", "20".to_owned())],
            seconds: 30,
            ..check("crash-drill", "target/debug/load drill")
        },
        Check {
            needs: &[BUILD],
            variables: vec![("HOSTILE_SECONDS", "10".to_owned())],
            seconds: 30,
            ..check("hostile-mix", "target/debug/load hostile")
        },
        Check {
            needs: &[BUILD],
            seconds: 5,
            ..check(
                "answers",
                "target/debug/load answers --times 1000 --most-apart 1",
            )
        },
        Check {
            needs: &[BUILD],
            variables: vec![(FUZZ_SECONDS, "30".to_owned())],
            seconds: 32,
            ..check(
                "fuzzing",
                "cargo test --locked --workspace --test rules fuzz -- --nocapture",
            )
        },
        Check {
            needs: &[BUILD, EMBED_PAGE, NPM],
            resource: Resource::ChangingNetwork,
            seconds: 40,
            ..check("container", "xtask container --quick")
        },
        Check {
            results: Results::Node,
            needs: &[BUILD, NPM, PROXIES],
            resource: Resource::StableNetwork,
            seconds: 60,
            ..check("proxies", "node --test web/test/hosting/proxies.test.js")
        },
    ]
}

/// The tests in a real browser, a check for each file.
fn browser_checks(root: &Path) -> Result<Vec<Check>, String> {
    let folder = root.join(BROWSER_TESTS);
    let unreadable = |error| format!("{} cannot be read: {error}.", folder.display());
    let mut subjects = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let subject = name.to_str().and_then(|name| name.strip_suffix(".test.js"));
        subjects.extend(subject.map(str::to_owned));
    }
    subjects.sort();
    let checks = subjects.into_iter().map(|subject| Check {
        results: Results::Node,
        // All other tests let the server read the page from its folder.
        needs: match subject == EMBEDDED {
            true => &[BUILD, EMBED_PAGE, NPM],
            false => &[BUILD, NPM],
        },
        resource: Resource::StableNetwork,
        seconds: 20,
        ..check(
            &format!("browser-{subject}"),
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

/// The checks of `cargo xtask check`, with the installations that they need. Nothing is built for them in advance,
/// since each command builds what it needs.
pub fn quick(all: &[Check]) -> Vec<Check> {
    let is_installation =
        |check: &Check| check.is_preparation && check.resource != Resource::Artifacts;
    let is_wanted = |check: &&Check| check.suite != Suite::Full || is_installation(check);
    all.iter().filter(is_wanted).cloned().collect()
}
