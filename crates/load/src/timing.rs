//! Timing side channel: whether the response time reveals that a room exists.

use std::fmt;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use clap::Args;

use crate::connector::Connector;
use crate::driven_room::open_room;
use crate::latencies::Latencies;
use crate::number_text::{count, ms};
use crate::process::cpu_name;
use crate::progress::Progress;
use crate::server::{Program, Server};
use crate::wire::OpenRoom;
use crate::{Failure, http};

/// The number of requests of an address for each code: fewer than the limit for wrong codes.
const REQUESTS_PER_ADDRESS: u16 = 5;
/// A code without a room. The server has one room, and a random code equals this one with negligible probability.
const UNUSED_CODE: &str = "zzzzzzzz";

/// The settings of the measurement.
#[derive(Clone, Debug, Args)]
pub struct TimingSettings {
    /// The number of requests for each code.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u16).range(100..=50_000))]
    pub requests: u16,
    /// The bound for the difference between the two median response times, in milliseconds.
    #[arg(long, value_name = "MS")]
    pub max_difference_ms: Option<u64>,
}

/// The response times; its text is a table in Markdown.
#[derive(Debug)]
pub struct TimingReport {
    existing: Latencies,
    missing: Latencies,
}

/// Requests a room that exists and one that does not, in turn.
///
/// # Errors
/// [`Failure::Aborted`] if a request fails; [`Failure::Violation`] if an answer has another status than expected,
/// or if the difference exceeds the bound.
pub async fn run(program: &Program, settings: &TimingSettings) -> Result<TimingReport, Failure> {
    let server = Server::with_default_limits(program).await?;
    let aborted = |error| Failure::Aborted(format!("A request failed: {error}."));
    let room = open_room(server.address(), &OpenRoom::with_password("Guess this")).await;
    let room = room.map_err(|error| Failure::Aborted(format!("No room was opened: {error}.")))?;
    let [existing, missing] = [room.as_str(), UNUSED_CODE].map(|code| format!("/api/rooms/{code}"));

    let mut report = TimingReport {
        existing: Latencies::default(),
        missing: Latencies::default(),
    };
    let mut progress = Progress::new(settings.requests.into());
    for turn in 0..settings.requests {
        let [high, low] = (turn / REQUESTS_PER_ADDRESS).to_be_bytes();
        let connector = Connector::new(Ipv4Addr::new(127, 1, high, low), server.address());
        for (path, latencies, status) in [
            (&existing, &mut report.existing, 200),
            (&missing, &mut report.missing, 404),
        ] {
            let start = Instant::now();
            let response = http::get(connector, path).await.map_err(aborted)?;
            latencies.push(start.elapsed());
            if response.status != status {
                let (found, body) = (response.status, response.body);
                return Err(Failure::Violation(format!(
                    "The status for {path} is {found} instead of {status}: {body}"
                )));
            }
        }
        progress.count("requests for each code");
    }
    drop(progress);
    let difference = report.difference();
    if let Some(max) = settings.max_difference_ms.map(Duration::from_millis)
        && difference >= max
    {
        return Err(Failure::Violation(format!(
            "{report}\nThe response time reveals whether a room exists: the medians differ by {}.",
            ms(difference)
        )));
    }
    Ok(report)
}

impl TimingReport {
    /// The difference between the medians.
    fn difference(&self) -> Duration {
        let existing = self.existing.percentile(50);
        existing.abs_diff(self.missing.percentile(50))
    }
}

impl fmt::Display for TimingReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let requests = count(self.existing.len() as u64);
        writeln!(
            f,
            "{}. {requests} requests for each, in turn.\n",
            cpu_name()
        )?;
        writeln!(f, "| requested code | p50 | p99 |")?;
        writeln!(f, "| --- | --- | --- |")?;
        for (what, latencies) in [
            ("of a room with a password", &self.existing),
            ("without a room", &self.missing),
        ] {
            let (p50, p99) = (latencies.percentile(50), latencies.percentile(99));
            writeln!(f, "| {what} | {} | {} |", ms(p50), ms(p99))?;
        }
        writeln!(f, "| difference | {} | |", ms(self.difference()))
    }
}
