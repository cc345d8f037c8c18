//! Hermetic repositories, servers and a stub model for tests.

pub mod server;
