//! The program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The default allocators of some systems keep another 19 MiB for each password hash, up to hundreds of MiB.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    sticheln_server::program::main().await
}
