//! The results as text.

use std::fmt;
use std::time::Duration;

use super::idle_rooms::IdleRooms;
use super::many_rooms::{ManyRooms, SearchFigures};
use super::single_room::SingleRoom;
use super::{PlaySettings, SEATS};
use crate::number_text::{count, mib, ms};
use crate::process::{command_line, cpu_name};

/// The results; its text is a table in Markdown with the targets.
#[derive(Debug)]
pub struct PlayReport {
    pub(super) settings: PlaySettings,
    pub(super) idle_rooms: IdleRooms,
    pub(super) single_room: SingleRoom,
    pub(super) many_rooms: ManyRooms,
    pub(super) bare: Option<ManyRooms>,
}

/// A row of the table: what is measured, its target, and the result.
struct Row<'a>(&'a str, &'a str, String);

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(what, target, result) = self;
        writeln!(f, "| {what} | {target} | {result} |")
    }
}

impl PlayReport {
    fn idle_rooms(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IdleRooms {
            empty_kib,
            connected_kib,
            connections,
            cpu_connected,
            cpu_left,
        } = self.idle_rooms;
        let each = connected_kib.saturating_sub(empty_kib) as f64 / connections.max(1) as f64;
        let rooms = self.settings.idle_rooms;
        let total = mib(connected_kib);
        write!(
            f,
            "{}{}{}{}",
            Row(
                "memory of the server without connections (RssAnon)",
                "at most 10 MiB",
                mib(empty_kib)
            ),
            Row(
                "memory for each seated idle connection",
                "at most 12 KiB",
                format!(
                    "{each:.1} KiB (total {total} with {} in {rooms} rooms)",
                    count(connections)
                ),
            ),
            Row(
                "CPU time in 10 s, all idle rooms connected",
                "only pings",
                ms(cpu_connected),
            ),
            Row("CPU time in 10 s, all have left", "none", ms(cpu_left)),
        )
    }

    fn single_room(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SingleRoom {
            moves,
            write_bytes,
            writes,
            message_bytes,
            message_bytes_on_turn,
        } = &self.single_room;
        let write = writes.percentile(50);
        let target = Duration::from_micros(1500) + write;
        let target = format!("at most {} (1.5 ms and one write)", ms(target));
        write!(
            f,
            "{}{}{}{}{}",
            Row(
                "durable write of the same size without a server, p50",
                "",
                format!(
                    "{} (p99 {}; {} KiB)",
                    ms(write),
                    ms(writes.percentile(99)),
                    write_bytes / 1024
                ),
            ),
            Row(
                "a move in a single room until all four have received it, p50",
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
                format!("{message_bytes:.0} bytes"),
            ),
            Row(
                "the same for the seat on turn",
                "at most 1.3 kB",
                format!("{message_bytes_on_turn:.0} bytes"),
            ),
        )
    }

    fn many_rooms(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ManyRooms {
            latencies,
            moves_due,
            errors,
            server_cpu_share,
            generator_cpu_share,
            cpu_per_move,
            searches,
        } = &self.many_rooms;
        let PlaySettings { rooms, rate, .. } = self.settings;
        let rate = match rate {
            1 => "one move a second".into(),
            rate => format!("{rate} moves a second"),
        };
        let first = errors
            .first()
            .map_or(String::new(), |error| format!(" (first: {error})"));
        write!(
            f,
            "{}{}{}{}{}{}",
            Row(
                &format!("a move in {rooms} rooms with {rate}, p50"),
                "at most 3 ms",
                format!(
                    "{} ({} of {} moves)",
                    ms(latencies.percentile(50)),
                    count(latencies.len() as u64),
                    count(*moves_due)
                ),
            ),
            Row(
                "the same, p99",
                "at most 25 ms",
                ms(latencies.percentile(99))
            ),
            Row("the same, longest", "", ms(latencies.max())),
            Row("rooms lost", "0", format!("{}{first}", errors.len())),
            Row(
                "share of a core: server, generator",
                "",
                format!(
                    "{:.0} %, {:.0} %",
                    server_cpu_share * 100.0,
                    generator_cpu_share * 100.0
                ),
            ),
            Row("CPU time of the server for a move", "", ms(*cpu_per_move)),
        )?;
        match searches {
            Some(searches) => self.searches(f, searches),
            None => Ok(()),
        }
    }

    fn searches(&self, f: &mut fmt::Formatter<'_>, searches: &SearchFigures) -> fmt::Result {
        let SearchFigures {
            requested,
            answered,
            rejected,
            expired,
            failed,
            p50,
            p99,
        } = searches;
        let bound = |seconds: &Option<f64>| match seconds {
            Some(seconds) if seconds.is_finite() => {
                format!("at most {}", ms(Duration::from_secs_f64(*seconds)))
            }
            Some(_) => "above all buckets".to_owned(),
            None => "unknown".to_owned(),
        };
        let what = format!(
            "searches of experts in {} of the rooms",
            self.settings.experts
        );
        let result = format!(
            "{requested} requested, {answered} answered, {rejected} rejected, {expired} expired, \
             {failed} failed; p50 {}, p99 {}",
            bound(p50),
            bound(p99)
        );
        write!(f, "{}", Row(&what, "p99 at most 50 ms", result))
    }

    fn bare(&self, f: &mut fmt::Formatter<'_>, bare: &ManyRooms) -> fmt::Result {
        let (own, bare_cpu) = (self.many_rooms.cpu_per_move, bare.cpu_per_move);
        let ratio = own.as_secs_f64() / bare_cpu.as_secs_f64().max(1e-9);
        write!(
            f,
            "{}{}",
            Row(
                "CPU time of a bare axum server for a move",
                "",
                format!(
                    "{} (p50 {})",
                    ms(bare_cpu),
                    ms(bare.latencies.percentile(50))
                ),
            ),
            Row(
                "CPU time of the server relative to the bare one",
                "",
                format!("{ratio:.2}")
            ),
        )
    }
}

impl fmt::Display for PlayReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "```sh\n{}\n```\n", command_line())?;
        writeln!(f, "{}. {SEATS} seats in each room.\n", cpu_name())?;
        writeln!(f, "| what | target | result |\n| --- | --- | --- |")?;
        self.idle_rooms(f)?;
        self.single_room(f)?;
        self.many_rooms(f)?;
        self.bare.as_ref().map_or(Ok(()), |bare| self.bare(f, bare))
    }
}
