//! Tests against the real git, in repositories of their own.
#![expect(clippy::unwrap_used, reason = "a test stops where its set-up fails")]

mod add;
mod branches;
mod commit;
mod compare;
mod copy;
mod create;
mod delete;
mod diff;
mod kit;
mod open;
mod pool;
mod remove;
mod restore;
mod rewind;
mod snapshot;
mod status;
mod undo;
