//! A server with the third game, for the test in a browser: it runs with the arguments `serve` and the settings of the
//! program. With the argument `schema` it prints the schema of the wire. Started as a test it does nothing.

mod games;
#[path = "../common/schema.rs"]
mod schema;
mod toy;

use std::error::Error;

use clap::Parser;
use sticheln_protocol::schema::GameSchemas;
use sticheln_server::run;
use sticheln_server::settings::{Cli, CliCommand};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("serve") => {
            if let Some(CliCommand::Serve(settings)) = Cli::parse().command {
                run::run(*settings, games::three()).await?;
            }
        }
        Some("schema") => {
            let mut games = schema::games();
            games.push(GameSchemas::of::<toy::Toy>());
            print!("{}", schema::schema(&games));
        }
        _ => {}
    }
    Ok(())
}
