//! Hermetic repositories, servers and a stub model for tests.

pub mod bench;
pub mod claude;
pub mod gate;
pub mod repo;
pub mod server;
pub mod stub_model;
pub mod turnstile;
