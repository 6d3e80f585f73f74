//! `cargo xtask container`: builds the image and tests it, without a daemon and without a registry.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::install;
use crate::lock;
use crate::runner::node_options;

/// The tag of the image during the test.
const IMAGE: &str = "localhost/sticheln:test";
/// The maximum size of the released image, in bytes.
const MAX_IMAGE_BYTES: u64 = 30_000_000;
/// The options of podman that make it independent of daemons and services of the system.
const PODMAN_OPTIONS: [&str; 6] = [
    "--cgroup-manager",
    "cgroupfs",
    "--runtime",
    "runc",
    "--events-backend",
    "none",
];
/// The tag of an image with one program of the system, which runs on each machine that can run containers.
const PROBE_IMAGE: &str = "localhost/sticheln:probe";
/// The program of that image. It does nothing.
const PROBE_PROGRAM: &str = "/bin/true";
/// The folder of Rust in the official image.
const RUST_FOLDER: &str = "usr/local";

/// The stages of the Dockerfile that are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All stages, from a substitute for the official image of Rust.
    AllStages,
    /// The last stage, with the program that the checks have built. On a machine that cannot run containers, this is
    /// skipped and does not fail.
    LastStage,
}

/// Builds the image, runs it as `docker/compose.yaml` does, and plays against it. Afterwards the image and the
/// containers are removed. A build of all stages keeps the substitute base image for the next run.
///
/// `results` is the JUnit file for the results of single tests. There is none if the test is skipped.
///
/// # Errors
/// The step that failed.
pub fn build_and_test(
    root: &Path,
    target: &Path,
    extent: Extent,
    results: Option<&Path>,
) -> Result<(), Error> {
    let can_install = check_root().and_then(|()| install::install_container_programs(root));
    match (can_install, extent) {
        (Ok(()), _) => {}
        (Err(why), Extent::LastStage) => {
            println!("skipped: the container was not tested: {why}");
            return Ok(());
        }
        (Err(why), Extent::AllStages) => return Err(why),
    }
    let _lock = lock::exclusive(&target.join("container"))?;
    let store = ImageStore::open(target.join("container"))?;
    match extent {
        Extent::LastStage => {
            let built = target.join("container/built");
            copy_with_libraries(&target.join("debug/sticheln"), &built.join("out"))?;
            let context = format!("build={}", built.display());
            store.build(root, &["--build-context", &context])?;
        }
        Extent::AllStages => {
            install::install_debootstrap(root)?;
            store.build_substitute_base_image(&build_stage_image(root)?)?;
            store.build(root, &[])?;
        }
    }
    // If the minimal probe image does not run either, the machine cannot run containers, and our image is not at fault.
    let can_run = store.add_probe().and_then(|()| store.run_probe());
    let tested = match (can_run, extent) {
        (Ok(()), _) => store.test_image(root, extent, results),
        (Err(why), Extent::LastStage) => {
            println!("skipped: the container was built and not tested: {why}");
            Ok(())
        }
        (Err(why), Extent::AllStages) => Err(why),
    };
    // The next run builds another image.
    let removed = store.run_program("buildah", &["rmi", "--force", IMAGE, PROBE_IMAGE]);
    tested.and(removed)
}

/// Checks that this user may run containers. Only root can, without changes to the settings of the machine.
fn check_root() -> Result<(), Error> {
    if install::is_root() {
        Ok(())
    } else {
        Err(Error::Problem(
            "only root can run containers here.".to_owned(),
        ))
    }
}

/// The base image of the first stage of the Dockerfile.
fn build_stage_image(root: &Path) -> Result<String, Error> {
    let text = fs::read_to_string(root.join("docker/Dockerfile"));
    let text = text.map_err(|error| Error::io("The Dockerfile cannot be read", error))?;
    let image = text.lines().find_map(|line| {
        let (image, _) = line.strip_prefix("FROM ")?.split_once(" AS build")?;
        Some(image.to_owned())
    });
    image.ok_or_else(|| Error::Problem("The Dockerfile has no stage `build`.".to_owned()))
}

