//! Tests against the real git, in repositories of their own.
#![expect(clippy::unwrap_used, reason = "a test stops where its set-up fails")]

mod add;
mod at_risk;
mod branches;
mod commit;
mod compare;
mod copy;
mod create;
mod delete;
mod diff;
mod hanging;
mod kit;
mod leftovers;
mod open;
mod pool;
mod programs;
mod reconnect;
mod remove;
mod restore;
mod rewind;
mod snapshot;
mod standing;
mod status;
mod submodules;
mod trusted;
mod uncommitted;
mod undo;
