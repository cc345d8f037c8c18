//! The store's rules, on a real database.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod advance;
mod attempt;
mod backup;
mod bed;
mod delete;
mod event;
mod follow_up;
mod hostile;
mod open;
mod postgres;
mod process;
mod project;
mod recovery;
mod schema;
mod start;
mod task;
