//! The command `verify`: it checks the record of a game.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::common::folder::Folder;
use crate::process::PROGRAM;

/// The example of `docs/record.md`, which is valid.
fn example() -> &'static str {
    let page = include_str!("../../../../docs/record.md");
    let (_, rest) = page.split_once("```json\n").unwrap();
    rest.split_once("```").unwrap().0
}

fn printed(output: &Output) -> (Option<i32>, &str, &str) {
    let output_text = std::str::from_utf8(&output.stdout).unwrap();
    let errors = std::str::from_utf8(&output.stderr).unwrap();
    (output.status.code(), output_text, errors)
}

fn verify(file: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["verify", file]).output().unwrap()
}

#[test]
fn the_exit_code_tells_right_wrong_and_unreadable_records_apart() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path()).unwrap();
    let path = folder.path().join("game.json");
    let file = path.to_str().unwrap();

    fs::write(&path, example()).unwrap();
    let output = verify(file);
    let (code, text, errors) = printed(&output);
    assert_eq!((code, errors), (Some(0), ""), "{text}");
    assert!(
        text.starts_with("The record is valid: a game of sticheln with 3 seats.\n"),
        "{text}"
    );

    let wrong = example().replace(r#""ranks": [3, 2, 1]"#, r#""ranks": [1, 2, 3]"#);
    fs::write(&path, wrong).unwrap();
    let output = verify(file);
    let (code, text, errors) = printed(&output);
    assert_eq!((code, errors), (Some(1), ""), "{text}");
    assert!(
        text.contains(
            "\nGame: the standings are not those of the last totals.\nFailed check: standings.\n"
        ),
        "{text}"
    );

    for text in ["", "{}", &example().replace("record/1", "record/2")] {
        fs::write(&path, text).unwrap();
        let output = verify(file);
        let (code, text, errors) = printed(&output);
        assert_eq!((code, text), (Some(2), ""), "{errors}");
        assert!(
            errors.starts_with("This is no record: ") && errors.ends_with(".\n"),
            "{errors}"
        );
    }
    // A name of a field cannot look like the line of a valid record, and changes no terminal.
    let field = r#""seats": 3, "\u001b[2J\nThe record is valid": 1"#;
    fs::write(&path, example().replacen(r#""seats": 3"#, field, 1)).unwrap();
    let output = verify(file);
    let (code, _, errors) = printed(&output);
    assert_eq!((code, errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(!errors.contains('\u{1b}'), "{errors}");
    let missing = folder.path().join("missing.json");
    let output = verify(missing.to_str().unwrap());
    let (code, _, errors) = printed(&output);
    assert_eq!(code, Some(2));
    assert!(errors.starts_with("The file cannot be read: "), "{errors}");
    // A file without an end is read up to the limit.
    assert!(File::open("/dev/zero").is_ok());
    let output = verify("/dev/zero");
    let (code, _, errors) = printed(&output);
    assert!(code == Some(2) && errors.contains("bytes"), "{errors}");
}

#[test]
fn a_dash_means_the_standard_input() {
    let mut command = Command::new(PROGRAM);
    command
        .args(["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut program = command.spawn().unwrap();
    let mut input = program.stdin.take().unwrap();
    input.write_all(example().as_bytes()).unwrap();
    drop(input);
    let output = program.wait_with_output().unwrap();
    let (code, text, _) = printed(&output);
    assert_eq!(code, Some(0), "{text}");
}
