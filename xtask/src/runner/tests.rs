//! Tests of the runner with small shell scripts in a temporary folder.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Folders, Overrides, Run};
use crate::check::{Check, Kind, Resource, Results, plain_check};
use crate::report::{self, CheckCounts, Report};

/// A folder in which a test runs checks. It is removed at the end of the test.
struct Workspace(Folders);

impl Workspace {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = env::temp_dir().join(format!("xtask-{}-{count}", process::id()));
        let state_folder = root.join("state");
        fs::create_dir_all(&state_folder).unwrap();
        Self(Folders {
            target: root.join("target"),
            state_folder,
            root,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.root.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A check that runs this shell script.
    fn script(&self, name: &str, script: &str) -> Check {
        self.write(&format!("{name}.sh"), script);
        plain_check(name, "", &format!("sh {name}.sh"))
    }

    fn run(&self, checks: Vec<Check>) -> CheckCounts {
        self.summary(checks, &Overrides::new()).0
    }

    /// Runs checks with these numbers, and returns the summary too.
    fn summary(&self, checks: Vec<Check>, overrides: &Overrides) -> (CheckCounts, String) {
        let mut report = Report::new(self.0.state_folder.clone(), checks.len(), overrides);
        let run = Run::new(&self.0, overrides, true);
        run.run(checks, &mut report).unwrap();
        let mut summary = Vec::new();
        let counts = report.summarize(None, &mut summary).unwrap();
        (counts, String::from_utf8(summary).unwrap())
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // If this fails, the folder stays among the temporary files of the system.
        let _ = fs::remove_dir_all(&self.0.root);
    }
}

fn counts(passed: usize, failed: usize, skipped: usize) -> CheckCounts {
    CheckCounts {
        passed,
        failed,
        skipped,
    }
}

#[test]
fn outcomes_are_counted_and_a_failure_stops_only_its_dependents() {
    let workspace = Workspace::new();
    let dependent = Check {
        depends_on: &["fails"],
        ..workspace.script("dependent", "touch dependent-ran")
    };
    let counted = workspace.run(vec![
        workspace.script("fails", "exit 3"),
        dependent,
        workspace.script("passes", "exit 0"),
        workspace.script("cannot-run", "echo 'skipped: no such disk'"),
        workspace.script(
            "fails-beside-a-skip",
            "echo 'skipped: no such disk'; exit 1",
        ),
    ]);
    assert_eq!(counted, counts(1, 2, 1));
    assert!(!workspace.path("dependent-ran").exists());
}

#[test]
fn a_program_that_cannot_be_started_fails_only_its_check() {
    let workspace = Workspace::new();
    let counted = workspace.run(vec![
        plain_check("missing", "", "no-such-program-of-xtask --option"),
        Check {
            depends_on: &["missing"],
            ..workspace.script("dependent", "touch dependent-ran")
        },
        workspace.script("passes", "exit 0"),
    ]);
    assert_eq!(counted, counts(1, 1, 0));
    assert!(!workspace.path("dependent-ran").exists());
}

#[test]
fn results_of_single_tests_are_parsed() {
    let workspace = Workspace::new();
    let junit = |name: &str, script: &str| Check {
        results: Results::Nextest,
        ..workspace.script(name, &format!("mkdir -p target/nextest/default\n{script}"))
    };
    let file = "target/nextest/default/junit.xml";
    let write = |cases: &str| {
        format!("echo '<testsuites><testsuite>{cases}</testsuite></testsuites>' > {file}")
    };
    let cases = "<testcase name=\"a\" time=\"0.5\"/>\
        <testcase name=\"b\"><failure/></testcase>\
        <testcase name=\"c\"><skipped message=\"no disk\"/></testcase>\
        <testcase name=\"d\"><system-out>one\nskipped: no disk\n</system-out></testcase>";
    let mixed = junit("mixed", &format!("{}; exit 1", write(cases)));
    assert_eq!(workspace.run(vec![mixed]), counts(1, 1, 2));

    // A test runner that exits with an error has failed, even if all its tests have passed.
    let passed = write("<testcase name=\"a\"/>");
    let broken = junit("broken", &format!("{passed}; exit 1"));
    assert_eq!(workspace.run(vec![broken]), counts(1, 1, 0));

    // A failed test fails its check, even if the test runner exits with success.
    let lenient = write("<testcase name=\"a\"/><testcase name=\"b\"><failure/></testcase>");
    let (counted, summary) = workspace.summary(vec![junit("lenient", &lenient)], &Overrides::new());
    assert_eq!(counted, counts(1, 1, 0));
    assert!(summary.contains("repeat with: cargo xtask test --only lenient"));

    // The results of an earlier run do not count, and a command without tests fails.
    let silent = junit("silent", "exit 0");
    assert_eq!(workspace.run(vec![silent]), counts(0, 1, 0));
    let empty = junit("empty", &write(""));
    assert_eq!(workspace.run(vec![empty]), counts(0, 1, 0));
    // Node.js counts a file without tests and a `describe` without tests as tests.
    let file_alone = write("<testcase name=\"/page/lobby.test.js\"/><testcase name=\"a\"/>");
    let suite_alone = write("<testcase name=\"suite\"/><!-- suites 2 -->");
    for (name, script) in [("file-alone", file_alone), ("suite-alone", suite_alone)] {
        assert_eq!(workspace.run(vec![junit(name, &script)]), counts(0, 1, 0));
    }
    let suite = write("<testcase name=\"a\"/><!-- suites 1 -->");
    assert_eq!(workspace.run(vec![junit("suite", &suite)]), counts(1, 0, 0));
}

#[test]
fn a_command_without_a_test_fails() {
    let workspace = Workspace::new();
    let libtest = |name: &str, results: &str| Check {
        results: Results::Libtest,
        ..workspace.script(name, &format!("printf '{results}'"))
    };
    let none = "test result: ok. 0 passed; 0 failed; 0 ignored\\n";
    let some = "test a ... ok\\n\\ntest result: ok. 12 passed; 0 failed\\n";
    let counted = workspace.run(vec![
        libtest("none", &format!("{none}{none}")),
        libtest("some", &format!("{none}{some}")),
    ]);
    assert_eq!(counted, counts(1, 1, 0));
}

#[test]
fn a_check_that_may_skip_its_tests_has_results_or_a_reason() {
    let workspace = Workspace::new();
    // The script gets the arguments `--results FILE`.
    let check = |name: &str, script: &str| Check {
        results: Results::NodeOrSkipped,
        ..workspace.script(name, script)
    };
    let write = "echo '<testsuites><testcase name=\"a\"/><testcase name=\"b\"/></testsuites>' > $2";
    let run = |name: &str, script: &str| workspace.run(vec![check(name, script)]);
    assert_eq!(run("passes", write), counts(2, 0, 0));
    assert_eq!(run("fails", &format!("{write}; exit 1")), counts(2, 1, 0));
    assert_eq!(run("skips", "echo 'skipped: no disk'"), counts(0, 0, 1));
    let fails_before = "echo 'skipped: no disk'; exit 1";
    assert_eq!(run("fails-before", fails_before), counts(0, 1, 0));
    assert_eq!(run("silent", "exit 0"), counts(0, 1, 0));
    assert_eq!(
        run("empty", "echo 'skipped: no disk'; echo > $2"),
        counts(0, 1, 0)
    );
}

#[test]
fn the_summary_names_checks_that_are_not_run_and_the_commands_that_repeat_failed_ones() {
    let workspace = Workspace::new();
    let fails = Check {
        overridable_variables: &["KILLS"],
        ..workspace.script("fails", "exit 1")
    };
    let dependent = Check {
        depends_on: &["fails"],
        ..workspace.script("dependent", "exit 0")
    };
    let overrides = vec![("KILLS", "500".to_owned()), ("GAMES", "7".to_owned())];
    let (_, summary) = workspace.summary(vec![fails, dependent], &overrides);
    let lines: Vec<_> = summary.lines().collect();
    assert!(lines.contains(&"    repeat with: cargo xtask test --only fails --kills 500"));
    assert!(lines.contains(&"Not run because a dependency failed: dependent"));
    assert_eq!(lines.last(), Some(&"0 passed, 1 failed, 0 skipped"));
    assert_eq!(report::failed_checks(&workspace.0.state_folder), ["fails"]);
}

#[test]
fn overrides_replace_the_numbers_and_the_time_limit() {
    let workspace = Workspace::new();
    let check = Check {
        variables: vec![("KILLS", "20".to_owned())],
        overridable_variables: &["KILLS"],
        results: Results::Nextest,
        ..workspace.script(
            "kills",
            "mkdir -p target/nextest/$NEXTEST_PROFILE
            echo \"$KILLS $NEXTEST_PROFILE\" >> log
            echo '<testcase name=\"kills\"/>' > target/nextest/$NEXTEST_PROFILE/junit.xml",
        )
    };
    let longer = vec![("KILLS", "500".to_owned())];
    for overrides in [Overrides::new(), longer] {
        let mut report = Report::new(workspace.0.state_folder.clone(), 1, &overrides);
        let run = Run::new(&workspace.0, &overrides, true);
        assert_eq!(run.time_limit().is_some(), overrides.is_empty());
        run.run(vec![check.clone()], &mut report).unwrap();
        let counted = report.summarize(None, &mut Vec::new()).unwrap();
        assert_eq!(counted, counts(1, 0, 0));
    }
    assert_eq!(workspace.lines("log"), ["20 default", "500 longer"]);
}

#[test]
fn a_check_runs_again_only_when_its_inputs_have_changed() {
    let workspace = Workspace::new();
    let check = || Check {
        inputs: &["input"],
        ..workspace.script("check", "echo ran >> runs; grep -q good input")
    };
    workspace.write("input", "good");
    for runs in [1, 1] {
        workspace.run(vec![check()]);
        assert_eq!(workspace.lines("runs").len(), runs);
    }
    workspace.write("input", "bad, and longer");
    for runs in [2, 3] {
        assert_eq!(workspace.run(vec![check()]), counts(0, 1, 0));
        assert_eq!(workspace.lines("runs").len(), runs);
    }
}

#[test]
fn a_pass_with_other_numbers_does_not_count() {
    let workspace = Workspace::new();
    let check = || Check {
        inputs: &["input"],
        overridable_variables: &["SEEDS"],
        ..workspace.script("check", "echo ran >> runs")
    };
    workspace.write("input", "input");
    workspace.run(vec![check()]);
    workspace.summary(vec![check()], &vec![("SEEDS", "1".to_owned())]);
    workspace.run(vec![check()]);
    assert_eq!(workspace.lines("runs").len(), 3);
}

/// Whether a check that uses one resource can start while a check that uses another one runs.
fn can_start_beside(resource: Resource, running: Resource) -> bool {
    let check = |resource| Check {
        resource,
        ..plain_check("check", "", "true")
    };
    super::is_ready(&check(resource), &BTreeSet::new(), &[&check(running)], 2)
}

#[test]
fn checks_that_compile_run_one_at_a_time() {
    assert!(!can_start_beside(
        Resource::CargoTarget,
        Resource::CargoTarget
    ));
    for other in [
        Resource::None,
        Resource::StableNetwork,
        Resource::ChangingNetwork,
    ] {
        assert!(can_start_beside(Resource::CargoTarget, other), "{other:?}");
        assert!(can_start_beside(other, Resource::CargoTarget), "{other:?}");
    }
}

#[test]
fn the_network_does_not_change_during_a_browser_test() {
    let (stable, changing) = (Resource::StableNetwork, Resource::ChangingNetwork);
    assert!(!can_start_beside(stable, changing));
    assert!(!can_start_beside(changing, stable));
    assert!(can_start_beside(stable, stable));
}

#[test]
fn a_check_waits_for_a_slot_and_an_installation_does_not() {
    let check = plain_check("check", "", "true");
    let installation = Check {
        kind: Kind::Installation,
        ..check.clone()
    };
    let can_start_beside =
        |check: &Check, running: &Check| super::is_ready(check, &BTreeSet::new(), &[running], 1);
    assert!(!can_start_beside(&check, &check));
    assert!(can_start_beside(&check, &installation));
    assert!(can_start_beside(&installation, &check));
}

#[test]
fn a_check_waits_for_a_running_one_that_excludes_it() {
    let workspace = Workspace::new();
    let made = process::Command::new("mkfifo")
        .arg(workspace.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let compiles = |name: &str, script: &str| Check {
        resource: Resource::CargoTarget,
        ..workspace.script(name, script)
    };
    // The first check waits for the installation. Checks that compile start before it, so without the exclusion the
    // output of the second one would exist by then.
    let checks = vec![
        compiles(
            "first",
            "read line < pipe; test ! -e state/output/second.txt",
        ),
        compiles("second", "exit 0"),
        Check {
            kind: Kind::Installation,
            ..workspace.script("installation", "echo go > pipe")
        },
    ];
    assert_eq!(workspace.run(checks), counts(2, 0, 0));
}

#[test]
fn the_output_of_a_check_is_written_to_a_file() {
    let workspace = Workspace::new();
    workspace.run(vec![workspace.script("loud", "echo out; echo err >&2")]);
    let output = super::output_file(Path::new(&workspace.0.state_folder), "loud");
    assert_eq!(fs::read_to_string(output).unwrap(), "out\nerr\n");
}
