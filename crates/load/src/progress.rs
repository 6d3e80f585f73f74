//! The progress of a run on standard error: a bar on a terminal, lines of text elsewhere.

use std::fmt::Display;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// The interval at which the bar is drawn.
const TICK: Duration = Duration::from_millis(200);
/// The number of reports of counted steps without a terminal.
const REPORTS: u64 = 10;

/// The progress of a run. The bar disappears when the value is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    /// Hidden if standard error is no terminal.
    bar: ProgressBar,
    steps: u64,
    /// The number of steps that have begun, or that are done if they are counted.
    position: u64,
}

impl Progress {
    /// The progress of a run with this number of steps.
    pub(crate) fn new(steps: usize) -> Self {
        let steps = steps as u64;
        let bar = ProgressBar::new(steps);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}");
        bar.set_style(style.expect("the template is valid"));
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Self {
            bar,
            steps,
            position: 0,
        }
    }

    /// Begins a step with this name. The step before it is done.
    pub(crate) fn begin(&mut self, name: impl Display) {
        self.bar.set_position(self.position);
        self.position += 1;
        match self.bar.is_hidden() {
            true => eprintln!("{} of {}: {name} ...", self.position, self.steps),
            false => self.bar.set_message(name.to_string()),
        }
    }

    /// Counts another step as done. `unit` is the word for steps.
    pub(crate) fn count(&mut self, unit: &'static str) {
        self.position += 1;
        let reports = |position: u64| position * REPORTS / self.steps.max(1);
        match self.bar.is_hidden() {
            true if reports(self.position) == reports(self.position - 1) => {}
            true => eprintln!("{} of {} {unit} ...", self.position, self.steps),
            false => {
                self.bar.set_message(unit);
                self.bar.set_position(self.position);
            }
        }
    }

    /// Prints a line, above the bar if there is one.
    pub(crate) fn print(&self, line: impl Display) {
        self.bar.suspend(|| eprintln!("{line}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
