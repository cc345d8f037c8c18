//! .

pub mod repo;
