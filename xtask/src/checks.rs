//! The list of all checks and of the preparations that they need.

use std::fs;
use std::path::Path;

/// A command of the list, with what the runner needs to know about it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name that selects the check on the command line.
    pub name: String,
    /// The command line; its words are separated by single spaces. `target/` at its beginning is the folder in
    /// which cargo builds, and `xtask` is this program.
    pub command: String,
    /// Environment variables of the command.
    pub variables: Vec<(&'static str, String)>,
    /// The environment variables that options of `cargo xtask test` set for this command. Other checks do not get them: a test in a
    /// browser reads `GAMES` too.
    pub overridable_variables: &'static [&'static str],
    /// How the results of single tests are read.
    pub results: Results,
    /// The names of the checks and preparations that must have passed before.
    pub needs: &'static [&'static str],
    /// The resource that it shares with other checks.
    pub resource: Resource,
    /// The expected duration in seconds, on two cores with everything built. A measured duration replaces it.
    pub seconds: u64,
    /// Files and folders on which the result depends. `cargo xtask check` skips a check that has passed since
    /// they last changed.
    pub inputs: &'static [&'static str],
    /// Whether `test`, `check` or both include it.
    pub suite: Suite,
    /// The purpose of the command.
    pub kind: Kind,
}

/// The purpose of a command of the list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// It installs what checks need. It is not counted as a check, and needs no slot of the runner because it mostly
    /// waits for the network.
    Installation,
    /// It builds what checks need. It is not counted as a check.
    Build,
    /// It checks the project.
    Check,
}

/// The commands that include a check when no checks are named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Suite {
    /// `cargo xtask test`.
    Full,
    /// `cargo xtask check` alone. The full list has a larger check that contains it.
    Quick,
    /// Both.
    Both,
}

/// How the results of single tests are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Results {
    /// The command is one test: it passes if the command exits with 0.
    ExitStatus,
    /// The same for `cargo test`, and at least one test must have run.
    Libtest,
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
    /// The artifacts folder of cargo. One command uses it at a time.
    Artifacts,
    /// The network interfaces, which must not change. A browser aborts its requests when they do.
    StableNetwork,
    /// The network interfaces, which the check changes. It never runs beside [`Resource::StableNetwork`].
    ChangingNetwork,
}

/// The sources of everything that cargo builds, without the page. So `cargo xtask check` compiles nothing after a change
/// of the page, and the server's tests that read `web` run with `cargo xtask test` only.
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
/// The page, and the documents that its unit tests read.
const SOURCES_OF_PAGE: &[&str] = &["docs", "web"];
/// The page, and the settings of its formatter and linter.
const CODE_OF_PAGE: &[&str] = &["biome.json", "web"];

/// The environment variable with the number of games in each test that plays random games.
pub const GAMES: &str = "GAMES";
/// The environment variable with the number of cases in each randomised test, except those of `proptest`.
pub const SEEDS: &str = "SEEDS";
/// The environment variable with the number of cases in each test of the crate `proptest`.
pub const PROPTEST_CASES: &str = "PROPTEST_CASES";
/// The environment variable with the seconds of the check `fuzzing`. In other checks its test takes one second.
pub const FUZZ_SECONDS: &str = "FUZZ_SECONDS";
/// The environment variable with the number of kills in the crash drill.
pub const KILLS: &str = "KILLS";
/// The options of `cargo xtask test` with a number, and the environment variable that each of them sets.
pub const OPTIONS: [(&str, &str); 4] = [
    ("--games", GAMES),
    ("--seeds", SEEDS),
    ("--fuzz-seconds", FUZZ_SECONDS),
    ("--kills", KILLS),
];
/// The variables that the tests of the crates read.
const VARIABLES_OF_TESTS: &[&str] = &[GAMES, SEEDS, PROPTEST_CASES];

