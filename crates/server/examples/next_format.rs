//! The program of the next format, which a cluster is upgraded to in a test of the browser. Its texts differ from those of this version.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    sticheln_server::program::main().await
}
