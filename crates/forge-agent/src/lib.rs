//! Starts, watches, talks to and stops agent processes; speaks their protocols.

pub mod client;
pub mod host;
pub mod log;
mod proc;
