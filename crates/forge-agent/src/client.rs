//! The server's side of the process host: start one, find one again, talk to it.
//!
//! Nothing here assumes more of a process than its directory and what its host says on the socket.

mod connection;
mod find;
mod launch;

pub use connection::{AskError, Connection, Lost, Wait};
pub use find::{FindError, Found, find, is_idle, kill_remains};
pub use launch::{Launcher, StartError};
