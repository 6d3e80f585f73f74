//! The results as a table in Markdown and as JSON.

use std::fmt;

use serde::Serialize;

use super::figures::{FIGURES, Figure};
use super::idle::IdleSample;
use super::round::Sample;
use super::statistics::{Summary, median_ratio};
use super::system_calls::SystemCalls;
use super::{CompareSettings, SEATS, ServerKind};
use crate::format::count;

/// The text in a cell without a value.
const NO_VALUE: &str = "–";
const NOT_MEASURED: &str = "not measured";

/// The results. Their text is a table in Markdown; serialised they are the measurements of each round.
#[derive(Debug, Serialize)]
pub struct CompareReport {
    pub(super) command: String,
    pub(super) processor: String,
    pub(super) settings: CompareSettings,
    pub(super) samples: Vec<Sample>,
    /// A server is missing if strace is missing or could not trace it.
    pub(super) system_calls: Vec<SystemCalls>,
    /// Empty if idle rooms were not measured.
    pub(super) idle: Vec<IdleSample>,
}

/// A row of the table: a figure of a server.
struct Row<'a> {
    name: &'a str,
    decimals: usize,
    kind: ServerKind,
    summary: Option<Summary>,
    ratio: Option<f64>,
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: f64| match self.decimals {
            0 => count(number.round() as u64),
            decimals => format!("{number:.decimals$}"),
        };
        let cell = |part: fn(Summary) -> f64| {
            let value = self.summary.map(part);
            value.map_or_else(|| NO_VALUE.to_owned(), number)
        };
        let ratio = self.ratio.map(|ratio| format!("{ratio:.2}"));
        writeln!(
            f,
            "| {} | {} | {} | {} | {} | {} |",
            self.name,
            self.kind.name(),
            cell(|summary| summary.minimum),
            cell(|summary| summary.median),
            cell(|summary| summary.maximum),
            ratio.as_deref().unwrap_or(NO_VALUE)
        )
    }
}

impl CompareReport {
    /// The values of a figure in all rounds, in order.
    fn values(&self, figure: &Figure, kind: ServerKind) -> impl Iterator<Item = f64> {
        let samples = self.samples.iter();
        let samples = samples.filter(move |sample| sample.server == kind);
        samples.filter_map(figure.value)
    }

    fn figure(&self, f: &mut fmt::Formatter<'_>, figure: &Figure) -> fmt::Result {
        for kind in self.settings.servers() {
            let bare = self.values(figure, ServerKind::Bare);
            let row = Row {
                name: figure.name,
                decimals: figure.decimals,
                kind,
                summary: Summary::of(self.values(figure, kind)),
                ratio: median_ratio(self.values(figure, kind).zip(bare)),
            };
            write!(f, "{row}")?;
        }
        Ok(())
    }

    /// The rows of a figure that was measured once for each server.
    fn single(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        decimals: usize,
        values: &[(ServerKind, f64)],
    ) -> fmt::Result {
        let value = |kind| {
            let mut values = values.iter();
            values.find_map(|(other, value)| (*other == kind).then_some(*value))
        };
        for kind in self.settings.servers() {
            let Some(number) = value(kind) else {
                writeln!(
                    f,
                    "| {name} | {} | {NO_VALUE} | {NOT_MEASURED} | {NO_VALUE} | {NO_VALUE} |",
                    kind.name()
                )?;
                continue;
            };
            let bare = value(ServerKind::Bare);
            let row = Row {
                name,
                decimals,
                kind,
                summary: Summary::of([number]),
                ratio: median_ratio(bare.map(|bare| (number, bare))),
            };
            write!(f, "{row}")?;
        }
        Ok(())
    }

    fn idle(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = |value: fn(&IdleSample) -> f64| -> Vec<_> {
            let samples = self.idle.iter();
            samples
                .map(|sample| (sample.server, value(sample)))
                .collect()
        };
        let CompareSettings {
            idle_rooms,
            idle_seconds,
            ..
        } = self.settings;
        let rooms = count(idle_rooms.into());
        let cpu = values(|sample| 100.0 * sample.server_cpu_seconds / sample.seconds);
        let name = format!("share of a core with {rooms} idle rooms, over {idle_seconds} s, %");
        self.single(f, &name, 2, &cpu)?;
        let memory = values(|sample| sample.kib_per_connection);
        let name = format!("memory for each connection of {rooms} idle rooms (RssAnon), KiB");
        self.single(f, &name, 1, &memory)
    }
}

impl fmt::Display for CompareReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CompareSettings { rounds, rooms, .. } = self.settings;
        writeln!(f, "```sh\n{}\n```\n", self.command)?;
        writeln!(
            f,
            "{}. {rooms} rooms of {SEATS}, rounds: {rounds}. A ratio is the median of the ratios to the bare server within \
             each round. System calls were counted once, by strace.\n",
            self.processor
        )?;
        writeln!(
            f,
            "| what | server | minimum | median | maximum | ratio |\n| --- | --- | --- | --- | --- | --- |"
        )?;
        for figure in &FIGURES {
            self.figure(f, figure)?;
        }
        let calls = self.system_calls.iter();
        let calls = calls.map(|calls| (calls.server, calls.calls as f64 / calls.moves as f64));
        self.single(f, "system calls a move", 1, &calls.collect::<Vec<_>>())?;
        match self.settings.idle {
            true => self.idle(f),
            false => Ok(()),
        }
    }
}
