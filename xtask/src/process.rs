//! Kills a process together with its descendants.
//!
//! A process group would be simpler to kill, but Ctrl-C in the terminal would not reach it.

use std::process::{Child, Command};

/// Kills `child` and its descendants, and waits for `child`. If the system lacks `ps` or `sh`, only `child` is killed.
pub fn kill_tree(child: &mut Child) {
    let tree: Vec<String> = descendants(child.id()).iter().map(u32::to_string).collect();
    // One command kills all of them, so that none has time to start another.
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill -KILL \"$@\"", "kill"]).args(&tree);
    // It is no error if a process has ended meanwhile.
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