/// Copies a program into the root of an image, and its libraries to the same paths as on this machine. This is the
/// layout of the stage `build`.
fn copy_with_libraries(program: &Path, out: &Path) -> Result<(), Error> {
    let failed = |error| Error::io("The image cannot be prepared", error);
    let image = out.join("root");
    if out.exists() {
        fs::remove_dir_all(out).map_err(failed)?;
    }
    fs::create_dir_all(out.join("data")).map_err(failed)?;
    let needed = Command::new("ldd").arg(program).output().map_err(failed)?;
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    let libraries = needed
        .split_whitespace()
        .filter(|field| field.starts_with('/'));
    for library in libraries {
        let path = image.join(library.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).map_err(failed)?;
        fs::copy(library, path).map_err(failed)?;
    }
    fs::create_dir_all(&image).map_err(failed)?;
    let name = program.file_name().expect("a program has a name");
    fs::copy(program, image.join(name)).map_err(failed)?;
    Ok(())
}

/// A folder for images and containers, which no other program uses.
struct ImageStore(PathBuf);

impl ImageStore {
    /// The database of podman in the folder.
    const DATABASE: &str = "store/libpod";

    /// The store in this folder, with a new database. A database contains the absolute path of its folder, and podman
    /// refuses it after the folder was moved. It lists containers and volumes, and a run leaves none.
    fn open(folder: PathBuf) -> Result<Self, Error> {
        let database = folder.join(Self::DATABASE);
        if database.exists() {
            fs::remove_dir_all(&database).map_err(|error| {
                Error::io(format!("{} cannot be removed", database.display()), error)
            })?;
        }
        Ok(Self(folder))
    }

    /// The options that each call of `buildah` and `podman` begins with.
    fn options(&self) -> Vec<String> {
        let folder = |name: &str| self.0.join(name).display().to_string();
        let args = [
            ["--root", &folder("store")],
            ["--runroot", &folder("run")],
            // This driver works on any file system, also inside a container.
            ["--storage-driver", "vfs"],
        ];
        args.concat().into_iter().map(str::to_owned).collect()
    }

    /// A command of `buildah` or `podman` with the options of the store.
    fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(self.options()).args(args);
        command
    }

    /// Prints and runs `buildah` or `podman` with the options of the store.
    fn run_program(&self, program: &str, args: &[&str]) -> Result<(), Error> {
        println!("=== {program} {}", args.join(" "));
        run_command(&mut self.command(program, args))
    }

    /// Runs `buildah` or `podman` with the options of the store. Returns the output, which is one line.
    fn output(&self, program: &str, args: &[&str]) -> Result<String, Error> {
        let output = self
            .command(program, args)
            .stderr(Stdio::inherit())
            .output();
        let output = output.ok().filter(|output| output.status.success());
        let output =
            output.ok_or_else(|| Error::Program(format!("{program} {}", args.join(" "))))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Builds the image from the Dockerfile.
    fn build(&self, root: &Path, extra_args: &[&str]) -> Result<(), Error> {
        let file = root.join("docker/Dockerfile").display().to_string();
        let folder = root.display().to_string();
        let mut args = vec!["bud", "--format", "docker", "--isolation", "chroot"];
        args.extend(["--pull-never", "--file", &file, "--tag", IMAGE]);
        args.extend(extra_args);
        args.push(&folder);
        self.run_program("buildah", &args)
    }

    /// Builds a substitute for the official image of Rust, unless the store has one: the same system, with the
    /// toolchain of this machine.
    fn build_substitute_base_image(&self, image: &str) -> Result<(), Error> {
        let mut inspect = self.command("buildah", &["inspect", "--type", "image", image]);
        if inspect.output().is_ok_and(|output| output.status.success()) {
            return Ok(());
        }
        let folder = self.0.join("base");
        let failed = |error| {
            Error::io(
                format!("The substitute for {image} cannot be prepared"),
                error,
            )
        };
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        let path = folder.display().to_string();
        println!("=== {image}: its system");
        run_command(Command::new("debootstrap").args([
            "--variant=minbase",
            "--include=ca-certificates,gcc,libc6-dev",
            "bookworm",
            &path,
        ]))?;
        println!("=== {image}: its toolchain");
        copy_toolchain(&folder.join(RUST_FOLDER))?;
        // This machine may trust other certificates to reach its registries.
        let certificates = "etc/ssl/certs/ca-certificates.crt";
        let certificates_of_machine = Path::new("/").join(certificates);
        if certificates_of_machine.exists() {
            fs::copy(certificates_of_machine, folder.join(certificates)).map_err(failed)?;
        }
        self.commit(&path, image)?;
        fs::remove_dir_all(&folder).map_err(failed)
    }

    /// Commits a folder as an image in which Rust can be used.
    fn commit(&self, folder: &str, image: &str) -> Result<(), Error> {
        let container = self.output("buildah", &["from", "scratch"])?;
        self.run_program("buildah", &["add", "--quiet", &container, folder, "/"])?;
        let path = "PATH=/usr/local/cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        let mut args = vec!["config"];
        for variable in [
            "RUSTUP_HOME=/usr/local/rustup",
            "CARGO_HOME=/usr/local/cargo",
            path,
        ] {
            args.extend(["--env", variable]);
        }
        args.push(&container);
        self.run_program("buildah", &args)?;
        self.run_program("buildah", &["commit", "--quiet", "--rm", &container, image])
    }

    /// Builds the image with which [`ImageStore::run_probe`] tries the machine.
    fn add_probe(&self) -> Result<(), Error> {
        let out = self.0.join("probe");
        copy_with_libraries(Path::new(PROBE_PROGRAM), &out)?;
        let root = out.join("root").display().to_string();
        let container = self.output("buildah", &["from", "scratch"])?;
        self.run_program("buildah", &["add", "--quiet", &container, &root, "/"])?;
        self.run_program(
            "buildah",
            &["commit", "--quiet", "--rm", &container, PROBE_IMAGE],
        )
    }

    /// Checks that this machine can run containers. Inside a container it usually cannot.
    fn run_probe(&self) -> Result<(), Error> {
        let mut command = self.command("podman", &PODMAN_OPTIONS);
        command.args(["run", "--rm", "--network", "host"]);
        command.args([
            "--ulimit",
            "nofile=1024:20000",
            "--ulimit",
            "nproc=1000:1000",
        ]);
        command.args([PROBE_IMAGE, "/true"]);
        let output = command.output();
        let output = output.map_err(|source| Error::Start {
            program: "podman".to_owned(),
            source,
        })?;
        if output.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let why = stderr.lines().last().unwrap_or("podman gives no reason");
        Err(Error::Problem(format!(
            "podman cannot run containers here: {why}"
        )))
    }

    /// Runs the image and plays against it.
    fn test_image(&self, root: &Path, extent: Extent, results: Option<&Path>) -> Result<(), Error> {
        let mut test = Command::new("node");
        test.arg("--test")
            .args(node_options(results))
            .arg("web/test/hosting/container.test.js")
            .current_dir(root);
        let args = [self.options(), PODMAN_OPTIONS.map(str::to_owned).to_vec()].concat();
        test.env("IMAGE", IMAGE).env("PODMAN", args.join(" "));
        match extent {
            Extent::AllStages => test.env("IMAGE_BYTES", MAX_IMAGE_BYTES.to_string()),
            // The program of the checks is larger than the released one.
            Extent::LastStage => test.env_remove("IMAGE_BYTES"),
        };
        run_command(&mut test)
    }
}

