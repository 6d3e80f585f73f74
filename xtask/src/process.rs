//! Ending a process together with everything that it has started.
//!
//! A process group of its own would be simpler to end, but Ctrl-C in the terminal would then no longer reach it.

use std::process::{Child, Command};

/// Kills `child` and its descendants, and waits for it. Without the system's `ps` and `sh` only `child` is killed.
pub fn kill_tree(child: &mut Child) {
    let tree: Vec<String> = descendants(child.id()).iter().map(u32::to_string).collect();
    // One command for all of them, so that none has the time to start another.
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -KILL \"$@\"", "kill"]).args(&tree);
    // A process that has ended meanwhile cannot be killed any more: no error that matters.
    let _ = kill.status();
    let _ = child.kill();
    let _ = child.wait();
}

/// `ancestor` and all processes that descend from it.
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

    let mut tree = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = tree.get(next).copied() {
        let children = pairs.iter().filter(|(_, of)| *of == parent);
        tree.extend(children.map(|(id, _)| *id));
        next += 1;
    }
    tree
}
