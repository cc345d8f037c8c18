//! Snapshots, bytes on the disk, and what a collection did.

use std::path::Path;

use forge_engine::Occasion;
use forge_model::{AttemptId, ProcessId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Snapshot<'_>, Disk, Collection<'_>);

/// What was saved of a worktree.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Snapshot<'a> {
    name: &'a str,
    oid: &'a str,
    created_at: Timestamp,
    what: &'static str,
    execution_process_id: Option<ProcessId>,
}

impl<'a> From<&'a forge_engine::Snapshot> for Snapshot<'a> {
    fn from(snapshot: &'a forge_engine::Snapshot) -> Self {
        let (what, process) = match snapshot.occasion {
            Occasion::Turn(process) => ("turn", Some(process)),
            Occasion::Unbegun => ("end", None),
            Occasion::BeforeRestore => ("before_restore", None),
            Occasion::BeforeReplace => ("before_replace", None),
            Occasion::BeforeChange => ("before_change", None),
            Occasion::Collected => ("collected", None),
            Occasion::Deleted => ("deleted", None),
            Occasion::Other => ("other", None),
        };
        Self {
            name: &snapshot.name,
            oid: &snapshot.oid,
            created_at: snapshot.saved_at,
            what,
            execution_process_id: process,
        }
    }
}

/// Bytes.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Disk {
    worktrees: u64,
    logs: u64,
    tmp: u64,
    cache: u64,
    pool: u64,
    /// In the repository, beyond what branches and tags have.
    snapshots: u64,
    total: u64,
}

impl From<forge_engine::Disk> for Disk {
    fn from(disk: forge_engine::Disk) -> Self {
        Self {
            worktrees: disk.worktrees,
            logs: disk.logs,
            tmp: disk.tmp,
            cache: disk.cache,
            pool: disk.pool,
            snapshots: disk.snapshots,
            total: disk.total(),
        }
    }
}

/// What a collection did, or would do.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Collection<'a> {
    dry_run: bool,
    collected: Vec<Taken<'a>>,
    left: Vec<Left<'a>>,
    unregistered: Vec<&'a Path>,
    /// How many snapshots had expired.
    snapshots: usize,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
struct Taken<'a> {
    task_attempt_id: AttemptId,
    worktree_path: &'a str,
    bytes: u64,
}

#[derive(Serialize, JsonSchema)]
struct Left<'a> {
    task_attempt_id: AttemptId,
    worktree_path: &'a str,
    why: &'a str,
}

impl<'a> Collection<'a> {
    pub(in crate::http) fn new(collection: &'a forge_engine::Collection, dry_run: bool) -> Self {
        let taken = collection.taken.iter().map(|(attempt, bytes)| Taken {
            task_attempt_id: attempt.id,
            worktree_path: &attempt.worktree,
            bytes: *bytes,
        });
        let left = collection.left.iter().map(|(attempt, why)| Left {
            task_attempt_id: attempt.id,
            worktree_path: &attempt.worktree,
            why,
        });
        Self {
            dry_run,
            collected: taken.collect(),
            left: left.collect(),
            unregistered: collection.unregistered.iter().map(AsRef::as_ref).collect(),
            snapshots: collection.snapshots,
            bytes: collection.taken.iter().map(|(_, bytes)| bytes).sum(),
        }
    }
}
