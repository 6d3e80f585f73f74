//! A disk for one program: nobody else sees it, it can be filled, can fail, and ends with the program.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Folder, PATIENCE, Program, command, free_port, skip, wait_for};

const BYTES: u64 = 16 * 1024 * 1024;

pub struct Disk {
    /// The data folder, where it is mounted.
    folder: Folder,
    /// What mounts it.
    mount: String,
    /// The folder of the file in which all of it lies, but for a disk in memory.
    image: Folder,
}

impl Disk {
    /// One in memory; `None` if this machine does not let us have it, which is reported.
    pub fn in_memory() -> Option<Self> {
        Self::tried(|_| Ok(format!("-t tmpfs -o size={BYTES} tmpfs")))
    }

    /// One with the file system that most servers have; `None` likewise.
    pub fn in_file() -> Option<Self> {
        let disk = Self::tried(|image| {
            File::create(image).unwrap().set_len(BYTES).unwrap();
            let mut make = Command::new("mkfs.ext4");
            make.arg("-q").arg(image);
            done(make)?;
            let image = image.display();
            Ok(format!("-t ext4 -o loop,errors=remount-ro {image}"))
        });
        disk.inspect(Self::wait_until_let_go)
    }

    /// One that is made by this, which tells how it is mounted.
    fn tried(make: impl Fn(&Path) -> Result<String, String>) -> Option<Self> {
        let mut disk = Self {
            folder: Folder::new(),
            mount: String::new(),
            image: Folder::new(),
        };
        fs::create_dir(&disk.folder.0).unwrap();
        fs::create_dir(&disk.image.0).unwrap();
        let had = make(&disk.image()).and_then(|mount| {
            disk.mount = format!("mount {mount} {}", disk.folder.0.display());
            done(disk.with(&Command::new("true")))
        });
        had.map_err(|why| skip_disk(&why)).ok().map(|()| disk)
    }

    fn image(&self) -> PathBuf {
        self.image.0.join("disk")
    }

    /// This command where the disk is mounted.
    fn with(&self, command: &Command) -> Command {
        let mut with = Command::new("unshare");
        with.args(["--mount", "--propagation", "private", "sh", "-c"])
            .args([&format!("{} && exec \"$@\"", self.mount), "sh"])
            .arg(command.get_program())
            .args(command.get_args())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        with
    }

    /// Starts a program that keeps everything on it.
    pub fn start(&self, more: &[&str]) -> Program {
        let port = free_port();
        let mut command = command(&self.folder, port);
        command.args(more);
        wait_for(self.with(&command), port)
    }

    /// The way to what lies on it while this program runs.
    pub fn seen_by(&self, program: &Program) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", program.child.id()));
        root.join(self.folder.0.strip_prefix("/").unwrap())
    }

    /// Has the system find an error on it, so that nothing is written any more until it was looked
    /// through; `None` if it cannot be had, which is reported.
    pub fn fail(&self, program: &Program) -> Option<()> {
        let mounts = fs::read_to_string(format!("/proc/{}/mounts", program.child.id())).unwrap();
        let folder = format!(" {} ", self.folder.0.display());
        let mount = mounts.lines().find(|mount| mount.contains(&folder));
        let device = mount.unwrap().split(' ').next().unwrap();
        let device = device.strip_prefix("/dev/").unwrap();
        // What was written a while ago lies on the disk.
        let written = File::open(self.seen_by(program)).unwrap();
        rustix::fs::syncfs(written).unwrap();
        let error = format!("/sys/fs/ext4/{device}/trigger_fs_error");
        let failed = fs::write(&error, "a test").map_err(|why| format!("{error}: {why}"));
        failed.map_err(|why| skip_disk(&why)).ok()
    }

    /// Waits until no program has it any more.
    fn wait_until_let_go(&self) {
        let began = Instant::now();
        let holders = || {
            let mut holders = Command::new("losetup");
            holders.arg("--associated").arg(self.image());
            String::from_utf8(holders.output().unwrap().stdout).unwrap()
        };
        while !holders().is_empty() {
            assert!(began.elapsed() < PATIENCE, "{}", holders());
        }
    }

    /// Looks through it, once no program has it any more, and mends it.
    pub fn repair(&self) {
        self.wait_until_let_go();
        let mut repair = Command::new("e2fsck");
        let repaired = repair
            .args(["-f", "-y"])
            .arg(self.image())
            .output()
            .unwrap();
        // One: it was mended.
        assert!(
            matches!(repaired.status.code(), Some(0 | 1)),
            "{repaired:?}"
        );
    }
}

/// Runs a command; what it says if it cannot do it.
fn done(mut command: Command) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("{:?}: {error}", command.get_program())),
    }
}

/// Reports that a test with a disk of its own cannot run here.
fn skip_disk(reason: &str) {
    skip(&format!("a disk of its own cannot be mounted: {reason}"));
}
