//! The checks, and how they are run.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::{family, install};

/// A check.
#[derive(Debug)]
pub struct Step {
    /// What it is called.
    pub name: &'static str,
    /// Its command line; no word of it contains a space, and `target` is where cargo builds.
    pub command: &'static str,
    /// The variables it is given. Of those that a longer run sets, this is the usual value.
    pub variables: &'static [(&'static str, &'static str)],
    /// Its time budget. Most of it is for building on a slow machine where nothing is built yet.
    pub minutes: u64,
}

/// The checks that come first: the quickest to fail, and those that build.
const FIRST: [Step; 14] = [
    Step {
        name: "format",
        command: "cargo fmt --all --check",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "format of the fuzz crate",
        command: "cargo fmt --check --manifest-path crates/rules/fuzz/Cargo.toml",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "container file",
        command: "target/tools/hadolint/bin/hadolint docker/Dockerfile",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "scripts",
        command: "shellcheck .ci/run crates/server/examples/autobahn.sh",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "compose file",
        command: "docker-compose --file docker/compose.yaml config --quiet",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "compose with a proxy",
        command: "docker-compose --file docker/compose.proxy.yaml config --quiet",
        variables: &[("DOMAIN", "table.example")],
        minutes: 1,
    },
    Step {
        name: "dependencies",
        command: "target/tools/cargo-deny/bin/cargo-deny --locked check bans licenses sources",
        variables: &[],
        minutes: 3,
    },
    Step {
        name: "lints",
        command: "cargo clippy --locked --workspace --all-targets -- -D warnings",
        variables: &[],
        minutes: 15,
    },
    Step {
        name: "vectors",
        command: "cargo test --locked --workspace --test rules vectors -- --nocapture",
        variables: &[],
        minutes: 15,
    },
    Step {
        name: "tests",
        command: "cargo test --locked --workspace --all-targets",
        variables: &[],
        minutes: 20,
    },
    Step {
        name: "types of the protocol",
        command: "node web/test/types.mjs --check",
        variables: &[],
        minutes: 3,
    },
    Step {
        name: "types of the client",
        command: "node web/test/node_modules/typescript/bin/tsc --noEmit -p web",
        variables: &[],
        minutes: 3,
    },
    Step {
        name: "tests of the client",
        command: "node --test web/test/unit/",
        variables: &[],
        minutes: 3,
    },
    // A container changes the network of the machine, and then browsers break off whatever they are loading:
    // not beside the browser tests.
    Step {
        name: "container",
        command: "cargo xtask container --quick",
        variables: &[],
        minutes: 5,
    },
];

/// What takes longest, and keeps one core busy.
const LONGEST: [Step; 1] = [Step {
    name: "browser tests",
    command: "node --test --test-concurrency=1 web/test/browser/",
    variables: &[],
    minutes: 32,
}];

/// What is done beside it.
const BESIDE: [Step; 9] = [
    Step {
        name: "behind proxies",
        command: "node --test web/test/hosting/proxies.test.js",
        variables: &[],
        minutes: 5,
    },
    Step {
        name: "crash drill",
        command: "target/debug/load drill",
        variables: &[("KILLS", "20")],
        minutes: 10,
    },
    Step {
        name: "hostile mix",
        command: "target/debug/load hostile",
        variables: &[("HOSTILE_SECONDS", "10")],
        minutes: 3,
    },
    Step {
        name: "answers",
        command: "target/debug/load answers --times 1000 --most-apart 1",
        variables: &[],
        minutes: 1,
    },
    Step {
        name: "fuzzing",
        command: "cargo test --locked --workspace --test rules fuzz -- --nocapture",
        variables: &[(FUZZ_SECONDS, "60")],
        minutes: 5,
    },
    Step {
        name: "fuzz target",
        command: "cargo check --locked --manifest-path crates/rules/fuzz/Cargo.toml --no-default-features",
        variables: &[],
        minutes: 5,
    },
    Step {
        name: "examples",
        command: "cargo test --locked --workspace --doc",
        variables: &[],
        minutes: 5,
    },
    Step {
        name: "documents",
        command: "cargo doc --locked --workspace --no-deps",
        variables: &[("RUSTDOCFLAGS", "-D warnings")],
        minutes: 5,
    },
    Step {
        name: "documents of all items",
        command: "cargo doc --locked --workspace --no-deps --document-private-items",
        variables: &[("RUSTDOCFLAGS", "-D warnings")],
        minutes: 5,
    },
];

