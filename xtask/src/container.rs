//! `cargo xtask container`: builds the image and tries it, without a daemon and without a registry.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::install;

/// What the image is called while it is tried.
const IMAGE: &str = "localhost/sticheln:tried";
/// The most bytes of the image that is handed out.
const IMAGE_BYTES: u64 = 30_000_000;
/// What podman is told besides: no daemon and no services of the system are needed to run a container.
const ENGINE: [&str; 6] = [
    "--cgroup-manager",
    "cgroupfs",
    "--runtime",
    "runc",
    "--events-backend",
    "none",
];
/// The exit codes of podman that mean that it could not start the program of a container.
const NOT_STARTED: RangeInclusive<i32> = 125..=126;
/// The folder of Rust in the official images.
const RUST: &str = "usr/local";

/// How much of it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The Dockerfile as it is, from stand-ins for the images that it begins with.
    Whole,
    /// The last stage of the Dockerfile, around the program that the checks have built. Where containers cannot be run,
    /// this is skipped with the reason, and does not fail.
    Quick,
}

/// Builds the image, runs it as `docker/compose.yaml` does, and plays against it. Removes the image and the containers
/// afterwards; a whole build keeps the stand-in for the official image for the next time.
///
/// # Errors
/// A sentence about what failed.
pub fn check(root: &Path, target: &Path, extent: Extent) -> Result<(), String> {
    let possible = allowed().and_then(|()| install::containers(root));
    match (possible, extent) {
        (Ok(()), _) => {}
        (Err(why), Extent::Quick) => {
            println!("skipped: the container was not tried: {why}");
            return Ok(());
        }
        (Err(why), Extent::Whole) => return Err(why),
    }
    let store = Store::open(target.join("container"))?;
    match extent {
        Extent::Quick => {
            let built = target.join("container/built");
            lay_out(&target.join("debug/sticheln"), &built.join("out"))?;
            let context = format!("build={}", built.display());
            store.build(root, &["--build-context", &context])?;
        }
        Extent::Whole => {
            install::debootstrap(root)?;
            store.stand_in(&first_image(root)?)?;
            store.build(root, &[])?;
        }
    }
    let tried = match (store.can_run(), extent) {
        (Ok(()), _) => store.test(root, extent),
        (Err(why), Extent::Quick) => {
            println!("skipped: the container was built and not tried: {why}");
            Ok(())
        }
        (Err(why), Extent::Whole) => Err(why),
    };
    // The next run makes another one.
    let removed = store.run("buildah", &["rmi", "--force", IMAGE]);
    tried.and(removed)
}

/// Whether this user may run containers here. Users other than root need settings of the machine for it, which this
/// program does not change.
fn allowed() -> Result<(), String> {
    if install::is_root() {
        Ok(())
    } else {
        Err("containers are tried only as root.".into())
    }
}

/// The image that the first stage of the Dockerfile begins with.
fn first_image(root: &Path) -> Result<String, String> {
    let text = fs::read_to_string(root.join("docker/Dockerfile"));
    let text = text.map_err(|error| format!("The Dockerfile cannot be read: {error}."))?;
    let image = text.lines().find_map(|line| {
        let (image, _) = line.strip_prefix("FROM ")?.split_once(" AS build")?;
        Some(image.to_owned())
    });
    image.ok_or_else(|| "The Dockerfile has no stage `build`.".into())
}

/// Lays out a program as the stage `build` does, with the libraries that it needs at their places.
fn lay_out(program: &Path, out: &Path) -> Result<(), String> {
    let failed = |error| format!("The image cannot be prepared: {error}.");
    let image = out.join("root");
    if out.exists() {
        fs::remove_dir_all(out).map_err(failed)?;
    }
    fs::create_dir_all(out.join("data")).map_err(failed)?;
    let needed = Command::new("ldd").arg(program).output().map_err(failed)?;
    let needed = String::from_utf8_lossy(&needed.stdout).into_owned();
    let libraries = needed
        .split_whitespace()
        .filter(|word| word.starts_with('/'));
    for library in libraries {
        let place = image.join(library.trim_start_matches('/'));
        fs::create_dir_all(place.parent().expect("a file lies in a folder")).map_err(failed)?;
        fs::copy(library, place).map_err(failed)?;
    }
    fs::create_dir_all(&image).map_err(failed)?;
    fs::copy(program, image.join("sticheln")).map_err(failed)?;
    Ok(())
}

/// The folder of images and containers. It is that of no other program on this machine.
struct Store(PathBuf);

impl Store {
    /// Podman's database, in the folder of the images.
    const DATABASE: &str = "store/libpod";

    /// The store in this folder. Podman starts with a new database: the database has the absolute path of its folder, and
    /// podman refuses it after the folder was copied or moved. It lists containers and volumes, of which a run leaves none.
    fn open(folder: PathBuf) -> Result<Self, String> {
        let database = folder.join(Self::DATABASE);
        if database.exists() {
            fs::remove_dir_all(&database)
                .map_err(|error| format!("{} cannot be removed: {error}.", database.display()))?;
        }
        Ok(Self(folder))
    }

