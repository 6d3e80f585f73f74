//! The task of a socket, its flow control, its throttling, and its end.

pub mod closing;
mod flow_control;
mod sending;
pub mod task;
pub(crate) mod throttled_stream;

pub(crate) use self::sending::MAX_BATCH_BYTES;
