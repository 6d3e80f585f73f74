//! Load generator and crash drill over the public protocol: it knows what every client may rely
//! on, and nothing of the server's inside.

pub mod answers;
pub mod drill;
pub mod hostile;
pub mod play;

mod disk;
mod failure;
mod figures;
mod http;
mod process;
mod route;
mod secret;
mod server;
mod socket;
mod table;
mod wire;

pub use self::failure::Failure;
pub use self::server::{Program, Server};
