//! The arena as people use it.

use std::process::{Command, Output};

/// The example of a program that plays for a seat.
const LINES: &str = concat!(
    "run:python3 ",
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/bots/lines.py"
);

fn arena(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.arg("match").args(words);
    command.output().unwrap()
}

/// What it tells of each player, without the times.
fn results(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().skip(2);
    let untimed = lines.map(|line| line.split_once('%').unwrap().0.to_owned());
    untimed.collect()
}

#[test]
fn the_same_words_give_the_same_games_on_however_many_threads() {
    for game in ["sticheln", "nyet"] {
        let play = |threads| {
            let words = ["--game", game, "--deals", "4", "--threads", threads];
            let output = arena(&[&words[..], &["expert:100", "normal", "random"]].concat());
            assert!(output.status.success(), "{output:?}");
            results(&output)
        };
        let alone = play("1");
        assert_eq!(alone.len(), 3, "{alone:?}");
        assert_eq!(play("2"), alone);
    }
}

#[test]
fn a_program_from_outside_plays_both_games() {
    for (game, seats) in [("sticheln", "3"), ("nyet", "5")] {
        let output = arena(&[
            "--game", game, "--seats", seats, "--deals", "2", LINES, "normal",
        ]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(results(&output).len(), 2);
    }
}

#[test]
fn a_program_that_breaks_the_protocol_is_named() {
    for (program, complaint) in [
        ("run:cat", "cat has answered"),
        ("run:true", "true does not"),
        ("run:no-such-program", "no-such-program: "),
    ] {
        let output = arena(&["--deals", "2", program, "normal"]);
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(complaints.contains(complaint), "{complaints}");
    }
}

#[test]
fn a_program_ends_the_match_on_all_threads() {
    // All deals would take many hours.
    let output = arena(&[
        "--deals",
        "100000000",
        "--threads",
        "2",
        "run:true",
        "normal",
    ]);
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(complaints.contains("true does not"), "{complaints}");
}

#[test]
fn terms_that_do_not_go_together_are_refused_in_words() {
    let end = r#"{"end": {"type": "rounds", "rounds": 3}}"#;
    for (words, complaint) in [
        (["--seats", "0"], "sticheln is not played with 0 seats"),
        (
            ["--seats", "99999999999"],
            "is not played with 99999999999 seats",
        ),
        (["--game", "poker"], "the games are: sticheln, nyet"),
        (["--options", end], "leave out `end`"),
        (["--options", "[]"], "Options are an object"),
        (["--deals", "1"], "1 is not in 2.."),
    ] {
        let output = arena(&[&words[..], &["normal"]].concat());
        let complaints = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(complaints.contains(complaint), "{complaints}");
    }
}
