//! A disk for one program, which is visible to that program only and can be filled or fail.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::common::folder::Folder;
use crate::common::skip;
use crate::process::{Program, TIMEOUT, command, free_port, start_command};

const BYTES: u64 = 16 * 1024 * 1024;
/// Fewer bytes than the server needs to start.
const FEW_BYTES: u64 = 4096;

pub struct Disk {
    /// The data folder, which is the mount point.
    folder: Folder,
    /// The command that mounts it.
    mount: String,
    /// The folder of the image file; unused for a disk in memory.
    image: Folder,
}

impl Disk {
    /// A disk in memory; `None` with a report if that is impossible on this machine.
    pub fn in_memory() -> Option<Self> {
        Self::create(|_| Ok(format!("-t tmpfs -o size={BYTES} tmpfs")))
    }

    /// Such a disk without space for a server.
    pub fn full() -> Option<Self> {
        Self::create(|_| Ok(format!("-t tmpfs -o size={FEW_BYTES} tmpfs")))
    }

    /// A disk with the file system ext4; `None` with a report if that is impossible on this machine.
    pub fn in_file() -> Option<Self> {
        let disk = Self::create(|image| {
            File::create(image).unwrap().set_len(BYTES).unwrap();
            let mut make = Command::new("mkfs.ext4");
            make.arg("-q").arg(image);
            done(make)?;
            let image = image.display();
            Ok(format!("-t ext4 -o loop,errors=remount-ro {image}"))
        });
        disk.inspect(Self::wait_until_unmounted)
    }

    /// A disk that `make` creates. It returns the arguments of `mount`.
    fn create(make: impl Fn(&Path) -> Result<String, String>) -> Option<Self> {
        let mut disk = Self {
            folder: Folder::create(),
            mount: String::new(),
            image: Folder::create(),
        };
        let created = make(&disk.image()).and_then(|mount| {
            disk.mount = format!("mount {mount} {}", disk.folder.text());
            done(disk.mounted(&Command::new("true")))
        });
        created.map_err(|why| skip_disk(&why)).ok().map(|()| disk)
    }

    fn image(&self) -> PathBuf {
        self.image.path().join("disk")
    }

    /// This command in a mount namespace with the disk.
    fn mounted(&self, command: &Command) -> Command {
        in_mount_namespace(&self.mount, command)
    }

    /// The command of a server with its data folder on the disk.
    pub fn command(&self, port: u16, arguments: &[&str]) -> Command {
        let mut command = command(&self.folder, port);
        command.args(arguments);
        self.mounted(&command)
    }

    /// Starts a program with its data folder on the disk.
    pub fn start(&self, arguments: &[&str]) -> Program {
        let port = free_port();
        start_command(self.command(port, arguments), port)
    }

    /// The path of the data folder, through the mount namespace of this program.
    pub fn path_through(&self, program: &Program) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", program.child.id()));
        root.join(self.folder.path().strip_prefix("/").unwrap())
    }

    /// Triggers an error of the file system, which becomes read-only until it is repaired; `None` with
    /// a report if that is impossible.
    pub fn fail(&self, program: &Program) -> Option<()> {
        let mounts = fs::read_to_string(format!("/proc/{}/mounts", program.child.id())).unwrap();
        let folder = format!(" {} ", self.folder.text());
        let mount = mounts.lines().find(|mount| mount.contains(&folder));
        let device = mount.unwrap().split(' ').next().unwrap();
        let device = device.strip_prefix("/dev/").unwrap();
        // Earlier writes reach the disk first.
        let written = File::open(self.path_through(program)).unwrap();
        rustix::fs::syncfs(written).unwrap();
        let error = format!("/sys/fs/ext4/{device}/trigger_fs_error");
        let failed = fs::write(&error, "a test").map_err(|why| format!("{error}: {why}"));
        failed.map_err(|why| skip_disk(&why)).ok()
    }

    /// Waits until no program uses the disk.
    fn wait_until_unmounted(&self) {
        let started = Instant::now();
        let holders = || {
            let mut holders = Command::new("losetup");
            holders.arg("--associated").arg(self.image());
            String::from_utf8(holders.output().unwrap().stdout).unwrap()
        };
        while !holders().is_empty() {
            assert!(started.elapsed() < TIMEOUT, "{}", holders());
        }
    }

    /// Repairs the file system, after no program uses it any more.
    pub fn repair(&self) {
        self.wait_until_unmounted();
        let mut repair = Command::new("e2fsck");
        let repaired = repair
            .args(["-f", "-y"])
            .arg(self.image())
            .output()
            .unwrap();
        // 1 means that it was repaired.
        assert!(
            matches!(repaired.status.code(), Some(0 | 1)),
            "{repaired:?}"
        );
    }
}

/// This command while nothing in the folder can be written; `None` with a report if that is impossible on this machine.
pub fn read_only(folder: &Folder, command: &Command) -> Option<Command> {
    let folder = folder.text();
    let mount = format!("mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}");
    let tried = done(in_mount_namespace(&mount, &Command::new("true")));
    tried.map_err(|why| skip_disk(&why)).ok()?;
    Some(in_mount_namespace(&mount, command))
}

/// This command in a mount namespace of its own, after a command that mounts.
fn in_mount_namespace(mount: &str, command: &Command) -> Command {
    let mut mounted = Command::new("unshare");
    let variables = command.get_envs();
    mounted.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    mounted
        .args(["--mount", "--propagation", "private", "sh", "-c"])
        .args([&format!("{mount} && exec \"$@\""), "sh"])
        .arg(command.get_program())
        .args(command.get_args())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    mounted
}

/// Runs a command. The error is its message.
fn done(mut command: Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("{:?}: {error}", command.get_program())),
    }
}

/// Reports that a test with a separate disk cannot run on this machine.
fn skip_disk(reason: &str) {
    skip(&format!("a separate disk cannot be mounted: {reason}"));
}
