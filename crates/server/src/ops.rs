//! What the operator of a server watches.

pub mod health;
pub mod metrics;
pub mod panic_hook;
