//! The results as tables in Markdown and as charts.

use std::fmt;
use std::path::PathBuf;

use super::dimension::Dimension;
use super::sample::Sample;
use super::{GrowthSettings, SEATS};
use crate::Failure;
use crate::calendar::today;
use crate::chart::{Chart, Panel};
use crate::number_text::{count, decimal};
use crate::process::{command_line, cpu_name};
use crate::statistics::Summary;

/// The samples of all repetitions. Their text is a table for each dimension.
#[derive(Debug)]
pub struct GrowthReport {
    settings: GrowthSettings,
    /// The command, the processor and the date.
    origin: [String; 3],
    samples: Vec<Sample>,
}

/// A column of numbers.
struct Column {
    head: &'static str,
    /// The decimal places.
    decimals: usize,
    /// The value of a sample that has one.
    value: fn(&Sample) -> Option<f64>,
}

const CPU_PER_MOVE: Column = Column {
    head: "CPU time for a move, µs",
    decimals: 1,
    value: |sample| Some(sample.cpu_micros_per_move()),
};
const CPU_PER_MESSAGE: Column = Column {
    head: "CPU time for a message sent, µs",
    decimals: 2,
    value: |sample| Some(sample.cpu_micros_per_message()),
};
const WAL_BYTES_PER_MOVE: Column = Column {
    head: "bytes to the WAL for a move",
    decimals: 0,
    value: Sample::wal_bytes_per_move,
};
const MEMORY: Column = Column {
    head: "memory of the server (RssAnon), MiB",
    decimals: 1,
    value: Sample::memory_mib,
};
/// The columns with the load. They have only the median.
const LOAD: [Column; 4] = [
    Column {
        head: "messages sent for a move",
        decimals: 1,
        value: |sample| Some(sample.messages_per_move()),
    },
    Column {
        head: "moves a second",
        decimals: 0,
        value: |sample| Some(sample.moves_per_second()),
    },
    Column {
        head: "server, % of a core",
        decimals: 0,
        value: |sample| Some(sample.server_cpu_percent()),
    },
    Column {
        head: "load generator, % of a core",
        decimals: 0,
        value: |sample| Some(sample.generator_cpu_percent()),
    },
];

impl Column {
    fn text(&self, number: f64) -> String {
        decimal(number, self.decimals)
    }
}

impl GrowthReport {
    /// The report of these samples, with today's date.
    pub(super) fn new(settings: GrowthSettings, samples: Vec<Sample>) -> Self {
        Self {
            settings,
            origin: [command_line(), cpu_name(), today()],
            samples,
        }
    }

    /// Writes a chart for each dimension.
    ///
    /// # Errors
    /// [`Failure::Aborted`] if a file cannot be written.
    pub(super) fn write_charts(&self) -> Result<(), Failure> {
        let mut dimensions = self.settings.dimensions();
        dimensions.try_for_each(|dimension| self.chart(dimension).write(&self.path(dimension)))
    }

    fn path(&self, dimension: Dimension) -> PathBuf {
        let stem = dimension.file_stem();
        self.settings.charts.join(format!("{stem}.svg"))
    }

    /// The columns that the chart of a dimension shows, each in a panel.
    fn charted_columns(dimension: Dimension) -> &'static [Column] {
        match dimension {
            Dimension::Spectators => &[CPU_PER_MOVE, CPU_PER_MESSAGE],
            Dimension::Rooms | Dimension::Rounds | Dimension::Log => &[CPU_PER_MOVE],
            Dimension::Minutes => &[CPU_PER_MOVE, WAL_BYTES_PER_MOVE, MEMORY],
        }
    }

    /// The values of a column at the points of a dimension that have them, the smallest point first.
    fn points(&self, dimension: Dimension, column: &Column) -> Vec<(u64, Summary)> {
        let samples = || {
            let samples = self.samples.iter();
            samples.filter(move |sample| sample.dimension == dimension)
        };
        let mut points: Vec<_> = samples().map(|sample| sample.point).collect();
        points.sort_unstable();
        points.dedup();
        let summary = |point| {
            let values = samples().filter(|sample| sample.point == point);
            Some((point, Summary::of(values.filter_map(column.value))?))
        };
        points.into_iter().filter_map(summary).collect()
    }

    fn chart(&self, dimension: Dimension) -> Chart {
        let panel = |column: &Column| Panel {
            y_label: column.head.to_owned(),
            points: self.points(dimension, column),
        };
        let [command, processor, date] = &self.origin;
        let subject = match dimension {
            Dimension::Minutes => "Cost of a move, and memory",
            Dimension::Rooms | Dimension::Spectators | Dimension::Rounds | Dimension::Log => {
                "CPU time for a move"
            }
        };
        let repetitions = match dimension.repetitions(&self.settings) {
            1 => "One repetition".to_owned(),
            many => format!("Median, minimum and maximum of {many} repetitions"),
        };
        Chart {
            title: format!("{subject}: {}", dimension.label()),
            x_label: dimension.label().to_owned(),
            is_logarithmic: dimension.is_logarithmic(),
            panels: Self::charted_columns(dimension).iter().map(panel).collect(),
            caption: vec![
                format!("{repetitions}. {date}."),
                processor.clone(),
                command.clone(),
            ],
        }
    }

    fn table(&self, f: &mut fmt::Formatter<'_>, dimension: Dimension) -> fmt::Result {
        let label = dimension.label();
        let columns = Self::charted_columns(dimension);
        write!(f, "| {label} |")?;
        for Column { head, .. } in columns {
            write!(f, " {head}: minimum | median | maximum |")?;
        }
        for Column { head, .. } in &LOAD {
            write!(f, " {head} |")?;
        }
        let cells = 1 + 3 * columns.len() + LOAD.len();
        writeln!(f, "\n|{}", " --- |".repeat(cells))?;
        for (point, _) in self.points(dimension, &CPU_PER_MOVE) {
            let summary = |column| {
                let points = self.points(dimension, column);
                points.into_iter().find(|(other, _)| *other == point)
            };
            write!(f, "| {} |", count(point))?;
            for column in columns {
                match summary(column) {
                    None => write!(f, " – | – | – |")?,
                    Some((_, summary)) => {
                        for number in [summary.minimum, summary.median, summary.maximum] {
                            write!(f, " {} |", column.text(number))?;
                        }
                    }
                }
            }
            for column in &LOAD {
                let median = summary(column).map(|(_, summary)| column.text(summary.median));
                write!(f, " {} |", median.as_deref().unwrap_or("–"))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    /// The ratios of the last median to the first one.
    fn growth_ratios(&self, f: &mut fmt::Formatter<'_>, dimension: Dimension) -> fmt::Result {
        for column in Self::charted_columns(dimension) {
            let points = self.points(dimension, column);
            if let (Some((_, first)), Some((_, last))) = (points.first(), points.last())
                && first.median > 0.0
            {
                let ratio = last.median / first.median;
                writeln!(f, "\n{}, last over first: {ratio:.2}.", column.head)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for GrowthReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [command, processor, date] = &self.origin;
        writeln!(f, "```sh\n{command}\n```\n")?;
        writeln!(f, "{date}. {processor}. Rooms of {SEATS}.")?;
        for dimension in self.settings.dimensions() {
            let repetitions = dimension.repetitions(&self.settings);
            writeln!(f, "\nRepetitions: {repetitions}.\n")?;
            self.table(f, dimension)?;
            self.growth_ratios(f, dimension)?;
            writeln!(f, "\nChart: {}", self.path(dimension).display())?;
        }
        Ok(())
    }
}
