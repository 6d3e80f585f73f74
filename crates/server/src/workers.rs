//! Slow work on threads of its own: rooms and sockets never wait for it.

pub mod password_hashing;
mod priority;
pub mod search_pool;
