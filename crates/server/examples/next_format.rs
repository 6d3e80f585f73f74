//! The program of the next version, for the rollout in a browser test. Its format differs from the current one in each text.

use std::process::ExitCode;

use sticheln_room::next;

#[tokio::main]
async fn main() -> ExitCode {
    next::select();
    sticheln_server::program::main().await
}
