//! A check: a command with what the runner needs to know about it.

/// A command of the list, with what the runner needs to know about it.
#[derive(Clone, Debug)]
pub struct Check {
    /// The name that selects the check on the command line.
    pub name: String,
    /// The purpose of the command, in one sentence for `cargo xtask test --list`.
    pub description: String,
    /// The command line; its arguments are separated by single spaces. `target/` at its beginning is cargo's target
    /// directory, and `xtask` is this program.
    pub command: String,
    /// Environment variables of the command.
    pub variables: Vec<(&'static str, String)>,
    /// The environment variables that options of `cargo xtask test` set for this command. Other checks do not get them:
    /// a test in a browser reads `GAMES` too.
    pub overridable_variables: &'static [&'static str],
    /// The source of the results of single tests.
    pub results: Results,
    /// The names of the checks and preparations that must have passed before this one starts.
    pub depends_on: &'static [&'static str],
    /// The resource that it shares with other checks.
    pub resource: Resource,
    /// The expected duration in seconds, on two cores with everything built. A measured duration replaces it.
    pub seconds: u64,
    /// Files and folders on which the result depends. `cargo xtask check` skips a check that has passed since
    /// they last changed.
    pub inputs: &'static [&'static str],
    /// Whether `test`, `check` or both include it.
    pub suite: Suite,
    /// Whether the command prepares something or checks the project.
    pub kind: Kind,
}

/// Whether a command of the list prepares something or checks the project.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// It installs programs and packages for the checks. It is not counted as a check, and takes no slot of the runner
    /// because it mostly waits for the network.
    Installation,
    /// It builds the programs and tests that the checks run. It is not counted as a check.
    Build,
    /// It checks the project.
    Check,
}

/// The commands that include a check when no checks are named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Suite {
    /// `cargo xtask test`.
    Full,
    /// `cargo xtask check` alone. `cargo xtask test` has a larger check that contains it.
    Quick,
    /// Both.
    Both,
}

/// The source of the results of single tests.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Results {
    /// The command is one test: it passes if the command exits with 0.
    ExitStatus,
    /// The command is `cargo test`: it passes if it exits with 0 and has run at least one test.
    Libtest,
    /// cargo-nextest writes a JUnit file.
    Nextest,
    /// The command is the test runner of Node.js, which writes a JUnit file.
    Node,
    /// The command is this program, which runs the test runner of Node.js. It gets the path of the JUnit file by the
    /// option `--results`, and writes none if it prints `skipped: REASON`.
    NodeOrSkipped,
}

/// A resource that not all checks can use at the same time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Resource {
    /// None.
    None,
    /// Cargo's target directory. One command uses it at a time.
    CargoTarget,
    /// The network interfaces, which must not change. A browser aborts its requests when they do.
    StableNetwork,
    /// The network interfaces, which the check changes. It never runs beside [`Resource::StableNetwork`].
    ChangingNetwork,
}

/// A check that runs this command, with defaults for the rest.
pub fn plain_check(name: &str, description: &str, command: &str) -> Check {
    Check {
        name: name.to_owned(),
        description: description.to_owned(),
        command: command.to_owned(),
        variables: Vec::new(),
        overridable_variables: &[],
        results: Results::ExitStatus,
        depends_on: &[],
        resource: Resource::None,
        seconds: 1,
        inputs: &[],
        suite: Suite::Full,
        kind: Kind::Check,
    }
}
