//! Rate limits and quotas, mostly for each client address.

pub mod address_limits;
pub mod call_costs;
pub mod client_addr;
pub mod password_attempts;
pub mod settings;
pub mod token_bucket;
