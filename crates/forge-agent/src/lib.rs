//! Starts, watches, talks to and stops agent processes; speaks their protocols.

mod claude;
pub mod client;
pub mod driver;
pub mod executor;
pub mod host;
pub mod log;
mod proc;
pub mod transcript;
