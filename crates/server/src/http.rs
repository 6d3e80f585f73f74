//! HTTP: the page, the API, and the upgrade to sockets.

pub mod admin;
pub mod api_error;
pub mod connection_check;
pub mod files;
pub mod forwarded;
pub mod legal_links;
pub mod listener;
pub mod open_password;
pub mod origin;
pub mod pages;
pub mod proxy;
pub mod public_url;
mod replays;
pub mod routes;
mod shutdown;
pub mod upgrade;
