//! Several servers ("nodes") that host the same rooms. Each of them is a node of the cluster.

pub mod bus;
mod bus_connection;
mod bus_error;
pub mod bus_metrics;
mod bus_receiver;
pub mod bus_settings;
pub mod commands;
mod dispatcher;
mod link_task;
pub mod links;
mod membership_task;
pub mod metrics;
pub mod node;
