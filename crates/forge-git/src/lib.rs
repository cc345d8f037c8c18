//! Runs the `git` program and parses its porcelain; knows nothing of tasks.
//!
//! [`Git`] is the program, [`Repo`] a repository, [`Worktree`] a linked working tree of it.
//! Commands that change something run to their end even when the caller stops waiting: killing git
//! midway leaves locks and half-made worktrees. [`Git::finish`] waits for them at shutdown.

mod abort;
mod add;
mod at_risk;
mod blocked;
mod branches;
mod clone;
mod command;
mod commands;
mod commit;
mod compare;
mod copy;
mod create;
mod delete;
mod diff;
mod environment;
mod error;
mod files;
mod git;
mod guard;
mod hidden;
mod hooks;
mod identity;
mod live;
mod lock;
mod mentions;
pub mod names;
mod nested;
mod oid;
pub mod path_text;
mod plain_file;
mod raw;
mod reconnect;
mod registration;
mod remake;
mod remove;
mod repo;
mod restore;
mod rewind;
mod seal;
mod snapshot;
mod spare;
mod staging;
mod standing;
mod status;
mod submodules;
mod trusted;
mod undo;
mod warnings;
mod worktree;

pub use add::{Mark, NewWorktree};
pub use at_risk::AtRisk;
pub use branches::{Base, Branch};
pub use command::FOREIGN;
pub use compare::{CommitInfo, Comparison, Divergence};
pub use copy::{CopyOutcome, check_copy_patterns, copy_files};
pub use create::FIRST_BRANCH;
pub use diff::{Change, ChangeKind, Content, Contents, Diff, FileDiff, LARGEST_SHOWN};
pub use error::{Error, Result};
pub use files::Listing;
pub use git::{Git, GitOptions};
pub use hidden::{HiddenRef, SUBJECT};
pub use oid::Oid;
pub use remake::Remake;
pub use remove::BranchFate;
pub use repo::Repo;
pub use rewind::Rewind;
pub use snapshot::Snapshot;
pub use spare::Spare;
pub use standing::Standing;
pub use status::{Operation, Status};
pub use submodules::Submodules;
pub use worktree::Worktree;
