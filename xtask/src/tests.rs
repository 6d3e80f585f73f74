//! The selection of checks by options, and the environment variables that they get.

#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;

use super::{Check, Selection, checks, folders, purpose, runner};

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
fn every_need_is_a_check_of_the_list() {
    let all = all();
    let needs = all.iter().flat_map(|check| check.needs);
    for need in needs {
        assert!(names(&all).contains(need), "{need}");
    }
}

#[test]
fn a_selection_includes_all_needs() {
    let all = all();
    let format = only("format").select(&all).unwrap();
    assert_eq!(names(&format), ["format"]);
    let types = only("client-types").select(&all).unwrap();
    let needed = ["install-packages", "install-npm", "client-types"];
    assert_eq!(names(&types), needed);
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
fn a_run_can_start_at_every_entry_of_the_list() {
    let all = all();
    for check in &all {
        let selected = from(&check.name).select(&all).unwrap();
        assert!(names(&selected).contains(&check.name.as_str()));
    }
    let quick = from("tests-quick").select(&all).unwrap();
    assert!(names(&quick).contains(&"doc-tests"));
    assert!(!names(&quick).contains(&"tests"));
    // The full list has a larger check that contains this one.
    let tests = from("tests").select(&all).unwrap();
    assert!(!names(&tests).contains(&"tests-quick"));
}

#[test]
fn the_list_tells_preparations_from_checks() {
    let all = all();
    let of = |name: &str| {
        let check = all.iter().find(|check| check.name == name);
        purpose(check.unwrap())
    };
    assert_eq!(of("build"), "preparation");
    assert_eq!(of("install-npm"), "preparation");
    assert_eq!(of("tests"), "test");
    assert_eq!(of("tests-quick"), "check");
    assert_eq!(of("format"), "test, check");
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
        ..only("crash-drill")
    };
    assert!(unread.select(&all).is_err());
}