/// Copies the Rust toolchain of this machine into a folder, in the layout of the official image.
fn copy_toolchain(rust_folder: &Path) -> Result<(), Error> {
    let failed = |error| Error::io("The toolchain cannot be copied", error);
    let toolchain = output_of("rustc", &["--print", "sysroot"])?;
    let name = Path::new(&toolchain)
        .file_name()
        .and_then(|name| name.to_str());
    let name = name
        .ok_or_else(|| Error::Problem("The toolchain of this machine has no name.".to_owned()))?;
    let toolchains = rust_folder.join("rustup/toolchains");
    let programs = rust_folder.join("cargo/bin");
    fs::create_dir_all(&toolchains).map_err(failed)?;
    fs::create_dir_all(&programs).map_err(failed)?;
    run_command(
        Command::new("cp")
            .arg("-a")
            .arg(&toolchain)
            .arg(&toolchains),
    )?;
    fs::write(
        rust_folder.join("rustup/settings.toml"),
        format!("version = \"12\"\nprofile = \"minimal\"\ndefault_toolchain = \"{name}\"\n"),
    )
    .map_err(failed)?;
    // rustup selects the tool by its own file name (argv[0]).
    let rustup = output_of("which", &["rustup"])?;
    for program in ["rustup", "cargo", "rustc"] {
        fs::copy(&rustup, programs.join(program)).map_err(failed)?;
    }
    Ok(())
}

/// Runs a program and returns its output, which is one line.
fn output_of(program: &str, args: &[&str]) -> Result<String, Error> {
    let output = Command::new(program).args(args).output();
    let output = output.ok().filter(|output| output.status.success());
    let output = output.ok_or_else(|| Error::Program(format!("{program} {}", args.join(" "))))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs a command until it ends.
///
/// # Errors
/// If it cannot be started or fails.
fn run_command(command: &mut Command) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Error::Program(program)),
        Err(source) => Err(Error::Start { program, source }),
    }
}
