//! Ending a process together with all that it has started.
//!
//! A process group of its own would be simpler to end, but Ctrl-C in the terminal would then no
//! longer reach it.

use std::process::{Child, Command};

/// Ends `child` and its descendants. Without the system's `ps` and `sh` only `child` ends.
pub fn end(child: &mut Child) {
    let family: Vec<String> = descendants(child.id()).iter().map(u32::to_string).collect();
    // All at once, so that none has the time to start another.
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -KILL \"$@\"", "kill"]).args(&family);
    // What has ended by itself cannot be killed any more: no error that matters.
    let _ = kill.status();
    let _ = child.kill();
    let _ = child.wait();
}

/// `ancestor` and all processes that come from it.
fn descendants(ancestor: u32) -> Vec<u32> {
    let list = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output();
    let list = list.map(|output| output.stdout).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let pairs: Vec<(u32, u32)> = list
        .lines()
        .filter_map(|line| {
            let (id, parent) = line.trim().split_once(' ')?;
            Some((id.parse().ok()?, parent.trim().parse().ok()?))
        })
        .collect();

    let mut family = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = family.get(next).copied() {
        let children = pairs.iter().filter(|(_, of)| *of == parent);
        family.extend(children.map(|(id, _)| *id));
        next += 1;
    }
    family
}
