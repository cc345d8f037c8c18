//! Starts, watches, talks to and stops agent processes; speaks their protocols.

mod claude;
pub mod driver;
pub mod executor;
