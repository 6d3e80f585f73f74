//! How much one address may ask for.

pub mod address_limits;
pub mod call_costs;
