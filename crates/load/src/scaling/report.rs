//! The results as tables in Markdown and as a chart.

use std::fmt;

use super::appends::AppendSample;
use super::configuration::Configuration;
use super::figure::{self, Figure, write_table};
use super::sample::Sample;
use super::{SEATS, ScalingSettings};
use crate::Failure;
use crate::calendar::today;
use crate::chart::{Chart, Panel, create_folder};
use crate::number_text::count;
use crate::process::{command_line, cpu_name};
use crate::statistics::Summary;

/// The samples of all repetitions. Their text has three tables.
#[derive(Debug)]
pub struct ScalingReport {
    settings: ScalingSettings,
    /// The command, the processor and the date.
    origin: [String; 3],
    pub(super) samples: Vec<Sample>,
    pub(super) appends: Vec<AppendSample>,
}

impl ScalingReport {
    /// A report without samples, with today's date.
    pub(super) fn new(settings: ScalingSettings) -> Self {
        Self {
            settings,
            origin: [command_line(), cpu_name(), today()],
            samples: Vec::new(),
            appends: Vec::new(),
        }
    }

    fn of(&self, configuration: Configuration) -> Vec<&Sample> {
        let samples = self.samples.iter();
        samples
            .filter(|sample| sample.configuration == configuration)
            .collect()
    }

    fn columns(&self, configurations: &[Configuration]) -> Vec<(String, Vec<&Sample>)> {
        let columns = configurations.iter();
        columns
            .map(|one| (one.name().to_owned(), self.of(*one)))
            .collect()
    }

    fn append_columns(&self) -> Vec<(String, Vec<&AppendSample>)> {
        let groups = self.settings.groups.iter();
        let column = |group: &u32| {
            let samples = self.appends.iter().filter(|sample| sample.group == *group);
            (format!("groups of {group}"), samples.collect())
        };
        groups.map(column).collect()
    }

    /// Writes the chart: some rows of the first table, for one node and more.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if the file cannot be written.
    pub(super) fn write_chart(&self) -> Result<(), Failure> {
        let path = &self.settings.chart;
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let point = |figure: &Figure<Sample>, configuration: Configuration| {
            let values = figure.values(&self.of(configuration));
            Some((configuration.servers() as u64, Summary::of(values)?))
        };
        let panel = |figure: &Figure<Sample>| {
            let points = Configuration::NODES.into_iter();
            Panel {
                y_label: figure.name.to_owned(),
                points: points.filter_map(|one| point(figure, one)).collect(),
            }
        };
        let [command, processor, date] = &self.origin;
        let repetitions = self.settings.repetitions;
        let chart = Chart {
            title: "Nodes on two shared cores".to_owned(),
            x_label: "nodes, with PostgreSQL and NATS on the same machine".to_owned(),
            is_logarithmic: false,
            panels: [
                figure::MOVES_PER_SECOND,
                figure::CPU_PER_MOVE,
                figure::RATE_P99,
            ]
            .iter()
            .map(panel)
            .collect(),
            caption: vec![
                format!("Median, minimum and maximum of {repetitions} repetitions. {date}."),
                processor.clone(),
                command.clone(),
            ],
        };
        chart.write(path)
    }
}

impl fmt::Display for ScalingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScalingSettings {
            rooms,
            rate_rooms,
            rate,
            repetitions,
            ..
        } = &self.settings;
        let [command, processor, date] = &self.origin;
        writeln!(f, "```sh\n{command}\n```\n")?;
        writeln!(
            f,
            "{date}. {processor}, shared with the load generator. Rooms of {SEATS}: {rooms} that play as fast as they can, and \
             {rate_rooms} with {} moves a second in all (fixed rate). Repetitions: {repetitions}.\n",
            count((*rate).into())
        )?;
        writeln!(
            f,
            "Median (ratio to the first column, minimum to maximum).\n"
        )?;
        write_table(f, &figure::MOVES, &self.columns(&Configuration::GROWING))?;
        writeln!(
            f,
            "\nTwo nodes, by the node to which all people of a room are connected:\n"
        )?;
        write_table(f, &figure::MOVES, &self.columns(&Configuration::PLACED))?;
        writeln!(f, "\nAppends of PostgreSQL alone, one writer:\n")?;
        write_table(f, &figure::APPENDS, &self.append_columns())?;
        writeln!(f, "\nChart: {}", self.settings.chart.display())
    }
}