/// The preparation that builds every program and test.
pub const BUILD: &str = "build";
/// The preparation that embeds the current page in the server. It is the same command as [`BUILD`], which is skipped
/// after a change of the page alone. Most checks of the server do not need the current page in it.
const EMBED_PAGE: &str = "embed-page";
/// The command of [`BUILD`] and of [`EMBED_PAGE`].
pub const BUILD_COMMAND: &str =
    "cargo test --locked --workspace --lib --bins --tests --examples --no-run";
const PACKAGES: &str = "install-packages";
const NPM: &str = "install-npm";
const TOOLS: &str = "install-tools";
const PROXIES: &str = "install-proxies";

/// The folder with the browser tests. Each file in it is a check.
const BROWSER_TESTS: &str = "web/test/browser";
/// The browser test of the embedded page.
const EMBEDDED: &str = "embedded";

/// A check that runs this command, with defaults for the rest.
pub fn plain_check(name: &str, command: &str) -> Check {
    Check {
        name: name.to_owned(),
        command: command.to_owned(),
        variables: Vec::new(),
        overridable_variables: &[],
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
        ..plain_check(name, command)
    }
}

fn build(name: &str) -> Check {
    Check {
        kind: Kind::Build,
        resource: Resource::Artifacts,
        ..plain_check(name, BUILD_COMMAND)
    }
}

/// A check by a cargo command that compiles code.
fn cargo(name: &str, command: &str) -> Check {
    Check {
        needs: &[BUILD],
        resource: Resource::Artifacts,
        ..plain_check(name, command)
    }
}

/// All commands in the order of the list. Preparations come before the checks that need them.
///
/// # Errors
/// A sentence if the folder of the browser tests cannot be read.
pub fn all(root: &Path) -> Result<Vec<Check>, String> {
    let mut all = preparations();
    all.extend(source_checks());
    all.extend(compiler_checks());
    all.extend(client_checks());
    all.extend(test_checks());
    all.extend(program_checks());
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

/// Checks of source and configuration files, which compile nothing.
fn source_checks() -> Vec<Check> {
    vec![
        Check {
            inputs: SOURCES_WITHOUT_PAGE,
            suite: Suite::Both,
            ..plain_check("format", "cargo fmt --all --check")
        },
        plain_check(
            "format-fuzz",
            "cargo fmt --check --manifest-path crates/rules/fuzz/Cargo.toml",
        ),
        Check {
            needs: &[TOOLS],
            ..plain_check(
                "dockerfile",
                "target/tools/hadolint/bin/hadolint docker/Dockerfile",
            )
        },
        Check {
            needs: &[PACKAGES],
            ..plain_check(
                "scripts",
                "shellcheck .ci/run crates/server/examples/autobahn.sh",
            )
        },
        Check {
            needs: &[PACKAGES],
            ..plain_check(
                "compose",
                "docker-compose --file docker/compose.yaml config --quiet",
            )
        },
        Check {
            needs: &[PACKAGES],
            variables: vec![("DOMAIN", "table.example".to_owned())],
            ..plain_check(
                "compose-proxy",
                "docker-compose --file docker/compose.proxy.yaml config --quiet",
            )
        },
        Check {
            needs: &[TOOLS],
            ..plain_check(
                "dependencies",
                "target/tools/cargo-deny/bin/cargo-deny --locked check bans licenses sources",
            )
        },
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
                "cargo clippy --locked --workspace --all-targets -- -D warnings",
            )
        },
        // It lists the tests, so it comes after the build.
        cargo("mutants-apply", "xtask mutants --apply-only"),
        // Private items are included, because a broken link to one is an error too.
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
    ]
}

