//! Hermetic repositories, servers, databases and a stub model for tests.

pub mod agents;
pub mod bench;
pub mod gate;
pub mod postgres;
pub mod repo;
pub mod server;
pub mod stub_model;
pub mod turnstile;
