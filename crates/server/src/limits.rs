//! Rate limits and quotas, mostly for each client address.

pub mod address_limits;
pub mod client_addr;
pub mod disk_reserve;
pub mod operator_limits;
pub mod password_attempts;
pub mod request_costs;
pub mod token_bucket;
pub mod write_budgets;
