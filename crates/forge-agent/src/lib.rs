//! Starts, watches, talks to and stops agent processes; speaks their protocols.

pub mod catalog;
mod claude;
pub mod client;
pub mod detached;
pub mod driver;
pub mod executor;
pub mod host;
pub mod log;
pub mod mcp;
mod proc;
pub mod profiles;
pub mod transcript;
