//! Installing what the checks need and a fresh machine lacks.

use std::path::Path;
use std::process::{Command, Stdio};

/// Installs whatever is missing: parts of the toolchain, Node.js, a browser and what steers it, and
/// what the example bots run on.
///
/// # Errors
/// A sentence about what could not be installed, and how to do it by hand.
pub fn tools(root: &Path) -> Result<(), String> {
    if !(answers("cargo", &["fmt", "--version"]) && answers("cargo", &["clippy", "--version"])) {
        run(
            "rustup component add rustfmt clippy",
            root,
            "The checks need rustfmt and clippy",
        )?;
    }
    if !(answers("node", &["--version"]) && answers("npm", &["--version"])) {
        debian_packages(&["nodejs", "npm"], root)?;
    }
    if !answers("chromium", &["--version"]) {
        debian_packages(&["chromium"], root)?;
    }
    if !answers("/usr/bin/python3", &["-c", "import websockets"]) {
        debian_packages(&["python3", "python3-websockets"], root)?;
    }
    run(
        "npm ci --prefix web/test --no-audit --no-fund",
        root,
        "The checks of the client need the packages in web/test/package-lock.json",
    )
}

/// Whether a program is there and answers.
fn answers(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs packages of Debian and its relatives; as root, or by sudo.
fn debian_packages(packages: &[&str], root: &Path) -> Result<(), String> {
    let names = packages.join(" and ");
    let need = format!("The checks need {names}");
    if !answers("apt-get", &["--version"]) {
        return Err(format!(
            "{need}, and only Debian's packages can be installed here: please install {names} by hand."
        ));
    }
    let is_root = Command::new("id").arg("-u").output();
    let is_root = is_root.is_ok_and(|output| output.stdout == b"0\n");
    let prefix = if is_root { "" } else { "sudo " };
    let update = format!("{prefix}apt-get update --quiet");
    run(&update, root, &need)?;
    let packages = packages.join(" ");
    let install =
        format!("{prefix}apt-get install --quiet --yes --no-install-recommends {packages}");
    run(&install, root, &need)
}

fn run(line: &str, root: &Path, need: &str) -> Result<(), String> {
    println!("=== {line}");
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().expect("a line has a first word"));
    command.args(words).current_dir(root);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    if command.status().is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("{need}, and `{line}` could not install that."))
    }
}
