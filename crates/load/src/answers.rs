//! How long it takes to be told of a table, and that there is none.

use std::fmt;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::drill::Victim;
use crate::figures::{Times, count, ms};
use crate::process::processor;
use crate::route::Route;
use crate::server::{Program, Server};
use crate::table::room;
use crate::{Failure, http};

/// How many times an address asks for each code: less often than wrong codes are counted.
const EACH: u16 = 5;
/// A code that no table has: there is one table, and the chance that this is its code is nil.
const NOBODYS: &str = "zzzzzzzz";

/// How often is asked.
#[derive(Clone, Debug, Args)]
pub struct Settings {
    /// How often each code is asked for.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u16).range(100..=50_000))]
    pub times: u16,
    /// By less milliseconds than that the two answers must differ in time: their medians.
    #[arg(long, value_name = "MS")]
    pub most_apart: Option<u64>,
}

/// How long the answers took: its text is a table in Markdown.
#[derive(Debug)]
pub struct Report {
    of_table: Times,
    of_nothing: Times,
}

/// Asks a server for a table that there is, and for one that there is not, in turn.
///
/// # Errors
/// [`Failure::Trouble`] if it could not be asked; [`Failure::Broken`] if it answers otherwise, or if the
/// answers are further apart than the settings allow.
pub async fn of_program(program: &Program, settings: &Settings) -> Result<Report, Failure> {
    let server = Server::guarded(program).await?;
    let trouble = |error| Failure::Trouble(format!("The server could not be asked: {error}."));
    let wish = json!({"game": "sticheln", "seats": 4, "password": "Guess this"});
    let room = room(server.address(), &wish).await;
    let room = room.map_err(|loss| Failure::Trouble(format!("No table: {loss}.")))?;
    let [there, nowhere] = [room.as_str(), NOBODYS].map(|code| format!("/api/rooms/{code}"));

    let mut report = Report {
        of_table: Times::default(),
        of_nothing: Times::default(),
    };
    for turn in 0..settings.times {
        let [high, low] = (turn / EACH).to_be_bytes();
        let route = Route::new(Ipv4Addr::new(127, 1, high, low), server.address());
        for (path, times, status) in [
            (&there, &mut report.of_table, 200),
            (&nowhere, &mut report.of_nothing, 404),
        ] {
            let since = Instant::now();
            let answer = http::get(route, path).await.map_err(trouble)?;
            times.push(since.elapsed());
            if answer.status != status {
                let (found, body) = (answer.status, answer.body);
                return Err(Failure::Broken(format!(
                    "{path} was answered {found}, and not {status}: {body}"
                )));
            }
        }
    }
    let apart = report.apart();
    if let Some(most) = settings.most_apart.map(Duration::from_millis)
        && apart >= most
    {
        return Err(Failure::Broken(format!(
            "{report}\nThe time of an answer tells whether there is a table: {} apart.",
            ms(apart)
        )));
    }
    Ok(report)
}

impl Report {
    /// How far the medians are apart.
    fn apart(&self) -> Duration {
        let of_table = self.of_table.percentile(50);
        of_table.abs_diff(self.of_nothing.percentile(50))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = count(self.of_table.len() as u64);
        writeln!(
            f,
            "{}. Each asked for {times} times, in turn.\n",
            processor()
        )?;
        writeln!(f, "| a code is asked for | p50 | p99 |")?;
        writeln!(f, "| --- | --- | --- |")?;
        for (what, times) in [
            ("of a table with a password", &self.of_table),
            ("of no table", &self.of_nothing),
        ] {
            let (p50, p99) = (times.percentile(50), times.percentile(99));
            writeln!(f, "| {what} | {} | {} |", ms(p50), ms(p99))?;
        }
        writeln!(f, "| difference | {} | |", ms(self.apart()))
    }
}
