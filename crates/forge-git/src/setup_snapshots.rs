//! The commits that tell what a setup script left: separated from the work of others, and laid over another commit.

use std::collections::BTreeSet;

use crate::changes::{EntryChanges, index_info};
use crate::hidden::SUBJECT;
use crate::identity::by_forge;
use crate::leftovers::drop_overlapping;
use crate::lock::Hold;
use crate::{Error, Oid, Result, Worktree};

/// The snapshots around a setup script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupSnapshots {
    /// Of the worktree before the script; none for a worktree in which nobody worked before.
    pub before: Option<Oid>,
    /// What an earlier run of the script left, as [`Worktree::separate_leftovers`] made it.
    pub earlier: Option<Oid>,
    /// Of the worktree after the script, which had changes.
    pub after: Oid,
}

impl Worktree {
    /// Returns a commit like the snapshot after a setup script, without the work of others that was in the worktree before
    /// the script; none if the script left nothing.
    pub async fn separate_leftovers(&self, snapshots: &SetupSnapshots) -> Result<Option<Oid>> {
        let (worktree, snapshots) = (self.clone(), snapshots.clone());
        self.repo.git.see_through(async move { worktree.separate(&snapshots).await }).await
    }

    /// Returns a commit on `commit` that also has what a setup script left, where `commit` has the path as the commit before
    /// the script; `commit` itself if there is no such path.
    pub async fn lay_leftovers(&self, snapshot: &Oid, commit: &Oid) -> Result<Oid> {
        let (worktree, snapshot, commit) = (self.clone(), snapshot.clone(), commit.clone());
        self.repo.git.see_through(async move { worktree.lay(&snapshot, &commit).await }).await
    }

    async fn separate(self, snapshots: &SetupSnapshots) -> Result<Option<Oid>> {
        let SetupSnapshots { before, earlier, after } = snapshots;
        let Some(before) = before else { return Ok(Some(after.clone())) };
        let (mut others, left) = (self.changes_of(before).await?, self.changes_of(after).await?);
        if let Some(earlier) = earlier {
            let earlier = self.changes_of(earlier).await?;
            others.retain(|path, other| earlier.get(path).is_none_or(|earlier| earlier.new != other.new));
        }
        let others = others.into_keys().collect();
        self.commit_changes(&format!("{after}^"), &left, others).await
    }

    async fn lay(self, snapshot: &Oid, commit: &Oid) -> Result<Oid> {
        let left = self.changes_of(snapshot).await?;
        if left.is_empty() {
            return Ok(commit.clone());
        }
        let others = self.changes_between(&format!("{snapshot}^"), commit.as_str()).await?;
        if others.is_empty() {
            return Ok(snapshot.clone());
        }
        let laid = self.commit_changes(commit.as_str(), &left, others.into_keys().collect()).await?;
        Ok(laid.unwrap_or_else(|| commit.clone()))
    }

    /// Makes a commit of the changes whose paths do not meet those of others; none if there are none.
    async fn commit_changes(
        &self,
        parent: &str,
        changes: &EntryChanges,
        others: BTreeSet<Vec<u8>>,
    ) -> Result<Option<Oid>> {
        let mut left: BTreeSet<_> = changes.keys().cloned().collect();
        drop_overlapping(&mut left, others);
        if left.is_empty() {
            return Ok(None);
        }
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        let in_index = || self.raw_call().env("GIT_INDEX_FILE", &index);
        let hold = Hold::shared(&self.repo.lock_path()).await?;
        in_index().args(["read-tree", parent]).write(&hold).await?.ok()?;
        let entries = left.iter().filter_map(|path| Some((path, &changes.get(path)?.new)));
        in_index().update_index(index_info(entries, &self.guard.base)).await?;
        let tree = in_index().arg("write-tree").write(&hold).await?.ok()?.oid()?;
        let message = format!("{SUBJECT}what the setup script left");
        let call = by_forge(self.call()).args(["commit-tree", "-m", &message, "-p", parent]);
        call.arg(tree.as_str()).write(&hold).await?.ok()?.oid().map(Some)
    }
}
