//! Operations: metrics and health checks.

pub mod health_command;
pub mod metrics;
pub mod panic_hook;
