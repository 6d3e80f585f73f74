//! The program: runs one command, and ends with 1 and a message if it fails. Only `verify` and `import` have other exit codes.

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;

use crate::ops::health_command;
use crate::room_commands::RoomListOptions;
use crate::settings::{Cli, CliCommand, RoomCommand, Rooms};
use crate::{
    PROGRAM, backup_commands, check_config, control_commands, copy_command, games, record_commands,
    room_commands, run, verify_command,
};

/// Runs the command of this process.
pub async fn main() -> ExitCode {
    // Files are readable only for the user that runs the program.
    #[cfg(target_os = "linux")]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let line = match Cli::try_parse() {
        Ok(line) => line,
        Err(error) if is_check_config() && error.use_stderr() => {
            eprintln!("{}", check_config::parse_problems(&error));
            return ExitCode::FAILURE;
        }
        Err(error) => error.exit(),
    };
    let command = line
        .command
        .unwrap_or(CliCommand::Serve(Box::new(line.settings)));
    match run_command(command).await {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the command is `check-config`, which reports the problem of each setting.
fn is_check_config() -> bool {
    std::env::args()
        .nth(1)
        .is_some_and(|command| command == "check-config")
}

async fn run_command(command: CliCommand) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        CliCommand::Serve(settings) => run::run(*settings, games::all()).await?,
        CliCommand::Health(listen) => health_command::ask(listen.host, listen.port).await?,
        CliCommand::CheckConfig(settings) => {
            check_config::check(&settings).await?;
            run::print_line("A server can run with these settings.");
        }
        CliCommand::Backup(wanted) => backup_commands::backup(&wanted).await?,
        CliCommand::Restore(wanted) => backup_commands::restore(&wanted).await?,
        CliCommand::Copy(settings) => copy_command::copy(&settings).await?,
        CliCommand::Close(wanted) => {
            control_commands::close(&wanted.server, &wanted.code).await?;
        }
        CliCommand::Say(wanted) => {
            control_commands::say(&wanted.server, &wanted.words.join(" ")).await?;
        }
        CliCommand::Drain(wanted) if wanted.cancel => {
            control_commands::cancel_drain(&wanted.server).await?;
        }
        CliCommand::Drain(wanted) => {
            control_commands::drain(&wanted.server, wanted.time, wanted.all).await?;
        }
        CliCommand::Rooms(wanted) => run_rooms_command(*wanted).await?,
        CliCommand::Export(wanted) => record_commands::export(&wanted).await?,
        CliCommand::Import(wanted) => {
            let games = games::verifiers();
            return record_commands::import(&wanted.server, &wanted.file, &games).await;
        }
        CliCommand::Verify(wanted) => {
            return Ok(verify_command::verify(&wanted.file, &games::verifiers()));
        }
        CliCommand::Version => {
            run::print_line(&format!("{PROGRAM} {}", env!("CARGO_PKG_VERSION")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn run_rooms_command(wanted: Rooms) -> Result<(), Box<dyn Error>> {
    match wanted.command {
        None => {
            let connections = control_commands::connections(&wanted.server).await;
            let list = RoomListOptions {
                only_damaged: wanted.damaged,
                connections: match wanted.awake {
                    true => Some(connections?),
                    false => connections.ok(),
                },
                only_awake: wanted.awake,
            };
            let (folder, database) = (&wanted.server.folder.path, &wanted.database);
            room_commands::list(folder, database, &games::all(), &list).await?;
        }
        Some(RoomCommand::Show(one)) => {
            let (folder, database) = (&one.folder.path, &one.database);
            room_commands::show(folder, database, &games::all(), &one.code).await?;
        }
        Some(RoomCommand::Remove(one)) => {
            room_commands::remove(&one.folder.path, &one.database, &one.code).await?;
        }
    }
    Ok(())
}
