//! The results of the model as a table in Markdown.

use std::fmt;

use super::{ModelSettings, Outcome, Resource, Size};
use crate::number_text::count;
use crate::process::command_line;

/// The outcome for a size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) size: Size,
    pub(super) outcome: Outcome,
}

/// The results of the model. Their text is a table.
#[derive(Clone, Debug)]
pub struct ModelReport {
    settings: ModelSettings,
    pub(super) rows: Vec<Row>,
}

impl ModelReport {
    pub(super) fn new(settings: ModelSettings, rows: Vec<Row>) -> Self {
        Self { settings, rows }
    }
}

impl Resource {
    /// The name in reports.
    fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Bus => "NATS",
            Self::ShardCores => "cores of PostgreSQL",
            Self::Writers => "writers",
        }
    }
}

impl fmt::Display for ModelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "```sh\n{}\n```\n", command_line())?;
        writeln!(f, "{:?}, {:?}.\n", self.settings.cores, self.settings.costs)?;
        writeln!(
            f,
            "| shards | nodes | moves a second | p50, ms | p99, ms | appends in a commit | nodes, % | NATS, % | cores of PostgreSQL, % | \
             used most |"
        )?;
        writeln!(f, "|{}", " --- |".repeat(10))?;
        for Row { size, outcome } in &self.rows {
            let [nodes, bus, shards, _] = outcome.used.map(|used| 100.0 * used);
            let (busiest, _) = outcome.busiest();
            writeln!(
                f,
                "| {} | {} | {} | {:.1} | {:.1} | {:.1} | {nodes:.0} | {bus:.0} | {shards:.0} | {} |",
                size.shards,
                size.nodes,
                count(outcome.rate.round() as u64),
                outcome.p50 / 1000.0,
                outcome.p99 / 1000.0,
                outcome.group,
                busiest.name(),
            )?;
        }
        Ok(())
    }
}
