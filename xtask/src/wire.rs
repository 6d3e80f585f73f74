//! `cargo xtask wire`: generates files from the Rust types of the messages.
//!
//! Tests of the server write `docs/wire/schema.json`, `docs/record.schema.json`, `docs/wire/samples.json`, and the generated
//! parts of `docs/protocol.md` and `docs/wire/*.md`. A script derives `web/js/protocol.d.ts` from the schema.

use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// Generates the files, or checks that they are current.
///
/// # Errors
/// If a command cannot be run, and [`Error::AlreadyReported`] if it fails.
pub fn generate_or_check(root: &Path, is_check: bool) -> Result<(), Error> {
    let mut schema = Command::new("cargo");
    schema.args(["test", "--locked", "--package", "sticheln-server"]);
    schema.args(["--test", "wire"]);
    let mut types = Command::new("node");
    types.arg("web/test/types.mjs");
    if is_check {
        types.arg("--check");
    } else {
        // A test must not read a file while another test writes it.
        schema.args(["--", "--test-threads", "1", "current"]);
        schema.env("UPDATE_WIRE", "1");
    }
    for mut command in [schema, types] {
        let program = command.get_program().to_string_lossy().into_owned();
        let status = command.current_dir(root).status();
        let status = status.map_err(|source| Error::Start { program, source })?;
        if !status.success() {
            return Err(Error::AlreadyReported);
        }
    }
    Ok(())
}
