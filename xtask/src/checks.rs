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
    /// Environment variables of the command.
    pub variables: Vec<(&'static str, String)>,
    /// The environment variables that a longer run sets for this command. Other checks do not get them: a test in a
    /// browser reads `GAMES` too.
    pub longer_variables: &'static [&'static str],
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
    /// What it is for.
    pub kind: Kind,
}

/// What a command of the list is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// It installs what checks need. It is not counted among the checks, and takes no core away from them, since it
    /// mostly waits for the network.
    Installation,
    /// It builds what checks need. It is not counted among the checks.
    Build,
    /// It checks something.
    Check,
}

/// The commands that run a check without its name as an option.
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

/// The sources of everything that cargo builds, without the page: so `cargo xtask check` compiles nothing after a change
/// of the page. The server's tests that read the page from `web` then run with `cargo xtask test` only.
const SOURCES_WITHOUT_PAGE: &[&str] = &[
    ".cargo",
    ".config",
    "Cargo.lock",
    "Cargo.toml",
    "crates",
    "docs",
    "migrations",
    "xtask",
];
/// The page, and the documents that its tests without a browser read.
const SOURCES_OF_PAGE: &[&str] = &["docs", "web"];
/// The page, and the settings of its formatter and linter.
const CODE_OF_PAGE: &[&str] = &["biome.json", "web"];

/// The environment variable with the number of random games in each test that plays them.
pub const GAMES: &str = "GAMES";
/// The environment variable with the number of random cases in each of the project's own tests of random cases.
pub const SEEDS: &str = "SEEDS";
/// The environment variable with the number of random cases in each test of the crate `proptest`.
pub const PROPTEST_CASES: &str = "PROPTEST_CASES";
/// The environment variable with the number of seconds of the check `fuzzing`. In other checks its test takes a second.
pub const FUZZ_SECONDS: &str = "FUZZ_SECONDS";
/// The environment variable with the number of times that the crash drill kills the server.
pub const KILLS: &str = "KILLS";
/// The variables that the tests of the crates read.
const VARIABLES_OF_TESTS: &[&str] = &[GAMES, SEEDS, PROPTEST_CASES];

/// The preparation that builds every program and test.
pub const BUILD: &str = "build";
/// The preparation that puts the present page into the server. It is the same command as [`BUILD`]. Both exist since
/// [`BUILD`] is left out after a change of the page alone, and most checks that need the server need no new page in it.
const EMBED_PAGE: &str = "embed-page";
/// The command of [`BUILD`] and of [`EMBED_PAGE`].
const BUILD_COMMAND: &str =
    "cargo test --locked --workspace --lib --bins --tests --examples --no-run";
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
        longer_variables: &[],
        results: Results::ExitStatus,
        needs: &[],
        resource: Resource::None,
        seconds: 1,
        inputs: &[],
        suite: Suite::Full,
        kind: Kind::Check,
    }
}

fn installation(name: &str, command: &str) -> Check {
    Check {
        kind: Kind::Installation,
        ..check(name, command)
    }
}

fn build(name: &str) -> Check {
    Check {
        kind: Kind::Build,
        resource: Resource::Artifacts,
        ..check(name, BUILD_COMMAND)
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
            ..installation(PACKAGES, "xtask install packages")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 10,
            ..installation(NPM, "xtask install npm")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 20,
            ..installation(TOOLS, "xtask install tools")
        },
        Check {
            needs: &[PACKAGES],
            seconds: 10,
            ..installation(PROXIES, "xtask install proxies")
        },
        Check {
            seconds: 400,
            inputs: SOURCES_WITHOUT_PAGE,
            ..build(BUILD)
        },
        Check {
            needs: &[BUILD],
            ..build(EMBED_PAGE)
        },
    ]
}

/// Checks that run no code of the project.
fn static_checks() -> Vec<Check> {
    vec![
        Check {
            inputs: SOURCES_WITHOUT_PAGE,
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
            inputs: SOURCES_WITHOUT_PAGE,
            suite: Suite::Both,
            ..cargo(
                "lints",
                "cargo clippy --locked --workspace --all-targets -- -D warnings",
            )
        },
        // With private items: a link from a public item to a private one is an error here too.
        Check {
            variables: vec![("RUSTDOCFLAGS", "-D warnings".to_owned())],
            seconds: 15,
            ..cargo(
                "docs",
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
            inputs: CODE_OF_PAGE,
            suite: Suite::Both,
            ..check(
                "client-lint",
                "node web/test/node_modules/@biomejs/biome/bin/biome ci --error-on-warnings",
            )
        },
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: SOURCES_OF_PAGE,
            suite: Suite::Both,
            ..check("protocol-types", "node web/test/types.mjs --check")
        },
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: SOURCES_OF_PAGE,
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
            longer_variables: VARIABLES_OF_TESTS,
            needs: &[BUILD, TOOLS, PACKAGES],
            seconds: 110,
            ..check(
                "tests",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --bins --tests --examples --test-threads 1",
            )
        },
        Check {
            results: Results::Nextest,
            longer_variables: VARIABLES_OF_TESTS,
            needs: &[TOOLS],
            resource: Resource::Artifacts,
            seconds: 40,
            inputs: SOURCES_WITHOUT_PAGE,
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
            inputs: SOURCES_OF_PAGE,
            suite: Suite::Both,
            ..check("client-tests", "node --test web/test/unit/")
        },
        Check {
            needs: &[BUILD],
            variables: vec![(KILLS, "20".to_owned())],
            longer_variables: &[KILLS],
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
            longer_variables: &[FUZZ_SECONDS],
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
    let is_wanted = |check: &&Check| check.suite != Suite::Full || check.kind == Kind::Installation;
    all.iter().filter(is_wanted).cloned().collect()
}
