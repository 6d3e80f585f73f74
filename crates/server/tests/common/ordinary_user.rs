//! Programs that the tests start as an ordinary user, and folders that this user can enter.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the tests run as root.
pub fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// A folder that the user of the server can enter: in the target folder, or else in that of the system for temporary files.
pub fn scratch_folder(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = create_folder(target.join(name));
    let entered = user_command("test", "KILL").arg("-x").arg(&folder).status();
    if entered.is_ok_and(|entered| entered.success()) {
        return folder;
    }
    // Two target folders have different folders there.
    let mut hasher = DefaultHasher::new();
    target.hash(&mut hasher);
    let unique = format!("sticheln-tests-{:016x}", hasher.finish());
    let parent = create_folder(std::env::temp_dir().join(unique));
    create_folder(parent.join(name))
}

/// Creates a folder that all users may enter, if its parents let them.
fn create_folder(folder: PathBuf) -> PathBuf {
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    folder
}

/// The command of a program as an ordinary user, because PostgreSQL refuses root. The program gets a signal when the thread that
/// has started it ends.
pub fn user_command(program: impl AsRef<OsStr>, signal: &str) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]);
    }
    command.args(["--pdeathsig", signal, "--"]).arg(program);
    command
}