/// Only the step that names it fuzzes for long; the others pass through the same test quickly.
const FUZZ_SECONDS: &str = "FUZZ_SECONDS";

/// The folder of the workspace.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder of the workspace")
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The variables of a longer run, with their values; empty for the usual run.
pub type Longer = Vec<(&'static str, String)>;

/// All checks.
pub fn all() -> impl Iterator<Item = &'static Step> {
    FIRST.iter().chain(&LONGEST).chain(&BESIDE)
}

/// Runs all checks.
///
/// # Errors
/// A sentence about each one that failed or was ended by that.
pub fn run(longer: &Longer) -> Result<(), String> {
    install::tools(root(), &target())?;
    let start = Instant::now();
    let row = Row {
        longer,
        has_failed: AtomicBool::new(false),
        times: Mutex::default(),
    };
    let outcome = row.run(&FIRST).and_then(|()| {
        thread::scope(|scope| {
            let beside = scope.spawn(|| row.run(&BESIDE));
            let longest = row.run(&LONGEST);
            let lost = |_| Err("A check was lost.".to_owned());
            match (longest, beside.join().unwrap_or_else(lost)) {
                (Err(one), Err(other)) => Err(format!("{one}\n{other}")),
                (longest, beside) => longest.and(beside),
            }
        })
    });

    println!("\nTime used:");
    for (name, time) in &*row.times() {
        println!("  {name:<24} {:>7}", seconds(*time));
    }
    println!("  {:<24} {:>7}", "in all", seconds(start.elapsed()));
    outcome
}

/// Checks that are run one after the other, perhaps beside others.
struct Row<'a> {
    longer: &'a Longer,
    /// Whether a check has failed, which ends all others.
    has_failed: AtomicBool,
    times: Mutex<Vec<(&'static str, Duration)>>,
}

impl Row<'_> {
    fn run(&self, steps: &'static [Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| {
            println!("\n=== {}: {}", step.name, step.command);
            let start = Instant::now();
            let outcome = step.run(self.longer, &self.has_failed);
            println!("=== {}: {}", step.name, seconds(start.elapsed()));
            self.times().push((step.name, start.elapsed()));
            if outcome.is_err() {
                self.has_failed.store(true, Ordering::Relaxed);
            }
            outcome
        })
    }

    fn times(&self) -> MutexGuard<'_, Vec<(&'static str, Duration)>> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Step {
    fn run(&self, longer: &Longer, has_failed: &AtomicBool) -> Result<(), String> {
        let name = self.name;
        // Who asks for a longer run decides himself when it has taken too long.
        let budget = longer.is_empty().then_some(self.minutes);
        let deadline = budget.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
        let mut child = self
            .command(longer)
            .spawn()
            .map_err(|error| format!("The check \"{name}\" could not be started: {error}."))?;
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(_)) => return Err(format!("The check \"{name}\" failed.")),
                Ok(None) => {}
                Err(error) => return Err(format!("The check \"{name}\" was lost: {error}.")),
            }
            if has_failed.load(Ordering::Relaxed) {
                family::end(&mut child);
                return Err(format!(
                    "The check \"{name}\" was ended: another has failed."
                ));
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                family::end(&mut child);
                let minutes = self.minutes;
                return Err(format!(
                    "The check \"{name}\" took longer than its time budget of {minutes} min and was ended."
                ));
            }
            sleep(Duration::from_millis(50));
        }
    }

    fn command(&self, longer: &Longer) -> Command {
        let root = root();
        let target = target();
        let mut words = self.command.split(' ');
        let first = words.next().expect("a command has a first word");
        let program = match first.strip_prefix("target/") {
            Some(built) => target.join(built),
            None => first.into(),
        };
        let mut command = Command::new(program);
        command.args(words).current_dir(root);
        // The fuzz crate is a workspace of its own, and shares what is built.
        command.env("CARGO_TARGET_DIR", target);

        let of_longer_run = |name| longer.iter().find(|(longer, _)| *longer == name);
        command.env_remove(FUZZ_SECONDS);
        for (name, value) in longer.iter().filter(|(name, _)| *name != FUZZ_SECONDS) {
            command.env(name, value);
        }
        for (name, usual) in self.variables {
            let value = of_longer_run(*name).map_or(*usual, |(_, value)| value);
            command.env(name, value);
        }
        command
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
