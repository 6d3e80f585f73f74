//! Everything that answers over HTTP: the page, the calls, and the way to a socket.

pub mod admin;
pub mod api_error;
pub mod connection_check;
pub mod files;
pub mod listener;
pub mod origin;
pub mod pages;
pub mod proxy;
pub mod routes;
