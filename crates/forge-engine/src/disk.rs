//! What attempts and projects take on the disk. Counted when somebody asks, a few at once, behind everybody's back.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use forge_model::{Attempt, AttemptId, ProjectId};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::snapshot_retention::SNAPSHOTS;
use crate::snapshots::prefix;

/// How many counts go on at once.
pub(crate) const COUNTS: usize = 2;

/// The size of a block as the system counts them.
const BLOCK: u64 = 512;

/// Bytes on the disk, by what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Disk {
    /// Of worktrees.
    pub worktrees: u64,
    /// Of what processes printed.
    pub logs: u64,
    /// Of temporary files.
    pub tmp: u64,
    /// Of what a project's attempts share.
    pub cache: u64,
    /// Of worktrees that stand ready for a project's next attempts.
    pub pool: u64,
    /// Of snapshots in the repository: what no branch or tag has.
    pub snapshots: u64,
}

impl Disk {
    /// All of it.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.worktrees + self.logs + self.tmp + self.cache + self.pool + self.snapshots
    }
}

impl Engine {
    /// What an attempt takes.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn attempt_disk(&self, id: AttemptId) -> Result<Disk> {
        let attempt = self.get_attempt(id).await?;
        let mut disk = self.disk_of(std::slice::from_ref(&attempt)).await?;
        disk.snapshots = self.snapshot_bytes(attempt.project_id, &prefix(id)).await?;
        Ok(disk)
    }

    /// What a project takes: its attempts, and what they share.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn project_disk(&self, id: ProjectId) -> Result<Disk> {
        self.get_project(id).await?;
        let attempts = self.inner.store.list_attempts_and_runs(Some(id)).await?;
        let mut disk = self.disk_of(&attempts).await?;
        disk.cache = self.count(vec![self.inner.folder.cache(id)]).await?;
        disk.pool = self.count(self.spare_folders(id)).await?;
        disk.snapshots = self.snapshot_bytes(id, SNAPSHOTS).await?;
        Ok(disk)
    }

    /// A repository that is gone keeps nothing.
    async fn snapshot_bytes(&self, project: ProjectId, prefix: &str) -> Result<u64> {
        match self.repository(&self.get_project(project).await?).await {
            Ok(repo) => Ok(repo.hidden_bytes(prefix).await?),
            Err(_gone) => Ok(0),
        }
    }

    async fn disk_of(&self, attempts: &[Attempt]) -> Result<Disk> {
        let folder = &self.inner.folder;
        let mut logs = Vec::new();
        for attempt in attempts {
            let processes = self.inner.store.list_processes(attempt.id).await?;
            logs.extend(processes.iter().map(|process| folder.process(process.id)));
        }
        let worktrees = attempts.iter().map(|attempt| PathBuf::from(&attempt.worktree)).collect();
        let tmp = attempts.iter().map(|attempt| folder.tmp(attempt.id)).collect();
        Ok(Disk {
            worktrees: self.count(worktrees).await?,
            logs: self.count(logs).await?,
            tmp: self.count(tmp).await?,
            ..Disk::default()
        })
    }

    /// The bytes that these folders take together.
    pub(crate) async fn count(&self, folders: Vec<PathBuf>) -> Result<u64> {
        let _place = self
            .inner
            .counts
            .acquire()
            .await
            .map_err(|closed| Error::internal("nothing is counted any more").because(closed))?;
        let counted = self.inner.tasks.spawn_blocking(move || bytes(folders));
        counted.await.map_err(|failed| Error::internal("a count ended badly").because(failed))
    }
}

/// Links are not followed, and a file with many names counts once. What goes away meanwhile does not count.
fn bytes(mut left: Vec<PathBuf>) -> u64 {
    let (mut sum, mut seen) = (0, HashSet::new());
    while let Some(path) = left.pop() {
        let Ok(entry) = fs::symlink_metadata(&path) else { continue };
        if entry.nlink() > 1 && !entry.is_dir() && !seen.insert((entry.dev(), entry.ino())) {
            continue;
        }
        sum += entry.blocks() * BLOCK;
        if entry.is_dir() {
            left.extend(entries(&path));
        }
    }
    sum
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_two_names_counts_once_and_a_link_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(one.join("big"), vec![b'x'; 1 << 20]).unwrap();
        let alone = bytes(vec![one.clone()]);
        assert!(alone >= 1 << 20, "{alone}");
        std::os::unix::fs::symlink(&one, other.join("link")).unwrap();
        fs::hard_link(one.join("big"), one.join("again")).unwrap();
        let both = bytes(vec![one, other, folder.path().join("missing")]);
        assert!(both < alone + (1 << 19), "{both} after {alone}");
    }
}
