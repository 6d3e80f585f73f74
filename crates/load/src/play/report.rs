//! What was measured, as a page of text.

use std::fmt;

use super::busy::Busy;
use super::idle::Idle;
use super::quiet::Quiet;
use super::{SEATS, Settings};
use crate::figures::{count, ms};
use crate::process::processor;

/// What was measured: its text is a table in Markdown with the targets.
#[derive(Debug)]
pub struct Report {
    pub(super) settings: Settings,
    pub(super) idle: Idle,
    pub(super) quiet: Quiet,
    pub(super) busy: Busy,
    pub(super) bare: Option<Busy>,
}

/// A line of the table.
struct Row<'a>(&'a str, &'a str, String);

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, target, measured) = self;
        writeln!(f, "| {what} | {target} | {measured} |")
    }
}

impl Report {
    /// The command line this was measured with.
    fn command(&self) -> String {
        let words = std::env::args().skip(1);
        std::iter::once("load".to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn idle(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Idle {
            empty,
            full,
            connections,
            busy_connected,
            busy_left,
        } = self.idle;
        let mib = |kib: u64| format!("{:.1} MiB", kib as f64 / 1024.0);
        let each = full.saturating_sub(empty) as f64 / connections.max(1) as f64;
        let tables = self.settings.idle_tables;
        let full = mib(full);
        write!(
            f,
            "{}{}{}{}",
            Row(
                "memory of the empty server (RssAnon)",
                "at most 10 MiB",
                mib(empty)
            ),
            Row(
                "memory for each seated idle connection",
                "at most 12 KiB",
                format!(
                    "{each:.1} KiB (in all {full} with {} at {tables} tables)",
                    count(connections)
                ),
            ),
            Row(
                "processor time in 10 s, all idle tables connected",
                "none but signs of life",
                ms(busy_connected),
            ),
            Row("processor time in 10 s, all gone", "none", ms(busy_left)),
        )
    }

    fn quiet(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quiet {
            moves,
            piece,
            writes,
            letter,
            letter_on_turn,
        } = &self.quiet;
        let write = writes.percentile(50);
        let target = std::time::Duration::from_micros(1500) + write;
        let target = format!("at most {} (1.5 ms and one write)", ms(target));
        write!(
            f,
            "{}{}{}{}{}",
            Row(
                "bare write of the same size until it is durable, p50",
                "",
                format!(
                    "{} (p99 {}; {} KiB)",
                    ms(write),
                    ms(writes.percentile(99)),
                    piece / 1024
                ),
            ),
            Row(
                "a move at a quiet table until all four have seen it, p50",
                &target,
                format!(
                    "{} ({} moves)",
                    ms(moves.percentile(50)),
                    count(moves.len() as u64)
                ),
            ),
            Row("the same, p99", "", ms(moves.percentile(99))),
            Row(
                "mean length of a `game` message over the four seats",
                "at most 750 bytes",
                format!("{letter:.0} bytes"),
            ),
            Row(
                "the same for the seat on turn",
                "at most 1.3 kB",
                format!("{letter_on_turn:.0} bytes"),
            ),
        )
    }

    fn busy(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Busy {
            moves,
            wanted,
            losses,
            server_load,
            own_load,
            cost,
            thoughts,
        } = &self.busy;
        let Settings {
            tables,
            rate,
            experts,
            ..
        } = self.settings;
        let pace = match rate {
            1 => "one move a second".into(),
            rate => format!("{rate} moves a second"),
        };
        let first = losses
            .first()
            .map_or(String::new(), |loss| format!(" (first: {loss})"));
        write!(
            f,
            "{}{}{}{}{}{}",
            Row(
                &format!("a move at {tables} tables with {pace}, p50"),
                "at most 3 ms",
                format!(
                    "{} ({} of {} moves)",
                    ms(moves.percentile(50)),
                    count(moves.len() as u64),
                    count(*wanted)
                ),
            ),
            Row("the same, p99", "at most 25 ms", ms(moves.percentile(99))),
            Row("the same, longest", "", ms(moves.longest())),
            Row("tables lost", "0", format!("{}{first}", losses.len())),
            Row(
                "the server's part of a core, and the generator's",
                "",
                format!("{:.0} % and {:.0} %", server_load * 100.0, own_load * 100.0),
            ),
            Row("processor time of the server for a move", "", ms(*cost)),
        )?;
        if experts > 0 {
            let thoughts = thoughts.clone();
            let thoughts = thoughts.unwrap_or_else(|| "the server tells nothing".to_owned());
            let what = format!("thoughts of experts at {experts} of the tables");
            write!(f, "{}", Row(&what, "p99 at most 50 ms", thoughts))?;
        }
        Ok(())
    }

    fn bare(&self, f: &mut fmt::Formatter<'_>, bare: &Busy) -> fmt::Result {
        let times = self.busy.cost.as_secs_f64() / bare.cost.as_secs_f64().max(1e-9);
        write!(
            f,
            "{}{}",
            Row(
                "processor time of a bare axum server for a move",
                "",
                format!("{} (p50 {})", ms(bare.cost), ms(bare.moves.percentile(50))),
            ),
            Row(
                "the server's, times that",
                "at most 1.5",
                format!("{times:.2}")
            ),
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "```sh\n{}\n```\n", self.command())?;
        writeln!(f, "{}. Tables of {SEATS}.\n", processor())?;
        writeln!(f, "| what | target | measured |\n| --- | --- | --- |")?;
        self.idle(f)?;
        self.quiet(f)?;
        self.busy(f)?;
        self.bare.as_ref().map_or(Ok(()), |bare| self.bare(f, bare))
    }
}
