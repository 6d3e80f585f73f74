//! `sticheln`: does what it is asked to do; if it cannot, says so and ends with 1.

use std::error::Error;
use std::process::ExitCode;

use clap::Parser;
use sticheln_server::options::{Line, Task};
use sticheln_server::{health, run};

#[tokio::main]
async fn main() -> ExitCode {
    let line = Line::parse();
    let task = line.task.unwrap_or(Task::Serve(Box::new(line.options)));
    match carry_out(task).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn carry_out(task: Task) -> Result<(), Box<dyn Error>> {
    match task {
        Task::Serve(options) => run::run(*options).await?,
        Task::Health(listen) => health::ask(&listen).await?,
        Task::Version => run::say(concat!("sticheln ", env!("CARGO_PKG_VERSION"))),
    }
    Ok(())
}
