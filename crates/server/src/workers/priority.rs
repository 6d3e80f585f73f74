//! Lower thread priorities for slow work, so that rooms and sockets run first.

/// The nice value of threads that hash passwords.
pub const HASHING: i32 = 10;
/// The nice value of threads that search for bots.
pub const SEARCH: i32 = 19;

/// Sets the nice value of the calling thread. On Linux each thread has its own.
#[cfg(target_os = "linux")]
pub fn lower(nice: i32) {
    if let Err(error) = rustix::process::setpriority_process(None, nice) {
        tracing::warn!(%error, nice, "the priority of a thread could not be lowered");
    }
}

/// Does nothing: on other systems the nice value belongs to the whole process.
#[cfg(not(target_os = "linux"))]
pub fn lower(_nice: i32) {}
