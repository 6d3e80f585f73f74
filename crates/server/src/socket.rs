//! The task of a socket, its flow control, and its throttling.

mod flow_control;
pub mod task;
pub(crate) mod throttled_stream;
