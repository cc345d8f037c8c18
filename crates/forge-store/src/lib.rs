//! The only crate that speaks SQL. A change and its event commit in one transaction, or neither does.
//!
//! Reads go to a small pool. Writes stand in one queue and are done one after another by one task, so a
//! caller that goes away cannot leave half of one behind; what waits is committed together. Every commit that appended events moves
//! [`Store::head`]; a reader pages [`Store::events_after`] and waits for the head to move. On PostgreSQL it moves
//! with the commits of others too: every commit tells how far the log goes, and every store listens.
#![warn(missing_docs)]

mod advance;
mod approval;
mod attempt;
mod backend;
mod backup;
mod check;
mod copy;
mod count;
mod delete;
mod draft;
mod error;
mod event;
mod follow_up;
mod image;
mod json;
mod keep;
mod lost_node;
mod measure;
mod migrate;
mod moment;
mod node;
mod place;
mod ports;
mod process;
mod project;
mod recovery;
mod row;
mod settings;
mod standing;
mod start;
mod store;
mod tag;
mod task;
mod usage;
mod write;
mod writer;

pub use advance::{Advance, Advanced};
pub use approval::Answered;
pub use backup::{backup, restore};
pub use check::{Checked, Server, check};
pub use count::count_rows;
pub use draft::DraftChange;
pub use error::StoreError;
pub use lost_node::NodeSummary;
pub use measure::StoreMeasured;
pub use migrate::pending;
pub use node::{NodeRecord, Unowned};
pub use place::{BadUrl, Place, PostgresUrl};
pub use ports::PORTS_PER_ATTEMPT;
pub use start::{Answer, Intent, IntentTask};
pub use store::Store;
