//! The table of settings in `docs/hosting.md` agrees with the program.
//!
//! `UPDATE_SETTINGS=1 cargo test -p sticheln-server --test repository settings` updates it.

use clap::{Arg, CommandFactory};
use sticheln_server::settings::Cli;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hosting.md");
const BEGIN: &str = "<!-- settings -->\n";
const END: &str = "<!-- end -->\n";

/// A setting as a row of the table.
fn row(setting: &Arg) -> String {
    let flag = setting.get_long().unwrap();
    let variable = setting.get_env().unwrap().to_str().unwrap();
    let defaults: Vec<_> = setting.get_default_values().iter().collect();
    let default = match defaults[..] {
        [] => "none".to_owned(),
        [default] => format!("`{}`", default.to_str().unwrap()),
        _ => panic!("--{flag} has several defaults"),
    };
    let meaning = setting.get_help().unwrap().to_string();
    let ends = if meaning.ends_with(['.', '?']) {
        ""
    } else {
        "."
    };
    let choices = setting.get_possible_values();
    let choices: Vec<_> = choices
        .iter()
        .map(|choice| format!("`{}`", choice.get_name()))
        .collect();
    let choices = match choices[..] {
        [] => String::new(),
        _ => format!(" One of {}.", choices.join(", ")),
    };
    format!("| `--{flag}` | `{variable}` | {default} | {meaning}{ends}{choices} |\n")
}

fn table() -> String {
    let line = Cli::command();
    let is_setting = |setting: &&Arg| setting.get_env().is_some();
    let (limits, others): (Vec<_>, Vec<_>) = line
        .get_arguments()
        .filter(is_setting)
        .partition(|setting| setting.get_help_heading() == Some("Limits"));
    let mut table = String::new();
    for (title, settings) in [("What most people need", others), ("Limits", limits)] {
        table += &format!(
            "### {title}\n\n| flag | variable | default | meaning |\n| --- | --- | --- | --- |\n"
        );
        table.extend(settings.into_iter().map(row));
        table += "\n";
    }
    table
}

#[test]
fn the_table_of_settings_is_current() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has the table");
    let (_, after) = rest.split_once(END).expect("the table has an end");
    let current = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("UPDATE_SETTINGS").is_some() {
        std::fs::write(PAGE, current).unwrap();
        return;
    }
    assert!(
        page == current,
        "{PAGE} is not current: UPDATE_SETTINGS=1 updates it"
    );
}

/// Containers are configured by variables only.
#[test]
fn every_flag_has_a_variable() {
    for setting in Cli::command().get_arguments() {
        let flag = setting.get_long().unwrap();
        if !["help", "version"].contains(&flag) {
            let variable = format!("STICHELN_{}", flag.to_uppercase().replace('-', "_"));
            assert_eq!(setting.get_env().unwrap().to_str(), Some(variable.as_str()));
        }
    }
}
