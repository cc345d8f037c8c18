//! Starts, watches, talks to and stops agent processes; speaks their protocols.

mod acp;
pub mod agents;
pub mod base64;
mod claude;
pub mod client;
mod codex;
pub mod deadline;
pub mod detached;
pub mod driver;
pub mod host;
pub mod log;
pub mod manner;
pub mod mcp;
pub mod one_shot;
mod proc;
pub mod profiles;
mod rpc;
pub mod rules;
pub mod secrets;
pub mod transcript;
pub mod turn;
