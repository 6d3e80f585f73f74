//! The arena at its command line.

use std::process::{Command, Output};

/// The example of an external program.
const PROGRAM: &str = concat!(
    "run:python3 ",
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/bots/lines.py"
);

fn arena(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.arg("match").args(words);
    command.output().unwrap()
}

/// The printed results of each player, without the times.
fn results(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().skip(2);
    let untimed = lines.map(|line| line.split_once('%').unwrap().0.to_owned());
    untimed.collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for game in ["sticheln", "nyet"] {
        let play = |threads| {
            let words = ["--game", game, "--deals", "4", "--threads", threads];
            let output = arena(&[&words[..], &["expert:100", "normal", "random"]].concat());
            assert!(output.status.success(), "{output:?}");
            results(&output)
        };
        let single = play("1");
        assert_eq!(single.len(), 3, "{single:?}");
        assert_eq!(play("2"), single);
    }
}

#[test]
fn an_external_program_plays_both_games() {
    for (game, seats) in [("sticheln", "3"), ("nyet", "5")] {
        let output = arena(&[
            "--game", game, "--seats", seats, "--deals", "2", PROGRAM, "normal",
        ]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(results(&output).len(), 2);
    }
}

#[test]
fn a_violation_by_a_program_is_reported() {
    for (program, expected) in [
        ("run:cat", "cat has answered"),
        ("run:true", "true does not"),
        ("run:no-such-program", "no-such-program: "),
    ] {
        let output = arena(&["--deals", "2", program, "normal"]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(errors.contains(expected), "{errors}");
    }
}

#[test]
fn a_violation_ends_the_match_on_all_threads() {
    // The number of deals would take many hours.
    let output = arena(&[
        "--deals",
        "100000000",
        "--threads",
        "2",
        "run:true",
        "normal",
    ]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(errors.contains("true does not"), "{errors}");
}

#[test]
fn inconsistent_arguments_are_refused() {
    let end = r#"{"end": {"type": "rounds", "rounds": 3}}"#;
    for (words, expected) in [
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
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(errors.contains(expected), "{errors}");
    }
}
