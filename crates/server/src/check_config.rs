//! The command `check-config`: checks the settings, the folder, the database, the bus and the ports, and changes nothing.

use std::error::Error;
use std::fs::{File, TryLockError};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use clap::error::ContextKind;
use clap::{Args, Command};
use rustix::fs::Access;
use tokio::time::timeout;

use crate::PROGRAM;
use crate::cluster::bus;
use crate::ops::health_command;
use crate::run;
use crate::settings::{Listen, Problems, ServerSettings};
use crate::storage::{DATABASE_FILE, LOCK_FILE, backup, postgres};

/// The timeout for the answer of a server that already runs on this port.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Checks the settings, the folder, the database, the bus and the ports.
///
/// # Errors
/// [`Problems`] has all problems.
pub async fn check(settings: &ServerSettings) -> Result<(), Problems> {
    let mut problems = settings.problems();
    let folder = &settings.folder.path;
    let usage = is_folder_in_use(folder);
    if let Err(error) = &usage {
        let folder = folder.display();
        problems.push(format!(
            "The data folder {folder} cannot be written: {error}."
        ));
    }
    let is_free = matches!(usage, Ok(false));
    let is_used = matches!(usage, Ok(true));
    let database = folder.join(DATABASE_FILE);
    if settings.database.is_set() {
        // A problem of the settings is reported already.
        if settings.database.problem().is_none() {
            let verified = postgres::verify(&settings.database).await;
            problems.extend(verified.err().map(|error| error.to_string()));
        }
    } else if is_free && database.metadata().is_ok_and(|about| about.len() > 0) {
        let verified = backup::verify(&database);
        problems.extend(verified.err().map(|error| error.to_string()));
    }
    // A problem of the settings is reported already.
    if let Ok(Some(server)) = settings.bus.server(&settings.database) {
        let verified = bus::verify(&server).await;
        problems.extend(verified.err().map(|error| error.to_string()));
    }
    problems.extend(port_problem(&settings.listen, run::PORT_FLAG, is_used).await);
    if let Some(port) = settings.log_and_metrics.admin_port {
        let listen = Listen {
            host: settings.log_and_metrics.admin_host,
            port,
        };
        problems.extend(port_problem(&listen, run::ADMIN_PORT_FLAG, is_used).await);
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Problems(problems))
    }
}

/// The problems of settings that cannot be parsed. It parses each variable by itself, to find all of them.
pub fn parse_problems(error: &clap::Error) -> Problems {
    let settings = ServerSettings::augment_args(Command::new(PROGRAM));
    let mut problems = Vec::new();
    for setting in settings.get_arguments() {
        let Some(variable) = setting.get_env() else {
            continue;
        };
        let alone = Command::new(PROGRAM).arg(setting.clone());
        if let Err(error) = alone.try_get_matches_from([PROGRAM]) {
            let variable = variable.to_string_lossy();
            problems.push(format!("{variable}: {}.", kind_and_value(&error)));
        }
    }
    if problems.is_empty() {
        problems.push(format!("{}.", kind_and_value(error)));
    }
    Problems(problems)
}

/// The kind of an error, with the value or the argument that caused it.
fn kind_and_value(error: &clap::Error) -> String {
    let mut reason = error.kind().to_string();
    for cause in [ContextKind::InvalidArg, ContextKind::InvalidValue] {
        if let Some(cause) = error.get(cause) {
            reason += &format!(" `{cause}`");
        }
    }
    if let Some(source) = error.source() {
        reason += &format!(": {source}");
    }
    reason
}

/// Whether a server uses this folder; an error if no server could use it.
fn is_folder_in_use(folder: &Path) -> io::Result<bool> {
    // The server creates a missing folder.
    let there = folder.ancestors().find(|folder| folder.exists());
    let there = there.filter(|there| *there != Path::new(""));
    let there = there.unwrap_or(Path::new("."));
    if !there.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    rustix::fs::access(there, Access::WRITE_OK | Access::EXEC_OK)?;
    for name in [DATABASE_FILE, LOCK_FILE] {
        let file = folder.join(name);
        if file.exists() {
            rustix::fs::access(&file, Access::READ_OK | Access::WRITE_OK)?;
        }
    }
    match File::open(folder.join(LOCK_FILE)) {
        Ok(lock) => match lock.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The problem of the port: another program uses it, or the server cannot listen on it.
async fn port_problem(listen: &Listen, port_flag: &'static str, is_used: bool) -> Option<String> {
    let failure = run::listen(listen, port_flag).err()?;
    // The port of a server that runs on this folder is taken by that server.
    if is_used && is_ours(listen.host, listen.port).await {
        return None;
    }
    Some(failure.to_string())
}

async fn is_ours(host: IpAddr, port: u16) -> bool {
    let address = SocketAddr::new(health_command::local(host), port);
    let answer = timeout(TIMEOUT, health_command::get(address, "/healthz")).await;
    matches!(answer, Ok(Ok(answer)) if answer.body == "ok")
}
