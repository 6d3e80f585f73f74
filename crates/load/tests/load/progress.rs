//! Standard error shows the progress of a run.

use std::process::Command;

use crate::compare::{LOAD, built};

#[test]
fn a_pipe_gets_a_line_for_each_tenth_of_the_requests() {
    let mut command = Command::new(LOAD);
    command.args(["timing", "--requests", "105", "--server"]);
    let output = command.arg(built("sticheln")).output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stderr).unwrap();
    let expected = [11, 21, 32, 42, 53, 63, 74, 84, 95, 105];
    let expected = expected.map(|done| format!("{done} of 105 requests for each code ..."));
    assert_eq!(lines.lines().collect::<Vec<_>>(), expected);
}
