//! The task of a socket, its frames, its flow control, its throttling, and its end.

pub mod closing;
mod flow_control;
mod sending;
pub mod task;
pub(crate) mod throttled_stream;
pub mod web_socket;
