//! The results as a table in Markdown and as JSON.

use std::{fmt, fs, io};

use serde::Serialize;

use super::closed_loop::Sample;
use super::figures::{Bound, Figure, Target, figures};
use super::idle::IdleSample;
use super::rates::RateSample;
use super::start::StartSample;
use super::system_calls::SystemCalls;
use super::{CompareSettings, SEATS, ServerKind};
use crate::Failure;
use crate::number_text::decimal;
use crate::process::{command_line, cpu_name};

/// The text in a cell without a value.
const NO_VALUE: &str = "–";
/// The share of a core from which the load generator limits a server, in percent.
const LIMITING_SHARE: f64 = 90.0;

/// The results. Their text is a table in Markdown; serialised they are the measurements of each repetition.
#[derive(Debug, Serialize)]
pub struct CompareReport {
    pub(super) command: String,
    pub(super) processor: String,
    pub(super) settings: CompareSettings,
    pub(super) samples: Vec<Sample>,
    /// The samples of a single room.
    pub(super) single_room: Vec<Sample>,
    /// A server is missing if its calls could not be counted.
    pub(super) system_calls: Vec<SystemCalls>,
    pub(super) starts: Vec<StartSample>,
    /// Empty if idle rooms were not measured.
    pub(super) idle: Vec<IdleSample>,
    /// Empty if fixed rates were not measured.
    pub(super) rates: Vec<RateSample>,
}

impl fmt::Display for CompareReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let figures = figures(self);
        self.introduction(f)?;
        f.write_str(&table(
            &figures,
            &self.settings.servers().collect::<Vec<_>>(),
        ))?;
        f.write_str(&target_summary(&figures))?;
        self.warnings(f)
    }
}

impl CompareReport {
    /// A report without measurements.
    pub(super) fn new(settings: CompareSettings) -> Self {
        Self {
            command: command_line(),
            processor: cpu_name(),
            settings,
            samples: Vec::new(),
            single_room: Vec::new(),
            system_calls: Vec::new(),
            starts: Vec::new(),
            idle: Vec::new(),
            rates: Vec::new(),
        }
    }

    /// Writes the measurements so far to the file that the settings name, if they name one. The file is replaced as a
    /// whole, so a run that is killed leaves the measurements of an earlier call.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if the file cannot be written.
    pub(super) fn save(&self) -> Result<(), Failure> {
        let Some(path) = &self.settings.json else {
            return Ok(());
        };
        let replace = || -> io::Result<()> {
            let mut written = path.clone().into_os_string();
            written.push(".new");
            fs::write(&written, serde_json::to_vec_pretty(self)?)?;
            fs::rename(&written, path)
        };
        replace().map_err(|error| {
            let path = path.display();
            Failure::Aborted(format!("{path} cannot be written: {error}."))
        })
    }

    fn introduction(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CompareSettings {
            repetitions, rooms, ..
        } = self.settings;
        writeln!(f, "```sh\n{}\n```\n", self.command)?;
        let counter = match self.system_calls.first() {
            Some(calls) => format!("were counted once, by {}", calls.counter.name()),
            None => "were not counted: neither perf nor strace is present and permitted to trace"
                .to_owned(),
        };
        writeln!(
            f,
            "{}. {rooms} rooms of {SEATS}, repetitions: {repetitions}. A cell has the median, in parentheses the minimum and the maximum, \
             and the median of the ratios (x) to the bare server within each repetition. System calls {counter}.\n",
            self.processor
        )
    }

    /// Says for which servers the load generator may have been the limit.
    fn warnings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in self.settings.servers() {
            let samples = self.samples.iter().filter(|sample| sample.server == kind);
            let shares = samples.map(|one| 100.0 * one.generator_cpu_seconds / one.seconds);
            if shares.fold(0.0, f64::max) >= LIMITING_SHARE {
                let name = kind.name();
                writeln!(
                    f,
                    "\nThe load generator limited the moves a second: {name}."
                )?;
            }
            let samples = self.rates.iter().filter(|sample| sample.server == kind);
            let shares = samples.filter_map(RateSample::generator_cpu_share);
            if 100.0 * shares.fold(0.0, f64::max) >= LIMITING_SHARE {
                let name = kind.name();
                writeln!(f, "\nThe load generator limited the highest rate: {name}.")?;
            }
        }
        Ok(())
    }
}

