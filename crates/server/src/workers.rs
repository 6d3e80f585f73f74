//! Threads for slow work, which rooms and sockets never wait for.

pub mod password_hashing;
mod priority;
pub mod search_pool;
