//! Operations: metrics, health checks, planned restarts, and the log of panics.

pub mod health_command;
pub mod metrics;
pub mod panic_hook;
pub mod planned_restart;