/// The table: a row for each figure and a column for each server.
fn table(figures: &[Figure], servers: &[ServerKind]) -> String {
    let names: Vec<_> = servers.iter().map(|kind| kind.name()).collect();
    let mut text = format!("| figure | target | {} |\n", names.join(" | "));
    text += &format!("| --- | --- |{}\n", " --- |".repeat(names.len()));
    for figure in figures.iter().filter(|figure| !figure.values.is_empty()) {
        let targets = figure.targets.iter();
        let targets: Vec<_> = targets.map(|one| target_text(figure, *one)).collect();
        let cells: Vec<_> = servers.iter().map(|kind| cell(figure, *kind)).collect();
        let (name, targets, cells) = (&figure.name, targets.join(", "), cells.join(" | "));
        text += &format!("| {name} | {targets} | {cells} |\n");
    }
    text
}

/// The values of a server, with their ratio to the bare server.
fn cell(figure: &Figure, kind: ServerKind) -> String {
    let Some(summary) = figure.summary(kind) else {
        return NO_VALUE.to_owned();
    };
    let mut text = number(figure, summary.median);
    if summary.minimum < summary.maximum {
        let [minimum, maximum] = [summary.minimum, summary.maximum].map(|one| number(figure, one));
        text += &format!(" ({minimum} to {maximum})");
    }
    match figure.ratio(kind).filter(|_| kind != ServerKind::Bare) {
        Some(ratio) => format!("{text}, {ratio:.2} x"),
        None => text,
    }
}

fn number(figure: &Figure, number: f64) -> String {
    decimal(number, figure.decimals)
}

/// A target as text.
fn target_text(figure: &Figure, target: Target) -> String {
    let server = target.server.short_name();
    match target.bound {
        Bound::AtMost(bound) => format!("{server} ≤ {}", number(figure, bound)),
        Bound::RatioAtMost(bound) => format!("{server} ≤ {bound:.1} x"),
        Bound::RatioAtLeast(bound) => format!("{server} ≥ {bound:.1} x"),
    }
}

/// The targets that are reached, those that are not, and those that were not measured.
fn target_summary(figures: &[Figure]) -> String {
    let (mut reached, mut missed, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for figure in figures {
        let name = &figure.name;
        for target in &figure.targets {
            let text = target_text(figure, *target);
            let Some(measured) = figure.measured(*target) else {
                unknown.push(format!("- {name}: {text}"));
                continue;
            };
            let value = match target.bound {
                Bound::AtMost(_) => number(figure, measured),
                Bound::RatioAtMost(_) | Bound::RatioAtLeast(_) => format!("{measured:.2} x"),
            };
            let line = format!("- {name}: {value}, {text}");
            match target.bound.holds(measured) {
                true => reached.push(line),
                false => missed.push(line),
            }
        }
    }
    let lists = [
        ("These targets are reached:", reached),
        ("These targets are not reached:", missed),
        ("These targets were not measured:", unknown),
    ];
    let lists = lists.into_iter().filter(|(_, lines)| !lines.is_empty());
    let lists = lists.map(|(head, lines)| format!("\n{head}\n\n{}\n", lines.join("\n")));
    lists.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(bound: Bound) -> Figure {
        let values = [
            (ServerKind::Bare, vec![1000.0, 1100.0, 1050.0]),
            (ServerKind::Disk, vec![2100.0, 2100.0, 2100.0]),
        ];
        let server = ServerKind::Disk;
        Figure {
            name: "moves".to_owned(),
            decimals: 0,
            values: values.into(),
            targets: vec![Target { server, bound }],
        }
    }

    #[test]
    fn a_row_has_the_target_and_a_cell_for_each_server() {
        let servers = [ServerKind::Bare, ServerKind::Floor, ServerKind::Disk];
        let table = table(&[figure(Bound::RatioAtMost(2.0))], &servers);
        let row = "| moves | disk ≤ 2.0 x | 1,050 (1,000 to 1,100) | – | 2,100, 2.00 x |";
        assert_eq!(table.lines().nth(2), Some(row));
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn the_summary_names_every_target_once() {
        let mut unknown = figure(Bound::AtMost(9.0));
        unknown.values.clear();
        let figures = [
            figure(Bound::RatioAtLeast(2.0)),
            figure(Bound::AtMost(2000.0)),
            unknown,
        ];
        let expected = "\nThese targets are reached:\n\n- moves: 2.00 x, disk ≥ 2.0 x\n\n\
                        These targets are not reached:\n\n- moves: 2,100, disk ≤ 2,000\n\n\
                        These targets were not measured:\n\n- moves: disk ≤ 9\n";
        assert_eq!(target_summary(&figures), expected);
    }
}
