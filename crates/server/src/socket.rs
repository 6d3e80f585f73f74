//! The connection of one client: its task, and how fast it is read and written.

mod flow_control;
pub mod task;
pub(crate) mod throttled_stream;
