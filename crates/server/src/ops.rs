//! Operations: metrics, health checks, and the log of panics.

pub mod health_command;
pub mod metrics;
pub mod panic_hook;