    /// The words that every call of `buildah` and `podman` begins with.
    fn words(&self) -> Vec<String> {
        let folder = |name: &str| self.0.join(name).display().to_string();
        let words = [
            ["--root", &folder("store")],
            ["--runroot", &folder("run")],
            // Any file system can hold it, also one inside a container.
            ["--storage-driver", "vfs"],
        ];
        words.concat().into_iter().map(str::to_owned).collect()
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(self.words()).args(words);
        command
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<(), String> {
        println!("=== {program} {}", words.join(" "));
        finish(&mut self.command(program, words))
    }

    /// What a call says on one line.
    fn ask(&self, program: &str, words: &[&str]) -> Result<String, String> {
        let output = self
            .command(program, words)
            .stderr(Stdio::inherit())
            .output();
        let said = output.ok().filter(|output| output.status.success());
        let said = said.ok_or_else(|| format!("`{program} {}` failed.", words.join(" ")))?;
        Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
    }

    /// Builds the image by the Dockerfile.
    fn build(&self, root: &Path, more: &[&str]) -> Result<(), String> {
        let file = root.join("docker/Dockerfile").display().to_string();
        let folder = root.display().to_string();
        let mut words = vec!["bud", "--format", "docker", "--isolation", "chroot"];
        words.extend(["--pull-never", "--file", &file, "--tag", IMAGE]);
        words.extend(more);
        words.push(&folder);
        self.run("buildah", &words)
    }

    /// Makes what stands in for an official image of Rust: the same system, and the toolchain of this machine.
    fn stand_in(&self, image: &str) -> Result<(), String> {
        if self
            .command("buildah", &["inspect", "--type", "image", image])
            .output()
            .is_ok_and(|output| output.status.success())
        {
            return Ok(());
        }
        let folder = self.0.join("base");
        let failed = |error| format!("What {image} is made of cannot be prepared: {error}.");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        let place = folder.display().to_string();
        println!("=== {image}: its system");
        finish(Command::new("debootstrap").args([
            "--variant=minbase",
            "--include=ca-certificates,gcc,libc6-dev",
            "bookworm",
            &place,
        ]))?;
        println!("=== {image}: its toolchain");
        let toolchain = said("rustc", &["--print", "sysroot"])?;
        let name = Path::new(&toolchain)
            .file_name()
            .and_then(|name| name.to_str());
        let name = name.ok_or("The toolchain of this machine has no name.")?;
        let rust = folder.join(RUST);
        let toolchains = rust.join("rustup/toolchains");
        let programs = rust.join("cargo/bin");
        fs::create_dir_all(&toolchains).map_err(failed)?;
        fs::create_dir_all(&programs).map_err(failed)?;
        finish(
            Command::new("cp")
                .arg("-a")
                .arg(&toolchain)
                .arg(&toolchains),
        )?;
        fs::write(
            rust.join("rustup/settings.toml"),
            format!("version = \"12\"\nprofile = \"minimal\"\ndefault_toolchain = \"{name}\"\n"),
        )
        .map_err(failed)?;
        // It is called by the name of what it stands for.
        let rustup = said("which", &["rustup"])?;
        for program in ["rustup", "cargo", "rustc"] {
            fs::copy(&rustup, programs.join(program)).map_err(failed)?;
        }
        // A machine may trust others than usual to reach its registries.
        let trusted = "etc/ssl/certs/ca-certificates.crt";
        if Path::new("/").join(trusted).exists() {
            fs::copy(Path::new("/").join(trusted), folder.join(trusted)).map_err(failed)?;
        }

        let container = self.ask("buildah", &["from", "scratch"])?;
        self.run("buildah", &["add", "--quiet", &container, &place, "/"])?;
        let path = "PATH=/usr/local/cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
        let mut words = vec!["config"];
        for variable in [
            "RUSTUP_HOME=/usr/local/rustup",
            "CARGO_HOME=/usr/local/cargo",
            path,
        ] {
            words.extend(["--env", variable]);
        }
        words.push(&container);
        self.run("buildah", &words)?;
        self.run("buildah", &["commit", "--quiet", "--rm", &container, image])?;
        fs::remove_dir_all(&folder).map_err(failed)
    }

    /// Whether this machine lets a container run: inside of another one it usually does not.
    fn can_run(&self) -> Result<(), String> {
        let mut command = self.command("podman", &ENGINE);
        command.args(["run", "--rm", "--network", "host"]);
        command.args([
            "--ulimit",
            "nofile=1024:20000",
            "--ulimit",
            "nproc=1000:1000",
        ]);
        command.args([IMAGE, "version"]);
        let output = command.output();
        let output = output.map_err(|error| format!("`podman` cannot be started: {error}."))?;
        match output.status.code() {
            // The program has run, and the test finds out what is wrong with it.
            Some(code) if !NOT_STARTED.contains(&code) => Ok(()),
            Some(_) | None => {
                let said = String::from_utf8_lossy(&output.stderr);
                let why = said.lines().last().unwrap_or("it does not say why");
                Err(format!("podman cannot run containers here: {why}"))
            }
        }
    }

    /// Runs the image, and plays against it.
    fn test(&self, root: &Path, extent: Extent) -> Result<(), String> {
        let mut test = Command::new("node");
        test.args(["--test", "web/test/hosting/container.test.js"])
            .current_dir(root);
        let words = [self.words(), ENGINE.map(str::to_owned).to_vec()].concat();
        test.env("IMAGE", IMAGE).env("PODMAN", words.join(" "));
        match extent {
            Extent::Whole => test.env("IMAGE_BYTES", IMAGE_BYTES.to_string()),
            // Its program is larger than the one that is handed out.
            Extent::Quick => test.env_remove("IMAGE_BYTES"),
        };
        finish(&mut test)
    }
}

/// What a program says on one line.
fn said(program: &str, words: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(words).output();
    let said = output.ok().filter(|output| output.status.success());
    let said = said.ok_or_else(|| format!("`{program}` does not answer, and is needed."))?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

fn finish(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` failed.")),
        Err(error) => Err(format!("`{program}` cannot be started: {error}.")),
    }
}
