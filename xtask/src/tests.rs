//! The selection of checks by options, and the environment variables that they get.

#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};

use clap::Parser;

use super::{Check, Cli, Selection, checks, folders, runner, suite_column, variables, write_list};

fn all() -> Vec<Check> {
    checks::all(&folders().root).unwrap()
}

fn names(selected: &[Check]) -> Vec<&str> {
    selected.iter().map(|check| check.name.as_str()).collect()
}

fn only(name: &str) -> Selection {
    Selection {
        only: vec![name.to_owned()],
        ..Selection::default()
    }
}

fn from(name: &str) -> Selection {
    Selection {
        from: Some(name.to_owned()),
        ..Selection::default()
    }
}

#[test]
fn every_dependency_is_a_check_of_the_list() {
    let all = all();
    let dependencies = all.iter().flat_map(|check| check.depends_on);
    for dependency in dependencies {
        assert!(names(&all).contains(dependency), "{dependency}");
    }
}

#[test]
fn a_selection_includes_all_dependencies() {
    let all = all();
    let format = only("format").select(&all).unwrap();
    assert_eq!(names(&format), ["format"]);
    let types = only("page-types").select(&all).unwrap();
    let with_dependencies = ["install-packages", "install-npm", "page-types"];
    assert_eq!(names(&types), with_dependencies);
    let proxies = from("proxies").select(&all).unwrap();
    assert!(names(&proxies).contains(&"build"));
    assert!(names(&proxies).contains(&"proxies"));
    assert!(!names(&proxies).contains(&"container"));
}

#[test]
fn an_unknown_name_is_an_error() {
    let all = all();
    assert!(only("no-such-check").select(&all).is_err());
    assert!(from("no-such-check").select(&all).is_err());
    assert!(only("tests-quick").select(&all).is_ok());
}

#[test]
fn checks_call_this_program_with_valid_arguments() {
    let all = all();
    let own = all
        .iter()
        .filter(|check| check.command.starts_with("xtask "));
    let own: Vec<_> = own.collect();
    assert!(!own.is_empty());
    for check in own {
        let command = runner::command(&folders(), check, &Vec::new());
        let arguments = [OsStr::new("xtask")].into_iter().chain(command.get_args());
        let parsed = Cli::try_parse_from(arguments);
        assert!(parsed.is_ok(), "{}: {parsed:?}", check.name);
    }
}

#[test]
fn a_run_can_start_at_every_entry_of_the_list() {
    let all = all();
    for check in &all {
        let selected = from(&check.name).select(&all).unwrap();
        assert!(names(&selected).contains(&check.name.as_str()));
    }
    let quick = from("tests-quick").select(&all).unwrap();
    assert!(names(&quick).contains(&"doc-tests"));
    assert!(!names(&quick).contains(&"tests"));
    // `cargo xtask test` has a larger check that contains this one.
    let tests = from("tests").select(&all).unwrap();
    assert!(!names(&tests).contains(&"tests-quick"));
}

#[test]
fn the_list_tells_preparations_from_checks() {
    let all = all();
    let of = |name: &str| {
        let check = all.iter().find(|check| check.name == name);
        suite_column(check.unwrap())
    };
    assert_eq!(of("build"), "preparation");
    assert_eq!(of("install-npm"), "preparation");
    assert_eq!(of("tests"), "test");
    assert_eq!(of("tests-quick"), "check");
    assert_eq!(of("format"), "test, check");
}

/// A pipe that fails with this error.
struct FailingPipe(ErrorKind);

impl Write for FailingPipe {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_list_whose_reader_has_ended_is_no_error() {
    let all = all();
    let mut lines = Vec::new();
    write_list(&all, &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), 2 * all.len());
    let closed = write_list(&all, &mut FailingPipe(ErrorKind::BrokenPipe));
    assert!(closed.is_ok(), "{closed:?}");
    assert!(write_list(&all, &mut FailingPipe(ErrorKind::StorageFull)).is_err());
}

#[test]
fn only_checks_that_declare_a_variable_get_it() {
    let all = all();
    let selection = Selection {
        games: Some(7),
        ..Selection::default()
    };
    let selected = selection.select(&all).unwrap();
    let gets_games = |check: &&Check| {
        let command = runner::command(&folders(), check, &selection.overrides());
        let mut variables = command.get_envs();
        variables.any(|(name, value)| name == "GAMES" && value == Some(OsStr::new("7")))
    };
    let got: Vec<_> = selected.iter().filter(gets_games).collect();
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].name, "tests");

    let unread = Selection {
        games: Some(7),
        ..only("crash-recovery")
    };
    let error = unread.select(&all).unwrap_err();
    assert_eq!(error.to_string(), "No selected check uses `--games`.");
}

#[test]
fn the_variables_of_tests_are_known() {
    for name in [
        "GAMES",
        "SEEDS",
        "KILLS",
        "SCENES",
        "UPDATE_HELP",
        "UPDATE_COST",
        "NEXTEST_RETRIES",
        "NODE_OPTIONS",
    ] {
        assert!(variables::is_variable_of_tests(name), "{name}");
    }
    for name in ["PATH", "HOME", "CARGO_TARGET_DIR", "RUSTC"] {
        assert!(!variables::is_variable_of_tests(name), "{name}");
    }
}

#[test]
fn every_check_has_a_description_of_one_sentence() {
    for check in all() {
        let description = &check.description;
        let is_sentence = description.starts_with(char::is_alphanumeric)
            && description.ends_with('.')
            && description.len() <= 110;
        assert!(is_sentence, "{}: {description:?}", check.name);
    }
}