/// Checks of the client's types and modules.
fn client_checks() -> Vec<Check> {
    vec![
        Check {
            needs: &[NPM],
            inputs: CODE_OF_PAGE,
            suite: Suite::Both,
            ..plain_check(
                "client-lint",
                "node web/test/node_modules/@biomejs/biome/bin/biome ci --error-on-warnings",
            )
        },
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: SOURCES_OF_PAGE,
            suite: Suite::Both,
            ..plain_check("protocol-types", "node web/test/types.mjs --check")
        },
        Check {
            needs: &[NPM],
            seconds: 2,
            inputs: SOURCES_OF_PAGE,
            suite: Suite::Both,
            ..plain_check(
                "client-types",
                "node web/test/node_modules/typescript/bin/tsc --noEmit -p web",
            )
        },
        Check {
            results: Results::Node,
            needs: &[NPM],
            seconds: 3,
            inputs: SOURCES_OF_PAGE,
            suite: Suite::Both,
            ..plain_check("client-tests", "node --test web/test/unit/")
        },
    ]
}

/// The tests of the crates.
fn test_checks() -> Vec<Check> {
    vec![
        Check {
            results: Results::Nextest,
            overridable_variables: VARIABLES_OF_TESTS,
            needs: &[BUILD, TOOLS, PACKAGES],
            seconds: 110,
            ..plain_check(
                "tests",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --bins --tests --examples --test-threads 1",
            )
        },
        Check {
            results: Results::Nextest,
            overridable_variables: VARIABLES_OF_TESTS,
            needs: &[TOOLS],
            resource: Resource::Artifacts,
            seconds: 40,
            inputs: SOURCES_WITHOUT_PAGE,
            suite: Suite::Quick,
            ..plain_check(
                "tests-quick",
                "target/tools/cargo-nextest/bin/cargo-nextest nextest run --locked --workspace --lib --test rules --test bots --test room --test server --test third_game --test wire",
            )
        },
        Check {
            results: Results::Libtest,
            needs: &[BUILD],
            seconds: 10,
            ..cargo("doc-tests", "cargo test --locked --workspace --doc")
        },
        Check {
            results: Results::Libtest,
            needs: &[BUILD],
            variables: vec![(FUZZ_SECONDS, "30".to_owned())],
            overridable_variables: &[FUZZ_SECONDS],
            seconds: 32,
            ..plain_check(
                "fuzzing",
                "cargo test --locked --workspace --test rules fuzz -- --nocapture",
            )
        },
    ]
}

/// Checks that run the programs without a browser.
fn program_checks() -> Vec<Check> {
    vec![
        Check {
            needs: &[BUILD],
            variables: vec![(KILLS, "20".to_owned())],
            overridable_variables: &[KILLS],
            seconds: 30,
            ..plain_check("crash-drill", "target/debug/load drill")
        },
        Check {
            needs: &[BUILD],
            variables: vec![("HOSTILE_SECONDS", "10".to_owned())],
            seconds: 45,
            ..plain_check("hostile-mix", "target/debug/load hostile")
        },
        Check {
            needs: &[BUILD],
            seconds: 5,
            ..plain_check(
                "room-timing",
                "target/debug/load timing --requests 1000 --max-difference-ms 1",
            )
        },
        Check {
            needs: &[BUILD, EMBED_PAGE, NPM],
            resource: Resource::ChangingNetwork,
            seconds: 40,
            ..plain_check("container", "xtask container --quick")
        },
        Check {
            results: Results::Node,
            needs: &[BUILD, NPM, PROXIES],
            resource: Resource::StableNetwork,
            seconds: 60,
            ..plain_check("proxies", "node --test web/test/hosting/proxies.test.js")
        },
    ]
}

/// The browser tests, one check for each file.
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
        // In all other tests the server reads the page from its folder.
        needs: match subject == EMBEDDED {
            true => &[BUILD, EMBED_PAGE, NPM],
            false => &[BUILD, NPM],
        },
        resource: Resource::StableNetwork,
        seconds: 20,
        ..plain_check(
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

/// The checks of `cargo xtask check`, with the installations that they need. Each command builds what it needs, so
/// there is no build step.
pub fn quick(all: &[Check]) -> Vec<Check> {
    let is_wanted = |check: &&Check| check.suite != Suite::Full || check.kind == Kind::Installation;
    all.iter().filter(is_wanted).cloned().collect()
}
