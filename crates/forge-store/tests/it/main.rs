//! The store's rules, on a real database.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod advance;
mod attempt;
mod bed;
mod delete;
mod event;
mod follow_up;
mod hostile;
mod keep;
mod open;
mod process;
mod project;
mod recovery;
mod start;
mod task;
