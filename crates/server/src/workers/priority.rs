//! What lets rooms and sockets go first.

/// Passwords are hashed before experts think.
pub const HASHING: i32 = 10;
/// Experts think last of all.
pub const THINKING: i32 = 19;

/// Lets others go before this thread: the nice value of Linux belongs to the thread.
#[cfg(target_os = "linux")]
pub fn lower(nice: i32) {
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::warn!(%error, nice, "slow work is done at the priority of everybody else");
    }
}

/// Elsewhere the priority would be that of the whole process.
#[cfg(not(target_os = "linux"))]
pub fn lower(_nice: i32) {}
