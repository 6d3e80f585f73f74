//! A server with the third game, for the test in a browser: it runs with the arguments `serve` and the settings of the
//! program. Started as a test it does nothing.

mod games;
mod toy;

use std::error::Error;

use clap::Parser;
use sticheln_server::run;
use sticheln_server::settings::{Cli, CliCommand};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() != Some("serve") {
        return Ok(());
    }
    if let Some(CliCommand::Serve(settings)) = Cli::parse().command {
        run::run(*settings, games::three()).await?;
    }
    Ok(())
}
