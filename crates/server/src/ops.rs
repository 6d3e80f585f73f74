//! Operations: metrics and health checks.

pub mod health;
pub mod metrics;
pub mod panic_hook;
