//! Several servers ("nodes") that host the same tables. Each of them is a node of the cluster.

pub mod bus;
mod bus_connection;
mod bus_error;
mod bus_inbox;
pub mod bus_metrics;
pub mod bus_settings;
pub mod commands;
mod inbox;
mod link_task;
pub mod links;
mod membership_task;
pub mod metrics;
pub mod node;
