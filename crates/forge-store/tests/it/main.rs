//! The store's rules, on real databases: every one on each engine that there is.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod advance;
mod approval;
mod attempt;
mod backup;
mod bed;
mod delete;
mod draft;
mod event;
mod follow_up;
mod hostile;
mod keep;
mod lost_node;
mod open;
mod postgres;
mod process;
mod project;
mod recovery;
mod run;
mod schema;
mod start;
mod stuff;
mod task;
mod usage;
