//! The appends of PostgreSQL alone: the statement of the server, one commit for each group.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::ScalingSettings;
use super::cluster::{create_database, database_bytes, database_url, wal_bytes};
use crate::Failure;
use crate::disk::median_durable_write;
use crate::process::cpu_time_with_children;
use crate::server::{Folder, Program};
use crate::services::Services;

/// The example of the server that appends.
const STORAGE: &str = "storage";

/// A measurement with groups of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct AppendSample {
    /// The number of rooms that append at the same time.
    pub(super) group: u32,
    pub(super) appends: u64,
    pub(super) commits: u64,
    pub(super) time: Duration,
    /// The CPU time of PostgreSQL.
    pub(super) cpu: Duration,
    pub(super) wal_bytes: u64,
    /// The bytes by which the database has grown.
    pub(super) database_bytes: u64,
    /// The median time of a durable write of 4 KiB on the same disk, before the appends.
    pub(super) durable_write: Duration,
}

/// Checks that the example exists.
pub(super) fn check(settings: &ScalingSettings) -> Result<(), Failure> {
    let path = settings.examples.join(STORAGE);
    match path.is_file() {
        true => Ok(()),
        false => Err(Failure::Aborted(format!(
            "There is no program {}.",
            path.display()
        ))),
    }
}

/// Measures groups of this size.
pub(super) async fn measure(
    group: u32,
    program: &Program,
    services: &Services,
    settings: &ScalingSettings,
) -> Result<AppendSample, Failure> {
    create_database(services).await?;
    let failed = || Failure::Aborted(format!("The example {STORAGE} failed."));
    let folder = Folder::new(&program.parent_folder()).map_err(|_| failed())?;
    let durable_write = median_durable_write(&folder.path)?;
    let [database, _] = services.pids()?;
    let mut command = Command::new(settings.examples.join(STORAGE));
    command
        .arg("appends")
        .arg(&folder.path)
        .arg(group.to_string())
        .arg(settings.seconds.to_string())
        .env("STICHELN_DATABASE_URL", database_url(services))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(|_| failed())?;
    let mut lines = BufReader::new(child.stdout.take().ok_or_else(failed)?).lines();
    // The first line says that the rooms are open.
    lines.next_line().await.ok().flatten().ok_or_else(failed)?;
    let wal_before = wal_bytes(services).await?;
    let size_before = database_bytes(services).await?;
    let cpu_before = cpu_time_with_children(database)?;
    let text = lines.next_line().await.ok().flatten().ok_or_else(failed)?;
    let cpu = cpu_time_with_children(database)?.saturating_sub(cpu_before);
    let wal_bytes = wal_bytes(services).await? - wal_before;
    let database_bytes = database_bytes(services).await? - size_before;
    child.wait().await.map_err(|_| failed())?;
    let numbers = text.split_whitespace().map(|word| word.parse().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    let [appends, commits, seconds] = numbers.unwrap_or_default()[..] else {
        return Err(failed());
    };
    Ok(AppendSample {
        group,
        appends: appends as u64,
        commits: commits as u64,
        time: Duration::from_secs_f64(seconds),
        cpu,
        wal_bytes,
        database_bytes,
        durable_write,
    })
}
